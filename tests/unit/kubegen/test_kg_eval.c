/* The language: tests/data/kubegen/eval.yaml, and its limits. */
#include "kubegen/kg_eval.h"

#include "cases.h"

static int declare_all(struct kg_eval *e, val params)
{
	const struct kg_place *root = kg_place_root(&e->arena, STR("params"), STR(""));
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < val_count(params); i++) {
		const struct member *m = &params.members[i];
		enum kg_type type;

		assert_true(kg_type_parse(val_str(VAL_GET(m->value, "type")), &type));
		r = kg_declare(e, key_str(m->key), type, VAL_GET(m->value, "value"),
			       kg_place_member(&e->arena, root, m->key));
	}
	return r;
}

static void run_case(val c, const struct limits *l)
{
	val files = VAL_GET(c, "files"), got = { 0 };
	str text = val_str(VAL_GET(c, "doc"));
	struct yaml_options y = { .limits = &limits };
	struct kg_folder folder = memory_folder(&files);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct kg_eval e;
	struct err err;
	int r;

	if (yaml_decode(text, &y, &doc, &err) < 0)
		fail_msg("%.*s: %s", STR_ARG(val_str(VAL_GET(c, "name"))), err.msg);
	kg_eval_init(&e, &folder, STR("mod"), l, NULL, &err);
	r = declare_all(&e, VAL_GET(c, "params"));
	if (r == 0)
		r = kg_evaluate(&e, doc->root, kg_place_root(&e.arena, STR("doc"), text), &got);
	case_check(c, r < 0, err.msg, got);
	kg_eval_done(&e);
}

static void run_cases(const char *name, const struct limits *l)
{
	CLEANUP(doc_unrefp) struct doc *cases = cases_read(name);

	case_failures = 0;
	for (uint32_t i = 0; i < cases->root.n; i++)
		run_case(cases->root.items[i], l);
	assert_int_equal(case_failures, 0);
}

static void test_language(void **state)
{
	(void)state;
	run_cases("eval.yaml", &limits);
}

/* Small ceilings, so that what passes them can be read. */
static void test_limits(void **state)
{
	struct limits small = { .file_bytes = 100, .depth = 12, .document_nodes = 300, .arena_bytes = 1u << 20 };

	(void)state;
	run_cases("limits.yaml", &small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_language),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
