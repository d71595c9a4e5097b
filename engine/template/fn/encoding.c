/* The functions for base32 and base64. */
#include "template/fn/fn.h"

#include "go/base32.h"
#include "go/base64.h"

#include <errno.h>

static int fn_b64enc(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	go_base64_encode(&out, args[0].s);
	return tmpl_ret_buf(c, &out, ret);
}

/* Return the result of decoding, which is in @r, @text and @bad: for bad input the text of the error. */
static int ret_decoded(struct tmpl_call *c, const char *base, int r, str text, size_t bad, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	if (r == -ENOMEM)
		return tmpl_nomem(c);
	if (r == 0) {
		*ret = tval_string(text);
		return 0;
	}
	buf_printf(&out, "illegal %s data at input byte %zu", base, bad);
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_b64dec(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str text = { 0 };
	size_t bad = 0;
	int r = go_base64_decode(&go_base64_std, args[0].s, &c->mem->arena, &text, &bad);

	(void)n;
	return ret_decoded(c, "base64", r, text, bad, ret);
}

static int fn_b32enc(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	go_base32_encode(&out, args[0].s);
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_b32dec(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str text = { 0 };
	size_t bad = 0;
	int r = go_base32_decode(args[0].s, &c->mem->arena, &text, &bad);

	(void)n;
	return ret_decoded(c, "base32", r, text, bad, ret);
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
