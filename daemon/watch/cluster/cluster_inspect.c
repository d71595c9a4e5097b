/* When the objects of a cluster are inspected: with their references, alone where none is for them, and a last time
 * when they are deleted. */
#include "daemon/watch/cluster/cluster_internal.h"

int cluster_init_inspector(struct cluster *c, struct err *err)
{
	const struct watch_inspector_maker *maker = c->context.inspection;
	struct watch_inspector_options o = {
		.silent = c->context.rehearsed,
		.cfg = c->cfg,
		.cluster = c->config,
		.findings = c->context.findings,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.snapshot = &c->snapshot,
	};

	if (!maker)
		return 0;
	if (c->context.inspected)
		o.earlier = c->context.inspected(c->context.ctx, c->config->name);
	return maker->make(maker->ctx, &o, &c->inspector, err);
}

bool cluster_inspects(const struct cluster *c)
{
	return c->inspector && (c->inspector->ops->goes_on(c->inspector) || c->inspector->ops->active(c->inspector));
}

/* ---- what happens to objects, and to their owners ---- */

static void all_effects_due(struct cluster *c, struct object *o, enum effects_due due)
{
	for (size_t i = 0; i < c->n_references; i++)
		reference_judge_effects_due(&c->references[i], o, due);
	if (due > o->effects_due)
		o->effects_due = (uint8_t)due;
}

static void enqueue_owner(void *ctx, struct object *owner)
{
	struct cluster *c = ctx;

	all_effects_due(c, owner, EFFECTS_OF_DEPENDENTS);
	cluster_enqueue(c, owner);
}

void cluster_inspect_before(struct cluster *c, struct object *o)
{
	if (c->inspector)
		c->inspector->ops->leaves(c->inspector, o, enqueue_owner, c);
}

void cluster_inspect_after(struct cluster *c, struct object *o)
{
	if (c->inspector)
		c->inspector->ops->comes(c->inspector, o, enqueue_owner, c);
}

/* True when an earlier process inspected the object. */
static bool was_inspected(const struct cluster *c, const struct object *o)
{
	return c->inspector && c->inspector->ops->was_inspected(c->inspector, o);
}

/* Note what happened to the object. Of several pending events the first one counts, unless the last one is the
 * deletion. */
void cluster_effects_due(struct cluster *c, struct object *o, enum object_event event)
{
	if (o->effects_due != EFFECTS_ALL || event == OBJECT_DELETED)
		o->event = (uint8_t)event;
	if (event != OBJECT_SYNCED || !was_inspected(c, o))
		all_effects_due(c, o, EFFECTS_ALL);
}

void cluster_inspect_deleted(struct cluster *c, struct object *o, struct doc *last)
{
	cluster_effects_due(c, o, OBJECT_DELETED);
	if (!last || !watch_inspector_has_rules(c->inspector))
		return;
	/* under the uid by which the object is known, since the server may report another one now */
	cluster_inspect_before(c, o);
	free(TAKE(o->unreadable));
	doc_cache_turn(&c->snapshot.doc_cache, o);
	o->doc = doc_ref(last);
}

/* ---- inspections ---- */

static bool has_reference(const struct cluster *c, const struct object *o)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (reference_judge_is_for(&c->references[i], o))
			return true;
	}
	return false;
}

/* Inspect the object without a comparison. */
static int inspect(struct cluster *c, const struct inspection_subject *of, struct err *err)
{
	static const struct verdict none;
	CLEANUP(watch_inspection_freep) struct watch_inspection *x = NULL;
	int r = c->inspector->ops->begin(c->inspector, of, &x, err);

	if (r == 0)
		r = x->ops->end(x, &none, err);
	of->object->inspected = r == 0 && x->ops->passes_again(x);
	return r;
}

int cluster_inspect(struct cluster *c, struct object *o, struct err *err)
{
	const struct inspection_subject of = { .object = o,
					       .event = (enum object_event)o->event,
					       .due = (enum effects_due)o->effects_due };
	int r = 0;

	o->inspected = false;
	if (watch_inspector_active(c->inspector) && !has_reference(c, o))
		r = inspect(c, &of, err);
	if (r == 0)
		o->effects_due = EFFECTS_NONE;
	return r;
}

/* Whether the inspections of the object need not be repeated. What inspection rules see is compared by references
 * only. So some reference must be for the object, and all that are for it have to agree. */
bool cluster_inspection_still_valid(const struct cluster *c, const struct object *o)
{
	if (!cluster_inspects(c))
		return true;
	if (!c->n_references || c->inspector->ops->goes_on(c->inspector) || !watch_inspector_reads(c->inspector))
		return false;
	return o->inspected || has_reference(c, o);
}

/* ---- inspecting before the object's turn ---- */

uint64_t cluster_inspects_ahead_by(const struct cluster *c)
{
	const struct watch_inspector_reads *reads = watch_inspector_reads(c->inspector);

	return reads ? reads->edition : 0;
}

bool cluster_inspect_ahead(struct cluster *c, struct object *o)
{
	CLEANUP(watch_inspection_freep) struct watch_inspection *x = NULL;
	const struct inspection_subject of = { .object = o, .event = OBJECT_SYNCED, .due = EFFECTS_NONE };
	static const struct verdict none;
	struct err err;

	if (!watch_inspector_active(c->inspector) || object_is_foreign(o) || has_reference(c, o))
		return true;
	o->inspected = c->inspector->ops->begin(c->inspector, &of, &x, &err) == 0 && x->ops->finds_nothing(x, &none) &&
		       x->ops->end(x, &none, &err) == 0;
	return o->inspected;
}

void cluster_inspected_ahead(struct cluster *c, struct object *o)
{
	uint64_t n = 0;

	if (object_is_foreign(o))
		return;
	for (size_t i = 0; i < c->n_references; i++) {
		if (reference_judge_is_for(&c->references[i], o)) {
			o->judged[i].inspected = true;
			n++;
		}
	}
	o->inspected = n == 0;
	cluster_effects_done(c, o);
	c->inspector->ops->count_known(c->inspector, n ? n : 1);
}

bool cluster_found_nothing(const struct cluster *c, const struct object *o)
{
	bool any = false;

	for (size_t i = 0; i < c->n_references; i++) {
		if (!reference_judge_is_for(&c->references[i], o))
			continue;
		any = true;
		if (!o->judged[i].inspected)
			return false;
	}
	return any || o->inspected;
}

void cluster_effects_done(struct cluster *c, struct object *o)
{
	for (size_t i = 0; i < c->n_references; i++)
		o->judged[i].effects_due = EFFECTS_NONE;
	o->effects_due = EFFECTS_NONE;
}

static void inspect_last(struct cluster *c, struct object *o)
{
	struct inspection_subject of = { .object = o, .event = OBJECT_DELETED, .due = EFFECTS_ALL };
	struct err err;
	bool any = false;

	for (size_t i = 0; i < c->n_references; i++) {
		const struct judged *j = &o->judged[i];

		if (!reference_judge_is_for(&c->references[i], o))
			continue;
		any = true;
		of.reference = c->references[i].reference;
		of.template = j->matched ? c->references[i].in_force->templates[j->template] : NULL;
		(void)!inspect(c, &of, &err); /* without memory the deletion goes unseen */
	}
	of.reference = NULL;
	of.template = NULL;
	if (!any)
		(void)!inspect(c, &of, &err);
}

/* Open the last state of the object. False: it cannot be read. */
static bool open_last(struct cluster *c, struct object *o)
{
	struct doc_cache *k = &c->snapshot.doc_cache;
	struct err err;

	return object_exists(o) && !o->unreadable && doc_cache_open(k, o, &err) == 0;
}

void cluster_inspect_gone(struct cluster *c, struct object *o)
{
	if (!watch_inspector_active(c->inspector))
		return;
	if (o->event == OBJECT_DELETED && open_last(c, o) && watch_inspector_has_rules(c->inspector))
		inspect_last(c, o);
	watch_inspector_forget(c->inspector, o, NULL, o->gone_why);
}

/* ---- over time ---- */

void cluster_inspect_tick(struct cluster *c)
{
	if (!c->inspector || !c->inspector->ops->tick(c->inspector))
		return;
	for (size_t i = 0; i < c->kinds.n; i++) {
		if (c->kinds.p[i]->kept)
			cluster_validate_again(c, c->kinds.p[i]->kind);
	}
}

/* Whether the last event of the object was not inspected yet, or not under every reference that is for the object. */
static bool is_due(const struct cluster *c, const struct object *o)
{
	bool any = false;

	for (size_t i = 0; i < c->n_references; i++) {
		if (!object_exists(o) || !reference_judge_is_for(&c->references[i], o))
			continue;
		any = true;
		if (o->judged[i].effects_due == EFFECTS_ALL)
			return true;
	}
	return !any && o->effects_due == EFFECTS_ALL;
}

void cluster_list_inspected(const struct cluster *c, struct buf *out)
{
	if (!c->inspector)
		return;
	c->inspector->ops->write_earlier(c->inspector, out);
	for (size_t i = 0; i < c->kinds.n; i++) {
		const struct object *o;
		size_t at = 0;

		while ((o = index_each(&c->kinds.p[i]->kind->objects, &at))) {
			if (!object_is_foreign(o) && !is_due(c, o))
				c->inspector->ops->write(o, out);
		}
	}
}
