/* Drift as state: what is wrong right now, since when, and the records of its transitions.
 *
 * The judges report what they see as often as they like; a record is written only when a finding begins, changes or
 * ends. Findings outlive clusters, reloads and (through daemon/store) restarts, so that none of these repeats a record:
 * whoever starts to judge again calls findings_unconfirm, reports, and then findings_sweep, which ends what was not
 * seen again. */
#ifndef DAEMON_FINDINGS_FINDINGS_H
#define DAEMON_FINDINGS_FINDINGS_H

#include "base/shard.h"
#include "cel/cel_rules.h"
#include "config/cfg.h"
#include "daemon/findings/end_reason.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/flapping.h"
#include "daemon/findings/sink.h"
#include "rules/kind_rules.h"

#define FINDINGS_KEY_SIZE 32
#define FINDINGS_AT_ONCE 500 /* the most findings that end, or are freed, in one call: it takes some milliseconds */
/* the most findings that end, move or are looked at in one call of a walk: it takes one millisecond or two */
#define FINDINGS_SOME 100

TAILQ_HEAD(findings_by_age, finding);

struct findings;
struct namespace_count; /* namespace_counts.h */

/* The counters of one cluster. They are kept as findings come and go, so that nobody needs to walk them. The last index
 * is the severity. */
struct finding_counters {
	uint64_t transitions[TRANSITIONS][8];
	size_t open[FINDING_KINDS][8];
	size_t as_series[FINDING_KINDS][8]; /* the findings in @open that findings_each_namespace has */
	/* the findings of kind FINDING_ERROR that are about rules, not objects */
	size_t rule_errors;
	size_t failures[RULE_SOURCES][CEL_REASONS][8]; /* the findings of kind FINDING_VALIDATION */
	size_t unconfirmed;
	size_t flapping;                        /* open or dormant */
	uint64_t flaps;                         /* changes that were not reported */
	struct findings_by_age drifts[8], gaps; /* the oldest first */
};

/* @sink outlives the findings. Fails: ENOMEM. */
CHECKED int findings_new(struct sink *sink, struct findings **ret, struct err *err);
/* Make an empty set with the keys of @like, so that equal findings, states and causes have the same ids and hashes in
 * both. Fails: ENOMEM. */
CHECKED int findings_new_like(const struct findings *like, struct sink *sink, struct findings **ret, struct err *err);
void findings_free(struct findings *f);
/* Begin to free a set that holds many: some at each call; true while there are more. Nothing but
 * this and findings_free may be called then. */
bool findings_release(struct findings *f);
/* Set the key of the hashes of states: without it nobody who reads them can find the values by trial. Before the first
 * report. Findings that are restored must have been stored under this key, one of the old ones, or by a driftd that had
 * none. */
void findings_set_key(struct findings *f, const unsigned char key[FINDINGS_KEY_SIZE]);
/* Add a key under which another process may have kept some of the findings that are restored: a state that has not
 * changed since is hashed again without a record. Fails: ENOMEM. */
CHECKED int findings_add_old_key(struct findings *f, const unsigned char key[FINDINGS_KEY_SIZE], struct err *err);
DEFINE_CLEANUP(struct findings *, findings_free)

/* An open finding about an object of the same name with another uid ends first, because that object was deleted
 * unseen. Fails: ENOMEM: nothing was remembered or written, and the former state stays; report it again. */
CHECKED int findings_report(struct findings *f, const struct finding_report *r, struct err *err);
/* The id of the cause @text (cause.h). It is the same in every process with the same key, and reveals no value by
 * trial. False without memory. */
CHECKED bool findings_cause_id(const struct findings *f, str text, char out[FINDING_ID_SIZE]);
/* A number that changes whenever a finding begins, changes or ends. It starts with the time, so that no two
 * processes have the same. */
uint64_t findings_generation(const struct findings *f);
/* The finding was seen again, unchanged: keep it from being swept. */
void findings_confirm(struct findings *f, enum finding_kind kind, const struct finding_subject *s);
/* Who removed what @x, one of these findings, had at @at, as far as that was known when the removal was first
 * reported. The texts belong to @x. False: no removal was reported. */
bool findings_removed_by(const struct findings *f, const struct finding *x, struct path at, struct blame *ret);
/* Move the open finding of @s to the place @rule_path, where its rule is today: it stays the same finding, without a
 * record. False: there is none, there is one at that place already, or memory is short; then nothing has happened. */
bool findings_move(struct findings *f, enum finding_kind kind, const struct finding_subject *s, str rule_path);
/* Whether a finding moves to another place, which is then in *copy, a copy of the finding with its texts. The texts
 * are copied after the call. */
typedef bool findings_elsewhere(void *ctx, struct finding *copy);
/* End the open finding of @s, because of @why. Nothing happens when there is none. */
void findings_clear(struct findings *f, enum finding_kind kind, const struct finding_subject *s, enum end_reason why);
/* As findings_clear, with END_ACCEPTED: somebody accepts the deviation for @reason. */
void findings_accepted(struct findings *f, enum finding_kind kind, const struct finding_subject *s, str reason);

/* As findings_clear, for something that is no longer wrong with an object. @by: who wrote the change that ended it. */
void findings_repaired(struct findings *f, enum finding_kind kind, const struct finding_subject *s, enum end_reason why,
		       const struct blame *by);

/* Everything that is reported from now on happened within @span, while the cluster was not watched; NULL: it happens
 * now. A short span counts as none. */
void findings_set_span(struct findings *f, const struct time_span *span);
const struct time_span *findings_span(const struct findings *f); /* NULL: none */

/* Whether messages name the cluster, because there are several. */
void findings_name_clusters(struct findings *f, bool named);
struct record_revision; /* finding_record.h */
/* Records name these revisions of their references from now on; borrowed until the next call. */
void findings_set_revisions(struct findings *f, const struct record_revision *revisions, size_t n);

/* What changes @changes times (at most FLAPPING_CHANGES_MAX) within @window_ns flaps until it has been quiet for as
 * long; gaps never do. @changes 0: nothing does, as at first. */
void findings_set_flapping(struct findings *f, unsigned changes, uint64_t window_ns);
/* Count findings by namespace, in at most @limit series; 0: do not count them, as at first. Beginning and ending
 * walk all open findings. */
void findings_count_namespaces(struct findings *f, size_t limit);
/* Report the findings that have become quiet by @now_ns (clock_ns). */
void findings_tick(struct findings *f, uint64_t now_ns);

/* Mark all findings of @cluster as unconfirmed. */
void findings_unconfirm(struct findings *f, str cluster);
/* Whether a finding has ended; *why then says why. */
typedef bool findings_over(void *ctx, const struct finding *x, enum end_reason *why);
/* End at most FINDINGS_AT_ONCE unconfirmed findings of @cluster which, according to @over, would have been seen.
 * False when there may be more. */
CHECKED bool findings_sweep(struct findings *f, str cluster, findings_over *over, void *ctx);

/* Forget all findings that belong to other processes (finding_owner.h), open or dormant, without a record. */
void findings_drop_foreign(struct findings *f, struct shard shard);

/* The open finding; NULL: there is none. */
const struct finding *findings_get(struct findings *f, enum finding_kind kind, const struct finding_subject *s);
/* The open finding with the key @key (finding.key); NULL: it has ended. */
const struct finding *findings_find(const struct findings *f, str key);
/* Iterate in no order: start with *at = 0, NULL at the end. */
const struct finding *findings_each(const struct findings *f, size_t *at);
/* A walk over the findings that are open when it begins: each once, as it is when its turn comes; those that have
 * ended by then are left out. Findings may begin and end meanwhile, and the walk may stop anywhere and go on later.
 * Every walk has to be ended, also when nothing is left. A set that is freed, or becomes another one (adoption.h),
 * ends its walks: then begun is false. */
struct findings_scan {
	bool begun;
	struct finding *next, *last; /* @next: NULL when none is left. @last: the last finding when the walk began */
	/* The owner may set this once the walk has begun. It is called for each finding that ends meanwhile, whether
	 * its turn had come or not. May be NULL. */
	void (*ended)(void *ctx, const struct finding *x);
	void *ctx;
	LIST_ENTRY(findings_scan) link;
};
void findings_scan_begin(struct findings *f, struct findings_scan *s);
const struct finding *findings_scan_next(struct findings_scan *s); /* NULL: none is left */
/* nothing happens when the walk is zeroed, or over */
void findings_scan_end(struct findings_scan *s);
/* End all findings for which @over says so. findings_end_some does it for the next FINDINGS_SOME of the walk @s; it
 * returns true when the walk is over. */
void findings_end_where(struct findings *f, findings_over *over, void *ctx);
bool findings_end_some(struct findings *f, struct findings_scan *s, findings_over *over, void *ctx);
/* Ask @elsewhere about all findings, open and dormant, and move them. They keep their ids and ages, and get no record.
 * A finding whose new place is taken, or for which memory is short, stays where it is. Each call asks about
 * FINDINGS_SOME findings, and returns true while there are more. @r is zeroed before the first call. */
struct findings_readdressing {
	struct findings_scan scan;
	bool dormant;
	size_t left, moved; /* @moved: the number of findings that have moved so far */
};
bool findings_readdress(struct findings *f, struct findings_readdressing *r, findings_elsewhere *elsewhere, void *ctx);
/* The open gaps. Start with *at = 0 and NULL and go on with the last gap; NULL at the end. No gap may begin or end
 * meanwhile. */
const struct finding *findings_each_gap(const struct findings *f, size_t *at, const struct finding *last);
/* The number of open findings of @kind, of every severity. */
size_t findings_open(const struct finding_counters *c, enum finding_kind kind);
/* The namespaces that have a series. Start with NULL; NULL at the end, and when namespaces are not counted. */
const struct namespace_count *findings_each_namespace(const struct findings *f, const struct namespace_count *at);
/* How many namespaces have no series. Their findings are in finding_counters.open beyond as_series. */
size_t findings_namespaces_folded(const struct findings *f);
/* The counters of a cluster, zeroed when it had none yet. NULL without memory. */
const struct finding_counters *findings_counters(struct findings *f, str cluster);

/* End the findings of clusters that are no longer judged, for which @watched returns false; as findings_sweep. */
CHECKED bool findings_end_unwatched(struct findings *f, bool (*watched)(void *ctx, str cluster), void *ctx);

/* How many events of the rule with this path and severity were reported. */
uint64_t findings_rule_events(const struct findings *f, str path, enum severity severity);

/* The states of all open findings are unknown from now on, because the key of the hashes is lost. The next report
 * with the same severity and paths only sets the state, without a record. */
void findings_forget_states(struct findings *f);
/* Hand all findings to the sink once more, without records. */
void findings_keep_all(struct findings *f);

/* Restore a stored finding, unconfirmed, or dormant. Its texts are copied. Fails: ENOMEM. */
CHECKED int findings_restore(struct findings *f, const struct finding *from, struct err *err);

#endif
