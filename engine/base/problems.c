/* Collects mistakes with their places. */
#include "base/problems.h"

#include "base/buf.h"

#include <stdio.h>

void problems_done(struct problems *p)
{
	for (size_t i = 0; i < p->list.n; i++)
		free(p->list.p[i]);
	vec_done(&p->list);
	p->dropped = 0;
}

void problems_add(struct problems *p, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n >= 0 && p->list.n < PROBLEMS_MAX && vec_push(&p->list, text))
		return;
	if (n >= 0)
		free(text);
	p->dropped++;
}

char *problems_text(const struct problems *p)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);

	for (size_t i = 0; i < p->list.n; i++) {
		if (i > 0)
			buf_add_byte(&out, '\n');
		buf_add_cstr(&out, p->list.p[i]);
	}
	if (p->dropped)
		buf_printf(&out, "%s… and %zu more", out.n ? "\n" : "", p->dropped);
	return buf_steal(&out);
}
