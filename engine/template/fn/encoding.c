/* Base32 and base64. */
#include "go/base64.h"
#include "template/fn/fn.h"

#include <errno.h>

static int fn_b64enc(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	go_base64_encode(&out, args[0].s);
	return tmpl_ret_buf(c, &out, ret);
}

/* Bad input gives the text of the error. */
static int fn_b64dec(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str text;
	size_t bad;
	int r = go_base64_decode(&go_base64_std, args[0].s, &c->mem->arena, &text, &bad);

	if (r == -ENOMEM)
		return tmpl_nomem(c);
	if (r == 0) {
		*ret = tval_string(text);
		return 0;
	}
	buf_printf(&out, "illegal base64 data at input byte %zu", bad);
	return tmpl_ret_buf(c, &out, ret);
}

static const char alphabet32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static int fn_b32enc(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;

	for (size_t i = 0; i < s.n; i += 5) {
		size_t left = s.n - i < 5 ? s.n - i : 5, digits = (left * 8 + 4) / 5;
		uint64_t w = 0;

		for (size_t k = 0; k < 5; k++)
			w = w << 8 | (k < left ? (unsigned char)s.p[i + k] : 0);
		for (size_t k = 0; k < 8; k++)
			buf_add_byte(&out, k < digits ? alphabet32[w >> (35 - 5 * k) & 31] : '=');
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* One group of eight; *bad is the offset of the first wrong byte as Go reports it. */
static bool b32_group(str s, size_t *i, bool *end, ptrdiff_t *bad, struct buf *out)
{
	static const unsigned char bytes_of[] = { 0, 0, 1, 0, 2, 3, 0, 4, 5 };
	uint64_t w = 0;
	size_t have = 0;

	for (; have < 8; have++) {
		const char *at;

		if (*i == s.n) {
			*bad = (ptrdiff_t)(s.n - have);
			return have == 0;
		}
		if (s.p[*i] == '=' && have >= 2 && s.n - *i - 1 < 8) {
			size_t pads = 8 - have;

			/* The padding must fill the group and end the text. */
			if (s.n - *i < pads) {
				*bad = (ptrdiff_t)s.n;
				return false;
			}
			for (size_t k = 1; k < pads; k++) {
				if (s.p[*i + k] != '=') {
					*bad = (ptrdiff_t)(*i + k - 1);
					return false;
				}
			}
			*end = true;
			if (have == 3 || have == 6) {
				*bad = (ptrdiff_t)(*i);
				return false;
			}
			*i = s.n;
			break;
		}
		at = s.p[*i] ? strchr(alphabet32, s.p[*i]) : NULL;
		if (!at) {
			*bad = (ptrdiff_t)*i;
			return false;
		}
		w = w << 5 | (uint64_t)(at - alphabet32);
		++*i;
	}
	for (size_t k = 0; k < bytes_of[have]; k++)
		buf_add_byte(out, (char)(w << (5 * (8 - have)) >> (32 - 8 * k)));
	return true;
}

static int fn_b32dec(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	bool end = false, ok = true;
	ptrdiff_t bad = -1;
	size_t i = 0;

	for (size_t k = 0; k < args[0].s.n; k++) {
		if (args[0].s.p[k] != '\n' && args[0].s.p[k] != '\r')
			buf_add_byte(&text, args[0].s.p[k]);
	}
	while (ok && !end && i < text.n)
		ok = b32_group(buf_str(&text), &i, &end, &bad, &out);
	if (!ok) {
		buf_truncate(&out, 0);
		buf_printf(&out, "illegal base32 data at input byte %td", bad);
	}
	return tmpl_ret_buf(c, &out, ret);
}

static const struct tmpl_fn rows[] = {
	{ "b32dec",
	  fn_b32dec,
	  { &tt_string },
	  false,
	  &tt_string,
	  "what the base32 text encodes, or the text of the error" },
	{ "b32enc", fn_b32enc, { &tt_string }, false, &tt_string, "the string in base32" },
	{ "b64dec",
	  fn_b64dec,
	  { &tt_string },
	  false,
	  &tt_string,
	  "what the base64 text encodes, or the text of the error" },
	{ "b64enc", fn_b64enc, { &tt_string }, false, &tt_string, "the string in base64" },
};
TMPL_FN_FAMILY(fn_encoding, rows);
