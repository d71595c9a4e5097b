/* Who removed which fields of a finding: a line for each, in one text that is kept with it.
 *
 *   HASH TAB manager TAB operation TAB subresource TAB time
 *
 * The hash is that of the field's place, with the key of the states: a key of the place may be a secret. */
#include "daemon/findings/findings_internal.h"

#include "base/hex.h"

#define UNKNOWN_PLACE FINDING_STATE_UNKNOWN
#define TEXT_MAX (1u << 20)

/* Whether no part contains a character that would end it. */
static bool is_plain(const str *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_find_byte(*parts[i], '\t') >= 0 || str_find_byte(*parts[i], '\n') >= 0)
			return false;
	}
	return true;
}

static void add_line(struct buf *out, const char *hash, const struct blame *b)
{
	const str *const parts[] = { &b->manager, &b->operation, &b->subresource, &b->time };
	bool plain = is_plain(parts, ARRAY_LEN(parts));

	buf_add_cstr(out, hash);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_add_byte(out, '\t');
		buf_add_str(out, plain ? *parts[i] : (str){ "", 0 });
	}
	buf_add_byte(out, '\n');
}

str findings_join_removals(const struct findings *f, const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; i < r->n_paths; i++) {
		char hash[FINDING_ID_SIZE] = UNKNOWN_PLACE;
		str place;

		if (!r->paths[i].gone)
			continue;
		place = path_text(r->paths[i].at, a);
		if (!place.p || !findings_hash(f, place, hash))
			return (str){ NULL, 0 };
		add_line(&out, hash, &r->paths[i].removed_by);
	}
	return arena_str(a, buf_str(&out));
}

/* ---- reading ---- */

struct sought {
	const struct findings *findings;
	str place;
	char hash[FINDING_ID_SIZE];
	bool only; /* the finding has no other place */
};

static bool is_of(const struct sought *s, str hash)
{
	return s->only || str_eq(hash, str_from(s->hash)) || findings_is_old_hash(s->findings, hash, s->place);
}

static bool find(const struct sought *s, str text, struct blame *ret)
{
	bool unknown = false;
	str line, hash;

	while (text.n && str_next_part(&text, '\n', &line)) {
		if (!str_next_part(&line, '\t', &hash))
			continue;
		unknown |= str_eq(hash, STR(UNKNOWN_PLACE));
		if (is_of(s, hash))
			return str_next_part(&line, '\t', &ret->manager) &&
			       str_next_part(&line, '\t', &ret->operation) &&
			       str_next_part(&line, '\t', &ret->subresource) && str_next_part(&line, '\t', &ret->time);
	}
	return unknown;
}

bool findings_removed_by(const struct findings *f, const struct finding *x, struct path at, struct blame *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	/* A violation has one place, so that every removal it keeps is of that place. */
	struct sought s = { .findings = f, .only = finding_is_violation(x->kind, &x->subject) };

	*ret = (struct blame){ 0 };
	if (!x->removals.n)
		return false;
	s.place = path_text(at, &a);
	return !s.place.p || !findings_hash(f, s.place, s.hash) || find(&s, x->removals, ret);
}

/* ---- places that are hashed otherwise, or no more ---- */

/* Hash what an older driftd kept in place of the hash: the text of the path, which is also that of the place unless
 * it hides a key. */
static bool hash_text(const struct findings *f, str text, char hash[FINDING_ID_SIZE])
{
	return str_find(text, STR("***")) >= 0 || findings_hash(f, text, hash);
}

/* @f NULL: no place is known any more. */
static str rewrite(const struct findings *f, str text, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(2 * TEXT_MAX);
	str line, first;

	while (text.n && str_next_part(&text, '\n', &line)) {
		char hash[FINDING_ID_SIZE] = UNKNOWN_PLACE;

		if (!str_next_part(&line, '\t', &first))
			continue;
		if (f && first.n == FINDING_ID_SIZE - 1 && hex_is(first))
			memcpy(hash, first.p, first.n);
		else if (f && !hash_text(f, first, hash))
			return (str){ NULL, 0 };
		buf_printf(&out, "%s\t%.*s\n", hash, STR_ARG(line));
	}
	return arena_str(a, buf_str(&out));
}

str findings_read_removals(const struct findings *f, str text, struct arena *a)
{
	return rewrite(f, text, a);
}

str findings_forget_removals(str text, struct arena *a)
{
	return rewrite(NULL, text, a);
}
