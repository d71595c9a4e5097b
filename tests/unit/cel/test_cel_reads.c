/* What rules are said to read. That they say the same of an object with nothing else is a property that the corpus of
 * rules is held to (tests/conformance/suite_cel_rules.c). */
#include "cel/cel_reads.h"
#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const struct {
	const char *schema; /* NULL: none */
	const char *rule, *ways;
} cases[] = {
	{ NULL, "self.a.b == 1", "a.b" },
	{ NULL, "has(self.a.b) && self.a.c > 1", "a.b a.c" },
	{ NULL, "self.a['b c'].d == self.e[0]", "a.b c.d e" },
	{ NULL, "self.a[self.b].c == 1", "b a" },
	{ NULL, "self.a.all(x, x.b == self.c)", "a c" },
	{ NULL, "self.a.exists(x, x > 1) && self.b", "a b" },
	{ NULL, "self.a.map(x, x.b).size() == self.d", "a d" },
	{ NULL, "self.?a.?b.orValue(1) == 1", "a.b" },
	{ NULL, "[self.a, self.c].size() == 2 && size({'k': self.b}) == 1", "a c b" },
	{ NULL, "self == {}", "." },
	{ NULL, "1 == 1", "." },
	{ NULL, "(self.a ? self.b : self.c).d == 1", "a b c" },
	{ NULL, "self.a == oldSelf.a", "a" },
	{ "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
	  "\"string\"},\"namespace\":{\"type\":\"string\"}},\"x-kubernetes-validations\":[{\"rule\":%s}]}}}",
	  "self.a == 'x'", "spec.a" },
	{ "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
	  "\"string\"},\"namespace\":{\"type\":\"string\"}},\"x-kubernetes-validations\":[{\"rule\":%s}]}}}",
	  "self.__namespace__ == 'x'", "spec" },
	{ "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
	  "\"x-kubernetes-validations\":[{\"rule\":%s}]}}}}",
	  "self == 'x'", "spec" },
	{ "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"additionalProperties\":{\"type\":"
	  "\"string\",\"x-kubernetes-validations\":[{\"rule\":%s}]}}}}",
	  "self == 'x'", "spec" },
	{ "{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"string\",\"x-kubernetes-validations\":[{\"rule\":"
	  "%s}]}}}",
	  "self.nothing == 'x'", "spec" }, /* it does not compile */
	{ "{\"type\":\"object\",\"x-kubernetes-validations\":[{\"rule\":%s}]}", "self.metadata.name.size() < 9",
	  "metadata.name" },
};

static bool add(void *ctx, const str *names, size_t n)
{
	struct buf *b = ctx;

	buf_add_cstr(b, b->n ? " " : "");
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%.*s", i ? "." : "", STR_ARG(names[i]));
	buf_add_cstr(b, n ? "" : ".");
	return true;
}

static struct cel_rules *compile(const char *schema, const char *rule, struct doc **ret)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(4096);
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	struct limits lim = LIMITS_DEFAULT;
	struct cel_rules *rules;
	struct err err;
	int r;

	json_encode_string(str_from(rule), JSON_PLAIN, &quoted);
	buf_add_byte(&quoted, '\0');
	buf_printf(&text, schema ? schema : "[{\"rule\":%s}]", quoted.p);
	*ret = document_of_json(buf_str(&text));
	if (schema)
		r = cel_rules_compile((*ret)->root, (val){ 0 }, true, &lim, &rules, &err);
	else
		r = cel_rules_compile((val){ 0 }, (*ret)->root, false, &lim, &rules, &err);
	assert_int_equal(r, 0);
	return rules;
}

static void test_reads(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf ways = BUF_INIT(4096);
		CLEANUP(doc_unrefp) struct doc *d = NULL;
		CLEANUP(cel_rules_freep) struct cel_rules *rules = compile(cases[i].schema, cases[i].rule, &d);

		assert_true(cel_rules_reads(rules, add, &ways));
		if (!str_eq(buf_str(&ways), str_from(cases[i].ways)))
			fail_msg("%s reads '%.*s'", cases[i].rule, STR_ARG(buf_str(&ways)));
		assert_int_equal(cel_rules_transition(rules), strstr(cases[i].rule, "oldSelf") != NULL);
	}
}

/* A macro may put its target into the tree twice, and so on: what takes too long to find out is all. */
static void test_shared_targets(void **state)
{
	CLEANUP(buf_done) struct buf rule = BUF_INIT(4096);
	CLEANUP(buf_done) struct buf ways = BUF_INIT(1 << 20);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	CLEANUP(cel_rules_freep) struct cel_rules *rules = NULL;

	(void)state;
	buf_add_cstr(&rule, "self.?s");
	for (int i = 0; i < 60; i++)
		buf_add_cstr(&rule, ".optMap(x, x)");
	buf_add_cstr(&rule, ".hasValue()");
	buf_add_byte(&rule, '\0');
	rules = compile(NULL, rule.p, &d);
	(void)!cel_rules_reads(rules, add, &ways);
	assert_true(str_has_suffix(buf_str(&ways), STR(" .")) || str_eq(buf_str(&ways), STR("s")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_shared_targets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
