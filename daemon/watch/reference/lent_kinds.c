/* Finds out which kinds templates look up, and looks up in what is lent of them. */
#include "daemon/watch/reference/lent_kinds.h"

#include <errno.h>

/* ---- what is lent ---- */

static bool names_kind(const struct tmpl_lookup_use *use)
{
	return use->known[0] && use->known[1];
}

/* The kind that is looked up; NULL: it is not watched, or the template computes which it is. */
static struct kind *kind_of(const struct tmpl_lookup_use *use, const struct snapshot *s)
{
	return names_kind(use) ? snapshot_find_kind(s, use->args.api_version, use->args.kind) : NULL;
}

static enum lending lending_of(const struct tmpl_lookup_use *use, const struct snapshot *s)
{
	const struct kind *k = kind_of(use, s);

	if (!k)
		return LENDING_IMPOSSIBLE;
	return k->known ? LENDING_POSSIBLE : LENDING_WAITS;
}

static enum lending lending_of_template(const struct ref_template *t, const struct snapshot *s)
{
	enum lending ret = LENDING_NEEDLESS;

	for (size_t i = 0; i < t->text->footprint.n_lookups; i++) {
		enum lending one = lending_of(&t->text->footprint.lookups[i], s);

		ret = one > ret ? one : ret;
	}
	return ret;
}

/* Whether objects of @k may be for the template. Its version does not count: the same objects have several. */
static bool is_for(const struct ref_template *t, const struct kind *k)
{
	return str_eq(t->identity.kind, k->name);
}

enum lending lent_kinds_possible(const struct reference *ref, const struct kind *k, const struct snapshot *s)
{
	enum lending ret = LENDING_IMPOSSIBLE;
	bool any = false;

	for (size_t i = 0; i < ref->n_templates && ret != LENDING_NEEDLESS; i++) {
		enum lending one;

		if (!is_for(ref->templates[i], k))
			continue;
		any = true;
		one = lending_of_template(ref->templates[i], s);
		ret = one < ret ? one : ret;
	}
	return any ? ret : LENDING_NEEDLESS;
}

static struct lent_kind *find(const struct lent_kinds *l, str api_version, str kind)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct kind *k = lent_kind_whose(l->p[i]);

		if (str_eq(k->api_version, api_version) && str_eq(k->name, kind))
			return l->p[i];
	}
	return NULL;
}

static void add(struct lent_kinds *l, const struct tmpl_lookup_use *use, const struct snapshot *s)
{
	struct kind *k = kind_of(use, s);
	struct lent_kind *lent;

	if (!k || !k->known || l->n == LENT_KINDS_MAX || find(l, k->api_version, k->name))
		return;
	lent = lent_kind_of(k);
	if (lent)
		l->p[l->n++] = lent;
}

void lent_kinds_add(struct lent_kinds *l, const struct reference *ref, const struct kind *k, const struct snapshot *s)
{
	for (size_t i = 0; i < ref->n_templates; i++) {
		const struct tmpl_footprint *print = &ref->templates[i]->text->footprint;

		for (size_t u = 0; is_for(ref->templates[i], k) && u < print->n_lookups; u++)
			add(l, &print->lookups[u], s);
	}
}

bool lent_kinds_are_current(const struct lent_kinds *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!lent_kind_is_current(l->p[i]))
			return false;
	}
	return true;
}

void lent_kinds_drop(struct lent_kinds *l)
{
	while (l->n > 0)
		lent_kind_unref(l->p[--l->n]);
}

/* ---- in threads ---- */

bool lent_kinds_cover(const struct lent_kinds *l, const struct ref_template *t)
{
	const struct tmpl_footprint *print = &t->text->footprint;

	for (size_t i = 0; i < print->n_lookups; i++) {
		const struct tmpl_lookup_use *use = &print->lookups[i];

		if (!l || !names_kind(use) || !find(l, use->args.api_version, use->args.kind))
			return false;
	}
	return true;
}

static bool is_any(str text)
{
	return !text.n || str_eq(text, STR("*"));
}

/* Without a namespace an object of a kind that has none is meant, or else those of the name in all namespaces. */
int lent_lookup_find(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct lent_lookup *x = ctx;
	const struct lent_kind *l = find(x->kinds, request->api_version, request->kind);
	val found = l && !is_any(request->name) ? lent_kind_find(l, request->namespace, request->name) : (val){ 0 };
	val *copy;

	if (!val_exists(found) && (!l || is_any(request->name) || is_any(request->namespace)))
		return err_set(err, EAGAIN, "what the loop has to look up");
	*ret = NULL;
	*n = 0;
	if (!val_exists(found))
		return 0;
	copy = arena_alloc(&x->arena, sizeof(*copy));
	if (!copy)
		return err_nomem(err);
	*copy = found;
	*ret = copy;
	*n = 1;
	return 0;
}
