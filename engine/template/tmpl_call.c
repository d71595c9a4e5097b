/* What template functions share: failing, counting steps, and building results. */
#include "template/tmpl_call.h"

#include "template/tmpl_print.h"

#include <errno.h>
#include <stdio.h>

/* Define the functions themselves, not the macros that the analyzer sees. */
#undef tmpl_fail
#undef tmpl_fail_str
#undef tmpl_nomem

int tmpl_fail_str(struct tmpl_call *c, str text)
{
	c->error = arena_str(&c->mem->arena, text);
	return c->error.p ? -EINVAL : tmpl_nomem(c);
}

int tmpl_fail(struct tmpl_call *c, const char *fmt, ...)
{
	CLEANUP(freep) char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text = NULL;
		return tmpl_nomem(c);
	}
	return tmpl_fail_str(c, (str){ text, (size_t)n });
}

int tmpl_nomem(struct tmpl_call *c)
{
	if (tmem_full(c->mem))
		return err_set(c->err, E2BIG, "needs more than %zu bytes of memory", c->limits->arena_bytes);
	return err_nomem(c->err);
}

int tmpl_spend(struct tmpl_call *c, uint64_t n)
{
	if (*c->steps > c->limits->template_steps || n > c->limits->template_steps - *c->steps)
		return err_set(c->err, E2BIG, "exceeded maximum number of steps (%llu)",
			       (unsigned long long)c->limits->template_steps);
	*c->steps += n;
	return 0;
}

struct buf tmpl_buf(struct tmpl_call *c)
{
	return BUF_INIT(c->limits->arena_bytes ? c->limits->arena_bytes : SIZE_MAX / 2);
}

int tmpl_buf_str(struct tmpl_call *c, struct buf *b, str *ret)
{
	str s;

	if (b->error == -E2BIG)
		return err_set(c->err, E2BIG, "result is larger than %zu bytes", b->max);
	if (b->error)
		return err_nomem(c->err);
	s = arena_str(&c->mem->arena, buf_str(b));
	if (!s.p)
		return tmpl_nomem(c);
	*ret = s;
	return 0;
}

int tmpl_ret_buf(struct tmpl_call *c, struct buf *b, tval *ret)
{
	str s = { NULL, 0 };
	int r = tmpl_buf_str(c, b, &s);

	if (r == 0)
		*ret = tval_string(s);
	return r;
}

int tmpl_ret_str(struct tmpl_call *c, str s, tval *ret)
{
	str copy = arena_str(&c->mem->arena, s);

	if (!copy.p)
		return tmpl_nomem(c);
	*ret = tval_string(copy);
	return 0;
}

tval *tmpl_items(struct tmpl_call *c, size_t n)
{
	return arena_array(&c->mem->arena, n ? n : 1, sizeof(tval));
}

int tmpl_strval(struct tmpl_call *c, tval v, str *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	if (tval_is_string(v)) {
		*ret = v.s;
		return 0;
	}
	if (v.type == &tt_bytes)
		buf_add_str(&text, v.s);
	else
		tmpl_sprint(c->mem, v, &text);
	return tmpl_buf_str(c, &text, ret);
}
