/* The parser against libyaml: on texts that mean the same to both, the nodes are libyaml's events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "support/yaml_ways.h"
#include "value/yaml_parse.h"

#include <glob.h>
#include <yaml.h>

static const char *or_empty(const unsigned char *s)
{
	return s ? (const char *)s : "";
}

/* The events of the first document, a line each. False when libyaml refuses it. */
static bool dump_events(str text, struct buf *out)
{
	yaml_parser_t p;
	yaml_event_t e;
	bool ok = true, done = false;

	assert_true(yaml_parser_initialize(&p));
	yaml_parser_set_input_string(&p, (const unsigned char *)text.p, text.n);
	while (ok && !done) {
		ok = yaml_parser_parse(&p, &e);
		if (!ok)
			break;
		done = e.type == YAML_DOCUMENT_END_EVENT || e.type == YAML_STREAM_END_EVENT;
		if (e.type == YAML_SCALAR_EVENT)
			buf_printf(out, "scalar %d %s\n", e.data.scalar.plain_implicit, or_empty(e.data.scalar.value));
		else if (e.type == YAML_ALIAS_EVENT)
			buf_printf(out, "alias %s\n", or_empty(e.data.alias.anchor));
		else if (e.type == YAML_MAPPING_START_EVENT || e.type == YAML_SEQUENCE_START_EVENT)
			buf_add_cstr(out, e.type == YAML_MAPPING_START_EVENT ? "{\n" : "[\n");
		else if (e.type == YAML_MAPPING_END_EVENT || e.type == YAML_SEQUENCE_END_EVENT)
			buf_add_cstr(out, "end\n");
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
	return ok;
}

static void dump_node(const struct yaml_node *nodes, uint32_t index, struct buf *out)
{
	const struct yaml_node *n = &nodes[index];

	if (n->kind == YAML_NODE_SCALAR) {
		buf_printf(out, "scalar %d %.*s\n", n->implicit, STR_ARG(n->text));
		return;
	}
	if (n->kind == YAML_NODE_ALIAS) {
		buf_printf(out, "alias %.*s\n", STR_ARG(n->text));
		return;
	}
	buf_add_cstr(out, n->kind == YAML_NODE_MAPPING ? "{\n" : "[\n");
	for (uint32_t at = index + 1; at < n->next; at = nodes[at].next)
		dump_node(nodes, at, out);
	buf_add_cstr(out, "end\n");
}

static void compare(str text)
{
	CLEANUP(buf_done) struct buf expected = BUF_INIT(1 << 24), got = BUF_INIT(1 << 24), scratch = BUF_INIT(1 << 24);
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_tree tree;
	struct arena a;
	struct err err;

	if (!dump_events(text, &expected))
		return;
	arena_init(&a, 0, 0);
	if (yaml_parse(text, &limits, &a, &scratch, &tree, &err) < 0)
		fail_msg("%s: %.*s", err.msg, STR_ARG(text));
	if (tree.nodes.n)
		dump_node(tree.nodes.p, 0, &got);
	yaml_tree_done(&tree);
	arena_done(&a);
	assert_string_equal(buf_str(&got).p, buf_str(&expected).p);
}

static void assert_same_ways(str text)
{
	if (!yaml_ways_agree(text))
		fail_msg("%.*s", STR_ARG(text));
}

/* Every text of a few words of YAML, joined in every order: what looks ordinary and is not is among them. */
static void test_ways(void **state)
{
	static const char *const words[] = { "a",  " ",      ": ",  ":",      "\n",      "\n ",
					     "- ", "\n  ",   "'b'", "\"c\" ", "#d",      "|\n",
					     "[]", "{e: f}", "\t",  "---\n",  "\n...\n", "\xC3\xA9" };
	const size_t n = ARRAY_LEN(words), longest = 5;
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	size_t all = 1;

	(void)state;
	for (size_t i = 0; i < longest; i++)
		all *= n;
	for (size_t i = 0; i < all; i++) {
		buf_clear(&text);
		for (size_t k = 0, rest = i; k < longest; k++, rest /= n)
			buf_add_cstr(&text, words[rest % n]);
		assert_same_ways(buf_str(&text));
	}
}

static void test_rules(void **state)
{
	static const char *const texts[] = {
		"a: 1\nb: [x, y: z, {p: q}]\n",
		"- a\n-\n- - b\n  - c\n",
		"? k\n: v\n? l\n",
		"k: |\n  a\n\n   b\nl: >\n  c\n  d\n\n  e\n",
		"'x''y': \"a\\n\\x41\\\n  b\"\n",
		"&a x: *a\n",
		"%YAML 1.1\n---\n!!str x\n...\n",
		"k:\n- 1\n- 2\nl:\n  - 3\n",
		"a: b c\n  d\n\n  e # f\n",
		"{a: , b}",
		"[[], {}, [a, [b]]]\n",
		"--- >-\n x\n y\n",
		"a: &b\n  c: d\ne: *b\n",
		"key: !t value\nother: ! x\n",
		"\"quoted\n\n  fold\": 1\n",
		"x: |1\n  a\ny: |-\n\n  b\n",
		"- ? a\n  : b\n- c: d\n  e: f\n",
		/* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one text on two lines */
		"---\na:\n  b: c d # e\n  f:\n  - g\n  - h: i\n    j: k\n  -\n  - - l\n    - m\nn: |-\n  o\n\"p q\" : "
		"'r'\ns:\nt: [u]\n",
		"a: b\n  c\nd: \"e\n  f\"\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		compare(str_from(texts[i]));
		assert_same_ways(str_from(texts[i]));
	}
}

static void test_files(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob(TEST_DATA "/value/yaml/*.yaml", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		CLEANUP(freep) char *text = NULL;
		struct err err;
		size_t n;

		assert_int_equal(file_read(found.gl_pathv[i], 1 << 20, &text, &n, &err), 0);
		compare((str){ text, n });
		assert_same_ways((str){ text, n });
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
