/* The functions that choose between values by whether they are empty. */
#include "template/fn/fn.h"

static int fn_default(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	*ret = n > 1 && tval_truth(c->mem, args[1]) ? args[1] : args[0];
	return 0;
}

static int fn_empty(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	*ret = tval_bool(!tval_truth(c->mem, args[0]));
	return 0;
}

static int fn_coalesce(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	for (size_t i = 0; i < n; i++) {
		if (tval_truth(c->mem, args[i])) {
			*ret = args[i];
			return 0;
		}
	}
	*ret = tval_nil();
	return 0;
}

static int fn_all(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= tval_truth(c->mem, args[i]);
	*ret = tval_bool(all);
	return 0;
}

static int fn_any(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= tval_truth(c->mem, args[i]);
	*ret = tval_bool(any);
	return 0;
}

static int fn_ternary(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = args[2].b ? args[0] : args[1];
	return 0;
}

static const struct tmpl_fn rows[] = {
	{ "all", fn_all, { &tt_any }, true, &tt_bool, "whether no argument is empty" },
	{ "any", fn_any, { &tt_any }, true, &tt_bool, "whether some argument is not empty" },
	{ "coalesce", fn_coalesce, { &tt_any }, true, &tt_any, "the first argument that is not empty" },
	{ "default",
	  fn_default,
	  { &tt_any, &tt_any },
	  true,
	  &tt_any,
	  "the second argument, or the first when it is empty" },
	{ "empty", fn_empty, { &tt_any }, false, &tt_bool, "whether the argument is zero, empty, false or nil" },
	{ "ternary",
	  fn_ternary,
	  { &tt_any, &tt_any, &tt_bool },
	  false,
	  &tt_any,
	  "the first or second argument, as the third says" },
};
TMPL_FN_FAMILY(fn_defaults, rows);
