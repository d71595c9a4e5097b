/* The kinds of a cluster: which collections of each are watched, and what is known of them. */
#include "base/assert.h"
#include "daemon/watch/cluster_internal.h"

/* ---- plan ---- */

static int init_kind(struct cluster *c, struct cluster_kind *k, str api_version, str name,
		     const struct watch_scope *scopes, size_t n, struct err *err)
{
	*k = (struct cluster_kind){ .cluster = c, .kind = snapshot_kind(&c->snapshot, api_version, name) };
	k->watches = calloc(n, sizeof(*k->watches));
	if (!k->kind || !k->watches)
		return err_nomem(err);
	for (k->n_watches = 0; k->n_watches < n; k->n_watches++)
		k->watches[k->n_watches] = (struct cluster_watch){ .of = k, .scope = scopes[k->n_watches] };
	return 0;
}

/* All definitions are of interest; one that the references are about too is watched once. */
static int init_definitions(struct cluster *c, struct err *err)
{
	static const struct watch_scope all = { .namespace = { "", 0 }, .name = { "", 0 } };
	str api_version = STR("apiextensions.k8s.io/v1"), name = STR("CustomResourceDefinition");
	const struct kind *known = snapshot_find_kind(&c->snapshot, api_version, name);
	struct cluster_kind *k = known ? cluster_kind_of(c, known) : NULL;

	if (!c->plan.defined)
		return 0;
	if (k) {
		k->n_watches = 1;
		k->watches[0].scope = all;
	} else {
		k = &c->kinds[c->n_kinds++];
		if (init_kind(c, k, api_version, name, &all, 1, err) < 0)
			return -err->code;
	}
	k->defines = true;
	c->definitions = k;
	return 0;
}

int cluster_plan_kinds(struct cluster *c, struct err *err)
{
	int r = watch_plan_make(c->cfg, c->config, &c->plan, err);

	if (r < 0)
		return r;
	c->kinds = calloc(c->plan.kinds.n + 1, sizeof(*c->kinds));
	if (!c->kinds)
		return err_nomem(err);
	while (c->n_kinds < c->plan.kinds.n) {
		const struct planned_kind *p = &c->plan.kinds.p[c->n_kinds];
		struct cluster_kind *k = &c->kinds[c->n_kinds++];

		r = init_kind(c, k, p->api_version, p->kind, p->scopes.p, p->scopes.n, err);
		if (r < 0)
			return r;
		k->kept = true;
	}
	return init_definitions(c, err);
}

void cluster_free_kinds(struct cluster *c)
{
	for (size_t i = 0; i < c->n_kinds; i++)
		free(c->kinds[i].watches);
	free(c->kinds);
	watch_plan_done(&c->plan);
}

static int begin_watch(struct cluster_watch *w, struct err *err)
{
	struct cluster *c = w->of->cluster;
	CLEANUP(freep) char *api_version = str_dup(w->of->kind->api_version);
	CLEANUP(freep) char *kind = str_dup(w->of->kind->name);
	CLEANUP(freep) char *namespace = str_dup(w->scope.namespace);
	CLEANUP(freep) char *name = str_dup(w->scope.name);
	struct kc_watch_spec spec = { .api_version = api_version, .kind = kind, .namespace = namespace, .name = name };
	int r;

	if (w->watch)
		return 0;
	if (!api_version || !kind || !namespace || !name)
		return err_nomem(err);
	r = kc_watch_add(c->client, &spec, &cluster_handler, w, &w->watch, err);
	if (r < 0)
		return err_wrap(err, "watch %s %s", api_version, kind);
	snapshot_name_kind(&c->snapshot, w->of->kind, str_from(kc_watch_resource(w->watch)));
	return 0;
}

int cluster_begin_watches(struct cluster *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < c->n_kinds; i++) {
		for (size_t k = 0; r == 0 && k < c->kinds[i].n_watches; k++)
			r = begin_watch(&c->kinds[i].watches[k], err);
	}
	c->begun = r == 0;
	return r;
}

struct cluster_kind *cluster_kind_of(const struct cluster *c, const struct kind *k)
{
	for (size_t i = 0; i < c->n_kinds; i++) {
		if (c->kinds[i].kind == k)
			return &c->kinds[i];
	}
	return NULL;
}

/* ---- what is known ---- */

bool cluster_kind_absent(const struct cluster_kind *k)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		if (!k->watches[i].absent)
			return false;
	}
	return true;
}

static bool is_known(const struct cluster_kind *k)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		if (!k->watches[i].listed && !k->watches[i].absent)
			return false;
	}
	return true;
}

bool cluster_kind_failing(const struct cluster_kind *k)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		if (k->watches[i].failing_since_ns)
			return true;
	}
	return false;
}

const struct cluster_watch *cluster_unsettled(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_kinds; i++) {
		for (size_t k = 0; k < c->kinds[i].n_watches; k++) {
			const struct cluster_watch *w = &c->kinds[i].watches[k];

			if (!w->listed && !w->absent && !w->told)
				return w;
		}
	}
	return NULL;
}

bool cluster_all_settled(const struct cluster *c)
{
	return !cluster_unsettled(c);
}

bool cluster_all_known(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_kinds; i++) {
		if (!is_known(&c->kinds[i]))
			return false;
	}
	return true;
}

/* Nobody can create objects of a kind that the server does not have: those we knew are gone. */
static void bury_all(struct cluster *c, struct kind *k)
{
	CLEANUP(freep) struct object **all = calloc(k->objects.n + 1, sizeof(*all));
	const struct strmap_entry *e;
	size_t at = 0, n = 0;

	/* The table may not change while it is walked. Without memory they go one by one: slow, but gone. */
	while (all && (e = strmap_each(&k->objects, &at)))
		all[n++] = e->value;
	for (size_t i = 0; i < n; i++)
		cluster_bury(c, all[i], "no longer served", 0);
	for (at = 0; (e = strmap_each(&k->objects, &at)); at = 0)
		cluster_bury(c, e->value, "no longer served", 0);
}

/* What can be known of templates follows from what is known of their kinds. */
static void update_templates(struct cluster *c)
{
	for (size_t i = 0; i < c->n_judges; i++) {
		struct reference_judge *rj = &c->judges[i];
		const struct reference *r = rj->reference->reference;

		for (size_t t = 0; t < r->n_templates; t++) {
			const struct identity *id = &r->templates[t]->identity;
			const struct kind *k = snapshot_find_kind(&c->snapshot, id->api_version, id->kind);

			rj->unknown[t] = !k || !k->known;
		}
		rj->components_due = true;
	}
}

/* Verdicts that waited for a kind. */
static void enqueue_waiting(struct cluster *c)
{
	for (size_t i = 0; i < c->n_kinds; i++) {
		const struct strmap_entry *e;
		size_t at = 0;

		while ((e = strmap_each(&c->kinds[i].kind->objects, &at))) {
			struct object *o = e->value;

			for (size_t j = 0; j < c->n_judges; j++) {
				if (o->judged[j].waits)
					cluster_enqueue(c, o);
			}
		}
	}
}

void cluster_kind_changed(struct cluster_kind *k)
{
	struct cluster *c = k->cluster;
	bool before = k->kind->known;

	k->kind->known = is_known(k);
	if (cluster_kind_absent(k))
		bury_all(c, k->kind);
	if (cluster_all_settled(c))
		c->settled = true;
	update_templates(c);
	if (k->kind->known && !before)
		enqueue_waiting(c);
	c->context.wake(c->context.ctx);
}
