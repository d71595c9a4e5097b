/* Which templates are plain, and that looking their fields up renders what executing them does. */
#include "reference/ref_plain.h"
#include "template/fn/library.h"
#include "value/json.h"
#include "value/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct limits limits;

static struct tmpl *parse_template(const char *text)
{
	struct tmpl_source source = { STR("t.yaml"), str_from(text) };
	struct tmpl *t;
	struct err err;

	assert_int_equal(tmpl_parse(&source, 1, &tmpl_library, &limits, &t, NULL, &err), 0);
	return t;
}

static struct doc *parse_json(const char *text)
{
	struct json_options o = { .limits = &limits };
	struct doc *d;
	struct err err;

	assert_int_equal(json_decode(str_from(text), &o, &d, &err), 0);
	return d;
}

static void test_which(void **state)
{
	static const struct {
		const char *template;
		bool plain;
	} cases[] = {
		{ "kind: Pod\n", true },
		{ "kind: Pod\nmetadata: {name: {{ .metadata.name }}}\n", true },
		{ "a: x-{{ .a }}{{ .b.c }}-y\nb: '{{ .a }}'\n", true },
		{ "a: {{- .a }}\n{{/* why */}}b: 1\n", false }, /* "a:" and what follows are one scalar */
		{ "a: {{ .a -}}\n", true },
		{ "{{ .a }}: 1\n", false },
		{ "# {{ .a }}\nb: 1\n", false },
		{ "- {{ .a }}\n", false },
		{ "{{ .a }}\n", false },
		{ "a: {{ .a }}\n---\nb: 1\n", false },
		{ "a: {{ .a }}\nb: <no value>\n", false },
		{ "a: {{ .a | quote }}\n", false },
		{ "a: {{ if .a }}x{{ end }}\n", false },
		{ "{{ $x := .a }}a: 1\n", false },
		{ "a: {{ . }}\n", false },
		{ "a: [{{ .a }}\n", false },
		{ "a: 1\na: {{ .a }}\n", true },
		{ "a: {{ .a }}\na: 1\n", false }, /* whatever it is, it has to be YAML */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(tmpl_freep) struct tmpl *t = parse_template(cases[i].template);
		struct ref_plain *p;
		struct err err;

		assert_int_equal(ref_plain_new(t, &limits, &p, &err), 0);
		if ((p != NULL) != cases[i].plain)
			fail_msg("%s: %s", cases[i].template, p ? "is plain" : "is not plain");
		ref_plain_free(p);
	}
}

/* What executing @t makes of @dot. */
static struct doc *executed(const struct tmpl *t, val dot)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 16);
	struct tmpl_env env = { .limits = &limits };
	struct yaml_options o = { .limits = &limits, .valid_text = true, .uints_as_double = true };
	struct doc *d;
	struct err err;

	assert_int_equal(tmpl_execute(t, dot, &env, &out, &err), 0);
	assert_int_equal(yaml_decode(buf_str(&out), &o, &d, &err), 0);
	return d;
}

static void test_values(void **state)
{
	static const struct {
		const char *object;
		bool known; /* without executing the template */
	} cases[] = {
		{ "{\"a\":\"web\",\"b\":{\"c\":\"1\"}}", true },
		{ "{\"a\":\"1e3\",\"b\":{\"c\":\"2001-01-01\"}}", true },
		{ "{\"a\":\"true\",\"b\":{\"c\":\"null\"}}", true },
		{ "{\"a\":7,\"b\":{\"c\":0}}", true },
		{ "{\"a\":-7,\"b\":{\"c\":0}}", false },
		{ "{\"a\":1.5,\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":true,\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":\"a b\",\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":\"x:\",\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":\"\",\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":\"\\u00e4\",\"b\":{\"c\":\"x\"}}", false },
		{ "{\"a\":\"x\",\"b\":{}}", false },
		{ "{\"a\":\"x\",\"b\":\"y\"}", false },
		{ "{\"b\":{\"c\":\"x\"}}", false },
	};
	CLEANUP(tmpl_freep)
	struct tmpl *t = parse_template("plain: {{ .a }}\nquoted: '{{ .b.c }}'\nlist: [1, p-{{ .a }}]\n");
	struct ref_plain *p;
	struct err err;

	(void)state;
	assert_int_equal(ref_plain_new(t, &limits, &p, &err), 0);
	assert_non_null(p);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(doc_unrefp) struct doc *object = parse_json(cases[i].object), *whole = NULL;
		struct ref_plain_value v;
		bool known = ref_plain_render(p, object->root, &limits, &a, &v);

		if (known != cases[i].known)
			fail_msg("%s: %s", cases[i].object, known ? "known" : "not known");
		if (!known)
			continue;
		whole = executed(t, object->root);
		assert_true(val_equal(v.root, whole->root));
		assert_true(v.nodes >= val_nodes(whole->root) && v.bytes >= val_bytes(whole->root));
	}
	ref_plain_free(p);
}

/* Where the limits are near, executing the template tells which of them is passed. */
static void test_limits(void **state)
{
	CLEANUP(tmpl_freep) struct tmpl *t = parse_template("a: {{ .a }}\n");
	CLEANUP(doc_unrefp) struct doc *object = parse_json("{\"a\":\"web\"}");
	struct limits few[] = { limits, limits, limits, limits };
	struct ref_plain *p;
	struct err err;

	(void)state;
	few[0].template_output_bytes = 4;
	few[1].document_nodes = 2;
	few[2].depth = 2;
	few[3].arena_bytes = 4096;
	assert_int_equal(ref_plain_new(t, &limits, &p, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(few); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct ref_plain_value v;

		assert_true(ref_plain_render(p, object->root, &limits, &a, &v));
		assert_false(ref_plain_render(p, object->root, &few[i], &a, &v));
	}
	ref_plain_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_which), cmocka_unit_test(test_values),
					    cmocka_unit_test(test_limits) };

	limits = LIMITS_DEFAULT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
