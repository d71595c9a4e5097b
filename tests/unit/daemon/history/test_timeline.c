/* Counting what was open: each case is a story of rows, and what the picture shows of it. */
#include "daemon/history/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* From 100 to 200, in ten parts. */
#define SINCE 100
#define UNTIL 200
#define PARTS 10

struct row {
	int64_t usec, seq;
	char event;     /* b, c, e; o: it is open now, and nothing is said of it */
	char severity;  /* c, e, w, n, i */
	const char *id; /* of a gap it begins with "gap" */
	char before;    /* the severity of the last row before; 0: it was pruned */
	int64_t before_usec;
};

struct test_case {
	const char *name;
	struct row rows[8];
	struct time_span away; /* 0: none */
	const char *expected;  /* "severity parts", a line each; then began, ended, open; then the spans */
};

static const struct test_case cases[] = {
	{ "nothing", { { 0 } }, { 0 }, "" },
	{ "begins and ends",
	  { { 125, 1, 'b', 'w', "x", 0, 0 }, { 155, 2, 'e', 'w', "x", 0, 0 } },
	  { 0 },
	  "warning 0011110000\nbegan 1 ended 1 open 0\n" },
	{ "goes on", { { 125, 1, 'b', 'w', "x", 0, 0 } }, { 0 }, "warning 0011111111\nbegan 1 ended 0 open 1\n" },
	{ "open before the range",
	  { { 155, 2, 'e', 'e', "x", 'w', 50 } },
	  { 0 },
	  "warning 1111110000\nbegan 0 ended 1 open 0\n" },
	{ "its begin was pruned",
	  { { 155, 2, 'e', 'w', "x", 0, 0 } },
	  { 0 },
	  "warning 1111110000\nbegan 0 ended 1 open 0\n" },
	{ "another severity within the range",
	  { { 125, 1, 'b', 'w', "x", 0, 0 }, { 145, 2, 'c', 'c', "x", 0, 0 }, { 165, 3, 'e', 'c', "x", 0, 0 } },
	  { 0 },
	  "critical 0000111000\nwarning 0011100000\nbegan 1 ended 1 open 0\n" },
	{ "another severity, and open before",
	  { { 125, 2, 'c', 'c', "x", 'w', 50 } },
	  { 0 },
	  "critical 0011111111\nwarning 1110000000\nbegan 0 ended 0 open 1\n" },
	{ "short, within one part",
	  { { 121, 1, 'b', 'e', "x", 0, 0 }, { 122, 2, 'e', 'e', "x", 0, 0 } },
	  { 0 },
	  "error 0010000000\nbegan 1 ended 1 open 0\n" },
	{ "two at once, and one after the other, within one part",
	  { { 121, 1, 'b', 'e', "x", 0, 0 },
	    { 122, 2, 'b', 'e', "y", 0, 0 },
	    { 123, 3, 'e', 'e', "x", 0, 0 },
	    { 124, 4, 'b', 'e', "z", 0, 0 },
	    { 125, 5, 'e', 'e', "y", 0, 0 },
	    { 126, 6, 'e', 'e', "z", 0, 0 } },
	  { 0 },
	  "error 0020000000\nbegan 3 ended 3 open 0\n" },
	{ "of one that was open before, all of the part counts",
	  { { 121, 1, 'b', 'e', "x", 0, 0 }, { 122, 2, 'e', 'e', "x", 0, 0 }, { 125, 3, 'e', 'e', "y", 'e', 50 } },
	  { 0 },
	  "error 1120000000\nbegan 1 ended 2 open 0\n" },
	{ "open now, since before the range",
	  { { 50, 0, 'o', 'n', "x", 0, 0 } },
	  { 0 },
	  "notice 1111111111\nbegan 0 ended 0 open 1\n" },
	{ "open now, and its begin was pruned",
	  { { 135, 0, 'o', 'n', "x", 0, 0 } },
	  { 0 },
	  "notice 0001111111\nbegan 0 ended 0 open 1\n" },
	{ "open now, but only since after the range", { { 250, 0, 'o', 'n', "x", 0, 0 } }, { 0 }, "" },
	{ "ended after the range",
	  { { 250, 9, 'e', 'n', "x", 'w', 50 } },
	  { 0 },
	  "warning 1111111111\nbegan 0 ended 0 open 1\n" },
	{ "began after the range",
	  { { 250, 9, 'b', 'n', "x", 0, 0 }, { 260, 10, 'e', 'n', "x", 'n', 250 } },
	  { 0 },
	  "began 0 ended 0 open 0\n" },
	{ "the clock was set back between begin and end",
	  { { 125, 2, 'e', 'w', "x", 'w', 165 }, { 165, 1, 'b', 'w', "x", 0, 0 } },
	  { 0 },
	  "warning 0010001000\nbegan 1 ended 1 open 0\n" },
	{ "twice",
	  { { 105, 1, 'b', 'w', "x", 0, 0 }, { 115, 2, 'e', 'w', "x", 0, 0 }, { 175, 3, 'b', 'w', "x", 0, 0 } },
	  { 0 },
	  "warning 1100000111\nbegan 2 ended 1 open 1\n" },
	{ "gaps that overlap, one open before, one still open",
	  { { 120, 1, 'b', 'w', "gap1", 0, 0 },
	    { 130, 2, 'e', 'w', "gap2", 'w', 50 },
	    { 140, 3, 'e', 'w', "gap1", 0, 0 },
	    { 190, 4, 'b', 'w', "gap3", 0, 0 } },
	  { 0 },
	  "warning 1122100001\nbegan 2 ended 2 open 1\ngap 100-140\ngap 190-200\nblind 50\n" },
	{ "nobody watched, and a gap",
	  { { 150, 1, 'b', 'w', "gap1", 0, 0 }, { 170, 2, 'e', 'w', "gap1", 0, 0 } },
	  { 90, 160 },
	  "warning 0000011100\nbegan 1 ended 1 open 0\naway 100-160\ngap 150-170\nblind 70\n" },
	{ "nobody watched, and nothing else",
	  { { 0 } },
	  { 110, 120 },
	  "began 0 ended 0 open 0\naway 110-120\nblind 10\n" },
};

static enum severity severity_of(char letter)
{
	return (enum severity)(SEVERITY_CRITICAL + (strchr("cewni", letter) - "cewni"));
}

static void add(struct timeline *t, const struct row *x)
{
	struct timeline_row row = { .usec = x->usec,
				    .seq = x->seq,
				    .severity = severity_of(x->severity),
				    .finding = str_from(x->id),
				    .cluster = STR("prod"),
				    .gap = strncmp(x->id, "gap", 3) == 0,
				    .wanted = true };
	struct timeline_before before = { .is_there = x->before, .usec = x->before_usec };
	struct err err;

	if (x->before)
		before.severity = severity_of(x->before);
	row.event = x->event == 'b' ? TRANSITION_BEGIN : x->event == 'c' ? TRANSITION_CHANGE : TRANSITION_END;
	if (x->event == 'o')
		assert_int_equal(timeline_add_open(t, &row, &err), 0);
	else
		assert_int_equal(timeline_add(t, &row, timeline_needs_before(t, &row) ? &before : NULL, &err), 0);
}

static void print(const struct timeline_cluster *c, struct buf *out)
{
	size_t open = 0;

	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		bool any = false;

		for (size_t b = 0; c->most[s] && b < PARTS; b++)
			any |= c->most[s][b] > 0;
		open += c->open[s];
		if (!any)
			continue;
		buf_printf(out, "%s ", severity_name((enum severity)s));
		for (size_t b = 0; b < PARTS; b++)
			buf_printf(out, "%u", c->most[s][b]);
		buf_add_byte(out, '\n');
	}
	buf_printf(out, "began %" PRIu64 " ended %" PRIu64 " open %zu\n", c->began, c->ended, open);
	for (size_t i = 0; i < c->n_spans; i++)
		buf_printf(out, "%s %" PRId64 "-%" PRId64 "\n", c->spans[i].away ? "away" : "gap",
			   c->spans[i].from_usec, c->spans[i].to_usec);
	if (c->blind_usec)
		buf_printf(out, "blind %" PRId64 "\n", c->blind_usec);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 16);
		struct timeline t;
		struct err err;

		assert_int_equal(timeline_init(&t, SINCE, UNTIL, PARTS, &err), 0);
		for (const struct row *x = cases[i].rows; x < cases[i].rows + ARRAY_LEN(cases[i].rows) && x->event; x++)
			add(&t, x);
		if (cases[i].away.not_after_usec)
			assert_int_equal(timeline_add_away(&t, STR("prod"), &cases[i].away, &err), 0);
		assert_int_equal(timeline_end(&t, &err), 0);
		for (size_t c = 0; c < t.n_clusters; c++)
			print(&t.clusters[c], &out);
		if (!str_eq(buf_str(&out), str_from(cases[i].expected)))
			fail_msg("%s:\n%.*sis not\n%s", cases[i].name, STR_ARG(buf_str(&out)), cases[i].expected);
		timeline_done(&t);
	}
}

/* More than a place of the map has, and more clusters than there may be. */
static void test_limits(void **state)
{
	struct timeline_row row = { .usec = 150, .severity = SEVERITY_ERROR, .wanted = true };
	struct timeline t;
	struct err err;
	char name[32];
	int r = 0;

	(void)state;
	assert_int_equal(timeline_init(&t, 5, 5, 1, &err), -EINVAL);
	timeline_done(&t);
	assert_int_equal(timeline_init(&t, 5, 6, TIMELINE_BUCKETS_MAX + 1, &err), -EINVAL);
	timeline_done(&t);
	assert_int_equal(timeline_init(&t, SINCE, UNTIL, PARTS, &err), 0);
	for (int i = 0; i < 5000; i++) {
		row.finding = (str){ name, (size_t)snprintf(name, sizeof(name), "id-%d", i) };
		row.cluster = STR("prod");
		assert_int_equal(timeline_add(&t, &row, NULL, &err), 0);
	}
	for (int i = 0; r == 0 && i < TIMELINE_CLUSTERS_MAX; i++) {
		row.finding = row.cluster = (str){ name, (size_t)snprintf(name, sizeof(name), "cluster-%d", i) };
		r = timeline_add(&t, &row, NULL, &err);
	}
	assert_int_equal(r, -E2BIG);
	assert_int_equal(timeline_end(&t, &err), 0);
	timeline_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
