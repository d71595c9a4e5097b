/* Reads the fields of a record from the journal. */
#include "daemon/events/event.h"

#include "base/ascii.h"
#include "base/number.h"
#include "base/utf8.h"

#define FIELDS_MAX 1024
#define BYTES_MAX ((size_t)4 << 20)
#define VALUE_MAX ((size_t)64 << 10)

void event_init(struct event *e)
{
	*e = (struct event){ .usec = 0 };
	arena_init(&e->arena, 16384, BYTES_MAX);
}

void event_done(struct event *e)
{
	arena_done(&e->arena);
	vec_done(&e->fields);
}

void event_clear(struct event *e)
{
	arena_reset(&e->arena);
	e->fields.n = 0;
	e->usec = 0;
	e->cursor = (str){ NULL, 0 };
}

static bool is_name(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!(s.p[i] >= 'A' && s.p[i] <= 'Z') && !ascii_is_digit(s.p[i]) && s.p[i] != '_')
			return false;
	}
	return s.n > 0;
}

void event_add(struct event *e, str field)
{
	ptrdiff_t eq = str_find_byte(field, '=');
	str value, copy;

	if (eq < 0 || !is_name(str_sub(field, 0, (size_t)eq)) || e->fields.n == FIELDS_MAX)
		return;
	value = str_sub(field, (size_t)eq + 1, field.n);
	field.n = (size_t)eq + 1 + utf8_cut(value, VALUE_MAX).n;
	copy = arena_str(&e->arena, field);
	if (copy.p)
		(void)!vec_push(&e->fields, (struct event_field){ str_sub(copy, 0, (size_t)eq),
								  str_sub(copy, (size_t)eq + 1, copy.n) });
}

bool event_copy(const struct event *from, struct event *to)
{
	to->usec = from->usec;
	to->cursor = arena_str(&to->arena, from->cursor);
	for (size_t i = 0; i < from->fields.n; i++) {
		const struct event_field *f = &from->fields.p[i];

		/* name and value are adjacent in memory */
		event_add(to, (str){ f->name.p, f->name.n + 1 + f->value.n });
	}
	return to->cursor.p && to->fields.n == from->fields.n;
}

void event_set(struct event *e, const char *name, str value)
{
	str copy = arena_str(&e->arena, value);

	for (size_t i = 0; copy.p && i < e->fields.n; i++) {
		if (str_eq(e->fields.p[i].name, str_from(name))) {
			e->fields.p[i].value = copy;
			return;
		}
	}
}

str event_get(const struct event *e, const char *name)
{
	for (size_t i = 0; i < e->fields.n; i++) {
		if (str_eq(e->fields.p[i].name, str_from(name)))
			return e->fields.p[i].value;
	}
	return (str){ NULL, 0 };
}

size_t event_count(const struct event *e, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < e->fields.n; i++)
		n += str_eq(e->fields.p[i].name, str_from(name));
	return n;
}

enum message event_message(const struct event *e)
{
	return message_of_id(event_get(e, "MESSAGE_ID"));
}

int event_priority(const struct event *e)
{
	int64_t n;

	return int64_parse(event_get(e, "PRIORITY"), &n) && n >= 0 && n <= 7 ? (int)n : SEVERITY_INFO;
}

enum severity event_severity(const struct event *e)
{
	int priority = event_priority(e);
	enum severity s;

	if (severity_parse(event_get(e, "DRIFTD_SEVERITY"), &s))
		return s;
	if (priority < SEVERITY_CRITICAL)
		return SEVERITY_CRITICAL;
	return priority > SEVERITY_INFO ? SEVERITY_INFO : (enum severity)priority;
}
