/* The functions for random texts, numbers and orders. */
#include "template/fn/random.h"

#include "base/utf8.h"
#include "go/base64.h"

#include <sys/random.h>

/* the most bytes that getrandom gives in one call without being interrupted */
#define RANDOM_CHUNK 256

static bool system_random(unsigned char *p, size_t n)
{
	while (n) {
		size_t want = n < RANDOM_CHUNK ? n : RANDOM_CHUNK;

		if (getrandom(p, want, 0) != (ssize_t)want)
			return false;
		p += want;
		n -= want;
	}
	return true;
}

int tmpl_random_bytes(struct tmpl_call *c, void *p, size_t n)
{
	bool ok = c->env->random ? c->env->random(c->env->ctx, p, n) : system_random(p, n);

	return ok ? 0 : tmpl_fail(c, "no randomness");
}

int tmpl_random_below(struct tmpl_call *c, uint64_t limit, uint64_t *ret)
{
	uint64_t surplus = (0 - limit) % limit; /* 2^64 mod limit: values below it would favour small results */
	uint64_t v;

	do {
		int r = tmpl_random_bytes(c, &v, sizeof(v));

		if (r < 0)
			return r;
		r = tmpl_spend(c, 1);
		if (r < 0)
			return r;
	} while (v < surplus);
	*ret = v % limit;
	return 0;
}

int tmpl_random_pool_below(struct tmpl_call *c, struct random_pool *pool, uint32_t limit, uint32_t *ret)
{
	uint32_t surplus = (0 - limit) % limit;
	uint32_t v;

	do {
		if (pool->filled - pool->used < sizeof(v)) {
			int r = tmpl_spend(c, 1);

			if (r < 0)
				return r;
			r = tmpl_random_bytes(c, pool->bytes, sizeof(pool->bytes));
			if (r < 0)
				return r;
			pool->used = 0;
			pool->filled = sizeof(pool->bytes);
		}
		memcpy(&v, pool->bytes + pool->used, sizeof(v));
		pool->used += sizeof(v);
	} while (v < surplus);
	*ret = v % limit;
	return 0;
}

static int random_text(struct tmpl_call *c, int64_t count, const char *alphabet, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct random_pool pool = { 0 };
	uint32_t letters = (uint32_t)strlen(alphabet);
	int r = count > 0 ? tmpl_spend(c, (uint64_t)count / 8) : 0;

	for (int64_t i = 0; r == 0 && i < count && !out.error; i++) {
		uint32_t at;

		r = tmpl_random_pool_below(c, &pool, letters, &at);
		if (r == 0)
			buf_add_byte(&out, alphabet[at]);
	}
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

int run_rand_alpha(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return random_text(c, args[0].i, UPPER LOWER, ret);
}

int run_rand_alpha_num(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return random_text(c, args[0].i, UPPER LOWER DIGITS, ret);
}

int run_rand_ascii(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return random_text(c, args[0].i, " !\"#$%&'()*+,-./" DIGITS ":;<=>?@" UPPER "[\\]^_`" LOWER "{|}~", ret);
}

int run_rand_numeric(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return random_text(c, args[0].i, DIGITS, ret);
}

int run_rand_bytes(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	unsigned char chunk[RANDOM_CHUNK / 3 * 3];
	int64_t left = args[0].i;
	int r;

	(void)n;
	/* make([]byte, n) panics above the size of the address space */
	if (left < 0 || left > (int64_t)1 << 48)
		return tmpl_fail(c, "runtime error: makeslice: len out of range");
	r = tmpl_spend(c, (uint64_t)left / 8);
	while (r == 0 && left > 0 && !out.error) {
		size_t now = left < (int64_t)sizeof(chunk) ? (size_t)left : sizeof(chunk);

		r = tmpl_random_bytes(c, chunk, now);
		go_base64_encode(&out, (str){ (char *)chunk, now });
		left -= (int64_t)now;
	}
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

/* Return the characters in a random order; a byte that is not UTF-8 becomes U+FFFD. */
int run_shuffle(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	CLEANUP(freep) uint32_t *runes = NULL;
	struct random_pool pool = { 0 };
	str s = args[0].s;
	size_t count = utf8_count(s);
	int r = tmpl_spend(c, count / 8);

	(void)n;
	if (r < 0)
		return r;
	runes = calloc(count + 1, sizeof(*runes));
	if (!runes)
		return tmpl_nomem(c);
	for (size_t i = 0; i < count; i++) {
		size_t len;

		runes[i] = utf8_decode(s, &len);
		s = str_sub(s, len, s.n);
	}
	for (size_t i = count; i > 0; i--) {
		uint32_t at;

		r = tmpl_random_pool_below(c, &pool, (uint32_t)i, &at);
		if (r < 0)
			return r;
		buf_add_utf8(&out, runes[at]);
		runes[at] = runes[i - 1];
	}
	return tmpl_ret_buf(c, &out, ret);
}

int run_uuid(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	unsigned char id[16];
	int r = tmpl_random_bytes(c, id, sizeof(id));

	(void)args;
	(void)n;
	if (r < 0)
		return r;
	id[6] = (unsigned char)((id[6] & 0x0f) | 0x40); /* version 4 */
	id[8] = (unsigned char)((id[8] & 0x3f) | 0x80); /* the RFC's variant */
	for (size_t i = 0; i < sizeof(id); i++)
		buf_printf(&out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
	return tmpl_ret_buf(c, &out, ret);
}
