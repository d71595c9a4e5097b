/* Walks over open findings. All open findings are in a list: one that changes keeps its place, a new one is the
 * last. So a walk can stop anywhere; a finding that leaves the list moves the walks that point at it. */
#include "daemon/findings/findings_internal.h"

void findings_scan_begin(struct findings *f, struct findings_scan *s)
{
	*s = (struct findings_scan){ .next = TAILQ_FIRST(&f->open), .last = TAILQ_LAST(&f->open, findings_open_list) };
	LIST_INSERT_HEAD(&f->scans, s, link);
	s->begun = true;
}

void findings_scan_end(struct findings_scan *s)
{
	if (s->begun)
		LIST_REMOVE(s, link);
	*s = (struct findings_scan){ 0 };
}

const struct finding *findings_scan_next(struct findings_scan *s)
{
	struct finding *x = s->next;

	if (!x)
		return NULL;
	s->next = x == s->last ? NULL : TAILQ_NEXT(x, open);
	if (s->next) { /* findings lie anywhere in memory, and a walk mostly waits for it */
		__builtin_prefetch(s->next);
		__builtin_prefetch(&s->next->open);
	}
	return x;
}

/* ---- the list ---- */

void findings_scan_add(struct findings *f, struct finding *x)
{
	TAILQ_INSERT_TAIL(&f->open, x, open);
}

void findings_scan_remove(struct findings *f, struct finding *x)
{
	struct findings_scan *s;

	LIST_FOREACH(s, &f->scans, link)
	{
		if (s->ended)
			s->ended(s->ctx, x);
		if (s->next == x)
			s->next = x == s->last ? NULL : TAILQ_NEXT(x, open);
		else if (s->last == x) /* the next finding is before it, or all were seen */
			s->last = TAILQ_PREV(x, findings_open_list, open);
	}
	TAILQ_REMOVE(&f->open, x, open);
}

void findings_scan_replace(struct findings *f, struct finding *x, struct finding *by)
{
	struct findings_scan *s;

	TAILQ_REMOVE(&f->open, by, open);
	TAILQ_INSERT_BEFORE(x, by, open);
	LIST_FOREACH(s, &f->scans, link)
	{
		if (s->next == x)
			s->next = by;
		if (s->last == x)
			s->last = by;
	}
	TAILQ_REMOVE(&f->open, x, open);
}

void findings_scan_end_all(struct findings *f)
{
	while (!LIST_EMPTY(&f->scans))
		findings_scan_end(LIST_FIRST(&f->scans));
}

void findings_scan_swap(struct findings *f, struct findings *other)
{
	struct findings_open_list kept = TAILQ_HEAD_INITIALIZER(kept);

	findings_scan_end_all(f);
	findings_scan_end_all(other);
	TAILQ_CONCAT(&kept, &f->open, open);
	TAILQ_CONCAT(&f->open, &other->open, open);
	TAILQ_CONCAT(&other->open, &kept, open);
}
