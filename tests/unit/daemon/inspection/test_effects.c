/* What rules tell and ask for, within their quota: entries of the log, calls, and what is not sent. */
#include "daemon/inspection/effects.h"

#include "daemon/findings/clock.h"
#include "daemon/inspection/calls.h"
#include "rules/inspection/insp_builtin.h"
#include "support/capture.h"
#include "support/direct_sink.h"
#include "value/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct {
	struct capture capture;
	struct inspection_context context;
	const struct insp_rule *rule;
	struct limits limits;
	size_t added;
	int add_fails;
	char url[64];
	bool sensitive;
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __wrap_calls_add(struct calls *c, const struct insp_call *call, const struct call_origin *origin, struct err *err);

int __wrap_calls_add(struct calls *c, const struct insp_call *call, const struct call_origin *origin, struct err *err)
{
	(void)c;
	t.added++;
	t.sensitive = origin->sensitive;
	assert_true(str_eq(origin->cluster, STR("prod")) && str_eq(origin->rule, STR("r-1")));
	(void)snprintf(t.url, sizeof(t.url), "%.*s", STR_ARG(call->url));
	return t.add_fails ? err_set(err, -t.add_fails, "no") : 0;
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int setup(void **state)
{
	struct insp_builtins b = { 0 };
	struct problems problems = { 0 };
	struct err err;

	(void)state;
	memset(&t, 0, sizeof(t));
	t.limits = LIMITS_DEFAULT;
	clock_set(1000000, 1);
	if (insp_builtins_parse(STR("[{uuid: r-1, sensitive: true, actions: [{op: log, args: [x]}]}]"), "rules",
				&t.limits, &b, &problems, &err) < 0)
		return -1;
	problems_done(&problems);
	t.rule = b.rules.p[0];
	if (inspection_rules_new(&b, &t.context.rules, &err) < 0 || !capture_begin(&t.capture))
		return -1;
	t.context.sink = sink_new_direct(CFG_OUTPUT_JSON);
	t.context.calls = (struct calls *)&t;
	return t.context.sink ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	sink_free(t.context.sink);
	capture_end(&t.capture);
	inspection_rules_free(t.context.rules);
	return 0;
}

static const struct finding_subject about = { .cluster = { "prod", 4 },
					      .kind = { "Pod", 3 },
					      .resource = { "pods", 4 },
					      .namespace = { "n", 1 },
					      .name = { "p", 1 },
					      .rule = { "r-1", 3 } };

static void report(enum insp_level level, const char *message, const struct finding_subject *s)
{
	const struct effect_origin o = { .rule = t.rule, .about = s, .per_minute = 3 };

	effects_log(&t.context, &o, level, str_from(message));
}

static void call(const char *url, const char *proxies)
{
	static const str prefixes[] = { { "http://hooks/", 13 } };
	const struct insp_config config = { .call_prefixes = prefixes, .n_call_prefixes = 1 };
	const struct effect_origin o = { .rule = t.rule, .about = &about, .per_minute = 3, .config = &config };
	const struct json_options options = { .limits = &t.limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct insp_call c = { .url = str_from(url), .timeout = 1 };
	struct err err;

	if (proxies) {
		assert_int_equal(json_decode(str_from(proxies), &options, &d, &err), 0);
		c.proxies = d->root;
	}
	effects_call(&t.context, &o, &c);
}

static void expect(const char *field, const char *value, const struct doc *d)
{
	val v = val_get(d->root, str_from(field));

	if (!str_eq(val_str(v), str_from(value)))
		fail_msg("%s: %.*s", field, STR_ARG(val_str(v)));
}

static void entries_of_the_log(void **state)
{
	static const struct {
		enum insp_level level;
		const char *message, *line, *priority;
		bool bare; /* a kind without a resource or a namespace */
	} cases[] = {
		{ INSP_DEBUG, "m", "prod: pods n/p: m", "7", false },
		{ INSP_INFO, "two\nlines", "prod: pods n/p: two", "6", false },
		{ INSP_WARNING, "", "prod: pods n/p: ", "4", false },
		{ INSP_ERROR, "m", "prod: Node x: m", "3", true },
		{ INSP_CRITICAL, "m", "prod: Node x: m", "2", true },
	};
	const struct finding_subject bare = { .cluster = STR("prod"), .kind = STR("Node"), .name = STR("x") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(doc_unrefp) struct doc *d = NULL;

		clock_set(1000000, (i + 1) * UINT64_C(100000000000));
		report(cases[i].level, cases[i].message, cases[i].bare ? &bare : &about);
		d = capture_next(&t.capture);
		assert_non_null(d);
		expect("MESSAGE", cases[i].line, d);
		expect("PRIORITY", cases[i].priority, d);
		expect("DRIFTD_EVENT", message_name(MESSAGE_INSPECTION_LOG), d);
		expect("DRIFTD_CLUSTER", "prod", d);
		if (*cases[i].message)
			expect("DRIFTD_MESSAGE_TEXT", cases[i].message, d);
		assert_null(capture_next(&t.capture));
	}
}

static void a_long_line(void **state)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	static char text[1001];

	(void)state;
	memset(text, 'x', 1000);
	report(INSP_INFO, text, &about);
	d = capture_next(&t.capture);
	assert_int_equal(val_str(VAL_GET(d->root, "MESSAGE")).n, 500 + strlen("prod: pods n/p: "));
	expect("DRIFTD_MESSAGE_TEXT", text, d);
}

/* Both count, and that some are dropped is told once in a while. */
static void a_quota(void **state)
{
	CLEANUP(doc_unrefp) struct doc *notice = NULL;

	(void)state;
	report(INSP_INFO, "a", &about);
	call("http://hooks/a", NULL);
	report(INSP_INFO, "b", &about);
	assert_int_equal(capture_count(&t.capture), 2);
	report(INSP_INFO, "c", &about);
	notice = capture_next(&t.capture);
	assert_non_null(notice);
	expect("MESSAGE", "prod: inspection rule r-1: more than 3 log entries and calls a minute; some are dropped",
	       notice);
	expect("PRIORITY", "4", notice);
	call("http://hooks/b", NULL);
	report(INSP_INFO, "d", &about);
	assert_int_equal(capture_count(&t.capture), 0);
	assert_int_equal(t.added, 1);
	assert_int_equal(t.context.counters.dropped[INSPECTION_LOG], 2);
	assert_int_equal(t.context.counters.dropped[INSPECTION_CALL], 1);
	clock_set(1000000, 1 + UINT64_C(20000000000)); /* a third of a minute: one more */
	report(INSP_INFO, "e", &about);
	assert_int_equal(capture_count(&t.capture), 1);
}

static void another_host_sees_to_it(void **state)
{
	(void)state;
	t.context.follows = true;
	for (int i = 0; i < 5; i++) {
		report(INSP_INFO, "a", &about);
		call("http://hooks/a", NULL);
	}
	assert_int_equal(capture_count(&t.capture), 0);
	assert_int_equal(t.added, 0);
	assert_int_equal(t.context.counters.dropped[INSPECTION_LOG], 0);
}

static void calls(void **state)
{
	(void)state;
	t.context.calls = NULL;
	call("http://hooks/a", NULL);
	assert_int_equal(t.added, 0);
	t.context.calls = (struct calls *)&t;
	call("http://hooks/a", NULL);
	assert_int_equal(t.added, 1);
	assert_string_equal(t.url, "http://hooks/a");
	assert_true(t.sensitive);
	assert_int_equal(t.context.counters.dropped[INSPECTION_CALL], 0);
	t.add_fails = -EBUSY;
	call("http://hooks/b", NULL);
	assert_int_equal(t.context.counters.dropped[INSPECTION_CALL], 1);
	assert_int_equal(capture_count(&t.capture), 0);
}

/* A proxy that the administrator did not allow sees nothing. */
static void proxies(void **state)
{
	static const struct {
		const char *proxies;
		bool sent;
	} cases[] = { { "{}", true },
		      { "{\"http\":\"http://hooks/p\"}", true },
		      { "{\"http\":\"http://hooks/p\",\"https\":\"http://hooks/q\"}", true },
		      { "{\"http\":\"http://other/p\"}", false },
		      { "{\"http\":\"http://hooks/p\",\"https\":\"http://other/q\"}", false },
		      { "{\"http\":\"http://other/p\",\"https\":\"http://hooks/q\"}", false },
		      { "{\"http\":7}", false },
		      { "[\"http://other/p\"]", true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t before = t.added;
		CLEANUP(doc_unrefp) struct doc *d = NULL;

		clock_set(1000000, (i + 1) * UINT64_C(100000000000));
		call("http://hooks/a", cases[i].proxies);
		assert_int_equal(t.added - before, cases[i].sent);
		d = capture_next(&t.capture);
		if (cases[i].sent != !d)
			fail_msg("%s", cases[i].proxies);
		if (!d)
			continue;
		expect("MESSAGE",
		       "prod: inspection rule r-1: GET (not sent) failed: its proxy is below no prefix of "
		       "allow_api_call",
		       d);
		expect("PRIORITY", "4", d);
		expect("DRIFTD_EVENT", message_name(MESSAGE_API_CALL_FAILED), d);
		expect("DRIFTD_CLUSTER", "prod", d);
		expect("DRIFTD_RULE", "r-1", d);
		expect("DRIFTD_MESSAGE_TEXT", "its proxy is below no prefix of allow_api_call", d);
	}
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(inspection_effect_name(INSPECTION_LOG), "log");
	assert_string_equal(inspection_effect_name(INSPECTION_CALL), "api-call");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(entries_of_the_log),      CASE(a_long_line), CASE(a_quota),
					    CASE(another_host_sees_to_it), CASE(calls),       CASE(proxies),
					    cmocka_unit_test(names) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
