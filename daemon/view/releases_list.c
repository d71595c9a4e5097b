/* Lists the releases that clusters know, with their open findings. */
#include "daemon/view/releases_list.h"

#include "manifest/manifest_releases.h"

#include <stdlib.h>

/* ---- which ---- */

static bool passes(str wanted, str is)
{
	return !wanted.n || str_eq(wanted, is);
}

static const struct reference_judge *judge_of(const struct release_item *x)
{
	size_t n;

	return &cluster_judges(x->cluster, &n)[x->judge];
}

static int add_releases(struct release_list *l, const struct cluster *c, size_t judge, const struct release_filter *f,
			struct err *err)
{
	const struct release_book *b = cluster_releases(c, judge);
	const struct known_release *k;

	for (size_t at = 0; (k = release_book_get(b, at)); at++) {
		struct release_item x = { .cluster = c, .judge = judge, .is = k };

		if (passes(f->namespace, k->namespace) && passes(f->name, k->release) && !vec_push(&l->items, x))
			return err_nomem(err);
	}
	return 0;
}

static int add_cluster(struct release_list *l, const struct cluster *c, const struct release_filter *f, struct err *err)
{
	size_t n, had = l->n_references;
	const struct reference_judge *judges = cluster_judges(c, &n);
	bool unknown = false;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (!cluster_releases(c, i))
			continue;
		l->n_references++;
		unknown |= judges[i].awaits;
		r = add_releases(l, c, i, f, err);
	}
	l->n_unknown += l->n_references > had && unknown;
	return r;
}

static int by_name(const void *a, const void *b)
{
	const struct release_item *x = a, *y = b;
	int r = str_cmp(cluster_name(x->cluster), cluster_name(y->cluster));

	if (r == 0)
		r = str_cmp(judge_of(x)->reference->name, judge_of(y)->reference->name);
	return r ? r : str_cmp(x->is->name, y->is->name);
}

/* ---- what is in force, and what is open ---- */

/* Find the release of that name in the cluster's reference; NULL: it does not pass, or there is none. */
static struct release_item *find_release(const struct release_list *l, str cluster, str reference, str name)
{
	size_t first = 0, last = l->items.n;

	while (first < last) {
		size_t middle = first + (last - first) / 2;
		struct release_item *x = &l->items.p[middle];
		int r = str_cmp(cluster, cluster_name(x->cluster));

		if (r == 0)
			r = str_cmp(reference, judge_of(x)->reference->name);
		if (r == 0)
			r = str_cmp(name, x->is->name);
		if (r == 0)
			return x;
		if (r < 0)
			last = middle;
		else
			first = middle + 1;
	}
	return NULL;
}

static void take_component(struct release_list *l, const struct release_item *like, const struct ref_component *c)
{
	struct release_item *x = find_release(l, cluster_name(like->cluster), judge_of(like)->reference->name, c->name);

	if (!x)
		return;
	x->component = c;
	x->objects = c->n_templates;
}

static void find_components(struct release_list *l)
{
	const struct reference_judge *done = NULL;

	for (size_t i = 0; i < l->items.n; i++) {
		const struct reference_judge *rj = judge_of(&l->items.p[i]);
		const struct ref_part *part = rj->in_force->parts;

		for (size_t k = 0; rj != done && rj->in_force->n_parts && k < part->n_components; k++)
			take_component(l, &l->items.p[i], &part->components[k]);
		done = rj;
	}
}

static void count_findings(struct release_list *l, const struct findings *findings)
{
	const struct finding *x;
	size_t at = 0;

	while (l->items.n && (x = findings_each(findings, &at))) {
		const struct finding_subject *s = &x->subject;
		struct release_item *of;

		if (x->kind == FINDING_ACCEPTED || !str_eq(s->part, RELEASES_PART))
			continue;
		of = find_release(l, s->cluster, s->reference, s->component);
		if (of) {
			of->n_open++;
			of->open[x->severity]++;
		}
	}
}

int release_list_make(const struct metrics_view *view, const struct release_filter *f, struct release_list *ret,
		      struct err *err)
{
	int r = 0;

	*ret = (struct release_list){ 0 };
	for (size_t i = 0; r == 0 && i < view->n_clusters; i++) {
		if (passes(f->cluster, cluster_name(view->clusters[i])))
			r = add_cluster(ret, view->clusters[i], f, err);
	}
	if (r < 0) {
		release_list_done(ret);
		return r;
	}
	if (ret->items.n)
		qsort(ret->items.p, ret->items.n, sizeof(*ret->items.p), by_name);
	find_components(ret);
	count_findings(ret, view->findings);
	return 0;
}

void release_list_done(struct release_list *l)
{
	vec_done(&l->items);
}

/* ---- one ---- */

const char *release_state(const struct release_item *x)
{
	if (x->is->suspended)
		return "being changed";
	return x->component ? "in force" : "not in force";
}

static const struct object *find_object(const struct cluster *c, const struct ref_template *t)
{
	const struct identity *id = &t->identity;
	const struct object *o = cluster_find_object(c, id->api_version, id->kind, id->namespace, id->name);

	return !o && t->any_scope ? cluster_find_object(c, id->api_version, id->kind, STR(""), id->name) : o;
}

const char *release_object_state(const struct release_item *x, const struct ref_template *t)
{
	const struct reference_judge *rj = judge_of(x);
	const struct object *o;

	if (t->suspended)
		return "held";
	if (rj->unknown[t->index])
		return "unknown";
	if (!rj->matched[t->index])
		return "missing";
	o = find_object(x->cluster, t);
	return o && o->judged[rj->index].known ? verdict_state_name((enum verdict_state)o->judged[rj->index].state)
					       : "unknown";
}
