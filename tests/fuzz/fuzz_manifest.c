/* Any text as manifests and, after "=== ", the objects to hold them against. What loads is held against every object,
 * in both ways: of what an apply would leave nothing differs, and nothing of an object that is as its manifest says. */
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAIRS_MAX 64

static const struct limits limits = LIMITS_DEFAULT;

/* How many places differ; *expected is what an apply would leave. -1: it cannot be said. */
static long differences(const struct manifest_env *env, val manifest, val live, struct arena *a, val *expected)
{
	struct manifest_difference d;
	struct err err;

	if (manifest_compare(manifest, live, env, a, &d, &err) < 0)
		return -1;
	for (size_t i = 0; i < d.changes.n; i++) {
		if (!d.changes.p[i].why || !d.changes.p[i].path_text.p)
			abort();
	}
	*expected = d.expected;
	return (long)d.changes.total;
}

static void hold(const struct manifest_set *s, const struct crd_table *definitions, size_t manifest, size_t live)
{
	const struct manifest *m = &s->list.p[manifest];
	struct manifest_env env = { .limits = &limits,
				    .schema = crd_table_schema(definitions, m->id.api_version, m->id.kind),
				    .managers = manifest_managers_of,
				    .ctx = &s->list.p[live].object };

	for (int i = 0; i < 2; i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		val left, again;

		env.additions = i ? MANIFEST_IGNORE : MANIFEST_DRIFT;
		if (differences(&env, m->object, s->list.p[live].object, &a, &left) >= 0 &&
		    differences(&env, m->object, left, &a, &again) > 0)
			abort();
		if (differences(&env, m->object, m->object, &a, &left) > 0)
			abort();
	}
}

static void hold_all(const struct manifest_set *s, size_t first_live, const struct crd_table *definitions)
{
	size_t n_live = s->list.n - first_live;

	for (size_t i = 0; i < first_live * n_live && i < PAIRS_MAX; i++) {
		const struct identity *m = &s->list.p[i / n_live].id, *l = &s->list.p[first_live + i % n_live].id;

		if (str_eq(m->api_version, l->api_version) && str_eq(m->kind, l->kind))
			hold(s, definitions, i / n_live, first_live + i % n_live);
	}
}

static void check(struct manifest_set *s, str manifests, str live)
{
	struct crd_table definitions;
	struct err err;
	size_t n;

	crd_table_init(&definitions);
	if (manifest_set_add(s, STR("manifests"), manifests, &err) < 0)
		abort();
	n = s->list.n;
	if (manifest_set_add(s, STR("live"), live, &err) < 0)
		abort();
	if (manifest_set_finish(s, &definitions, STR("default"), &err) < 0)
		abort();
	for (size_t i = 0; i < s->list.n; i++) {
		if (manifest_set_find(s, &s->list.p[i].id) > i) /* the first of them */
			abort();
	}
	hold_all(s, n, &definitions);
	crd_table_done(&definitions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(manifest_set_done) struct manifest_set s;
	str text = { (const char *)data, size }, live = STR("");
	ptrdiff_t mark = str_find(text, STR("=== "));

	if (mark >= 0) {
		live = str_sub(text, (size_t)mark + 4, text.n);
		text = str_sub(text, 0, (size_t)mark);
	}
	manifest_set_init(&s, &limits, NULL);
	check(&s, text, live);
	return 0;
}
