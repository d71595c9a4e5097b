/* What the corpus of rules does not show: rules without a schema, memory that runs out, a set used twice. */
#include "cel/cel_rules.h"
#include "support/json_values.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char rules_text[] =
	"[{\"rule\":\"self.a <= self.b\",\"messageExpression\":\"'a is ' + string(self.a)\","
	"\"reason\":\"FieldValueForbidden\"},{\"rule\":\"self.b >= oldSelf.b\"},{\"rule\":\"self.\"}]";

static void validate(const struct cel_rules *rules, const char *now, const char *before, size_t failures,
		     const char *first)
{
	CLEANUP(doc_unrefp)
	struct doc *object = document_of_json(str_from(now)), *old = before ? document_of_json(str_from(before)) : NULL;
	struct limits lim = LIMITS_DEFAULT;
	struct arena a;
	struct cel_validation v = { .object = object->root,
				    .arena = &a,
				    .limits = &lim,
				    .budget = CEL_TOTAL_COST,
				    .call_limit = CEL_CALL_COST };
	struct err err;

	if (old)
		v.old = old->root;
	arena_init(&a, 0, 0);
	assert_int_equal(cel_rules_validate(rules, &v, &err), 0);
	assert_int_equal(v.n_failures, failures);
	assert_true(str_eq(v.failures->message, str_from(first)));
	arena_done(&a);
}

static void test_without_schema(void **state)
{
	struct limits lim = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *list = document_of_json(str_from(rules_text));
	CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
	struct err err;

	(void)state;
	assert_int_equal(cel_rules_compile((val){ 0 }, list->root, false, &lim, &rules, &err), 0);
	assert_int_equal(cel_rules_count(rules), 3);
	assert_null(cel_rules_at(rules, 0)->error.p);
	assert_true(cel_rules_at(rules, 1)->transition);
	assert_true(str_find(cel_rules_at(rules, 2)->error, STR("ERROR: <input>:1:6: Syntax error")) >= 0);
	validate(rules, "{\"a\":2,\"b\":1}", NULL, 2, "a is 2");
	validate(rules, "{\"a\":2,\"b\":1}", "{\"a\":1,\"b\":5}", 3, "a is 2");
	validate(rules, "{\"a\":1,\"b\":1}", "{\"b\":5}", 2, "failed rule: self.b >= oldSelf.b");
	validate(rules, "{\"b\":1}", NULL, 2, "no such key: a evaluating rule: self.a <= self.b");
}

/* A place is data beside its text, which keys can make mean anything. */
static void test_places(void **state)
{
	static const char text[] =
		"{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
		"\"additionalProperties\":{\"type\":\"string\",\"x-kubernetes-validations\":[{\"rule\":\"self == "
		"''\"}]},"
		"\"x-kubernetes-validations\":[{\"rule\":\"size(self) == 0\",\"fieldPath\":\"['b.c']\"}]}},"
		"\"a.b\":{\"type\":\"string\",\"x-kubernetes-validations\":[{\"rule\":\"self == ''\"}]}}}";
	static const char *const expected[][2] = {
		{ "a[0][b.c]", "a[0][\"b.c\"]" },
		{ "a[0][b.c]", "a[0][\"b.c\"]" },
		{ "a[0][x][0].y]", "a[0][\"x][0].y\"]" },
		{ "a.b", "[\"a.b\"]" },
	};
	CLEANUP(doc_unrefp) struct doc *schema = document_of_json(str_from(text));
	CLEANUP(doc_unrefp)
	struct doc *object = document_of_json(STR("{\"a\":[{\"b.c\":\"1\",\"x][0].y\":\"2\"}],\"a.b\":\"3\"}"));
	CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct limits lim = LIMITS_DEFAULT;
	struct cel_validation v = { .object = object->root,
				    .arena = &a,
				    .limits = &lim,
				    .budget = CEL_TOTAL_COST,
				    .call_limit = CEL_CALL_COST };
	const struct cel_failure *f;
	struct err err;
	size_t i = 0;

	(void)state;
	assert_int_equal(cel_rules_compile(schema->root, (val){ 0 }, false, &lim, &rules, &err), 0);
	assert_int_equal(cel_rules_validate(rules, &v, &err), 0);
	assert_int_equal(v.n_failures, ARRAY_LEN(expected));
	for (f = v.failures; f; f = f->next, i++) {
		assert_true(str_eq(f->path.text, str_from(expected[i][0])));
		assert_string_equal(path_text(f->path.at, &a).p, expected[i][1]);
		assert_int_equal(f->path.ends[f->path.at.n - 1], f->path.text.n);
		assert_true(f->rule->field_path.n || val_same(path_get(object->root, f->path.at), f->value));
	}
}

/* No server has checked the definition: a keyword may be of any kind. */
static void test_schema_of_any_kind(void **state)
{
	static const char *const types[] = { "object", "array", "string" };
	static const char *const keywords[] = { "properties",
						"additionalProperties",
						"items",
						"format",
						"nullable",
						"x-kubernetes-validations",
						"x-kubernetes-list-type",
						"x-kubernetes-list-map-keys",
						"x-kubernetes-embedded-resource" };
	static const char *const values[] = {
		"null",    "true",         "1",          "\"a\"", "[]",
		"[1,[2]]", "[{\"a\":{}}]", "{\"a\":[]}", "{}",    "{\"a\":{\"properties\":[{}]}}"
	};
	CLEANUP(doc_unrefp) struct doc *object = document_of_json(str_from("{\"a\":[{\"a\":1}],\"b\":{}}"));
	struct limits lim = LIMITS_DEFAULT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types) * ARRAY_LEN(keywords) * ARRAY_LEN(values) * 2; i++) {
		size_t n = i / 2;
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(doc_unrefp)
		struct doc *schema =
			document_of_json(arena_printf(&a, "{\"type\":\"%s\",\"%s\":%s}", types[n % ARRAY_LEN(types)],
						      keywords[n / ARRAY_LEN(types) % ARRAY_LEN(keywords)],
						      values[n / ARRAY_LEN(types) / ARRAY_LEN(keywords)]));
		CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
		struct cel_validation v = { .object = object->root, .arena = &a, .limits = &lim, .budget = 1000 };
		struct err err;

		assert_int_equal(cel_rules_compile(schema->root, (val){ 0 }, i % 2, &lim, &rules, &err), 0);
		assert_int_equal(cel_rules_validate(rules, &v, &err), 0);
	}
}

/* A macro that needs its target twice puts it into the tree twice: a chain of these costs twice
 * as much with each, and is estimated as fast as it is long. */
static void test_estimate_of_shared_targets(void **state)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(65536);
	struct limits lim = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *schema = NULL;
	CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
	struct err err;

	(void)state;
	buf_add_cstr(&text, "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"}},"
			    "\"x-kubernetes-validations\":[{\"rule\":\"self.?s");
	for (int i = 0; i < 60; i++)
		buf_add_cstr(&text, ".optMap(x, x)");
	buf_add_cstr(&text, ".hasValue()\"}]}");
	schema = document_of_json(buf_str(&text));
	assert_int_equal(cel_rules_compile(schema->root, (val){ 0 }, false, &lim, &rules, &err), 0);
	assert_null(cel_rules_at(rules, 0)->error.p);
	assert_true(str_has_prefix(cel_rules_at(rules, 0)->dear, STR("Forbidden: estimated rule cost exceeds")));
}

/* With ever more memory the only failure is the one that says so. */
static void test_little_memory(void **state)
{
	CLEANUP(doc_unrefp) struct doc *list = document_of_json(str_from(rules_text));
	int r = -ENOMEM;

	(void)state;
	for (size_t bytes = 256; r == -ENOMEM; bytes += 128) {
		CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;
		struct limits lim = LIMITS_DEFAULT;
		struct err err;

		lim.arena_bytes = bytes;
		r = cel_rules_compile((val){ 0 }, list->root, false, &lim, &rules, &err);
		if (r < 0)
			assert_null(rules);
		assert_true(bytes < 1u << 20);
	}
	assert_int_equal(r, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_schema),     cmocka_unit_test(test_places),
		cmocka_unit_test(test_schema_of_any_kind), cmocka_unit_test(test_estimate_of_shared_targets),
		cmocka_unit_test(test_little_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
