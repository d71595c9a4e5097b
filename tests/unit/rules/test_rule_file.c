/* Which objects an entry of a rule file is for. tests/data/config/bad/rules has its mistakes. */
#include "rules/rule_file.h"

#include "value/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static struct limits limits = LIMITS_DEFAULT;

static struct rule_file *parse(const char *head)
{
	struct problems problems = { 0 };
	struct rule_file *f = NULL;
	char text[1024];
	struct err err;

	(void)snprintf(text, sizeof(text), "%s\nrules: [{rule: 'true'}]\n", head);
	if (rule_file_parse(str_from(text), "f", &limits, NULL, &f, &problems, &err) < 0) {
		CLEANUP(freep) char *list = problems_text(&problems);

		problems_done(&problems);
		fail_msg("%s: %s", head, list ? list : err.msg);
	}
	return f;
}

static void test_kinds(void **state)
{
	static const struct {
		const char *head, *api_version, *kind;
		bool matches, one;
	} cases[] = {
		{ "apiVersion: v1\nkind: Pod", "v1", "Pod", true, true },
		{ "apiVersion: v1\nkind: Pod", "v1", "Pods", false, true },
		{ "apiVersion: '*'\nkind: '*'", "apps/v1", "Deployment", true, false },
		{ "apiVersion: apps/*\nkind: '*Set'", "apps/v1", "StatefulSet", true, false },
		{ "apiVersion: apps/*\nkind: '*Set'", "apps/v1", "SetStates", false, false },
		{ "apiVersion: '*a*b*'\nkind: X", "1a2a3b", "X", true, false },
		{ "apiVersion: '*a*b*'\nkind: X", "b1a", "X", false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(rule_file_freep) struct rule_file *f = parse(cases[i].head);

		assert_int_equal(f->sets.n, 1);
		assert_int_equal(
			rule_set_for_kind(&f->sets.p[0], str_from(cases[i].api_version), str_from(cases[i].kind)),
			cases[i].matches);
		assert_int_equal(rule_set_names_kind(&f->sets.p[0]), cases[i].one);
	}
}

static void test_objects(void **state)
{
	static const struct {
		const char *condition;
		bool matches;
	} cases[] = {
		{ "namespace: shop", true },
		{ "namespace: sh*", true },
		{ "namespace: hop", false },
		{ "name: web", true },
		{ "name: 'w'", false },
		{ "labelSelector: app=web", true },
		{ "labelSelector: app==web,tier!=back", true },
		{ "labelSelector: app != web", false },
		{ "labelSelector: app in (db, web), !gone, tier", true },
		{ "labelSelector: app notin (db, web)", false },
		{ "labelSelector: gone notin (db)", true },
		{ "labelSelector: gone", false },
		{ "labelSelector: 'empty='", true },
		{ "labelSelector: {matchLabels: {app: web, tier: front}}", true },
		{ "labelSelector: {matchLabels: {app: web, tier: back}}", false },
		{ "labelSelector: {matchExpressions: [{key: app, operator: In, values: [web]}, {key: gone, operator: "
		  "DoesNotExist}]}",
		  true },
		{ "labelSelector: {matchExpressions: [{key: tier, operator: NotIn, values: [front]}]}", false },
	};
	struct yaml_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	(void)state;
	assert_int_equal(
		yaml_decode(STR("metadata: {namespace: shop, name: web, labels: {app: web, tier: front, empty: ''}}"),
			    &o, &d, &err),
		0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(rule_file_freep) struct rule_file *f = NULL;
		char head[512];

		(void)snprintf(head, sizeof(head), "apiVersion: v1\nkind: ConfigMap\n%s", cases[i].condition);
		f = parse(head);
		if (rule_set_for_object(&f->sets.p[0], d->root) != cases[i].matches)
			fail_msg("%s", cases[i].condition);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
