/* The functions that look up other objects of the cluster, through the caller's callback. */
#include "template/fn/fn.h"

/* args: apiVersion, kind, namespace, name; "*" and "" stand for any namespace or name. */
static int lookup(struct tmpl_call *c, const tval *args, const val **items, size_t *n)
{
	struct tmpl_lookup request = { args[0].s, args[1].s, args[2].s, args[3].s };

	*n = 0;
	if (!c->env->lookup)
		return 0;
	return c->env->lookup(c->env->ctx, &request, items, n, c->err);
}

static int fn_lookup_crs(struct tmpl_call *c, const tval *args, size_t n_args, tval *ret)
{
	const val *items = NULL;
	size_t n;
	int r = lookup(c, args, &items, &n);
	tval list;

	(void)n_args;
	if (r < 0)
		return r;
	list = n > 0 ? tval_objects(c->mem, items, n) : tval_nil_of(&tt_maps);
	if (!list.type)
		return tmpl_nomem(c);
	*ret = list;
	return 0;
}

/* Return nil unless exactly one object matches. */
static int fn_lookup_cr(struct tmpl_call *c, const tval *args, size_t n_args, tval *ret)
{
	const val *items = NULL;
	size_t n;
	int r = lookup(c, args, &items, &n);

	(void)n_args;
	tval object;

	if (r < 0)
		return r;
	object = n == 1 ? tval_object(c->mem, items[0]) : tval_nil_of(&tt_map);
	if (!object.type)
		return tmpl_nomem(c);
	*ret = object;
	return 0;
}

#define FOUR_STRINGS { &tt_string, &tt_string, &tt_string, &tt_string }, false

static const struct tmpl_fn rows[] = {
	{ "lookupCR", fn_lookup_cr, FOUR_STRINGS, &tt_map,
	  "the one object of an apiVersion, kind, namespace and name" },
	{ "lookupCRs", fn_lookup_crs, FOUR_STRINGS, &tt_maps,
	  "all objects of an apiVersion, kind, namespace and name" },
};
TMPL_FN_FAMILY(fn_kube, rows);
