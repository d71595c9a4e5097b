/* Writes the fields as JSON and YAML. A JSON string is a YAML string too. */
#include "daemon/events/event_print.h"

#include "base/printable.h"
#include "value/json.h"

#include <inttypes.h>

/* Append a string, in which characters that a terminal would interpret are escaped as well. */
static void add_string(str s, bool yaml, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(out->max);

	json_encode_string(s, JSON_PLAIN, &text);
	if (text.error)
		out->error = text.error;
	printable_json_add(out, buf_str(&text), yaml);
}

/* Whether field @i is the first one of its name. */
static bool is_first(const struct event *e, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (str_eq(e->fields.p[k].name, e->fields.p[i].name))
			return false;
	}
	return true;
}

static size_t next_of_name(const struct event *e, size_t i)
{
	size_t k = i + 1;

	while (k < e->fields.n && !str_eq(e->fields.p[k].name, e->fields.p[i].name))
		k++;
	return k;
}

/* Append the values of field @i and of the later fields of its name: one text, or an array. */
static void add_values(const struct event *e, size_t i, bool yaml, struct buf *out)
{
	bool several = next_of_name(e, i) < e->fields.n;

	buf_add_cstr(out, yaml ? several ? "\n- " : " " : several ? "[" : "");
	for (size_t k = i; k < e->fields.n; k = next_of_name(e, k)) {
		if (k > i)
			buf_add_cstr(out, yaml ? "\n- " : ",");
		add_string(e->fields.p[k].value, yaml, out);
	}
	if (several && !yaml)
		buf_add_byte(out, ']');
}

void event_document(const struct event *e, bool yaml, struct buf *out)
{
	buf_printf(out,
		   yaml ? "---\n__REALTIME_TIMESTAMP: \"%" PRId64 "\"" : "{\"__REALTIME_TIMESTAMP\":\"%" PRId64 "\"",
		   e->usec);
	if (e->cursor.n) {
		buf_add_cstr(out, yaml ? "\n__CURSOR: " : ",\"__CURSOR\":");
		add_string(e->cursor, yaml, out);
	}
	for (size_t i = 0; i < e->fields.n; i++) {
		if (!is_first(e, i))
			continue;
		buf_printf(out, yaml ? "\n%.*s:" : ",\"%.*s\":", STR_ARG(e->fields.p[i].name));
		add_values(e, i, yaml, out);
	}
	buf_add_cstr(out, yaml ? "\n" : "}\n");
}
