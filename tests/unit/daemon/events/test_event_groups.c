/* Records of one cause within a span are one event: each case is records, and the groups that come of them. */
#include "daemon/events/event_groups.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SPAN 30

static const char *const names[] = { "DRIFTD_CAUSE",    "DRIFTD_EVENT",     "DRIFTD_SEVERITY", "DRIFTD_CLUSTER",
				     "DRIFTD_RESOURCE", "DRIFTD_NAMESPACE", "DRIFTD_NAME",     "DRIFTD_KIND" };

struct record {
	int64_t usec;
	const char *cursor, *values[ARRAY_LEN(names)];
};

/* The groups: cursor, count, message, members. */
static const struct {
	struct record records[6];
	const char *groups;
} cases[] = {
	{ { { 0 } }, "" },
	{ { { 5, "one", { "c", "begin", "error", "k", "pods", "ns", "a", "Pod" } } }, "one 1 m [pods ns/a]\n" },
	{ { { 5, "one", { "c", "begin", "error", "k", "pods", "ns", "a", "Pod" } },
	    { 6, "two", { "c", "begin", "error", "k", "", "", "b", "Node" } },
	    { 7, "three", { "c", "begin", "error", "k", "pods", "ns", "", "" } } },
	  "three 3 m; and 2 more of the same cause [pods ns/a] [Node b]\n" },
	/* the cursor of all but the last is that behind which all of them come again */
	{ { { 5, "one", { "c", "begin", "error", "k" } },
	    { 6, "two", { "d", "begin", "error", "k" } },
	    { 6, "three", { "c", "end", "error", "k" } },
	    { 6, "four", { "c", "begin", "warning", "k" } },
	    { 6, "five", { "c", "begin", "error", "l" } },
	    { 6, "six", { "c", "begin", "error", "k" } } },
	  "before 2 m; and 1 more of the same cause\nbefore 1 m\nbefore 1 m\nbefore 1 m\nsix 1 m\n" },
	/* what has no cause is alone */
	{ { { 5, "one", { "", "begin", "error", "k" } }, { 6, "two", { "", "begin", "error", "k" } } },
	  "before 1 m\ntwo 1 m\n" },
};

static void make(struct event *e, const struct record *r)
{
	char field[128];

	event_clear(e);
	e->usec = r->usec;
	e->cursor = str_from(r->cursor);
	event_add(e, STR("MESSAGE=m"));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(field, sizeof(field), "%s=%s", names[i], r->values[i] ? r->values[i] : "");
		event_add(e, str_from(field));
	}
}

static void print(struct event_groups *g, struct buf *out)
{
	const struct event *e;

	while ((e = event_groups_take(g))) {
		buf_printf(out, "%.*s %.*s %.*s", STR_ARG(e->cursor), STR_ARG(event_get(e, "DRIFTD_GROUP_COUNT")),
			   STR_ARG(event_get(e, "MESSAGE")));
		for (size_t i = 0; i < e->fields.n; i++) {
			if (str_eq(e->fields.p[i].name, STR("DRIFTD_GROUP_MEMBER")))
				buf_printf(out, " [%.*s]", STR_ARG(e->fields.p[i].value));
		}
		buf_add_byte(out, '\n');
	}
}

static void test_groups(void **state)
{
	struct event e;
	struct err err;

	(void)state;
	event_init(&e);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
		struct event_groups *g = event_groups_new(SPAN, "before");

		assert_non_null(g);
		for (const struct record *r = cases[i].records; r < cases[i].records + 6 && r->cursor; r++) {
			make(&e, r);
			assert_int_equal(event_groups_add(g, &e, &err), 0);
			assert_int_equal(event_groups_until(g), cases[i].records[0].usec + SPAN);
			assert_false(event_groups_are_due(g, r->usec + SPAN - 3));
			assert_true(event_groups_are_due(g, cases[i].records[0].usec + SPAN));
		}
		print(g, &out);
		assert_true(str_eq(buf_str(&out), str_from(cases[i].groups)));
		assert_int_equal(event_groups_until(g), 0);
		assert_false(event_groups_are_due(g, 1000));
		event_groups_free(g);
	}
	event_done(&e);
	event_groups_free(NULL);
}

/* The next span begins behind the last record of the one before it. */
static void test_next_span(void **state)
{
	static const struct record records[] = { { 5, "one", { "c", "", "", "", "", "", "a" } },
						 { 50, "two", { "c" } },
						 { 51, "three", { "d" } } };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 16);
	struct event_groups *g = event_groups_new(SPAN, NULL);
	struct event e;
	struct err err;

	(void)state;
	event_init(&e);
	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		make(&e, &records[i]);
		if (event_groups_are_due(g, e.usec))
			print(g, &out);
		assert_int_equal(event_groups_add(g, &e, &err), 0);
	}
	print(g, &out);
	assert_true(str_eq(buf_str(&out), STR("one 1 m [ a]\none 1 m\nthree 1 m\n")));
	event_done(&e);
	event_groups_free(g);
}

/* Of many the first are named; and when there are very many groups they are taken. */
static void test_many(void **state)
{
	struct event_groups *g = event_groups_new(SPAN, NULL);
	const struct event *first;
	struct event e;
	struct err err;
	char cause[32];

	(void)state;
	event_init(&e);
	for (size_t i = 0; i < 25; i++) {
		make(&e, &(struct record){ 5, "x", { "c", "", "", "", "", "", "a" } });
		assert_int_equal(event_groups_add(g, &e, &err), 0);
	}
	for (size_t i = 1; i < 4096; i++) {
		assert_false(event_groups_are_due(g, 6));
		(void)snprintf(cause, sizeof(cause), "%zu", i);
		make(&e, &(struct record){ 5, "x", { cause } });
		assert_int_equal(event_groups_add(g, &e, &err), 0);
	}
	assert_true(event_groups_are_due(g, 6));
	first = event_groups_take(g);
	assert_int_equal(event_count(first, "DRIFTD_GROUP_MEMBER"), 20);
	assert_true(str_eq(event_get(first, "DRIFTD_GROUP_COUNT"), STR("25")));
	event_done(&e);
	event_groups_free(g); /* before all are taken */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_next_span),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
