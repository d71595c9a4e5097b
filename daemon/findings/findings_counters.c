/* How many findings are open, by cluster, kind, severity and namespace, and in order of age. */
#include "daemon/findings/findings_internal.h"

struct finding_counters *findings_counters_of(struct findings *f, str cluster)
{
	struct finding_counters *c = strmap_get(&f->by_cluster, cluster);

	if (c)
		return c;
	c = calloc(1, sizeof(*c));
	for (size_t i = 0; c && i < ARRAY_LEN(c->drifts); i++)
		TAILQ_INIT(&c->drifts[i]);
	if (c)
		TAILQ_INIT(&c->gaps);
	if (c && strmap_put(&f->by_cluster, cluster, c, NULL))
		return c;
	free(c);
	return NULL;
}

static void count_failure(struct finding_counters *c, const struct finding *x, size_t by)
{
	enum rule_source source = rule_source_parse(x->subject.rule_source);
	size_t reason = 0;

	while (reason < CEL_REASONS - 1 &&
	       !str_eq(x->subject.reason, str_from(cel_reason_name((enum cel_reason)reason))))
		reason++;
	c->failures[source][reason][x->severity] += by;
}

/* Add @by, which is 1 or its negative, to the counters of @x. */
static void tally(const struct finding *x, size_t by)
{
	struct finding_counters *c = x->counters;

	c->open[x->kind][x->severity] += by;
	if (x->kind == FINDING_ERROR && x->subject.rule.n)
		c->rule_errors += by;
	if (x->kind == FINDING_VALIDATION)
		count_failure(c, x, by);
	if (!x->confirmed)
		c->unconfirmed += by;
}

void finding_set_confirmed(struct finding *x, bool confirmed)
{
	x->counters->unconfirmed += (size_t)x->confirmed - (size_t)confirmed;
	x->confirmed = confirmed;
}

/* The list in order of age that @x belongs to; NULL: there is none for its kind. */
static struct findings_by_age *by_age_of(const struct finding *x)
{
	if (x->kind == FINDING_DRIFT)
		return &x->counters->drifts[x->severity];
	return x->kind == FINDING_GAP ? &x->counters->gaps : NULL;
}

/* Put @x into the list in order of age; @near, an older state of the same finding, says where in the list that is. */
static void add_by_age(struct finding *x, struct finding *near)
{
	struct findings_by_age *list = by_age_of(x);
	struct finding *before;

	if (!list)
		return;
	if (near && by_age_of(near) == list) {
		TAILQ_INSERT_BEFORE(near, x, by_age);
		return;
	}
	/* A new finding is the youngest, and restored findings come in order of age. */
	before = TAILQ_LAST(list, findings_by_age);
	while (before && before->first_seen_usec > x->first_seen_usec)
		before = TAILQ_PREV(before, findings_by_age, by_age);
	if (before)
		TAILQ_INSERT_AFTER(list, before, x, by_age);
	else
		TAILQ_INSERT_HEAD(list, x, by_age);
}

void findings_tally(struct findings *f, struct finding *x, struct finding *near)
{
	f->generation++;
	tally(x, 1);
	x->counted = f->namespaces.limit ? namespace_counts_add(&f->namespaces, x) : NULL;
	add_by_age(x, near);
}

void findings_untally(struct findings *f, struct finding *x)
{
	f->generation++;
	tally(x, (size_t)-1);
	if (x->counted)
		namespace_counts_take_off(&f->namespaces, x->counted);
	x->counted = NULL;
	if (by_age_of(x))
		TAILQ_REMOVE(by_age_of(x), x, by_age);
}

uint64_t findings_rule_events(const struct findings *f, str path, enum severity severity)
{
	return rule_counts_get(&f->rule_counts, path, severity);
}

const struct finding_counters *findings_counters(struct findings *f, str cluster)
{
	return findings_counters_of(f, cluster);
}

static void stop_counting(struct findings *f)
{
	const struct strmap_entry *e;
	struct finding *x;

	for (size_t at = 0; (x = index_each(&f->by_key, &at));)
		x->counted = NULL;
	for (size_t at = 0; (e = strmap_each(&f->by_cluster, &at));) {
		struct finding_counters *c = e->value;

		memset(c->as_series, 0, sizeof(c->as_series));
	}
	namespace_counts_done(&f->namespaces);
}

static void start_counting(struct findings *f, size_t limit)
{
	struct finding *x;

	namespace_counts_begin(&f->namespaces, limit);
	for (size_t at = 0; (x = index_each(&f->by_key, &at));)
		x->counted = namespace_counts_add(&f->namespaces, x);
}

void findings_count_namespaces(struct findings *f, size_t limit)
{
	if (limit && f->namespaces.limit)
		namespace_counts_limit(&f->namespaces, limit);
	else if (limit)
		start_counting(f, limit);
	else if (f->namespaces.limit)
		stop_counting(f);
}

const struct namespace_count *findings_each_namespace(const struct findings *f, const struct namespace_count *at)
{
	return f->namespaces.limit ? namespace_counts_next(&f->namespaces, at) : NULL;
}

size_t findings_namespaces_folded(const struct findings *f)
{
	return namespace_counts_folded(&f->namespaces);
}

size_t findings_open(const struct finding_counters *c, enum finding_kind kind)
{
	size_t total = 0;

	for (size_t i = 0; i < ARRAY_LEN(c->open[kind]); i++)
		total += c->open[kind][i];
	return total;
}
