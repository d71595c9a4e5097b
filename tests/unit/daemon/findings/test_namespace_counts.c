/* Counts of findings by namespace: which are series, and that none is lost. */
#include "daemon/findings/namespace_counts.h"

#include "daemon/findings/findings.h"
#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct finding_report report_of(str namespace, str name, enum severity severity)
{
	return (struct finding_report){
		.kind = FINDING_DRIFT,
		.severity = severity,
		.subject = { .cluster = STR("c"),
			     .reference = STR("ref"),
			     .api_version = STR("v1"),
			     .kind = STR("Pod"),
			     .resource = STR("pods"),
			     .namespace = namespace,
			     .name = name },
		.what = STR("pods"),
		.state = str_from(severity_name(severity)),
	};
}

static enum severity severity_of(char letter)
{
	return letter == 'c' ? SEVERITY_CRITICAL : letter == 'e' ? SEVERITY_ERROR : SEVERITY_WARNING;
}

/* "+w:a/1": a finding of severity warning (w, e, c) on object 1 of namespace a begins, or is of this severity from now
 * on; "-w:a/1": it is over; "=3": the limit. */
static void happen(struct findings *f, str step)
{
	ptrdiff_t slash = str_find_byte(step, '/');
	struct finding_report r;
	struct err err;

	if (slash < 0) {
		findings_count_namespaces(f, (size_t)(step.p[1] - '0'));
		return;
	}
	r = report_of(str_sub(step, 3, (size_t)slash), str_sub(step, (size_t)slash + 1, step.n),
		      severity_of(step.p[1]));
	if (step.p[0] == '+')
		assert_int_equal(findings_report(f, &r, &err), 0);
	else
		findings_clear(f, r.kind, &r.subject, END_REPAIRED);
}

/* "c:a=1 w:b=2 +1/3": the series, and then how many findings are in no series, and how many counts. */
static void say(struct findings *f, struct buf *out)
{
	const struct finding_counters *c = findings_counters(f, STR("c"));
	const struct namespace_count *n = NULL;
	size_t other = findings_open(c, FINDING_DRIFT);

	while ((n = findings_each_namespace(f, n))) {
		buf_printf(out, "%c:%.*s=%zu ", severity_name(n->severity)[0], STR_ARG(n->namespace), n->n);
		other -= n->n;
	}
	for (size_t s = 0; s < ARRAY_LEN(c->as_series[0]); s++) {
		size_t counted = 0;

		for (n = NULL; (n = findings_each_namespace(f, n));)
			counted += n->severity == (enum severity)s ? n->n : 0;
		assert_int_equal(c->as_series[FINDING_DRIFT][s], counted);
	}
	buf_printf(out, "+%zu/%zu", other, findings_namespaces_folded(f));
}

static void test_which_are_series(void **state)
{
	static const struct {
		const char *steps, *want;
	} rows[] = {
		{ "+w:a/1", "+1/0" }, /* they are not counted */
		{ "=2 +w:a/1 +w:a/2 +w:b/1", "w:a=2 w:b=1 +0/0" },
		{ "=2 +w:a/1 +w:b/1 +w:c/1 +w:d/1 +w:d/2", "w:a=1 w:b=1 +3/2" },
		/* The next of those that wait takes its place. */
		{ "=2 +w:a/1 +w:b/1 +w:c/1 +w:d/1 -w:a/1", "w:b=1 w:c=1 +1/1" },
		{ "=2 +w:a/1 +w:b/1 +w:c/1 -w:c/1", "w:a=1 w:b=1 +0/0" },
		{ "=2 +w:a/1 +w:a/2 +w:b/1 +w:c/1 -w:a/1", "w:a=1 w:b=1 +1/1" },
		/* What is worse, and what is in no namespace, takes that of the youngest. */
		{ "=2 +w:a/1 +w:b/1 +c:c/1", "c:c=1 w:a=1 +1/1" },
		{ "=2 +w:a/1 +w:b/1 +c:c/1 -c:c/1", "w:a=1 w:b=1 +0/0" },
		{ "=2 +c:a/1 +e:b/1 +w:/n", "w:=1 c:a=1 +1/1" },
		{ "=2 +w:a/1 +w:b/1 +e:c/1 +e:d/1 +e:e/1", "e:c=1 e:d=1 +3/3" },
		/* The same finding, of another severity. */
		{ "=3 +w:a/1 +c:a/1", "c:a=1 +0/0" },
		/* The limit changes. */
		{ "=2 +w:a/1 +w:b/1 +w:c/1 =3", "w:a=1 w:b=1 w:c=1 +0/0" },
		{ "=3 +w:a/1 +w:b/1 +c:c/1 =1", "c:c=1 +2/2" },
		{ "=3 +w:a/1 +w:b/1 +w:c/1 =1 =2", "w:a=1 w:b=1 +1/1" },
		{ "=2 +w:a/1 =0", "+1/0" },
		{ "=2 +w:a/1 =0 -w:a/1", "+0/0" },
		{ "+w:a/1 +w:a/2 =2 +w:a/3", "w:a=3 +0/0" },
	};
	(void)state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf said = BUF_INIT(4096);
		str rest = str_from(rows[i].steps), step;
		void *x = NULL;

		assert_int_equal(setup_captured_findings(&x), 0);
		while (str_next_part(&rest, ' ', &step))
			happen(((struct findings_set *)x)->findings, step);
		say(((struct findings_set *)x)->findings, &said);
		if (!str_eq(buf_str(&said), str_from(rows[i].want)))
			fail_msg("%s: %.*s", rows[i].steps, STR_ARG(buf_str(&said)));
		assert_int_equal(teardown_findings(&x), 0);
	}
}

/* However many namespaces a tenant makes, the series are those of the limit, and the same each time. */
static void test_a_tenant_makes_many(void **state)
{
	struct findings_set *x = *state;
	const struct namespace_count *first, *n = NULL;
	size_t series = 0;

	findings_count_namespaces(x->findings, 1000);
	happen(x->findings, STR("+w:ours/1"));
	first = findings_each_namespace(x->findings, NULL);
	for (int i = 0; i < 100000; i++) {
		char name[32];
		struct finding_report r;
		struct err err;

		(void)snprintf(name, sizeof(name), "n-%d", i);
		r = report_of(str_from(name), STR("pod"), SEVERITY_WARNING);
		r.hold_ns = INT64_C(3600000000000); /* so that no record is written */
		assert_int_equal(findings_report(x->findings, &r, &err), 0);
	}
	while ((n = findings_each_namespace(x->findings, n)))
		series++;
	assert_int_equal(series, 1000);
	assert_int_equal(findings_namespaces_folded(x->findings), 99001);
	assert_ptr_equal(findings_each_namespace(x->findings, NULL), first);
	assert_int_equal(findings_counters(x->findings, STR("c"))->as_series[FINDING_DRIFT][SEVERITY_WARNING], 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_are_series),
		cmocka_unit_test_setup_teardown(test_a_tenant_makes_many, setup_captured_findings, teardown_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
