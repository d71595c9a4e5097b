/* The rest of DiffCleanupSemantic, on bytes: edits slide to the edges of words and lines, and a deletion and an insertion that
 * overlap give up what they share. The library counts code points and cuts bytes; so does this. */
#include "text/dmp_internal.h"

#include "base/utf8.h"

#include <errno.h>

struct pieces {
	VEC(struct dmp_piece) v;
	struct arena *a;
	bool failed;
};

static str join(struct pieces *p, str a, str b)
{
	char *to;

	if (a.n == 0)
		return b;
	if (b.n == 0)
		return a;
	to = arena_alloc(p->a, a.n + b.n);
	if (!to) {
		p->failed = true;
		return a;
	}
	memcpy(to, a.p, a.n);
	memcpy(to + a.n, b.p, b.n);
	return (str){ to, a.n + b.n };
}

static void insert_piece(struct pieces *p, size_t at, struct dmp_piece piece)
{
	if (!vec_push(&p->v, piece)) {
		p->failed = true;
		return;
	}
	memmove(p->v.p + at + 1, p->v.p + at, (p->v.n - 1 - at) * sizeof(*p->v.p));
	p->v.p[at] = piece;
}

static void remove_piece(struct pieces *p, size_t at)
{
	p->v.n--;
	memmove(p->v.p + at, p->v.p + at + 1, (p->v.n - at) * sizeof(*p->v.p));
}

/* ---- sliding ---- */

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static bool is_break(char c)
{
	return c == '\n' || c == '\r';
}

static bool ends_blank(str s)
{
	return str_has_suffix(s, STR("\n\n")) || str_has_suffix(s, STR("\n\r\n"));
}

/* How good a boundary between @one and @two is, 6 the best. Looking at bytes is enough: those of longer sequences are neither
 * alphanumeric nor white, as the code points are. */
static int boundary_score(str one, str two)
{
	char c1, c2;

	if (one.n == 0 || two.n == 0)
		return 6;
	c1 = one.p[one.n - 1];
	c2 = two.p[0];
	if ((is_break(c1) && ends_blank(one)) || (is_break(c2) && ends_blank(two)))
		return 5;
	if (is_break(c1) || is_break(c2))
		return 4;
	if (!is_alnum(c1) && !is_white(c1) && is_white(c2))
		return 3;
	if (is_white(c1) || is_white(c2))
		return 2;
	return !is_alnum(c1) || !is_alnum(c2);
}

static size_t last_width(str s)
{
	size_t n = 1, width;

	for (; n <= 4 && n <= s.n; n++) {
		(void)utf8_decode(str_sub(s, s.n - n, s.n), &width);
		if (width == n && (n == 1 ? (unsigned char)s.p[s.n - 1] < 0x80 : true))
			return n;
	}
	return 1;
}

/* The number of code points that both end with. */
static size_t common_suffix_runes(str a, str b)
{
	size_t n = 0;

	while (a.n > 0 && b.n > 0) {
		size_t wa = last_width(a), wb = last_width(b), ignored;
		uint32_t ca = utf8_decode(str_sub(a, a.n - wa, a.n), &ignored);

		if (ca != utf8_decode(str_sub(b, b.n - wb, b.n), &ignored))
			break;
		a.n -= wa;
		b.n -= wb;
		n++;
	}
	return n;
}

/* An edit between two equalities: @whole is all three texts, the edit lies at [from, to). Sliding it right by one code point
 * moves both ends, as long as that code point is also the first behind it. */
static void best_place(str whole, size_t *from, size_t *to)
{
	size_t f = *from, t = *to;
	int best = boundary_score(str_sub(whole, 0, f), str_sub(whole, f, t)) +
		   boundary_score(str_sub(whole, f, t), str_sub(whole, t, whole.n));

	while (f < t && t < whole.n) {
		size_t width;
		int score;

		(void)utf8_decode(str_sub(whole, f, t), &width);
		if (whole.n - t < width || memcmp(whole.p + f, whole.p + t, width) != 0)
			break;
		f += width;
		t += width;
		score = boundary_score(str_sub(whole, 0, f), str_sub(whole, f, t)) +
			boundary_score(str_sub(whole, f, t), str_sub(whole, t, whole.n));
		if (score >= best) {
			best = score;
			*from = f;
			*to = t;
		}
	}
}

/* Returns the index to go on from. */
static size_t slide_edit(struct pieces *p, size_t at)
{
	str before = p->v.p[at - 1].text, edit = p->v.p[at].text, after = p->v.p[at + 1].text, whole;
	size_t common = common_suffix_runes(before, edit), from, to;

	if (common > 0) {
		str shared = str_sub(edit, edit.n - common, edit.n);

		before.n -= common;
		edit = join(p, shared, str_sub(edit, 0, edit.n - common));
		after = join(p, shared, after);
	}
	whole = join(p, join(p, before, edit), after);
	if (p->failed)
		return at;
	from = before.n;
	to = before.n + edit.n;
	best_place(whole, &from, &to);
	if (str_eq(p->v.p[at - 1].text, str_sub(whole, 0, from)))
		return at;
	p->v.p[at - 1].text = str_sub(whole, 0, from);
	if (from == 0)
		remove_piece(p, --at);
	p->v.p[at].text = str_sub(whole, from, to);
	p->v.p[at + 1].text = str_sub(whole, to, whole.n);
	if (to == whole.n)
		remove_piece(p, 1 + at--);
	return at;
}

static void slide_edits(struct pieces *p)
{
	for (size_t at = 1; !p->failed && at + 1 < p->v.n; at++) {
		if (p->v.p[at - 1].op == DMP_EQUAL && p->v.p[at + 1].op == DMP_EQUAL)
			at = slide_edit(p, at);
	}
}

/* ---- overlaps ---- */

/* Bytes of the longest end of @a that @b begins with. */
static size_t common_overlap(str a, str b)
{
	size_t most = a.n < b.n ? a.n : b.n, best = 0, length = 1;

	a = str_sub(a, a.n - most, a.n);
	b = str_sub(b, 0, most);
	if (most == 0 || str_eq(a, b))
		return most;
	while (length <= most) {
		ptrdiff_t found = str_find(b, str_sub(a, most - length, most));

		if (found < 0)
			break;
		length += (size_t)found;
		if (length > most)
			break;
		if (found == 0 || str_eq(str_sub(a, most - length, most), str_sub(b, 0, length)))
			best = length++;
	}
	return best;
}

static bool large_enough(size_t overlap, str deletion, str insertion)
{
	return 2 * overlap >= utf8_count(deletion) || 2 * overlap >= utf8_count(insertion);
}

/* The deletion at at - 1 and the insertion at @at. True when an equality went between them. */
static bool split_overlap(struct pieces *p, size_t at)
{
	str del = p->v.p[at - 1].text, ins = p->v.p[at].text;
	size_t one = common_overlap(del, ins), two = common_overlap(ins, del);

	if (!large_enough(one >= two ? one : two, del, ins))
		return false;
	if (one >= two) {
		insert_piece(p, at, (struct dmp_piece){ DMP_EQUAL, str_sub(ins, 0, one) });
		if (p->failed)
			return false;
		p->v.p[at - 1].text = str_sub(del, 0, del.n - one);
		p->v.p[at + 1].text = str_sub(ins, one, ins.n);
	} else {
		insert_piece(p, at, (struct dmp_piece){ DMP_EQUAL, str_sub(del, 0, two) });
		if (p->failed)
			return false;
		p->v.p[at - 1] = (struct dmp_piece){ DMP_INSERT, str_sub(ins, 0, ins.n - two) };
		p->v.p[at + 1] = (struct dmp_piece){ DMP_DELETE, str_sub(del, two, del.n) };
	}
	return true;
}

static void split_overlaps(struct pieces *p)
{
	for (size_t at = 1; !p->failed && at < p->v.n; at++) {
		if (p->v.p[at - 1].op != DMP_DELETE || p->v.p[at].op != DMP_INSERT)
			continue;
		if (split_overlap(p, at))
			at++;
		at++;
	}
}

/* ---- the whole ---- */

static void to_pieces(const struct dmp_list *l, struct pieces *p)
{
	for (size_t i = 0; i < l->v.n && !p->failed; i++) {
		struct buf text = BUF_INIT(SIZE_MAX / 2);
		struct dmp_piece piece = { .op = l->v.p[i].op };

		dmp_text(&l->v.p[i], &text);
		piece.text = arena_str(p->a, buf_str(&text));
		p->failed = text.error || !piece.text.p || !vec_push(&p->v, piece);
		buf_done(&text);
	}
}

int dmp_diff_semantic(str a, str b, const struct limits *lim, struct arena *arena, struct dmp_piece **ret, size_t *n,
		      struct err *err)
{
	struct pieces p = { .a = arena };
	struct dmp_piece *out = NULL;
	struct dmp_list list;
	int r = dmp_run(a, b, lim, arena, true, &list, err);

	if (r < 0)
		return r;
	to_pieces(&list, &p);
	vec_done(&list.v);
	if (!p.failed)
		slide_edits(&p);
	if (!p.failed)
		split_overlaps(&p);
	if (!p.failed)
		out = arena_array(arena, p.v.n, sizeof(*out));
	if (out) {
		if (p.v.n)
			memcpy(out, p.v.p, p.v.n * sizeof(*out));
		*ret = out;
		*n = p.v.n;
	}
	vec_done(&p.v);
	return out ? 0 : err_nomem(err);
}
