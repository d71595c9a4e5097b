/* What bounds a template; a set used twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "template/fn/library.h"
#include "template/tmpl.h"

struct result {
	int parse, exec;
	struct buf out, text;
	struct err err;
};

static void result_done(struct result *r)
{
	buf_done(&r->out);
	buf_done(&r->text);
}

static struct result run(str text, val dot, const struct limits *limits)
{
	struct result r = { .out = BUF_INIT(1u << 26), .text = BUF_INIT(1u << 20) };
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	struct tmpl_source source = { STR("t"), text };
	struct tmpl_env env = { .limits = limits, .error_text = &r.text };

	r.parse = tmpl_parse(&source, 1, &tmpl_library, limits, &t, &r.text, &r.err);
	if (r.parse == 0)
		r.exec = tmpl_execute(t, dot, &env, &r.out, &r.err);
	return r;
}

/* Fails with @code and a text that ends in @text. */
static void check_limit(const char *template, struct limits limits, int code, const char *text)
{
	struct result r = run(str_from(template), val_map_sorted(NULL, 0), &limits);

	assert_int_equal(r.parse < 0 ? r.parse : r.exec, -code);
	if (!str_has_suffix(buf_str(&r.text), str_from(text)))
		fail_msg("%s: %.*s", template, STR_ARG(buf_str(&r.text)));
	result_done(&r);
}

static void test_limits(void **state)
{
	struct limits limits = LIMITS_DEFAULT;

	(void)state;
	limits.template_depth = 50;
	check_limit("{{ define \"r\" }}{{ template \"r\" }}{{ end }}{{ template \"r\" }}", limits, E2BIG,
		    "exceeded maximum template depth (50)");
	limits = LIMITS_DEFAULT;
	limits.template_steps = 1000;
	check_limit("{{ range 1000000000000 }}{{ end }}", limits, E2BIG, "exceeded maximum number of steps (1000)");
	check_limit("{{ until 100000000 | len }}", limits, E2BIG, "exceeded maximum number of steps (1000)");
	limits = LIMITS_DEFAULT;
	limits.template_output_bytes = 100;
	check_limit("{{ range 100 }}0123456789{{ end }}", limits, E2BIG,
		    "output is larger than 100 bytes, or nests too deeply");
	limits = LIMITS_DEFAULT;
	limits.template_nesting = 20;
	check_limit("{{ ((((((((((((((((((((((1)))))))))))))))))))))) }}", limits, E2BIG,
		    "exceeded maximum nesting (20)");
}

/* A map that holds itself is printed, compared and encoded with an end. */
static void test_cycles(void **state)
{
	static const char *const uses[] = { "{{ $d }}",
					    "{{ toJson $d }}",
					    "{{ toYaml $d }}",
					    "{{ deepEqual $d $e }}",
					    "{{ printf \"%#v\" $d }}",
					    "{{ eq (len (list $d)) 1 }}" };
	struct limits limits = LIMITS_DEFAULT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(uses); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1000);
		struct result r;

		buf_add_cstr(&text,
			     "{{ $d := dict }}{{ $e := dict }}{{ $_ := set $d \"d\" $d }}{{ $_ = set $e \"d\" $e }}");
		buf_add_cstr(&text, uses[i]);
		r = run(buf_str(&text), val_null(), &limits);
		assert_int_equal(r.parse, 0);
		result_done(&r);
	}
}

/* Recursion of the deepest kind fits the stack, and ends with an error. */
static void test_deep_recursion(void **state)
{
	struct limits limits = LIMITS_DEFAULT;
	struct result r;

	(void)state;
	limits.template_depth = 1000000;
	r = run(STR("{{ define \"r\" }}{{ if . }}{{ with . }}{{ range list . }}{{ template \"r\" (print (print .)) }}"
		    "{{ end }}{{ end }}{{ end }}{{ end }}{{ template \"r\" \"x\" }}"),
		val_null(), &limits);
	assert_int_equal(r.exec, -E2BIG);
	result_done(&r);
}

/* However little memory there is: success, or an error that says so. */
static void test_little_memory(void **state)
{
	static const char text[] =
		"{{ $d := dict \"a\" (list 1 2 3) }}{{ range $k, $v := $d }}{{ printf \"%s=%v\" $k $v }}{{ end }}"
		"{{ $_ := set . \"x\" $d }}{{ toYaml . | nindent 2 }}{{ splitList \",\" \"a,b,c\" | join \";\" }}";
	struct limits limits = LIMITS_DEFAULT;
	bool succeeded = false;

	(void)state;
	for (size_t bytes = 16; bytes < 200000 && !succeeded; bytes += bytes < 6000 ? 24 : 1000) {
		struct result r;

		limits.arena_bytes = bytes;
		r = run(STR(text), val_map_sorted(NULL, 0), &limits);
		assert_int_equal(r.parse, 0);
		succeeded = r.exec == 0;
		if (!succeeded)
			assert_true(r.exec == -ENOMEM || r.exec == -E2BIG);
		result_done(&r);
	}
	assert_true(succeeded);
}

static void test_do_not_match(void **state)
{
	struct limits limits = LIMITS_DEFAULT;
	struct result r = run(STR("kind: A\n{{ doNotMatch \"why\" }}"), val_null(), &limits);

	(void)state;
	assert_int_equal(r.exec, -TMPL_NO_MATCH);
	assert_true(str_find(buf_str(&r.text), STR(TMPL_NO_MATCH_TEXT "why")) >= 0);
	result_done(&r);
}

static void test_sources(void **state)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct limits limits = LIMITS_DEFAULT;
	struct tmpl_env env = { .limits = &limits };
	struct tmpl_source sources[] = {
		{ STR("main"), STR("{{ template \"f\" }}{{ define \"f\" }}old{{ end }}") },
		{ STR("file"), STR("{{ define \"f\" }}new{{ end }}") },
		{ STR("empty"), STR("{{ define \"f\" }} {{ end }}") },
	};
	struct err err;
	str name;

	(void)state;
	assert_int_equal(tmpl_parse(sources, ARRAY_LEN(sources), &tmpl_library, &limits, &t, NULL, &err), 0);
	assert_int_equal(tmpl_execute(t, val_null(), &env, &out, &err), 0);
	assert_string_equal(out.p, "new");
	assert_true(tmpl_name_at(t, 1, &name));
	assert_true(str_eq(name, STR("f")));
	buf_clear(&out);
	tmpl_print_tree(t, &out);
	assert_string_equal(out.p, "{{template \"f\"}}");
	assert_false(tmpl_name_at(t, 4, &name));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limits),         cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_deep_recursion), cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_do_not_match),   cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
