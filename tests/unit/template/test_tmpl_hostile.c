/* Templates that mean harm end with an error that names the limit, or with what Go gives, in little time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "template/fn/library.h"
#include "template/tmpl.h"

/* Maps that hold themselves, twice, so that a walk without an end would double at each level. */
#define SELF                                                                                                           \
	"{{ $d := dict }}{{ $_ := set $d \"a\" $d }}{{ $_ := set $d \"b\" $d }}"                                       \
	"{{ $e := dict }}{{ $_ := set $e \"a\" $e }}{{ $_ := set $e \"b\" $e }}"
/* Two lists of 2^40 values in a few bytes. */
#define WIDE "{{ $l := list 1 }}{{ $m := list 1 }}{{ range 40 }}{{ $l = list $l $l }}{{ $m = list $m $m }}{{ end }}"

static const struct {
	const char *text;
	int code;         /* 0: it succeeds, with the output @want */
	const char *want; /* the end of the error's text */
} cases[] = {
	{ "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}", E2BIG,
	  "exceeded maximum template depth (1000)" },
	{ "{{ define \"a\" }}{{ template \"b\" . }}{{ template \"b\" . }}{{ end }}{{ define \"b\" }}{{ template \"a\" "
	  ". }}"
	  "{{ end }}{{ template \"a\" . }}",
	  E2BIG, "exceeded maximum template depth (1000)" },
	{ "{{ range 9223372036854775807 }}{{ end }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ range 9223372036854775807 }}0123456789012345678901234567890123456789{{ end }}", E2BIG,
	  "output is larger than 1000000 bytes, or nests too deeply" },
	{ "{{ repeat 1000000000 \"a\" }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ range 1000 }}{{ $x := repeat 10000 \"a\" }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ until 1000000000 }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ untilStep 0 9223372036854775807 1 }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ seq 1 1000000000 }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ randAlphaNum 1000000000 }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ printf \"%10000010d\" 1 }}", 0, "%!(NOVERB)%!(EXTRA int=1)" },
	{ "{{ printf \"%*d\" 9223372036854775807 1 }}", 0, "%!(BADWIDTH)1" },
	{ "{{ range 100 }}{{ $x := printf \"%900000d%900000d\" 1 2 }}{{ end }}", E2BIG,
	  "needs more than 16777216 bytes of memory" },
	{ "{{ $s := \"ab\" }}{{ range 60 }}{{ $s = print $s $s }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := list 1 }}{{ range 60 }}{{ $l = concat $l $l }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := list }}{{ range 10000 }}{{ $l = append $l 1 }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := list }}{{ range 10000 }}{{ $l = prepend $l 1 }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := list }}{{ range 10000 }}{{ $l = push $l 1 }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := list }}{{ range 10000 }}{{ $l = concat $l (list 1) }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := until 10000 }}{{ range 100 }}{{ $x := reverse $l }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := until 10000 }}{{ range 100 }}{{ $x := rest $l }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := until 10000 }}{{ range 100 }}{{ $x := initial $l }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $l := until 10000 }}{{ range 100 }}{{ $x := chunk 7 $l }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ regexMatch \"(a*)*(a|aa)*b\" (repeat 5000 \"a\") }}", 0, "false" },
	{ "{{ regexMatch \"((a{0,100}){0,100}){0,100}\" \"a\" }}", 0, "false" },
	{ "{{ $p := repeat 100 \"(a|b)*\" }}{{ range 100000 }}{{ $x := regexMatch (print $p .) \"a\" }}{{ end }}",
	  E2BIG, "exceeded maximum number of steps (200000)" },
	{ "{{ $s := repeat 100000 \"a\" }}{{ range 100000 }}{{ $x := contains \"ab\" $s }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ "{{ $s := repeat 10000 \"a: 1\\n\" }}{{ range 100 }}{{ $x := fromYaml $s }}{{ end }}", E2BIG,
	  "exceeded maximum number of steps (200000)" },
	{ SELF "{{ $d }}", E2BIG, "output is larger than 1000000 bytes, or nests too deeply" },
	{ SELF "{{ printf \"%#v\" $d }}", E2BIG, "result is larger than 16777216 bytes" },
	{ SELF "{{ toYaml $d }}", 0, "" },
	{ SELF "{{ toJson $d }}", 0, "" },
	{ SELF "{{ mustToJson $d }}", EINVAL, "json: unsupported value: encountered a cycle" },
	{ SELF "{{ toToml $d }}", E2BIG, NULL },
	{ SELF "{{ deepEqual $d $e }}", 0, "false" },
	{ SELF "{{ deepCopy $d }}", EINVAL, "values nest too deeply" },
	{ SELF "{{ merge $d $e }}", EINVAL, "maps nest too deeply" },
	{ SELF "{{ mergeOverwrite $d $e }}", EINVAL, "maps nest too deeply" },
	{ WIDE "{{ print $l }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ WIDE "{{ $l }}", E2BIG, NULL },
	{ WIDE "{{ toYaml $l }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ WIDE "{{ toJson $l }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ WIDE "{{ deepEqual $l $m }}", E2BIG, "exceeded maximum number of steps (200000)" },
	{ WIDE "{{ has $l (list $m) }}", E2BIG, "exceeded maximum number of steps (200000)" },
};

/* Whether the case went as it should; says how not. */
static bool holds(size_t i, const struct limits *limits)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 26), text = BUF_INIT(1u << 20);
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	struct tmpl_source source = { STR("t"), str_from(cases[i].text) };
	struct tmpl_env env = { .limits = limits, .error_text = &text };
	struct err err;
	int r = tmpl_parse(&source, 1, &tmpl_library, limits, &t, &text, &err);
	str got;

	if (r == 0)
		r = tmpl_execute(t, val_null(), &env, &out, &err);
	got = buf_str(r < 0 ? &text : &out);
	if (r == -cases[i].code && (!cases[i].want || str_has_suffix(got, str_from(cases[i].want))))
		return true;
	print_error("%s: %d '%.*s'\n", cases[i].text, r, STR_ARG(str_sub(got, 0, got.n < 500 ? got.n : 500)));
	return false;
}

static void test_hostile(void **state)
{
	struct limits limits = LIMITS_DEFAULT;
	size_t bad = 0;

	(void)state;
	limits.template_steps = 200000;
	limits.template_output_bytes = 1000000;
	limits.arena_bytes = 16u << 20;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		bad += !holds(i, &limits);
	assert_int_equal(bad, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_hostile) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
