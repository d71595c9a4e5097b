/* What proves that a watch works, and how old that is.
 *
 * An event on the watch proves it, and so does a bookmark with a newer version. So do two answers together: that of the
 * watch itself, resumed on a new connection or by a bookmark that only repeats its version, and that of a consistent
 * read beside it (or the list that the watch goes on from). Either of them alone proves too little: a server takes
 * watches that it will never feed, and repeats bookmarks out of its memory while its etcd is away; and one that answers
 * reads may have lost a watch. That nothing failed is no evidence at all.
 *
 *            event, newer bookmark, or both answers
 *           .-------------------------------------.
 *           v                                     |
 *      +----------+   silent for idle_ms     +--------+
 *      |  PROVED  | -----------------------> | TESTED |
 *      +----------+                          +--------+
 *           ^                                  |    ^
 *           |                 no answer in time |   | the next round
 *           |  event, newer bookmark           v    |
 *           |  or both answers              (the round fails)
 *           '---------------------------------------'
 *
 * Whatever state it is in: what rests on the evidence falls by itself kc_evidence_stale_ms() after it. */
#ifndef KUBECLIENT_KC_EVIDENCE_H
#define KUBECLIENT_KC_EVIDENCE_H

#include "base/err.h"
#include "kubeclient/kc_tuning.h"

/* All times are of uv_hrtime(). */
struct kc_evidence {
	uint64_t proved_ns; /* when the last evidence came; 0: there is none yet */
	uint64_t until_ns;  /* when the running test ends; 0: no test runs */
	bool answered;      /* the watch of this round was answered and goes on */
	bool repeated;      /* since then a bookmark came that says nothing new, so that only a read is missing */
	bool read;          /* a consistent read beside the watch, or the list before it, was answered */
	/* a list showed what the watch had not delivered, so that only events of the watch prove it */
	bool mute;
	struct err problem; /* why the read of this test failed; code 0: it did not fail */
};

/* How old evidence may be in milliseconds: a little less than tuning->evidence_ms, so that a caller that checks once a
 * second notices in time. */
uint64_t kc_evidence_stale_ms(const struct kc_tuning *t);

/* Begin a round of watching. @listed: it goes on from a list that was just answered. The round is a test if evidence
 * is due, if there is none yet, or with @test. */
void kc_evidence_begin(struct kc_evidence *e, const struct kc_tuning *t, bool listed, bool test, uint64_t now_ns);
/* The round failed, or is over. */
void kc_evidence_end(struct kc_evidence *e);
/* An event or a bookmark came at @now_ns. @moved: its version is newer than that of the watch. */
void kc_evidence_event(struct kc_evidence *e, bool moved, uint64_t now_ns);
/* Test a watch whose bookmarks come but say nothing new: it only needs a read. */
void kc_evidence_test_read(struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);
/* One of the two answers has come, as @e says. Whether both together are evidence now. */
bool kc_evidence_answers(struct kc_evidence *e, uint64_t now_ns);

/* Whether nothing has proved the watch for so long that it has to be tested. */
bool kc_evidence_due(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);
/* Whether the test of the watch called @shown has failed; *why says what did not come. */
bool kc_evidence_failed(const struct kc_evidence *e, const struct kc_tuning *t, const char *shown, uint64_t now_ns,
			struct err *why);
/* The milliseconds until the watch may be due, or its test may have failed; at least 1. */
uint64_t kc_evidence_wait_ms(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);

#endif
