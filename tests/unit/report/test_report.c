/* The forms of a report: one with everything in it. */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct ref_template t1 = { .path = { "b.yaml", 6 }, .description = { "two\nlines", 9 } };
static struct ref_template t2 = { .path = { "a.yaml", 6 } };
static struct ref_part part = { .name = { "P<1>", 4 } };
static struct ref_component all = { .name = { "C", 1 }, .group = REF_ALL_OF };
static struct ref_component one = { .name = { "B", 1 }, .group = REF_ONE_OF };

static void fill(struct report *r)
{
	static const struct ref_template *list[] = { &t1, &t2 };
	static struct component_verdict issues[2];
	static const str reasons[] = { { "why", 3 }, { "also", 4 } };
	static const struct report_diff diffs[] = {
		{ .output = { "-a\n+b\n", 6 },
		  .template = { "z.yaml", 6 },
		  .cr = { "v1_A_n", 6 },
		  .description = { "d", 1 } },
		{ .template = { "a.yaml", 6 },
		  .cr = { "v1_B_n", 6 },
		  .patched = { "o.yaml", 6 },
		  .reasons = reasons,
		  .n_reasons = 2 },
		{ .template = { "a.yaml", 6 }, .cr = { "v1_C_n", 6 } },
	};
	static const struct report_failure failures[] = {
		{ { "v1_F_n", 6 }, { "f.yaml", 6 }, { "broken \"x\"", 10 } }
	};
	static const struct report_unread unread[] = { { { "a<b.yaml", 8 }, { "no \"kind\"", 9 } } };
	static const str unmatched[] = { { "v1_U_n", 6 } }, referenced[] = { { "r.yaml", 6 } };

	issues[0] = (struct component_verdict){ &part, &all, COMPONENT_MISSING, list, 2, 2 };
	issues[1] = (struct component_verdict){ &part, &one, COMPONENT_TOO_MANY, list, 2, 0 };
	*r = (struct report){ .issues = issues,
			      .n_issues = 2,
			      .n_missing = 2,
			      .unmatched = unmatched,
			      .n_unmatched = 1,
			      .n_differing = 1,
			      .n_total = 4,
			      .n_patched = 1,
			      .hash = "abc",
			      .by_reference = referenced,
			      .n_by_reference = 1,
			      .diffs = diffs,
			      .n_diffs = 3,
			      .failures = failures,
			      .n_failures = 1,
			      .unread = unread,
			      .n_unread = 1 };
}

#define LINE "**********************************\n"

static const char text[] = LINE
	"\nCluster CR: v1_B_n\nReference File: a.yaml\nDiff Output: None\nPatched with o.yaml\nPatch Reasons:\n- "
	"why\n- also\n\n" LINE
	"\nCluster CR: v1_A_n\nReference File: z.yaml\nDescription:\n  d\nDiff Output: -a\n+b\n\n" LINE
	"\nSummary\nCRs with diffs: 1/4\nCRs in reference missing from the cluster: 2\nP<1>:\n  B:\n    Should only "
	"match one but matched:\n"
	"    - b.yaml\n    - a.yaml\n  C:\n    Missing CRs:\n    - b.yaml\n      Description:\n        two\n        "
	"lines\n    - a.yaml\n\n"
	"Warning: 1 resource(s) found via ownerReferences or RBAC subjects but contents not validated:\n  - r.yaml\n"
	"Cluster CRs unmatched to reference CRs: 1\n- v1_U_n\nCluster CRs that could not be compared: 1\n- "
	"v1_F_n\nInputs that could not be read: 1\n- a<b.yaml: no \"kind\"\nMetadata Hash: abc\n"
	"Cluster CRs with patches applied: 1\n";

static const char json[] = "{\"Summary\":{\"ValidationIssuses\":{\"P\\u003c1\\u003e\":{\"B\":{\"Msg\":\"Should only "
			   "match one but matched\",\"CRs\":"
			   "[\"b.yaml\",\"a.yaml\"]},\"C\":{\"Msg\":\"Missing "
			   "CRs\",\"CRs\":[\"b.yaml\",\"a.yaml\"],\"crMetadata\":{\"b.yaml\":"
			   "{\"description\":\"two\\nlines\"}}}}},\"NumMissing\":2,\"UnmatchedCRS\":[\"v1_U_n\"],"
			   "\"NumDiffCRs\":1,\"TotalCRs\":4,"
			   "\"MetadataHash\":\"abc\",\"patchedCRs\":1,\"matchedByReferenceOnly\":[\"r.yaml\"],"
			   "\"errors\":[{\"CRName\":\"v1_F_n\","
			   "\"CorrelatedTemplate\":\"f.yaml\",\"message\":\"broken "
			   "\\\"x\\\"\"},{\"Source\":\"a\\u003cb.yaml\",\"message\":\"no "
			   "\\\"kind\\\"\"}]},\"Diffs\":[{\"DiffOutput\":\"-a\\n+b\\n\","
			   "\"CorrelatedTemplate\":\"z.yaml\",\"CRName\":\"v1_A_n\",\"description\":\"d\"},{"
			   "\"DiffOutput\":\"\",\"CorrelatedTemplate\":"
			   "\"a.yaml\",\"CRName\":\"v1_B_n\",\"Patched\":\"o.yaml\",\"OverrideReason\":[\"why\","
			   "\"also\"]},{\"DiffOutput\":\"\","
			   "\"CorrelatedTemplate\":\"a.yaml\",\"CRName\":\"v1_C_n\"}],\"Warnings\":[{\"type\":"
			   "\"InferredResourcesNotValidated\",\"message\":"
			   "\"Resource(s) found via ownerReferences or RBAC subjects but contents not "
			   "validated\",\"resources\":[\"r.yaml\"]}]}\n";

static void test_text(void **state)
{
	struct buf out = BUF_INIT(1 << 20);
	struct report r;
	struct err err;

	(void)state;
	fill(&r);
	assert_int_equal(report_text(&r, false, &out, &err), 0);
	assert_string_equal(out.p, text);
	buf_clear(&out);
	assert_int_equal(report_text(&r, true, &out, &err), 0);
	assert_non_null(strstr(out.p, "Cluster CR: v1_C_n\nReference File: a.yaml\nDiff Output: None\n"));
	buf_done(&out);
}

static void test_json(void **state)
{
	struct buf out = BUF_INIT(1 << 20);
	struct report r;
	struct err err;

	(void)state;
	fill(&r);
	assert_int_equal(report_json(&r, &out, &err), 0);
	assert_string_equal(out.p, json);
	buf_clear(&out);
	assert_int_equal(report_yaml(&r, &out, &err), 0);
	assert_non_null(strstr(out.p, "  ValidationIssuses:\n    P<1>:\n      B:\n        CRs:\n        - b.yaml\n"));
	buf_done(&out);
}

static void test_junit(void **state)
{
	struct buf out = BUF_INIT(1 << 20);
	struct report r;
	struct err err;

	(void)state;
	fill(&r);
	assert_int_equal(report_junit(&r, 0, &out, &err), 0);
	assert_non_null(strstr(out.p, " tests=\"8\" failures=\"6\" errors=\"0\" skipped=\"1\" time=\"0\">"));
	assert_non_null(strstr(out.p, "type=\"Difference\">-a&#xA;+b&#xA;</failure>"));
	assert_non_null(strstr(out.p, "<skipped message=\"Patched with o.yaml; Reasons given: why, also\"></skipped>"));
	assert_non_null(strstr(out.p, "classname=\"Part:P&lt;1&gt; Component: B\""));
	assert_non_null(strstr(out.p, "type=\"Error\">broken &#34;x&#34;</failure>"));
	assert_non_null(strstr(out.p, "name=\"a&lt;b.yaml\" time=\"0\">"));
	assert_non_null(strstr(out.p, "type=\"Error\">no &#34;kind&#34;</failure>"));
	assert_non_null(strstr(out.p, "message=\"Cluster resource &#39;v1_U_n&#39; is unmatched.\""));
	buf_done(&out);
}

static void test_overrides(void **state)
{
	struct override o = { .identity = { .api_version = { "v1", 2 }, .kind = { "A", 1 }, .name = { "n", 1 } },
			      .reason = { "r", 1 },
			      .type = { "mergepatch", 10 },
			      .patch = { "{}", 2 },
			      .template_path = { "t.yaml", 6 } };
	const struct override *list[] = { &o };
	struct buf out = BUF_INIT(1 << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct overrides *read = NULL;
	struct err err;

	(void)state;
	assert_int_equal(report_overrides(list, 1, &out, &err), 0);
	assert_string_equal(
		out.p,
		"- apiVersion: v1\n  kind: A\n  name: \"n\"\n  patch: '{}'\n  reason: r\n  templatePath: t.yaml\n"
		"  type: mergepatch\n");
	assert_int_equal(overrides_load(buf_str(&out), &limits, &read, NULL, &err), 0);
	assert_int_equal(overrides_count(read), 1);
	assert_true(str_eq(overrides_at(read, 0)->identity.name, STR("n")));
	overrides_free(read);
	buf_done(&out);
}

/* What nobody can know is neither an issue nor well. */
static void test_unknown(void **state)
{
	static const struct ref_template *list[] = { &t2 };
	static const struct component_verdict unknown[] = { { &part, &all, COMPONENT_UNKNOWN, list, 1, 0 } };
	struct report r = { .hash = "abc", .unknown = unknown, .n_unknown = 1 };
	struct buf out = BUF_INIT(1 << 20);
	struct err err;

	(void)state;
	assert_int_equal(report_text(&r, false, &out, &err), 0);
	assert_non_null(strstr(out.p, "Summary\nCRs with diffs: 0/0\nComponents that could not be judged: 1\nP<1>:\n"
				      "  C:\n    Not known:\n    - a.yaml\nNo CRs are unmatched"));
	buf_clear(&out);
	assert_int_equal(report_json(&r, &out, &err), 0);
	assert_non_null(strstr(out.p, "\"ValidationIssuses\":{},"));
	assert_non_null(strstr(out.p, ",\"unknownComponents\":{\"P\\u003c1\\u003e\":{\"C\":{\"Msg\":\"Not known\","
				      "\"CRs\":[\"a.yaml\"]}}}"));
	buf_clear(&out);
	assert_int_equal(report_junit(&r, 0, &out, &err), 0);
	assert_non_null(strstr(out.p, "<testcase classname=\"Part:P&lt;1&gt; Component: C\" name=\"Component could not "
				      "be judged\""));
	assert_non_null(strstr(out.p, "<failure message=\"Not known: a.yaml\" type=\"Error\">"));
	assert_null(strstr(out.p, "No reference validation issues"));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),      cmocka_unit_test(test_json),    cmocka_unit_test(test_junit),
		cmocka_unit_test(test_overrides), cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
