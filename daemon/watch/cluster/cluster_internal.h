/* What the files of a cluster share: its state, and the functions that they call in each other. */
#ifndef DAEMON_WATCH_CLUSTER_INTERNAL_H
#define DAEMON_WATCH_CLUSTER_INTERNAL_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/cluster/tombstones.h"
#include "daemon/watch/cluster/work_queue.h"
#include "daemon/watch/process/awake.h"
#include "daemon/watch/releases/release_book.h"
#include "value/json_pick.h"

/* How far a cluster has come since its watching began:
 *
 *   LISTING --every watch was resolved once--> JUDGING --all is judged--> LIVE
 *
 * "All is judged" includes that findings of an earlier process which were not seen again have ended. */
enum cluster_phase { CLUSTER_LISTING, CLUSTER_JUDGING, CLUSTER_LIVE };

/* The parts of a cluster: each is read and changed by the file that it is named after, and by no other
 * (tests/layering/check-includes). */

struct cluster_source {
	struct err problem; /* why there is no source, or not every watch has begun */
	uint64_t again_ns;  /* when to try again (clock_ns) */
	bool begun;         /* every watch has begun */
	struct err discovery_problem;
};

struct cluster_share {
	struct json_pick pick; /* what is read of objects that other shards report */
	struct arena arena;    /* memory of the pick */
	struct arena partial;  /* scratch memory for parts of objects */
	bool names;            /* components depend on the names that the objects contain */
	bool compares;         /* some objects have to be compared to know what they match */
	bool dependents;       /* inspection rules read the dependents of objects */
};

struct cluster_speculate {
	size_t tried, good, slow;
	size_t known, unknown; /* objects of which threads knew, or did not, that an inspection would find nothing */
	uint64_t inspected_by; /* the edition of the inspection rules that were applied ahead; 0: none were */
	SLIST_HEAD(, speculator) idle; /* speculators that no thread uses */
};

struct cluster_judge {
	struct work_queue queue;
	struct tombstones gone;
	uint64_t progress;           /* number of turns that judged an object, and of objects whose findings ended */
	uint64_t retry_ns;           /* when to judge the objects again that could not be judged; 0: there are none */
	uint64_t component_cause_ns; /* when the event arrived that made the components due */
};

struct cluster_releases {
	/* the kinds in which Helm keeps releases; an entry that is NULL: no reference needs it */
	struct cluster_kind *kinds[HELM_DRIVERS];
	struct release_book **books; /* by reference; NULL: the reference is not made of releases */
	uint64_t next_ns;            /* clock_ns before which no releases are put in force again */
	bool adopted;                /* the releases in force are those of another cluster, and stay so */
};

struct cluster_patterns {
	struct err why; /* why not all kinds that rules name by pattern are known; code 0: they are */
	bool many_reported;
};

struct cluster_gaps {
	char shard[SHARD_TEXT_SIZE];
	/* since when the server answers, or does not, as of the last tick; one of them is 0 */
	uint64_t up_since_ns, down_since_ns;
	/* since when some kinds that rules name by pattern are unknown; 0: all are known */
	uint64_t patterns_since_ns;
	bool down_reported, patterns_reported; /* a gap reports that the server is down, or that kinds are unknown */
};

struct cluster_missed {
	int64_t last_life_usec; /* when the process before this one ended, if it saw the cluster; 0: there was none */
	struct time_span span;  /* the time in which those objects changed that are marked as missed */
	bool by_components;     /* one of the objects that are marked as missed counts for a component */
	bool to_test;           /* the process did not run for a while: the source has to test its watches */
};

struct cluster_state_seen {
	enum cluster_state state; /* the state when cluster_note_state looked last */
	uint64_t since_ns;        /* since when the cluster is in this state (uv_hrtime); 0: nobody has looked yet */
};

struct cluster_closing {
	uv_idle_t releasing; /* releases the objects, after the source is closed */
	struct snapshot_drain drain;
	void (*closed)(void *ctx);
	void *ctx;
};

struct cluster {
	struct cluster_context context;
	struct cfg *cfg;
	const struct cfg_cluster *config; /* the cluster's entry in @cfg */
	enum cluster_phase phase;
	struct watch_source *source; /* NULL: no source could be made yet */
	struct snapshot snapshot;
	struct watch_plan plan;
	VEC(struct cluster_kind *) kinds; /* kinds are added and never removed */
	/* the kind CustomResourceDefinition; NULL: no watched kind may come from one */
	struct cluster_kind *definitions;
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

/* Make the source and begin the watches, as far as possible. A cluster without a source stays, is reported as a gap,
 * and is tried again. */
void cluster_connect(struct cluster *c);
/* Begin the watches that have not begun yet. Fails: ENOMEM; as watch_add of the source. */
CHECKED int cluster_begin_watches(struct cluster *c, struct err *err);
/* Why not every watch has begun; NULL: all have. */
const struct err *cluster_connect_problem(const struct cluster *c);
/* Try again, if it is time. */
void cluster_connect_again(struct cluster *c, uint64_t now_ns);
/* Why discovery has failed; NULL: no problem was met. */
const struct err *cluster_discovery_problem(const struct cluster *c);

/* ---- cluster_share.c ---- */

/* What this process does with an object. */
struct object_share {
	bool kept;
	enum object_role role;
};

/* Must be called when references and rules exist. cluster_done_share must be called also after a failure. Fails:
 * ENOMEM. */
CHECKED int cluster_init_share(struct cluster *c, struct err *err);
void cluster_done_share(struct cluster *c);
struct object_share cluster_share_of(struct cluster *c, const struct kind *k, const struct kc_object *e);
/* Whether an object of another shard counts as before when it becomes @e, which is not decoded yet, and is not
 * needed by this process for anything else. */
bool cluster_counts_as_before(struct cluster *c, const struct object *o, const struct kc_object *e);

/* ---- cluster_kinds.c ---- */

/* cluster_plan_kinds: make the kinds and watches of the cluster's plan. The next function: make one more kind with
 * its watches. The last: make the watches of a kind, one for each of @plan->scopes. All fail with ENOMEM. */
CHECKED int cluster_plan_kinds(struct cluster *c, struct err *err);
CHECKED int cluster_add_kind(struct cluster *c, str api_version, str name, const struct planned_kind *plan,
			     struct cluster_kind **ret, struct err *err);
CHECKED int cluster_plan_watches(struct cluster_kind *k, const struct planned_kind *plan, struct err *err);
/* Stop watching the kind. Its objects are removed, because of @why. */
void cluster_drop_kind(struct cluster_kind *k, enum end_reason why);
void cluster_free_kinds(struct cluster *c);
/* NULL: the kind is not watched */
struct cluster_kind *cluster_kind_of(const struct cluster *c, const struct kind *k);
bool cluster_kind_absent(const struct cluster_kind *k);
bool cluster_all_resolved(const struct cluster *c);
bool cluster_all_known(const struct cluster *c);
/* The first watch that is not resolved; NULL: all are. */
const struct cluster_watch *cluster_unresolved(const struct cluster *c);
/* Report the kinds that the server does not have, once: a name may be misspelled. */
void cluster_report_missing(const struct cluster *c);
/* A watch of @k has reported something that changes what is known of the kind. */
void cluster_kind_changed(struct cluster_kind *k);
/* What is known of several kinds has changed. */
void cluster_kinds_changed(struct cluster *c);
/* A round of discovery has ended. @ctx: the cluster. */
void cluster_discovered(void *ctx);

/* ---- cluster_patterns.c ---- */

/* Must be called before the first discovery. */
void cluster_await_patterns(struct cluster *c);
/* Discovery has completed: watch the kinds that the patterns of rules match now. @ctx: the cluster. */
void cluster_find_kinds(void *ctx);                 /* the cluster */
bool cluster_awaits_definition(void *ctx, val crd); /* @ctx: the cluster */
/* Why not all kinds that rules name by pattern are known; NULL: they are. */
const struct err *cluster_patterns_problem(const struct cluster *c);
bool cluster_patterns_resolved(const struct cluster *c); /* also true when a gap reports the problem */

/* ---- cluster_releases.c ---- */

/* Must be called when the kinds are planned. cluster_free_releases must be called also after a failure. Fails:
 * ENOMEM. */
CHECKED int cluster_init_releases(struct cluster *c, struct err *err);
void cluster_free_releases(struct cluster *c);
bool cluster_has_releases(const struct cluster *c);
/* A Secret in which Helm keeps a release was added, changed or removed. */
void cluster_releases_arrive(struct cluster_kind *k, const struct kc_object *e);
/* Put the known releases in force, when all are known and no thread is speculating. */
void cluster_releases_work(struct cluster *c);
/* Called about once a second. */
void cluster_tick_releases(struct cluster *c);

/* ---- judges.c ---- */

/* Judge the open object by at least one judge; each may take as long as a turn of the loop may last. An object that
 * a judge fails on is judged again later. False: the time is up before all judges are done. */
bool judges_judge(struct cluster *c, struct object *o, uint64_t until_ns);
/* Whether the results of all judges are still valid when the object becomes *e, because nothing that they saw has
 * changed. reference_judge_still_valid says what happens to *e. */
bool judges_still_valid(struct cluster *c, struct object *o, struct kc_object *e);
/* Whether the references alone can report something of the object, which has not been judged. */
bool judges_may_look_ahead(const struct cluster *c, const struct object *o);
/* The object has changed: judge every object again whose verdict looked it up. */
void judges_changed(struct cluster *c, const struct object *o);
/* Reach the next verdict on the object even if the object has not changed. */
void judges_forget_seen(struct cluster *c, struct object *o);
/* Do not judge the object, for @reason. Its findings stay. *reported: some judge reports the reason. Fails: ENOMEM,
 * after all judges were asked; then the object has to be tried again. */
CHECKED int judges_refuse(struct cluster *c, struct object *o, const char *reason, bool *reported);
/* The object is gone: judges_forget ends its findings. judges_release frees what the judges hold of the object, and
 * ends no finding. */
void judges_forget(struct cluster *c, struct object *o);
void judges_release(struct cluster *c, struct object *o);

/* ---- cluster_judge.c ---- */

/* Put the object into the work queue, unless it waits there already. */
void cluster_enqueue(struct cluster *c, struct object *o);
/* The object is gone, because of @why: it leaves the snapshot now, and its findings end later, in turn. */
void cluster_add_tombstone(struct cluster *c, struct object *o, enum end_reason why, uint64_t received_ns);
/* Add tombstones for all objects of the kind; their findings end one object after the other. */
void cluster_add_tombstones(struct cluster *c, struct kind *k, enum end_reason why);
bool cluster_has_gone(const struct cluster *c); /* some tombstones are left */
/* Take the next tombstone; there must be one (tombstones_take). */
struct object *cluster_take_gone(struct cluster *c);
void cluster_release_object(void *ctx, struct object *o); /* @ctx: the cluster */
void cluster_validate_again(void *ctx, struct kind *k);
bool cluster_is_idle(const struct cluster *c); /* no object is pending, and no tombstone is left */
/* Judge the object again after a while, because it could not be judged. */
void cluster_judge_later(struct cluster *c, struct object *o);
/* Judge the objects again that could not be judged, when it is time. */
void cluster_retry(struct cluster *c, uint64_t now_ns);

/* ---- cluster_sweep.c ---- */

/* End the findings of an earlier process that were not seen again, each for its reason. False: the time is up. */
bool cluster_sweep(struct cluster *c, uint64_t until_ns);

/* ---- cluster_speculate.c ---- */

/* The object has arrived as @e: reach its verdict now if nothing would be reported of it, and no thread has tried.
 * True: the verdict is reached, and there is nothing to report. */
bool cluster_speculate(struct cluster *c, struct object *o, const struct kc_object *e);
/* Take the verdict that a thread has speculated for a new object (e->prepared): the object becomes @e. False: the
 * verdict does not count any more, and the object is not judged. */
bool cluster_take_speculation(struct cluster *c, struct object *o, const struct kc_object *e);
/* Free the speculators of all threads, when no thread speculates. */
void cluster_forget_hands(struct cluster *c);
extern const struct kc_prepare cluster_prepare; /* ctx: the struct cluster_watch */
/* Whether the verdict of an object that was OBJECT_SPECULATED still counts, now that the object's turn has come. */
bool cluster_speculated(const struct cluster *c, const struct object *o);

/* ---- cluster_inspect.c ---- */

/* Fails: ENOMEM. */
CHECKED int cluster_init_inspector(struct cluster *c, struct err *err);
/* Whether inspections may be reported now. */
bool cluster_inspects(const struct cluster *c);
/* Whether @o need not be inspected again, as far as the cluster knows: one of its references may still need an
 * inspection. */
bool cluster_inspection_still_valid(const struct cluster *c, const struct object *o);
/* The edition of the inspection rules in force, if they read the object only, so that they can be applied before the
 * object's turn. 0: they cannot. */
uint64_t cluster_inspects_ahead_by(const struct cluster *c);
/* Inspect an object that no reference is for, before its turn. True: the inspection finds nothing and does nothing.
 * Inspections under a reference are begun elsewhere. */
bool cluster_inspect_ahead(struct cluster *c, struct object *o);
/* Note that an inspection of the object is known to find nothing, and to do nothing. */
void cluster_inspected_ahead(struct cluster *c, struct object *o);
/* Whether none of the object's last inspections found anything. */
bool cluster_found_nothing(const struct cluster *c, const struct object *o);
/* Note that the last event of the object was inspected, or that there are no rules for that. */
void cluster_effects_done(struct cluster *c, struct object *o);
/* cluster_inspect_before: the object is about to change or to be removed. cluster_inspect_after: it was added or has
 * changed. The owners whose inspection looked at the object are inspected again. */
void cluster_inspect_before(struct cluster *c, struct object *o);
void cluster_inspect_after(struct cluster *c, struct object *o);
/* Something happened to the object, so that its next inspection has effects. */
void cluster_effects_due(struct cluster *c, struct object *o, enum object_event event);
/* The object was deleted. @last: its last state; NULL: the state that is known. */
void cluster_inspect_deleted(struct cluster *c, struct object *o, struct doc *last);
/* Inspect an object that no reference is for; other objects are left alone. Fails: ENOMEM. */
CHECKED int cluster_inspect(struct cluster *c, struct object *o, struct err *err);
/* The object is gone. Inspect it a last time if it was deleted, and end the findings of its inspections. */
void cluster_inspect_gone(struct cluster *c, struct object *o);
/* Called about once a second. */
void cluster_inspect_tick(struct cluster *c);

/* ---- cluster_watch.c: changes the state of a watch, and ends its gap when nothing is wrong any more ---- */

void cluster_watch_lists(struct cluster_watch *w);
void cluster_watch_listed(struct cluster_watch *w); /* the list is complete */
void cluster_watch_works(struct cluster_watch *w);
void cluster_watch_failed(struct cluster_watch *w, bool forbidden, const struct err *why);
void cluster_watch_absent(struct cluster_watch *w); /* the server does not have the kind */
void cluster_watch_ends(struct cluster_watch *w);   /* nobody needs the watch any more */
/* The process did not run for a while: the watch fails with @why until it proves to work. */
void cluster_watch_woke(struct cluster_watch *w, const struct err *why);

/* ---- cluster_gaps.c ---- */

void cluster_init_gaps(struct cluster *c);
/* The shard in the subject of a gap. */
str cluster_gap_shard(const struct cluster *c);
bool cluster_down_is_reported(const struct cluster *c);
bool cluster_patterns_are_reported(const struct cluster *c);
/* End the gap of the watch, unless something is still wrong with it. */
void cluster_watch_end_gap(struct cluster_watch *w);
/* Note what the server says the account may not do. That is a gap even while the watch still works. */
void cluster_watch_denied(struct cluster_watch *w, unsigned denied);
/* Report a template whose kind cannot be asked for, because its apiVersion is not constant. */
CHECKED int cluster_report_unwatchable(struct cluster *c, const struct ref_template *t, struct err *err);

/* ---- cluster_versions.c ---- */

/* What is known of the kind has changed: note whether the server has it in other versions only. */
void cluster_note_versions(struct cluster_kind *k);

/* ---- cluster_state.c ---- */

/* Whether nothing has proved for too long that the watch works (kubeclient/kc_evidence.h), so that its objects may
 * have changed. False for a watch that was not listed yet. */
bool cluster_watch_stale(const struct cluster_watch *w);
/* A watch that is stale; NULL: none is. */
const struct cluster_watch *cluster_stale(const struct cluster *c);

/* Note since when the cluster is in its present state. */
void cluster_note_state(struct cluster *c);

/* ---- cluster_missed.c ---- */

/* The watch has stopped: from now on events are seen late or never. */
void cluster_watch_stops(struct cluster_watch *w);
/* cluster_watch_resumes: the watch goes on where it had stopped, and the events that it missed follow.
 * cluster_watch_caught_up: nothing is missing.
 * cluster_watch_list_begins, cluster_watch_list_ends: everything is listed again. */
void cluster_watch_resumes(struct cluster_watch *w);
void cluster_watch_caught_up(struct cluster_watch *w);
void cluster_watch_list_begins(struct cluster_watch *w);
void cluster_watch_list_ends(struct cluster_watch *w);
/* Whether an event that arrives now is one that was missed. */
bool cluster_watch_missed(struct cluster_watch *w);
/* End the assumption that the watch fails, if it has proved to work since the process ran again. Called about once a
 * second. */
void cluster_watch_heard(struct cluster_watch *w);
/* Findings until the next call are caused by the object, and are reported with the time in which it changed if that
 * was missed. NULL: no object causes them. */
void cluster_report_because(struct cluster *c, const struct object *o);
/* What components are found to lack may be caused by any object that was missed since the last
 * cluster_forget_missed. */
void cluster_report_because_of_components(struct cluster *c);
/* Forget the time of the missed events: none of them waits any more. */
void cluster_forget_missed(struct cluster *c);
/* When the process before this one ended (Unix time): what is new may have existed since then. 0: there was none. */
int64_t cluster_last_life(const struct cluster *c);
void cluster_init_missed(struct cluster *c);
/* The process did not run for a while: test discovery too, which may be as outdated as a watch. */
void cluster_test_again(struct cluster *c);

/* ---- cluster_arrival.c ---- */

/* An object of a kind that the snapshot keeps becomes @e. */
void cluster_arrive(struct cluster_watch *w, const struct kc_object *e);
/* The functions kc_handler.unseen and kc_handler.unneeded, for kinds that define none of their own. */
bool cluster_passes_unseen(struct cluster_watch *w, const struct kc_object *e);
bool cluster_passes_unneeded(const struct cluster_watch *w, const struct kc_object *e);
/* The functions kc_handler.find and kc_handler.absent, for the same kinds. */
bool cluster_finds(const struct cluster_watch *w, str key, struct kc_known *ret);
CHECKED int cluster_list_absent(const struct cluster_watch *w, uint32_t list, struct kc_knowns *ret, struct err *err);

/* ---- cluster_events.c ---- */

extern const struct kc_handler cluster_handler; /* ctx: the struct cluster_watch */

#endif
