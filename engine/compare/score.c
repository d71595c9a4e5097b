/* Computes scores, and lower limits for them. */
#include "compare/score.h"

#include "base/buf.h"
#include "text/dmp.h"
#include "text/k8s_print.h"
#include "value/yaml.h"

#include <errno.h>

#define PIECE_MAX (1u << 20) /* bytes of the text that is printed of one difference */

void scorer_done(struct scorer *s)
{
	buf_done(&s->live);
}

static bool is_printed(const struct scorer *s, val actual)
{
	return val_exists(s->of) && s->of.members == actual.members && s->of.n == actual.n;
}

/* Print both sides, the live one only once, unless it is a Secret: the text of a Secret depends on what it is
 * compared with. */
static int print(struct scorer *s, val expected, val actual, struct arena *a, struct buf *from, struct err *err)
{
	int r;

	if (is_printed(s, actual))
		return k8s_print_side(expected, s->managed_fields, a, from, err);
	s->of = (val){ 0 };
	buf_done(&s->live);
	s->live = BUF_INIT(s->limits.diff_bytes);
	r = k8s_print(expected, actual, s->managed_fields, a, from, &s->live, err);
	if (r == 0 && val_is_map(actual) && !k8s_print_masks(actual))
		s->of = actual;
	return r;
}

int score_text(struct scorer *s, val expected, val actual, struct arena *a, size_t *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf from = BUF_INIT(s->limits.diff_bytes);
	int r = print(s, expected, actual, a, &from, err);

	return r < 0 ? r : dmp_score(buf_str(&from), buf_str(&s->live), &s->limits, ret, err);
}

/* ---- what a score is at least ---- */

/* How many more of each character one text has than the other. Those are deleted or inserted, whatever the
 * difference looks like. Blanks, line breaks and backslashes do not count, because long texts are folded depending
 * on where a piece stands; and only ASCII counts, because the difference treats all invalid bytes alike. */
struct census {
	ptrdiff_t more[128];
	struct buf piece;
	int failed; /* why no limit can be computed */
};

static void count(struct census *c, val v, int sign)
{
	struct err err;

	buf_clear(&c->piece);
	if (c->failed < 0)
		return;
	c->failed = yaml_encode(v, &c->piece, &err);
	for (size_t i = 0; c->failed == 0 && i < c->piece.n; i++) {
		unsigned char b = (unsigned char)c->piece.p[i];

		if (b < ARRAY_LEN(c->more) && b != ' ' && b != '\n' && b != '\\')
			c->more[b] += sign;
	}
}

static void count_member(struct census *c, struct member m, int sign)
{
	count(c, val_map_sorted(&m, 1), sign);
}

static void count_item(struct census *c, val item, int sign)
{
	count(c, (val){ .kind = VAL_LIST, .n = 1, .items = &item }, sign);
}

static void compare_maps(struct census *c, val a, val b);
static void compare_lists(struct census *c, val a, val b);

/* Whether both values are printed below one line that is the same, so that their contents can be compared piece by
 * piece. */
static bool have_pieces(val a, val b)
{
	return a.kind == b.kind && (val_is_map(a) || val_is_list(a)) && a.n > 0 && b.n > 0;
}

static void compare_pieces(struct census *c, val a, val b)
{
	if (val_is_map(a))
		compare_maps(c, a, b);
	else
		compare_lists(c, a, b);
}

static void compare_members(struct census *c, struct member a, struct member b)
{
	if (val_equal(a.value, b.value))
		return;
	if (have_pieces(a.value, b.value)) {
		compare_pieces(c, a.value, b.value);
	} else {
		count_member(c, a, 1);
		count_member(c, b, -1);
	}
}

static void compare_maps(struct census *c, val a, val b)
{
	uint32_t i = 0, k = 0;

	while ((i < a.n || k < b.n) && c->failed == 0) {
		int order = i == a.n   ? 1
			    : k == b.n ? -1
				       : str_cmp(key_str(a.members[i].key), key_str(b.members[k].key));

		if (order == 0)
			compare_members(c, a.members[i++], b.members[k++]);
		else if (order < 0)
			count_member(c, a.members[i++], 1);
		else
			count_member(c, b.members[k++], -1);
	}
}

static void compare_lists(struct census *c, val a, val b)
{
	for (uint32_t i = 0; (i < a.n || i < b.n) && c->failed == 0; i++) {
		if (i < a.n && i < b.n && val_equal(a.items[i], b.items[i]))
			continue;
		if (i < a.n && i < b.n && have_pieces(a.items[i], b.items[i])) {
			compare_pieces(c, a.items[i], b.items[i]);
			continue;
		}
		if (i < a.n)
			count_item(c, a.items[i], 1);
		if (i < b.n)
			count_item(c, b.items[i], -1);
	}
}

int score_least(val expected, val actual, size_t *ret, struct err *err)
{
	struct census c = { .piece = BUF_INIT(PIECE_MAX) };
	size_t sum = 0;

	if (val_is_map(expected) && val_is_map(actual) && !k8s_print_masks(actual))
		compare_maps(&c, expected, actual);
	else
		c.failed = -EINVAL;
	buf_done(&c.piece);
	if (c.failed == -ENOMEM)
		return err_nomem(err);
	for (size_t i = 0; c.failed == 0 && i < ARRAY_LEN(c.more); i++)
		sum += (size_t)(c.more[i] < 0 ? -c.more[i] : c.more[i]);
	*ret = sum;
	return 0;
}
