/* Reads field paths: dots, quotes and escapes. */
#include "text/path_to_list.h"

#include "base/vec.h"

#include <errno.h>

struct reader {
	str rest;    /* the lines that are not read yet */
	bool at_end; /* a line was requested behind the last one */
	str line;    /* the rest of the current line; its end is one "\n", or nothing at the end of the text */
	int number;  /* how many lines were read */
	int record_line;
	int line_at, column; /* the start and the place of the field in the line, counted in bytes from 1 */
	char *field;         /* the quoted field that is being read */
	size_t field_n;
	struct arena *a;
	VEC(str) fields;
	struct err *err;
};

/* Read a line; "\r\n" counts as "\n", and a "\r" at the very end is dropped. */
static void read_line(struct reader *r)
{
	ptrdiff_t newline = str_find_byte(r->rest, '\n');
	size_t n = newline < 0 ? r->rest.n : (size_t)newline + 1;

	r->number++;
	r->at_end = n == 0;
	r->line = str_sub(r->rest, 0, n);
	r->rest = str_sub(r->rest, n, r->rest.n);
	if (newline < 0 && n > 0 && r->line.p[n - 1] == '\r')
		r->line.n--;
}

/* The length of the line end at the end of @s: "\n" or "\r\n", which is one "\n" to the columns. */
static size_t line_end(str s)
{
	if (s.n == 0 || s.p[s.n - 1] != '\n')
		return 0;
	return s.n > 1 && s.p[s.n - 2] == '\r' ? 2 : 1;
}

static int parse_error(struct reader *r, int line, int column, const char *what)
{
	if (line != r->record_line)
		return err_set(r->err, EBADMSG,
			       "failed to parse path: record on line %d; parse error on line %d, column %d: %s",
			       r->record_line, line, column, what);
	return err_set(r->err, EBADMSG, "failed to parse path: parse error on line %d, column %d: %s", line, column,
		       what);
}

static int add_field(struct reader *r, str field)
{
	return vec_push(&r->fields, field) ? 0 : err_nomem(r->err);
}

static void skip(struct reader *r, size_t n)
{
	r->line = str_sub(r->line, n, r->line.n);
	r->column += (int)n;
}

/* Read a field without quotes. 1: another field follows; 0: the record ends; negative: an error. */
static int plain_field(struct reader *r)
{
	ptrdiff_t dot = str_find_byte(r->line, '.'), quote;
	str field = dot >= 0 ? str_sub(r->line, 0, (size_t)dot) : str_sub(r->line, 0, r->line.n - line_end(r->line));
	int rc;

	quote = str_find_byte(field, '"');
	if (quote >= 0)
		return parse_error(r, r->number, r->column + (int)quote, "bare \" in non-quoted-field");
	rc = add_field(r, field);
	if (rc < 0 || dot < 0)
		return rc;
	skip(r, (size_t)dot + 1);
	return 1;
}

static void take(struct reader *r, str s)
{
	size_t end = line_end(s);

	if (end == 2) {
		take(r, str_sub(s, 0, s.n - 2));
		s = STR("\n");
	}
	if (s.n)
		memcpy(r->field + r->field_n, s.p, s.n);
	r->field_n += s.n;
}

/* Read on behind a quote inside a quoted field: 2 when the field continues, else as plain_field. */
static int after_quote(struct reader *r)
{
	if (r->line.n > 0 && r->line.p[0] == '"') {
		take(r, STR("\""));
		skip(r, 1);
		return 2;
	}
	if (r->line.n > 0 && r->line.p[0] == '.') {
		skip(r, 1);
		return 1;
	}
	if (line_end(r->line) == r->line.n)
		return 0;
	return parse_error(r, r->number, r->column - 1, "extraneous or missing \" in quoted-field");
}

static int quoted_field(struct reader *r)
{
	int rc = 2;

	r->field_n = 0;
	r->field = arena_alloc(r->a, r->line.n + r->rest.n);
	if (!r->field)
		return err_nomem(r->err);
	skip(r, 1);
	while (rc == 2) {
		ptrdiff_t quote = str_find_byte(r->line, '"');

		if (quote >= 0) {
			take(r, str_sub(r->line, 0, (size_t)quote));
			skip(r, (size_t)quote + 1);
			rc = after_quote(r);
		} else if (r->line.n > 0) {
			take(r, r->line);
			r->column += (int)(r->line.n - (line_end(r->line) == 2));
			read_line(r);
			if (r->line.n > 0) {
				r->line_at++;
				r->column = 1;
			}
		} else {
			return parse_error(r, r->line_at, r->column, "extraneous or missing \" in quoted-field");
		}
	}
	if (rc >= 0 && add_field(r, (str){ r->field, r->field_n }) < 0)
		return -ENOMEM;
	return rc;
}

static int read_record(struct reader *r)
{
	int more = 1;

	do
		read_line(r);
	while (!r->at_end && line_end(r->line) == r->line.n);
	if (r->at_end)
		return err_set(r->err, EBADMSG, "failed to parse path: EOF");
	r->record_line = r->line_at = r->number;
	r->column = 1;
	while (more > 0)
		more = r->line.n > 0 && r->line.p[0] == '"' ? quoted_field(r) : plain_field(r);
	return more;
}

int path_to_list(str path, struct arena *a, str **ret, size_t *n, struct err *err)
{
	struct reader r = { .rest = path, .a = a, .err = err };
	str *list = NULL;
	int rc;

	if (path.n > INT_MAX / 2)
		return err_set(err, E2BIG, "failed to parse path: longer than %d bytes", INT_MAX / 2);
	if (r.rest.n > 0 && r.rest.p[0] == '.')
		r.rest = str_sub(r.rest, 1, r.rest.n);
	rc = read_record(&r);
	if (rc == 0) {
		list = arena_array(a, r.fields.n, sizeof(*list));
		if (!list)
			rc = err_nomem(err);
	}
	for (size_t i = 0; i < r.fields.n && rc == 0; i++) {
		list[i] = arena_str(a, r.fields.p[i]);
		if (!list[i].p)
			rc = err_nomem(err);
	}
	if (rc == 0) {
		*ret = list;
		*n = r.fields.n;
	}
	vec_done(&r.fields);
	return rc;
}
