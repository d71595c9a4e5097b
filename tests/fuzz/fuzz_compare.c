/* An object, as YAML, against a small reference that uses every step; behind a line "===" an override file. */
#include "compare/compare.h"
#include "compare/overrides.h"
#include "reference/go_decode.h"
#include "value/yaml.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
	const char *name, *text;
} files[] = {
	{ "metadata.yaml",
	  "apiVersion: v2\nparts:\n- name: P\n  components:\n  - name: C\n    anyOf:\n    - {path: a.yaml}\n    - "
	  "{path: b.yaml, "
	  "config: {ignore-unspecified-fields: true}}\n    - {path: c.yaml, config: {perField: [{pathToKey: spec.a, "
	  "inlineDiffFunc: regex}, {pathToKey: spec.b, inlineDiffFunc: capturegroups}]}}\n" },
	{ "a.yaml", "apiVersion: v1\nkind: A\nspec: {list: [{name: a, v: 1}, {name: b}], text: \"{{ toYaml .spec | "
		    "b64enc }}\"}\n" },
	{ "b.yaml",
	  "apiVersion: v1\nkind: A\nspec: {a: null, b: {c: [1, null]}, n: 1.5, copy: {{ .spec | toJson }} }\n" },
	{ "c.yaml",
	  "apiVersion: v1\nkind: C\nspec: {a: \"(?<x>[a-z]+)(?<y>.)?\", b: \"from (?<x>[a-z]+) to (?<z>.*)\"}\n" },
};

static int read_file(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	(void)ctx;
	(void)max;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		if (!str_eq(path, str_from(files[i].name)))
			continue;
		*ret = str_dup(str_from(files[i].text));
		*len = strlen(files[i].text);
		return *ret ? 0 : err_nomem(err);
	}
	return err_set(err, ENOENT, "open %.*s", STR_ARG(path));
}

static struct matcher *make_matcher(const struct limits *limits)
{
	struct ref_source source = { .read = read_file };
	struct ref_options o = { .limits = limits, .name = STR("fuzz"), .metadata_path = STR("metadata.yaml") };
	struct problems problems = { 0 };
	struct reference *ref = NULL;
	struct matcher *m = NULL;
	struct err err;

	if (reference_load(&source, &o, &ref, &problems, &err) < 0 || matcher_new(ref, &m, &err) < 0)
		abort();
	reference_unref(ref);
	problems_done(&problems);
	return m;
}

#define MARKER "QzFuzzMarker"

static bool holds_marker(str s)
{
	return str_find(s, STR(MARKER)) >= 0;
}

/* Whether all that the object has of the marker is hidden. */
static bool hides_marker(val object, const struct mask_fields *mask)
{
	struct buf shown = BUF_INIT(1 << 20);
	struct arena a;
	struct err err;
	val e, m;
	bool ok;

	arena_init(&a, 0, 64 << 20);
	ok = mask_sides(mask, object, object, false, &a, &e, &m) && yaml_encode(m, &shown, &err) == 0 &&
	     !holds_marker(buf_str(&shown));
	arena_done(&a);
	buf_done(&shown);
	return ok;
}

static void check_hidden(const struct verdict *v, str diff)
{
	bool shown = holds_marker(diff) || holds_marker(v->error);

	for (size_t i = 0; i < v->changes.n; i++)
		shown |= holds_marker(v->changes.p[i].path_text);
	if (shown)
		abort();
}

static void judge(const struct matcher *m, val object, const struct overrides *overrides, const struct limits *limits)
{
	static const struct mask_fields mask;
	struct compare_env env = { .limits = limits, .overrides = overrides, .mask = &mask };
	struct buf diff = BUF_INIT(1 << 20);
	struct verdict v;
	struct err err;

	if (compare_object(m, object, &env, &v, &err) < 0)
		return;
	if ((v.state == VERDICT_DRIFTED) != (v.changes.total > 0) || (v.state == VERDICT_ERROR && !v.error.n))
		abort();
	if (verdict_diff(&v, NULL, NULL, limits, &diff, &err) == 0 && v.state == VERDICT_DRIFTED && !diff.n)
		abort();
	if (!overrides && hides_marker(object, &mask)) /* overrides may hold it too */
		check_hidden(&v, buf_str(&diff));
	verdict_done(&v);
	buf_done(&diff);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits, .uints_as_double = true };
	str text = { (const char *)data, size };
	ptrdiff_t cut = str_find(text, STR("===\n"));
	struct overrides *overrides = NULL;
	struct matcher *m;
	struct doc *doc = NULL;
	struct err err;

	limits.arena_bytes = 64 << 20;
	limits.document_nodes = 100000;
	limits.depth = 200;
	limits.template_steps = 100000;
	limits.template_output_bytes = 1 << 20;
	limits.regex_match_limit = 10000;
	if (cut >= 0) {
		if (overrides_load(str_sub(text, (size_t)cut + 4, text.n), &limits, &overrides, NULL, &err) < 0)
			overrides = NULL;
		text = str_sub(text, 0, (size_t)cut);
	}
	m = make_matcher(&limits);
	if (yaml_decode(text, &o, &doc, &err) == 0 && val_is_map(doc->root))
		judge(m, doc->root, overrides, &limits);
	doc_unref(doc);
	overrides_free(overrides);
	matcher_free(m);
	return 0;
}
