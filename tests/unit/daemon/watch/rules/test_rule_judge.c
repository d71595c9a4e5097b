/* Validation as state: what begins, changes and ends when objects and rules do, seen through the records. */
#include "daemon/watch/rules/rule_judge.h"

#include "daemon/findings/messages.h"
#include "rules/rule_path.h"
#include "support/capture.h"
#include "support/direct_sink.h"
#include "value/json.h"
#include "value/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CRD_HEAD                                                                                                       \
	"kind: CustomResourceDefinition\nmetadata: {name: widgets.e.x}\nspec:\n  group: e.x\n  names: {kind: "         \
	"Widget}\n"                                                                                                    \
	"  versions:\n  - name: v1\n    served: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"     \
	"        properties:\n          spec:\n            type: object\n            properties:\n"                    \
	"              size: {type: integer}\n              items: {type: array, items: {type: integer}}\n"            \
	"              password: {type: string}\n            x-kubernetes-validations:\n"

#define RULE(text) "            - {" text "}\n"

#define EXPENSIVE "self.items.all(a, self.items.all(b, self.items.all(c, a + b + c >= 0)))"

struct fixture {
	struct capture capture;
	struct sink *sink;
	struct findings *findings;
	struct acceptances *accepted;
	struct key_table *keys;
	struct limits limits;
	struct cfg cfg;
	struct rule_file *rule_file;
	struct rule_file *rule_files[1];
	struct snapshot snapshot;
	struct kind *widget, *secret;
	struct rule_judge *rules;
	size_t again;
};

static void again(void *ctx, struct kind *k)
{
	struct fixture *x = ctx;
	struct object *o;
	struct err err;
	size_t at = 0;

	x->again++;
	while ((o = index_each(&k->objects, &at)))
		assert_int_equal(rule_judge_object(x->rules, o, &err), 0);
}

static void start(struct fixture *x)
{
	struct rule_judge_options o = { .cfg = &x->cfg,
					.cluster = STR("c"),
					.findings = x->findings,
					.acceptances = x->accepted,
					.keys = x->keys,
					.limits = &x->limits,
					.again = again,
					.ctx = x };
	struct err err;

	snapshot_init(&x->snapshot, &x->limits, x->keys);
	x->widget = snapshot_kind(&x->snapshot, STR("e.x/v1"), STR("Widget"));
	x->secret = snapshot_kind(&x->snapshot, STR("v1"), STR("Secret"));
	snapshot_name_kind(&x->snapshot, x->widget, STR("widgets.e.x"));
	snapshot_name_kind(&x->snapshot, x->secret, STR("secrets"));
	assert_int_equal(rule_judge_new(&o, &x->rules, &err), 0);
	assert_int_equal(rule_judge_add_kind(x->rules, x->widget, &err), 0);
	assert_int_equal(rule_judge_add_kind(x->rules, x->secret, &err), 0);
}

static void stop(struct fixture *x)
{
	struct snapshot_drain at = { 0 };
	struct object *o;

	while ((o = snapshot_drain(&x->snapshot, &at))) {
		rule_judge_release(o);
		object_free(o);
	}
	snapshot_done(&x->snapshot);
	rule_judge_free(TAKE(x->rules));
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct problems problems = { 0 };
	struct err err;

	*state = x;
	if (!x || !capture_begin(&x->capture) || !(x->sink = sink_new_direct(CFG_OUTPUT_JSON)) ||
	    findings_new(x->sink, &x->findings, &err) < 0 || acceptances_new(&x->accepted, &err) < 0)
		return -1;
	x->limits = LIMITS_DEFAULT;
	x->keys = key_table_new();
	if (rule_file_parse(STR("apiVersion: v1\nkind: Secret\nat: .data.*\nrules:\n- rule: self == ''\n"
				"  messageExpression: \"'it is ' + self\"\n  severity: critical\n"),
			    "rules.yaml", &x->limits, x->keys, &x->rule_file, &problems, &err) < 0)
		return -1;
	x->rule_files[0] = x->rule_file;
	x->cfg = (struct cfg){ .validation_severity = SEVERITY_NOTICE, .rule_files = x->rule_files, .n_rule_files = 1 };
	start(x);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	stop(x);
	rule_file_free(x->rule_file);
	findings_free(x->findings);
	acceptances_free(x->accepted);
	sink_free(x->sink);
	key_table_free(x->keys);
	capture_end(&x->capture);
	free(x);
	return 0;
}

static struct doc *decode(struct fixture *x, const char *text)
{
	struct yaml_options o = { .limits = &x->limits, .keys = x->keys };
	struct doc *d = NULL;
	struct err err;

	if (yaml_decode(str_from(text), &o, &d, &err) < 0)
		fail_msg("%s\n%s", err.msg, text);
	return d;
}

static void crd(struct fixture *x, const char *text)
{
	CLEANUP(doc_unrefp) struct doc *d = decode(x, text);

	rule_judge_definition(x->rules, d);
}

/* An event of the object and its verdict. */
static struct object *update(struct fixture *x, struct kind *k, const char *name, const char *version, const char *rest)
{
	char text[4096], key[64];
	struct opened was = { 0 };
	struct object *o;
	struct err err;

	(void)snprintf(key, sizeof(key), "/%s", name);
	o = snapshot_add(&x->snapshot, k, str_from(key));
	(void)snprintf(text, sizeof(text),
		       "apiVersion: %.*s\nkind: %.*s\nmetadata: {name: %s, resourceVersion: \"%s\"}\n%s\n",
		       STR_ARG(k->api_version), STR_ARG(k->name), name, version, rest);
	was.previous = TAKE(o->doc);
	o->opened = &was;
	o->doc = decode(x, text);
	o->received_ns = 1;
	assert_int_equal(rule_judge_object(x->rules, o, &err), 0);
	o->received_ns = 0;
	o->opened = NULL;
	doc_unref(was.previous);
	return o;
}

static const char *field(const struct doc *d, const char *name)
{
	static char text[8192];

	(void)snprintf(text, sizeof(text), "%.*s", STR_ARG(val_str(val_get(d->root, str_from(name)))));
	return text;
}

static void expect(struct fixture *x, enum message m, const char *name, const char *value)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);

	assert_non_null(d);
	assert_string_equal(field(d, "MESSAGE_ID"), message_id(m));
	assert_string_equal(field(d, name), value);
}

static void expect_none(struct fixture *x)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);

	if (d)
		fail_msg("unexpected record: %s", field(d, "MESSAGE"));
}

static void test_a_rule_that_comes_and_goes(void **state)
{
	struct fixture *x = *state;

	rule_judge_definitions_known(x->rules);
	assert_int_equal(x->again, 1);
	update(x, x->widget, "a", "1", "spec: {size: 9}");
	expect_none(x);
	crd(x, CRD_HEAD RULE("rule: self.size < 5, fieldPath: .size"));
	expect(x, MESSAGE_VALIDATION_BEGIN, "MESSAGE",
	       "rule violation begins: widgets.e.x a spec.size: failed rule: self.size < 5 (notice)");
	crd(x, CRD_HEAD RULE("rule: self.size < 5, fieldPath: .size")); /* the same again */
	assert_int_equal(x->again, 2);
	expect_none(x);
	update(x, x->widget, "a", "2", "spec: {size: 9, items: [1]}"); /* still so */
	expect_none(x);
	crd(x, CRD_HEAD RULE("rule: self.size < 10"));
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_END_REASON", "the rule is gone");
	crd(x, CRD_HEAD RULE("rule: self.size < 7"));
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_RULE", "self.size < 7");
	rule_judge_definition_gone(x->rules, STR("widgets.e.x"));
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_RULE", "self.size < 7");
	expect_none(x);
}

static bool pass(struct fixture *x, struct rules_in_force *rules, const char *text, struct rules_passed *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(x->limits.arena_bytes);
	CLEANUP(doc_unrefp) struct doc *d = decode(x, text);

	return rules_in_force_pass(rules, d->root, &x->limits, &a, ret);
}

static struct object *add(struct fixture *x, const char *key, const char *text)
{
	struct object *o = snapshot_add(&x->snapshot, x->widget, str_from(key));

	o->doc = decode(x, text);
	return o;
}

/* What a thread finds out counts as long as the rules are those that it had. */
static void test_what_passes_ahead(void **state)
{
	struct fixture *x = *state;
	struct rules_in_force *first, *second;
	struct rules_passed passed = { 0 };
	struct object *o;
	uint64_t evaluations;

	crd(x, CRD_HEAD RULE("rule: self.size < 5"));
	assert_true(rule_judge_awaits(x->rules, x->widget));
	assert_null(rule_judge_lend(x->rules, x->widget));
	rule_judge_definitions_known(x->rules);
	assert_false(rule_judge_awaits(x->rules, x->widget));
	first = rule_judge_lend(x->rules, x->widget);
	assert_non_null(first);
	assert_false(pass(x, first, "{spec: {size: 9}}", &passed));
	assert_false(pass(x, first, "{spec: {size: x}}", &passed)); /* an error */
	assert_true(pass(x, first, "{spec: {size: 3}}", &passed));
	assert_int_equal(passed.evaluated, 1);

	o = add(x, "/a", "{apiVersion: e.x/v1, kind: Widget, metadata: {name: a}, spec: {size: 3}}");
	assert_true(rule_judge_may_pass(x->rules, o));
	assert_false(rule_judge_has_passed(x->rules, o));
	assert_false(rule_judge_take_passed(x->rules, o, NULL, &passed));
	evaluations = rule_judge_facts(x->rules).evaluations;
	assert_true(rule_judge_take_passed(x->rules, o, first, &passed));
	assert_true(rule_judge_has_passed(x->rules, o));
	assert_int_equal(rule_judge_facts(x->rules).evaluations, evaluations + 1);
	expect_none(x);

	crd(x, CRD_HEAD RULE("rule: self.size < 2")); /* it is judged again */
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_RULE", "self.size < 2");
	assert_false(rule_judge_has_passed(x->rules, o));
	assert_true(pass(x, first, "{spec: {size: 3}}", &passed)); /* they are still there */
	o = add(x, "/b", "{apiVersion: e.x/v1, kind: Widget, metadata: {name: b}, spec: {size: 1}}");
	assert_false(rule_judge_take_passed(x->rules, o, first, &passed));
	rules_in_force_unref(first);

	second = rule_judge_lend(x->rules, x->widget);
	assert_false(pass(x, second, "{spec: {size: 3}}", &passed));
	assert_true(pass(x, second, "{spec: {size: 1}}", &passed));
	o->role = OBJECT_FOREIGN;
	assert_false(rule_judge_take_passed(x->rules, o, second, &passed));
	o->role = OBJECT_OWN;
	assert_true(rule_judge_take_passed(x->rules, o, second, &passed));
	crd(x, CRD_HEAD RULE("rule: self.size >= oldSelf.size")); /* what it sees is not in the object alone */
	assert_true(rule_judge_awaits(x->rules, x->widget));
	assert_null(rule_judge_lend(x->rules, x->widget));
	rules_in_force_unref(second);

	crd(x, CRD_HEAD RULE("rule: self.size < 2"));
	assert_true(rule_judge_has_passed(x->rules, o));
	rule_judge_definition_gone(x->rules, STR("widgets.e.x"));
	crd(x, CRD_HEAD RULE("rule: self.size < 1")); /* nothing is judged before it is listed */
	assert_false(rule_judge_has_passed(x->rules, o));
}

#define HEAD "apiVersion: e.x/v1\nkind: Widget\n"
#define OBJECT(metadata, size) "{apiVersion: e.x/v1, kind: Widget, metadata: {" metadata "}, spec: {size: " size "}}"

static struct rules_in_force *rules_of_file(struct fixture *x, const char *text, struct rule_file **ret)
{
	struct rule_sources from = { .files = ret, .n_files = 1, .limits = &x->limits, .keys = x->keys };
	struct problems problems = { 0 };
	struct kind_rules rules;
	struct err err;

	assert_int_equal(rule_file_parse(str_from(text), "f", &x->limits, x->keys, ret, &problems, &err), 0);
	assert_int_equal(kind_rules_init(&rules, STR("e.x/v1"), STR("Widget"), &from, &err), 0);
	return rules_in_force_new(&rules, 1, x->keys);
}

/* An object passes without an evaluation if another one has passed in which the rules see the same, and only then. */
static void test_what_is_known_to_pass(void **state)
{
	static const struct {
		const char *rules, *first, *second;
		bool passes;
		uint64_t evaluated;
	} cases[] = {
		{ HEAD "rules: [{rule: self.spec.size < 5}]", OBJECT("name: a", "3"), OBJECT("name: b", "3"), true, 0 },
		{ HEAD "rules: [{rule: self.spec.size < 5}]", OBJECT("name: a", "3"), OBJECT("name: a", "4"), true, 1 },
		{ HEAD "rules: [{rule: self.spec.size < 5}]", OBJECT("name: a", "3"), OBJECT("name: a", "9"), false,
		  0 },
		{ HEAD "rules: [{rule: self.metadata.name != 'b'}]", OBJECT("name: a", "3"), OBJECT("name: b", "3"),
		  false, 0 },
		{ HEAD "namespace: team-*\nrules: [{rule: self.spec.size > 5}]",
		  OBJECT("name: a, namespace: other", "3"), OBJECT("name: a, namespace: team-a", "3"), false, 0 },
		{ HEAD "namespace: team-*\nrules: [{rule: self.spec.size > 5}]",
		  OBJECT("name: a, namespace: team-a", "6"), OBJECT("name: a, namespace: team-a", "6"), true, 1 },
		{ HEAD "name: b\nrules: [{rule: self.spec.size > 5}]", OBJECT("name: a", "3"), OBJECT("name: b", "3"),
		  false, 0 },
		{ HEAD "labelSelector: app=x\nrules: [{rule: self.spec.size > 5}]", OBJECT("name: a", "3"),
		  OBJECT("name: a, labels: {app: x}", "3"), false, 0 },
		/* the bits of the integer */
		{ HEAD "rules: [{rule: self.spec.size < 5}]", OBJECT("name: a", "1.0741570115158874e-85"),
		  OBJECT("name: b", "3335678366873096956"), false, 0 },
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rules_passed passed = { 0 };
		struct rule_file *file;
		struct rules_in_force *rules = rules_of_file(x, cases[i].rules, &file);

		assert_true(pass(x, rules, cases[i].first, &passed));
		assert_int_equal(pass(x, rules, cases[i].second, &passed), cases[i].passes);
		if (cases[i].passes)
			assert_int_equal(passed.evaluated, cases[i].evaluated);
		rules_in_force_unref(rules);
		rule_file_free(file);
	}
}

static void test_transition(void **state)
{
	struct fixture *x = *state;
	struct object *o;

	crd(x, CRD_HEAD RULE("rule: self.size >= oldSelf.size"));
	update(x, x->widget, "a", "1", "spec: {size: 9}");
	expect_none(x);
	update(x, x->widget, "a", "2", "spec: {size: 8}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_OLD", "{\"size\":9}");
	again(x, x->widget); /* nothing has changed: it stays */
	expect_none(x);
	update(x, x->widget, "a", "3", "spec: {size: 7}"); /* once more is news */
	expect(x, MESSAGE_VALIDATION_CHANGE, "DRIFTD_OLD", "{\"size\":8}");
	o = update(x, x->widget, "a", "4", "spec: {size: 7}");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_RULE", "self.size >= oldSelf.size");
	assert_null(o->open_rules);
	expect_none(x);
}

static void test_rules_that_cannot_be_evaluated(void **state)
{
	struct fixture *x = *state;
	CLEANUP(buf_done) struct buf items = BUF_INIT(4096);

	buf_add_cstr(&items, "spec: {items: [0");
	for (int i = 0; i < 300; i++)
		buf_printf(&items, ",%d", i % 10);
	buf_add(&items, "]}", 3); /* with its NUL */
	crd(x, CRD_HEAD RULE("rule: self.nope == 1") RULE("rule: '" EXPENSIVE "'"));
	expect(x, MESSAGE_ERROR_BEGIN, "DRIFTD_RULE", "self.nope == 1");
	update(x, x->widget, "a", "1", buf_str(&items).p);
	expect(x, MESSAGE_ERROR_BEGIN, "DRIFTD_RULE", EXPENSIVE);
	update(x, x->widget, "b", "1", buf_str(&items).p);
	expect_none(x); /* once for the rule */
	update(x, x->widget, "a", "2", "spec: {items: []}");
	expect_none(x);
	update(x, x->widget, "b", "2", "spec: {items: []}");
	expect(x, MESSAGE_ERROR_END, "DRIFTD_RULE", EXPENSIVE);
	assert_int_equal(rule_judge_facts(x->rules).invalid[RULES_OF_CRD], 1);
	assert_int_equal(rule_judge_facts(x->rules).rules[RULES_OF_CRD], 1);
	crd(x, CRD_HEAD RULE("rule: self.nope == 1") RULE("rule: 1 == 1"));
	expect_none(x); /* it is as wrong in another definition */
	crd(x, CRD_HEAD RULE("rule: self.size == 1"));
	expect(x, MESSAGE_ERROR_END, "DRIFTD_RULE", "self.nope == 1");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_MESSAGE_TEXT", "no such key: size evaluating rule: self.size == 1");
}

static void test_nothing_secret_is_shown(void **state)
{
	struct fixture *x = *state;
	struct object *o = update(x, x->secret, "s", "1", "data: {a.b: aHVudGVy, empty: ''}");
	CLEANUP(doc_unrefp) struct doc *begin = capture_next(&x->capture);

	assert_non_null(begin);
	assert_string_equal(field(begin, "DRIFTD_ACTUAL"), "(hidden)");
	assert_string_equal(field(begin, "DRIFTD_MESSAGE_TEXT"), "failed rule: self == ''");
	assert_string_equal(field(begin, "DRIFTD_SEVERITY"), "critical");
	assert_null(strstr(field(begin, "MESSAGE"), "aHVudGVy"));
	rule_judge_forget(x->rules, o, END_DELETED);
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_END_REASON", "object deleted");
	crd(x, CRD_HEAD RULE("rule: 'self.password == \"x\"', messageExpression: '\"no: \" + self.password'"));
	update(x, x->widget, "a", "1", "spec: {password: hunter2}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_MESSAGE_TEXT", "failed rule: self.password == \"x\"");
}

#define CRD_LOGIN                                                                                                      \
	"kind: CustomResourceDefinition\nmetadata: {name: widgets.e.x}\nspec:\n  group: e.x\n  names: {kind: "         \
	"Widget}\n"                                                                                                    \
	"  versions:\n  - name: v1\n    served: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"     \
	"        properties:\n          spec:\n            type: object\n            properties:\n"                    \
	"              login:\n                type: object\n                properties:\n"                            \
	"                  auth:\n                    type: string\n                    x-kubernetes-validations:\n"   \
	"                    - {rule: \"self == ''\", messageExpression: \"'it is ' + self\"}\n"

/* A key that is written like the place of another value is not that place. */
static void test_a_key_like_a_place(void **state)
{
	struct fixture *x = *state;
	CLEANUP(doc_unrefp) struct doc *begin = NULL;

	crd(x, CRD_LOGIN);
	update(x, x->widget, "a", "1", "spec: {login: {auth: hunter2}, login.auth: x}");
	begin = capture_next(&x->capture);
	assert_non_null(begin);
	assert_string_equal(field(begin, "DRIFTD_PATH"), "spec.login.auth");
	assert_string_equal(field(begin, "DRIFTD_ACTUAL"), "(hidden)");
	assert_string_equal(field(begin, "DRIFTD_MESSAGE_TEXT"), "failed rule: self == ''");
}

/* What an earlier life found is neither repeated nor forgotten, also while the CRDs have not been seen yet. */
static void test_restart(void **state)
{
	struct fixture *x = *state;
	static const char rules[] = CRD_HEAD RULE("rule: self.size < 5") RULE("rule: self.size >= oldSelf.size");

	crd(x, rules);
	update(x, x->widget, "a", "1", "spec: {size: 9}");
	update(x, x->widget, "a", "2", "spec: {size: 8}");
	assert_int_equal(capture_count(&x->capture), 2);
	stop(x);
	findings_unconfirm(x->findings, STR("c"));
	start(x);
	update(x, x->widget, "a", "2", "spec: {size: 8}");
	expect_none(x);
	crd(x, rules);
	rule_judge_definitions_known(x->rules);
	expect_none(x);
	update(x, x->widget, "a", "3", "spec: {size: 8}");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_RULE", "self.size >= oldSelf.size");
	update(x, x->widget, "a", "4", "spec: {size: 4}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_RULE", "self.size >= oldSelf.size");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_RULE", "self.size < 5");
}

/* A Secret whose keys from @first up to below @end are not empty, of @n in all; in the order of the numbers. */
static struct object *secret(struct fixture *x, size_t n, size_t first, size_t end)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(16u << 20);
	struct json_options o = { .limits = &x->limits, .keys = x->keys };
	struct object *object = snapshot_add(&x->snapshot, x->secret, STR("/s"));
	struct err err;

	buf_add_cstr(&b, "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"data\":{");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\"k%06zu\":\"%s\"", i ? "," : "", i, i >= first && i < end ? "eA==" : "");
	buf_add_cstr(&b, "}}");
	doc_unref(TAKE(object->doc));
	assert_int_equal(json_decode(buf_str(&b), &o, &object->doc, &err), 0);
	object->received_ns = 1;
	assert_int_equal(rule_judge_object(x->rules, object, &err), 0);
	object->received_ns = 0;
	return object;
}

static void test_many_failures_are_counted(void **state)
{
	struct fixture *x = *state;
	const size_t reported = FINDINGS_PER_OBJECT_MAX;
	struct object *o;

	secret(x, 300, 0, 250);
	for (size_t i = 0; i < reported; i++)
		expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_RULE", "self == ''");
	expect(x, MESSAGE_VALIDATION_BEGIN, "MESSAGE",
	       "rule violation begins: secrets s fails 150 more rules than are reported one by one (critical)");
	expect_none(x);
	assert_int_equal(rule_judge_facts(x->rules).counted_only, 250 - reported);
	secret(x, 300, 0, 240); /* others fail, and fewer: neither is news */
	expect_none(x);
	assert_int_equal(rule_judge_facts(x->rules).counted_only, 240 - reported);
	secret(x, 300, 1, 240); /* one is repaired, the next takes its place */
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "data.k000100");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_PATH", "data.k000000");
	secret(x, 300, 0, 240); /* and back: what still fails has not ended well */
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "data.k000000");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_END_REASON", "it still fails, and is only counted");
	expect_none(x);
	secret(x, 300, 0, reported);
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_RULE", "(more rules than are reported)");
	expect_none(x);
	assert_int_equal(rule_judge_facts(x->rules).counted_only, 0);
	o = secret(x, 300, 0, reported + 1);
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH_COUNT", "1");
	rule_judge_forget(x->rules, o, END_DELETED);
	assert_int_equal(capture_count(&x->capture), reported + 1);
	assert_int_equal(rule_judge_facts(x->rules).counted_only, 0);
}

/* Also over a restart. */
static void test_what_is_counted_stays_open(void **state)
{
	struct fixture *x = *state;

	secret(x, 300, 0, 250);
	assert_int_equal(capture_count(&x->capture), FINDINGS_PER_OBJECT_MAX + 1);
	stop(x);
	findings_unconfirm(x->findings, STR("c"));
	start(x);
	secret(x, 300, 0, 250);
	expect_none(x);
	assert_int_equal(findings_counters(x->findings, STR("c"))->unconfirmed, 0);
	secret(x, 300, 0, 0);
	assert_int_equal(capture_count(&x->capture), FINDINGS_PER_OBJECT_MAX + 1);
}

/* ---- accepted violations ---- */

static void accept(struct fixture *x, const char *kind, const char *path, const char *value)
{
	const struct acceptance a = { .kind = str_from(kind),
				      .name = STR("*"),
				      .rule = STR("*"),
				      .path = str_from(path),
				      .value = str_from(value),
				      .reason = STR("a test") };
	struct err err;

	assert_int_equal(acceptances_put(x->accepted, &a, false, &err), 0);
	acceptances_tick(x->accepted, 1);
}

/* What stands for many is accepted with them, also over a restart. */
static void test_many_are_accepted(void **state)
{
	const size_t reported = FINDINGS_PER_OBJECT_MAX + 1;
	struct fixture *x = *state;
	const struct finding_counters *c = findings_counters(x->findings, STR("c"));

	secret(x, 300, 0, 250);
	assert_int_equal(capture_count(&x->capture), reported);
	accept(x, "Secret", "", NULL);
	again(x, x->secret);
	assert_int_equal(capture_count(&x->capture), 2 * reported); /* each ends, and is accepted */
	assert_int_equal(findings_open(c, FINDING_VALIDATION), 0);
	assert_int_equal(findings_open(c, FINDING_ACCEPTED), reported);
	stop(x);
	findings_unconfirm(x->findings, STR("c"));
	start(x);
	secret(x, 300, 0, 250);
	expect_none(x);
	assert_int_equal(c->unconfirmed, 0);
	secret(x, 300, 0, 1);
	assert_int_equal(capture_count(&x->capture), reported - 1);
	assert_int_equal(findings_open(c, FINDING_ACCEPTED), 1);
	rule_judge_forget(x->rules, secret(x, 300, 0, 1), END_DELETED);
	expect(x, MESSAGE_ACCEPTED_END, "DRIFTD_END_REASON", "object deleted");
	expect_none(x);
}

/* Who tries values of what is hidden learns nothing. */
static void test_a_hidden_value_is_not_accepted(void **state)
{
	struct fixture *x = *state;

	accept(x, "Secret", "data.k000000", "eA==");
	secret(x, 1, 0, 1);
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "data.k000000");
	accept(x, "Secret", "data.k000000", NULL);
	again(x, x->secret);
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_END_REASON", "accepted: a test");
	expect(x, MESSAGE_ACCEPTED_BEGIN, "DRIFTD_ACTUAL", "(hidden)");
	expect_none(x);
}

/* The value is that of the place, also where a rule looks at more. */
static void test_the_value_at_the_place(void **state)
{
	struct fixture *x = *state;

	crd(x, CRD_HEAD RULE("rule: self.size < 5, fieldPath: .size"));
	accept(x, "Widget", "spec.size", "7");
	update(x, x->widget, "a", "1", "spec: {size: 7}");
	expect(x, MESSAGE_ACCEPTED_BEGIN, "DRIFTD_PATH", "spec.size");
	update(x, x->widget, "a", "2", "spec: {size: 8}");
	expect(x, MESSAGE_ACCEPTED_END, "DRIFTD_END_REASON", "no longer needed");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "spec.size");
	update(x, x->widget, "a", "3", "spec: {size: 1}");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_PATH", "spec.size");
	expect_none(x);
}

/* A transition rule cannot be asked again: its violation goes on, in the words of the rule. */
static void test_an_accepted_transition(void **state)
{
	struct fixture *x = *state;

	crd(x, CRD_HEAD RULE("rule: self.size >= oldSelf.size, fieldPath: .size, message: it shrinks"));
	update(x, x->widget, "a", "1", "spec: {size: 9}");
	update(x, x->widget, "a", "2", "spec: {size: 8}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_MESSAGE_TEXT", "it shrinks");
	accept(x, "Widget", "spec.size", "8");
	again(x, x->widget);
	expect_none(x); /* by a value only what is known now is accepted */
	accept(x, "Widget", "spec.size", NULL);
	again(x, x->widget);
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_END_REASON", "accepted: a test");
	expect(x, MESSAGE_ACCEPTED_BEGIN, "DRIFTD_MESSAGE_TEXT", "it shrinks");
	again(x, x->widget);
	expect_none(x);
	update(x, x->widget, "a", "3", "spec: {size: 8}");
	expect(x, MESSAGE_ACCEPTED_END, "DRIFTD_END_REASON", "no longer needed");
	expect_none(x);
}

/* It took hours when what is open, and each key of a path, was searched for from the start. */
static void test_very_many_failures(void **state)
{
	struct fixture *x = *state;

	secret(x, 100000, 0, 100000);
	secret(x, 100000, 0, 100000);
	assert_int_equal(capture_count(&x->capture), FINDINGS_PER_OBJECT_MAX + 1);
	assert_int_equal(rule_judge_facts(x->rules).counted_only, 100000 - FINDINGS_PER_OBJECT_MAX);
}

static void test_field_paths(void **state)
{
	static const char *const cases[][2] = {
		{ "", "." },
		{ "spec.size", "spec.size" },
		{ "spec.list[1].x", "spec.list[1].x" },
		{ "data[a.b]", "data[\"a.b\"]" },
		{ "data.a.b", "data[\"a.b\"]" },
		{ "data[x]y]", "data[\"x]y\"]" },
		{ "data[0]", "data.0" },
		{ "spec.gone.deeper", "spec.gone.deeper" },
		{ "['a.b']", "[\"a.b\"]" },
		{ "keys.a.b.c.d", "keys[\"a.b.c\"].d" },
		{ "keys.a.b.d", "keys[\"a.b\"].d" },
		{ "keys.a.bc", "keys.a.bc" },
		{ "keys.a.b[0]", "keys[\"a.b\"][0]" },
	};
	struct fixture *x = *state;
	CLEANUP(doc_unrefp)
	struct doc *d = decode(x, "{spec: {size: 1, list: [{x: 1}, {x: 2}]}, data: {a.b: 1, 'x]y': 2, '0': 3}, a.b: 1, "
				  "keys: {a: {bc: 1}, a-b: 1, a.b: [1], a.b-c: 1, a.b.c: {d: 1}, a.b.cc: 1, b: 1}}");

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct cel_where where = { .text = { "", 0 } };
		str text;

		assert_true(rule_path_below(&where, str_from(cases[i][0]), d->root, &a));
		assert_true(str_eq(where.text, str_from(cases[i][0])));
		text = path_text(where.at, &a);
		if (!str_eq(text, str_from(cases[i][1])))
			fail_msg("%s: '%.*s' instead of '%s'", cases[i][0], STR_ARG(text), cases[i][1]);
	}
}

#define PARTS_CRD                                                                                                      \
	"kind: CustomResourceDefinition\nmetadata: {name: widgets.e.x}\nspec:\n  group: e.x\n  names: {kind: "         \
	"Widget}\n"                                                                                                    \
	"  versions:\n  - name: v1\n    served: true\n    schema:\n      openAPIV3Schema:\n        type: object\n"     \
	"        properties:\n          spec:\n            type: object\n            properties:\n"                    \
	"              parts:\n                type: array\n                x-kubernetes-list-type: map\n"             \
	"                x-kubernetes-list-map-keys: [name, side]\n                items:\n"                           \
	"                  type: object\n                  properties: {name: {type: string}, size: {type: integer}, " \
	"side: {type: string, default: left}}\n"                                                                       \
	"                  x-kubernetes-validations: [{rule: self.size < 5, fieldPath: .size}]\n"

#define PLACE_X "spec.parts[name=\"x\",side=\"left\"].size"

/* An element that has a key is called by it: it may stand where it likes. */
static void test_a_place_has_a_name(void **state)
{
	struct fixture *x = *state;

	crd(x, PARTS_CRD);
	update(x, x->widget, "a", "1", "spec: {parts: [{name: x, size: 9}, {name: y, size: 1}]}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", PLACE_X);
	update(x, x->widget, "a", "2", "spec: {parts: [{name: y, size: 1}, {name: x, side: left, size: 9}]}");
	expect_none(x);
	update(x, x->widget, "a", "3",
	       "spec: {parts: [{name: x, side: right, size: 9}, {size: 7}, {name: x, size: 9}, {name: x, size: 9}]}");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "spec.parts[name=\"x\",side=\"right\"].size");
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "spec.parts[1].size"); /* it has no key */
	expect(x, MESSAGE_VALIDATION_BEGIN, "DRIFTD_PATH", "spec.parts[name=\"x\",side=\"left\"#2].size");
	expect_none(x);
}

/* What an older driftd told by the number of an element goes on under its name. */
static void test_a_place_gets_a_name(void **state)
{
	static const char parts[] = "spec: {parts: [{name: y, size: 1}, {name: x, size: 9}]}";
	struct fixture *x = *state;
	const struct finding *reported;
	char id[FINDING_ID_SIZE];
	size_t at = 0;

	crd(x, PARTS_CRD);
	rule_judge_definitions_known(x->rules);
	update(x, x->widget, "a", "1", parts);
	assert_int_equal(capture_count(&x->capture), 1);
	stop(x);
	reported = findings_each(x->findings, &at);
	memcpy(id, reported->id, sizeof(id));
	assert_true(findings_move(x->findings, FINDING_VALIDATION, &reported->subject, STR("spec.parts[1].size")));
	findings_unconfirm(x->findings, STR("c"));
	start(x);
	crd(x, PARTS_CRD);
	rule_judge_definitions_known(x->rules);
	update(x, x->widget, "a", "2", parts);
	expect_none(x);
	at = 0;
	reported = findings_each(x->findings, &at);
	assert_true(reported && reported->confirmed && str_eq(reported->subject.rule_path, STR(PLACE_X)));
	assert_memory_equal(reported->id, id, sizeof(id));
	assert_null(findings_each(x->findings, &at));
	update(x, x->widget, "a", "3", "spec: {parts: [{name: x, size: 1}]}");
	expect(x, MESSAGE_VALIDATION_END, "DRIFTD_PATH", PLACE_X);
	expect_none(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_place_has_a_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_place_gets_a_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_rule_that_comes_and_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_passes_ahead, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_known_to_pass, setup, teardown),
		cmocka_unit_test_setup_teardown(test_transition, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rules_that_cannot_be_evaluated, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_secret_is_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_key_like_a_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_restart, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_failures_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_counted_stays_open, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_are_accepted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_hidden_value_is_not_accepted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_value_at_the_place, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_accepted_transition, setup, teardown),
		cmocka_unit_test_setup_teardown(test_very_many_failures, setup, teardown),
		cmocka_unit_test_setup_teardown(test_field_paths, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
