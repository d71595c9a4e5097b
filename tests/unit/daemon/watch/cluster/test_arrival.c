/* What becomes of what a watch says: each outcome is counted once, and an object remembers its last one. */
#include "daemon/watch/cluster/cluster.h"

#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SETTINGS(name, version, size)                                                                                  \
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"u-" name          \
	"\",\"resourceVersion\":\"" version "\"},\"data\":{\"size\":\"" size "\"}}"

struct step {
	enum kc_event event;
	const char *json;
	enum arrival_outcome outcome;
	bool settles; /* all is listed before it */
};

static const struct object *find(const struct watched *w, const char *name)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(w->cluster, &n);
	const struct object *o = NULL;

	for (size_t i = 0; i < n && !o; i++)
		o = str_eq(kinds[i]->kind->name, STR("ConfigMap")) ? cluster_object(kinds[i], STR(""), str_from(name))
								   : NULL;
	return o;
}

static void take(struct watched *w, const struct step *steps, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct step *s = &steps[i];
		uint64_t before[ARRIVAL_OUTCOMES];

		if (s->settles)
			watched_settle(w);
		for (int o = 0; o < ARRIVAL_OUTCOMES; o++)
			before[o] = cluster_arrivals(w->cluster, (enum arrival_outcome)o);
		watched_event(w, s->event, s->json);
		for (int o = 0; o < ARRIVAL_OUTCOMES; o++) {
			if (cluster_arrivals(w->cluster, (enum arrival_outcome)o) != before[o] + (o == (int)s->outcome))
				fail_msg("step %zu: %s", i, arrival_outcome_name((enum arrival_outcome)o));
		}
		watched_work(w);
	}
}

static void test_each_outcome(void **state)
{
	static const struct step steps[] = {
		{ KC_LISTED, SETTINGS("good", "1", "1"), ARRIVAL_SPECULATED, false },
		{ KC_LISTED, SETTINGS("bad", "1", "2"), ARRIVAL_QUEUED, false },
		{ KC_MODIFIED, SETTINGS("good", "2", "1"), ARRIVAL_UNSEEN, true },
		{ KC_MODIFIED, SETTINGS("good", "3", "2"), ARRIVAL_QUEUED, false },
		{ KC_ADDED, SETTINGS("new", "1", "1"), ARRIVAL_QUEUED, false },
		{ KC_DELETED, SETTINGS("bad", "1", "2"), ARRIVAL_DELETED, false },
		{ KC_DELETED, SETTINGS("never", "1", "2"), ARRIVAL_DELETED, false },
	};
	struct watched w;

	(void)state;
	watched_start(&w, TEST_DATA "/watch/arrivals.yaml");
	take(&w, steps, ARRAY_LEN(steps));
	assert_int_equal(find(&w, "good")->arrival, ARRIVAL_QUEUED);
	watched_event(&w, KC_MODIFIED, SETTINGS("good", "4", "2"));
	assert_int_equal(find(&w, "good")->arrival, ARRIVAL_UNSEEN);
	assert_null(find(&w, "bad"));
	watched_stop(&w);
}

/* An object passes validation rules while it is listed, or waits for its turn. */
static void test_rules(void **state)
{
	static const struct step steps[] = {
		{ KC_LISTED, SETTINGS("good", "1", "1"), ARRIVAL_SPECULATED, false },
		{ KC_LISTED, SETTINGS("bad", "1", "1"), ARRIVAL_QUEUED, false },
		{ KC_MODIFIED, SETTINGS("good", "2", "1"), ARRIVAL_UNSEEN, true },
		{ KC_MODIFIED, SETTINGS("bad", "2", "1"), ARRIVAL_QUEUED, false },
	};
	struct watched w;

	(void)state;
	watched_start(&w, TEST_DATA "/watch/arrivals-ruled.yaml");
	take(&w, steps, ARRAY_LEN(steps));
	assert_int_equal(watched_count(&w, FINDING_VALIDATION), 1);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	watched_stop(&w);
}

static void test_each_has_words(void **state)
{
	(void)state;
	for (int o = 0; o < ARRIVAL_OUTCOMES; o++) {
		assert_true(*arrival_outcome_name((enum arrival_outcome)o));
		assert_true(*arrival_outcome_reason((enum arrival_outcome)o));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_outcome),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_each_has_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
