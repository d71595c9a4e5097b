/* Base64. */
#include "template/fn.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int fn_b64enc(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s = args[0].s;

	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		uint32_t w = (uint32_t)(unsigned char)s.p[i] << 16;

		w |= left > 1 ? (uint32_t)(unsigned char)s.p[i + 1] << 8 : 0;
		w |= left > 2 ? (uint32_t)(unsigned char)s.p[i + 2] : 0;
		buf_add_byte(&out, alphabet[w >> 18]);
		buf_add_byte(&out, alphabet[w >> 12 & 63]);
		buf_add_byte(&out, left > 1 ? alphabet[w >> 6 & 63] : '=');
		buf_add_byte(&out, left > 2 ? alphabet[w & 63] : '=');
	}
	return tmpl_ret_buf(c, &out, ret);
}

/* The offset of the first bad byte as Go reports it, or -1. Line ends are skipped; padding is required; the unused bits
 * of the last character are not looked at. */
static ptrdiff_t b64_decode(str s, struct buf *out)
{
	uint32_t w = 0;
	unsigned have = 0;
	size_t i = 0;

	for (; i < s.n; i++) {
		const char *at = s.p[i] ? strchr(alphabet, s.p[i]) : NULL;

		if (s.p[i] == '\n' || s.p[i] == '\r')
			continue;
		if (!at)
			break;
		w = w << 6 | (uint32_t)(at - alphabet);
		if (++have < 4)
			continue;
		buf_add_byte(out, (char)(w >> 16));
		buf_add_byte(out, (char)(w >> 8));
		buf_add_byte(out, (char)w);
		w = 0;
		have = 0;
	}
	if (i == s.n && have == 0)
		return -1;
	if (i == s.n)
		return (ptrdiff_t)(s.n - have);
	if (s.p[i] != '=' || have < 2)
		return (ptrdiff_t)i;
	if (have == 2) {
		size_t k = i + 1;

		while (k < s.n && (s.p[k] == '\n' || s.p[k] == '\r'))
			k++;
		if (k == s.n)
			return (ptrdiff_t)s.n;
		if (s.p[k] != '=')
			return (ptrdiff_t)k;
		i = k;
	}
	for (i++; i < s.n && (s.p[i] == '\n' || s.p[i] == '\r'); i++) {
	}
	if (i < s.n)
		return (ptrdiff_t)i;
	w <<= 6 * (4 - have);
	buf_add_byte(out, (char)(w >> 16));
	if (have == 3)
		buf_add_byte(out, (char)(w >> 8));
	return -1;
}

/* Bad input gives the text of the error. */
static int fn_b64dec(struct tmpl_call *c, const tval *args, size_t n UNUSED, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	ptrdiff_t bad = b64_decode(args[0].s, &out);

	if (bad >= 0 && !out.error) {
		buf_truncate(&out, 0);
		buf_printf(&out, "illegal base64 data at input byte %td", bad);
	}
	return tmpl_ret_buf(c, &out, ret);
}

static const struct tmpl_fn rows[] = {
	{ "b64dec",
	  fn_b64dec,
	  { &tt_string },
	  false,
	  &tt_string,
	  "what the base64 text encodes, or the text of the error" },
	{ "b64enc", fn_b64enc, { &tt_string }, false, &tt_string, "the string in base64" },
};
TMPL_FN_FAMILY(fn_encoding, rows);
