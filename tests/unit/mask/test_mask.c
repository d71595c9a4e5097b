/* What may be shown of objects: tests/data/mask/places.yaml. */
#include "mask/mask.h"
#include "mask/shapes.h"
#include "support/data_document.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct mask_fields fields_of(val c, str space[2])
{
	space[0] = val_str(VAL_GET(c, "extra"));
	space[1] = val_str(VAL_GET(c, "shown"));
	return (struct mask_fields){
		.sensitive = &space[0], .n_sensitive = space[0].n > 0, .shown = &space[1], .n_shown = space[1].n > 0
	};
}

static void check_place(val root, val c)
{
	val object = val_get(root, val_str(VAL_GET(c, "object")));
	str text = val_str(VAL_GET(c, "path")), shown_text = val_str(VAL_GET(c, "text")), got, space[2];
	struct mask_fields fields = fields_of(c, space);
	struct path p;
	struct arena a;

	arena_init(&a, 0, 0);
	assert_true(path_parse(text, &a, &p));
	if (mask_hides_at(&fields, object, p) != VAL_GET(c, "hidden").b)
		fail_msg("%.*s of %.*s", STR_ARG(text), STR_ARG(val_str(VAL_GET(c, "object"))));
	got = mask_path_text(&fields, p, &a);
	if (!str_eq(got, shown_text.n ? shown_text : text))
		fail_msg("%.*s is shown as %.*s", STR_ARG(text), STR_ARG(got));
	arena_done(&a);
}

/* @a, of which all that is equal to what @e has there is that itself. */
static val share(val e, val a, struct arena *arena)
{
	val copy;

	if (val_equal(e, a))
		return e;
	if (a.kind != e.kind || !val_count(a))
		return a;
	copy = val_copy(arena, NULL, a);
	for (uint32_t i = 0; i < copy.n; i++) {
		if (val_is_map(a))
			((struct member *)(uintptr_t)copy.members)[i].value =
				share(val_get(e, key_str(a.members[i].key)), a.members[i].value, arena);
		else
			((val *)(uintptr_t)copy.items)[i] = share(val_at(e, i), a.items[i], arena);
	}
	return copy;
}

static void check_sides(val c, bool shared)
{
	struct buf got = BUF_INIT(1 << 16), want = BUF_INIT(1 << 16);
	str space[2];
	struct mask_fields fields = fields_of(c, space);
	struct arena arena;
	struct err err;
	val e = VAL_GET(c, "e"), a = VAL_GET(c, "a");

	arena_init(&arena, 0, 0);
	a = shared ? share(e, a, &arena) : a;
	assert_true(mask_sides(&fields, e, a, VAL_GET(c, "everything").b, &arena, &e, &a));
	assert_int_equal(json_encode(e, JSON_PLAIN, NULL, &got, &err), 0);
	assert_int_equal(json_encode(a, JSON_PLAIN, NULL, &got, &err), 0);
	assert_int_equal(json_encode(VAL_GET(c, "shown_e"), JSON_PLAIN, NULL, &want, &err), 0);
	assert_int_equal(json_encode(VAL_GET(c, "shown_a"), JSON_PLAIN, NULL, &want, &err), 0);
	assert_string_equal(got.p, want.p);
	buf_done(&got);
	buf_done(&want);
	arena_done(&arena);
}

static void test_table(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/mask/places.yaml");
	val cases, sides;

	(void)state;
	assert_non_null(doc);
	cases = VAL_GET(doc->root, "cases");
	sides = VAL_GET(doc->root, "sides");
	assert_true(val_count(cases) > 0 && val_count(sides) > 0);
	for (uint32_t i = 0; i < val_count(cases); i++)
		check_place(doc->root, val_at(cases, i));
	for (uint32_t i = 0; i < val_count(sides); i++)
		check_sides(val_at(sides, i), false);
	for (uint32_t i = 0; i < val_count(sides); i++)
		check_sides(val_at(sides, i), true);
	doc_unref(doc);
}

/* A text that is hidden at one place is hidden at all others; what is short is not looked for. */
static void test_known(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/mask/places.yaml");
	val copies;
	str texts[2];
	struct mask_fields fields = { .known = texts };

	(void)state;
	assert_non_null(doc);
	copies = VAL_GET(doc->root, "copies");
	assert_true(mask_texts(NULL, VAL_GET(copies, "of"), texts, &fields.n_known, 2));
	assert_int_equal(fields.n_known, 2);
	assert_true(mask_hides(&fields, mask_root(), VAL_GET(copies, "hidden")));
	assert_false(mask_hides(NULL, mask_root(), VAL_GET(copies, "hidden")));
	assert_false(mask_hides(&fields, mask_root(), VAL_GET(copies, "plain")));
	fields.n_known = 0;
	assert_false(mask_texts(NULL, VAL_GET(copies, "of"), texts, &fields.n_known, 1));
	doc_unref(doc);
}

/* What is nested deeper than anybody reads is not shown. */
static void test_depth(void **state)
{
	val lists[1100];
	val v = val_int(1), e, a;
	struct arena arena;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		lists[i] = v;
		v = (val){ .kind = VAL_LIST, .n = 1, .items = &lists[i] };
	}
	arena_init(&arena, 0, 0);
	assert_true(mask_hides(NULL, mask_root(), v));
	assert_true(mask_sides(NULL, v, v, false, &arena, &e, &a));
	for (size_t i = 0; i < 1000; i++)
		e = val_at(e, 0);
	assert_true(val_is_list(e));
	assert_string_equal(val_at(e, 0).s, "***");
	arena_done(&arena);
}

static val only(struct arena *a, const char *key, val v)
{
	struct member m = { key_make(NULL, a, str_from(key)), v };

	return val_map(a, &m, 1);
}

/* Folded, indented or as it was: what was made of a text of several lines holds its longest line. */
static void test_lines_of_a_known_text(void **state)
{
	static const struct {
		const char *hidden, *known;
	} cases[] = {
		{ "one line of it", "one line of it" },
		{ " one line of it\n", "one line of it" },
		{ "first\n\tthe second one \r\nthird\n", "the second one" },
		{ "\n\n\nlast line", "last line" },
		{ "a\nb\nc\nd\ne", "a\nb\nc\nd\ne" }, /* each of them is part of many others */
		{ "\n\n\n\n\n\n\n\n", "\n\n\n\n\n\n\n\n" },
	};
	struct arena a;

	(void)state;
	arena_init(&a, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		val object = only(&a, "password", val_string(str_from(cases[i].hidden)));
		size_t n = 0;
		str known;

		assert_true(mask_texts(NULL, object, &known, &n, 1));
		assert_int_equal(n, 1);
		if (!str_eq(known, str_from(cases[i].known)))
			fail_msg("'%s': '%.*s'", cases[i].hidden, STR_ARG(known));
	}
	arena_done(&a);
}

/* Whoever has no steps left hides, and looks at nothing more. */
static void test_steps(void **state)
{
	static char text[100000];
	struct mask_fields fields = { 0 };
	uint64_t steps = 1000000;
	val v, object, e, m;
	struct arena a;

	(void)state;
	memset(text, 't', sizeof(text) - 1);
	arena_init(&a, 0, 0);
	v = val_string(str_from(text));
	object = only(&a, "data", only(&a, "x", v));
	fields.steps = &steps;
	assert_false(mask_hides(&fields, mask_root(), object));
	assert_in_range(1000000 - steps, sizeof(text) / 10, sizeof(text));
	steps = sizeof(text) / 100;
	assert_true(mask_hides(&fields, mask_root(), object));
	assert_int_equal(steps, 0);
	assert_true(mask_hides(&fields, mask_root(), val_string(STR("x"))));
	assert_true(mask_sides(&fields, object, object, false, &a, &e, &m));
	assert_true(val_is_string(e));
	assert_string_equal(e.s, "***");
	assert_int_equal(mask_name(&fields, STR("x")), NAME_SENSITIVE);
	assert_int_equal(mask_shape(&fields, STR("x")), SHAPE_SECRET);
	arena_done(&a);
}

/* "<kind of value>", or "<base64>" */
static val stand_in(void *ctx, val v, bool encoded, struct arena *a)
{
	str s = arena_printf(a, "<%s>", encoded ? "base64" : val_kind_name(v));

	(*(size_t *)ctx)++;
	return val_string(s);
}

/* Whatever is hidden is replaced, the rest stays as it is. */
static void test_replace(void **state)
{
	static const char text[] =
		"{\"data\":{\"a\":\"b\",\"n\":{\"m\":1}},\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},"
		"\"spec\":{\"ghp_abcdefghijklmnopqrstuvwxyz0123456789\":1,\"list\":[\"--password\",\"x\",3],"
		"\"password\":\"x\",\"plain\":[1,true,null]},\"stringData\":{\"a\":\"b\"}}";
	static const char want[] =
		"{\"data\":{\"a\":\"<base64>\",\"n\":{\"m\":\"<base64>\"}},\"kind\":\"Secret\",\"metadata\":{\"name\":"
		"\"s\"},"
		"\"spec\":{\"<string>\":\"<integer>\",\"list\":[\"--password\",\"<string>\",3],"
		"\"password\":\"<string>\",\"plain\":[1,true,null]},\"stringData\":{\"a\":\"<string>\"}}";
	const struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };
	struct buf got = BUF_INIT(1 << 16);
	struct doc *doc;
	struct arena arena;
	size_t n = 0;
	const struct mask_replacer by = { .replace = stand_in, .ctx = &n };
	struct err err;
	val v;

	(void)state;
	assert_int_equal(json_decode(str_from(text), &o, &doc, &err), 0);
	arena_init(&arena, 0, 0);
	assert_true(mask_replace(NULL, doc->root, &by, &arena, &v));
	assert_int_equal(json_encode(v, JSON_PLAIN, NULL, &got, &err), 0);
	assert_string_equal(got.p, want);
	assert_int_equal(n, 7);
	buf_done(&got);
	arena_done(&arena);
	doc_unref(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_lines_of_a_known_text),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_replace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
