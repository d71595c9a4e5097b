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
	const struct source_maker *source; /* NULL: the API server that the kubeconfig names */
	const struct kc_tuning *tuning;    /* NULL: the default */
	/* shared by the clients of the loop, and outlives the cluster. NULL: the cluster has its own */
	struct kc_pace *pace;
	struct crash_marker *crash_marker; /* NULL: nobody notes what is judged */
	/* finds out whether the process ran, before an event counts. NULL: the process counts as running all the
	 * time */
	struct awake *awake;
	const struct acceptances *acceptances;          /* NULL: nothing is accepted */
	const struct watch_inspector_maker *inspection; /* NULL: nothing is inspected */
	/* the cluster belongs to a rehearsal: its inspections have no effects */
	bool rehearsed;
	struct shard shard;      /* which of its objects and components this process reports */
	void (*wake)(void *ctx); /* called when there is work for cluster_work */
	/* When the cluster was last synced, perhaps in an earlier process: Unix time, 0: never. May be NULL. */
	int64_t (*last_seen_usec)(void *ctx, str cluster);
	/* Find which objects of the cluster an earlier process had inspected. The caller owns the result; NULL:
	 * unknown. The function may be NULL. */
	struct inspected *(*inspected)(void *ctx, str cluster);
	void *ctx;
};

/* Start watching. The cluster holds a reference to @cfg. If the kubeconfig or a file that it names cannot be used,
 * that is a gap, and cluster_tick tries again. Fails: ENOMEM. */
CHECKED int cluster_new(const struct cluster_context *context, struct cfg *cfg, const struct cfg_cluster *c,
			struct cluster **ret, struct err *err);
/* Whether the cluster equals what cluster_new would make of @config now, so that a reload may keep it. */
bool cluster_is_unchanged(const struct cluster *c, const struct cfg *cfg, const struct cfg_cluster *config);
/* Whether @config names the same place as the cluster's configuration, with the same credentials. */
bool cluster_goes_there(const struct cluster *c, const struct cfg_cluster *config);
/* The source of the cluster's events; NULL: there is none yet. */
const struct watch_source *cluster_source(const struct cluster *c);
/* Read the files of the cluster's credentials again now. */
void cluster_reread_credentials(struct cluster *c);
/* Close the source and free the cluster, then call @closed from the loop. The findings stay, unconfirmed. */
void cluster_close(struct cluster *c, void (*closed)(void *ctx), void *ctx);

/* Whether the cluster keeps the objects of other shards that today's rules need. If not, nothing is judged until the
 * cluster is closed and made again. */
bool cluster_keeps_enough(const struct cluster *c);
/* Whether other shards report the rest of the cluster. */
bool cluster_is_shared(const struct cluster *c);

/* The cluster of @clusters that is called @name; NULL: there is none. */
struct cluster *cluster_find(struct cluster *const *clusters, size_t n, str name);

/* Append which objects of the cluster were inspected (daemon/inspection/inspected.h), for the next process that
 * watches it. */
void cluster_list_inspected(const struct cluster *c, struct buf *out);

/* Judge pending objects until @until_ns (uv_hrtime). True: there is more to do. */
bool cluster_work(struct cluster *c, uint64_t until_ns);
/* Let @n clusters work one after the other, beginning with *next, which may be any number. *next becomes the first
 * cluster that got no time, so that no cluster waits for more than one slice of each other one, however much they
 * have to do. */
bool clusters_work(struct cluster *const *clusters, size_t n, size_t *next, uint64_t until_ns);

/* Adopt @x, a finding of an earlier process that was restored after cluster_new, like those that were restored
 * before. */
void cluster_recall(struct cluster *c, const struct finding *x);

/* Judge again what @x is about: another driftd reported @x, or did not report it. */
void cluster_judge_reported(struct cluster *c, const struct finding *x);

/* Whether @a may apply to the object of @s, under one of the cluster's references. */
bool cluster_accepts_of(const struct cluster *c, const struct acceptance *a, const struct finding_subject *s);
/* Whether the acceptances for the object of @s have changed. */
typedef bool cluster_concerns(void *ctx, const struct cluster *c, const struct finding_subject *s);
/* A walk over all objects, which can stop and go on later; zeroed at first. */
struct cluster_walk {
	bool begun;
	size_t kind, left;
};
/* Judge again the objects for which @concerns says so, and the components, until @until_ns (uv_hrtime). False: there is
 * more. */
bool cluster_judge_accepted(struct cluster *c, struct cluster_walk *w, cluster_concerns *concerns, void *ctx,
			    uint64_t until_ns);
/* Do the same for the objects called @name in @namespace, when the changes can only be about these. */
void cluster_judge_accepted_of(struct cluster *c, str namespace, str name, cluster_concerns *concerns, void *ctx);

/* The process did not run for a while, as its struct awake found, perhaps in a callback of this cluster's source.
 * Nothing that was known of the watches is evidence any more: they are tested at the next tick. Until a watch proves
 * to work it counts as failing, and its events are reported with the time since which nothing watched. */
void cluster_woke(struct cluster *c, const struct nap *n);

/* Called about once a second: reports watches that have failed for a while. A short interruption is not reported,
 * because watching resumes where it stopped. */
void cluster_tick(struct cluster *c);

/* Whether everything is known and judged, so that "no drift" can be trusted except for later gaps, which are
 * reported. */
bool cluster_synced(const struct cluster *c);
/* Whether the cluster is watched completely now. */
bool cluster_seen(const struct cluster *c);
/* What the cluster waits for, in a few words. "": everything that can be judged was judged once, or the cluster
 * cannot be reached, which a gap reports. */
const char *cluster_waits_for(const struct cluster *c);
/* Whether the cluster watches nothing, because its references are absent. */
bool cluster_lacks_references(const struct cluster *c);

/* ---- for people ---- */

/* How well the cluster is watched, regardless of pending objects. Whether it is synced now is the answer of
 * cluster_synced. */
enum cluster_state {
	CLUSTER_UNREACHABLE, /* the API server does not answer, or cannot be asked */
	CLUSTER_SYNCING,     /* something that is needed was not listed and judged since the start */
	CLUSTER_DEGRADED,    /* something is not watched now, or a gap is open */
	CLUSTER_SYNCED,
	CLUSTER_STATES,
};

enum cluster_state cluster_state(const struct cluster *c);
/* "degraded" */
const char *cluster_state_name(enum cluster_state s);
/* Unix time since which the cluster is in its state. If a gap reports the state, this is the beginning of the gap,
 * also over restarts. Otherwise it is the time that cluster_tick noted, which begins anew with each process, because
 * nobody watched in between. */
int64_t cluster_state_since(const struct cluster *c);
/* Append the reason, in a few words. */
void cluster_state_why(const struct cluster *c, struct buf *out);
/* When the watch with the oldest evidence was last proved to work (kubeclient/kc_evidence.h): Unix time. 0: some
 * watch never was, or there is none. */
int64_t cluster_evidence_usec(const struct cluster *c);
/* When the cluster was last synced, perhaps by an earlier process: Unix time, 0: never. */
int64_t cluster_last_seen(const struct cluster *c);

/* ---- for metrics ---- */

/* The state of a watch (cluster_watch.c). */
enum watch_state {
	WATCH_WAITING,   /* the first list waits for a source, for the kind, or for its turn */
	WATCH_LISTING,   /* a list is under way */
	WATCH_WATCHING,  /* the watch works, as far as anybody knows (cluster_watch_stale) */
	WATCH_FAILING,   /* the watch fails, and is tried again */
	WATCH_FORBIDDEN, /* failing, because the account lacks a permission or its credential is refused */
	WATCH_STATES,
};

/* What is known of the objects of a watch. */
enum watch_known {
	WATCH_UNKNOWN,
	WATCH_LISTED, /* a complete list was seen: the snapshot has its objects, perhaps not in their latest state */
	WATCH_ABSENT, /* the server does not have the kind, so that it has no objects */
};

/* One watched collection: a kind, or the needed part of it. */
struct cluster_watch {
	struct cluster_kind *of;
	struct watch_scope scope;
	struct source_watch *watch; /* NULL: there is no source yet */
	enum watch_state state;
	enum watch_known known;
	/* clock_ns since which the watch is in its state; a watch that fails: the time of its first failure */
	uint64_t since_ns;
	unsigned denied; /* what the account may not do, as a set of 1u << KC_LIST and 1u << KC_WATCH */
	bool lacking;    /* discovery lacks the kind, but it is not known to be absent yet */
	bool reported;   /* a gap reports that the watch fails, or will do so */
	/* Unix time since which events may have been missed; 0: every event was seen at once */
	int64_t unseen_since_usec;
	uint64_t resumed_ns;        /* clock_ns at which the watch resumed where it had stopped */
	int64_t listing_since_usec; /* Unix time at which the last list began; 0: none did */
	bool napped;                /* the process did not run for a while since then */
	/* clock_ns at which the process ran again after a nap; 0: the watch has proved to work since */
	uint64_t woke_ns;
	struct err why;   /* why the watch failed last */
	double last_sync; /* when the last list was complete: Unix time; 0: never */
};

struct cluster_kind {
	struct cluster *cluster;
	struct kind *kind;
	bool found; /* only patterns of rules name the kind */
	/* the kind is planned or was found, and not only watched for definitions: the snapshot keeps its objects */
	bool kept;
	/* the kind is CustomResourceDefinition: its objects bring rules, and kinds that were absent */
	bool defines;
	/* the kind has the Secrets of Helm (cluster_releases.c). If it is not kept, only these are listed */
	bool releases;
	bool misversioned; /* the server has the kind in other versions only (cluster_versions.c) */
	/* with @defines or @releases: the objects that exist, whether the snapshot keeps them or not */
	struct kc_key_store defined;
	struct cluster_watch *watches;
	size_t n_watches; /* 0: the kind was found by a pattern once, and no longer is */
};

/* The resource that a watch, which has begun, is for. */
const char *cluster_watch_resource(const struct cluster_watch *w);
const struct kc_watch_counters *cluster_watch_counters(const struct cluster_watch *w);
const char *cluster_watch_state_name(const struct cluster_watch *w); /* "watching", "absent" and so on */
bool cluster_watch_fails(const struct cluster_watch *w);
str cluster_name(const struct cluster *c);
const struct kc_counters *cluster_requests(const struct cluster *c);
bool cluster_up(const struct cluster *c); /* whether the API server answers */
/* The next kind that the server has. Start with *at = 0. NULL: there are no more, or that is unknown. Valid until
 * the loop runs. */
const struct kc_resource *cluster_offers(const struct cluster *c, size_t *at);
const struct reference_judge *cluster_judges(const struct cluster *c, size_t *n);
const struct rule_judge *cluster_rule_judge(const struct cluster *c);
struct cluster_kind *const *cluster_kinds(const struct cluster *c, size_t *n);
size_t cluster_objects(const struct cluster *c); /* the number of objects that are kept and reported by this process */
/* Whether references or rules are about the kind and the server does not have it. */
bool cluster_kind_missing(const struct cluster_kind *k);
size_t cluster_queue_length(const struct cluster *c);
uint64_t cluster_arrivals(const struct cluster *c, enum arrival_outcome o);
/* A number that grows whenever cluster_work makes progress. */
uint64_t cluster_progress(const struct cluster *c);

/* Before any event has arrived: judge by the manifests that @running has in force for the same Helm releases with
 * the same settings, from now on; call @unknown for each other reference of releases. Fails: ENOMEM. */
CHECKED int cluster_adopt_releases(struct cluster *c, const struct cluster *running,
				   void (*unknown)(void *ctx, str reference), void *ctx, struct err *err);
/* For a cluster that several processes share, before any event has arrived: find the components for which @running
 * keeps all objects that count, also those that other processes report. Nothing is said of other components;
 * @unknown is called for each reference that has some. */
void cluster_share_components(struct cluster *c, const struct cluster *running,
			      void (*unknown)(void *ctx, str reference), void *ctx);
/* The releases of the reference that is number @judge of cluster_judges(); NULL: the reference is not made of
 * releases. */
const struct release_book *cluster_releases(const struct cluster *c, size_t judge);

/* ---- for who asks why ---- */

/* Call @each for every object of the kind with the name @name that this process reports on. An empty @namespace means
 * any namespace. */
void cluster_objects_called(const struct cluster_kind *k, str namespace, str name,
			    void (*each)(void *ctx, const struct object *o), void *ctx);
/* NULL: there is no such object */
const struct object *cluster_object(const struct cluster_kind *k, str namespace, str name);
/* Find an object by apiVersion and kind. NULL: there is no such kind or object. */
const struct object *cluster_find_object(const struct cluster *c, str api_version, str kind, str namespace, str name);
/* The labels of the object. They are in @a or valid until the loop goes on; VAL_ABSENT: the object has no labels.
 * Fails: ENOMEM. */
CHECKED int cluster_object_labels(struct cluster *c, const struct object *o, struct arena *a, val *ret,
				  struct err *err);
/* Who wrote the object last, and when. Writes through a subresource (status, scale) do not count, and neither do
 * changes that no verdict can see, which driftd may not have read. Texts are in @a. False: the writer is not known. */
bool cluster_object_written(struct cluster *c, const struct object *o, struct arena *a, struct blame *ret);
/* Reach the verdict of the reference that is number @judge of cluster_judges() on the object as it is now
 * (reference_judge_explain). Fails: ENOMEM. */
CHECKED int cluster_explain(struct cluster *c, size_t judge, const struct object *o, struct verdict *ret,
			    struct doc **edited, bool *waits, struct err *err);
/* The acceptance in force for a change of the object; NULL: the change is not accepted. */
const struct accepted *cluster_accepted_by(const struct cluster *c, size_t judge, const struct object *o,
					   const struct change *change);

#endif
