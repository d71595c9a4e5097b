/* A process that did not run did not watch: what follows is told with the time between, nothing that was known of a
 * watch is evidence before it is heard again, and that nothing was heard becomes a gap. */
#include "daemon/watch/process/awake.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)
#define USEC INT64_C(1000000)
#define BEGIN_USEC (INT64_C(1790000000) * USEC)

/* ---- what is a nap ---- */

static const struct {
	const char *what;
	uint64_t steady_ns, boot_ns;
	int64_t usec;
	bool is;
	enum nap_kind kind;
} looks[] = {
	{ "a second", S, S, USEC, false, 0 },
	{ "a busy machine", 5 * S, 5 * S, 5 * USEC, false, 0 },
	{ "SIGSTOP", 6 * S, 6 * S, 6 * USEC, true, NAP_STOPPED },
	{ "SIGSTOP, and the clock is set back", 6 * S, 6 * S, -3600 * USEC, true, NAP_STOPPED },
	{ "a host that slept", S, 3601 * S, 3601 * USEC, true, NAP_HOST },
	{ "a host that slept for a moment", S, 4 * S, 4 * USEC, false, 0 },
	{ "a virtual machine that was stopped, or a clock set ahead", S, S, 3601 * USEC, true, NAP_CLOCK },
	{ "a clock that is set ahead a little", S, S, 5 * USEC, false, 0 },
	{ "a clock that is set back", S, S, -86400 * USEC, false, 0 },
	{ "a clock that is set back by years", S, S, -BEGIN_USEC, false, 0 },
	{ "a clock that is set ahead from 1970", S, S, BEGIN_USEC, true, NAP_CLOCK },
};

static struct {
	size_t n;
	struct nap last;
} naps;

static void note_nap(void *ctx, const struct nap *n)
{
	(void)ctx;
	naps.n++;
	naps.last = *n;
}

static void test_naps(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(looks); i++) {
		const struct clock_moment before = { .ns = 100 * S, .boot_ns = 200 * S, .usec = BEGIN_USEC };
		const struct clock_moment after = { .ns = before.ns + looks[i].steady_ns,
						    .boot_ns = before.boot_ns + looks[i].boot_ns,
						    .usec = before.usec + looks[i].usec };
		struct awake a = { .woke = note_nap };

		naps.n = 0;
		awake_look_at(&a, before);
		assert_int_equal(naps.n, 0);
		awake_look_at(&a, after);
		if (naps.n != looks[i].is || (looks[i].is && naps.last.kind != looks[i].kind))
			fail_msg("%s: %zu naps, the last of kind %d", looks[i].what, naps.n, (int)naps.last.kind);
		if (!looks[i].is)
			continue;
		assert_memory_equal(&naps.last.from, &before, sizeof(before));
		assert_memory_equal(&naps.last.to, &after, sizeof(after));
		awake_look_at(&a, after);
		assert_int_equal(naps.n, 1); /* it is told once */
	}
}

static void test_times_before_a_nap(void **state)
{
	const struct nap n = { .from = { .ns = 100 * S, .usec = BEGIN_USEC }, .to = { .ns = 101 * S } };

	(void)state;
	assert_int_equal(nap_usec_of(&n, 0), BEGIN_USEC);
	assert_int_equal(nap_usec_of(&n, 90 * S), BEGIN_USEC - 10 * USEC);
	assert_int_equal(nap_usec_of(&n, 100 * S + 1), BEGIN_USEC);
}

/* The steady clock stood meanwhile: what was an hour and ten seconds ago was not ten seconds ago. */
static void test_clock_of_the_past(void **state)
{
	(void)state;
	clock_set(BEGIN_USEC, 1000 * S);
	assert_int_equal(clock_usec_of(990 * S), BEGIN_USEC - 10 * USEC);
	clock_slept(995 * S, 3600 * S);
	assert_int_equal(clock_usec_of(990 * S), BEGIN_USEC - 3610 * USEC);
	assert_int_equal(clock_usec_of(996 * S), BEGIN_USEC - 4 * USEC);
	clock_slept(998 * S, 60 * S);
	assert_int_equal(clock_usec_of(990 * S), BEGIN_USEC - 3670 * USEC);
	assert_int_equal(clock_usec_of(996 * S), BEGIN_USEC - 64 * USEC);
	for (uint64_t i = 0; i < 100; i++) /* more than are remembered */
		clock_slept(999 * S + i * 1000, S);
	assert_int_equal(clock_usec_of(999 * S + 99 * 1000), BEGIN_USEC - USEC + 99);
	assert_int_equal(clock_usec_of(1000 * S), BEGIN_USEC);
}

/* ---- a cluster that wakes ---- */

static struct {
	struct watched w;
	struct awake awake;
	struct capture capture;
	struct clock_moment now;
	struct watch_source_table table;
	size_t tests;
} x;

static void on_woke(void *ctx, const struct nap *n)
{
	(void)ctx;
	cluster_woke(x.w.cluster, n);
}

static void on_test(struct watch_source *s)
{
	(void)s;
	x.tests++;
}

/* What the source says of all of them. */
static void all_say(enum kc_state state)
{
	for (size_t i = 0; i < fake_client->watches.n; i++)
		fake_state(fake_client->watches.p[i], state);
}

static void pass(uint64_t seconds)
{
	x.now.ns += seconds * S;
	x.now.boot_ns += seconds * S;
	x.now.usec += (int64_t)seconds * USEC;
	clock_set(x.now.usec, x.now.ns);
}

/* As the daemon does each second. */
static void tick(void)
{
	awake_look(&x.awake);
	cluster_tick(x.w.cluster);
	watched_work(&x.w);
}

static void size(unsigned n)
{
	char json[256];

	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\",\"uid\":\"1\"},"
		       "\"spec\":{\"size\":%u}}",
		       n);
	watched_event(&x.w, KC_MODIFIED, json);
	watched_work(&x.w);
}

static int setup(void **state)
{
	(void)state;
	x.now = (struct clock_moment){ .ns = 5000 * S, .boot_ns = 5000 * S, .usec = BEGIN_USEC };
	x.tests = 0;
	pass(0);
	if (!capture_begin(&x.capture))
		return -1;
	x.awake = (struct awake){ .woke = on_woke };
	watched_start_with(&x.w, TEST_DATA "/watch/any.yaml", &(struct cluster_context){ .awake = &x.awake });
	x.table = *fake_client->source.does;
	x.table.test = on_test;
	fake_client->source.does = &x.table;
	watched_settle(&x.w);
	for (int i = 0; i < 3; i++) {
		pass(1);
		tick();
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&x.w);
	capture_end(&x.capture);
	return 0;
}

/* The next record of a finding's begin, change or end, and its span; 0 and 0: it has none. */
static void expect(const char *message, int64_t not_before, int64_t not_after)
{
	struct doc *d = capture_next(&x.capture);
	char text[3][256];

	assert_non_null(d);
	(void)snprintf(text[0], sizeof(text[0]), "%.*s", STR_ARG(val_str(VAL_GET(d->root, "MESSAGE"))));
	(void)snprintf(text[1], sizeof(text[1]), "%.*s", STR_ARG(val_str(VAL_GET(d->root, "DRIFTD_NOT_BEFORE_USEC"))));
	(void)snprintf(text[2], sizeof(text[2]), "%.*s", STR_ARG(val_str(VAL_GET(d->root, "DRIFTD_NOT_AFTER_USEC"))));
	doc_unref(d);
	if (!strstr(text[0], message))
		fail_msg("'%s' instead of '%s'", text[0], message);
	assert_int_equal(strtoll(text[1], NULL, 10), not_before);
	assert_int_equal(strtoll(text[2], NULL, 10), not_after);
}

static void expect_nothing(void)
{
	assert_int_equal(capture_count(&x.capture), 0);
}

/* What was read first after it is looked at before it counts, whatever the loop does first. */
static void test_event_of_a_nap(void **state)
{
	int64_t from = x.now.usec;

	(void)state;
	size(2);
	expect("drift begins", 0, 0);
	pass(60);
	size(3);
	expect("drift changes", from, x.now.usec);
	assert_int_equal(x.tests, 0); /* not from within the source's own call */
	tick();
	assert_int_equal(x.tests, 1);
	all_say(KC_WATCHING);
	size(4); /* it may have been on its way for as long */
	expect("drift changes", from, x.now.usec);
	for (int i = 0; i < 60; i++) {
		pass(1);
		tick();
	}
	size(5); /* however late it comes, until the source says that it has caught up */
	expect("drift changes", from, x.now.usec);
	fake_watch("Widget")->counters.caught_up_ns = x.now.ns;
	size(6);
	expect("drift changes", 0, 0);
	assert_int_equal(x.tests, 1);
}

/* A watch was about to catch up with a failure when the process stopped. What its source then says of what it read
 * before is about the failure only. */
static void test_nap_while_catching_up(void **state)
{
	struct kc_watch_counters *k = &fake_watch("Widget")->counters;
	int64_t from;

	(void)state;
	size(2);
	expect("drift begins", 0, 0);
	from = x.now.usec;
	all_say(KC_BACKOFF);
	pass(1);
	all_say(KC_WATCHING);
	pass(60);
	size(3);
	expect("drift changes", from, x.now.usec);
	k->last_heard_ns = k->caught_up_ns = x.now.ns + 1;
	pass(1);
	size(4);
	expect("drift changes", from, x.now.usec);
	tick();
	assert_int_equal(x.tests, 1);
	size(5);
	expect("drift changes", from, x.now.usec);
	k->last_heard_ns = k->caught_up_ns = x.now.ns + 1;
	size(6);
	expect("drift changes", 0, 0);
}

/* The server has set up the list before the process stopped, so that what it shows then may be as old. */
static void test_nap_while_listing(void **state)
{
	struct feed_watch *w = fake_watch("Widget");
	int64_t from;

	(void)state;
	size(2);
	expect("drift begins", 0, 0);
	from = x.now.usec;
	fake_state(w, KC_LISTING);
	pass(60);
	tick();
	fake_synced(w);
	fake_state(w, KC_WATCHING);
	pass(1);
	size(3);
	expect("drift changes", from, x.now.usec);
	w->counters.caught_up_ns = x.now.ns;
	size(4);
	expect("drift changes", 0, 0);

	fake_state(w, KC_LISTING); /* the next list is of after the nap */
	fake_synced(w);
	size(5);
	expect("drift changes", 0, 0);
}

/* What was known of the watch is evidence no more, before anything is told of it and until it is up again. */
static void test_claim_falls(void **state)
{
	char text[1024];
	struct buf why = { .p = text, .cap = sizeof(text), .max = sizeof(text) - 1 };

	(void)state;
	assert_int_equal(cluster_state(x.w.cluster), CLUSTER_SYNCED);
	assert_true(cluster_seen(x.w.cluster));
	pass(3600);
	tick();
	assert_false(cluster_seen(x.w.cluster));
	assert_int_equal(cluster_state(x.w.cluster), CLUSTER_DEGRADED);
	cluster_state_why(x.w.cluster, &why);
	assert_true(str_find(buf_str(&why), STR("did not run between 2026-")) >= 0);
	expect_nothing();
	all_say(KC_WATCHING);
	assert_true(cluster_seen(x.w.cluster));
	assert_int_equal(cluster_state(x.w.cluster), CLUSTER_SYNCED);
	tick();
	expect_nothing();
}

static void test_unheard_is_a_gap(void **state)
{
	(void)state;
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		if (fake_client->watches.p[i] != fake_watch("Widget"))
			fake_client->watches.p[i]->counters.last_heard_ns = x.now.ns + 3601 * S;
	}
	pass(3600);
	for (int i = 0; i < 40; i++) {
		tick();
		pass(1);
	}
	expect("gap begins: c: Widgets cannot be watched: nothing was heard since driftd did not run between 2026-", 0,
	       0);
	expect_nothing();
	fake_watch("Widget")->counters.last_heard_ns = x.now.ns;
	pass(1);
	tick();
	expect("gap ends", 0, 0);
	assert_true(cluster_seen(x.w.cluster));
}

/* It was down before: what its source says of it stands. */
static void test_failing_watch(void **state)
{
	char text[1024];
	struct buf why = { .p = text, .cap = sizeof(text), .max = sizeof(text) - 1 };

	(void)state;
	all_say(KC_BACKOFF);
	pass(3600);
	tick();
	cluster_state_why(x.w.cluster, &why);
	assert_true(str_find(buf_str(&why), STR("as the test wants it")) >= 0);
	assert_int_equal(x.tests, 1);
}

/* ---- how long something lasts ---- */

static const struct {
	const char *what;
	int64_t set_usec;
} sets[] = { { "ahead by a day", 86400 * USEC }, { "back by a day", -86400 * USEC } };

static void test_duration_under_a_clock_that_is_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		size(2);
		expect("drift begins", 0, 0);
		pass(4);
		x.now.usec += sets[i].set_usec;
		pass(4);
		x.awake.last = x.now; /* which is not what this is about */
		watched_event(&x.w, KC_DELETED,
			      "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\","
			      "\"uid\":\"1\"},\"spec\":{\"size\":2}}");
		watched_work(&x.w);
		struct doc *d = capture_next(&x.capture);

		assert_non_null(d);
		if (!str_eq(val_str(VAL_GET(d->root, "DRIFTD_DURATION_USEC")), STR("8000000")))
			fail_msg("%s: %.*s", sets[i].what, STR_ARG(val_str(VAL_GET(d->root, "MESSAGE"))));
		doc_unref(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_naps),
		cmocka_unit_test(test_times_before_a_nap),
		cmocka_unit_test_setup_teardown(test_event_of_a_nap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nap_while_catching_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nap_while_listing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_claim_falls, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unheard_is_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_failing_watch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_duration_under_a_clock_that_is_set, setup, teardown),
		cmocka_unit_test(test_clock_of_the_past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
