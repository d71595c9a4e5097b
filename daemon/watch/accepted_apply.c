/* Changes of the acceptances reach findings and clusters. */
#include "daemon/watch/accepted_apply.h"

#include "daemon/findings/clock.h"

#define ONE_BY_ONE_MAX 16

static bool is_expired(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct accepted *by = x->kind == FINDING_ACCEPTED ? acceptances_get(ctx, x->subject.acceptance) : NULL;

	*why = END_EXPIRED;
	return by && !by->in_force;
}

static bool is_withdrawn(void *ctx, const struct finding *x, enum end_reason *why)
{
	*why = END_NOT_ACCEPTED;
	return x->kind == FINDING_ACCEPTED && !acceptances_get(ctx, x->subject.acceptance);
}

void accepted_end_lost(const struct acceptances *s, struct findings *f)
{
	findings_end_where(f, is_expired, (void *)s);
	findings_end_where(f, is_withdrawn, (void *)s);
}

static void judge_again(struct cluster *const *clusters, size_t n, const struct acceptance *a)
{
	for (size_t i = 0; i < n; i++)
		cluster_judge_accepted(clusters[i], a);
}

/* Each acceptance is looked up in all objects. When many have changed, it is cheaper to judge every object again. */
static bool are_many(const struct acceptances *s)
{
	const struct accepted *x = NULL;
	size_t changed = 0;

	while ((x = acceptances_changed(s, x)))
		changed++;
	return changed > ONE_BY_ONE_MAX;
}

static void judge_changed(const struct acceptances *s, struct cluster *const *clusters, size_t n)
{
	const struct acceptance everything = { .kind = STR("*"), .name = STR("*") };
	bool many = are_many(s);
	const struct accepted *x = NULL;

	if (many)
		judge_again(clusters, n, &everything);
	while (!many && (x = acceptances_changed(s, x)))
		judge_again(clusters, n, &x->is.says);
}

bool accepted_apply_judges(const struct acceptances *s, const struct cluster *c, const struct finding_subject *of)
{
	const struct accepted *x = NULL;

	if (are_many(s))
		return true;
	while ((x = acceptances_changed(s, x))) {
		if (!x->is.says.component.n && cluster_accepts_of(c, &x->is.says, of))
			return true;
	}
	return false;
}

void accepted_apply(struct acceptances *s, struct findings *f, struct cluster *const *clusters, size_t n)
{
	acceptances_tick(s, clock_usec());
	if (!acceptances_changed(s, NULL))
		return;
	accepted_end_lost(s, f);
	judge_changed(s, clusters, n);
	acceptances_forget_changes(s);
}

void accepted_count_covered(struct acceptances *s, const struct findings *f)
{
	const struct finding *x;
	size_t at = 0;

	acceptances_clear_covered(s);
	while ((x = findings_each(f, &at))) {
		if (x->kind == FINDING_ACCEPTED)
			acceptances_note_covered(s, x->subject.acceptance);
	}
}
