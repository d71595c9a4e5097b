/* The library of optional values.   cel-go cel/library.go */
#include "cel/cel_func.h"

static cv none(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)a;
	(void)n;
	return cv_none();
}

static cv of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_some(c->arena, a[0]);
}

static cv of_non_zero(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cv_is_zero(a[0]) ? cv_none() : cv_some(c->arena, a[0]);
}

static cv has_value(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(a[0].ref != NULL);
}

static cv value(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return a[0].ref ? *a[0].ref : cel_fail(c, "optional.none() dereference");
}

static cv unwrap(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cv_builder b = { 0 };

	(void)n;
	for (uint32_t i = 0; i < cv_count(a[0]); i++) {
		cv v = cv_item(c->arena, a[0], i);

		if (v.kind != CV_OPTIONAL)
			return cv_is_error(v) ? v : cv_no_overload();
		if (v.ref && !cv_builder_add(c->arena, &b, *v.ref))
			return cel_nomem(c);
	}
	return cv_list(b.items, b.n);
}

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("optional.none", "optional_none", ":OA", none, COST_ONE, "no value"),
	CEL_GLOBAL("optional.of", "optional_of", "A:OA", of, COST_ONE, "a value"),
	CEL_GLOBAL("optional.ofNonZeroValue", "optional_ofNonZeroValue", "A:OA", of_non_zero, COST_ONE,
		   "a value unless it is zero"),
	CEL_MEMBER("hasValue", "optional_hasValue", "OA:b", has_value, COST_ONE, "is there a value?"),
	CEL_MEMBER("value", "optional_value", "OA:A", value, COST_ONE, "the value; an error when there is none"),
	CEL_MEMBER("or", "optional_or_optional", "OAOA:OA", NULL, COST_NONE, "this one, or the other"),
	CEL_MEMBER("orValue", "optional_orValue_value", "OAA:A", NULL, COST_NONE, "the value, or another"),
	CEL_GLOBAL("_[?_]", "list_optindex_optional_int", "LAi:OA", NULL, COST_ONE, "item, if there is one"),
	CEL_GLOBAL("_[?_]", "optional_list_optindex_optional_int", "OLAi:OA", NULL, COST_ONE, ""),
	CEL_GLOBAL("_[?_]", "map_optindex_optional_value", "MABA:OB", NULL, COST_ONE,
		   "value of a key, if there is one"),
	CEL_GLOBAL("_?._", "select_optional_field", "*s:OA", NULL, COST_ONE, "field, if there is one"),
	CEL_GLOBAL("_[?_]", "optional_map_optindex_optional_value", "OMABA:OB", NULL, COST_ONE, ""),
	CEL_GLOBAL("_[_]", "optional_list_index_int", "OLAi:OA", NULL, COST_ONE, ""),
	CEL_GLOBAL("_[_]", "optional_map_index_value", "OMABA:OB", NULL, COST_ONE, ""),
	CEL_GLOBAL("optional.unwrap", "optional_unwrap", "LOA:LA", unwrap, COST_ONE, "the values that are there"),
	CEL_MEMBER("unwrapOpt", "optional_unwrapOpt", "LOA:LA", unwrap, COST_ONE, "the values that are there"),
};

const struct cel_library cel_lib_optional = { overloads, ARRAY_LEN(overloads) };
