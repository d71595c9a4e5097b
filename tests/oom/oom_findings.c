/* Findings absorb a failure: what cannot be remembered is reported again by the next judgement. State must
 * stay whole. */
#include "oom.h"

#include "daemon/findings/adoption.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database.h"
#include "support/direct_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static struct sink *sink;

static void report(struct findings *f, const char *name, const char *state)
{
	struct finding_path path = { .path = STR("spec.replicas"), .expected = STR("3"), .actual = STR("5") };
	struct finding_report r = {
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = STR("prod"),
			     .reference = STR("base"),
			     .kind = STR("Deployment"),
			     .name = str_from(name) },
		.what = STR("what"),
		.state = str_from(state),
		.paths = &path,
		.n_paths = 1,
		.n_paths_total = 1,
	};
	struct err err;

	(void)!findings_report(f, &r, &err);
}

static size_t count(const struct findings *f)
{
	size_t at = 0, n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static int run_findings(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = NULL;
	char name[16];
	size_t before;
	int r;

	oom_arm();
	r = findings_new(sink, &f, err);
	for (int i = 0; r == 0 && i < 20; i++) {
		(void)snprintf(name, sizeof(name), "web-%d", i);
		report(f, name, "one");
	}
	before = f ? count(f) : 0;
	for (int i = 0; r == 0 && i < 20; i++) {
		(void)snprintf(name, sizeof(name), "web-%d", i);
		report(f, name, "two");
	}
	if (r == 0 && count(f) < before)
		return OOM_WRONG; /* a change must not lose the finding */
	oom_disarm();
	if (r < 0)
		return r;
	for (int i = 0; i < 20; i++) {
		(void)snprintf(name, sizeof(name), "web-%d", i);
		report(f, name, "two");
	}
	return count(f) == 20 ? 0 : OOM_WRONG;
}

/* What flaps is told one by one when it cannot be kept. It is open whenever it was reported last, and never twice. */
static int run_flapping(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = NULL;
	const struct finding_subject s = {
		.cluster = STR("prod"), .reference = STR("base"), .kind = STR("Deployment"), .name = STR("web")
	};
	int r;

	oom_arm();
	r = findings_new(sink, &f, err);
	for (int i = 0; r == 0 && i < 5; i++) {
		findings_set_flapping(f, 3, 1000);
		report(f, "web", "one");
		report(f, "web", "two");
		findings_clear(f, FINDING_DRIFT, &s, END_REPAIRED);
		if (count(f) != 0)
			return OOM_WRONG;
		if (i == 3)
			findings_tick(f, UINT64_MAX);
	}
	oom_disarm();
	if (r < 0)
		return r;
	report(f, "web", "three");
	findings_tick(f, UINT64_MAX);
	return count(f) == 1 && findings_counters(f, s.cluster)->flapping == 0 ? 0 : OOM_WRONG;
}

static struct findings *some(void)
{
	struct findings *f = NULL;
	struct err err;

	if (findings_new(sink, &f, &err) < 0)
		return NULL;
	report(f, "a", "one");
	report(f, "b", "two");
	return f;
}

static int restore(void *ctx, const struct finding *x, struct err *err)
{
	return findings_restore(ctx, x, err);
}

/* SQLite has memory of its own, and tests of its own for the lack of it. */
static int run_database(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = some(), *again = NULL;
	struct database *d;
	const struct finding *x;
	struct err reported;
	size_t at = 0, malformed;
	int r = findings_new(sink, &again, err);

	oom_arm();
	if (r == 0)
		r = database_open("", &d, &reported, err);
	if (r < 0) {
		oom_disarm();
		return r;
	}
	r = database_begin(d, err);
	while (r == 0 && (x = findings_each(f, &at))) {
		CLEANUP(buf_done) struct buf json = BUF_INIT(1u << 20);

		finding_to_json(x, &json);
		r = buf_error(&json, "a finding", err);
		if (r == 0)
			r = database_put_finding(d, x->id, buf_str(&json), err);
	}
	if (r == 0)
		r = database_end(d, 0, err);
	if (r == 0)
		r = database_findings(d, restore, again, &malformed, err);
	oom_disarm();
	database_close(d);
	return r < 0 || count(again) == 2 ? r : OOM_WRONG;
}

static void ignore_differing(void *ctx, const struct finding *x)
{
	(void)ctx;
	(void)x;
}

/* What another driftd told takes the place of all, or of nothing. */
static int run_adopt(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = some(), *other = NULL;
	CLEANUP(adoption_freep) struct adoption *a = NULL;
	const struct finding *x;
	size_t at = 0;
	int r = findings_new_like(f, sink, &other, err);

	if (r < 0)
		return r;
	report(other, "b", "three");
	report(other, "c", "one");
	report(other, "d", "one");
	oom_arm();
	r = adoption_new(f, &a, err);
	while (r == 0 && (x = findings_each(other, &at)))
		r = adoption_add(a, x, err);
	if (r == 0)
		r = adoption_begin(a, err);
	while (r == 0 && adoption_go_on(a, ignore_differing, NULL)) {
	}
	oom_disarm();
	if (count(f) != (r < 0 ? 2 : 3))
		return OOM_WRONG;
	report(f, "b", "two");
	report(f, "c", "two");
	return count(f) == 3 ? r : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "findings", run_findings, true },
		{ "flapping", run_flapping, true },
		{ "adopt", run_adopt, true },
		{ "database", run_database, true }, /* looks a finding up before it inserts it */
	};
	int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY), r;

	if (nowhere < 0 || !(sink = sink_new_direct(CFG_OUTPUT_JSON)))
		return 1;
	dup2(nowhere, STDOUT_FILENO); /* the records */
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(nowhere);
	sink_free(sink);
	return r;
}
