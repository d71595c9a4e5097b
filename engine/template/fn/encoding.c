/* Base32 and base64. */
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

/* Bad input gives the text of the error. */
static int fn_b64dec(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str text;
	size_t bad;
	int r = go_base64_decode(&go_base64_std, args[0].s, &c->mem->arena, &text, &bad);

	(void)n;
	if (r == -ENOMEM)
		return tmpl_nomem(c);
	if (r == 0) {
		*ret = tval_string(text);
		return 0;
	}
	buf_printf(&out, "illegal base64 data at input byte %zu", bad);
	return tmpl_ret_buf(c, &out, ret);
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
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str text;
	size_t bad;
	int r = go_base32_decode(args[0].s, &c->mem->arena, &text, &bad);

	(void)n;
	if (r == -ENOMEM)
		return tmpl_nomem(c);
	if (r == 0) {
		*ret = tval_string(text);
		return 0;
	}
	buf_printf(&out, "illegal base32 data at input byte %zu", bad);
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
