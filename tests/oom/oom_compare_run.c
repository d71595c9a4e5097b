/* A whole run of "driftd compare" without memory. */
#include "oom.h"

#include "base/file.h"
#include "base/key.h"
#include "daemon/compare/pipeline.h"
#include "daemon/compare/report.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static const char metadata[] = "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n"
			       "    - path: t.yaml\n    - path: missing.yaml\n";
static const char template_text[] =
	"apiVersion: v1\nkind: Thing\nmetadata: {name: a}\n"
	"spec: {v: {{ if .spec }}{{ len (lookupCRs \"v1\" \"Thing\" \"\" \"\") }}{{ end }}}\n";
static const char missing_text[] = "apiVersion: v1\nkind: Thing\nmetadata: {name: b}\n";
/* The second cannot be read: an error beside the report. */
static const char objects[] = "apiVersion: v1\nkind: Thing\nmetadata: {name: a}\nspec: {v: 9}\n---\n"
			      "apiVersion: v1\nkind: Thing\nmetadata: {name: c, labels: {a: 1}}\n---\n"
			      "apiVersion: v1\nkind: Other\nmetadata: {name: unmatched}\n";

static struct limits limits;

struct session {
	struct reference *ref;
	struct matcher *matcher;
	struct key_table *keys;
	struct compare_input input;
	struct string_list generate_for;
	struct compare_run run;
};

static int read_text(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	str text = str_eq(path, STR("metadata.yaml")) ? STR(metadata)
		   : str_eq(path, STR("t.yaml"))      ? STR(template_text)
						      : STR(missing_text);

	(void)ctx;
	(void)max;
	*ret = str_dup(text);
	*len = text.n;
	return *ret ? 0 : err_nomem(err);
}

static int session_init(struct session *s, struct err *err)
{
	struct ref_source source = { .read = read_text };
	struct ref_options o = { .limits = &limits, .name = STR("r"), .metadata_path = STR("metadata.yaml") };
	struct problems problems = { 0 };
	int r = reference_load(&source, &o, &s->ref, &problems, err);

	problems_done(&problems);
	s->keys = key_table_new();
	compare_input_init(&s->input, &limits, s->keys);
	s->input.quiet = true;
	if (r == 0)
		r = matcher_new(s->ref, &s->matcher, err);
	s->run = (struct compare_run){
		.matcher = s->matcher, .input = &s->input, .limits = &limits, .generate_for = &s->generate_for
	};
	return r;
}

static void session_done(struct session *s)
{
	compare_run_done(&s->run);
	compare_input_done(&s->input);
	matcher_free(s->matcher);
	reference_unref(s->ref);
	key_table_free(s->keys);
}

/* A problem for which there was no memory is counted. */
static bool tells_problem(str errors)
{
	return str_find(errors, STR("labels of type string")) >= 0 || str_find(errors, STR(" more")) >= 0;
}

/* The report says all there is, or there is none. @diff: what differs. */
static int report(const struct session *s, const char *diff, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	CLEANUP(buf_done) struct buf errors = BUF_INIT(1u << 20);
	struct compare_report_options o = { .all = true };
	int r = compare_report(&s->run, &o, &out, &errors, err);
	str text = buf_str(&out);

	oom_disarm();
	if (r < 0)
		return r;
	if (out.error || errors.error || !tells_problem(buf_str(&errors)) || str_find(text, str_from(diff)) < 0 ||
	    str_find(text, STR("- missing.yaml\n")) < 0 || str_find(text, STR("- v1_Other_unmatched\n")) < 0)
		return OOM_WRONG;
	return r == 1 ? 0 : OOM_WRONG;
}

/* What fails while the objects are judged, or later, when that is over. */
static int run(bool judging, struct err *err)
{
	CLEANUP(session_done) struct session s = { 0 };
	int r;

	if (session_init(&s, err) < 0 || compare_input_text(&s.input, "objects", STR(objects), err) < 0)
		return OOM_WRONG;
	if (judging)
		oom_arm();
	r = compare_run_all(&s.run, 1, err);
	if (!judging)
		oom_arm();
	if (r == 0)
		r = report(&s, "-  v: 1\n+  v: 9\n", err);
	oom_disarm();
	return r;
}

/* Read, and judged on the way, when nothing is there yet to be looked up. */
static int run_pipeline(const char *path, struct err *err)
{
	CLEANUP(session_done) struct session s = { 0 };
	CLEANUP(compare_sources_done) struct compare_sources sources = { 0 };
	int r;

	if (session_init(&s, err) < 0 || !string_list_add(&sources.names, str_from(path)) ||
	    !string_list_add(&sources.names, STR("/nonexistent.yaml")))
		return OOM_WRONG;
	oom_arm();
	r = compare_pipeline(&sources, &s.input, &s.run, 1, err);
	if (r == 0)
		r = report(&s, "-  v: 0\n+  v: 9\n", err);
	oom_disarm();
	return r;
}

static int run_compare_pipeline(struct err *err)
{
	char path[] = "/tmp/oom-compare-XXXXXX";
	int fd = mkstemp(path), r = OOM_WRONG;

	if (fd < 0)
		return OOM_WRONG;
	if (file_write_all(fd, STR(objects)) == 0)
		r = run_pipeline(path, err);
	close(fd);
	unlink(path);
	return r;
}

static int run_compare_run(struct err *err)
{
	return run(true, err);
}

static int run_compare_report(struct err *err)
{
	return run(false, err);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "compare_run", run_compare_run, true }, /* YAML that cannot be examined is quoted */
		{ "compare_report", run_compare_report, true },
		{ "compare_pipeline", run_compare_pipeline, true },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
