/* What rules are said to look at. That they go the same way over an object that has nothing else is a property that the
 * corpus of rules is held to (tests/conformance/suite_inspection.c). */
#include "rules/inspection/insp_read_set.h"

#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FAILS ", \"actions\": [{\"op\": \"fail\", \"args\": [\"{node} {inventory[previous]}\"]}]}"
#define IF(args) "{\"conditions\": [{\"op\": \"eq\", \"args\": " args "}]" FAILS
#define OVER(loop, args) "{\"conditions\": [{\"op\": \"eq\", \"loop\": " loop ", \"args\": " args "}]" FAILS
#define DO(op, args) "{\"actions\": [{\"op\": \"" op "\", \"args\": " args "}]}"
#define EACH(op, loop, args) "{\"actions\": [{\"op\": \"" op "\", \"loop\": " loop ", \"args\": " args "}]}"

static const struct {
	const char *rule;
	const char *ways; /* NULL: it cannot be known */
	bool quiet, previous;
	bool differs; /* it tells objects apart that are the same there */
} cases[] = {
	{ IF("[\"{node.spec.size}\", 1]"), "spec.size", true, true, false },
	{ IF("[\"{object.spec[a.b/c]} and {node.status.phase!r}\", \"x\"]"), "spec.a.b/c status.phase", true, true,
	  false },
	{ IF("[\"{node.kind}\", \"Pod\"]"), "kind", true, true, false },
	{ IF("[\"a constant\", \"{{node.spec}}\"]"), "", true, true, false },
	{ IF("[\"{node.spec.containers[0].image}\", 1]"), "spec.containers", true, true, false },
	{ IF("[\"{node.spec.a:{node.spec.width}}\", 1]"), "spec.a spec.width", true, true, false },
	{ IF("[\"{node.spec.a}\", \"{node.spec}\", \"{node.spec.b.c}\"]"), "spec.a spec", true, true, false },
	{ IF("[[\"{node.a.b}\", {\"{node.a.c}\": \"{node.a.d}\"}], 1]"), "a.b a.c a.d", true, true, false },
	{ OVER("\"{node.spec.list}\"", "[\"{item.x}\", \"{node.spec.a}\"]"), "spec.list.*.x spec.a", true, true,
	  false },
	{ OVER("\"{node.spec.list}\"", "[\"{item.x} {item.y!r}\", \"{item.z:{item.width}}\"]"),
	  "spec.list.*.x spec.list.*.y spec.list.*.z spec.list.*.width", true, true, false },
	{ OVER("\"{node.spec.list}\"", "[\"{item.x}\", \"{item}\"]"), "spec.list.*.x spec.list.*", true, true, false },
	{ OVER("\"{node.spec.list}\"", "[\"{item.data.key}\", 1]"), "spec.list.*", true, true, false },
	{ OVER("\"{node.spec.list}\"", "[\"{item[0]}\", 1]"), "spec.list.*", true, true, false },
	{ OVER("\"{node.spec.list}\"", "[\"{node.spec.a}\", 1]"), "spec.list spec.a", true, true, false },
	{ OVER("\"{node.spec.list!s}\"", "[\"{item.x}\", 1]"), "spec.list", true, true, false },
	{ OVER("\"{node.spec.list[0].below}\"", "[\"{item.x}\", 1]"), "spec.list", true, true, false },
	{ OVER("\"{node.spec.one.data.list}\"", "[\"{item.x}\", 1]"), "spec.one", true, true, false },
	{ OVER("[\"{node.spec.a}\", {\"k\": \"{node.spec.b}\"}]", "[\"{item}\", 1]"), "spec.a spec.b", true, true,
	  false },
	/* What is hidden depends on what the map is that has it. */
	{ IF("[\"{node.data.key}\", \"{node.metadata.annotations.a}\"]"), "data.key metadata.annotations.a", true, true,
	  false },
	{ IF("[\"{node.spec.object.data.key}\", 1]"), "spec.object", true, true, false },
	{ IF("[\"{node.spec.template.metadata.labels.a}\", \"{node.x.stringData}\"]"), "spec.template x", true, true,
	  false },
	/* Facts. */
	{ IF("[\"{inventory.name} {inventory[namespace]} {inventory.cluster}\", 1]"), "", true, true, true },
	{ IF("[\"{inventory.cluster} {inventory.api_version} {inventory[kind]}\", 1]"), "", true, true, false },
	{ IF("[\"{inventory[drifted]}\", \"{inventory[changes][0][path]}\"]"), "", true, true, true },
	{ IF("[\"{inventory[template]}\", \"{node.spec.a}\"]"), "spec.a", true, true, true },
	{ IF("[\"{inventory.raw.spec.size}\", 1]"), "spec.size", true, true, false },
	{ IF("[\"{inventory.raw}\", 1]"), NULL, true, true, false },
	{ IF("[\"{inventory.event}\", \"added\"]"), NULL, true, true, false },
	{ IF("[\"{inventory.other}\", \"added\"]"), NULL, true, true, false },
	{ IF("[\"{inventory}\", \"added\"]"), NULL, true, true, false },
	{ "{\"conditions\": [{\"op\": \"eq\", \"args\": [\"{inventory.previous.spec}\", 1]}],"
	  " \"actions\": [{\"op\": \"fail\", \"args\": [\"x\"]}]}",
	  NULL, true, true, false },
	/* All of the object, and dependents. */
	{ IF("[\"{node}\", 1]"), NULL, true, true, false },
	{ IF("[\"{node[0]}\", 1]"), NULL, true, true, false },
	{ IF("[\"{ports}\", 1]"), NULL, true, true, false },
	{ IF("[\"{port_groups.Pod}\", 1]"), NULL, true, true, false },
	{ DO("set-port-attribute", "[\"p\", \"a\", 1]"), NULL, false, false, false },
	/* Nothing is there, or it is a mistake, before anything is looked at. */
	{ IF("[\"{nothing.a} {item.b} {plugin_data.c} {0} {node.a\", 1]"), "", true, true, false },
	/* Actions whose run is no pass are not looked at, others are. */
	{ DO("log", "[\"{node} {inventory.event}\"]"), "", false, false, false },
	/* the mask looks at all of a verdict that any rule reads */
	{ DO("log", "[\"{inventory[changes]}\"]"), "", false, false, true },
	{ DO("set-attribute", "[\"/spec/a\", \"{node.spec.b}\"]"), "", false, false, false },
	{ DO("add-trait", "[\"{node.spec.b}\"]"), "", false, false, false },
	{ DO("api-call", "[\"http://{node.spec.b}\"]"), "", false, false, false },
	{ DO("set-plugin-data", "[\"{node.spec.a}\", \"{node.spec.b}\"]"), "spec.a spec.b", true, false, false },
	{ DO("fail", "[\"{node}\"]"), "", true, false, false },
	/* an action pays for the whole list */
	{ EACH("fail", "\"{node.spec.list}\"", "[\"{item.x} {node.spec.a}\"]"), "spec.list spec.a", true, false,
	  false },
};

static void ignore(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)field, (void)index, (void)key, (void)text;
}

static void describe(const struct object_ways *ways, struct buf *out)
{
	for (size_t i = 0; i < ways->p.n; i++) {
		buf_add_cstr(out, i ? " " : "");
		for (size_t k = 0; k < ways->p.p[i].n; k++)
			buf_printf(out, "%s%.*s", k ? "." : "",
				   STR_ARG(ways->p.p[i].names[k].p ? ways->p.p[i].names[k] : STR("*")));
	}
}

static void check(size_t i, struct key_table *keys)
{
	static const struct insp_report report = { ignore, NULL };
	static const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *d = document_of_json(str_from(cases[i].rule));
	CLEANUP(insp_rule_freep) struct insp_rule *rule = NULL;
	CLEANUP(buf_done) struct buf got = BUF_INIT(4096);
	struct object_ways ways;
	struct insp_set set;
	size_t mistakes;
	struct err err;
	bool alike;

	if (insp_rule_new(d->root, true, &limits, &report, &mistakes, &rule, &err) < 0)
		fail_msg("%s: %s", cases[i].rule, err.msg);
	assert_int_equal(insp_set_init(&set, NULL, 0, (const struct insp_rule *const *)&rule, 1, &err), 0);
	object_ways_init(&ways, keys);
	insp_set_reads(&set, &ways, &alike);
	describe(&ways, &got);
	if (ways.known != !!cases[i].ways || (ways.known && !str_eq(buf_str(&got), str_from(cases[i].ways))))
		fail_msg("%s: %s '%.*s'", cases[i].rule, ways.known ? "known" : "unknown", STR_ARG(buf_str(&got)));
	if (alike != (ways.known && !cases[i].differs))
		fail_msg("%s: alike %d", cases[i].rule, alike);
	if (insp_rule_is_quiet(rule) != cases[i].quiet || set.reads_previous != cases[i].previous)
		fail_msg("%s: quiet %d, previous %d", cases[i].rule, insp_rule_is_quiet(rule), set.reads_previous);
	object_ways_done(&ways);
	insp_set_done(&set);
}

static void test_reads(void **state)
{
	struct key_table *keys = key_table_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		check(i, keys);
	key_table_free(keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
