/* Modules and shorthand objects: tests/data/kubegen/module.yaml. */
#include "kubegen/kg_module.h"

#include "cases.h"

/* What a module generated: base -> objects. */
static val generated(const struct kg_module *m, struct arena *a)
{
	struct member *members = arena_array(a, m->n_manifests, sizeof(*members));
	size_t n = 0;

	for (size_t i = 0; i < m->n_manifests; i++) {
		val list = m->manifests[i].list;

		if (!val_exists(list))
			continue;
		assert_string_equal(val_str(VAL_GET(list, "kind")).p, "List");
		members[n++] = (struct member){ key_make(NULL, a, m->manifests[i].base), VAL_GET(list, "items") };
	}
	return val_map(a, members, n);
}

static void run_case(val c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	val files = VAL_GET(c, "files"), parameters = VAL_GET(c, "parameters"), got = { 0 };
	struct kg_folder folder = memory_folder(&files);
	struct kg_given given[8];
	struct kg_instance instance = { .name = STR("inst"),
					.source_dir = STR("./mod"),
					.path = STR("mod"),
					.namespace = val_str(VAL_GET(c, "namespace")),
					.given = given,
					.n_given = val_count(parameters) };
	struct err err;
	int r;

	assert_true(instance.n_given <= ARRAY_LEN(given));
	for (uint32_t i = 0; i < instance.n_given; i++) {
		val v = parameters.members[i].value;

		given[i] = (struct kg_given){ .name = key_str(parameters.members[i].key), .value = v };
		given[i].at = kg_place_root(&a, STR("given"), STR(""));
		if (val_exists(VAL_GET(v, "text"))) {
			given[i].value = VAL_GET(v, "text");
			given[i].text = true;
		}
	}
	r = kg_module_generate(&instance, &folder, &limits, NULL, &m, &err);
	assert_int_equal(r < 0, m == NULL);
	if (m)
		got = generated(m, &a);
	case_check(c, r < 0, err.msg, got);
}

static void test_modules(void **state)
{
	CLEANUP(doc_unrefp) struct doc *cases = cases_read("module.yaml");

	(void)state;
	for (uint32_t i = 0; i < cases->root.n; i++)
		run_case(cases->root.items[i]);
	assert_int_equal(case_failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
