/* The clean-up of a list of differences: edits between two equalities become one deletion and one insertion, and slide
 * where that makes an equality go away. */
#include "text/dmp_internal.h"

static struct runes text_of(const struct dmp_diff *d)
{
	return (struct runes){ d->runes, d->n };
}

static void set_text(struct dmp_diff *d, struct runes text)
{
	d->runes = text.p;
	d->n = text.n;
}

/* Edits that are collected until the next equality. */
struct edits {
	size_t deletes, inserts;
	struct runes deleted, inserted;
};

/* Move what both edits begin or end with into the equalities around them. *at is the equality behind; it moves when
 * one is inserted before all. */
static void factor_out(struct dmp *d, struct dmp_list *l, size_t *at, struct edits *e)
{
	size_t common = dmp_common_prefix(e->inserted, e->deleted), first = *at - e->deletes - e->inserts;

	if (common > 0) {
		struct runes text = dmp_sub(e->inserted, 0, common);

		if (first > 0 && l->v.p[first - 1].op == DMP_EQUAL) {
			set_text(&l->v.p[first - 1], dmp_join(d, text_of(&l->v.p[first - 1]), text));
		} else {
			struct dmp_diff equal = { DMP_EQUAL, text.p, text.n };

			dmp_splice(d, l, 0, 0, &equal, 1);
			++*at;
		}
		e->inserted = dmp_sub(e->inserted, common, e->inserted.n);
		e->deleted = dmp_sub(e->deleted, common, e->deleted.n);
	}
	common = dmp_common_suffix(e->inserted, e->deleted);
	if (common > 0 && !d->failed) {
		struct runes text = dmp_sub(e->inserted, e->inserted.n - common, e->inserted.n);

		set_text(&l->v.p[*at], dmp_join(d, text, text_of(&l->v.p[*at])));
		e->inserted.n -= common;
		e->deleted.n -= common;
	}
}

/* End the edits at the equality at @at. Returns where to continue. */
static size_t end_edits(struct dmp *d, struct dmp_list *l, size_t at, struct edits *e)
{
	struct dmp_diff with[2];
	size_t n = 0;

	if (e->deletes + e->inserts > 1) {
		if (e->deletes && e->inserts)
			factor_out(d, l, &at, e);
		if (e->deletes)
			with[n++] = (struct dmp_diff){ DMP_DELETE, e->deleted.p, e->deleted.n };
		if (e->inserts)
			with[n++] = (struct dmp_diff){ DMP_INSERT, e->inserted.p, e->inserted.n };
		at -= e->deletes + e->inserts;
		dmp_splice(d, l, at, e->deletes + e->inserts, with, n);
		at += 1 + n;
	} else if (at > 0 && l->v.p[at - 1].op == DMP_EQUAL) {
		set_text(&l->v.p[at - 1], dmp_join(d, text_of(&l->v.p[at - 1]), text_of(&l->v.p[at])));
		dmp_splice(d, l, at, 1, NULL, 0);
	} else {
		at++;
	}
	*e = (struct edits){ 0 };
	return at;
}

static void merge_edits(struct dmp *d, struct dmp_list *l)
{
	struct edits e = { 0 };
	size_t at = 0;

	dmp_push(d, l, DMP_EQUAL, (struct runes){ NULL, 0 });
	while (!d->failed && at < l->v.n) {
		const struct dmp_diff *diff = &l->v.p[at];

		if (diff->op == DMP_INSERT) {
			e.inserts++;
			e.inserted = dmp_join(d, e.inserted, text_of(diff));
			at++;
		} else if (diff->op == DMP_DELETE) {
			e.deletes++;
			e.deleted = dmp_join(d, e.deleted, text_of(diff));
			at++;
		} else {
			at = end_edits(d, l, at, &e);
		}
	}
	if (l->v.n > 0 && l->v.p[l->v.n - 1].n == 0)
		l->v.n--;
}

static bool ends_with(struct runes s, struct runes end)
{
	return s.n >= end.n && memcmp(s.p + s.n - end.n, end.p, end.n * sizeof(*s.p)) == 0;
}

static bool begins_with(struct runes s, struct runes start)
{
	return s.n >= start.n && memcmp(s.p, start.p, start.n * sizeof(*s.p)) == 0;
}

/* Slide an edit between two equalities over one of them, where that makes that equality disappear. */
static bool slide_edits(struct dmp *d, struct dmp_list *l)
{
	bool changed = false;

	for (size_t at = 1; !d->failed && at + 1 < l->v.n; at++) {
		struct dmp_diff *before = &l->v.p[at - 1], *edit = &l->v.p[at], *after = &l->v.p[at + 1];
		struct runes b = text_of(before), e = text_of(edit), a = text_of(after);

		if (before->op != DMP_EQUAL || after->op != DMP_EQUAL)
			continue;
		if (b.n == 0 || ends_with(e, b)) {
			set_text(edit, dmp_join(d, b, dmp_sub(e, 0, e.n - b.n)));
			set_text(after, dmp_join(d, b, a));
			dmp_splice(d, l, at - 1, 1, NULL, 0);
			changed = true;
		} else if (a.n == 0 || begins_with(e, a)) {
			set_text(before, dmp_join(d, b, a));
			set_text(edit, dmp_join(d, dmp_sub(e, a.n, e.n), a));
			dmp_splice(d, l, at + 1, 1, NULL, 0);
			changed = true;
		}
	}
	return changed;
}

void dmp_cleanup_merge(struct dmp *d, struct dmp_list *l)
{
	do
		merge_edits(d, l);
	while (!d->failed && slide_edits(d, l));
}
