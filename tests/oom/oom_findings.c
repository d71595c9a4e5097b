/* Findings absorb a failure: what cannot be remembered is reported again by the next judgement. State must
 * stay whole. */
#include "oom.h"

#include "daemon/findings/findings.h"
#include "daemon/findings/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

static struct sink *sink;
static char folder[64] = "/tmp/driftd-oom-XXXXXX";

static void report(struct findings *f, const char *name, const char *state)
{
	struct finding_path path = { STR("spec.replicas"), STR("3"), STR("5") };
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
	r = findings_new(sink, NULL, &f, err);
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

static struct findings *some(void)
{
	struct findings *f = NULL;
	struct err err;

	if (findings_new(sink, NULL, &f, &err) < 0)
		return NULL;
	report(f, "a", "one");
	report(f, "b", "two");
	return f;
}

static int run_state_file_save(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = some();
	int r;

	oom_arm();
	r = state_file_save(folder, f, err);
	oom_disarm();
	return r;
}

static int run_state_file_load(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = some(), *again = NULL;
	int r = state_file_save(folder, f, err);

	if (r < 0 || findings_new(sink, NULL, &again, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = state_file_load(folder, again, err);
	oom_disarm();
	return r < 0 || count(again) == 2 ? r : OOM_WRONG;
}

/* jansson's allocations go through this file, so that the linker's --wrap reaches them. */
static void *allocate(size_t n)
{
	return malloc(n);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "findings", run_findings, true },
		{ "state_file_save", run_state_file_save, false },
		{ "state_file_load", run_state_file_load, true }, /* looks a finding up before it inserts it */
	};
	char path[96];
	struct err err;
	int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY), r;

	json_set_alloc_funcs(allocate, free);
	if (!mkdtemp(folder) || nowhere < 0 || sink_new(CFG_OUTPUT_JSON, &sink, &err) < 0)
		return 1;
	dup2(nowhere, STDOUT_FILENO); /* the records */
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(nowhere);
	sink_free(sink);
	(void)snprintf(path, sizeof(path), "%s/state.json", folder);
	unlink(path);
	(void)snprintf(path, sizeof(path), "%s/state.json.new", folder);
	unlink(path);
	rmdir(folder);
	return r;
}
