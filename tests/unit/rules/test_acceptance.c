/* Acceptances: what they say, whom and which changes they are for. */
#include "rules/acceptance.h"

#include "base/limits.h"
#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#define STATIC_STR(lit)                                                                                                \
	{                                                                                                              \
		(lit), sizeof(lit) - 1                                                                                 \
	}

/* ---- what they say ---- */

static const struct {
	const char *json, *mistake; /* NULL: it is in order */
} texts[] = {
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"reason\":\"r\"}", NULL },
	{ "{\"component\":\"p/*\",\"template\":\"a.yaml\",\"reason\":\"r\",\"until\":\"2027-01-31\"}", NULL },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"path\":\"a\",\"value\":\"\",\"reason\":\"r\"}", NULL },
	{ "{\"kind\":\"Pod\",\"name\":\"a\"}", "it gives no reason" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"reason\":\"\"}", "it gives no reason" },
	{ "{\"kind\":\"Pod\",\"reason\":\"r\"}", "it names neither kind and name of objects nor a component" },
	{ "{\"reason\":\"r\"}", "it names neither kind and name of objects nor a component" },
	{ "{\"component\":\"p\",\"reason\":\"r\"}", "'p' is not a component: PART/COMPONENT is expected" },
	{ "{\"component\":\"p/c\",\"kind\":\"Pod\",\"reason\":\"r\"}",
	  "it names not both kind and name of the component's objects" },
	{ "{\"component\":\"p/c\",\"kind\":\"Pod\",\"name\":\"a*\",\"namespace\":\"n\",\"reason\":\"r\"}", NULL },
	{ "{\"component\":\"p/c\",\"kind\":\"Pod\",\"name\":\"a\",\"path\":\"a\",\"reason\":\"r\"}",
	  "a component has no path, no value and no rule" },
	{ "{\"component\":\"p/c\",\"path\":\"a\",\"reason\":\"r\"}", "a component has no path, no value and no rule" },
	{ "{\"component\":\"p/c\",\"rule\":\"*\",\"reason\":\"r\"}", "a component has no path, no value and no rule" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"rule\":\"self.a\",\"path\":\"a\",\"value\":\"1\",\"reason\":\"r\"}",
	  NULL },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"rule\":\"*\",\"reference\":\"x\",\"reason\":\"r\"}",
	  "a rule is of no reference" },
	{ "{\"rule\":\"*\",\"reason\":\"r\"}", "it names neither kind and name of objects nor a component" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"value\":\"1\",\"reason\":\"r\"}", "a value without a path" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"template\":\"t\",\"reason\":\"r\"}", "a template without a component" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"path\":\"a[\",\"reason\":\"r\"}", "'a[' is not a path" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"until\":\"soon\",\"reason\":\"r\"}",
	  "'soon' is neither a day, such as 2027-01-31, nor a time of RFC 3339" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"reason\":\"r\\n\"}", "its reason is more than a line of text" },
	{ "{\"kind\":\"Pod\",\"name\":\"a\",\"reason\":1}", "its reason is not text" },
	{ "{\"kind\":\"Pod\",\"nam\":\"a\"}", "'nam' is nothing that an acceptance has" },
	{ "[]", "an acceptance is a JSON object" },
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(doc_unrefp) struct doc *d = document_of_json(str_from(texts[i].json));
		struct acceptance a;
		struct err err = { 0 };
		int r = acceptance_from_json(d->root, &a, &err);

		assert_int_equal(r, texts[i].mistake ? -EINVAL : 0);
		assert_string_equal(err.msg, texts[i].mistake ? texts[i].mistake : "");
	}
}

static void test_json_comes_back(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct acceptance a = { .cluster = STR("c*"),
				.kind = STR("Pod"),
				.name = STR("\"x\""),
				.path = STR("a.b"),
				.value = STR(""),
				.reason = STR("r"),
				.owner = STR("o"),
				.until = STR("2027-01-31") };
	struct acceptance b;
	struct err err;
	struct doc *d;

	(void)state;
	acceptance_to_json(&a, &out);
	d = document_of_json(buf_str(&out));
	assert_int_equal(acceptance_from_json(d->root, &b, &err), 0);
	assert_true(acceptance_same(&a, &b));
	b.value = (str){ NULL, 0 };
	assert_false(acceptance_same(&a, &b));
	doc_unref(d);
}

static void test_ids(void **state)
{
	struct acceptance a = { .kind = STR("Pod"), .name = STR("a"), .path = STR("p"), .reason = STR("r") };
	char id[ACCEPTANCE_ID_SIZE], other[ACCEPTANCE_ID_SIZE];

	(void)state;
	assert_true(acceptance_id(&a, id));
	assert_string_equal(id, "3fea33de8f725f8e"); /* as earlier versions kept it */
	a.reason = STR("another");
	a.until = STR("2030-01-01");
	assert_true(acceptance_id(&a, other));
	assert_string_equal(id, other); /* it is about the same */
	a.value = STR("");
	assert_true(acceptance_id(&a, other));
	assert_string_not_equal(id, other);
	a.value = (str){ NULL, 0 };
	a.rule = STR("*");
	assert_true(acceptance_id(&a, other));
	assert_string_not_equal(id, other);
}

static void test_until(void **state)
{
	int64_t usec;

	(void)state;
	assert_true(acceptance_until(STR(""), &usec));
	assert_true(usec == INT64_MAX);
	assert_true(acceptance_until(STR("1970-01-01"), &usec));
	assert_true(usec == 86400 * INT64_C(1000000)); /* to the end of the day */
	assert_true(acceptance_until(STR("1970-01-01T00:00:01.5+00:00"), &usec));
	assert_true(usec == 1500000);
	assert_true(acceptance_until(STR("1970-01-01T01:00:00+01:00"), &usec));
	assert_true(usec == 0);
	assert_false(acceptance_until(STR("1970-13-01"), &usec));
}

/* ---- whom they are for ---- */

static const struct {
	struct acceptance a;
	bool is_for;
} objects[] = {
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web") }, true },
	{ { .kind = STATIC_STR("deployments"), .name = STATIC_STR("web") }, true },
	{ { .kind = STATIC_STR("deployments.apps"), .name = STATIC_STR("web") }, true },
	{ { .kind = STATIC_STR("Deployment.apps"), .name = STATIC_STR("web") }, true },
	{ { .kind = STATIC_STR("deploy*"), .name = STATIC_STR("web") }, true },
	{ { .kind = STATIC_STR("*"), .name = STATIC_STR("*") }, true },
	{ { .kind = STATIC_STR("Deployment.extensions"), .name = STATIC_STR("web") }, false },
	{ { .kind = STATIC_STR("Deploy"), .name = STATIC_STR("web") }, false },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("we") }, false },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("w*b"), .namespace = STATIC_STR("shop") }, true },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .namespace = STATIC_STR("sho") }, false },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .cluster = STATIC_STR("prod-*") }, true },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .cluster = STATIC_STR("test") }, false },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .reference = STATIC_STR("other") }, false },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .api_version = STATIC_STR("apps/*") }, true },
	{ { .kind = STATIC_STR("Deployment"), .name = STATIC_STR("web"), .api_version = STATIC_STR("v1") }, false },
	{ { .component = STATIC_STR("*/*") }, false },
};

static void test_objects(void **state)
{
	const struct accepted_object o = { STR("prod-1"),           STR("ref"),  STR("apps/v1"), STR("Deployment"),
					   STR("deployments.apps"), STR("shop"), STR("web"),     STR("") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		if (acceptance_for_object(&objects[i].a, &o) != objects[i].is_for)
			fail_msg("row %zu", i);
	}
}

static const struct {
	const char *of_acceptance, *violated;
	bool is_for;
} rules[] = {
	{ "", "", true },
	{ "", "self.a > 1", false }, /* what is accepted as drift hides no violation */
	{ "*", "", false },          /* nor the other way round */
	{ "*", "self.a > 1", true },
	{ "self.a > *", "self.a > 1", true },
	{ "self.a * 2 > 1", "self.a * 2 > 1", true },
	{ "self.a > 1*&& self.b", "  self.a > 1\n&& self.b\n", true },
	{ "self.a > 2", "self.a > 1", false },
};

static void test_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct acceptance a = { .kind = STR("Pod"),
					      .name = STR("a"),
					      .rule = str_from(rules[i].of_acceptance) };
		const struct accepted_object o = { .kind = STR("Pod"),
						   .name = STR("a"),
						   .rule = str_from(rules[i].violated) };

		if (acceptance_for_object(&a, &o) != rules[i].is_for)
			fail_msg("row %zu", i);
	}
}

static void test_components(void **state)
{
	struct acceptance a = { .component = STR("shop/n*"), .template_path = STR("*-deny.yaml") };
	const struct accepted_object o = { .kind = STR("Pod"), .name = STR("ab") };

	(void)state;
	assert_true(acceptance_for_component(&a, STR("c"), STR("r"), STR("shop"), STR("network")));
	assert_false(acceptance_for_component(&a, STR("c"), STR("r"), STR("shops"), STR("network")));
	assert_false(acceptance_for_component(&a, STR("c"), STR("r"), STR("shop"), STR("web")));
	assert_true(acceptance_for_template(&a, STR("default-deny.yaml")));
	assert_false(acceptance_for_template(&a, STR("web.yaml")));
	assert_false(acceptance_for_member(&a, &o)); /* it is about all of the component */
	a.kind = STR("Pod");
	a.name = STR("a*");
	assert_true(acceptance_for_member(&a, &o));
	assert_false(acceptance_for_object(&a, &o)); /* it is not about drift */
	a.name = STR("b");
	assert_false(acceptance_for_member(&a, &o));
}

/* ---- which changes ---- */

static const struct {
	const char *path, *value, *change, *actual;
	bool takes;
} changes[] = {
	{ "", NULL, "spec.replicas", "3", true },
	{ ".", NULL, "spec.replicas", "3", true },
	{ "spec", NULL, "spec.replicas", "3", true },
	{ "spec.replicas", NULL, "spec.replicas", "3", true },
	{ "spec.replicas", NULL, "spec.replicas", NULL, true },
	{ "spec.replica", NULL, "spec.replicas", "3", false },
	{ "spec.replicas.more", NULL, "spec.replicas", "3", false },
	{ "spec.repl*", NULL, "spec.replicas", "3", true },
	{ "spec.*.image", NULL, "spec.a.image", "3", true },
	{ "spec.*.image", NULL, "spec.a.b.image", "3", false },
	{ "spec.containers.*.image", NULL, "spec.containers[name=\"web\"].image", "3", true },
	{ "spec.containers.*.image", NULL, "spec.containers[2].image", "3", true },
	{ "spec.containers[name=\"w*\"]", NULL, "spec.containers[name=\"web\"].image", "3", true },
	{ "spec.containers[name=\"w*\"]", NULL, "spec.containers[0].image", "3", false },
	{ "spec.args[1]", NULL, "spec.args[1]", "3", true },
	{ "spec.args[1]", NULL, "spec.args[2]", "3", false },
	{ "metadata.labels[\"a.b/*\"]", NULL, "metadata.labels[\"a.b/c\"]", "3", true },
	{ "spec.replicas", "3", "spec.replicas", "3", true },
	{ "spec.replicas", "3", "spec.replicas", "3.0", true },
	{ "spec.replicas", "3", "spec.replicas", "\"3\"", true },
	{ "spec.replicas", "3", "spec.replicas", "4", false },
	{ "spec.replicas", "3", "spec.replicas", NULL, false },
	{ "spec.replicas", "", "spec.replicas", "\"\"", true },
	{ "spec.replicas", "", "spec.replicas", "null", false },
	{ "spec", "{\"a\": [1, 2]}", "spec", "{\"a\":[1,2]}", true },
	{ "spec", "3", "spec.replicas", "3", false }, /* the value is that of the path */
};

static bool takes(const char *path, const char *value, const char *change, const char *actual, bool sensitive)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(doc_unrefp) struct doc *d = actual ? document_of_json(str_from(actual)) : NULL;
	const struct acceptance from = {
		.kind = STR("*"), .name = STR("*"), .path = str_from(path), .value = str_from(value), .reason = STR("r")
	};
	struct change c = { .actual = d ? d->root : (val){ 0 }, .sensitive = sensitive };
	struct accepted_change x;
	struct err err;

	assert_true(path_parse(str_from(change), &a, &c.path));
	assert_int_equal(acceptance_compile(&from, &a, &x, &err), 0);
	return acceptance_takes(&x, &c);
}

static void test_changes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		if (takes(changes[i].path, changes[i].value, changes[i].change, changes[i].actual, false) !=
		    changes[i].takes)
			fail_msg("row %zu: %s", i, changes[i].path);
	}
}

static void test_a_hidden_value_cannot_be_guessed(void **state)
{
	(void)state;
	assert_true(takes("data", NULL, "data.password", "\"x\"", true));
	assert_false(takes("data.password", "x", "data.password", "\"x\"", true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_json_comes_back),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_until),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_a_hidden_value_cannot_be_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
