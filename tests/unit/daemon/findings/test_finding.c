/* What tells findings apart and together: their types, keys, paths and actions; and one that is at another place. */
#include "daemon/findings/findings.h"
#include "daemon/findings/runbook.h"

#include "support/capture.h"
#include "support/direct_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void types(void **state)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_DRIFT] = "drift",           [FINDING_COMPONENT] = "component",
		[FINDING_ERROR] = "error",           [FINDING_GAP] = "gap",
		[FINDING_VALIDATION] = "validation", [FINDING_ACCEPTED] = "accepted",
		[FINDING_INSPECTION] = "inspection",
	};
	static const char *const none[] = { "", "Drift", "drif", "drifts", "7", "-" };
	enum finding_kind kind;

	(void)state;
	for (int i = 0; i < FINDING_KINDS; i++) {
		kind = FINDING_KINDS;
		assert_string_equal(finding_type((enum finding_kind)i), names[i]);
		assert_true(finding_type_parse(str_from(names[i]), &kind));
		assert_int_equal(kind, i);
	}
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		assert_false(finding_type_parse(str_from(none[i]), &kind));
}

/* Which of its texts make two of one kind two findings. */
static void keys(void **state)
{
	static const struct {
		enum finding_kind kind;
		const char *of; /* letters of the texts below */
	} cases[] = {
		{ FINDING_DRIFT, "crvkmnopus" },      { FINDING_ERROR, "crvkmnopus" },
		{ FINDING_VALIDATION, "crvkmnopus" }, { FINDING_COMPONENT, "crPCs" },
		{ FINDING_GAP, "crvkmnopus" },        { FINDING_INSPECTION, "crvkmns" },
		{ FINDING_ACCEPTED, "crvkmnopuas" },
	};
	static const struct finding_subject object = { .cluster = { "c", 1 }, .kind = { "K", 1 }, .name = { "n", 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct finding_subject s = object;
		const struct {
			char letter;
			str *text;
		} texts[] = { { 'c', &s.cluster },      { 'r', &s.reference }, { 'v', &s.api_version },
			      { 'k', &s.kind },         { 'm', &s.namespace }, { 'n', &s.name },
			      { 'o', &s.rule_source },  { 'p', &s.rule_path }, { 'u', &s.rule },
			      { 'P', &s.part },         { 'C', &s.component }, { 'a', &s.acceptance },
			      { 's', &s.shard },        { 'i', &s.uid },       { 'R', &s.resource },
			      { 'T', &s.template_path } };
		CLEANUP(buf_done) struct buf first = BUF_INIT(4096);
		const char *of = cases[i].of;

		finding_key(cases[i].kind, &s, &first);
		for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
			CLEANUP(buf_done) struct buf other = BUF_INIT(4096);
			str before = *texts[k].text;
			bool is = strchr(of, texts[k].letter) != NULL;

			*texts[k].text = STR("other");
			finding_key(cases[i].kind, &s, &other);
			*texts[k].text = before;
			if (is == str_eq(buf_str(&other), buf_str(&first)))
				fail_msg("case %zu, text %c", i, texts[k].letter);
		}
	}
}

/* An acceptance without a kind is of a component. */
static void key_of_an_accepted_component(void **state)
{
	CLEANUP(buf_done) struct buf a = BUF_INIT(4096), b = BUF_INIT(4096), c = BUF_INIT(4096);
	struct finding_subject s = { .cluster = STR("c"), .part = STR("p"), .component = STR("q") };

	(void)state;
	finding_key(FINDING_ACCEPTED, &s, &a);
	s.name = STR("n");
	finding_key(FINDING_ACCEPTED, &s, &b);
	assert_true(str_eq(buf_str(&a), buf_str(&b)));
	s.component = STR("other");
	finding_key(FINDING_ACCEPTED, &s, &c);
	assert_false(str_eq(buf_str(&a), buf_str(&c)));
}

static void paths(void **state)
{
	static const struct {
		const char *has;
		const char *reported; /* with blanks between them */
		bool same;
	} cases[] = {
		{ "", "", true },      { "a", "a", true },   { "a\nb", "b a", true }, { "a\nb", "a", false },
		{ "a", "a b", false }, { "a", "b", false },  { "", "a", false },      { "a", "", false },
		{ "a\na", "a", true }, { "a", "a a", true }, { "ab", "a b", false },  { "a\nb\nc", "c a b", true }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct finding x = { .paths = str_from(cases[i].has) };
		struct finding_path *of = calloc(8, sizeof(*of)), *exact;
		str rest = str_from(cases[i].reported), one;
		size_t n = 0;
		struct finding_report r;

		while (rest.n && str_next_part(&rest, ' ', &one))
			of[n++].path = one;
		exact = memcpy(malloc(n * sizeof(*of) + !n), of, n * sizeof(*of)); /* what is read behind is noticed */
		r = (struct finding_report){ .paths = exact, .n_paths = n };
		if (finding_has_paths(&x, &r) != cases[i].same)
			fail_msg("'%s' and '%s'", cases[i].has, cases[i].reported);
		free(of);
		free(exact);
	}
	assert_true(finding_paths_have(STR("a\nb"), STR("b")));
	assert_false(finding_paths_have(STR("a\nb"), STR("")));
	assert_false(finding_paths_have(STR("a\nbc"), STR("b")));
	assert_false(finding_paths_have(STR(""), STR("b")));
}

static void actions(void **state)
{
	const struct finding_rule rules[] = {
		{ .action = STR("look") }, { .action = STR("") }, { .action = STR("call") }, { .action = STR("look") }
	};
	const struct finding_report r = { .rules = rules, .n_rules = ARRAY_LEN(rules) };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding x = { .actions = finding_join_actions(&r, &a) };

	(void)state;
	assert_true(str_eq(x.actions, STR("look\ncall")));
	assert_true(finding_has_action(&x, STR("look")) && finding_has_action(&x, STR("call")));
	assert_false(finding_has_action(&x, STR("loo")));
	x.actions = STR("");
	assert_false(finding_has_action(&x, STR("look")));
	assert_false(finding_has_action(&x, STR("")));
}

/* ---- at another place ---- */

static struct finding_subject subject_at(const char *path)
{
	return (struct finding_subject){ .cluster = STR("c"),
					 .kind = STR("K"),
					 .name = STR("n"),
					 .rule = STR("self"),
					 .rule_source = STR("file"),
					 .rule_path = str_from(path) };
}

static void report_at(struct findings *f, const char *path, const char *says)
{
	const struct finding_path paths[] = { { .path = str_from(says) } };
	const struct finding_report r = { .kind = FINDING_VALIDATION,
					  .severity = SEVERITY_WARNING,
					  .subject = subject_at(path),
					  .what = STR("w"),
					  .state = STR("s"),
					  .paths = paths,
					  .n_paths = 1,
					  .n_paths_total = 1 };
	struct err err;

	assert_int_equal(findings_report(f, &r, &err), 0);
}

static void moved(void **state)
{
	struct findings *f = NULL;
	struct finding_subject from = subject_at("a[0]"), other = subject_at("b"), to = subject_at("a[x]");
	struct sink *sink;
	struct capture capture;
	const struct finding *x;
	char id[FINDING_ID_SIZE];
	struct err err;

	(void)state;
	assert_true(capture_begin(&capture));
	sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(sink, &f, &err), 0);
	report_at(f, "a[0]", "a[0]");
	report_at(f, "b", "elsewhere");
	assert_int_equal(capture_count(&capture), 2);
	memcpy(id, findings_get(f, FINDING_VALIDATION, &from)->id, sizeof(id));
	assert_false(findings_move(f, FINDING_VALIDATION, &to, STR("c")));   /* there is none */
	assert_false(findings_move(f, FINDING_VALIDATION, &from, STR("b"))); /* there is one */
	assert_false(findings_move(f, FINDING_DRIFT, &from, STR("c")));
	assert_non_null(findings_get(f, FINDING_VALIDATION, &from));
	assert_true(findings_move(f, FINDING_VALIDATION, &from, STR("a[x]")));
	assert_int_equal(capture_count(&capture), 0);
	assert_null(findings_get(f, FINDING_VALIDATION, &from));
	x = findings_get(f, FINDING_VALIDATION, &to);
	assert_non_null(x);
	assert_string_equal(x->id, id);
	assert_true(str_eq(x->paths, STR("a[x]")));
	assert_int_equal(findings_open(findings_counters(f, STR("c")), FINDING_VALIDATION), 2);
	assert_true(findings_move(f, FINDING_VALIDATION, &other, STR("d")));
	other = subject_at("d");
	assert_true(str_eq(findings_get(f, FINDING_VALIDATION, &other)->paths, STR("elsewhere")));
	findings_clear(f, FINDING_VALIDATION, &to, END_REPAIRED);
	findings_clear(f, FINDING_VALIDATION, &other, END_REPAIRED);
	assert_int_equal(capture_count(&capture), 2);
	assert_int_equal(findings_open(findings_counters(f, STR("c")), FINDING_VALIDATION), 0);
	findings_free(f);
	sink_free(sink);
	capture_end(&capture);
}

/* ---- under another name ---- */

/* Findings of cluster "c" are of @ctx from now on. */
static bool to_cluster(void *ctx, struct finding *copy)
{
	if (!str_eq(copy->subject.cluster, STR("c")))
		return false;
	copy->subject.cluster = str_from(ctx);
	return true;
}

static size_t readdress_all(struct findings *f, char *cluster)
{
	struct findings_readdressing r = { 0 };

	while (findings_readdress(f, &r, to_cluster, cluster)) {
	}
	return r.moved;
}

static void readdressed(void **state)
{
	struct finding_subject at[] = { subject_at("a"), subject_at("b"), subject_at("c") };
	char ids[ARRAY_LEN(at)][FINDING_ID_SIZE];
	struct findings *f = NULL;
	struct findings_scan scan;
	struct capture capture;
	const struct finding *x;
	struct sink *sink;
	struct err err;
	size_t n = 0;

	(void)state;
	assert_true(capture_begin(&capture));
	sink = sink_new_direct(CFG_OUTPUT_JSON);
	assert_int_equal(findings_new(sink, &f, &err), 0);
	assert_int_equal(readdress_all(f, (char[]){ "d" }), 0);
	findings_set_flapping(f, 2, UINT64_C(3600000000000));
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		report_at(f, at[i].rule_path.p, "x");
	for (int i = 0; i < 3; i++) { /* "b" flaps, and is dormant then; "c" flaps, and is open */
		findings_clear(f, FINDING_VALIDATION, &at[1], END_REPAIRED);
		report_at(f, "b", "x");
		findings_clear(f, FINDING_VALIDATION, &at[2], END_REPAIRED);
		report_at(f, "c", "x");
	}
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		memcpy(ids[i], findings_get(f, FINDING_VALIDATION, &at[i])->id, sizeof(ids[i]));
	findings_clear(f, FINDING_VALIDATION, &at[1], END_REPAIRED);
	assert_int_equal(findings_counters(f, STR("c"))->flapping, 2);
	(void)capture_count(&capture);

	findings_scan_begin(f, &scan);
	assert_int_equal(readdress_all(f, (char[]){ "d" }), 3);
	while (findings_scan_next(&scan))
		n++;
	findings_scan_end(&scan);
	assert_int_equal(n, 2);
	assert_int_equal(capture_count(&capture), 0); /* no record */
	assert_int_equal(findings_open(findings_counters(f, STR("c")), FINDING_VALIDATION), 0);
	assert_int_equal(findings_open(findings_counters(f, STR("d")), FINDING_VALIDATION), 2);
	assert_int_equal(findings_counters(f, STR("c"))->flapping, 0);
	assert_int_equal(findings_counters(f, STR("d"))->flapping, 2);
	for (size_t i = 0; i < ARRAY_LEN(at); i++) {
		assert_null(findings_get(f, FINDING_VALIDATION, &at[i]));
		at[i].cluster = STR("d");
	}
	findings_clear(f, FINDING_VALIDATION, &at[0], END_REPAIRED);
	assert_int_equal(capture_count(&capture), 1);
	x = findings_get(f, FINDING_VALIDATION, &at[2]);
	assert_true(x && strcmp(x->id, ids[2]) == 0);
	assert_null(findings_get(f, FINDING_VALIDATION, &at[1])); /* dormant there as well */

	/* A place that is taken: it stays. */
	report_at(f, "c", "x");
	assert_int_equal(readdress_all(f, (char[]){ "d" }), 0);
	at[2].cluster = STR("c");
	assert_non_null(findings_get(f, FINDING_VALIDATION, &at[2]));
	findings_free(f);
	sink_free(sink);
	capture_end(&capture);
}

/* As GitHub makes the anchors of docs/guide/runbook.md. */
static void runbook(void **state)
{
	CLEANUP(buf_done) struct buf address = BUF_INIT(100);

	(void)state;
	runbook_address("Accepted deviations", &address);
	assert_true(str_eq(buf_str(&address), STR("/runbook#accepted-deviations")));
	buf_clear(&address);
	runbook_address("DriftdAZ", &address);
	assert_true(str_eq(buf_str(&address), STR("/runbook#driftdaz")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runbook), cmocka_unit_test(types),
		cmocka_unit_test(keys),    cmocka_unit_test(key_of_an_accepted_component),
		cmocka_unit_test(paths),   cmocka_unit_test(actions),
		cmocka_unit_test(moved),   cmocka_unit_test(readdressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
