/* What a watch says of an object is an arrival. The first of these that applies is what becomes of it:
 *
 *     deleted    the object is out of the snapshot, and its findings end in turn
 *     unneeded   another shard reports it, and nothing here depends on it
 *     repeated   nothing of it is new
 *     unseen     no verdict saw what has changed: the verdicts stand
 *     foreign    another shard reports it; it is kept, in silence, for what depends on it
 *     speculated   the verdict was reached while it was listed, and there is nothing to report
 *     queued     it waits for its verdict
 *
 * "unneeded" and "unseen" are tried before anything of the text is decoded as well. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/notice.h"

struct arrival {
	struct cluster *cluster;
	struct kind *kind;
	const struct kc_object *e;
	struct object *known;      /* the object that the snapshot has under the key of @e; NULL: it has none */
	struct object_share share; /* what this process does with the object; not set when the object is deleted */
	enum object_event event;
	bool listed; /* the watch has listed its objects before */
	bool missed; /* the change happened while nobody watched */
};

/* Count the outcome, and note it in @o, the object that the arrival is about from now on. @o NULL: there is none. */
static void note(struct cluster *c, struct object *o, const struct kc_object *e, enum arrival_outcome outcome)
{
	c->arrivals[outcome]++;
	if (!o)
		return;
	o->arrival = (uint8_t)outcome;
	o->list = e->list;
}

/* The object that the snapshot has under the key of the event; NULL: it has none. A source with a reflector has
 * looked it up already. */
static struct object *find(const struct cluster_watch *w, const struct kc_object *e)
{
	return e->known ? e->known : snapshot_find(w->of->kind, e->key);
}

/* ---- storing an object ---- */

/* Whether the stored state of the object becomes its old state, the baseline. When several changes wait together, only
 * the state before the first of them does. Once the rules have judged the object, which then waits for references only,
 * its present state does. The state of an object that could not be read never does. */
static bool has_old_state(const struct object *o)
{
	return object_exists(o) && (!o->received_ns || o->ruled) && !o->unreadable;
}

/* Free an object that was made for this arrival only, and that nothing else has seen. */
static struct object *unmake(struct cluster *c, struct object *o)
{
	if (!object_exists(o)) {
		snapshot_take(&c->snapshot, o);
		object_free(o);
	}
	return NULL;
}

/* The object with this key, made if it is new. NULL: no memory. */
static struct object *need_object(struct cluster *c, struct kind *k, str key)
{
	struct object *o = snapshot_add(&c->snapshot, k, key);

	if (o && !o->judged)
		o->judged = calloc(c->n_references ? c->n_references : 1, sizeof(*o->judged));
	return o && !o->judged ? unmake(c, o) : o;
}

/* Note that an event of the object is pending, and whether several are. The object counts as missed if any of them
 * was missed. */
static void note_event(struct object *o, const struct kc_object *e, bool missed)
{
	o->missed |= missed;
	o->several = o->received_ns;
	if (!o->received_ns)
		o->received_ns = e->received_ns;
}

static struct object *store(struct cluster *c, struct kind *k, const struct kc_object *e, bool missed)
{
	CLEANUP(freep) char *unreadable = e->unreadable ? strdup(e->unreadable) : NULL;
	struct object *o = e->unreadable && !unreadable ? NULL : need_object(c, k, e->key);
	struct doc_cache *doc_cache = &c->snapshot.doc_cache;
	struct keeping now;
	struct err err;

	if (!o)
		return NULL;
	if (doc_cache_make(e, &now, &err) < 0)
		return unmake(c, o);
	if (object_exists(o))
		cluster_inspect_before(c, o);
	if (has_old_state(o))
		doc_cache_turn(doc_cache, o);
	doc_cache_put(doc_cache, o, &now);
	free(o->unreadable);
	o->unreadable = TAKE(unreadable);
	o->ruled = false;
	if (o->state == OBJECT_SPECULATED)
		object_set_state(o, OBJECT_PENDING);
	note_event(o, e, missed);
	return o;
}

/* The object has changed: judge again every object that looked it up. */
static void changed(struct cluster *c, const struct object *o)
{
	judges_changed(c, o);
	if (o->kind->looked_up)
		c->context.wake(c->context.ctx);
	doc_cache_trim(&c->snapshot.doc_cache);
}

static enum arrival_outcome lose(const struct arrival *a)
{
	CLEANUP(freep) char *resource = str_dup(a->kind->resource);

	record_notice(a->cluster->context.sink, a->cluster->config->name, SEVERITY_ERROR, resource,
		      "out of memory: an object could not be stored");
	return ARRIVAL_LOST;
}

/* Put the object, which is stored now, into the work queue, and queue what depends on it. */
static void queue_stored(const struct arrival *a, struct object *o)
{
	if (object_is_foreign(o))
		o->event = (uint8_t)a->event;
	else
		cluster_effects_due(a->cluster, o, a->event);
	cluster_inspect_after(a->cluster, o);
	cluster_enqueue(a->cluster, o);
	changed(a->cluster, o);
}

/* An object that was counted keeps its role: judging it again decides whether it still counts. */
static void make_foreign(struct object *o, enum object_role role)
{
	o->kind->n_foreign += !object_is_foreign(o);
	if (o->role != OBJECT_COUNTED)
		o->role = role;
}

/* Mark a pending object whose verdict is known and not worth a record: its turn in the queue has nothing left to do. */
static void expect_nothing(struct object *o)
{
	if (o->state == OBJECT_PENDING)
		object_set_state(o, OBJECT_SPECULATED);
}

/* ---- arrivals that need no verdict ---- */

static bool is_deleted(struct arrival *a)
{
	if (a->e->event != KC_DELETED)
		return false;
	if (!a->known)
		return true;
	a->known->missed |= a->missed;
	if (!object_is_foreign(a->known))
		cluster_inspect_deleted(a->cluster, a->known, a->e->unreadable ? NULL : a->e->doc);
	cluster_add_tombstone(a->cluster, a->known, END_DELETED, a->e->received_ns);
	a->known = NULL;
	return true;
}

static bool is_unneeded(struct arrival *a)
{
	return !a->share.kept;
}

/* Whether the event only repeats what is known. The content is compared too, because a server that was restored from
 * a backup may give a known version to another content. */
static bool is_repeated(struct arrival *a)
{
	bool same = false;
	struct err err;

	return a->e->unchanged && a->known &&
	       doc_cache_same(&a->cluster->snapshot.doc_cache, a->known, a->e, &same, &err) == 0 && same;
}

/* True when every judge has reached its verdict on the object as it is stored. */
static bool is_current(const struct cluster *c, const struct object *o)
{
	return c->phase != CLUSTER_LISTING && o->stored && o->judged && o->state == OBJECT_CURRENT && !o->received_ns &&
	       !o->before && !o->unreadable && !o->retry;
}

/* Store a change that no verdict can see, which most updates of a cluster are, at once. False: the object has to be
 * judged, or memory is short. */
static bool renew_unseen(struct cluster *c, struct object *o, const struct kc_object *offered, enum object_event event)
{
	struct kc_object as = *offered, *e = &as;
	struct err err;

	if (e->unreadable || !is_current(c, o) || !str_eq(object_uid(o), e->uid) || !judges_still_valid(c, o, e))
		return false;
	if (doc_cache_renew(&c->snapshot.doc_cache, o, e, &err) < 0)
		return false;
	o->event = (uint8_t)event; /* rules that come later see this event */
	for (size_t i = 0; i < c->n_references; i++)
		c->references[i].counters.skipped_unchanged++;
	return true;
}

static bool is_unseen(struct arrival *a)
{
	if (!a->known || a->share.role != OBJECT_OWN || !renew_unseen(a->cluster, a->known, a->e, a->event))
		return false;
	changed(a->cluster, a->known);
	return true;
}

/* ---- the ways of an arrival, tried in order ---- */

static const struct {
	enum arrival_outcome outcome;
	bool (*applies)(struct arrival *a); /* when it returns true, the arrival is finished */
} ways[] = {
	{ ARRIVAL_DELETED, is_deleted },
	{ ARRIVAL_UNNEEDED, is_unneeded },
	{ ARRIVAL_REPEATED, is_repeated },
	{ ARRIVAL_UNSEEN, is_unseen },
};

/* Remove the known object first if the object that has its key now is not kept, or is reported by another process: it
 * is another one then, by its uid. */
static void make_way(struct arrival *a)
{
	if (!a->known || !object_exists(a->known) ||
	    (a->share.kept && (a->share.role == OBJECT_OWN) == (a->known->role == OBJECT_OWN)))
		return;
	cluster_add_tombstone(a->cluster, a->known, END_DELETED, a->e->received_ns);
	a->known = NULL;
}

/* Store an object of another shard, which is not reported here. */
static enum arrival_outcome take_foreign(struct arrival *a)
{
	struct object *o = a->known = store(a->cluster, a->kind, a->e, a->missed);

	if (!o)
		return lose(a);
	make_foreign(o, a->share.role);
	if (o->role != OBJECT_COUNTED) {
		o->missed = false;
		o->received_ns = 0;
		doc_cache_reduce(&a->cluster->snapshot.doc_cache, o, false);
	}
	queue_stored(a, o);
	return ARRIVAL_FOREIGN;
}

static enum arrival_outcome take(struct arrival *a)
{
	struct object *o = a->known = store(a->cluster, a->kind, a->e, a->missed);
	bool speculated;

	if (!o)
		return lose(a);
	speculated = cluster_speculate(a->cluster, o, a->e);
	queue_stored(a, o);
	if (!speculated)
		return ARRIVAL_QUEUED;
	expect_nothing(o);
	return ARRIVAL_SPECULATED;
}

/* Try the ways in their order. True: one applied, *ret is its outcome. False: the object has to be stored. */
static bool is_done_early(struct arrival *a, enum arrival_outcome *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		*ret = ways[i].outcome;
		if (ways[i].applies(a))
			return true;
	}
	return false;
}

/* ---- objects that a thread has speculated on ---- */

/* Take a speculated verdict, which counts only if the object is new. False: the verdict is dropped. */
static bool take_speculated(struct arrival *a)
{
	struct object *o;

	if (a->known || !(o = need_object(a->cluster, a->kind, a->e->key)))
		return false;
	a->share = cluster_share_of(a->cluster, a->kind, a->e);
	if (a->share.role != OBJECT_OWN)
		make_foreign(o, a->share.role);
	if (!cluster_take_speculation(a->cluster, o, a->e))
		return false;
	note_event(o, a->e, a->missed);
	a->event = OBJECT_SYNCED;
	queue_stored(a, o);
	expect_nothing(o);
	note(a->cluster, o, a->e, ARRIVAL_SPECULATED);
	return true;
}

/* Decode the text of an object after all, because its speculated verdict does not count. *read: the event with the
 * document. False: the text cannot be decoded. */
static bool read_prepared(struct arrival *a, struct kc_object *read)
{
	const struct cluster_context *context = &a->cluster->context;
	const struct object_type type = { a->kind->api_version, a->kind->name };
	struct doc *d;
	struct err err;
	str ignored;

	a->known = snapshot_find(a->kind, a->e->key); /* take_speculated may have made the object */
	*read = *a->e;
	read->prepared = NULL;
	if (object_decode(a->e->text, context->limits, context->keys, &type, &d, &ignored, &err) == 0) {
		read->doc = d;
		a->e = read;
		return true;
	}
	note(a->cluster, NULL, a->e, lose(a)); /* memory is short: a thread could read the text */
	if (a->known && !object_exists(a->known)) {
		cluster_release_object(a->cluster, a->known);
		(void)unmake(a->cluster, a->known);
	}
	return false;
}

void cluster_arrive(struct cluster_watch *w, const struct kc_object *e)
{
	struct arrival a = {
		.cluster = w->of->cluster,
		.kind = w->of->kind,
		.e = e,
		.known = find(w, e),
		.listed = w->known == WATCH_LISTED,
		.missed = cluster_watch_missed(w),
	};
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	enum arrival_outcome outcome;
	struct kc_object read;

	if (e->prepared) {
		if ((!a.listed && take_speculated(&a)) || !read_prepared(&a, &read))
			return;
		d = read.doc;
	}
	if (e->event != KC_DELETED) {
		a.share = cluster_share_of(a.cluster, a.kind, a.e);
		make_way(&a);
		a.event = !a.listed ? OBJECT_SYNCED : a.known ? OBJECT_MODIFIED : OBJECT_ADDED;
	}
	if (!is_done_early(&a, &outcome))
		outcome = a.share.role == OBJECT_OWN ? take(&a) : take_foreign(&a);
	note(a.cluster, a.known, a.e, outcome);
}

/* ---- events that are not decoded yet ---- */

bool cluster_passes_unseen(struct cluster_watch *w, const struct kc_object *e)
{
	struct cluster *c = w->of->cluster;
	struct object *o = c->n_references ? find(w, e) : NULL;
	struct err err;

	if (!o)
		return false;
	if (object_is_foreign(o)) {
		if (!cluster_counts_as_before(c, o, e) ||
		    stored_object_set_version(&o->stored, e->resource_version, &err) < 0)
			return false;
	} else {
		if (!renew_unseen(c, o, e, w->known == WATCH_LISTED ? OBJECT_MODIFIED : OBJECT_SYNCED))
			return false;
		changed(c, o);
	}
	note(c, o, e, ARRIVAL_UNSEEN);
	return true;
}

bool cluster_passes_unneeded(const struct cluster_watch *w, const struct kc_object *e)
{
	struct cluster *c = w->of->cluster;

	if (cluster_share_of(c, w->of->kind, e).kept)
		return false;
	note(c, NULL, e, ARRIVAL_UNNEEDED);
	return true;
}

/* ---- questions of the reflector ---- */

static struct kc_known known_of(struct object *o)
{
	return (struct kc_known){
		.object = o, .key = object_key(o), .uid = object_uid(o), .resource_version = object_version(o)
	};
}

bool cluster_finds(const struct cluster_watch *w, str key, struct kc_known *ret)
{
	struct object *o = snapshot_find(w->of->kind, key);

	if (!o || !object_exists(o))
		return false;
	*ret = known_of(o);
	return true;
}

static bool is_within(const struct watch_scope *s, const struct object *o)
{
	str namespace, name;

	identity_local_split(object_key(o), &namespace, &name);
	return watch_scope_has(s, namespace, name);
}

int cluster_list_absent(const struct cluster_watch *w, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	struct object *o;
	size_t at = 0;

	while ((o = index_each(&w->of->kind->objects, &at))) {
		if (object_exists(o) && kc_listed_before(o->list, list) && is_within(&w->scope, o) &&
		    !vec_push(ret, known_of(o)))
			return err_nomem(err);
	}
	return 0;
}
