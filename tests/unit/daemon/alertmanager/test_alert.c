/* Findings as alerts: labels, texts with values and without, times. */
#include "daemon/alertmanager/alert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef"

static const struct cfg_label labels[] = { { { "job", 3 }, { "drift", 5 } }, { { "team", 4 }, { "web", 3 } } };
static const struct cfg_alertmanager plain = { .min_severity = SEVERITY_INFO };
static const struct cfg_alertmanager full = { .min_severity = SEVERITY_WARNING,
					      .labels = labels,
					      .n_labels = 2,
					      .values = true,
					      .page_url = { "https://d.example.com", 21 } };

#define DRIFT                                                                                                          \
	{                                                                                                              \
		.kind = FINDING_DRIFT, .severity = SEVERITY_WARNING, .id = ID, .first_seen_usec = 1700000000000000,    \
		.subject = { .cluster = STR("c1"),                                                                     \
			     .reference = STR("base"),                                                                 \
			     .component = STR("web"),                                                                  \
			     .kind = STR("Deployment"),                                                                \
			     .namespace = STR("prod"),                                                                 \
			     .name = STR("web") },                                                                     \
		.summary = STR("spec.replicas 3 -> 5"), .paths = STR("spec.replicas\nspec.paused"),                    \
		.manager = STR("kubectl-scale"),                                                                       \
	}

struct alert_case {
	const struct cfg_alertmanager *from;
	struct finding is;
	const char *labels, *annotations;
};

static const struct alert_case cases[] = {
	{ &plain, DRIFT,
	  "{\"alertname\":\"DriftdDrift\",\"job\":\"driftd\",\"cluster\":\"c1\",\"namespace\":\"prod\",\"kind\":"
	  "\"Deployment\",\"name\":\"web\",\"reference\":\"base\",\"component\":\"web\",\"severity\":\"warning\","
	  "\"type\":\"drift\",\"drift_id\":\"" ID "\",\"cause\":\"c\"}",
	  "\"annotations\":{\"summary\":\"Deployment prod/web differs from its reference\",\"message\":\"Deployment "
	  "prod/web of cluster c1 differs from its reference in spec.replicas, spec.paused\",\"fields\":"
	  "\"spec.replicas, spec.paused\",\"writer\":\"kubectl-scale\",\"since\":\"2023-11-14T22:13:20Z\","
	  "\"driftd\":\"o\"}" },
	{ &full, DRIFT,
	  "{\"alertname\":\"DriftdDrift\",\"job\":\"drift\",\"team\":\"web\",\"cluster\":\"c1\",\"namespace\":"
	  "\"prod\",\"kind\":\"Deployment\",\"name\":\"web\",\"reference\":\"base\",\"component\":\"web\","
	  "\"severity\":\"warning\",\"type\":\"drift\",\"drift_id\":\"" ID "\",\"cause\":\"c\"}",
	  "\"annotations\":{\"summary\":\"Deployment prod/web differs from its reference\",\"message\":\"Deployment "
	  "prod/web of cluster c1 differs from its reference: spec.replicas 3 → 5\",\"fields\":\"spec.replicas, "
	  "spec.paused\",\"writer\":\"kubectl-scale\",\"since\":\"2023-11-14T22:13:20Z\",\"link\":"
	  "\"https://d.example.com/findings/" ID
	  "\",\"runbook_url\":\"https://d.example.com/runbook#driftdwarningdrift\","
	  "\"driftd\":\"o\"},\"generatorURL\":\"https://d.example.com/findings/" ID "\"" },
	{ &plain,
	  { .kind = FINDING_GAP,
	    .severity = SEVERITY_ERROR,
	    .id = ID,
	    .subject = { .cluster = STR("c1"), .resource = STR("pods") },
	    .summary = STR("cannot be listed: <!channel>") },
	  "{\"alertname\":\"DriftdGap\",\"job\":\"driftd\",\"cluster\":\"c1\",\"kind\":\"pods\",\"severity\":"
	  "\"error\",\"type\":\"gap\",\"drift_id\":\"" ID "\",\"cause\":\"c\"}",
	  "\"annotations\":{\"summary\":\"pods of cluster c1 cannot be watched\",\"message\":\"pods of cluster c1 "
	  "cannot be watched: cannot be listed: ‹!channel›\",\"driftd\":\"o\"}" },
	{ &plain,
	  { .kind = FINDING_COMPONENT,
	    .severity = SEVERITY_CRITICAL,
	    .id = ID,
	    .subject = { .cluster = STR("c1"), .reference = STR("base"), .component = STR("web") },
	    .summary = STR("Deployment prod/web is missing") },
	  "{\"alertname\":\"DriftdComponent\",\"job\":\"driftd\",\"cluster\":\"c1\",\"reference\":\"base\","
	  "\"component\":\"web\",\"severity\":\"critical\",\"type\":\"component\",\"drift_id\":\"" ID "\",\"cause\":"
	  "\"c\"}",
	  "\"annotations\":{\"summary\":\"component web of base is not satisfied\",\"message\":\"component web of "
	  "base is not satisfied: Deployment prod/web is missing\",\"driftd\":\"o\"}" },
	{ &plain,
	  { .kind = FINDING_VALIDATION,
	    .severity = SEVERITY_WARNING,
	    .id = ID,
	    .subject = { .cluster = STR("c1"),
			 .kind = STR("Widget"),
			 .name = STR("<img src=x>"),
			 .rule = STR("self.a < 3") },
	    .summary = STR("the secret value 12 is too large") },
	  "{\"alertname\":\"DriftdValidation\",\"job\":\"driftd\",\"cluster\":\"c1\",\"kind\":\"Widget\",\"name\":"
	  "\"‹img src=x›\",\"severity\":\"warning\",\"type\":\"validation\",\"drift_id\":\"" ID "\",\"cause\":\"c\"}",
	  "\"annotations\":{\"summary\":\"Widget ‹img src=x› does not pass a rule\",\"message\":\"Widget ‹img src=x› "
	  "of cluster c1 does not pass a rule\",\"driftd\":\"o\"}" },
};

static void test_alerts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

		assert_true(alert_is_wanted(cases[i].from, &cases[i].is, 1));
		(void)alert_add_labels(cases[i].from, &cases[i].is, "c", &out);
		assert_string_equal(out.p, cases[i].labels);
		buf_clear(&out);
		buf_add_byte(&out, '{');
		alert_add_annotations(cases[i].from, &cases[i].is, "o", &out);
		assert_string_equal(out.p + 1, cases[i].annotations);
	}
}

static void test_wanted(void **state)
{
	struct finding x = DRIFT;

	(void)state;
	x.reported_from_ns = 10;
	assert_false(alert_is_wanted(&plain, &x, 9));
	assert_true(alert_is_wanted(&plain, &x, 10));
	x.dormant = true;
	assert_false(alert_is_wanted(&plain, &x, 10));
	x.dormant = false;
	x.severity = SEVERITY_NOTICE;
	assert_false(alert_is_wanted(&full, &x, 10));
	assert_true(alert_is_wanted(&plain, &x, 10));
	x.kind = FINDING_ACCEPTED;
	assert_false(alert_is_wanted(&plain, &x, 10));
}

/* What Alertmanager refuses is a start behind the end. */
static void test_times(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1024);

	(void)state;
	alert_add_times(1700000000000000, 1700000900500000, &out);
	assert_string_equal(out.p, "\"startsAt\":\"2023-11-14T22:13:20Z\",\"endsAt\":\"2023-11-14T22:28:20.5Z\"");
	buf_clear(&out);
	alert_add_times(1700000001000000, 1700000000000000, &out);
	assert_string_equal(out.p, "\"startsAt\":\"2023-11-14T22:13:20Z\",\"endsAt\":\"2023-11-14T22:13:20Z\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_alerts), cmocka_unit_test(test_wanted),
					    cmocka_unit_test(test_times) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
