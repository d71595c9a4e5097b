/* When what cannot be watched is reported, with which words, and when that ends. */
#include "daemon/findings/clock.h"
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)
#define START_USEC (INT64_C(1800000000) * 1000000)

static struct {
	struct capture capture;
	struct watched w;
	uint64_t ns;
} x;

static void set_time(void)
{
	clock_set(START_USEC + (int64_t)(x.ns / 1000), x.ns);
}

/* The gaps after so many more seconds, each with a tick. "": there is none. */
static void expect_after(unsigned seconds, const char *gap)
{
	const struct finding *f, *found = NULL;
	size_t at = 0, n = 0;

	for (unsigned i = 0; i < seconds; i++) {
		x.ns += S;
		set_time();
		cluster_tick(x.w.cluster);
		watched_work(&x.w);
	}
	while ((f = findings_each(x.w.findings, &at))) {
		if (f->kind == FINDING_GAP) {
			found = f;
			n++;
		}
	}
	if (n != (*gap ? 1 : 0) || (found && str_find(found->summary, str_from(gap)) < 0))
		fail_msg("at %d s %zu gaps, '%.*s' instead of '%s'", (int)(x.ns / S), n,
			 found ? (int)found->summary.n : 0, found ? found->summary.p : "", gap);
}

static int setup(void **state)
{
	(void)state;
	x.ns = 1000 * S;
	set_time();
	if (!capture_begin(&x.capture))
		return -1;
	watched_start(&x.w, TEST_DATA "/watch/any.yaml");
	return 0;
}

static int setup_listed(void **state)
{
	if (setup(state) < 0)
		return -1;
	watched_settle(&x.w);
	expect_after(20, "");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&x.w);
	capture_end(&x.capture);
	return 0;
}

static void test_a_failing_watch(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	w->counters.failures = 2;
	fake_state(w, KC_BACKOFF);
	expect_after(9, "");
	expect_after(1, "Widgets cannot be watched: as the test wants it");
	fake_state(w, KC_BACKOFF);
	expect_after(5, "Widgets cannot be watched");
	w->handler.state(w->ctx, KC_WATCHING, NULL);
	expect_after(0, "");
	fake_state(w, KC_BACKOFF); /* it begins anew */
	expect_after(9, "");
	expect_after(1, "Widgets");
}

/* The next try may wait for its turn. */
static void test_a_watch_that_failed_once(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	w->counters.failures = 1;
	fake_state(w, KC_BACKOFF);
	expect_after(29, "");
	expect_after(1, "Widgets cannot be watched");
}

static void test_a_list_that_hangs(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	w->handler.state(w->ctx, KC_LISTING, NULL);
	expect_after(29, "");
	expect_after(1, "Widgets cannot be watched: its list has taken 30 s and is not complete");
	expect_after(10, "its list has taken 30 s"); /* how long it takes by now is no news */
	fake_synced(w);
	expect_after(1, "");
}

static void test_a_first_list_that_hangs(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		if (fake_client->watches.p[i] != w)
			fake_synced(fake_client->watches.p[i]);
	}
	w->handler.state(w->ctx, KC_LISTING, NULL);
	expect_after(59, "");
	expect_after(1, "Widgets cannot be watched: its list has taken 60 s");
	fake_synced(w);
	expect_after(1, "");
}

/* What was never listed and is forbidden has nothing to go on with. */
static void test_forbidden(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	fake_state(w, KC_FORBIDDEN);
	expect_after(1, "Widgets cannot be watched");
	fake_synced(w);
	expect_after(1, "");
	fake_state(w, KC_FORBIDDEN); /* it was listed: it may come again soon */
	w->counters.failures = 2;
	expect_after(9, "");
	expect_after(1, "Widgets cannot be watched");
}

static void test_access(void **state)
{
	static const struct {
		unsigned denied;
		const char *gap;
	} cases[] = {
		{ 1u << KC_LIST, "the account may not list (driftd rbac" },
		{ 1u << KC_WATCH, "the account may not watch (driftd rbac" },
		{ 1u << KC_LIST | 1u << KC_WATCH, "the account may not list and watch (driftd rbac" },
	};
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		w->handler.access(w->ctx, cases[i].denied);
		expect_after(1, cases[i].gap);
		w->handler.access(w->ctx, 0);
		expect_after(0, "");
	}
}

/* It is one gap, which says what is refused now. */
static void test_access_that_changes(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	w->handler.access(w->ctx, 1u << KC_LIST | 1u << KC_WATCH);
	expect_after(1, "the account may not list and watch (driftd rbac");
	w->handler.access(w->ctx, 1u << KC_WATCH);
	expect_after(1, "the account may not watch (driftd rbac");
	w->handler.access(w->ctx, 0);
	expect_after(0, "");
}

/* The evidence has become too old. */
static void test_stale(void **state)
{
	struct feed_watch *w = fake_watch("Widget");

	(void)state;
	w->counters.proved_ns = x.ns;
	w->counters.stale_ns = x.ns + 5 * S;
	expect_after(4, "");
	expect_after(1, "Widgets cannot be watched: nothing has proved for 5 s that its watch works");
	w->counters.stale_ns = 0;
	expect_after(1, "");
}

static void test_down(void **state)
{
	(void)state;
	fake_client->down = true;
	expect_after(10, "");
	expect_after(1, "cannot be watched: it has not answered for 10 s");
	fake_client->down = false;
	expect_after(1, "");
	fake_client->down = true;
	fake_state(fake_watch("Gizmo"), KC_BACKOFF);
	expect_after(11, "cannot be watched: as the test wants it");
	fake_client->down = false;
	fake_client->undiscovered = true;
	expect_after(1, "cannot be watched");
	fake_client->undiscovered = false;
	fake_watch("Gizmo")->handler.state(fake_watch("Gizmo")->ctx, KC_WATCHING, NULL);
	expect_after(1, "");
}

/* After an outage each watch has its time again. */
static void test_up_again(void **state)
{
	struct feed_watch *w = fake_watch("Widget");
	size_t retries = fake_client->retries;

	(void)state;
	w->counters.failures = 5;
	fake_state(w, KC_BACKOFF);
	fake_client->down = true;
	expect_after(5, "");
	assert_int_equal(fake_client->retries, retries);
	fake_client->down = false;
	expect_after(10, "");
	assert_int_equal(fake_client->retries, retries + 1);
	expect_after(1, "Widgets cannot be watched");
	assert_int_equal(fake_client->retries, retries + 1);
}

int main(void)
{
#define TEST(name, with) cmocka_unit_test_setup_teardown(name, with, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_a_failing_watch, setup_listed),
		TEST(test_a_watch_that_failed_once, setup_listed),
		TEST(test_a_list_that_hangs, setup_listed),
		TEST(test_a_first_list_that_hangs, setup),
		TEST(test_forbidden, setup),
		TEST(test_access, setup_listed),
		TEST(test_access_that_changes, setup_listed),
		TEST(test_stale, setup_listed),
		TEST(test_down, setup_listed),
		TEST(test_up_again, setup_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
