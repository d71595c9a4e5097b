/* Texts packed and unpacked: the same bytes, with and without a dictionary, of any size. */
#include "pack/pack.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define N 400

static void add_text(struct buf *b, unsigned i)
{
	buf_printf(b, "{\"metadata\":{\"name\":\"web-%u\",\"uid\":\"%08x\"},\"spec\":{", i, i * 2654435761u);
	for (unsigned k = 0; k < 1 + i % 40; k++)
		buf_printf(b, "\"field-%u\":\"what most of them have %u\",", k, k % 3);
	buf_add_cstr(b, "\"last\":null}}");
}

static struct pack_dict *make_dict(void)
{
	CLEANUP(buf_done) struct buf samples = BUF_INIT(1 << 24);
	struct pack_dict *d = NULL;
	size_t sizes[N], before = 0;
	struct err err;

	for (unsigned i = 0; i < N; i++) {
		add_text(&samples, i);
		sizes[i] = samples.n - before;
		before = samples.n;
	}
	assert_int_equal(samples.error, 0);
	assert_int_equal(pack_dict_new(buf_str(&samples), sizes, N, 32768, &d, &err), 0);
	assert_non_null(d);
	assert_true(pack_dict_bytes(d) > 32768);
	return d;
}

static size_t round_trip(struct packer *p, const struct pack_dict *d, str text)
{
	CLEANUP(buf_done) struct buf kept = BUF_INIT(1 << 24);
	struct err err;
	str packed, back;

	assert_int_equal(packer_pack(p, d, text, &packed, &err), 0);
	buf_add_str(&kept, packed);
	assert_int_equal(packer_unpack(p, d, buf_str(&kept), text.n, &back, &err), 0);
	assert_int_equal(back.n, text.n);
	assert_memory_equal(back.p, text.p, text.n);
	return kept.n;
}

static void test_round_trips(void **state)
{
	CLEANUP(packer_freep) struct packer *p = packer_new();
	struct pack_dict *d = make_dict();
	size_t with = 0, without = 0;

	(void)state;
	assert_non_null(p);
	for (unsigned i = N; i < 2 * N; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);

		add_text(&text, i);
		with += round_trip(p, d, buf_str(&text));
		without += text.n > 200 ? round_trip(p, NULL, buf_str(&text)) : text.n;
	}
	assert_true(with * 2 < without);
	pack_dict_unref(pack_dict_ref(d));
	pack_dict_unref(d);
}

/* Above what the work space keeps, and after it. */
static void test_large(void **state)
{
	CLEANUP(packer_freep) struct packer *p = packer_new();
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 24);

	(void)state;
	while (text.n < 5000000)
		add_text(&text, (unsigned)text.n);
	(void)round_trip(p, NULL, buf_str(&text));
	(void)round_trip(p, NULL, str_sub(buf_str(&text), 0, 3000));
}

/* What does not become shorter is refused, and few texts make no dictionary. */
static void test_refusals(void **state)
{
	CLEANUP(packer_freep) struct packer *p = packer_new();
	struct pack_dict *d;
	size_t size = 10;
	char noise[64];
	struct err err;
	str packed;

	(void)state;
	for (unsigned i = 0; i < sizeof(noise); i++)
		noise[i] = (char)(i * 2654435761u >> 13);
	assert_int_equal(packer_pack(p, NULL, (str){ noise, sizeof(noise) }, &packed, &err), -EFBIG);
	assert_int_equal(packer_pack(p, NULL, STR(""), &packed, &err), -EFBIG);
	assert_int_equal(pack_dict_new(STR("0123456789"), &size, 1, 65536, &d, &err), 0);
	assert_null(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
