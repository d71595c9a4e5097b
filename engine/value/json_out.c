/* Writes members of objects with their commas and escapes. */
#include "value/json_out.h"

#include "go/layout.h"
#include "value/json.h"

#include <inttypes.h>

/* Write a comma, unless an object or array has just been opened. */
static void next(struct buf *out)
{
	if (out->n && out->p[out->n - 1] != '{' && out->p[out->n - 1] != '[')
		buf_add_byte(out, ',');
}

void json_key(struct buf *out, const char *name)
{
	next(out);
	json_encode_string(str_from(name), JSON_PLAIN, out);
	buf_add_byte(out, ':');
}

void json_open(struct buf *out, const char *name, char bracket)
{
	if (name)
		json_key(out, name);
	else
		next(out);
	buf_add_byte(out, bracket);
}

void json_text(struct buf *out, const char *name, str value)
{
	if (!value.n)
		return;
	json_key(out, name);
	json_encode_string(value, JSON_PLAIN, out);
}

void json_number(struct buf *out, const char *name, uint64_t value)
{
	json_key(out, name);
	buf_printf(out, "%" PRIu64, value);
}

void json_bool(struct buf *out, const char *name, bool value)
{
	json_key(out, name);
	buf_add_cstr(out, value ? "true" : "false");
}

void json_time(struct buf *out, const char *name, int64_t usec)
{
	if (usec <= 0)
		return;
	json_key(out, name);
	buf_add_byte(out, '"');
	go_rfc3339_format(usec / 1000000, 0, 0, out);
	buf_add_byte(out, '"');
}

void json_item(struct buf *out, str value)
{
	next(out);
	json_encode_string(value, JSON_PLAIN, out);
}

void json_lines(struct buf *out, const char *name, str lines)
{
	str line;

	if (!lines.n)
		return;
	json_open(out, name, '[');
	while (lines.n && str_next_part(&lines, '\n', &line))
		json_item(out, line);
	buf_add_byte(out, ']');
}
