/* The functions that return the Go type and kind of a value. */
#include "template/fn/fn.h"

static int run_type_of(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_string(str_from(tval_type_name(args[0])));
	return 0;
}

static int run_type_is(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_eq(args[0].s, str_from(tval_type_name(args[1]))));
	return 0;
}

/* Whether the value has the given type; a "*T" counts as "T". */
static int run_type_is_like(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str type = str_from(tval_type_name(args[1]));
	str want = args[0].s;

	(void)c;
	(void)n;
	*ret = tval_bool(str_eq(want, type) ||
			 (str_has_prefix(type, STR("*")) && str_eq(str_sub(type, 1, type.n), want)));
	return 0;
}

static int run_kind_of(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_string(str_from(tkind_name(tval_kind(args[0]))));
	return 0;
}

static int run_kind_is(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_eq(args[0].s, str_from(tkind_name(tval_kind(args[1])))));
	return 0;
}

static int run_deep_equal(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	*ret = tval_bool(tval_deep_equal(c->mem, args[0], args[1]));
	return 0;
}

static const struct tmpl_fn rows[] = {
	{ "deepEqual",
	  run_deep_equal,
	  { &tt_any, &tt_any },
	  false,
	  &tt_bool,
	  "whether two values are equal, types and contents" },
	{ "kindIs",
	  run_kind_is,
	  { &tt_string, &tt_any },
	  false,
	  &tt_bool,
	  "whether a value is of a kind: string, int64, slice, map …" },
	{ "kindOf", run_kind_of, { &tt_any }, false, &tt_string, "the kind of a value" },
	{ "typeIs", run_type_is, { &tt_string, &tt_any }, false, &tt_bool, "whether a value is of a Go type" },
	{ "typeIsLike",
	  run_type_is_like,
	  { &tt_string, &tt_any },
	  false,
	  &tt_bool,
	  "as typeIs, or the type a pointer points to" },
	{ "typeOf", run_type_of, { &tt_any }, false, &tt_string, "the Go type of a value" },
};
TMPL_FN_FAMILY(fn_reflect, rows);
