/* What is too large is refused, and before more than the limit is made of it. */
#include "release/helm_unpack.h"

#include "release/helm_release.h"

#include "go/base64.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

static struct limits limits;

/* @n blanks, gzipped. */
static void gzip_blanks(size_t n, struct buf *out)
{
	static unsigned char blanks[65536], to[65536];
	z_stream z = { 0 };
	int r = Z_OK;

	memset(blanks, ' ', sizeof(blanks));
	assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
	while (r != Z_STREAM_END) {
		if (!z.avail_in && n) {
			z.next_in = blanks;
			z.avail_in = (unsigned)(n < sizeof(blanks) ? n : sizeof(blanks));
			n -= z.avail_in;
		}
		z.next_out = to;
		z.avail_out = sizeof(to);
		r = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		buf_add(out, to, sizeof(to) - z.avail_out);
	}
	(void)deflateEnd(&z);
}

/* What becomes of a ConfigMap that holds @packed, as base64, and how much of it was made, in *made. */
static int unpack(str packed, size_t *made, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX), out = BUF_INIT(HELM_UNPACKED_MAX + 1);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct member data[1], object[2];
	int r;

	go_base64_encode(&text, packed);
	data[0] = (struct member){ key_make(NULL, &a, STR("release")), val_string(buf_str(&text)) };
	object[0] = (struct member){ key_make(NULL, &a, STR("kind")), val_string(STR("ConfigMap")) };
	object[1] = (struct member){ key_make(NULL, &a, STR("data")), val_map(&a, data, 1) };
	r = helm_unpack(val_map(&a, object, 2), &limits, &out, err);
	*made = out.n;
	return r;
}

static void test_as_large_as_may_be(void **state)
{
	CLEANUP(buf_done) struct buf packed = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	gzip_blanks(HELM_UNPACKED_MAX, &packed);
	assert_int_equal(unpack(buf_str(&packed), &made, &err), 0);
	assert_int_equal(made, HELM_UNPACKED_MAX);
}

static void test_a_byte_too_large(void **state)
{
	CLEANUP(buf_done) struct buf packed = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	gzip_blanks(HELM_UNPACKED_MAX + 1, &packed);
	assert_int_equal(unpack(buf_str(&packed), &made, &err), -E2BIG);
	assert_string_equal(err.msg, "release: gzip: claims more than 33554432 bytes");
	assert_int_equal(made, 0);
}

/* Twice as much, which claims to be nothing. */
static void test_a_bomb_that_lies(void **state)
{
	CLEANUP(buf_done) struct buf packed = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	gzip_blanks(2 * HELM_UNPACKED_MAX, &packed);
	memset(packed.p + packed.n - 4, 0, 4);
	assert_int_equal(unpack(buf_str(&packed), &made, &err), -E2BIG);
	assert_string_equal(err.msg, "release: larger than 33554432 bytes unpacked");
	assert_int_equal(made, HELM_UNPACKED_MAX + 1);
}

/* Many members, each within the limit. */
static void test_a_bomb_in_parts(void **state)
{
	CLEANUP(buf_done) struct buf part = BUF_INIT(SIZE_MAX), packed = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	gzip_blanks((size_t)1 << 20, &part);
	for (int i = 0; i < 32; i++)
		buf_add_str(&packed, buf_str(&part));
	assert_int_equal(unpack(buf_str(&packed), &made, &err), 0);
	assert_int_equal(made, HELM_UNPACKED_MAX);
	buf_add_str(&packed, buf_str(&part));
	assert_int_equal(unpack(buf_str(&packed), &made, &err), -E2BIG);
	assert_int_equal(made, HELM_UNPACKED_MAX + 1);
}

static void test_too_large_packed(void **state)
{
	CLEANUP(buf_done) struct buf blanks = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	buf_fill(&blanks, ' ', limits.object_bytes / 4 * 3);
	assert_int_equal(unpack(buf_str(&blanks), &made, &err), 0);
	assert_int_equal(made, blanks.n);
	buf_fill(&blanks, ' ', 1);
	assert_int_equal(unpack(buf_str(&blanks), &made, &err), -E2BIG);
	assert_string_equal(err.msg, "release: larger than 8388608 bytes packed");
}

/* Without gzip, where more than that may be packed. */
static void test_too_large_as_it_is(void **state)
{
	CLEANUP(buf_done) struct buf blanks = BUF_INIT(SIZE_MAX);
	struct err err;
	size_t made;

	(void)state;
	limits.object_bytes = SIZE_MAX;
	buf_fill(&blanks, ' ', HELM_UNPACKED_MAX + 1);
	assert_int_equal(unpack(buf_str(&blanks), &made, &err), -E2BIG);
	assert_string_equal(err.msg, "release: larger than 33554432 bytes unpacked");
	limits = LIMITS_DEFAULT;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_large_as_may_be), cmocka_unit_test(test_a_byte_too_large),
		cmocka_unit_test(test_a_bomb_that_lies),   cmocka_unit_test(test_a_bomb_in_parts),
		cmocka_unit_test(test_too_large_packed),   cmocka_unit_test(test_too_large_as_it_is),
	};

	limits = LIMITS_DEFAULT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
