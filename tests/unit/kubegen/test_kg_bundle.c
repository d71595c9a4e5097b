/* Bundles: tests/data/kubegen/bundle.yaml; and the text of what they generate. */
#include "kubegen/kg_bundle.h"

#include "cases.h"
#include "kubegen/kg_output.h"

static void put(struct member *to, struct arena *a, const char *name, str text)
{
	*to = (struct member){ key_make(NULL, a, str_from(name)), val_string(text) };
}

static val described(const struct kg_bundle *b, struct arena *a)
{
	val *modules = arena_array(a, b->n_modules, sizeof(*modules));
	struct member members[3];

	for (size_t i = 0; i < b->n_modules; i++) {
		const struct kg_bundle_module *m = &b->modules[i];
		struct member fields[6];

		put(&fields[0], a, "name", m->instance.name);
		put(&fields[1], a, "namespace", m->instance.namespace);
		put(&fields[2], a, "path", m->instance.path);
		put(&fields[3], a, "source", m->instance.source_dir);
		put(&fields[4], a, "output", m->output_dir);
		put(&fields[5], a, "given", arena_printf(a, "%zu", m->instance.n_given));
		modules[i] = val_map(a, fields, ARRAY_LEN(fields));
	}
	put(&members[0], a, "name", b->name);
	put(&members[1], a, "description", b->description);
	members[2] = (struct member){ key_make(NULL, a, STR("modules")), val_list(a, modules, b->n_modules) };
	return val_map(a, members, ARRAY_LEN(members));
}

static void test_bundles(void **state)
{
	CLEANUP(doc_unrefp) struct doc *cases = cases_read("bundle.yaml");

	(void)state;
	for (uint32_t i = 0; i < cases->root.n; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(kg_bundle_freep) struct kg_bundle *b = NULL;
		val c = cases->root.items[i];
		struct err err;
		int r = kg_bundle_parse(val_str(VAL_GET(c, "text")), val_str(VAL_GET(c, "path")), &limits, NULL, &b,
					&err);

		assert_int_equal(r < 0, b == NULL);
		case_check(c, r < 0, err.msg, b ? described(b, &a) : (val){ 0 });
	}
	assert_int_equal(case_failures, 0);
}

static void test_output(void **state)
{
	static const char yaml[] =
		"\n---\n#\n# Generated from module\n#\tName: \"a \\\"b\\\"\"\n#\tSourceDir: \"./m\"\n"
		"#\tmanifestPath: \"x/m/c.yml\"\n#\n\nitems:\n- <b>\nkind: List\n";
	static const char json[] = "{\n  \"items\": [\n    \"\\u003cb\\u003e\"\n  ],\n  \"kind\": \"List\"\n}\n";
	struct yaml_options o = { .limits = &limits };
	struct kg_instance instance = { .name = STR("a \"b\""), .source_dir = STR("./m") };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct kg_manifest m = { .base = STR("c"), .path = STR("x/m/c.yml") };
	struct err err;

	(void)state;
	assert_int_equal(yaml_decode(STR("{kind: List, items: [<b>]}"), &o, &doc, &err), 0);
	m.list = doc->root;
	assert_int_equal(kg_write(&instance, &m, KG_YAML, &out, &err), 0);
	assert_string_equal(out.p, yaml);
	buf_clear(&out);
	assert_int_equal(kg_write(&instance, &m, KG_JSON, &out, &err), 0);
	assert_string_equal(out.p, json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bundles),
		cmocka_unit_test(test_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
