/* The verdict on a component for every way in which three templates can be matched. */
#include "compare/compare.h"
#include "compare/groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct expected {
	enum component_problem problem;
	size_t n_missing;
	const char *templates; /* the letters of those that the problem is about */
};

#define OK                                                                                                             \
	{                                                                                                              \
		COMPONENT_SATISFIED, 0, ""                                                                             \
	}
#define MISSING(n, t)                                                                                                  \
	{                                                                                                              \
		COMPONENT_MISSING, n, t                                                                                \
	}
#define MANY(t)                                                                                                        \
	{                                                                                                              \
		COMPONENT_TOO_MANY, 0, t                                                                               \
	}
#define NONE                                                                                                           \
	{                                                                                                              \
		COMPONENT_ONE_REQUIRED, 1, "abc"                                                                       \
	}
#define FORBIDDEN(t)                                                                                                   \
	{                                                                                                              \
		COMPONENT_FORBIDDEN, 0, t                                                                              \
	}

/* Matched: none, a, b, ab, c, ac, bc, abc. In version 1, c is the optional one. */
static const struct {
	enum ref_group group;
	struct expected e[8];
} cases[] = {
	{ REF_V1_REQUIRED,
	  { MISSING(2, "ab"), MISSING(1, "b"), MISSING(1, "a"), OK, MISSING(2, "ab"), MISSING(1, "b"), MISSING(1, "a"),
	    OK } },
	{ REF_V1_OPTIONAL, { OK, MISSING(1, "b"), MISSING(1, "a"), OK, OK, MISSING(1, "b"), MISSING(1, "a"), OK } },
	{ REF_ALL_OF,
	  { MISSING(3, "abc"), MISSING(2, "bc"), MISSING(2, "ac"), MISSING(1, "c"), MISSING(2, "ab"), MISSING(1, "b"),
	    MISSING(1, "a"), OK } },
	{ REF_ALL_OR_NONE_OF,
	  { OK, MISSING(2, "bc"), MISSING(2, "ac"), MISSING(1, "c"), MISSING(2, "ab"), MISSING(1, "b"), MISSING(1, "a"),
	    OK } },
	{ REF_ANY_OF, { OK, OK, OK, OK, OK, OK, OK, OK } },
	{ REF_ANY_ONE_OF, { OK, OK, OK, MANY("ab"), OK, MANY("ac"), MANY("bc"), MANY("abc") } },
	{ REF_NONE_OF,
	  { OK, FORBIDDEN("a"), FORBIDDEN("b"), FORBIDDEN("ab"), FORBIDDEN("c"), FORBIDDEN("ac"), FORBIDDEN("bc"),
	    FORBIDDEN("abc") } },
	{ REF_ONE_OF, { NONE, OK, OK, MANY("ab"), OK, MANY("ac"), MANY("bc"), MANY("abc") } },
};

static struct ref_template templates[3] = { { .path = { "a", 1 }, .index = 0, .same_path = &templates[0] },
					    { .path = { "b", 1 }, .index = 1, .same_path = &templates[1] },
					    { .path = { "c", 1 }, .index = 2, .same_path = &templates[2] } };
static struct ref_template *const list[] = { &templates[0], &templates[1], &templates[2] };

static void test_groups(void **state)
{
	struct ref_part part = { .name = { "P", 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ref_component c = { .name = { "C", 1 },
					   .group = cases[i].group,
					   .templates = list,
					   .n_templates = 3,
					   .n_required = 2 };

		for (unsigned m = 0; m < 8; m++) {
			const struct expected *e = &cases[i].e[m];
			bool matched[3] = { m & 1, m & 2, m & 4 };
			struct component_verdict v;
			struct arena a;
			struct err err;

			arena_init(&a, 0, 0);
			assert_int_equal(component_judge(&part, &c, matched, &a, &v, &err), 0);
			if (v.problem != e->problem || v.n_missing != e->n_missing ||
			    v.n_templates != strlen(e->templates))
				fail_msg("%s, matched %u: problem %d, %zu missing, %zu templates",
					 ref_group_name(c.group), m, v.problem, v.n_missing, v.n_templates);
			for (size_t k = 0; k < v.n_templates; k++)
				assert_int_equal(v.templates[k]->path.p[0], e->templates[k]);
			arena_done(&a);
		}
	}
}

/* The same path listed twice is matched as one. */
static void test_same_path(void **state)
{
	struct ref_template twice[2] = { { .path = { "a", 1 }, .index = 0 }, { .path = { "a", 1 }, .index = 1 } };
	struct ref_template *const both[] = { &twice[0], &twice[1] };
	struct ref_component c = { .group = REF_ALL_OF, .templates = both, .n_templates = 2, .n_required = 2 };
	struct ref_part part = { 0 };
	struct component_verdict v;
	struct arena a;
	struct err err;

	(void)state;
	twice[0].same_path = &twice[1];
	twice[1].same_path = &twice[0];
	arena_init(&a, 0, 0);
	assert_int_equal(component_judge(&part, &c, (bool[2]){ false, true }, &a, &v, &err), 0);
	assert_int_equal(v.problem, COMPONENT_SATISFIED);
	assert_int_equal(component_judge(&part, &c, (bool[2]){ false, false }, &a, &v, &err), 0);
	assert_int_equal(v.n_missing, 2);
	arena_done(&a);
}

/* One template that may be matched or not is enough, an optional one, too. */
static void test_doubt(void **state)
{
	struct ref_part part = { .name = { "P", 1 } };
	struct ref_component c = {
		.name = { "C", 1 }, .group = REF_V1_REQUIRED, .templates = list, .n_templates = 3, .n_required = 2
	};
	struct component_verdict v = { 0 };
	struct arena a;
	struct err err;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(component_why_unknown(&part, &c, (bool[3]){ false, false, false }, &a, &v, &err), 0);
	assert_null(v.component);
	assert_int_equal(component_why_unknown(&part, &c, (bool[3]){ false, true, true }, &a, &v, &err), 1);
	assert_ptr_equal(v.component, &c);
	assert_int_equal(v.problem, COMPONENT_UNKNOWN);
	assert_int_equal(v.n_templates, 2);
	assert_ptr_equal(v.templates[0], &templates[1]);
	assert_int_equal(v.n_missing, 0);
	arena_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_groups), cmocka_unit_test(test_same_path),
					    cmocka_unit_test(test_doubt) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
