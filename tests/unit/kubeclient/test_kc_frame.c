/* Watch streams cut at every byte. */
#include "kubeclient/kc_frame.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void drain(struct kc_frame *f, struct buf *out)
{
	str line;

	while (kc_frame_next(f, &line)) {
		buf_add_byte(out, f->is_cut ? '<' : '[');
		buf_add_str(out, line);
		buf_add_byte(out, f->is_cut ? '>' : ']');
	}
}

/* Every cut of the stream gives the same lines. */
static void test_cut_at_every_byte(void **state)
{
	static const char stream[] =
		"one\ntwo\r\n\n\nthis line is too long\nthree\nlonger still, and longer\n\nfour\npart";
	size_t n = sizeof(stream) - 1;

	(void)state;
	for (size_t first = 0; first <= n; first++) {
		for (size_t second = first; second <= n; second++) {
			CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
			CLEANUP(kc_frame_done) struct kc_frame f;
			struct err err;

			kc_frame_init(&f, 10);
			assert_int_equal(kc_frame_add(&f, stream, first, &err), 0);
			drain(&f, &out);
			assert_int_equal(kc_frame_add(&f, stream + first, second - first, &err), 0);
			drain(&f, &out);
			assert_int_equal(kc_frame_add(&f, stream + second, n - second, &err), 0);
			drain(&f, &out);
			assert_string_equal(out.p, "[one][two]<this line >[three]<longer sti>[four]");
			assert_int_equal(f.oversized, 2);
		}
	}
}

static void test_byte_by_byte(void **state)
{
	static const char stream[] = "a\nbcdefghijklmnopq\n\nr\n";
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	CLEANUP(kc_frame_done) struct kc_frame f;
	struct err err;

	(void)state;
	kc_frame_init(&f, 4);
	for (size_t i = 0; i < sizeof(stream) - 1; i++) {
		assert_int_equal(kc_frame_add(&f, stream + i, 1, &err), 0);
		drain(&f, &out);
	}
	assert_string_equal(out.p, "[a]<bcde>[r]");
	assert_int_equal(f.oversized, 1);
	assert_true(f.b.n == 0);
}

static void test_reset_forgets_the_rest(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	CLEANUP(kc_frame_done) struct kc_frame f;
	struct err err;

	(void)state;
	kc_frame_init(&f, 4);
	assert_int_equal(kc_frame_add(&f, "half of a lo", 12, &err), 0);
	drain(&f, &out);
	assert_true(kc_frame_rest(&f).n == 0); /* it is too long */
	kc_frame_reset(&f);
	assert_int_equal(kc_frame_add(&f, "new\n", 4, &err), 0);
	drain(&f, &out);
	assert_string_equal(out.p, "[new]");
}

static void test_rest(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	CLEANUP(kc_frame_done) struct kc_frame f;
	struct err err;

	(void)state;
	kc_frame_init(&f, 100);
	assert_true(kc_frame_rest(&f).n == 0);
	assert_int_equal(kc_frame_add(&f, "one\nha", 6, &err), 0);
	drain(&f, &out);
	assert_true(str_eq(kc_frame_rest(&f), STR("ha")));
	assert_int_equal(kc_frame_add(&f, "lf\n", 3, &err), 0);
	drain(&f, &out);
	assert_true(kc_frame_rest(&f).n == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_reset_forgets_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
