/* Modules and shorthand objects: tests/data/kubegen/module.yaml. */
#include "kubegen/kg_module.h"

#include "cases.h"

#define KIND "kubegen.k8s.io/Module.v1alpha2"

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

/* Manifests that aliases make large, each within the ceiling: they are all read before any is evaluated. */
static void test_limit_of_documents(void **state)
{
	static const char text[] = "[&l [1,1,1,1,1,1,1,1,1], *l, *l, *l, *l, *l, *l, *l, *l, *l, *l, *l, *l, *l]";
	struct limits small = { .file_bytes = 1000, .depth = 12, .document_nodes = 300, .arena_bytes = 1u << 20 };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	struct kg_instance instance = { .name = STR("inst"), .source_dir = STR("mod"), .path = STR("mod") };
	struct member members[3];
	struct kg_folder folder;
	struct err err;
	val files;

	(void)state;
	members[0] = (struct member){ key_make(NULL, &a, STR("a.yml")), val_string(STR("Kind: " KIND "\n")) };
	for (size_t i = 1; i < ARRAY_LEN(members); i++) {
		str name = arena_printf(&a, "b%zu.yml", i), body = arena_printf(&a, "Kind: " KIND "\nx: %s\n", text);

		members[i] = (struct member){ key_make(NULL, &a, name), val_string(body) };
	}
	files = val_map(&a, members, ARRAY_LEN(members));
	folder = memory_folder(&files);
	assert_int_equal(kg_module_generate(&instance, &folder, &small, NULL, &m, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "mod/b2.yml:1:1: cannot parse: yaml: more than"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modules),
		cmocka_unit_test(test_limit_of_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
