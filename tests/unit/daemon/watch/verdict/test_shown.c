/* What is shown of two values that differ, differs. */
#include "daemon/watch/verdict/shown.h"

#include "base/printable.h"
#include "base/utf8.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define CASES 6000
#define TEXT_MAX 5000

static uint64_t seed = 20;

static size_t draw(size_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % below;
}

static const char *const pieces[] = { "a", "b", "\"", "\n", "\xC3\xA4", "\xE2\x82\xAC", "\xE2\x82\xAD", "\x1b", "…" };

/* A text of one letter mostly, so that much of it is alike, with a few others in it. */
static str draw_text(struct arena *a)
{
	size_t n = draw(4) ? draw(TEXT_MAX) : draw(20);
	char *p = arena_array(a, n + 4, 1);
	size_t at = 0;

	while (at < n) {
		const char *piece = pieces[draw(200) ? 0 : draw(ARRAY_LEN(pieces))];

		memcpy(p + at, piece, strlen(piece));
		at += strlen(piece);
	}
	return (str){ p, at };
}

/* @text with one piece put in, taken out, or the rest of it gone. */
static str change_text(struct arena *a, str text)
{
	size_t at = utf8_cut(text, draw(text.n + 1)).n, skip = 0;
	const char *piece = draw(2) ? pieces[draw(ARRAY_LEN(pieces))] : "";
	str rest = str_sub(text, at, text.n);

	(void)utf8_decode(rest, &skip);
	if (draw(5) == 0)
		skip = rest.n;
	rest = str_sub(rest, draw(2) ? skip : 0, rest.n);
	return arena_printf(a, "%.*s%s%.*s", (int)at, text.p, piece, STR_ARG(rest));
}

static val draw_value(struct arena *a, str text)
{
	struct member m[2];

	switch (draw(6)) {
	case 0:
		return (val){ 0 };
	case 1:
		return val_int((int64_t)draw(5));
	case 2:
		m[0] = (struct member){ key_make(NULL, a, STR("x")), val_string(text) };
		m[1] = (struct member){ key_make(NULL, a, STR("y")), val_int((int64_t)draw(3)) };
		return val_map(a, m, 2);
	default:
		return val_string(text);
	}
}

/* The number of the mark that begins @s: "(+12 bytes)…"; its length in *len. */
static size_t mark_before(str s, size_t *len)
{
	char text[64];
	size_t n = 0;
	int used = 0;

	(void)snprintf(text, sizeof(text), "%.*s", (int)(s.n < 40 ? s.n : 40), s.p);
	(void)sscanf(text, "(+%zu bytes)\xE2\x80\xA6%n", &n, &used);
	*len = (size_t)used;
	return used ? n : 0;
}

/* The same of "…(+12 bytes)" at its end. */
static size_t mark_behind(str s, size_t *len)
{
	ptrdiff_t at = str_rfind(s, STR("\xE2\x80\xA6(+"));
	char text[64];
	size_t n = 0;
	int used = 0;

	*len = 0;
	if (at < 0 || s.n - (size_t)at > 40)
		return 0;
	(void)snprintf(text, sizeof(text), "%.*s", (int)(s.n - (size_t)at), s.p + at);
	(void)sscanf(text, "\xE2\x80\xA6(+%zu bytes)%n", &n, &used);
	if (at + used != (ptrdiff_t)s.n)
		return 0;
	*len = (size_t)used;
	return n;
}

/* @shown is @v, or a part of it with the rest counted. */
static void assert_shows(str shown, val v, size_t max)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	size_t before, behind, before_len, behind_len;
	struct err err;
	str whole;

	if (!val_exists(v)) {
		assert_true(str_eq(shown, STR("(absent)")));
		return;
	}
	assert_int_equal(json_encode(v, JSON_PLAIN, NULL, &out, &err), 0);
	whole = buf_str(&out);
	assert_true(utf8_valid(shown));
	if (whole.n <= max && str_eq(shown, whole))
		return;
	before = mark_before(shown, &before_len);
	behind = mark_behind(shown, &behind_len);
	assert_true(before + behind <= whole.n);
	assert_false(printable_is_inside(whole, before));
	assert_false(printable_is_inside(whole, whole.n - behind));
	shown = str_sub(shown, before_len, shown.n - behind_len);
	assert_true(shown.n <= max);
	assert_true(str_eq(shown, str_sub(whole, before, whole.n - behind)));
}

static void test_values_that_differ_are_shown_so(void **state)
{
	static const size_t sizes[] = { SHOWN_VALUE_MAX, SHOWN_INLINE_MAX, 16 };
	size_t differ = 0;

	(void)state;
	for (size_t i = 0; i < CASES; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		str text = draw_text(&a);
		val x = draw_value(&a, text), y = draw_value(&a, change_text(&a, text));
		size_t max = sizes[i % ARRAY_LEN(sizes)];
		struct shown_pair pair = shown_pair(&a, x, y, false, max);

		assert_int_equal(str_eq(pair.expected, pair.actual), val_equal(x, y));
		assert_shows(pair.expected, x, max);
		assert_shows(pair.actual, y, max);
		differ += !val_equal(x, y);

		pair = shown_pair(&a, x, y, true, max);
		assert_true(!val_exists(x) || str_eq(pair.expected, STR("(hidden)")));
		assert_true(!val_exists(y) || str_eq(pair.actual, STR("(hidden)")));
	}
	assert_true(differ > CASES / 2);
}

static val text_of(struct arena *a, size_t n, size_t at, char c)
{
	char *p = arena_array(a, n, 1);

	memset(p, 'x', n);
	if (at < n)
		p[at] = c;
	return val_string((str){ p, n });
}

static void test_what_is_left_out_is_counted(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct shown_pair pair = shown_pair(&a, text_of(&a, 98, 50, 'a'), text_of(&a, 98, 50, 'b'), false, 20);

	(void)state;
	assert_true(str_eq(pair.expected, STR("(+41 bytes)\xE2\x80\xA6xxxxxxxxxxaxxxxxxxxx\xE2\x80\xA6(+39 bytes)")));
	assert_true(str_eq(pair.actual, STR("(+41 bytes)\xE2\x80\xA6xxxxxxxxxxbxxxxxxxxx\xE2\x80\xA6(+39 bytes)")));

	pair = shown_pair(&a, text_of(&a, 98, 97, 'a'), text_of(&a, 98, 97, 'b'), false, 20);
	assert_true(str_eq(pair.expected, STR("(+80 bytes)\xE2\x80\xA6xxxxxxxxxxxxxxxxxxa\"")));

	pair = shown_pair(&a, text_of(&a, 98, 0, 'a'), (val){ 0 }, false, 20);
	assert_true(str_eq(pair.expected, STR("\"axxxxxxxxxxxxxxxxxx\xE2\x80\xA6(+80 bytes)")));
	assert_true(str_eq(pair.actual, STR("(absent)")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_that_differ_are_shown_so),
		cmocka_unit_test(test_what_is_left_out_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
