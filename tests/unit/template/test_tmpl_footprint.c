/* What a template is said to read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "template/fn/library.h"
#include "template/tmpl.h"

static struct tmpl *parse(const char *text)
{
	struct limits limits = LIMITS_DEFAULT;
	struct tmpl_source source = { STR("main"), str_from(text) };
	struct tmpl *t = NULL;
	struct err err;

	if (tmpl_parse(&source, 1, &tmpl_library, &limits, &t, NULL, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return t;
}

/* "a.b c", or "*" for everything. */
static void show(const struct tmpl_footprint *f, struct buf *out)
{
	if (f->everything)
		buf_add_byte(out, '*');
	for (size_t i = 0; !f->everything && i < f->n_paths; i++) {
		for (size_t k = 0; k < f->paths[i].n; k++) {
			buf_add_cstr(out, k > 0 ? "." : i > 0 ? " " : "");
			buf_add_str(out, f->paths[i].keys[k]);
		}
	}
}

static void test_paths(void **state)
{
	static const struct {
		const char *text, *paths;
	} rows[] = {
		{ "plain", "" },
		{ "{{ .a.b }}{{ .c }}", "a.b c" },
		{ "{{ .a.b }}{{ .a }}", "a" },
		{ "{{ . }}", "*" },
		{ "{{ toYaml . }}", "*" },
		{ "{{ $ }}", "*" },
		{ "{{ with .a }}{{ .b }}{{ $.c.d }}{{ end }}", "a c.d" },
		{ "{{ range .a.l }}{{ .x }}{{ else }}{{ .e }}{{ end }}", "a.l e" },
		{ "{{ $m := .metadata }}{{ $m.name }}", "metadata.name" },
		{ "{{ $m := .metadata.labels }}", "metadata.labels" },
		{ "{{ $x := .a }}{{ range .l }}{{ $x.y }}{{ $x = $.b }}{{ end }}", "a.y b l" },
		{ "{{ index .a \"k.k\" }}{{ index .b .c }}{{ index .d 0 }}", "a.k.k b c d" },
		{ "{{ hasKey .spec \"x\" }}{{ get .spec \"y\" }}", "spec.x spec.y" },
		{ "{{ (.a).b }}{{ (.c | default .d).e }}", "a.b c d" },
		{ "{{ define \"t\" }}{{ .x }}{{ $.y }}{{ end }}{{ template \"t\" .a }}{{ template \"t\" . }}",
		  "a.x a.y x y" },
		{ "{{ define \"r\" }}{{ .v }}{{ template \"r\" .n }}{{ end }}{{ template \"r\" .a.b }}", "a.b" },
		{ "{{ define \"r\" }}{{ template \"r\" .x }}{{ template \"r\" .y }}{{ end }}{{ template \"r\" . }}",
		  "*" },
		{ "{{ block \"b\" .a }}{{ .c }}{{ end }}", "a.c" },
		{ "{{ if and .a (not .b.c) }}{{ else if .d }}{{ end }}", "a b.c d" },
		{ "{{ .a | upper | trunc 3 }}{{ printf \"%s\" .b }}", "a b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(tmpl_freep) struct tmpl *t = parse(rows[i].text);
		CLEANUP(buf_done) struct buf out = BUF_INIT(100000);
		struct tmpl_footprint f;
		struct err err;

		assert_int_equal(tmpl_footprint(t, &f, &err), 0);
		show(&f, &out);
		if (!str_eq(buf_str(&out), str_from(rows[i].paths)))
			fail_msg("%s: '%.*s', expected '%s'", rows[i].text, STR_ARG(buf_str(&out)), rows[i].paths);
		tmpl_footprint_done(&f);
	}
}

static void test_lookups(void **state)
{
	CLEANUP(tmpl_freep)
	struct tmpl *t = parse("{{ lookupCR \"v1\" \"Node\" \"*\" .n }}{{ range lookupCRs \"v1\" \"Pod\" \"a\" \"*\" "
			       "}}{{ end }}{{ now }}");
	struct tmpl_footprint f;
	struct err err;

	(void)state;
	assert_int_equal(tmpl_footprint(t, &f, &err), 0);
	assert_int_equal(f.n_lookups, 2);
	assert_false(f.lookups[0].many);
	assert_true(f.lookups[0].known[2] && !f.lookups[0].known[3]);
	assert_true(str_eq(f.lookups[0].args.kind, STR("Node")));
	assert_true(f.lookups[1].many && f.lookups[1].known[3]);
	assert_true(f.uses_time && !f.uses_random);
	tmpl_footprint_done(&f);
}

static val object(struct arena *a, const char *key, val v)
{
	struct member m = { key_make(NULL, a, str_from(key)), v };

	return val_map(a, &m, 1);
}

static void test_same(void **state)
{
	CLEANUP(tmpl_freep) struct tmpl *t = parse("{{ .a.b }}");
	struct tmpl_footprint f;
	struct arena a;
	struct err err;
	val one, other;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(tmpl_footprint(t, &f, &err), 0);
	one = object(&a, "a", object(&a, "b", val_int(1)));
	other = val_map_with(&a, one, key_make(NULL, &a, STR("c")), val_int(2));
	assert_true(tmpl_footprint_same(&f, one, other));
	assert_false(tmpl_footprint_same(&f, one, object(&a, "a", object(&a, "b", val_int(2)))));
	/* Absent in both, but one way ends in a string: an error there. */
	assert_false(tmpl_footprint_same(&f, object(&a, "a", val_string(STR("x"))), object(&a, "z", val_int(1))));
	tmpl_footprint_done(&f);
	arena_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
