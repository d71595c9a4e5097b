/* Accepted deviations: told apart from drift, ended and begun again with their acceptances. */
#include "daemon/findings/clock.h"
#include "daemon/watch/accepted_apply.h"
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define STATIC_STR(lit)                                                                                                \
	{                                                                                                              \
		(lit), sizeof(lit) - 1                                                                                 \
	}
#define NOW_USEC (1000000 * INT64_C(1800000000)) /* in January 2027 */
#define WIDGET(name, spec)                                                                                             \
	"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name           \
	"\"},\"spec\":{" spec "}}"
#define GIZMO(name)                                                                                                    \
	"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Gizmo\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" name "\"}}"

struct fixture {
	struct capture capture;
	struct watched watched;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	clock_set(NOW_USEC, 1);
	if (!x || !capture_begin(&x->capture))
		return -1;
	watched_start(&x->watched, TEST_DATA "/watch/any.yaml");
	watched_event(&x->watched, KC_LISTED, WIDGET("good", "\"size\":1"));
	watched_settle(&x->watched);
	assert_int_equal(capture_count(&x->capture), 0);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	watched_stop(&x->watched);
	capture_end(&x->capture);
	free(x);
	return 0;
}

static void say(struct fixture *x, enum kc_event event, const char *json)
{
	watched_event(&x->watched, event, json);
	watched_work(&x->watched);
}

static void apply(struct fixture *x)
{
	accepted_apply(x->watched.acceptances, x->watched.findings, &x->watched.cluster, 1);
	watched_work(&x->watched);
}

static void put(struct fixture *x, const struct acceptance *a)
{
	struct err err;

	watched_must(acceptances_put(x->watched.acceptances, a, false, &err), &err);
	apply(x);
}

static void take_back(struct fixture *x, const struct acceptance *a)
{
	char id[ACCEPTANCE_ID_SIZE];

	assert_true(acceptance_id(a, id));
	assert_true(acceptances_remove(x->watched.acceptances, id));
	apply(x);
}

/* Whether the next record is of that event, and its message begins so. */
static void expect(struct fixture *x, const char *event, const char *message)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);

	if (!d)
		fail_msg("%s: nothing is told", message);
	if (!str_eq(val_str(VAL_GET(d->root, "DRIFTD_EVENT")), str_from(event)) ||
	    !str_has_prefix(val_str(VAL_GET(d->root, "MESSAGE")), str_from(message)))
		fail_msg("not %s '%s': %.*s", event, message, STR_ARG(val_str(VAL_GET(d->root, "MESSAGE"))));
}

static void expect_nothing(struct fixture *x)
{
	assert_int_equal(capture_count(&x->capture), 0);
}

static size_t open_ones(const struct fixture *x, enum finding_kind kind)
{
	return watched_count(&x->watched, kind);
}

static const struct acceptance size_2 = { .kind = STATIC_STR("Widget"),
					  .name = STATIC_STR("w*"),
					  .path = STATIC_STR("spec.size"),
					  .value = STATIC_STR("2"),
					  .reason = STATIC_STR("a test") };

static void test_drift_becomes_accepted_and_back(void **state)
{
	struct fixture *x = *state;

	say(x, KC_ADDED, WIDGET("w", "\"size\":2"));
	expect(x, "begin", "drift begins: Widgets w spec.size 1 -> 2 (warning)");
	put(x, &size_2);
	expect(x, "accepted", "accepted deviation begins: Widgets w spec.size 1 -> 2; accepted: a test (info)");
	expect(x, "end", "drift ends: Widgets w accepted: a test");
	put(x, &size_2); /* says nothing new */
	say(x, KC_MODIFIED, WIDGET("w", "\"size\":2"));
	expect_nothing(x);
	assert_int_equal(open_ones(x, FINDING_ACCEPTED), 1);
	take_back(x, &size_2);
	expect(x, "end", "accepted deviation ends: Widgets w no longer accepted");
	expect(x, "begin", "drift begins: Widgets w spec.size 1 -> 2 (warning)");
	expect_nothing(x);
}

static void test_the_rest_stays(void **state)
{
	struct fixture *x = *state;

	put(x, &size_2);
	expect_nothing(x);
	say(x, KC_ADDED, WIDGET("w", "\"size\":2,\"more\":1"));
	expect(x, "accepted", "accepted deviation begins: Widgets w spec.size 1 -> 2");
	expect(x, "begin", "drift begins: Widgets w spec.more (absent) -> 1 (warning)");
	say(x, KC_MODIFIED, WIDGET("w", "\"size\":3,\"more\":1"));
	expect(x, "end", "accepted deviation ends: Widgets w no longer needed");
	expect(x, "change", "drift changes: Widgets w spec.more (absent) -> 1 and 1 more (warning)");
	say(x, KC_MODIFIED, WIDGET("w", "\"size\":1"));
	expect(x, "end", "drift ends: Widgets w after");
	expect_nothing(x);
}

static void test_expiry(void **state)
{
	struct fixture *x = *state;
	struct acceptance a = size_2;

	a.until = STR("2027-01-15T08:00:10Z"); /* in ten seconds */
	put(x, &a);
	say(x, KC_ADDED, WIDGET("w", "\"size\":2"));
	expect(x, "accepted", "accepted deviation begins");
	clock_set(NOW_USEC + 9999999, 9999999001);
	apply(x);
	expect_nothing(x);
	clock_set(NOW_USEC + 10000000, 10000000001);
	apply(x);
	expect(x, "expired", "accepted deviation ends: Widgets w expired, after 10.0 s");
	expect(x, "begin", "drift begins: Widgets w");
	clock_set(NOW_USEC, 10000000002); /* it is set back */
	apply(x);
	expect(x, "accepted", "accepted deviation begins");
	expect(x, "end", "drift ends: Widgets w accepted: a test");
	a.until = STR("2027-01-15");
	put(x, &a);
	expect(x, "change", "accepted deviation changes");
	expect_nothing(x);
}

static void test_deletion(void **state)
{
	struct fixture *x = *state;

	put(x, &size_2);
	say(x, KC_ADDED, WIDGET("w", "\"size\":2"));
	expect(x, "accepted", "accepted deviation begins");
	say(x, KC_DELETED, WIDGET("w", "\"size\":2"));
	expect(x, "end", "accepted deviation ends: Widgets w object deleted");
	expect_nothing(x);
	assert_int_equal(open_ones(x, FINDING_ACCEPTED), 0);
}

static void test_forbidden_objects(void **state)
{
	const struct acceptance none = { .component = STR("p/none"), .reason = STR("for now") };
	struct fixture *x = *state;

	say(x, KC_ADDED, GIZMO("first"));
	expect(x, "begin", "component unsatisfied begins: p/none: These should not have been matched");
	put(x, &none);
	expect(x, "accepted", "accepted deviation begins: p/none: These should not have been matched");
	expect(x, "end", "component unsatisfied ends: p/none accepted: for now");
	say(x, KC_ADDED, GIZMO("second"));
	expect_nothing(x);
	say(x, KC_DELETED, GIZMO("second"));
	say(x, KC_DELETED, GIZMO("first"));
	expect(x, "end", "accepted deviation ends: p/none no longer needed");
	say(x, KC_ADDED, GIZMO("third"));
	expect(x, "accepted", "accepted deviation begins: p/none");
	take_back(x, &none);
	expect(x, "end", "accepted deviation ends: p/none no longer accepted");
	expect(x, "begin", "component unsatisfied begins: p/none");
	expect_nothing(x);
}

/* Components are judged anew too when all objects of a cluster are looked at. */
static void test_component_and_pattern(void **state)
{
	const struct acceptance both[] = {
		{ .component = STR("p/none"), .reason = STR("for now") },
		{ .kind = STR("Widget"), .name = STR("w*"), .reason = STR("known") },
	};
	struct fixture *x = *state;
	struct err err;

	say(x, KC_ADDED, GIZMO("first"));
	expect(x, "begin", "component unsatisfied begins: p/none: These should not have been matched");
	for (size_t i = 0; i < ARRAY_LEN(both); i++)
		watched_must(acceptances_put(x->watched.acceptances, &both[i], false, &err), &err);
	apply(x);
	expect(x, "accepted", "accepted deviation begins: p/none: These should not have been matched");
	expect(x, "end", "component unsatisfied ends: p/none accepted: for now");
	expect_nothing(x);
}

static void test_single_forbidden_objects(void **state)
{
	const struct acceptance first = {
		.component = STR("p/none"), .kind = STR("Gizmo"), .name = STR("first"), .reason = STR("known")
	};
	const struct acceptance others = {
		.component = STR("p/*"), .kind = STR("gizmos"), .name = STR("s*"), .reason = STR("also")
	};
	struct fixture *x = *state;

	put(x, &first);
	say(x, KC_ADDED, GIZMO("first"));
	expect(x, "accepted",
	       "accepted deviation begins: p/none: These should not have been matched: Gizmos first; accepted: known");
	expect_nothing(x);
	say(x, KC_ADDED, GIZMO("second"));
	expect(x, "begin",
	       "component unsatisfied begins: p/none: These should not have been matched: Gizmo (gizmo.yaml)");
	expect_nothing(x);
	put(x, &others);
	expect(x, "accepted",
	       "accepted deviation begins: p/none: These should not have been matched: Gizmos second; accepted: also");
	expect(x, "end", "component unsatisfied ends: p/none accepted: also");
	say(x, KC_ADDED, GIZMO("seventh"));
	expect(x, "change",
	       "accepted deviation changes: p/none: These should not have been matched: Gizmos second, Gizmos seventh");
	say(x, KC_ADDED, GIZMO("third"));
	expect(x, "begin",
	       "component unsatisfied begins: p/none: These should not have been matched: Gizmo (gizmo.yaml)");
	take_back(x, &first);
	expect(x, "end", "accepted deviation ends: p/none no longer accepted");
	expect(x, "change", "component unsatisfied changes: p/none");
	say(x, KC_DELETED, GIZMO("third"));
	expect(x, "change", "component unsatisfied changes: p/none");
	say(x, KC_DELETED, GIZMO("first"));
	expect(x, "end", "component unsatisfied ends: p/none");
	say(x, KC_DELETED, GIZMO("second"));
	expect(x, "change", "accepted deviation changes: p/none: These should not have been matched: Gizmos seventh");
	say(x, KC_DELETED, GIZMO("seventh"));
	expect(x, "end", "accepted deviation ends: p/none no longer needed");
	expect_nothing(x);
}

static void test_several_for_one_object(void **state)
{
	const struct acceptance more = { .kind = STR("*"), .name = STR("*"), .reason = STR("the rest") };
	struct fixture *x = *state;

	put(x, &size_2);
	put(x, &more);
	say(x, KC_ADDED, WIDGET("w", "\"size\":2,\"more\":1"));
	expect(x, "accepted", "accepted deviation begins: Widgets w spec.size 1 -> 2; accepted: a test");
	expect(x, "accepted", "accepted deviation begins: Widgets w spec.more (absent) -> 1; accepted: the rest");
	expect_nothing(x);
	take_back(x, &size_2);
	expect(x, "end", "accepted deviation ends: Widgets w no longer accepted");
	expect(x, "change", "accepted deviation changes: Widgets w spec.more (absent) -> 1 and 1 more");
	expect_nothing(x);
}

static void test_values_are_masked_alike(void **state)
{
	const struct acceptance all = { .kind = STR("widget"), .name = STR("w"), .reason = STR("r") };
	struct fixture *x = *state;
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	put(x, &all);
	say(x, KC_ADDED, WIDGET("w", "\"size\":1,\"password\":\"hunter2-secret\""));
	d = capture_next(&x->capture);
	assert_non_null(d);
	assert_true(str_eq(val_str(VAL_GET(d->root, "DRIFTD_ACTUAL")), STR("(hidden)")));
	assert_true(str_find(val_str(VAL_GET(d->root, "DRIFTD_DIFF")), STR("hunter2")) < 0);
	assert_true(str_find(val_str(VAL_GET(d->root, "MESSAGE")), STR("hunter2")) < 0);
}

static void test_unknown_ones_end(void **state)
{
	struct fixture *x = *state;
	struct err err;
	struct findings_scan scan = { 0 };
	struct acceptances *none;

	put(x, &size_2);
	say(x, KC_ADDED, WIDGET("w", "\"size\":2"));
	expect(x, "accepted", "accepted deviation begins");
	watched_must(acceptances_new(&none, &err), &err);
	assert_true(
		accepted_end_lost(none, x->watched.findings, &scan, UINT64_MAX)); /* as after a restart without it */
	expect(x, "end", "accepted deviation ends: Widgets w no longer accepted");
	acceptances_free(none);
}

static void test_many_at_once(void **state)
{
	struct fixture *x = *state;
	struct acceptance a = size_2;
	struct err err;
	char name[32];

	say(x, KC_ADDED, WIDGET("w-99", "\"size\":2"));
	expect(x, "begin", "drift begins");
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "w-%d", i);
		a.name = str_from(name);
		watched_must(acceptances_put(x->watched.acceptances, &a, false, &err), &err);
	}
	apply(x);
	expect(x, "accepted", "accepted deviation begins: Widgets w-99");
	expect(x, "end", "drift ends: Widgets w-99 accepted: a test");
	expect_nothing(x);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_drift_becomes_accepted_and_back),
		TEST(test_the_rest_stays),
		TEST(test_expiry),
		TEST(test_deletion),
		TEST(test_forbidden_objects),
		TEST(test_component_and_pattern),
		TEST(test_single_forbidden_objects),
		TEST(test_several_for_one_object),
		TEST(test_values_are_masked_alike),
		TEST(test_unknown_ones_end),
		TEST(test_many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
