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
	uint64_t proved_ns; /* the last evidence; 0: there was none yet */
	uint64_t until_ns;  /* the end of the test that goes on; 0: none does */
	bool answered;      /* the watch of this round was, and goes on */
	bool repeated;      /* a bookmark came since then that says nothing new: only a read is missing */
	bool read;          /* so was a consistent read, or the list, that goes with it */
	bool mute;          /* a list showed what the watch had not delivered: only its own events prove it */
	struct err problem; /* why the read of this test failed; code 0: it did not */
};

/* How old evidence may be in milliseconds: a little less than tuning->evidence_ms, so that a caller that checks once a
 * second notices in time. */
uint64_t kc_evidence_stale_ms(const struct kc_tuning *t);

/* A round of watching begins. @listed: it goes on from a list that was just answered. It is a test when the evidence is
 * due, when there is none yet, or when @test says so. */
void kc_evidence_begin(struct kc_evidence *e, const struct kc_tuning *t, bool listed, bool test, uint64_t now_ns);
/* The round failed, or is over. */
void kc_evidence_end(struct kc_evidence *e);
/* An event or a bookmark came at @now_ns; @moved: with a newer version than the watch had. */
void kc_evidence_event(struct kc_evidence *e, bool moved, uint64_t now_ns);
/* A test of a watch whose bookmarks come and say nothing new: all that it needs is a read. */
void kc_evidence_test_read(struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);
/* One of the two answers has come (@e says which): whether they are evidence now. */
bool kc_evidence_answers(struct kc_evidence *e, uint64_t now_ns);

/* Whether nothing has proved the watch for so long that it is to be tested. */
bool kc_evidence_due(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);
/* Whether the test has failed; *why says what did not come, of the watch called @shown. */
bool kc_evidence_failed(const struct kc_evidence *e, const struct kc_tuning *t, const char *shown, uint64_t now_ns,
			struct err *why);
/* The milliseconds until one of the two may be true; at least 1. */
uint64_t kc_evidence_wait_ms(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns);

#endif
