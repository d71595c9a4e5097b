/* Decoding what is picked: the same as picking from the whole, of what the whole decoder accepts; and what it refuses
 * is refused, but for commas, colons, numbers and kinds of brackets in what is passed over. */
#include "support/pick_check.h"
#include "value/object_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define DRAWN 60000
#define FEW_LEVELS 12

static struct limits limits = LIMITS_DEFAULT;

static int decode(str text, const struct json_pick *pick, struct arena *a, val *ret, struct err *err)
{
	struct json_options o = { .limits = &limits, .pick = pick };

	return json_decode_value(text, &o, a, ret, NULL, err);
}

static val parse(const char *text, struct arena *a)
{
	struct err err;
	val v;

	if (decode(str_from(text), NULL, a, &v, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return v;
}

static struct json_pick pick_of(const char *text, struct arena *a)
{
	struct json_pick p;

	assert_true(pick_make(parse(text, a), a, &p));
	return p;
}

static void test_picks(void **state)
{
	static const struct {
		const char *pick, *text, *picked;
	} cases[] = {
		{ "{}", "{}", "{}" },
		{ "{}", "{\"a\":1}", "{\"a\":null}" },
		{ "{}", "{\"b\":{\"c\":[1]},\"a\":1,\"d\":2}", "{\"b\":null}" }, /* one for all */
		{ "{\"+\":1}", "{\"b\":{\"c\":[1]},\"a\":1}", "{\"a\":null,\"b\":null}" },
		{ "{\"*\":1}", "{\"b\":{\"c\":[1]},\"a\":1}", "{\"b\":{\"c\":[1]},\"a\":1}" },
		{ "{\"*\":1,\"b\":null}", "{\"b\":{\"c\":[1]},\"a\":1}", "{\"b\":null,\"a\":1}" },
		{ "{\"*\":1,\"b\":{}}", "{\"b\":{\"c\":1},\"a\":{\"c\":1}}", "{\"b\":{\"c\":null},\"a\":{\"c\":1}}" },
		{ "{\"*\":1,\"b\":{}}", "{\"b\":2,\"a\":{\"c\":1}}", "{\"b\":2,\"a\":{\"c\":1}}" }, /* no map */
		{ "{\"a\":1}", "{\"a\":{\"c\":[1]},\"b\":{}}", "{\"a\":{\"c\":[1]},\"b\":null}" },
		{ "{\"a\":{\"c\":1}}", "{\"a\":{\"c\":[1],\"d\":2,\"e\":3}}", "{\"a\":{\"c\":[1],\"d\":null}}" },
		{ "{\"a\":{\"c\":1}}", "{\"a\":[{\"c\":1,\"d\":2}]}", "{\"a\":[{\"c\":1,\"d\":2}]}" },
		{ "{\"a\":{\"c\":1}}", "{\"a\":null}", "{\"a\":null}" },
		{ "{\"a\":{\"c\":1}}", "[{\"a\":2}]", "[{\"a\":2}]" },
		/* of equal keys the last */
		{ "{\"a\":{\"c\":1}}", "{\"a\":{\"d\":1},\"a\":{\"c\":2}}", "{\"a\":{\"c\":2}}" },
		{ "{\"a\":{\"c\":1}}", "{\"a\":1,\"\\u0061\":{\"c\":2}}", "{\"a\":{\"c\":2}}" },
		{ "{\"a\":{\"c\":1}}", "{\"a\":{\"c\":2},\"a\":[]}", "{\"a\":[]}" },
		{ "{\"a\":null}", "{\"b\":1,\"a\":2,\"b\":3}", "{\"b\":null,\"a\":null}" },
		/* what must be walked */
		{ "{\"a\":1}", "{\"b\":{\"\\\"}\":\"\\\\\"},\"a\":1}", "{\"b\":null,\"a\":1}" },
		{ "{\"a\":1}", "{\"b\":[\"\xC3\xA9}\"],\"a\":1}", "{\"b\":null,\"a\":1}" },
		{ "{\"a\":1}", "{\"b\":[\n1 ,\t2\r]\n,\"a\":1}\n", "{\"b\":null,\"a\":1}" },
		{ "{\"a\":1}", "{\"b\":\"\\n\xC3\xA9\",\"a\":1}", "{\"b\":null,\"a\":1}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct json_pick p = pick_of(cases[i].pick, &a);
		struct err err;
		val v;

		if (decode(str_from(cases[i].text), &p, &a, &v, &err) < 0)
			fail_msg("%s: %s", cases[i].text, err.msg);
		if (!val_equal(v, parse(cases[i].picked, &a)) || !pick_holds(&p, parse(cases[i].text, &a), v))
			fail_msg("%s of %s", cases[i].pick, cases[i].text);
	}
}

/* With {"a":1}, so that b is passed over. */
static void test_refuses(void **state)
{
	static const struct {
		const char *text;
		bool lax; /* accepted all the same */
	} cases[] = {
		{ "{\"b\":{\"x\":\"\\x\"},\"a\":1}", false },
		{ "{\"b\":{\"x\":\"\\ud800\"},\"a\":1}", false },
		{ "{\"b\":{\"x\\u0000\":1},\"a\":1}", false },
		{ "{\"b\":{\"x\":\"\xC3\"},\"a\":1}", false },
		{ "{\"b\":{\"x\":\"\x01\"},\"a\":1}", false },
		{ "{\"b\":{\"x\":\"\n\"},\"a\":1}", false },
		{ "{\"b\":{\"x\":\xC3\xA9},\"a\":1}", false },
		{ "{\"b\":{\"x\":1,\"a\":1}", false },
		{ "{\"b\":{\"x\":\"1},\"a\":1}", false },
		{ "{\"b\":[[[[[[[[[[[[[]]]]]]]]]]]]],\"a\":1}", false },
		{ "{\"b\":\"\\x\",\"a\":1}", false },
		{ "{\"b\":\"\x01\",\"a\":1}", false },
		{ "{\"b\":1e999,\"a\":1}", false },
		{ "{\"b\":01,\"a\":1}", false },
		{ "{\"b\":x,\"a\":1}", false },
		{ "{\"b\":,\"a\":1}", false },
		{ "{\"b\":{} \"a\":1}", false },
		{ "{\"b\\u0000\":{},\"a\":1}", false },
		{ "{\"b\":{},\"a\":1}x", false },
		{ "{\"b\":{},\"a\":1", false },
		{ "{\"b\":{}", false },
		{ "{\"b\":[", false },
		{ "{\"b\"", false },
		{ "{b:[]}", false },
		{ "{\"b\":{\"x\" 1,,},\"a\":1}", true },
		{ "{\"b\":[01, 1e999 x],\"a\":1}", true },
		{ "{\"b\":[{]},\"a\":1}", true },
	};

	(void)state;
	limits.depth = FEW_LEVELS;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct json_pick p = pick_of("{\"a\":1}", &a);
		struct err err;
		val v;

		if (decode(str_from(cases[i].text), NULL, &a, &v, &err) == 0)
			fail_msg("%s: accepted whole", cases[i].text);
		if ((decode(str_from(cases[i].text), &p, &a, &v, &err) == 0) != cases[i].lax)
			fail_msg("%s: %s", cases[i].text, cases[i].lax ? err.msg : "accepted");
	}
	limits.depth = LIMITS_DEFAULT.depth;
}

/* As deep as may be, and a level deeper, wherever in a block of the walk it begins. */
static void test_depth(void **state)
{
	(void)state;
	limits.depth = FEW_LEVELS;
	for (int fill = 0; fill < 130; fill++) {
		for (int levels = 1; levels <= FEW_LEVELS; levels++) {
			CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
			CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
			struct json_pick p = pick_of("{\"a\":1}", &a);
			struct err err;
			val v;

			buf_printf(&text, "{\"b\":{\"x\":\"%*s\",\"y\":[[],[]],\"z\":", fill, "");
			for (int i = 1; i < levels; i++)
				buf_add_byte(&text, '[');
			buf_add_byte(&text, '0');
			for (int i = 1; i < levels; i++)
				buf_add_byte(&text, ']');
			buf_add_cstr(&text, "},\"a\":1}");
			assert_int_equal(decode(buf_str(&text), &p, &a, &v, &err), levels < FEW_LEVELS ? 0 : -E2BIG);
			assert_int_equal(decode(buf_str(&text), NULL, &a, &v, &err), levels < FEW_LEVELS ? 0 : -E2BIG);
		}
	}
	limits.depth = LIMITS_DEFAULT.depth;
}

/* Together they pick what each of them does. */
static void test_both(void **state)
{
	static const struct {
		const char *one, *other, *both;
	} cases[] = {
		{ "{}", "{}", "{}" },
		{ "{\"a\":1}", "{\"b\":{}}", "{\"a\":1,\"b\":{}}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"y\":null}}", "{\"a\":{\"x\":1,\"y\":null}}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":1}", "{\"a\":1}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":null}", "{\"a\":{\"x\":1}}" },
		{ "{\"a\":{\"x\":1}}", "{\"*\":1}", "{\"*\":1,\"a\":1}" },
		{ "{\"a\":{\"x\":1}}", "{\"*\":1,\"a\":{}}", "{\"*\":1,\"a\":{\"x\":1}}" },
		{ "{\"a\":null}", "{\"+\":1,\"b\":1}", "{\"+\":1,\"a\":null,\"b\":1}" },
		{ "{\"*\":1,\"a\":null}", "{\"*\":1,\"b\":null}", "{\"*\":1,\"a\":1,\"b\":1}" },
		{ "{\"*\":1,\"a\":null}", "{\"*\":1,\"a\":null}", "{\"*\":1,\"a\":null}" },
		{ "1", "{\"a\":1}", "1" },
	};
	static const char text[] = "{\"a\":{\"x\":1,\"y\":2,\"z\":3},\"b\":{\"x\":1},\"c\":{\"x\":1},\"d\":1}";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * 2; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		const char *one = cases[i / 2].one, *other = cases[i / 2].other;
		struct json_pick p = pick_of(i % 2 ? other : one, &a), q = pick_of(i % 2 ? one : other, &a), both;
		struct json_pick expected = pick_of(cases[i / 2].both, &a);
		struct err err;
		val v;

		assert_true(json_pick_both(&p, &q, &a, &both));
		assert_int_equal(both.kind, expected.kind);
		if (both.kind != PICK_MEMBERS)
			continue;
		assert_int_equal(decode(str_from(text), &both, &a, &v, &err), 0);
		if (!pick_holds(&expected, parse(text, &a), v))
			fail_msg("%s and %s", one, other);
	}
}

/* ---- drawn ---- */

static unsigned seed;

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void add_value(struct buf *b, unsigned depth)
{
	static const char *const scalars[] = { "1",
					       "-2.5e3",
					       "null",
					       "true",
					       "\"\"",
					       "\"}{][,\"",
					       "\"\\\"\"",
					       "\"x\"",
					       "\"\\u00e9\\n\"",
					       "\"\xC3\xA9\"",
					       "\"long long long long long long long long long long long long\"" };
	static const char *const keys[] = { "a", "b", "c", "\\u0061", "d\xC3\xA9", "metadata" };
	unsigned kind = draw(depth ? 6 : 3), n = draw(5);

	if (kind < 3) {
		buf_add_cstr(b, scalars[draw(ARRAY_LEN(scalars))]);
		return;
	}
	buf_add_cstr(b, kind == 3 ? "[" : "{");
	for (unsigned i = 0; i < n; i++) {
		buf_add_cstr(b, i ? "," : "");
		if (kind > 3)
			buf_printf(b, "\"%s\":", keys[draw(ARRAY_LEN(keys))]);
		add_value(b, depth - 1);
		if (!draw(20))
			buf_add_byte(b, "\n\t "[draw(3)]);
	}
	buf_add_cstr(b, kind == 3 ? "]" : "}");
}

static void add_pick(struct buf *b, unsigned depth)
{
	static const char *const keys[] = { "a", "b", "c", "metadata", "*", "+" };
	const char *comma = "";

	buf_add_cstr(b, "{");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (draw(3))
			continue;
		buf_printf(b, "%s\"%s\":", comma, keys[i]);
		comma = ",";
		if (depth && draw(2))
			add_pick(b, depth - 1);
		else
			buf_add_cstr(b, draw(2) ? "1" : "null");
	}
	buf_add_cstr(b, "}");
}

/* What is accepted whole is accepted; what is cut off anywhere is accepted by neither. */
static void test_drawn(void **state)
{
	size_t n_whole = 0;

	(void)state;
	seed = 3;
	for (size_t i = 0; i < DRAWN; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20), pick = BUF_INIT(65536);
		struct json_pick p;
		struct err err;
		val whole, v;
		str s;

		buf_add_cstr(&text, "{\"a\":");
		add_value(&text, 4);
		buf_add_cstr(&text, ",\"metadata\":");
		add_value(&text, 4);
		buf_add_cstr(&text, "}");
		add_pick(&pick, 3);
		buf_add_byte(&pick, '\0');
		p = pick_of(pick.p, &a);
		s = str_sub(buf_str(&text), 0, draw(4) ? text.n : draw((unsigned)text.n));
		if (decode(s, NULL, &a, &whole, &err) < 0) {
			assert_true(s.n < text.n && decode(s, &p, &a, &v, &err) < 0);
			continue;
		}
		n_whole++;
		if (decode(s, &p, &a, &v, &err) < 0 || !pick_holds(&p, whole, v))
			fail_msg("%s of %.*s", pick.p, STR_ARG(s));
	}
	assert_true(n_whole > DRAWN / 2);
}

/* An object's identity, and what its text does not say; managedFields stay apart. */
static void test_object(void **state)
{
	static const char text[] =
		"{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"},\"managedFields\":[{\"x\":1}],"
		"\"uid\":\"u\"},\"spec\":{\"a\":1},\"status\":{}}";
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct object_type type = { STR("v1"), STR("Pod") };
	struct json_pick p;
	str managed;
	struct err err;
	val v;

	(void)state;
	assert_true(object_pick(NULL, &a, &p));
	assert_int_equal(object_decode_part(STR(text), &limits, NULL, &type, &p, NULL, &a, &v, &managed, &err), 0);
	assert_true(str_eq(managed, STR("[{\"x\":1}]")));
	assert_true(val_equal(
		v, parse("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"labels\":null,"
			 "\"uid\":\"u\"},\"spec\":null}",
			 &a)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_picks), cmocka_unit_test(test_refuses), cmocka_unit_test(test_depth),
		cmocka_unit_test(test_both),  cmocka_unit_test(test_drawn),   cmocka_unit_test(test_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
