/* An object that several references judge: as many of them at a turn as there is time for. The clock takes a tick with
 * each look at it, so that a turn is as long as a test wants it. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define REFERENCES 3
#define STAGES (REFERENCES + 2) /* the rules, inspection */

/* CMakeLists.txt wraps the function. */
static uint64_t now;

uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void)
{
	return ++now;
}

static struct watched w;
static struct capture records; /* nobody reads them */

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&records))
		return -1;
	watched_start(&w, TEST_DATA "/watch/turns.yaml");
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

/* The references want 1, a rule no 7, another one that it never falls. */
static void size_is(const char *name, int size)
{
	char json[256];

	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\"},"
		       "\"spec\":{\"size\":%d}}",
		       name, name, size);
	watched_event(&w, KC_MODIFIED, json);
}

static struct object *object_called(const char *name)
{
	const struct kind *k = snapshot_find_kind(&w.cluster->snapshot, STR("e.x/v1"), STR("Widget"));
	struct object *o;

	for (size_t at = 0; (o = index_each(&k->objects, &at));) {
		if (str_eq(identity_of(o->doc->root).name, str_from(name)))
			return o;
	}
	return NULL;
}

/* There is time to begin one thing. */
static void turn(void)
{
	(void)cluster_work(w.cluster, now + 2);
}

static size_t open_of(const char *name, const char *reference)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	while ((x = findings_each(w.findings, &at)))
		n += str_eq(x->subject.name, str_from(name)) && str_eq(x->subject.reference, str_from(reference)) &&
		     x->kind == FINDING_DRIFT;
	return n;
}

static bool rule_fails(const char *rule)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(w.findings, &at))) {
		if (x->kind == FINDING_VALIDATION && str_eq(x->subject.rule, str_from(rule)))
			return true;
	}
	return false;
}

#define NOT_SEVEN "self.spec.size != 7"
#define NEVER_LESS "self.spec.size >= oldSelf.spec.size"

static void test_one_reference_at_a_turn(void **state)
{
	(void)state;
	size_is("a", 7);
	size_is("b", 7);
	for (size_t i = 1; i <= REFERENCES; i++) {
		turn();
		assert_int_equal(watched_count(&w, FINDING_DRIFT), i);
		assert_int_equal(watched_count(&w, FINDING_VALIDATION), 0);
		assert_int_equal(cluster_queue_length(w.cluster), 2);
		assert_true(object_called("a")->received_ns);
		assert_false(cluster_synced(w.cluster));
	}
	turn();
	assert_true(rule_fails(NOT_SEVEN));
	assert_int_equal(cluster_queue_length(w.cluster), 2);
	turn();
	assert_int_equal(cluster_queue_length(w.cluster), 1); /* it is over before the next one begins */
	assert_false(object_called("a")->received_ns);
	assert_int_equal(open_of("b", "first"), 0);
	(void)cluster_work(w.cluster, UINT64_MAX);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 2 * REFERENCES);
	assert_int_equal(watched_count(&w, FINDING_VALIDATION), 2);
}

static void test_a_change_in_between_is_judged_by_all(void **state)
{
	(void)state;
	size_is("a", 2);
	turn();
	turn();
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 2);
	size_is("a", 1);
	assert_int_equal(cluster_queue_length(w.cluster), 1);
	turn();
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 2); /* the third goes first */
	for (int i = 1; i < STAGES; i++)
		turn();
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	assert_int_equal(cluster_queue_length(w.cluster), 0);
}

/* It neither keeps others waiting nor escapes a reference or the rules. */
static void test_one_that_changes_all_the_time(void **state)
{
	(void)state;
	size_is("a", 2);
	size_is("b", 2);
	for (int i = 1; i <= STAGES; i++) {
		turn(); /* a */
		size_is("a", i < STAGES ? 2 + i : 7);
		for (int k = 0; i == 1 && k < STAGES; k++)
			turn();
		if (i == 1)
			assert_int_equal(open_of("b", "third"), 1);
	}
	assert_int_equal(open_of("a", "first"), 1);
	assert_int_equal(open_of("a", "second"), 1);
	assert_int_equal(open_of("a", "third"), 1);
	assert_int_equal(cluster_queue_length(w.cluster), 1);
	for (int i = 0; i < STAGES; i++) {
		turn();
		size_is("a", 7);
	}
	assert_true(rule_fails(NOT_SEVEN));
}

/* The rules compare with what they saw last, also when references have not seen that yet. */
static void test_transitions(void **state)
{
	(void)state;
	size_is("a", 2);
	watched_work(&w);
	size_is("a", 2);
	turn();
	size_is("a", 4); /* from the second reference on: the rules come before the first */
	for (int i = 0; i < STAGES - 1; i++)
		turn();
	assert_false(rule_fails(NEVER_LESS));
	assert_int_equal(cluster_queue_length(w.cluster), 1);
	size_is("a", 3);
	watched_work(&w);
	assert_true(rule_fails(NEVER_LESS));
}

/* Another object that it looked up changed: it did not. */
static void test_a_transition_stays_when_it_is_judged_again(void **state)
{
	(void)state;
	size_is("a", 4);
	watched_work(&w);
	size_is("a", 4);
	turn();
	size_is("a", 3);
	for (int i = 0; i < STAGES - 1; i++)
		turn();
	assert_true(rule_fails(NEVER_LESS));
	assert_int_equal(cluster_queue_length(w.cluster), 1);
	cluster_enqueue(w.cluster, object_called("a"));
	watched_work(&w);
	assert_true(rule_fails(NEVER_LESS));
	size_is("a", 5);
	watched_work(&w);
	assert_false(rule_fails(NEVER_LESS));
}

static void test_one_that_goes(void **state)
{
	struct object *a;

	(void)state;
	size_is("a", 7);
	turn();
	turn();
	watched_event(&w, KC_DELETED,
		      "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\",\"uid\":\"a\"}}");
	assert_int_equal(cluster_queue_length(w.cluster), 0);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	size_is("a", 7);
	turn();
	fake_state(fake_watch("Widget"), KC_ABSENT);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	fake_synced(fake_watch("Widget"));
	size_is("a", 7);
	for (int i = 0; i < STAGES; i++)
		turn();
	assert_int_equal(watched_count(&w, FINDING_DRIFT), REFERENCES);
	a = object_called("a");
	assert_int_equal(a->n_stages + a->stage, 0);
}

static void unreadable(const char *name)
{
	char json[256], key[64] = { 0 };
	struct buf k = { .p = key, .cap = sizeof(key), .max = sizeof(key) - 1 };
	struct json_options o = { .limits = &w.limits, .keys = w.keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct kc_object e = { .event = KC_MODIFIED, .unreadable = "it is too deep", .received_ns = 1 };
	struct feed_watch *watch = fake_watch("Widget");
	struct err err;

	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\"}}",
		       name, name);
	assert_int_equal(json_decode(str_from(json), &o, &doc, &err), 0);
	identity_local_key(STR(""), str_from(name), &k);
	e.key = buf_str(&k);
	e.name = str_from(name);
	e.doc = doc;
	e.managed_fields = e.namespace = e.uid = e.resource_version = STR("");
	watch->handler.object(watch->ctx, &e);
}

static void test_one_that_cannot_be_read_any_more(void **state)
{
	(void)state;
	size_is("a", 2);
	turn();
	unreadable("a");
	turn();
	assert_int_equal(cluster_queue_length(w.cluster), 0);
	assert_int_equal(watched_count(&w, FINDING_ERROR), REFERENCES);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 1); /* as far as it is known */
	size_is("a", 1);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_ERROR), 0);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
}

/* What an earlier life said of it is not over because nobody can look. */
static void test_one_that_cannot_be_read_after_a_restart(void **state)
{
	(void)state;
	size_is("a", 7);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_VALIDATION), 1);
	watched_restart(&w);
	unreadable("a");
	watched_settle(&w);
	assert_int_equal(watched_count(&w, FINDING_VALIDATION), 1);
	assert_int_equal(watched_count(&w, FINDING_ERROR), REFERENCES);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), REFERENCES);
	size_is("a", 1);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_VALIDATION), 0);
}

static void test_the_end_comes_in_between(void **state)
{
	(void)state;
	size_is("a", 7);
	turn();
	assert_int_equal(cluster_queue_length(w.cluster), 1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_one_reference_at_a_turn),
		CASE(test_a_change_in_between_is_judged_by_all),
		CASE(test_one_that_changes_all_the_time),
		CASE(test_transitions),
		CASE(test_a_transition_stays_when_it_is_judged_again),
		CASE(test_one_that_goes),
		CASE(test_one_that_cannot_be_read_any_more),
		CASE(test_one_that_cannot_be_read_after_a_restart),
		CASE(test_the_end_comes_in_between),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
