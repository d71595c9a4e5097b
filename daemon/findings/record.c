/* Collecting the fields of a record. */
#include "daemon/findings/record.h"

#include "base/assert.h"
#include "base/hex.h"
#include "base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define RECORD_BYTES_MAX (1u << 20)

void random_id(char out[RECORD_ID_SIZE])
{
	unsigned char bytes[16];

	/* Blocks only before the first entropy after boot; 16 bytes are never cut short (getrandom(2)). */
	while (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		;
	hex_write(bytes, sizeof(bytes), out);
}

static void init_nameless(struct record *r, enum message m, int priority)
{
	arena_init(&r->arena, 4096, RECORD_BYTES_MAX);
	r->id[0] = '\0';
	r->message = m;
	r->priority = priority;
	r->text = r->what = r->details = r->state = (str){ "", 0 };
	r->n_fields = 0;
}

void record_init(struct record *r, enum message m, int priority)
{
	init_nameless(r, m, priority);
	random_id(r->id);
}

void record_done(struct record *r)
{
	arena_done(&r->arena);
	r->n_fields = 0;
}

/* Whether the journal takes a field with this name; it drops other fields without a word
 * (systemd.journal-fields(7)). */
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
	copy = arena_str(&r->arena, printable_cut(value, RECORD_VALUE_MAX));
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

static void append(struct arena *a, str *to, str more)
{
	str text = arena_printf(a, "%.*s%.*s", STR_ARG(*to), STR_ARG(more));

	if (text.p)
		*to = text;
}

void record_say(struct record *r, const char *fmt, ...)
{
	char more[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(more, sizeof(more), fmt, ap);
	va_end(ap);
	append(&r->arena, &r->text, str_from(more));
	if (r->what.n)
		append(&r->arena, &r->what, str_from(more));
}

str record_get(const struct record *r, const char *name)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		if (strcmp(r->fields[i].name, name) == 0)
			return r->fields[i].value;
	}
	return (str){ NULL, 0 };
}

/* ---- as bytes ---- */

#define WHAT_NAME "DRIFTD_WHAT"

/*   id (32) | message id (32) | priority (1) | text | details | fields: name, value, name, value ...
 *
 * One more field, without a name, is stored and never reported; so is record.what under a name of its own: an older
 * driftd that reads what this one stored takes it for one more named field. A text is its length in four bytes, the
 * lowest first, and its bytes. Messages stand by their ids, because an id never changes its meaning, while a number
 * may. */

static void add_text(struct buf *out, str s)
{
	for (int shift = 0; shift < 32; shift += 8)
		buf_add_byte(out, (char)(s.n >> shift & 0xFF));
	buf_add_str(out, s);
}

void record_encode_state(str state, struct buf *out)
{
	if (!state.n)
		return;
	add_text(out, (str){ "", 0 });
	add_text(out, state);
}

void record_encode(const struct record *r, struct buf *out)
{
	buf_add(out, r->id, RECORD_ID_SIZE - 1);
	buf_add(out, message_id(r->message), RECORD_ID_SIZE - 1);
	buf_add_byte(out, (char)r->priority);
	add_text(out, r->text);
	add_text(out, r->details);
	for (size_t i = 0; i < r->n_fields; i++) {
		add_text(out, str_from(r->fields[i].name));
		add_text(out, r->fields[i].value);
	}
	if (r->what.n) {
		add_text(out, STR(WHAT_NAME));
		add_text(out, r->what);
	}
	record_encode_state(r->state, out);
}

static bool take(str *from, size_t n, str *ret)
{
	if (from->n < n)
		return false;
	*ret = str_sub(*from, 0, n);
	*from = str_sub(*from, n, from->n);
	return true;
}

static bool take_text(str *from, str *ret)
{
	size_t n = 0;
	str length;

	if (!take(from, 4, &length))
		return false;
	for (size_t i = 0; i < 4; i++)
		n |= (size_t)(unsigned char)length.p[i] << 8 * i;
	return take(from, n, ret);
}

static bool take_message(str *from, enum message *ret)
{
	str id;

	if (!take(from, RECORD_ID_SIZE - 1, &id))
		return false;
	*ret = message_of_id(id);
	return *ret < MESSAGES;
}

/* Take an id. It must be as record_init makes it, so that looking it up as text and as bytes finds the same. */
static bool take_id(str *from, str *ret)
{
	return take(from, RECORD_ID_SIZE - 1, ret) && hex_is(*ret);
}

static bool take_head(str *from, struct record *r)
{
	str id, priority;

	if (!take_id(from, &id) || !take_message(from, &r->message) || !take(from, 1, &priority) ||
	    !take_text(from, &r->text) || !take_text(from, &r->details))
		return false;
	memcpy(r->id, id.p, id.n);
	r->id[id.n] = '\0';
	r->priority = priority.p[0] & 7;
	return true;
}

static int decode(str bytes, struct record *r, struct err *err)
{
	str name, value;

	init_nameless(r, MESSAGE_NOTICE, 0);
	if (!take_head(&bytes, r))
		return err_set(err, EBADMSG, "the stored record cannot be read");
	while (bytes.n) {
		str *besides;

		if (!take_text(&bytes, &name) || !take_text(&bytes, &value))
			return err_set(err, EBADMSG, "the stored record cannot be read");
		besides = !name.n ? &r->state : str_eq(name, STR(WHAT_NAME)) ? &r->what : NULL;
		if (besides) {
			*besides = value;
			continue;
		}
		if (r->n_fields == RECORD_FIELDS_MAX)
			return err_set(err, EBADMSG, "the stored record cannot be read");
		name = arena_str(&r->arena, name); /* NUL-terminated */
		if (!name.p)
			return err_nomem(err);
		if (!is_field_name(name.p))
			return err_set(err, EBADMSG, "the stored record cannot be read");
		r->fields[r->n_fields++] = (struct record_field){ name.p, value };
	}
	return 0;
}

int record_decode(str bytes, struct record *r, struct err *err)
{
	int status = decode(bytes, r, err);

	if (status < 0)
		record_done(r);
	return status;
}
