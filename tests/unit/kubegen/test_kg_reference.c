/* Bundles as references: tests/data/kubegen/reference.yaml. All instances read the same files. */
#include "kubegen/kg_reference.h"

#include "cases.h"

#define INSTANCES_MAX 4

/* path -> text */
static val described(const struct kg_reference *r, struct arena *a)
{
	struct member *members = arena_array(a, r->files.n, sizeof(*members));

	for (size_t i = 0; i < r->files.n; i++) {
		const struct kg_reference_file *f = &r->files.p[i];

		assert_ptr_equal(kg_reference_find(r, f->path), f);
		members[i] = (struct member){ key_make(NULL, a, f->path), val_string(f->text) };
	}
	return val_map(a, members, r->files.n);
}

static void run_case(val c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(kg_bundle_freep) struct kg_bundle *b = NULL;
	CLEANUP(kg_reference_done) struct kg_reference files = { 0 };
	struct kg_module *modules[INSTANCES_MAX] = { 0 };
	val sources = VAL_GET(c, "files");
	struct kg_folder folder = memory_folder(&sources);
	struct err err = { .msg = "" };
	int r = kg_bundle_parse(val_str(VAL_GET(c, "bundle")), STR("x/b.yml"), &limits, NULL, &b, &err);

	for (size_t i = 0; r == 0 && i < b->n_modules && i < INSTANCES_MAX; i++)
		r = kg_module_generate(&b->modules[i].instance, &folder, &limits, NULL, &modules[i], &err);
	if (r < 0)
		fail_msg("%.*s: %s", STR_ARG(val_str(VAL_GET(c, "name"))), err.msg);
	r = kg_reference_make(b, modules, &files, &err);
	case_check(c, r < 0, err.msg, described(&files, &a));
	assert_null(kg_reference_find(&files, STR("nothing")));
	for (size_t i = 0; i < INSTANCES_MAX; i++)
		kg_module_free(modules[i]);
}

static void test_references(void **state)
{
	CLEANUP(doc_unrefp) struct doc *cases = cases_read("reference.yaml");

	(void)state;
	for (uint32_t i = 0; i < cases->root.n; i++)
		run_case(cases->root.items[i]);
	assert_int_equal(case_failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
