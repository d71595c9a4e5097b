/* Escapes texts, and keeps the stack of open elements. */
#include "daemon/pages/html_out.h"

#include "base/assert.h"
#include "base/printable.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

#define FORMATTED_MAX 512 /* bytes */

/* ---- texts ---- */

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

void html_escape(struct buf *out, str s)
{
	size_t from = 0;

	/* In UTF-8 the bytes of markup are never part of another character, so that bytes can be checked one by one. */
	for (size_t i = 0; i < s.n; i++) {
		const char *entity = entity_of(s.p[i]);

		if (!entity)
			continue;
		printable_add(out, str_sub(s, from, i), "\\n");
		buf_add_cstr(out, entity);
		from = i + 1;
	}
	printable_add(out, str_sub(s, from, s.n), "\\n");
}

static void end_tag(struct html *h)
{
	if (h->in_tag)
		buf_add_byte(h->out, '>');
	h->in_tag = false;
}

void html_text(struct html *h, str s)
{
	end_tag(h);
	html_escape(h->out, s);
}

void html_textf(struct html *h, const char *format, ...)
{
	char text[FORMATTED_MAX];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	html_text(h, str_from(text));
}

void html_cut(struct html *h, str s, size_t max)
{
	str shown = utf8_cut(s, max);

	html_text(h, shown);
	if (shown.n < s.n)
		html_say(h, "…");
}

void html_newline(struct html *h)
{
	end_tag(h);
	buf_add_byte(h->out, '\n');
}

void html_append(struct html *h, const struct html *part)
{
	ASSERT(part->depth == 0 && !part->in_tag);
	end_tag(h);
	buf_add_str(h->out, buf_str(part->out));
	if (part->out->error)
		h->out->error = part->out->error;
}

/* ---- elements ---- */

void html_void_element(struct html *h, const char *name)
{
	end_tag(h);
	buf_add_byte(h->out, '<');
	buf_add_cstr(h->out, name);
	h->in_tag = true;
}

void html_open_element(struct html *h, const char *name)
{
	ASSERT(h->depth < HTML_DEPTH_MAX);
	html_void_element(h, name);
	h->open[h->depth++] = name;
}

void html_add_flag(struct html *h, const char *name)
{
	ASSERT(h->in_tag);
	buf_add_byte(h->out, ' ');
	buf_add_cstr(h->out, name);
}

void html_add_attribute(struct html *h, const char *name, str value)
{
	html_add_flag(h, name);
	buf_add_cstr(h->out, "=\"");
	html_escape(h->out, value);
	buf_add_byte(h->out, '"');
}

void html_close_to(struct html *h, size_t depth)
{
	ASSERT(depth <= h->depth);
	while (h->depth > depth) {
		end_tag(h);
		buf_add_cstr(h->out, "</");
		buf_add_cstr(h->out, h->open[--h->depth]);
		buf_add_byte(h->out, '>');
	}
}

void html_close_element(struct html *h, const char *name)
{
	ASSERT(h->depth > 0 && strcmp(h->open[h->depth - 1], name) == 0);
	html_close_to(h, h->depth - 1);
}
