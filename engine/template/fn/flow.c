/* The functions that end the rendering. */
#include "template/fn/fn.h"

#include <errno.h>

static int fn_fail(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	(void)ret;
	return tmpl_fail_str(c, args[0].s);
}

/* End the rendering, because the reference says that it is not meant for this object. */
static int fn_do_not_match(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	str s;
	int r;

	(void)n;
	(void)ret;
	buf_add_cstr(&text, "Do not match: ");
	buf_add_str(&text, args[0].s);
	r = tmpl_buf_str(c, &text, &s);
	if (r < 0)
		return r;
	c->no_match = true;
	return tmpl_fail_str(c, s);
}

static int fn_hello(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)args;
	(void)n;
	*ret = tval_string(STR("Hello!"));
	return 0;
}

static const struct tmpl_fn rows[] = {
	{ "doNotMatch",
	  fn_do_not_match,
	  { &tt_string },
	  false,
	  &tt_string,
	  "this template is not meant for this object" },
	{ "fail", fn_fail, { &tt_string }, false, &tt_string, "end with an error" },
	{ "hello", fn_hello, { NULL }, false, &tt_string, "\"Hello!\"" },
};
TMPL_FN_FAMILY(fn_flow, rows);
