/* One watched cluster: its source, the watches its references need, the snapshot, and the queue of objects to judge.
 *
 * Reading never waits for judging: an event only updates the snapshot and puts its object into the queue, where later
 * events of the same object replace it. cluster_work takes from the queue for a few milliseconds at a time.
 *
 * Unknown is never empty. A kind is known when all of it that is needed was listed, or when discovery says that there
 * is none; a watch is resolved when its part is known, or was reported as a gap. Nothing is judged before every watch
 * is resolved, and what depends on a kind that is not known (a component, a look-up) is unknown: it neither begins nor
 * ends anything. */
#ifndef DAEMON_WATCH_CLUSTER_H
#define DAEMON_WATCH_CLUSTER_H

#include "base/shard.h"
#include "daemon/watch/cluster/arrival.h"
#include "daemon/watch/reference/reference_judge.h"
#include "daemon/watch/rules/rule_judge.h"
#include "daemon/watch/snapshot/watch_inspector.h"
#include "daemon/watch/source/source.h"
#include "daemon/watch/source/watch_plan.h"
#include "kubeclient/kc_key_store.h"

struct cluster;
struct release_book; /* releases/release_book.h */
struct crash_marker; /* crash_marker.h */
struct awake;        /* awake.h */
struct nap;

struct cluster_context {
	uv_loop_t *loop;
	struct sink *sink;
	struct findings *findings;
	struct key_table *keys;
	const struct limits *limits;
	const struct source_maker *source;     /* NULL: the API server that the kubeconfig names */
	const struct kc_tuning *tuning;        /* NULL: the default */
	struct kc_pace *pace;                  /* of the loop; outlives the cluster. NULL: it has one of its own */
	struct crash_marker *crash_marker;     /* NULL: nobody notes what is judged */
	struct awake *awake;                   /* looked at before an event counts. NULL: the process always runs */
	const struct acceptances *acceptances; /* NULL: nothing is accepted */
	const struct watch_inspector_maker *inspection; /* NULL: nothing is inspected */
	bool rehearsed;                                 /* inspections are silent */
	struct shard shard;                             /* which of its objects and components this process reports */
	void (*wake)(void *ctx);                        /* there is work for cluster_work */
	/* When the cluster was synced last, perhaps in an earlier life: Unix time, 0: never. May be NULL. */
	int64_t (*last_seen_usec)(void *ctx, str cluster);
	/* What was inspected of the cluster when it was left; the caller's. NULL: nothing is known. May be NULL. */
	struct inspected *(*inspected)(void *ctx, str cluster);
	void *ctx;
};

/* Start watching. It holds a reference to @cfg. A kubeconfig that cannot be used, or files that it names, are a gap,
 * and are looked at again by cluster_tick. Fails: ENOMEM. */
CHECKED int cluster_new(const struct cluster_context *context, struct cfg *cfg, const struct cfg_cluster *c,
			struct cluster **ret, struct err *err);
/* Whether it is what cluster_new would make of @config now, so that it may go on over a reload. */
bool cluster_is_unchanged(const struct cluster *c, const struct cfg *cfg, const struct cfg_cluster *config);
/* Whether @config leads to the same place, with the same credentials. */
bool cluster_goes_there(const struct cluster *c, const struct cfg_cluster *config);
/* Where its events come from; NULL: nowhere yet. */
const struct watch_source *cluster_source(const struct cluster *c);
/* Read the files of its credentials again now. */
void cluster_reread_credentials(struct cluster *c);
/* Closes the source and frees the cluster, then calls @closed from the loop. Findings stay, unconfirmed. */
void cluster_close(struct cluster *c, void (*closed)(void *ctx), void *ctx);

/* Whether the objects of other shards that today's rules need are kept. If not, nothing is judged until the cluster is
 * closed and made again. */
bool cluster_keeps_enough(const struct cluster *c);
/* Other shards report on the rest of it. */
bool cluster_is_shared(const struct cluster *c);

/* The one of @clusters that is called @name; NULL: there is none. */
struct cluster *cluster_find(struct cluster *const *clusters, size_t n, str name);

/* Append what was inspected of it (daemon/inspection/inspected.h), for who watches it next. */
void cluster_list_inspected(const struct cluster *c, struct buf *out);

/* Judge pending objects until @until_ns (uv_hrtime); true when there is more to do. */
bool cluster_work(struct cluster *c, uint64_t until_ns);
/* The same of @n clusters, one after the other from the one at *next on. *next becomes the first that had no time, so
 * that no cluster waits for more than one slice of each other one, however much these have to do. *next may be any
 * number. */
bool clusters_work(struct cluster *const *clusters, size_t n, size_t *next, uint64_t until_ns);

/* @x, a finding of an earlier process, was put among the findings after cluster_new: it is adopted like those that were
 * there. */
void cluster_recall(struct cluster *c, const struct finding *x);

/* Judge again what @x is about: another driftd may or may not have reported it. */
void cluster_judge_reported(struct cluster *c, const struct finding *x);

/* Whether @a may be about the object of @s, under one of its references. */
bool cluster_accepts_of(const struct cluster *c, const struct acceptance *a, const struct finding_subject *s);
/* Judge again what @a may be about: it accepts more than before, or less. */
void cluster_judge_accepted(struct cluster *c, const struct acceptance *a);

/* The process did not run meanwhile, as its owner's struct awake found, perhaps in a callback of this cluster's source.
 * What was known of the watches is no longer evidence, and they are tested at the next tick. Until a watch is heard it
 * counts as failing, and its events are reported with the time since which nothing watched. */
void cluster_woke(struct cluster *c, const struct nap *n);

/* Called about once a second: reports watches that have failed for a while. A short break is not reported, since
 * watching resumes where it stopped. */
void cluster_tick(struct cluster *c);

/* Whether everything is known and judged, so that "no drift" can be trusted, except for what is reported as a gap
 * since. */
bool cluster_synced(const struct cluster *c);
/* Whether nothing happens in it now that is not seen. */
bool cluster_seen(const struct cluster *c);
/* What the cluster still waits for, in a few words; "" when all that can be judged was judged once, or when the cluster
 * cannot be reached and a gap reports that. */
const char *cluster_waits_for(const struct cluster *c);
/* Whether it watches nothing, because its references are absent. */
bool cluster_lacks_references(const struct cluster *c);

/* ---- for people ---- */

/* How well it is watched, whatever waits to be judged: that it is synced now is what cluster_synced says. */
enum cluster_state {
	CLUSTER_UNREACHABLE,  /* the API server does not answer, or cannot be asked */
	CLUSTER_SYNCING,      /* not everything that is needed was listed and judged since the start */
	CLUSTER_PARTLY_BLIND, /* some of it is not watched now, or a gap is open */
	CLUSTER_SYNCED,
	CLUSTER_STATES,
};

enum cluster_state cluster_state(const struct cluster *c);
/* "degraded" */
const char *cluster_state_name(enum cluster_state s);
/* Unix time since which the cluster is in its state. When a gap reports the state, that is the begin of the gap, across
 * restarts. Otherwise it is as cluster_tick saw it, and begins again with each process, since nothing watched in
 * between. */
int64_t cluster_state_since(const struct cluster *c);
/* Append the reason, in a few words. */
void cluster_state_why(const struct cluster *c, struct buf *out);
/* When the watch whose evidence is the oldest was proved to work last (kubeclient/kc_evidence.h): Unix time, 0: one of
 * them never was, or there is none. */
int64_t cluster_evidence_usec(const struct cluster *c);
/* When the cluster was synced last, perhaps by an earlier process: Unix time, 0: never. */
int64_t cluster_last_seen(const struct cluster *c);

/* ---- for metrics ---- */

/* What a watch does (cluster_watch.c). */
enum watch_state {
	WATCH_WAITING,   /* for its first list, until there are a source, the kind, and its turn */
	WATCH_LISTING,   /* a list is under way */
	WATCH_WATCHING,  /* it works, as far as anybody knows: cluster_watch_stale */
	WATCH_FAILING,   /* it is tried again */
	WATCH_FORBIDDEN, /* the same: the account may not, or its credential is refused */
	WATCH_STATES,
};

/* What is known of its objects. */
enum watch_known {
	WATCH_UNKNOWN,
	WATCH_LISTED, /* a complete list was seen: the snapshot has it, if perhaps not its latest state */
	WATCH_ABSENT, /* the server does not have the kind: there are none */
};

/* One collection: a kind, or the part of it that is needed. */
struct cluster_watch {
	struct cluster_kind *of;
	struct watch_scope scope;
	struct source_watch *watch; /* NULL: there is no source yet */
	enum watch_state state;
	enum watch_known known;
	uint64_t since_ns;         /* clock_ns: in that state; of one that fails, since its first failure */
	unsigned denied;           /* what the account may not do: 1u << KC_LIST, 1u << KC_WATCH */
	bool lacking;              /* discovery lacks the kind, which is not known to be absent yet */
	bool reported;             /* that it fails, or will, as a gap */
	int64_t unseen_since_usec; /* Unix time; 0: nothing has happened that was not seen at once */
	uint64_t resumed_ns;       /* clock_ns at which it went on where it had stopped */
	uint64_t woke_ns;          /* clock_ns at which the process ran again; 0: it was heard since */
	struct err why;            /* of the last failure */
	double last_sync;          /* Unix time; 0: never */
};

struct cluster_kind {
	struct cluster *cluster;
	struct kind *kind;
	bool found;        /* rules name it by pattern only */
	bool kept;         /* of the plan or found, not only for definitions: the snapshot keeps its objects */
	bool defines;      /* CustomResourceDefinitions: they bring rules, and kinds that were absent */
	bool releases;     /* Secrets of Helm (cluster_releases.c): where they are not kept, no others are listed */
	bool misversioned; /* the server has it in other versions only (cluster_versions.c) */
	struct kc_key_store defined; /* of these two: what is, whether it is kept or not */
	struct cluster_watch *watches;
	size_t n_watches; /* 0: it was found once, and is not any more */
};

const char *cluster_watch_resource(const struct cluster_watch *w); /* of one that is begun */
const struct kc_watch_counters *cluster_watch_counters(const struct cluster_watch *w);
const char *cluster_watch_state_name(const struct cluster_watch *w); /* "watching", "absent" and so on */
bool cluster_watch_fails(const struct cluster_watch *w);
str cluster_name(const struct cluster *c);
const struct kc_counters *cluster_requests(const struct cluster *c);
bool cluster_up(const struct cluster *c); /* the API server answers */
/* The next kind that it offers; NULL: no more, or it is not known. Start with *at = 0. Valid until the loop runs. */
const struct kc_resource *cluster_offers(const struct cluster *c, size_t *at);
const struct reference_judge *cluster_judges(const struct cluster *c, size_t *n);
const struct rule_judge *cluster_rule_judge(const struct cluster *c);
struct cluster_kind *const *cluster_kinds(const struct cluster *c, size_t *n);
size_t cluster_objects(const struct cluster *c); /* that are kept, and reported by this process */
/* A kind that references or rules are about, and that the server does not have. */
bool cluster_kind_missing(const struct cluster_kind *k);
size_t cluster_queue_length(const struct cluster *c);
uint64_t cluster_arrivals(const struct cluster *c, enum arrival_outcome o);
/* Grows whenever cluster_work gets on. */
uint64_t cluster_progress(const struct cluster *c);

/* Before anything has come: judge by what @running has in force of the references of releases that both have with the
 * same settings, from now on; call @unknown for each other one. Fails: ENOMEM. */
CHECKED int cluster_adopt_releases(struct cluster *c, const struct cluster *running,
				   void (*unknown)(void *ctx, str reference), void *ctx, struct err *err);
/* The releases that cluster_judges()[@judge] is about; NULL: it is about none. */
const struct release_book *cluster_releases(const struct cluster *c, size_t judge);

/* ---- for who asks why ---- */

/* Call @each for every object of the kind with the name @name that this process reports on. An empty @namespace means
 * any namespace. */
void cluster_objects_called(const struct cluster_kind *k, str namespace, str name,
			    void (*each)(void *ctx, const struct object *o), void *ctx);
const struct object *cluster_object(const struct cluster_kind *k, str namespace, str name); /* NULL: it is not there */
/* As cluster_object, for the kind @kind of @api_version. NULL: there is no such kind or object. */
const struct object *cluster_find_object(const struct cluster *c, str api_version, str kind, str namespace, str name);
/* The labels of the object. They are in @a or valid until the loop goes on; VAL_ABSENT: the object has no labels.
 * Fails: ENOMEM. */
CHECKED int cluster_object_labels(struct cluster *c, const struct object *o, struct arena *a, val *ret,
				  struct err *err);
/* Who wrote the object last, and when. Writes through a subresource (status, scale) do not count, and neither do
 * changes that no verdict can see, which driftd may not have read. Texts are in @a. False: the writer is not known. */
bool cluster_object_written(struct cluster *c, const struct object *o, struct arena *a, struct blame *ret);
/* What the reference of cluster_judges()[@judge] makes of the object now (reference_judge_explain). Fails: ENOMEM. */
CHECKED int cluster_explain(struct cluster *c, size_t judge, const struct object *o, struct verdict *ret,
			    struct doc **edited, bool *waits, struct err *err);
/* The acceptance in force for a change of the object; NULL: the change is not accepted. */
const struct accepted *cluster_accepted_by(const struct cluster *c, size_t judge, const struct object *o,
					   const struct change *change);

#endif
