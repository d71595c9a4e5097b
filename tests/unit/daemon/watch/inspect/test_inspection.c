/* Stories of inspection rules over a cluster: tests/data/watch/inspection/stories.yaml. */
#include "daemon/inspection/inspected.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/inspect/inspecting.h"

#include "support/capture.h"
#include "support/data_document.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DATA TEST_DATA "/watch/inspection"

static struct inspection_context inspection;
static str known; /* what was inspected in an earlier life */

static void use_rules(struct limits *limits, val list)
{
	struct problems problems = { 0 };
	struct insp_builtins b;
	struct err err;

	inspection_rules_clear(inspection.rules);
	if (insp_builtins_read(list, limits, &b, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	for (size_t i = 0; i < b.rules.n; i++)
		assert_int_equal(inspection_rules_put(inspection.rules, b.rules.p[i], STR("now"), STR("now"), &err), 0);
	b.rules.n = 0; /* they are taken over */
	insp_builtins_done(&b);
	problems_done(&problems);
}

static struct inspected *earlier(void *ctx, str cluster)
{
	struct inspected *s;
	struct err err;

	(void)ctx;
	assert_true(str_eq(cluster, STR("c")));
	assert_int_equal(inspected_new(known, &s, &err), 0);
	return s;
}

/* ---- what there is, and what is expected, as texts to compare ---- */

struct lines {
	VEC(char *) p;
};

static void add_line(struct lines *l, str text)
{
	char *line = str_dup(text);

	assert_non_null(line);
	assert_true(vec_push(&l->p, line));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines are gone then. */
static void write_lines(struct lines *l, const char *what, bool sorted, struct buf *out)
{
	if (sorted && l->p.n > 1)
		qsort(l->p.p, l->p.n, sizeof(*l->p.p), by_text);
	for (size_t i = 0; i < l->p.n; i++) {
		buf_printf(out, "%s %s\n", what, l->p.p[i]);
		free(l->p.p[i]);
	}
	vec_done(&l->p);
}

static void expect_list(val list, const char *what, bool sorted, struct buf *out)
{
	struct lines l = { 0 };

	for (uint32_t i = 0; i < val_count(list); i++)
		add_line(&l, val_str(val_at(list, i)));
	write_lines(&l, what, sorted, out);
}

static void expected(val step, struct buf *out)
{
	val drifts = VAL_GET(step, "drifts");

	expect_list(VAL_GET(step, "log"), "log", false, out);
	expect_list(VAL_GET(step, "records"), "record", false, out);
	expect_list(VAL_GET(step, "failures"), "failure", true, out);
	buf_printf(out, "drifts %d\n", val_exists(drifts) ? (int)drifts.i : 0);
}

/* The phase and the message that its last record had. */
static struct strmap reported; /* drift id -> char * */

static void note_failure(val record)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(1 << 20);
	void *old = NULL;

	buf_printf(&line, "%.*s: %.*s", STR_ARG(val_str(VAL_GET(record, "DRIFTD_PHASE"))),
		   STR_ARG(val_str(VAL_GET(record, "DRIFTD_MESSAGE_TEXT"))));
	assert_true(strmap_put(&reported, val_str(VAL_GET(record, "DRIFTD_DRIFT_ID")), str_dup(buf_str(&line)), &old));
	free(old);
}

static void actual_records(struct capture *c, bool listed, struct buf *out)
{
	struct lines log = { 0 }, records = { 0 };
	struct doc *d;

	for (; (d = capture_next(c)); doc_unref(d)) {
		str id = val_str(VAL_GET(d->root, "MESSAGE_ID"));

		if (str_eq(id, str_from(message_id(MESSAGE_INSPECTION_LOG))))
			add_line(&log, val_str(VAL_GET(d->root, "DRIFTD_MESSAGE_TEXT")));
		if (str_eq(id, str_from(message_id(MESSAGE_INSPECTION_BEGIN))) ||
		    str_eq(id, str_from(message_id(MESSAGE_INSPECTION_CHANGE))))
			note_failure(d->root);
		for (int m = MESSAGE_INSPECTION_BEGIN; listed && m <= MESSAGE_INSPECTION_END; m++) {
			if (str_eq(id, str_from(message_id((enum message)m))))
				add_line(&records, str_from(message_name((enum message)m)));
		}
	}
	write_lines(&log, "log", false, out);
	write_lines(&records, "record", false, out);
}

static void actual(struct watched *w, struct capture *c, bool listed, struct buf *out)
{
	struct lines failures = { 0 };
	const struct finding *x;
	size_t at = 0, drifts = 0;

	actual_records(c, listed, out);
	while ((x = findings_each(w->findings, &at))) {
		drifts += x->kind == FINDING_DRIFT;
		if (x->kind == FINDING_INSPECTION)
			add_line(&failures, str_from(strmap_get(&reported, str_from(x->id))));
	}
	write_lines(&failures, "failure", true, out);
	buf_printf(out, "drifts %zu\n", drifts);
}

/* ---- a story ---- */

static void report_event(struct watched *w, enum kc_event event, val object)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);
	struct err err;

	assert_int_equal(json_encode(object, JSON_PLAIN, NULL, &json, &err), 0);
	buf_add_byte(&json, '\0');
	watched_event(w, event, json.p);
}

/* Of an object that a new list lacks. */
static void report_absence(val object)
{
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(1024, 0);
	CLEANUP(freep) char *kind = str_dup(val_str(VAL_GET(object, "kind")));

	assert_non_null(doc);
	assert_non_null(kind);
	doc->root = val_copy(&doc->arena, NULL, object);
	assert_true(val_exists(doc->root));
	fake_absence(fake_watch(kind), doc);
}

/* Widget "a" has a text and names of fields that are much longer together, each with it, than an object may be. */
static void swell(struct watched *w)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);

	buf_add_cstr(&json,
		     "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"a\",\"uid\":\"u1\"},"
		     "\"spec\":{\"size\":1,\"items\":[\"b\"");
	for (int i = 0; i < 35; i++)
		buf_printf(&json, ",\"f%d\"", i);
	buf_printf(&json, "],\"text\":\"%0100000d\"}}", 0);
	assert_int_equal(json.error, 0);
	watched_event(w, KC_MODIFIED, json.p);
}

static void take_step(struct watched *w, val step)
{
	static const struct {
		const char *name;
		enum kc_event event;
	} events[] = {
		{ "listed", KC_LISTED }, { "added", KC_ADDED }, { "modified", KC_MODIFIED }, { "deleted", KC_DELETED }
	};
	str word = val_str(VAL_GET(step, "do"));

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		if (val_exists(val_get(step, str_from(events[i].name))))
			report_event(w, events[i].event, val_get(step, str_from(events[i].name)));
	}
	if (val_exists(VAL_GET(step, "missing")))
		report_absence(VAL_GET(step, "missing"));
	if (val_exists(VAL_GET(step, "rules")))
		use_rules(&w->limits, VAL_GET(step, "rules"));
	if (str_eq(word, STR("settle")))
		watched_settle(w);
	if (str_eq(word, STR("swell")))
		swell(w);
	if (str_eq(word, STR("tick")))
		cluster_tick(w->cluster);
	if (!str_eq(word, STR("wait")))
		watched_work(w);
}

static void forget_reported(void)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&reported, &at)))
		free(e->value);
	strmap_done(&reported);
	reported = (struct strmap){ 0 };
}

/* Text of a mistake; empty: there is none. */
static void report_story(val story, struct buf *mistake)
{
	val steps = VAL_GET(story, "steps"), with = VAL_GET(story, "with");
	const struct watch_inspector_maker inspects = inspecting_by(&inspection);
	struct limits limits = limits_of_a_loop();
	struct insp_builtins none = { 0 };
	struct capture c;
	struct watched w;
	char config[512];
	struct err err;

	known = val_str(VAL_GET(story, "inspected"));
	assert_int_equal(inspection_rules_new(&none, &inspection.rules, &err), 0);
	use_rules(&limits, VAL_GET(story, "rules"));
	assert_true(capture_begin(&c));
	(void)snprintf(config, sizeof(config), DATA "/%.*s.yaml", STR_ARG(with.n ? val_str(with) : STR("driftd")));
	watched_start_with(&w, config, &(struct cluster_context){ .inspection = &inspects, .inspected = earlier });
	inspection.sink = w.sink;
	for (uint32_t i = 0; i < val_count(steps) && !mistake->n; i++) {
		CLEANUP(buf_done) struct buf want = BUF_INIT(1 << 20), got = BUF_INIT(1 << 20);
		val step = val_at(steps, i);

		take_step(&w, step);
		expected(step, &want);
		actual(&w, &c, val_exists(VAL_GET(step, "records")), &got);
		if (!str_eq(buf_str(&want), buf_str(&got)))
			buf_printf(mistake, "step %u: expected\n%.*sgot\n%.*s", i + 1, STR_ARG(buf_str(&want)),
				   STR_ARG(buf_str(&got)));
	}
	watched_stop(&w);
	capture_end(&c);
	forget_reported();
	inspection_rules_free(inspection.rules);
}

static void test_stories(void **state)
{
	CLEANUP(doc_unrefp) struct doc *doc = data_document(DATA "/stories.yaml");

	(void)state;
	assert_non_null(doc);
	assert_true(val_count(doc->root) > 10);
	for (uint32_t i = 0; i < val_count(doc->root); i++) {
		CLEANUP(buf_done) struct buf mistake = BUF_INIT(1 << 20);
		val story = val_at(doc->root, i);

		report_story(story, &mistake);
		if (mistake.n)
			fail_msg("%.*s: %.*s", STR_ARG(val_str(VAL_GET(story, "name"))), STR_ARG(buf_str(&mistake)));
	}
}

/* Only then more objects are kept than those that a process reports. */
static void test_who_reads_dependents(void **state)
{
	static const struct {
		const char *rules;
		bool reads;
	} cases[] = {
		{ "[]", false },
		{ "[{\"actions\":[{\"op\":\"log\",\"args\":{\"msg\":\"{node.kind}\"}}]}]", false },
		{ "[{\"actions\":[{\"op\":\"log\",\"args\":{\"msg\":\"{port_groups.Pod[0].kind}\"}}]}]", true },
	};
	const struct watch_inspector_maker inspects = inspecting_by(&inspection);
	struct limits limits = limits_of_a_loop();
	struct insp_builtins none = { 0 };
	struct capture c;
	struct watched w;
	struct err err;

	(void)state;
	known = STR("");
	assert_int_equal(inspection_rules_new(&none, &inspection.rules, &err), 0);
	assert_true(capture_begin(&c));
	watched_start_with(&w, DATA "/driftd.yaml",
			   &(struct cluster_context){ .inspection = &inspects, .inspected = earlier });
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_options o = { .limits = &limits };
		CLEANUP(doc_unrefp) struct doc *rules = NULL;

		assert_int_equal(json_decode(str_from(cases[i].rules), &o, &rules, &err), 0);
		use_rules(&limits, rules->root);
		assert_int_equal(watch_inspector_reads_dependents(w.cluster->inspector), cases[i].reads);
	}
	watched_stop(&w);
	capture_end(&c);
	inspection_rules_free(inspection.rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stories),
					    cmocka_unit_test(test_who_reads_dependents) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
