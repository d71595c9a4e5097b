/* The kinds of a cluster: which collections of each are watched, and what is known of them. */
#include "base/assert.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/source/kind_patterns.h"
#include "rules/crd_schema.h"

/* ---- plan ---- */

int cluster_plan_watches(struct cluster_kind *k, const struct planned_kind *plan, struct err *err)
{
	struct cluster_watch *watches = calloc(plan->scopes.n + 1, sizeof(*watches));

	ASSERT(k->n_watches == 0);
	if (!watches)
		return err_nomem(err);
	for (size_t i = 0; i < plan->scopes.n; i++)
		watches[i] = (struct cluster_watch){ .of = k,
						     .scope = plan->scopes.p[i],
						     .unseen_since_usec = cluster_last_life(k->cluster) };
	free(k->watches);
	k->watches = watches;
	k->n_watches = plan->scopes.n;
	return 0;
}

int cluster_add_kind(struct cluster *c, str api_version, str name, const struct planned_kind *plan,
		     struct cluster_kind **ret, struct err *err)
{
	struct kind *kind = snapshot_kind(&c->snapshot, api_version, name);
	struct cluster_kind *k = kind ? calloc(1, sizeof(*k)) : NULL;

	if (!k || !vec_push(&c->kinds, k)) {
		free(k);
		return err_nomem(err);
	}
	*k = (struct cluster_kind){ .cluster = c, .kind = kind, .defined = KC_KEY_STORE };
	kind->shared |= plan->looked_up || c->plan.open;
	*ret = k;
	return cluster_plan_watches(k, plan, err);
}

/* Watch all definitions. If references are about CustomResourceDefinitions too, the kind is watched once. */
static int init_definitions(struct cluster *c, struct err *err)
{
	static struct watch_scope all = { .namespace = { "", 0 }, .name = { "", 0 } };
	const struct planned_kind plan = { .scopes = { .p = &all, .n = 1 } };
	str api_version = CRD_API_VERSION, name = CRD_KIND;
	const struct kind *known = snapshot_find_kind(&c->snapshot, api_version, name);
	struct cluster_kind *k = known ? cluster_kind_of(c, known) : NULL;
	int r = 0;

	if (!c->plan.defined)
		return 0;
	if (k) {
		k->n_watches = 1;
		k->watches[0].scope = all;
	} else {
		r = cluster_add_kind(c, api_version, name, &plan, &k, err);
	}
	if (r < 0)
		return r;
	k->kept |= kind_patterns_mean(&c->plan, api_version, name);
	k->defines = true;
	c->definitions = k;
	return 0;
}

int cluster_plan_kinds(struct cluster *c, struct err *err)
{
	int r = watch_plan_make(c->cfg, c->config, &c->plan, err);

	for (size_t i = 0; r == 0 && i < c->plan.kinds.n; i++) {
		const struct planned_kind *p = &c->plan.kinds.p[i];
		struct cluster_kind *k;

		r = cluster_add_kind(c, p->api_version, p->kind, p, &k, err);
		if (r == 0)
			k->kept = true;
	}
	return r < 0 ? r : init_definitions(c, err);
}

void cluster_free_kinds(struct cluster *c)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		kc_key_store_done(&c->kinds.p[i]->defined);
		free(c->kinds.p[i]->watches);
		free(c->kinds.p[i]);
	}
	vec_done(&c->kinds);
	watch_plan_done(&c->plan);
}

struct cluster_kind *cluster_kind_of(const struct cluster *c, const struct kind *k)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		if (c->kinds.p[i]->kind == k)
			return c->kinds.p[i];
	}
	return NULL;
}

/* ---- what is known ---- */

bool cluster_kind_absent(const struct cluster_kind *k)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		if (k->watches[i].known != WATCH_ABSENT)
			return false;
	}
	return true;
}

static bool is_known(const struct cluster_kind *k)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		if (k->watches[i].known == WATCH_UNKNOWN)
			return false;
	}
	return true;
}

static bool is_unsettled(const struct cluster_watch *w)
{
	return w->known == WATCH_UNKNOWN && !w->reported;
}

const struct cluster_watch *cluster_unresolved(const struct cluster *c)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++) {
			const struct cluster_watch *w = &c->kinds.p[i]->watches[k];

			if (is_unsettled(w))
				return w;
		}
	}
	return NULL;
}

bool cluster_all_resolved(const struct cluster *c)
{
	return cluster_patterns_resolved(c) && !cluster_unresolved(c);
}

/* Whether judging may begin. A kind that discovery does not have is absent, or comes later: everything else is
 * judged meanwhile. */
static bool may_judge(const struct cluster *c)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		for (size_t k = 0; k < c->kinds.p[i]->n_watches; k++) {
			const struct cluster_watch *w = &c->kinds.p[i]->watches[k];

			if (is_unsettled(w) && !w->lacking)
				return false;
		}
	}
	return cluster_patterns_resolved(c);
}

bool cluster_all_known(const struct cluster *c)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		if (!is_known(c->kinds.p[i]))
			return false;
	}
	return !cluster_patterns_problem(c);
}

static bool is_misversioned(const struct cluster *c, const struct kind *k, const struct ref_template *t)
{
	return t->use == REF_MANIFEST && cluster_kind_of(c, k)->misversioned;
}

/* Update what is known of templates, which follows from what is known of their kinds. */
static void update_templates(struct cluster *c)
{
	for (size_t i = 0; i < c->n_references; i++) {
		struct reference_judge *rj = &c->references[i];
		const struct reference *r = rj->in_force;

		for (size_t t = 0; t < r->n_templates; t++) {
			const struct identity *id = &r->templates[t]->identity;
			const struct kind *k = snapshot_find_kind(&c->snapshot, id->api_version, id->kind);

			rj->unknown[t] =
				!k || !k->known || r->templates[t]->suspended || is_misversioned(c, k, r->templates[t]);
		}
		rj->components_due = true;
	}
}

static bool any_waits(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_references; i++) {
		const struct reference_judge *rj = &c->references[i];

		for (size_t t = 0; t < rj->in_force->n_templates; t++) {
			if (rj->waiting[t])
				return true;
		}
	}
	return false;
}

/* Enqueue the objects whose verdicts wait for a kind; mostly there are none. */
static void enqueue_waiting(struct cluster *c)
{
	if (!any_waits(c))
		return;
	for (size_t i = 0; i < c->kinds.n; i++) {
		struct object *o;
		size_t at = 0;

		while ((o = index_each(&c->kinds.p[i]->kind->objects, &at))) {
			for (size_t j = 0; j < c->n_references; j++) {
				if (o->judged[j].waits)
					cluster_enqueue(c, o);
			}
		}
	}
}

void cluster_kinds_changed(struct cluster *c)
{
	if (c->phase == CLUSTER_LISTING && may_judge(c)) {
		c->phase = CLUSTER_JUDGING;
		cluster_forget_hands(c);
	}
	update_templates(c);
	c->context.wake(c->context.ctx);
}

void cluster_kind_changed(struct cluster_kind *k)
{
	bool before = k->kind->known;

	k->kind->known = is_known(k);
	/* A server without the kind has no objects of it: those that are known were removed with it. */
	if (cluster_kind_absent(k))
		cluster_add_tombstones(k->cluster, k->kind, END_NOT_SERVED);
	cluster_note_versions(k);
	cluster_kinds_changed(k->cluster);
	if (k->kind->known && !before)
		enqueue_waiting(k->cluster);
}

void cluster_discovered(void *ctx)
{
	struct cluster *c = ctx;

	if (c->plan.patterns.n)
		cluster_find_kinds(c);
	for (size_t i = 0; i < c->kinds.n; i++)
		cluster_note_versions(c->kinds.p[i]);
	cluster_kinds_changed(c);
}

void cluster_drop_kind(struct cluster_kind *k, enum end_reason why)
{
	struct watch_source *source = k->cluster->source;

	for (size_t i = 0; i < k->n_watches; i++) {
		cluster_watch_ends(&k->watches[i]);
		if (k->watches[i].watch)
			source->does->watch_remove(source, k->watches[i].watch);
	}
	k->n_watches = 0;
	cluster_add_tombstones(k->cluster, k->kind, why);
	rule_judge_drop_kind(k->cluster->rules, k->kind);
}

/* ---- what the server does not have ---- */

bool cluster_kind_missing(const struct cluster_kind *k)
{
	return k->kept && !k->found && cluster_kind_absent(k);
}

/* All shards of a cluster miss the same kinds, so that only one of them reports it. */
void cluster_report_missing(const struct cluster *c)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(RECORD_VALUE_MAX);
	size_t n = 0;

	for (size_t i = 0; i < c->kinds.n; i++) {
		const struct kind *k = c->kinds.p[i]->kind;

		if (cluster_kind_missing(c->kinds.p[i]))
			buf_printf(&text, "%s%.*s of %.*s",
				   n++ ? ", " : "the server does not have what the configuration is about: ",
				   STR_ARG(k->name), STR_ARG(k->api_version));
	}
	buf_add_byte(&text, '\0');
	if (n && !text.error && shard_owns(c->context.shard, c->config->name))
		record_notice(c->context.sink, c->config->name, SEVERITY_NOTICE, NULL, text.p);
}
