/* Identities and their keys. */
#include "value/identity.h"

#include "value/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

static struct doc *parse(const char *text)
{
	struct yaml_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	assert_int_equal(yaml_decode(str_from(text), &o, &d, &err), 0);
	return d;
}

static void check_text(const char *object, const char *expected)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	CLEANUP(doc_unrefp) struct doc *d = parse(object);
	struct identity id = identity_of(d->root);

	identity_text(&id, &text);
	if (!str_eq(buf_str(&text), str_from(expected)))
		fail_msg("%s: '%.*s' instead of '%s'", object, STR_ARG(buf_str(&text)), expected);
}

static void test_text(void **state)
{
	(void)state;
	check_text("{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: d, name: web}}",
		   "apps/v1_Deployment_d_web");
	check_text("{apiVersion: v1, kind: Node, metadata: {name: n1}}", "v1_Node_n1");
	check_text("{kind: 3, metadata: [x]}", "__"); /* what is no text is not there */
	check_text("[]", "__");
}

static void test_local_key(void **state)
{
	static const char *const pairs[][3] = {
		{ "d", "web", "d/web" }, { "", "node", "/node" }, { "d", "a/b", "d/a/b" }, { "", "", "/" }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		CLEANUP(buf_done) struct buf key = BUF_INIT(4096);
		str namespace, name;

		identity_local_key(str_from(pairs[i][0]), str_from(pairs[i][1]), &key);
		assert_true(str_eq(buf_str(&key), str_from(pairs[i][2])));
		identity_local_split(buf_str(&key), &namespace, &name);
		assert_true(str_eq(namespace, str_from(pairs[i][0])) && str_eq(name, str_from(pairs[i][1])));
	}
}

static str key_of(const void *thing)
{
	(void)thing;
	return STR("d/p");
}

/* A map finds what was put under the key, and nothing for a name that is longer than any. */
static void test_maps(void **state)
{
	static char endless[10000];
	CLEANUP(strmap_done) struct strmap m = { 0 };
	CLEANUP(buf_done) struct buf key = BUF_INIT(65536);
	struct identity id = { STR("v1"), STR("Pod"), STR("d"), STR("p") };
	struct index local = INDEX_OF(key_of);

	(void)state;
	assert_true(index_put(&local, &id, NULL));
	memset(endless, 'x', sizeof(endless));
	identity_text(&id, &key);
	assert_true(strmap_put(&m, buf_str(&key), &id, NULL));
	buf_clear(&key);
	identity_kind_key(id.api_version, id.kind, &key);
	assert_true(strmap_put(&m, buf_str(&key), &key, NULL));
	assert_ptr_equal(identity_get(&m, &id), &id);
	assert_ptr_equal(identity_kind_get(&m, STR("v1"), STR("Pod")), &key);
	assert_null(identity_kind_get(&m, STR("v1P"), STR("od")));
	id.name = (str){ endless, sizeof(endless) };
	assert_null(identity_get(&m, &id));
	assert_null(identity_local_get(&local, STR("d"), id.name));
	assert_ptr_equal(identity_local_get(&local, STR("d"), STR("p")), &id);
	assert_null(identity_local_get(&local, STR("p"), STR("d")));
	index_done(&local);
	id.name = STR("p");
	assert_ptr_equal(identity_remove(&m, &id), &id);
	assert_null(identity_get(&m, &id));
}

static void test_equal(void **state)
{
	struct identity a = { STR("v1"), STR("Pod"), STR("d"), STR("p") }, b = a;

	(void)state;
	assert_true(identity_eq(&a, &b));
	b.namespace = STR("");
	assert_false(identity_eq(&a, &b));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_local_key),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
