/* Objects that a reference is not for: by "some", of tests/data/watch/excluded.yaml, for none of which there is
 * anything to say, while "all" judges them as any other. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

static struct watched w;
static struct capture records; /* nobody reads them */

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&records))
		return -1;
	watched_start(&w, TEST_DATA "/watch/excluded.yaml");
	watched_settle(&w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&w);
	capture_end(&records);
	return 0;
}

static const struct reference_judge *judge_of(const char *reference)
{
	size_t n;
	const struct reference_judge *judges = cluster_judges(w.cluster, &n);

	while (!str_eq(judges->reference->name, str_from(reference)))
		judges++;
	return judges;
}

/* A namespace of "" is none. */
static void widget(enum kc_event event, const char *namespace, const char *name, int size)
{
	char json[512];

	(void)snprintf(
		json, sizeof(json),
		"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s%s\"%s%s%s},"
		"\"spec\":{\"size\":%d}}",
		name, namespace, name, *namespace ? ",\"namespace\":\"" : "", namespace, *namespace ? "\"" : "", size);
	watched_event(&w, event, json);
	watched_work(&w);
}

static size_t open_of(const char *reference)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	while ((x = findings_each(w.findings, &at)))
		n += x->kind != FINDING_COMPONENT && str_eq(x->subject.reference, str_from(reference));
	return n;
}

static void test_what_is_excluded(void **state)
{
	static const struct {
		const char *namespace, *name;
		bool excluded;
	} cases[] = {
		{ "shop", "web", false },        { "shop", "lock-1", true }, { "kube-system", "web", true },
		{ "kube", "web", false },        { "", "lock-1", true },     { "", "kube-system", false },
		{ "kube-system", "lock", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct reference_judge *some = judge_of("some"), *all = judge_of("all");

		widget(KC_ADDED, cases[i].namespace, cases[i].name, 2);
		assert_int_equal(open_of("all"), 1);
		assert_int_equal(all->states[VERDICT_DRIFTED], 1);
		assert_int_equal(open_of("some"), !cases[i].excluded);
		assert_int_equal(some->states[VERDICT_DRIFTED], !cases[i].excluded);
		assert_int_equal(some->states[VERDICT_EXCLUDED], cases[i].excluded);
		assert_int_equal(some->states[VERDICT_UNMATCHED], 0);
		widget(KC_DELETED, cases[i].namespace, cases[i].name, 2);
		assert_int_equal(open_of("all") + open_of("some"), 0);
		assert_int_equal(some->states[VERDICT_EXCLUDED], 0);
	}
}

static size_t unsatisfied(const char *reference)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	while ((x = findings_each(w.findings, &at)))
		n += x->kind == FINDING_COMPONENT && str_eq(x->subject.reference, str_from(reference));
	return n;
}

/* An object that must not be is no offence there. */
static void test_a_component(void **state)
{
	static const char gizmo[] =
		"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Gizmo\",\"metadata\":{\"name\":\"lock-1\",\"uid\":\"g\"}}";

	(void)state;
	watched_event(&w, KC_ADDED, gizmo);
	watched_work(&w);
	cluster_tick(w.cluster);
	watched_work(&w);
	assert_int_equal(unsatisfied("all"), 1);
	assert_int_equal(unsatisfied("some"), 0);
	watched_event(&w, KC_DELETED, gizmo);
	watched_work(&w);
}

/* Why, for who asks. */
static void test_explained(void **state)
{
	const struct reference_judge *some = judge_of("some");
	const struct kind *k;
	const struct object *o;
	struct doc *edited;
	struct verdict v;
	struct err err;
	bool waits;

	(void)state;
	widget(KC_ADDED, "shop", "lock-1", 2);
	k = snapshot_find_kind(&w.cluster->snapshot, STR("e.x/v1"), STR("Widget"));
	o = identity_local_get(&k->objects, STR("shop"), STR("lock-1"));
	assert_int_equal(cluster_explain(w.cluster, some->index, o, &v, &edited, &waits, &err), 0);
	assert_null(edited);
	assert_int_equal(v.state, VERDICT_EXCLUDED);
	assert_false(waits);
	verdict_done(&v);
	widget(KC_DELETED, "shop", "lock-1", 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_excluded),
		cmocka_unit_test(test_a_component),
		cmocka_unit_test(test_explained),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
