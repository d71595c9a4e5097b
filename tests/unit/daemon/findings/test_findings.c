/* The state machine of findings, seen through the records that it writes. */
#include "daemon/findings/findings.h"

#include "daemon/findings/messages.h"
#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

#include <cmocka.h>

static void report(struct findings *f, const struct finding_report *r)
{
	struct err err;

	assert_int_equal(findings_report(f, r, &err), 0);
}

static struct finding_report drift(const char *cluster, const char *name, const char *what)
{
	return (struct finding_report){
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = str_from(cluster),
			     .reference = STR("base"),
			     .api_version = STR("apps/v1"),
			     .kind = STR("Deployment"),
			     .namespace = STR("prod"),
			     .name = str_from(name),
			     .resource = STR("deployments.apps") },
		.what = str_from(what),
		.state = str_from(what),
	};
}

static const char *field(const struct doc *d, const char *name)
{
	static char text[8192];

	(void)snprintf(text, sizeof(text), "%.*s", STR_ARG(val_str(val_get(d->root, str_from(name)))));
	return text;
}

static struct doc *expect(struct findings_set *x, enum message m)
{
	struct doc *d = capture_next(&x->capture);

	assert_non_null(d);
	assert_string_equal(field(d, "MESSAGE_ID"), message_id(m));
	return d;
}

static void expect_none(struct findings_set *x)
{
	struct doc *d = capture_next(&x->capture);

	if (d)
		fail_msg("unexpected record: %s", field(d, "MESSAGE"));
}

static void test_begin_change_end(void **state)
{
	struct findings_set *x = *state;
	const struct finding_path paths[] = {
		{ .path = STR("spec.replicas"), .expected = STR("3"), .actual = STR("5") },
		{ .path = STR("spec.paused"), .expected = STR("false"), .actual = STR("true") }
	};
	struct finding_report r = drift("prod", "web", "deployments.apps prod/web spec.replicas 3 -> 5");
	CLEANUP(doc_unrefp) struct doc *begin = NULL, *change = NULL, *end = NULL;
	char id[FINDING_ID_SIZE];

	r.paths = paths;
	r.n_paths = ARRAY_LEN(paths);
	r.n_paths_total = 7;
	r.diff = STR("-a\n+b\n");
	r.blame = (struct blame){ .manager = STR("kubectl-edit"),
				  .operation = STR("Update"),
				  .time = STR("2024-05-01T10:00:00Z") };
	report(x->findings, &r);
	begin = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_string_equal(field(begin, "MESSAGE"),
			    "drift begins: deployments.apps prod/web spec.replicas 3 -> 5 (warning, by kubectl-edit)");
	assert_string_equal(field(begin, "PRIORITY"), "4");
	assert_string_equal(field(begin, "DRIFTD_EVENT"), "begin");
	assert_string_equal(field(begin, "DRIFTD_SEVERITY"), "warning");
	assert_string_equal(field(begin, "DRIFTD_PATH_COUNT"), "7");
	assert_string_equal(field(begin, "DRIFTD_DIFF"), "-a\n+b\n");
	assert_string_equal(field(begin, "DRIFTD_MANAGER_OPERATION"), "Update");
	assert_true(str_eq(val_str(val_at(VAL_GET(begin->root, "DRIFTD_PATH"), 1)), STR("spec.paused")));
	assert_true(str_eq(val_str(val_at(VAL_GET(begin->root, "DRIFTD_ACTUAL"), 0)), STR("5")));
	assert_false(val_exists(VAL_GET(begin->root, "DRIFTD_UID"))); /* empty: no field */
	assert_false(val_exists(VAL_GET(begin->root, "DRIFTD_DURATION_USEC")));
	(void)snprintf(id, sizeof(id), "%s", field(begin, "DRIFTD_DRIFT_ID"));
	assert_int_equal(strspn(id, "0123456789abcdef"), 32);

	report(x->findings, &r); /* the same again */
	findings_confirm(x->findings, r.kind, &r.subject);
	expect_none(x);

	r.state = r.what = STR("another");
	r.severity = SEVERITY_CRITICAL;
	report(x->findings, &r);
	change = expect(x, MESSAGE_DRIFT_CHANGE);
	assert_string_equal(field(change, "DRIFTD_DRIFT_ID"), id);
	assert_string_equal(field(change, "PRIORITY"), "2");

	findings_clear(x->findings, r.kind, &r.subject, END_REPAIRED);
	end = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(end, "DRIFTD_DRIFT_ID"), id);
	assert_string_equal(field(end, "PRIORITY"), "6");
	assert_true(val_is_string(VAL_GET(end->root, "DRIFTD_DURATION_USEC")));
	assert_int_equal(val_count(VAL_GET(end->root, "DRIFTD_PATH")), 2);
	findings_clear(x->findings, r.kind, &r.subject, END_REPAIRED);
	expect_none(x);
	assert_int_equal(findings_counters(x->findings, STR("prod"))->transitions[TRANSITION_BEGIN][SEVERITY_WARNING],
			 1);
	assert_int_equal(findings_counters(x->findings, STR("prod"))->transitions[TRANSITION_CHANGE][SEVERITY_CRITICAL],
			 1);
	assert_int_equal(findings_counters(x->findings, STR("prod"))->transitions[TRANSITION_END][SEVERITY_CRITICAL],
			 1);
}

static void test_a_change_of_severity_alone_is_one(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "w");

	report(x->findings, &r);
	r.severity = SEVERITY_ERROR;
	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	doc_unref(expect(x, MESSAGE_DRIFT_CHANGE));
	expect_none(x);
}

static void test_each_kind_has_its_records(void **state)
{
	static const struct {
		enum finding_kind kind;
		enum message begin, change, end;
	} cases[] = {
		{ FINDING_DRIFT, MESSAGE_DRIFT_BEGIN, MESSAGE_DRIFT_CHANGE, MESSAGE_DRIFT_END },
		{ FINDING_COMPONENT, MESSAGE_COMPONENT_BEGIN, MESSAGE_COMPONENT_CHANGE, MESSAGE_COMPONENT_END },
		{ FINDING_ERROR, MESSAGE_ERROR_BEGIN, MESSAGE_ERROR_CHANGE, MESSAGE_ERROR_END },
		{ FINDING_GAP, MESSAGE_GAP_BEGIN, MESSAGE_GAP_CHANGE, MESSAGE_GAP_END },
	};
	struct findings_set *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) { /* of one subject: they do not disturb each other */
		struct finding_report r = drift("prod", "web", "one");

		r.kind = cases[i].kind;
		report(x->findings, &r);
		doc_unref(expect(x, cases[i].begin));
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding_report r = drift("prod", "web", "two");

		r.kind = cases[i].kind;
		report(x->findings, &r);
		doc_unref(expect(x, cases[i].change));
		findings_clear(x->findings, r.kind, &r.subject, END_DELETED);
		doc_unref(expect(x, cases[i].end));
	}
	expect_none(x);
}

static bool over_web(void *ctx, const struct finding *f, enum end_reason *why)
{
	*why = END_NOT_WATCHED;
	(void)ctx;
	return str_has_prefix(f->subject.name, STR("web"));
}

static void test_sweep_ends_what_was_not_seen_again(void **state)
{
	struct findings_set *x = *state;
	struct finding_report seen = drift("prod", "web-1", "a"), gone = drift("prod", "web-2", "a"),
			      other = drift("prod", "db", "a"), elsewhere = drift("lab", "web-2", "a");
	CLEANUP(doc_unrefp) struct doc *end = NULL;
	size_t at = 0, n = 0;

	report(x->findings, &seen);
	report(x->findings, &gone);
	report(x->findings, &other);
	report(x->findings, &elsewhere);
	assert_int_equal(capture_count(&x->capture), 4);
	findings_unconfirm(x->findings, STR("prod"));
	report(x->findings, &seen);
	assert_true(findings_sweep(x->findings, STR("prod"), over_web, NULL));
	end = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(end, "DRIFTD_NAME"), "web-2");
	assert_string_equal(field(end, "DRIFTD_CLUSTER"), "prod");
	assert_string_equal(field(end, "DRIFTD_END_REASON"), "no longer watched");
	expect_none(x);
	while (findings_each(x->findings, &at))
		n++;
	assert_int_equal(n, 3);
	findings_confirm(x->findings, other.kind, &other.subject);
	assert_true(findings_sweep(x->findings, STR("prod"), over_web, NULL));
	expect_none(x);
}

/* An older driftd kept some begins to itself. */
static void test_a_finding_that_was_never_reported_is_reported_when_it_changes(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	struct findings *again = NULL;
	struct finding silent;
	struct err err;
	size_t at = 0;

	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	silent = *findings_each(x->findings, &at);
	silent.announced = false;
	assert_int_equal(findings_new(x->sink, &again, &err), 0);
	assert_int_equal(findings_restore(again, &silent, &err), 0);
	r.state = STR("b");
	report(again, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	findings_clear(again, r.kind, &r.subject, END_REPAIRED);
	doc_unref(expect(x, MESSAGE_DRIFT_END));
	findings_free(again);
}

static void test_restored_findings_are_silent(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	struct findings *again = NULL;
	const struct finding *f;
	struct err err;
	size_t at = 0;

	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	assert_int_equal(findings_new(x->sink, &again, &err), 0);
	f = findings_each(x->findings, &at);
	assert_int_equal(findings_restore(again, f, &err), 0);
	assert_int_equal(findings_restore(again, f, &err), 0); /* twice is once */
	report(again, &r);
	expect_none(x);
	r.state = STR("b");
	report(again, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_CHANGE));
	findings_free(again);
}

/* SHA-256 of "a", as a driftd without a key kept it. */
#define HASH_OF_A "ca978112ca1bbdcafac231b39a23dc4d"

static struct findings *restored_under(struct findings_set *x, unsigned char key, const struct finding *f)
{
	unsigned char bytes[FINDINGS_KEY_SIZE];
	struct findings *again = NULL;
	struct err err;

	memset(bytes, key, sizeof(bytes));
	assert_int_equal(findings_new(x->sink, &again, &err), 0);
	findings_set_key(again, bytes);
	assert_int_equal(findings_restore(again, f, &err), 0);
	return again;
}

static void test_hashes_of_states_are_keyed(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	struct findings *again;
	struct finding kept;
	size_t at = 0;

	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	kept = *findings_each(x->findings, &at);
	assert_string_not_equal(kept.state_hash, HASH_OF_A);
	again = restored_under(x, 1, &kept);
	report(again, &r); /* under another key nobody knows what it was */
	doc_unref(expect(x, MESSAGE_DRIFT_CHANGE));
	at = 0;
	assert_string_not_equal(findings_each(again, &at)->state_hash, kept.state_hash);
	findings_free(again);
	memcpy(kept.state_hash, HASH_OF_A, sizeof(kept.state_hash));
	again = restored_under(x, 1, &kept);
	report(again, &r); /* kept before there was a key: known, and hashed anew */
	expect_none(x);
	at = 0;
	assert_string_not_equal(findings_each(again, &at)->state_hash, HASH_OF_A);
	report(again, &r);
	expect_none(x);
	findings_free(again);
}

static void test_states_of_old_keys_are_known(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	unsigned char old[2][FINDINGS_KEY_SIZE] = { { 7 }, { 0 } }; /* the second is the one that x->findings has */
	struct findings *again, *like;
	struct finding kept;
	size_t at = 0;
	struct err err;

	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	kept = *findings_each(x->findings, &at);
	again = restored_under(x, 1, &kept);
	for (size_t i = 0; i < ARRAY_LEN(old); i++)
		assert_int_equal(findings_add_old_key(again, old[i], &err), 0);
	assert_int_equal(findings_new_like(again, x->sink, &like, &err), 0);
	assert_int_equal(findings_restore(like, &kept, &err), 0);
	report(like, &r);
	expect_none(x);
	findings_free(like);
	report(again, &r);
	expect_none(x);
	at = 0;
	assert_string_not_equal(findings_each(again, &at)->state_hash, kept.state_hash);
	r.state = STR("b");
	report(again, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_CHANGE));
	findings_free(again);
}

static void test_hostile_texts_stay_in_their_fields(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a\n\x1b[31m\"},{\xC3");
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	r.blame.manager = STR("evil\nMESSAGE=forged");
	report(x->findings, &r);
	d = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_string_equal(field(d, "DRIFTD_MANAGER"), "evil\nMESSAGE=forged");
	expect_none(x);
}

static void report_state(struct findings *f, struct finding_report *r, const char *state)
{
	r->what = r->state = str_from(state);
	report(f, r);
}

/* What happened while nobody watched is told with the time within which it did; a short time is none. */
static void test_span(void **state)
{
	struct findings_set *x = *state;
	const struct time_span span = { INT64_C(1700000000000000), INT64_C(1700000010000000) };
	const struct time_span back = { span.not_after_usec, span.not_before_usec };
	struct finding_report r = drift("prod", "web", "a");
	CLEANUP(doc_unrefp) struct doc *begin = NULL, *change = NULL, *end = NULL;

	findings_set_span(x->findings, &span);
	report(x->findings, &r);
	begin = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_string_equal(field(begin, "MESSAGE"),
			    "drift begins: a (warning); between 2023-11-14T22:13:20Z and 2023-11-14T22:13:30Z");
	assert_string_equal(field(begin, "DRIFTD_NOT_BEFORE_USEC"), "1700000000000000");
	assert_string_equal(field(begin, "DRIFTD_NOT_AFTER_USEC"), "1700000010000000");
	findings_set_span(x->findings, &back); /* the clock was set back */
	assert_null(findings_span(x->findings));
	report_state(x->findings, &r, "b");
	change = expect(x, MESSAGE_DRIFT_CHANGE);
	assert_false(val_exists(VAL_GET(change->root, "DRIFTD_NOT_BEFORE_USEC")));
	findings_set_span(x->findings, &span);
	findings_clear(x->findings, r.kind, &r.subject, END_REPAIRED);
	end = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(end, "DRIFTD_NOT_AFTER_USEC"), "1700000010000000");
}

#define PLACE(name, ...)                                                                                               \
	static const struct path_segment name##_segments[] = { __VA_ARGS__ };                                          \
	static const struct path name = { name##_segments, ARRAY_LEN(name##_segments) }

PLACE(at_gone, { .kind = PATH_KEY, .text = { "spec", 4 } }, { .kind = PATH_KEY, .text = { "gone", 4 } });
PLACE(at_unknown, { .kind = PATH_KEY, .text = { "spec", 4 } }, { .kind = PATH_KEY, .text = { "unknown", 7 } });
PLACE(at_kept, { .kind = PATH_KEY, .text = { "spec", 4 } }, { .kind = PATH_KEY, .text = { "kept", 4 } });
PLACE(at_forged, { .kind = PATH_KEY, .text = { "spec", 4 } }, { .kind = PATH_KEY, .text = { "forged", 6 } });
PLACE(at_one, { .kind = PATH_KEY, .text = { "data", 4 } }, { .kind = PATH_KEY, .text = { "token-1", 7 } });
PLACE(at_other, { .kind = PATH_KEY, .text = { "data", 4 } }, { .kind = PATH_KEY, .text = { "token-2", 7 } });

static const struct blame by_kubectl = { { "kubectl", 7 }, { "Update", 6 }, { "", 0 }, { "2024-05-01T10:00:00Z", 20 } };
static const struct blame by_helm = { { "helm", 4 }, { "Apply", 5 }, { "", 0 }, { "2024-05-01T10:00:01Z", 20 } };

static void expect_removed(const struct findings *f, const struct finding *x, struct path at, bool known,
			   const char *by)
{
	struct blame b;

	assert_int_equal(findings_removed_by(f, x, at, &b), known);
	if (known && !str_eq(b.manager, str_from(by)))
		fail_msg("%.*s instead of %s", STR_ARG(b.manager), by);
}

/* By where the field was: a path that hides a key has the text of another. */
static void test_removals(void **state)
{
	struct findings_set *x = *state;
	const struct blame forger = { STR("a\tb\nspec.kept\tsomebody"), STR("Update"), STR(""), STR("") };
	const struct finding_path paths[] = {
		{ .path = STR("spec.gone"), .gone = true, .at = at_gone, .removed_by = by_kubectl },
		{ .path = STR("spec.unknown"), .gone = true, .at = at_unknown },
		{ .path = STR("spec.kept") },
		{ .path = STR("spec.forged"), .gone = true, .at = at_forged, .removed_by = forger },
		{ .path = STR("data[\"***\"]"), .gone = true, .at = at_one, .removed_by = by_kubectl },
		{ .path = STR("data[\"***\"]"), .gone = true, .at = at_other, .removed_by = by_helm },
	};
	struct finding_report r = drift("prod", "web", "a");
	const struct finding *f;
	struct blame b;

	r.paths = paths;
	r.n_paths = ARRAY_LEN(paths);
	report(x->findings, &r);
	f = findings_get(x->findings, r.kind, &r.subject);
	assert_true(findings_removed_by(x->findings, f, at_gone, &b));
	assert_true(str_eq(b.manager, by_kubectl.manager) && str_eq(b.operation, by_kubectl.operation) &&
		    !b.subresource.n && str_eq(b.time, by_kubectl.time));
	expect_removed(x->findings, f, at_unknown, true, "");
	expect_removed(x->findings, f, at_kept, false, "");
	expect_removed(x->findings, f, at_forged, true, "");
	expect_removed(x->findings, f, at_one, true, "kubectl");
	expect_removed(x->findings, f, at_other, true, "helm");
	assert_true(str_find(f->removals, STR("token")) < 0);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
}

/* Over a restart with the same key, another and none; and as an older driftd kept them, by their texts. */
static void test_removals_that_are_restored(void **state)
{
	static const struct {
		const char *removals; /* of an older driftd; NULL: of this one */
		unsigned char key, old_key;
		bool known, other_known;
		const char *by, *other_by;
	} cases[] = {
		{ NULL, 1, 0, true, false, "kubectl", "" },
		{ NULL, 2, 1, true, false, "kubectl", "" },
		{ "spec.gone\tkubectl\tUpdate\t\t\nspec.unknown\t\t\t\t\n", 1, 0, true, false, "kubectl", "" },
		{ "spec.gone\tkubectl\tUpdate\t\t\ndata[\"***\"]\thelm\tApply\t\t\n", 1, 0, true, true, "kubectl", "" },
	};
	struct findings_set *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct finding_path path = {
			.path = STR("spec.gone"), .gone = true, .at = at_gone, .removed_by = by_kubectl
		};
		unsigned char key[FINDINGS_KEY_SIZE] = { 1 };
		struct finding_report r = drift("prod", "web", "a");
		CLEANUP(findings_freep) struct findings *before = NULL, *after = NULL;
		struct finding stored;
		const struct finding *f;
		struct err err;

		r.paths = &path;
		r.n_paths = 1;
		assert_int_equal(findings_new(x->sink, &before, &err), 0);
		findings_set_key(before, key);
		report(before, &r);
		doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
		stored = *findings_get(before, r.kind, &r.subject);
		if (cases[i].removals)
			stored.removals = str_from(cases[i].removals);
		assert_int_equal(findings_new(x->sink, &after, &err), 0);
		key[0] = cases[i].old_key;
		if (cases[i].old_key)
			assert_int_equal(findings_add_old_key(after, key, &err), 0);
		key[0] = cases[i].key;
		findings_set_key(after, key);
		assert_int_equal(findings_restore(after, &stored, &err), 0);
		f = findings_get(after, r.kind, &r.subject);
		expect_removed(after, f, at_gone, cases[i].known, cases[i].by);
		expect_removed(after, f, at_other, cases[i].other_known, cases[i].other_by);
		findings_forget_states(after);
		expect_removed(after, f, at_gone, true, "");
	}
}

/* ---- flapping ---- */

#define WINDOW_NS (600 * UINT64_C(1000000000))

/* Begins and ends it @n times; the records go nowhere. */
static void toggle(struct findings_set *x, struct findings *f, struct finding_report *r, int n)
{
	for (int i = 0; i < n; i++) {
		report(f, r);
		findings_clear(f, r->kind, &r->subject, END_REPAIRED);
	}
	for (struct doc *d; (d = capture_next(&x->capture));)
		doc_unref(d);
}

static void assert_flapping(const struct doc *d, const char *how, const char *changes)
{
	assert_string_equal(field(d, "DRIFTD_FLAPPING"), how);
	assert_string_equal(field(d, "DRIFTD_FLAPPING_CHANGES"), changes);
}

static void test_flaps_until_quiet(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	const struct finding_counters *counters = findings_counters(x->findings, STR("prod"));
	CLEANUP(doc_unrefp) struct doc *begin = NULL, *end = NULL;
	char id[FINDING_ID_SIZE];

	findings_set_flapping(x->findings, 5, WINDOW_NS);
	toggle(x, x->findings, &r, 2);
	report(x->findings, &r); /* the fifth change */
	begin = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_flapping(begin, "begin", "5");
	assert_string_equal(field(begin, "MESSAGE"),
			    "drift begins: a (warning); flapping: 5 changes, reported again when "
			    "quiet for 10 min 0 s");
	memcpy(id, field(begin, "DRIFTD_DRIFT_ID"), sizeof(id));
	findings_clear(x->findings, r.kind, &r.subject, END_REPAIRED);
	assert_int_equal(findings_open(counters, FINDING_DRIFT), 0); /* gauges tell what is */
	report_state(x->findings, &r, "b");
	assert_int_equal(findings_open(counters, FINDING_DRIFT), 1);
	assert_int_equal(counters->flapping, 1);
	findings_clear(x->findings, r.kind, &r.subject, END_RULE_GONE);
	expect_none(x);
	assert_int_equal(counters->flaps, 3);
	findings_tick(x->findings, uv_hrtime() + WINDOW_NS / 2);
	expect_none(x);
	findings_tick(x->findings, uv_hrtime() + WINDOW_NS);
	end = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(end, "DRIFTD_DRIFT_ID"), id);
	assert_string_equal(field(end, "DRIFTD_END_REASON"), "the rule is gone");
	assert_flapping(end, "end", "8");
	assert_int_equal(counters->flapping, 0);
	report(x->findings, &r);
	assert_int_equal(findings_open(counters, FINDING_DRIFT), 1);
}

/* What is open when it becomes quiet is told as it is then, and changes are told one by one again. */
static void test_flaps_and_stays(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	CLEANUP(doc_unrefp) struct doc *begin = NULL, *change = NULL;
	char id[FINDING_ID_SIZE];

	findings_set_flapping(x->findings, 5, WINDOW_NS);
	toggle(x, x->findings, &r, 2);
	report(x->findings, &r);
	begin = expect(x, MESSAGE_DRIFT_BEGIN);
	memcpy(id, field(begin, "DRIFTD_DRIFT_ID"), sizeof(id));
	report_state(x->findings, &r, "b");
	expect_none(x);
	findings_tick(x->findings, uv_hrtime() + WINDOW_NS);
	change = expect(x, MESSAGE_DRIFT_CHANGE);
	assert_flapping(change, "end", "6");
	assert_string_equal(field(change, "MESSAGE"), "drift changes: b (warning); quiet again: 6 changes");
	assert_string_equal(field(change, "DRIFTD_DRIFT_ID"), id);
	findings_clear(x->findings, r.kind, &r.subject, END_REPAIRED);
	doc_unref(expect(x, MESSAGE_DRIFT_END));
}

/* What flaps hides nothing worse, and nothing elsewhere in the object. */
static void test_flapping_hides_no_news(void **state)
{
	struct findings_set *x = *state;
	const struct finding_path here = { .path = STR("spec.replicas"), .expected = STR("3"), .actual = STR("5") };
	const struct finding_path there = { .path = STR("spec.image"), .expected = STR("a"), .actual = STR("b") };
	struct finding_report r = drift("prod", "web", "a");
	CLEANUP(doc_unrefp) struct doc *path = NULL, *worse = NULL;

	r.paths = &here;
	r.n_paths = r.n_paths_total = 1;
	findings_set_flapping(x->findings, 5, WINDOW_NS);
	toggle(x, x->findings, &r, 2);
	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	report_state(x->findings, &r, "b");
	expect_none(x);
	r.paths = &there;
	report_state(x->findings, &r, "c");
	path = expect(x, MESSAGE_DRIFT_CHANGE);
	assert_flapping(path, "change", "7");
	r.severity = SEVERITY_CRITICAL;
	report_state(x->findings, &r, "d");
	worse = expect(x, MESSAGE_DRIFT_CHANGE);
	assert_flapping(worse, "change", "8");
	assert_string_equal(field(worse, "PRIORITY"), "2");
	report_state(x->findings, &r, "e");
	expect_none(x);
}

/* A restart says nothing, and forgets neither that it flaps nor that it is not open. */
static void test_flaps_over_a_restart(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	struct findings *again = NULL;
	CLEANUP(doc_unrefp) struct doc *end = NULL;
	struct finding stored;
	struct err err;
	size_t at = 0;

	findings_set_flapping(x->findings, 5, WINDOW_NS);
	toggle(x, x->findings, &r, 2);
	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	stored = *findings_each(x->findings, &at);
	stored.dormant = true;
	assert_int_equal(findings_new(x->sink, &again, &err), 0);
	assert_int_equal(findings_restore(again, &stored, &err), 0);
	findings_set_flapping(again, 5, WINDOW_NS);
	assert_null(findings_get(again, r.kind, &r.subject));
	report(again, &r);
	expect_none(x);
	assert_string_equal(findings_get(again, r.kind, &r.subject)->id, stored.id);
	findings_clear(again, r.kind, &r.subject, END_REPAIRED);
	findings_tick(again, uv_hrtime() + WINDOW_NS);
	end = expect(x, MESSAGE_DRIFT_END);
	assert_flapping(end, "end", "7");
	findings_free(again);
}

/* One that is dormant goes to its shard, too: for the other it begins anew. */
static void test_dormant_ones_of_other_shards(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	struct finding stored;
	int kept = 0;
	size_t at = 0;

	report(x->findings, &r);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	stored = *findings_each(x->findings, &at);
	stored.dormant = true;
	stored.flaps = 6;
	for (unsigned i = 0; i < 2; i++) {
		struct findings *again = NULL;
		struct doc *begin;
		struct err err;

		assert_int_equal(findings_new(x->sink, &again, &err), 0);
		assert_int_equal(findings_restore(again, &stored, &err), 0);
		findings_drop_foreign(again, (struct shard){ i, 2 });
		report(again, &r);
		begin = capture_next(&x->capture);
		assert_int_equal(strcmp(findings_get(again, r.kind, &r.subject)->id, stored.id) == 0, !begin);
		kept += !begin;
		doc_unref(begin);
		findings_free(again);
	}
	assert_int_equal(kept, 1);
}

static void test_what_does_not_flap(void **state)
{
	struct findings_set *x = *state;
	struct finding_report gap = drift("prod", "web", "a"), held = drift("prod", "other", "a"),
			      r = drift("prod", "late", "a");
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	findings_set_flapping(x->findings, 5, WINDOW_NS);
	gap.kind = FINDING_GAP;
	held.hold_ns = INT64_MAX / 2; /* nothing lasts that long */
	toggle(x, x->findings, &gap, 10);
	toggle(x, x->findings, &held, 10);
	report(x->findings, &gap);
	report(x->findings, &held);
	doc_unref(expect(x, MESSAGE_GAP_BEGIN));
	d = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_false(val_exists(VAL_GET(d->root, "DRIFTD_FLAPPING")));
	assert_int_equal(findings_counters(x->findings, STR("prod"))->flapping, 0);
	findings_set_flapping(x->findings, 0, WINDOW_NS);
	toggle(x, x->findings, &r, 10);
	assert_int_equal(findings_counters(x->findings, STR("prod"))->flapping, 0);
}

static bool nothing(void *ctx, str cluster)
{
	(void)ctx;
	(void)cluster;
	return false;
}

/* What is not configured any more has no time to become quiet. */
static void test_flapping_unwatched(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a"), other = drift("prod", "other", "a");

	findings_set_flapping(x->findings, 5, WINDOW_NS);
	toggle(x, x->findings, &r, 3);
	toggle(x, x->findings, &other, 2);
	report(x->findings, &other);
	doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	assert_true(findings_end_unwatched(x->findings, nothing, NULL));
	doc_unref(expect(x, MESSAGE_DRIFT_END));
	doc_unref(expect(x, MESSAGE_DRIFT_END));
	expect_none(x);
	assert_int_equal(findings_counters(x->findings, STR("prod"))->flapping, 0);
}

/* What the only finding has, as "actions|template|summary|whether it has places". */
static const char *facts_of(struct findings *f)
{
	static char text[256];
	size_t at = 0;
	const struct finding *y = findings_each(f, &at);

	assert_non_null(y);
	(void)snprintf(text, sizeof(text), "%.*s|%.*s|%.*s|%s", STR_ARG(y->actions), STR_ARG(y->subject.template_path),
		       STR_ARG(y->summary), y->places.n ? "places" : "");
	return text;
}

/* What changes without a transition is taken over in silence: what a rule does, and the template. What an older driftd
 * did not keep is taken once. */
static void test_what_changes_in_silence(void **state)
{
	static const struct finding_rule rules[] = { { .action = STR("page") }, { .action = STR("mail") } };
	static const struct path_segment a = { .kind = PATH_KEY, .text = STR("a") };
	static const struct finding_path paths[] = { { .path = STR("a"), .place = { &a, 1 } } };
	static const struct {
		size_t from, n_rules, n_paths;
		str template, summary;
		const char *facts;
	} reports[] = {
		{ 0, 0, 0, STR(""), STR(""), "|||" },
		{ 0, 0, 0, STR(""), STR("one"), "||one|" },
		{ 0, 0, 0, STR(""), STR("two"), "||one|" },
		{ 0, 0, 0, STR(""), STR(""), "||one|" },
		{ 0, 2, 0, STR(""), STR(""), "page\nmail||one|" },
		{ 1, 1, 0, STR("t.yaml"), STR(""), "mail|t.yaml|one|" },
		{ 0, 0, 1, STR("u.yaml"), STR("two"), "|u.yaml|one|places" },
		{ 0, 0, 0, STR("u.yaml"), STR("two"), "|u.yaml|one|places" },
	};
	struct findings_set *x = *state;
	CLEANUP(doc_unrefp) struct doc *begin = NULL;
	struct finding_report r = drift("prod", "web", "what");

	for (size_t i = 0; i < ARRAY_LEN(reports); i++) {
		r.rules = &rules[reports[i].from];
		r.n_rules = reports[i].n_rules;
		r.paths = paths;
		r.n_paths = r.n_paths_total = reports[i].n_paths;
		r.subject.template_path = reports[i].template;
		r.summary = reports[i].summary;
		report(x->findings, &r);
		if (i == 0)
			begin = expect(x, MESSAGE_DRIFT_BEGIN);
		assert_string_equal(facts_of(x->findings), reports[i].facts);
		expect_none(x);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup_captured_findings, teardown_findings)

/* Deleted and made again while nobody looked: the name is the same, the object is another. */
static void test_another_object_of_the_name(void **state)
{
	struct findings_set *x = *state;
	struct finding_report r = drift("prod", "web", "a");
	CLEANUP(doc_unrefp) struct doc *begin = NULL, *end = NULL, *again = NULL, *last = NULL;

	r.subject.uid = STR("1");
	report(x->findings, &r);
	begin = expect(x, MESSAGE_DRIFT_BEGIN);
	findings_unconfirm(x->findings, STR("prod"));
	r.subject.uid = STR("2");
	report(x->findings, &r);
	end = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(end, "DRIFTD_END_REASON"), "object deleted");
	assert_string_equal(field(end, "DRIFTD_UID"), "1");
	again = expect(x, MESSAGE_DRIFT_BEGIN);
	assert_string_equal(field(again, "DRIFTD_UID"), "2");
	r.subject.uid = STR("3");
	findings_clear(x->findings, FINDING_DRIFT, &r.subject, END_REPAIRED);
	last = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(last, "DRIFTD_END_REASON"), "object deleted");
	expect_none(x);
}

static bool is_test(void *ctx, str cluster)
{
	(void)ctx;
	return str_eq(cluster, STR("test"));
}

static void test_findings_of_removed_clusters_end(void **state)
{
	struct findings_set *x = *state;
	struct finding_report gone = drift("prod", "web", "a"), stays = drift("test", "web", "a");
	struct doc *d;

	report(x->findings, &gone);
	report(x->findings, &stays);
	for (int i = 0; i < 2; i++)
		doc_unref(expect(x, MESSAGE_DRIFT_BEGIN));
	assert_true(findings_end_unwatched(x->findings, is_test, NULL));
	d = expect(x, MESSAGE_DRIFT_END);
	assert_string_equal(field(d, "DRIFTD_CLUSTER"), "prod");
	assert_string_equal(field(d, "DRIFTD_END_REASON"), "the cluster is no longer configured");
	doc_unref(d);
	expect_none(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_another_object_of_the_name),
		TEST(test_findings_of_removed_clusters_end),
		TEST(test_what_changes_in_silence),
		TEST(test_dormant_ones_of_other_shards),
		TEST(test_begin_change_end),
		TEST(test_a_change_of_severity_alone_is_one),
		TEST(test_each_kind_has_its_records),
		TEST(test_sweep_ends_what_was_not_seen_again),
		TEST(test_a_finding_that_was_never_reported_is_reported_when_it_changes),
		TEST(test_span),
		TEST(test_removals),
		TEST(test_removals_that_are_restored),
		TEST(test_flaps_until_quiet),
		TEST(test_flaps_and_stays),
		TEST(test_flapping_hides_no_news),
		TEST(test_flaps_over_a_restart),
		TEST(test_what_does_not_flap),
		TEST(test_flapping_unwatched),
		TEST(test_restored_findings_are_silent),
		TEST(test_hashes_of_states_are_keyed),
		TEST(test_states_of_old_keys_are_known),
		TEST(test_hostile_texts_stay_in_their_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
