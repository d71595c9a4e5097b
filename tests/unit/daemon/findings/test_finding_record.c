/* What is made of the records of a finding: one of its begin and its end, as bytes and back. What it says is what was
 * said of the begin, whatever stands in it. */
#include "daemon/findings/finding_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct finding finding_of(enum finding_kind kind, const char *cluster)
{
	return (struct finding){
		.kind = kind,
		.severity = SEVERITY_ERROR,
		.id = "0123456789abcdef0123456789abcdef",
		.open_from_usec = INT64_MAX, /* for no time at all */
		.subject = { .cluster = str_from(cluster),
			     .resource = STR("configmaps"),
			     .kind = STR("ConfigMap"),
			     .namespace = STR("shop"),
			     .name = STR("web"),
			     .rule = STR("x"),
			     .rule_path = STR("data") },
	};
}

/* As the outbox keeps it. */
static void store_and_read(struct record *r, struct record *ret, struct buf *bytes)
{
	struct err err;

	record_encode(r, bytes);
	assert_int_equal(record_decode(buf_str(bytes), ret, &err), 0);
}

static void merged_is(const struct finding *x, enum transition t, bool named, const char *what, const char *expected)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20), again = BUF_INIT(1u << 20);
	const struct finding_report report = {
		.kind = x->kind, .severity = x->severity, .subject = x->subject, .what = str_from(what)
	};
	const struct record_terms terms = { .cluster_named = named };
	const struct blame nobody = { 0 };
	struct record begin, end, read, merged;

	record_report(&begin, x, t, &report, &terms);
	record_say(&begin, "; %s", "a remark");
	store_and_read(&begin, &read, &bytes);
	assert_true(str_eq(read.text, begin.text));
	record_end(&end, x, NULL, NULL, &nobody, &terms);
	end.n_fields = 0;
	record_merge(&end, &read);
	store_and_read(&end, &merged, &again);
	assert_int_equal(merged.text.n, strlen(expected));
	assert_memory_equal(merged.text.p, expected, merged.text.n);
	assert_null(record_get(&merged, "DRIFTD_WHAT").p);
	record_done(&merged);
	record_done(&end);
	record_done(&read);
	record_done(&begin);
}

static void test_merged_says_what_the_begin_said(void **state)
{
	struct finding drift = finding_of(FINDING_DRIFT, "prod"), rule = finding_of(FINDING_VALIDATION, "prod");
	struct finding odd = finding_of(FINDING_DRIFT, "x changes: y");

	(void)state;
	merged_is(&drift, TRANSITION_BEGIN, false, "configmaps shop/web data.a 1 -> 2",
		  "drift began and ended, after 0.0 s: configmaps shop/web data.a 1 -> 2 (error); a remark");
	merged_is(&drift, TRANSITION_CHANGE, true, "configmaps shop/web",
		  "drift began and ended, after 0.0 s: prod: configmaps shop/web (error); a remark");
	merged_is(&odd, TRANSITION_CHANGE, true, "it begins: now",
		  "drift began and ended, after 0.0 s: x changes: y: it begins: now (error); a remark");
	merged_is(&rule, TRANSITION_BEGIN, false, "it changes: all",
		  "rule violation began and ended, after 0.0 s: it changes: all (error); a remark");
}

/* What an older driftd stored says nothing apart, and is not searched: the end says what it is about. */
static void test_merged_with_an_older_begin(void **state)
{
	struct finding x = finding_of(FINDING_DRIFT, "prod");
	const struct finding_report report = { .kind = x.kind,
					       .severity = x.severity,
					       .subject = x.subject,
					       .what = STR("configmaps shop/web data.a 1 -> 2") };
	const struct record_terms terms = { 0 };
	struct record begin, end;

	(void)state;
	record_report(&begin, &x, TRANSITION_BEGIN, &report, &terms);
	begin.what = STR("");
	record_end(&end, &x, NULL, NULL, &(struct blame){ 0 }, &terms);
	record_merge(&end, &begin);
	assert_true(str_eq(end.text, STR("drift began and ended, after 0.0 s: configmaps shop/web")));
	assert_true(str_eq(record_get(&end, "DRIFTD_MERGED"), STR("1")));
	assert_true(str_eq(record_get(&end, "DRIFTD_EVENT"), STR("end")));
	record_done(&end);
	record_done(&begin);
}

/* An end without room takes no field of the begin. */
static void test_merged_has_room_for_no_more(void **state)
{
	struct record begin, end;

	(void)state;
	record_init(&begin, MESSAGE_DRIFT_BEGIN, 3);
	record_add(&begin, "DRIFTD_REASON", STR("a reason"));
	record_init(&end, MESSAGE_DRIFT_END, 3);
	while (end.n_fields < RECORD_FIELDS_MAX)
		record_add(&end, "DRIFTD_OTHER", STR("x"));
	record_merge(&end, &begin);
	assert_int_equal(end.n_fields, RECORD_FIELDS_MAX);
	assert_null(record_get(&end, "DRIFTD_REASON").p);
	record_done(&end);
	record_done(&begin);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged_says_what_the_begin_said),
		cmocka_unit_test(test_merged_with_an_older_begin),
		cmocka_unit_test(test_merged_has_room_for_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
