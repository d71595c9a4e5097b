/* Collecting the fields of a record. */
#include "daemon/findings/record.h"

#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>

#define RECORD_BYTES_MAX (1u << 20)

void record_init(struct record *r, enum message m, int priority)
{
	arena_init(&r->arena, 4096, RECORD_BYTES_MAX);
	r->message = m;
	r->priority = priority;
	r->text = r->details = (str){ "", 0 };
	r->n_fields = 0;
}

void record_done(struct record *r)
{
	arena_done(&r->arena);
	r->n_fields = 0;
}

str text_cut(str s, size_t max)
{
	if (s.n <= max)
		return s;
	while (max > 0 && ((unsigned char)s.p[max] & 0xC0) == 0x80)
		max--;
	return str_sub(s, 0, max);
}

/* What the journal takes; it drops other fields without a word (systemd.journal-fields(7)). */
static bool is_field_name(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && n <= 64 && !name[n] && name[0] != '_' && (name[0] < '0' || name[0] > '9');
}

void record_add(struct record *r, const char *name, str value)
{
	str copy;

	ASSERT(is_field_name(name));
	if (value.n == 0 || r->n_fields == RECORD_FIELDS_MAX)
		return;
	copy = arena_str(&r->arena, text_cut(value, RECORD_VALUE_MAX));
	if (copy.p)
		r->fields[r->n_fields++] = (struct record_field){ name, copy };
}

void record_addf(struct record *r, const char *name, const char *fmt, ...)
{
	char text[RECORD_VALUE_MAX + 2]; /* longer than what is kept, so that the cut is record_add's */
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	record_add(r, name, str_from(text));
}

str record_get(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		if (strcmp(r->fields[i].name, name) == 0)
			return r->fields[i].value;
	}
	return (str){ NULL, 0 };
}
