/* What the files of a cluster share: its state, and the steps from one to the other. */
#ifndef DAEMON_WATCH_CLUSTER_INTERNAL_H
#define DAEMON_WATCH_CLUSTER_INTERNAL_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/cluster/tombstones.h"
#include "daemon/watch/cluster/work_queue.h"
#include "daemon/watch/process/awake.h"
#include "daemon/watch/releases/release_book.h"
#include "value/json_pick.h"

/* How far a cluster has come since it is watched:
 *
 *   LISTING --every watch is resolved, once--> JUDGING --all is judged, and what was not seen again ended--> LIVE
 */
enum cluster_phase { CLUSTER_LISTING, CLUSTER_JUDGING, CLUSTER_LIVE };

/* The parts of a cluster: each is read and changed by the file that it is named after, and by no other
 * (tests/layering/check-includes). */

struct cluster_source {
	struct err problem; /* why there is none, or not every watch is begun */
	uint64_t again_ns;  /* clock_ns: then it is tried again */
	bool begun;         /* every watch is */
	struct err discovery_problem;
};

struct cluster_share {
	struct json_pick pick; /* what is read of objects that other shards report */
	struct arena arena;    /* of the pick */
	struct arena partial;  /* scratch */
	bool names;            /* components count on what they name */
	bool compares;         /* what some of them match is found out by comparison */
	bool dependents;       /* rules read what objects own */
};

struct cluster_speculate {
	size_t tried, good, slow;
	uint64_t inspected_by;         /* the edition of the inspection rules that looked ahead; 0: none did */
	SLIST_HEAD(, speculator) idle; /* that no thread has */
};

struct cluster_judge {
	struct work_queue queue;
	struct tombstones gone;
	uint64_t progress;           /* turns that judged an object, and objects ended */
	uint64_t retry_ns;           /* when objects that could not be judged are judged again; 0: there are none */
	uint64_t component_cause_ns; /* reception of the event that made components due */
};

struct cluster_releases {
	struct cluster_kind *kinds[HELM_DRIVERS]; /* in which Helm keeps them; NULL: no reference is of those */
	struct release_book **books;              /* by reference; NULL: it is of something else, or there is none */
	uint64_t next_ns;                         /* clock_ns before which nothing is put in force again */
	bool adopted;                             /* what is in force is another cluster's, and stays so */
};

struct cluster_patterns {
	struct err why; /* not all kinds that rules name by pattern are known; code 0: they are */
	bool many_reported;
};

struct cluster_gaps {
	char shard[SHARD_TEXT_SIZE];
	uint64_t up_since_ns, down_since_ns;   /* as cluster_tick saw it; one of them is 0 */
	uint64_t patterns_since_ns;            /* since when not all kinds by pattern are known; 0: they are */
	bool down_reported, patterns_reported; /* as a gap */
};

struct cluster_missed {
	int64_t last_life_usec; /* its end, if anything was seen in it; 0: there was none */
	struct time_span span;  /* within which those objects changed that are marked so */
	bool by_components;     /* one of them counts in a component */
	bool to_test;           /* the process did not run: the source is to test its watches */
};

struct cluster_state_seen {
	enum cluster_state state; /* as it was looked at last */
	uint64_t since_ns;        /* uv_hrtime; 0: it was not yet */
};

struct cluster_closing {
	uv_idle_t releasing; /* when there is no source any more */
	struct snapshot_drain drain;
	void (*closed)(void *ctx);
	void *ctx;
};

struct cluster {
	struct cluster_context context;
	struct cfg *cfg;
	const struct cfg_cluster *config; /* of @cfg */
	enum cluster_phase phase;
	struct watch_source *source; /* NULL: none could be made yet */
	struct snapshot snapshot;
	struct watch_plan plan;
	VEC(struct cluster_kind *) kinds; /* never fewer */
	struct cluster_kind *definitions; /* one of them; NULL: no kind may come from one */
	struct reference_judge *references;
	size_t n_references;
	struct rule_judge *rules;
	struct watch_inspector *inspector; /* NULL: nothing is inspected */
	uint64_t arrivals[ARRIVAL_OUTCOMES];
	struct cluster_source connection;
	struct cluster_share share;
	struct cluster_speculate speculate;
	struct cluster_judge judging;
	struct cluster_patterns patterns;
	struct cluster_releases releases;
	struct cluster_gaps gaps;
	struct cluster_missed missed;
	struct cluster_state_seen seen;
	struct cluster_closing closing;
};

/* ---- cluster.c ---- */

struct judge_context cluster_judge_context(struct cluster *c);

/* ---- cluster_source.c ---- */

/* Make the source and begin the watches, as far as that can be done. Without a source the cluster stays, is reported as
 * a gap, and is tried again. */
void cluster_connect(struct cluster *c);
/* Begin those that are not begun yet. Fails: ENOMEM; what the source's watch_add fails with. */
CHECKED int cluster_begin_watches(struct cluster *c, struct err *err);
/* Why not every watch is begun; NULL: every one is. */
const struct err *cluster_connect_problem(const struct cluster *c);
/* Try again, if it is time. */
void cluster_connect_again(struct cluster *c, uint64_t now_ns);
const struct err *cluster_discovery_problem(const struct cluster *c); /* NULL: none was met */

/* ---- cluster_share.c ---- */

/* What an object is for this process. */
struct object_share {
	bool kept;
	enum object_role role;
};

/* When references and rules are there. cluster_done_share is due in any case. Fails: ENOMEM. */
CHECKED int cluster_init_share(struct cluster *c, struct err *err);
void cluster_done_share(struct cluster *c);
struct object_share cluster_share_of(struct cluster *c, const struct kind *k, const struct kc_object *e);
/* Whether a foreign object counts as it did now that it is @e, which is offered before it is decoded, and is needed for
 * nothing else. */
bool cluster_counts_as_before(struct cluster *c, const struct object *o, const struct kc_object *e);

/* ---- cluster_kinds.c ---- */

/* Make the kinds and watches of the plan; one more, with the watches of @scopes. Fails: ENOMEM. */
CHECKED int cluster_plan_kinds(struct cluster *c, struct err *err);
CHECKED int cluster_add_kind(struct cluster *c, str api_version, str name, const struct planned_kind *plan,
			     struct cluster_kind **ret, struct err *err);
CHECKED int cluster_plan_watches(struct cluster_kind *k, const struct planned_kind *plan, struct err *err);
/* Stop watching the kind. Its objects are gone, because of @why. */
void cluster_drop_kind(struct cluster_kind *k, enum end_reason why);
void cluster_free_kinds(struct cluster *c);
struct cluster_kind *cluster_kind_of(const struct cluster *c, const struct kind *k); /* NULL: not watched */
bool cluster_kind_absent(const struct cluster_kind *k);
bool cluster_all_resolved(const struct cluster *c);
bool cluster_all_known(const struct cluster *c);
/* The first watch that is not resolved; NULL: all are. */
const struct cluster_watch *cluster_unresolved(const struct cluster *c);
/* Name the kinds that the server does not have, once: one may be misspelled. */
void cluster_report_missing(const struct cluster *c);
/* What a watch of @k says has changed what is known. */
void cluster_kind_changed(struct cluster_kind *k);
/* What is known of several of them has changed. */
void cluster_kinds_changed(struct cluster *c);
/* A round of discovery has ended. @ctx: the cluster. */
void cluster_discovered(void *ctx);

/* ---- cluster_patterns.c ---- */

/* Before the first discovery. */
void cluster_await_patterns(struct cluster *c);
/* Discovery has completed: watch what the patterns of the rules find now. */
void cluster_find_kinds(void *ctx);                 /* the cluster */
bool cluster_awaits_definition(void *ctx, val crd); /* @ctx: the cluster */
/* Why not all of them are known; NULL: they are. */
const struct err *cluster_patterns_problem(const struct cluster *c);
bool cluster_patterns_resolved(const struct cluster *c); /* or that is reported */

/* ---- cluster_releases.c ---- */

/* When the kinds are planned; cluster_free_releases is due in any case. Fails: ENOMEM. */
CHECKED int cluster_init_releases(struct cluster *c, struct err *err);
void cluster_free_releases(struct cluster *c);
bool cluster_has_releases(const struct cluster *c);
/* A Secret of Helm's has come, changed or gone. */
void cluster_releases_arrive(struct cluster_kind *k, const struct kc_object *e);
/* Put in force what the releases that are known say, when all of them are and no thread looks ahead. */
void cluster_releases_work(struct cluster *c);
/* Called about once a second. */
void cluster_tick_releases(struct cluster *c);

/* ---- judges.c ---- */

size_t judges_count(const struct cluster *c);
/* Judge the open object by one of them. Fails: ENOMEM: it is to be judged again. */
CHECKED int judges_judge(struct cluster *c, size_t judge, struct object *o, struct err *err);
/* Whether all that they have made of the object stands now that it is *e: nothing that counted has changed.
 * reference_judge_still_valid says what becomes of *e. */
bool judges_still_valid(struct cluster *c, struct object *o, struct kc_object *e);
/* Whether the verdict of the references on the object, which has not been judged, is all that may be reported of it. */
bool judges_may_look_ahead(const struct cluster *c, const struct object *o);
/* The object has changed: judge again every object whose verdict looked it up. */
void judges_changed(struct cluster *c, const struct object *o);
/* The next verdict counts, whether the object has changed or not. */
void judges_forget_seen(struct cluster *c, struct object *o);
/* Do not judge the object, for @reason. Its findings stay. *reported: some judge reports the reason. Fails: ENOMEM,
 * after all judges were asked: the object is to be tried again, and *reported holds what the other judges do. */
CHECKED int judges_refuse(struct cluster *c, struct object *o, const char *reason, bool *reported);
/* The object is gone: judges_forget ends its findings. judges_release frees what the judges hold of the object, and
 * ends no finding. */
void judges_forget(struct cluster *c, struct object *o);
void judges_release(struct cluster *c, struct object *o);

/* ---- cluster_judge.c ---- */

/* Put the object into the work queue, unless it waits there already. */
void cluster_enqueue(struct cluster *c, struct object *o);
/* The object is gone, because of @why: out of the snapshot now, its findings end in turn. */
void cluster_add_tombstone(struct cluster *c, struct object *o, enum end_reason why, uint64_t received_ns);
/* The same of all objects of the kind; what concerns each of them is done in turn too. */
void cluster_add_tombstones(struct cluster *c, struct kind *k, enum end_reason why);
bool cluster_has_gone(const struct cluster *c); /* some of them are not ended yet */
/* While there is any: the next of them (tombstones_take). */
struct object *cluster_take_gone(struct cluster *c);
void cluster_release_object(void *ctx, struct object *o); /* @ctx: the cluster */
void cluster_validate_again(void *ctx, struct kind *k);
bool cluster_is_idle(const struct cluster *c); /* no object waits, and none that is gone */
/* Judge again what could not be judged, when it is time. */
void cluster_retry(struct cluster *c, uint64_t now_ns);

/* ---- cluster_sweep.c ---- */

/* End the findings of an earlier process that were not seen again, for the reason that there is. False: the time is
 * up. */
bool cluster_sweep(struct cluster *c, uint64_t until_ns);

/* ---- cluster_speculate.c ---- */

/* The object has come as @e: reach its verdict now if nothing would be reported of it, and no thread has tried. True:
 * the verdict is reached, and there is nothing to report. */
bool cluster_speculate(struct cluster *c, struct object *o, const struct kc_object *e);
/* The same of one that was only made, and that a thread has looked at (e->prepared): it is what @e says from now on.
 * False: that does not count any more, and nothing is known of it. */
bool cluster_take_speculation(struct cluster *c, struct object *o, const struct kc_object *e);
/* No thread has something to look at. */
void cluster_forget_hands(struct cluster *c);
extern const struct kc_prepare cluster_prepare; /* ctx: the struct cluster_watch */
/* The turn of one that was OBJECT_SPECULATED has come: whether that counts still. */
bool cluster_speculated(const struct cluster *c, const struct object *o);

/* ---- cluster_inspect.c ---- */

/* Fails: ENOMEM. */
CHECKED int cluster_init_inspector(struct cluster *c, struct err *err);
/* Inspections may be reported from now on, or must not be any more. */
bool cluster_inspects(const struct cluster *c);
/* Whether @o need not be inspected again, as far as its references do not say otherwise. */
bool cluster_inspection_still_valid(const struct cluster *c, const struct object *o);
/* The edition of the rules in force, if they read nothing but the object: by those it can be inspected ahead of its
 * turn. 0: it cannot. */
uint64_t cluster_inspects_ahead_by(const struct cluster *c);
/* Inspect an object that no reference is for. True: nothing is found and done, as far as it is not inspected under a
 * reference. */
bool cluster_inspect_ahead(struct cluster *c, struct object *o);
/* Whether all inspections of the object found nothing when it was inspected last. */
bool cluster_found_nothing(const struct cluster *c, const struct object *o);
/* What has happened to the object was inspected, or there is nothing to inspect it by. */
void cluster_effects_done(struct cluster *c, struct object *o);
/* The object is about to change or to go; it has come or changed: what looked at it is inspected again. */
void cluster_inspect_before(struct cluster *c, struct object *o);
void cluster_inspect_after(struct cluster *c, struct object *o);
/* Something happened to the object: the effects of its next inspection count. */
void cluster_effects_due(struct cluster *c, struct object *o, enum object_event event);
/* The same of one that was deleted, and was @last then; NULL: as it is known. */
void cluster_inspect_deleted(struct cluster *c, struct object *o, struct doc *last);
/* Inspect an object that no reference is for; nothing for others. Fails: ENOMEM. */
CHECKED int cluster_inspect(struct cluster *c, struct object *o, struct err *err);
/* The object is gone. Inspect it a last time if it was deleted, and end the findings that inspection made about it. */
void cluster_inspect_gone(struct cluster *c, struct object *o);
/* Called about once a second. */
void cluster_inspect_tick(struct cluster *c);

/* ---- cluster_watch.c: changes the state of a watch, and says whether its gap has ended ---- */

void cluster_watch_lists(struct cluster_watch *w);
void cluster_watch_listed(struct cluster_watch *w); /* the list is complete */
void cluster_watch_works(struct cluster_watch *w);
void cluster_watch_failed(struct cluster_watch *w, bool forbidden, const struct err *why);
void cluster_watch_absent(struct cluster_watch *w); /* the server does not have the kind */
void cluster_watch_ends(struct cluster_watch *w);   /* nobody needs it any more */
/* The process did not run for a while: nothing proves that it watches, because of @why. */
void cluster_watch_woke(struct cluster_watch *w, const struct err *why);

/* ---- cluster_gaps.c ---- */

void cluster_init_gaps(struct cluster *c);
/* What the subject of a gap says of the process. */
str cluster_gap_shard(const struct cluster *c);
bool cluster_down_is_reported(const struct cluster *c);
bool cluster_patterns_are_reported(const struct cluster *c);
/* End the gap of the watch, unless something is wrong with it still. */
void cluster_watch_end_gap(struct cluster_watch *w);
/* What the account may not do, as the server says it: a gap also while the watch still works. */
void cluster_watch_denied(struct cluster_watch *w, unsigned denied);
/* A template whose kind cannot be asked for, because its apiVersion varies. */
CHECKED int cluster_report_unwatchable(struct cluster *c, const struct ref_template *t, struct err *err);

/* ---- cluster_versions.c ---- */

/* What is known of the kind has changed. */
void cluster_note_versions(struct cluster_kind *k);

/* ---- cluster_state.c ---- */

/* Nothing has proved for too long that the watch works (kubeclient/kc_evidence.h): what was known of its objects may
 * not be so any more. Never of one that was not listed yet. */
bool cluster_watch_stale(const struct cluster_watch *w);
/* One of its watches is; NULL: none. */
const struct cluster_watch *cluster_stale(const struct cluster *c);

/* Remember since when the state is as it is now. */
void cluster_note_state(struct cluster *c);

/* ---- cluster_missed.c ---- */

/* The watch has stopped: what happens from now on is seen late, if at all. */
void cluster_watch_stops(struct cluster_watch *w);
/* cluster_watch_resumes: the watch goes on where it had stopped, and the events that it missed follow.
 * cluster_watch_caught_up: everything was listed again, so that nothing is missing. */
void cluster_watch_resumes(struct cluster_watch *w);
void cluster_watch_caught_up(struct cluster_watch *w);
/* Whether an event of now is one that was missed. */
bool cluster_watch_missed(struct cluster_watch *w);
/* The watch was heard since the process ran again: what was assumed of it is over. Called about once a second. */
void cluster_watch_heard(struct cluster_watch *w);
/* What is found until the next call is because of the object; NULL: of none. */
void cluster_report_because(struct cluster *c, const struct object *o);
/* The same of what components are found to lack: because of any object since the last cluster_forget_missed. */
void cluster_report_because_of_components(struct cluster *c);
/* Nothing is left that was missed. */
void cluster_forget_missed(struct cluster *c);
/* When the last life ended (Unix time): what is new may be so since then. 0: there was none. */
int64_t cluster_last_life(const struct cluster *c);
void cluster_init_missed(struct cluster *c);
/* After the process did not run: discovery may be as old as a watch. */
void cluster_test_again(struct cluster *c);

/* ---- cluster_arrival.c ---- */

/* The object, of a kind that is kept, is what @e says from now on. */
void cluster_arrive(struct cluster_watch *w, const struct kc_object *e);
/* kc_handler.unseen and kc_handler.unneeded, of a kind that defines none. */
bool cluster_passes_unseen(struct cluster_watch *w, const struct kc_object *e);
bool cluster_passes_unneeded(const struct cluster_watch *w, const struct kc_object *e);
/* kc_handler.find and kc_handler.absent, of the same. */
bool cluster_finds(const struct cluster_watch *w, str key, struct kc_known *ret);
CHECKED int cluster_list_absent(const struct cluster_watch *w, uint32_t list, struct kc_knowns *ret, struct err *err);

/* ---- cluster_events.c ---- */

extern const struct kc_handler cluster_handler; /* ctx: the struct cluster_watch */

#endif
