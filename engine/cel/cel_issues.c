/* Collects mistakes and prints them with their places. */
#include "cel/cel_issues.h"

#include "base/utf8.h"
#include "cel/cel_value.h"

#include <stdarg.h>
#include <stdio.h>

void cel_issue_add(struct cel_issues *is, uint32_t at, const char *fmt, ...)
{
	char text[1024];
	str copy;
	va_list ap;

	if (is->n == CEL_ISSUES_MAX)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (uint32_t i = 0; i < is->n; i++) {
		if (is->list[i].at == at && str_eq(is->list[i].text, str_from(text)))
			return;
	}
	copy = arena_str(is->arena, str_from(text));
	if (!copy.p)
		is->no_memory = true;
	else
		is->list[is->n++] = (struct cel_issue){ at, copy };
}

static uint32_t line_start(str source, uint32_t at)
{
	while (at > 0 && source.p[at - 1] != '\n')
		at--;
	return at;
}

void cel_position(str source, uint32_t at, uint32_t *line, uint32_t *column)
{
	uint32_t start;

	if (at > source.n)
		at = (uint32_t)source.n;
	start = line_start(source, at);
	*line = 1;
	for (uint32_t i = 0; i < start; i++)
		*line += source.p[i] == '\n';
	*column = (uint32_t)utf8_count(str_sub(source, start, at)) + 1;
}

static void add_snippet(str line, uint32_t column, struct buf *out)
{
	size_t n;

	buf_add_cstr(out, "\n | ");
	for (size_t i = 0; i < line.n; i++)
		buf_add_byte(out, line.p[i] == '\t' ? ' ' : line.p[i]);
	buf_add_cstr(out, "\n | ");
	for (uint32_t i = 1; i < column && line.n; i++) {
		(void)utf8_decode(line, &n);
		buf_add_cstr(out, n > 1 ? "．" : ".");
		line = str_sub(line, n, line.n);
	}
	(void)utf8_decode(line, &n);
	buf_add_cstr(out, line.n && n > 1 ? "＾" : "^");
}

/* Append one issue of a source. */
static void format_issue(str source, const struct cel_issue *issue, struct buf *out)
{
	uint32_t at = issue->at < source.n ? issue->at : (uint32_t)source.n, line, column;
	str rest = str_sub(source, line_start(source, at), source.n);
	ptrdiff_t end = str_find_byte(rest, '\n');

	cel_position(source, at, &line, &column);
	buf_printf(out, "ERROR: <input>:%u:%u: ", line, column);
	buf_add_str(out, issue->text);
	add_snippet(end >= 0 ? str_sub(rest, 0, (size_t)end) : rest, column, out);
}

void cel_error_format(const struct cel_error *e, str source, struct buf *out)
{
	struct cel_issue issue = { e->at, e->text };

	if (e->placed)
		format_issue(source, &issue, out);
	else
		buf_add_str(out, e->text);
}

void cel_issues_format(struct cel_issues *is, struct buf *out)
{
	for (uint32_t i = 1; i < is->n; i++) {
		struct cel_issue moved = is->list[i];
		uint32_t j = i;

		for (; j > 0 && is->list[j - 1].at > moved.at; j--)
			is->list[j] = is->list[j - 1];
		is->list[j] = moved;
	}
	for (uint32_t i = 0; i < is->n; i++) {
		if (i)
			buf_add_byte(out, '\n');
		format_issue(is->source, &is->list[i], out);
	}
}
