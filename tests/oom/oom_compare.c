/* References and verdicts without memory. */
#include "oom.h"

#include "compare/compare.h"
#include "value/json.h"

#include <errno.h>

static const char metadata[] =
	"apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n    - path: a.yaml\n"
	"      config:\n        ignore-unspecified-fields: true\n    - path: b.yaml\n";
static const char template_a[] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: n\ndata:\n"
				 "  x: \"1\"\n  y: {{ .metadata.name | quote }}\n";
static const char template_b[] =
	"apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .metadata.name }}\nspec:\n  ports:\n  - port: 80\n";
static const char object[] =
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\",\"namespace\":\"n\",\"uid\":\"u\"},"
	"\"data\":{\"x\":\"2\",\"y\":\"a\",\"z\":\"more\"}}";

/* Two fields that disagree about a group: the object differs, whatever fails on the way to knowing. */
static const char inline_metadata[] =
	"apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n    - path: inline.yaml\n"
	"      config:\n        perField:\n        - {pathToKey: data.x, inlineDiffFunc: regex}\n"
	"        - {pathToKey: data.y, inlineDiffFunc: regex}\n"
	"        - {pathToKey: data.z, inlineDiffFunc: capturegroups}\n";
static const char inline_template[] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: \"n\"}\n"
				      "data: {x: '^(?<g>[0-9]+)$', \"y\": '^(?<g>[a-z]+)$', z: 'mo(?<h>..)'}\n";

static struct limits limits;

/* The files of the reference. */
static int read_text(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	str text = str_eq(path, STR("metadata.yaml"))          ? STR(metadata)
		   : str_eq(path, STR("a.yaml"))               ? STR(template_a)
		   : str_eq(path, STR("inline-metadata.yaml")) ? STR(inline_metadata)
		   : str_eq(path, STR("inline.yaml"))          ? STR(inline_template)
							       : STR(template_b);

	(void)ctx;
	(void)max;
	*ret = str_dup(text);
	*len = text.n;
	return *ret ? 0 : err_nomem(err);
}

static int load(const char *name, struct reference **ret, struct err *err)
{
	struct ref_source source = { .read = read_text };
	struct ref_options o = { .limits = &limits, .name = STR("r"), .metadata_path = str_from(name) };
	struct problems problems = { 0 };
	int r = reference_load(&source, &o, ret, &problems, err);

	problems_done(&problems);
	return r;
}

static int run_reference_load(struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	int r;

	oom_arm();
	r = load("metadata.yaml", &ref, err);
	oom_disarm();
	return (r == 0) == (ref != NULL) ? r : OOM_WRONG;
}

static int run_matcher_new(struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	CLEANUP(matcher_freep) struct matcher *m = NULL;
	int r;

	if (load("metadata.yaml", &ref, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = matcher_new(ref, &m, err);
	oom_disarm();
	return (r == 0) == (m != NULL) ? r : OOM_WRONG;
}

/* A drifted verdict and its diff; out of memory is never a verdict. */
static int judge(const struct matcher *m, val v, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct compare_env env = { .limits = &limits };
	struct verdict verdict = { 0 };
	int r;

	oom_arm();
	r = compare_object(m, v, &env, &verdict, err);
	if (r < 0)
		return r;
	if (verdict.state == VERDICT_DRIFTED)
		r = verdict_diff(&verdict, NULL, NULL, &limits, &out, err);
	else
		r = OOM_WRONG;
	oom_disarm();
	verdict_done(&verdict);
	return r;
}

static int run_compare(const char *reference, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	CLEANUP(matcher_freep) struct matcher *m = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct json_options o = { .limits = &limits };
	int r;

	if (load(reference, &ref, err) < 0 || matcher_new(ref, &m, err) < 0 ||
	    json_decode(STR(object), &o, &doc, err) < 0)
		return OOM_WRONG;
	r = judge(m, doc->root, err);
	oom_disarm();
	return r;
}

static int run_compare_object(struct err *err)
{
	return run_compare("metadata.yaml", err);
}

static int run_compare_inline(struct err *err)
{
	return run_compare("inline-metadata.yaml", err);
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "reference_load", run_reference_load, false },
		{ "matcher_new", run_matcher_new, false },
		{ "compare_object", run_compare_object, true }, /* YAML that cannot be examined is quoted */
		{ "compare_inline", run_compare_inline, true },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
