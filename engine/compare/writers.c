/* Makes digests of managedFields, and compares them. */
#include "compare/writers.h"

#include "base/ascii.h"
#include "value/json_scan.h"

/* ---- making: text is copied, not decoded, since this is done for each object that is packed ---- */

struct walk {
	const char *p, *end;
};

static void skip_space(struct walk *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\n' || *w->p == '\r' || *w->p == '\t'))
		w->p++;
}

static bool take(struct walk *w, char c)
{
	skip_space(w);
	if (w->p == w->end || *w->p != c)
		return false;
	w->p++;
	return true;
}

/* Read a text with its quotes. False: there is none. */
static bool take_string(struct walk *w, str *ret)
{
	const char *from;

	if (!take(w, '"'))
		return false;
	from = w->p - 1;
	while (w->p < w->end && *w->p != '"') {
		w->p = json_plain_end(w->p, w->end);
		if (w->p < w->end && *w->p != '"')
			w->p += *w->p == '\\' && w->end - w->p > 1 ? 2 : 1;
	}
	if (w->p == w->end)
		return false;
	*ret = (str){ from, (size_t)(++w->p - from) };
	return true;
}

/* Whether the character may be part of a number, true, false or null. */
static bool is_of_word(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'z') || c == 'E' || c == '+' || c == '-' || c == '.';
}

/* Skip a value that is not a text. */
static bool pass_value(struct walk *w)
{
	const char *end;

	if (w->p == w->end)
		return false;
	if (*w->p == '{' || *w->p == '[') {
		end = json_brackets_end(w->p, w->end);
		w->p = end ? end : w->end;
		return end;
	}
	while (w->p < w->end && is_of_word(*w->p))
		w->p++;
	return true; /* any other byte is neither a comma nor a bracket, and the caller stops there */
}

/* Whether a member is part of the digest. Entries differ in the first three members; Updates also in apiVersion,
 * which is not kept, so that entries that are alike are counted. */
static bool is_kept(str key)
{
	static const str kept[] = {
		{ "\"manager\"", 9 }, { "\"operation\"", 11 }, { "\"subresource\"", 13 }, { "\"time\"", 6 }
	};

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		if (str_eq(key, kept[i]))
			return true;
	}
	return false;
}

static bool write_member(struct walk *w, size_t *n_written, struct buf *out)
{
	str key, text;

	if (!take_string(w, &key) || !take(w, ':'))
		return false;
	skip_space(w);
	if (w->p == w->end || *w->p != '"')
		return pass_value(w);
	if (!take_string(w, &text))
		return false;
	if (is_kept(key)) {
		buf_add_cstr(out, (*n_written)++ ? "," : "");
		buf_add_str(out, key);
		buf_add_cstr(out, ":");
		buf_add_str(out, text);
	}
	return true;
}

static bool write_entry(struct walk *w, struct buf *out)
{
	size_t n = 0;

	if (!take(w, '{'))
		return false;
	buf_add_cstr(out, "{");
	if (!take(w, '}')) {
		do {
			if (!write_member(w, &n, out))
				return false;
		} while (take(w, ','));
		if (!take(w, '}'))
			return false;
	}
	buf_add_cstr(out, "}");
	return true;
}

static bool write_list(struct walk *w, struct buf *out)
{
	if (!take(w, '['))
		return false;
	buf_add_cstr(out, "[");
	if (!take(w, ']')) {
		do {
			if (!write_entry(w, out))
				return false;
		} while (take(w, ',') && (buf_add_cstr(out, ","), true));
		if (!take(w, ']'))
			return false;
	}
	buf_add_cstr(out, "]");
	return true;
}

const char *writers_read(const char *p, const char *end, struct buf *out)
{
	struct walk w = { p, end };
	size_t before = out->n;

	if (write_list(&w, out))
		return w.p;
	buf_truncate(out, before);
	return NULL;
}

void writers_write(str managed, struct buf *out)
{
	if (managed.n)
		(void)writers_read(managed.p, managed.p + managed.n, out);
}

/* ---- comparing ---- */

static bool same_text(val a, val b, str member)
{
	return str_eq(val_str(val_get(a, member)), val_str(val_get(b, member)));
}

static bool are_alike(val a, val b)
{
	return same_text(a, b, STR("manager")) && same_text(a, b, STR("operation")) &&
	       same_text(a, b, STR("subresource")) && same_text(a, b, STR("time"));
}

/* How many of the first @n entries of @list are like @entry. False: no steps are left. */
static bool count_alike(val list, uint32_t n, val entry, uint64_t *steps, uint32_t *ret)
{
	*ret = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (*steps == 0)
			return false;
		--*steps;
		*ret += are_alike(val_at(list, i), entry);
	}
	return true;
}

static void keep_latest(val entry, enum writers_found *found, struct blame *latest)
{
	struct blame b = blame_from(entry);

	*found = *found == WRITERS_NONE ? WRITERS_ONE : WRITERS_SEVERAL;
	if (*found == WRITERS_ONE || str_cmp(b.time, latest->time) > 0)
		*latest = b;
}

enum writers_found writers_between(val before, val now, uint64_t *steps, struct blame *ret)
{
	enum writers_found found = WRITERS_NONE;
	struct blame latest = { 0 };
	uint32_t known, seen;

	for (uint32_t i = 0; i < val_count(now); i++) {
		val entry = val_at(now, i);

		if (!count_alike(before, val_count(before), entry, steps, &known) ||
		    !count_alike(now, i, entry, steps, &seen))
			return WRITERS_NONE;
		if (seen >= known)
			keep_latest(entry, &found, &latest);
	}
	if (found != WRITERS_NONE)
		*ret = latest;
	return found;
}

enum writers_found writers_after(val now, str time, uint64_t *steps, struct blame *ret)
{
	enum writers_found found = WRITERS_NONE;
	struct blame latest = { 0 };

	for (uint32_t i = 0; i < val_count(now); i++) {
		if (*steps == 0)
			return WRITERS_NONE;
		--*steps;
		if (str_cmp(val_str(VAL_GET(val_at(now, i), "time")), time) > 0)
			keep_latest(val_at(now, i), &found, &latest);
	}
	if (found != WRITERS_NONE)
		*ret = latest;
	return found;
}
