/* A map from the rule to its number. */
#include "daemon/findings/rule_counts.h"

/* As long as a path may be, and a severity in front. {NULL, 0} without memory. */
static str key_of(str path, enum severity severity, struct arena *a)
{
	return arena_printf(a, "%d %.*s", (int)severity, STR_ARG(path));
}

void rule_counts_done(struct rule_counts *c)
{
	strmap_done(&c->counts);
}

static void add(struct rule_counts *c, str key, size_t n)
{
	uintptr_t before = (uintptr_t)strmap_get(&c->counts, key);

	if (before || c->counts.n < RULE_COUNTS_MAX)
		(void)!strmap_put(&c->counts, key, (void *)(before + n), NULL);
}

void rule_counts_add(struct rule_counts *c, const struct finding_report *report)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	for (size_t i = 0; i < report->n_rules; i++) {
		str key = key_of(report->rules[i].path, report->rules[i].severity, &a);

		if (key.p)
			add(c, key, report->rules[i].events);
	}
}

uint64_t rule_counts_get(const struct rule_counts *c, str path, enum severity severity)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str key = key_of(path, severity, &a);

	return key.p ? (uintptr_t)strmap_get(&c->counts, key) : 0;
}
