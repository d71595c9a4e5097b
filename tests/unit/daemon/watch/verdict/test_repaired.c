/* Who put an object right: the owner of the field whose place is known, else who wrote since. A text that hides a key,
 * or that an older driftd stored, names no place. */
#include "daemon/watch/verdict/verdict_report.h"

#include "support/capture.h"
#include "support/direct_sink.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One member is called as a hidden key is shown. Bob wrote replicas, mallory the member, alice some secret of it last.
 */
#define OBJECT "{\"spec\":{\"replicas\":2},\"data\":{\"***\":\"1\"}}"
#define ENTRY(who, minute, fields)                                                                                     \
	"{\"manager\":\"" who "\",\"operation\":\"Update\",\"time\":\"2026-01-01T00:0" minute ":00Z\"" fields "}"
#define BOB ENTRY("bob", "2", ",\"fieldsV1\":{\"f:spec\":{\"f:replicas\":{}}}")
#define MALLORY ENTRY("mallory", "1", ",\"fieldsV1\":{\"f:data\":{\"f:***\":{}}}")
#define BEFORE "[" ENTRY("bob", "2", "") "," ENTRY("mallory", "1", "") "," ENTRY("alice", "0", "") "]"
#define NOW "[" BOB "," MALLORY "," ENTRY("alice", "3", ",\"fieldsV1\":{\"f:data\":{\"f:b\":{}}}") "]"

static const struct limits limits = LIMITS_DEFAULT;

static val read_json(const char *text, struct arena *a)
{
	const struct json_options o = { .limits = &limits };
	size_t used;
	struct err err;
	val v;

	assert_int_equal(json_decode_value(str_from(text), &o, a, &v, &used, &err), 0);
	return v;
}

/* What of @path, at @place, was told, and then put right; @older: its row was stored by an older driftd. */
static void expect_by(const char *path, struct path place, bool older, const char *manager)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct finding_path paths[] = { { .path = str_from(path), .place = place } };
	const struct finding_report report = {
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = STR("c"), .kind = STR("Thing"), .name = STR("x") },
		.what = STR("x"),
		.state = STR("1"),
		.paths = paths,
		.n_paths = 1,
	};
	const struct verdict_context context = {
		.object = read_json(OBJECT, &a),
		.managed_fields = read_json(NOW, &a),
		.writers_before = read_json(BEFORE, &a),
		.subject = &report.subject,
		.received_ns = 1,
		.limits = &limits,
	};
	struct findings *f = NULL, *again = NULL;
	struct capture c;
	struct sink *sink;
	struct doc *end;
	size_t at = 0;
	struct err err;

	assert_true(capture_begin(&c));
	sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(sink, &f, &err), 0);
	assert_int_equal(findings_report(f, &report, &err), 0);
	doc_unref(capture_next(&c));
	if (older) {
		struct finding stored = *findings_each(f, &at);

		stored.places = STR("");
		assert_int_equal(findings_new(sink, &again, &err), 0);
		assert_int_equal(findings_restore(again, &stored, &err), 0);
	}
	verdict_repaired(older ? again : f, &context, END_REPAIRED);
	end = capture_next(&c);
	assert_non_null(end);
	assert_true(str_eq(val_str(VAL_GET(end->root, "DRIFTD_EVENT")), STR("end")));
	if (!str_eq(val_str(VAL_GET(end->root, "DRIFTD_MANAGER")), str_from(manager)))
		fail_msg("%s: %.*s", path, STR_ARG(val_str(VAL_GET(end->root, "MESSAGE"))));
	doc_unref(end);
	findings_free(f);
	findings_free(again);
	sink_free(sink);
	capture_end(&c);
}

static void test_whoever_put_it_right(void **state)
{
	const struct path_segment replicas[] = { { .kind = PATH_KEY, .text = STR("spec") },
						 { .kind = PATH_KEY, .text = STR("replicas") } };
	const struct path_segment member[] = { { .kind = PATH_KEY, .text = STR("data") },
					       { .kind = PATH_KEY, .text = STR("***") } };
	const struct path nowhere = { 0 };

	(void)state;
	expect_by("spec.replicas", (struct path){ replicas, 2 }, false, "bob");
	expect_by("data[\"***\"]", (struct path){ member, 2 }, false, "mallory");
	expect_by("data[\"***\"]", nowhere, false, "alice"); /* some key that is hidden */
	expect_by("spec.replicas", (struct path){ replicas, 2 }, true, "alice");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whoever_put_it_right) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
