/* A reference from one text: the parts between lines "=== name" are its files. Loading it must never crash, and what
 * loads must render and judge. */
#include "reference/ref.h"

#include <errno.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file @name in @text. */
static bool find_file(str text, str name, str *ret)
{
	bool inside = false;
	str rest = text, line;
	const char *from = NULL;

	while (str_next_part(&rest, '\n', &line)) {
		if (str_has_prefix(line, STR("=== "))) {
			if (inside) {
				*ret = (str){ from, (size_t)(line.p - from) };
				return true;
			}
			inside = str_eq(str_sub(line, 4, line.n), name);
			from = rest.p;
		}
	}
	if (!inside || !from)
		return false;
	*ret = (str){ from, (size_t)(text.p + text.n - from) };
	return true;
}

static int read_part(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	str file;

	(void)max;
	if (!find_file(*(const str *)ctx, path, &file))
		return err_set(err, ENOENT, "open %.*s: no such file or directory", STR_ARG(path));
	*ret = str_dup(file);
	*len = file.n;
	return *ret ? 0 : err_nomem(err);
}

static int list_parts(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		      struct err *err)
{
	str rest = *(const str *)ctx, line;
	int r = 0;

	if (!str_eq(dir, STR(".")))
		return 0;
	while (r == 0 && str_next_part(&rest, '\n', &line)) {
		if (str_has_prefix(line, STR("=== ")))
			r = entry(entry_ctx, str_sub(line, 4, line.n), err);
	}
	return r;
}

static void render_all(const struct reference *ref, const struct limits *limits)
{
	for (size_t i = 0; i < ref->n_templates; i++) {
		const struct ref_template *t = ref->templates[i];
		struct tmpl_env env = { .limits = limits };
		struct doc *doc = NULL;
		struct err err;

		if (ref_render(t, val_map_sorted(NULL, 0), &env, NULL, &doc, &err) < 0)
			continue;
		if (!val_exists(omit_fields(doc->root, t->text->omit, &doc->arena)))
			abort();
		doc_unref(doc);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits limits = LIMITS_DEFAULT;
	str text = { (const char *)data, size };
	struct ref_source source = { read_part, &text, list_parts };
	struct ref_options o = { .limits = &limits, .name = STR("fuzz"), .metadata_path = STR("metadata.yaml") };
	struct problems problems = { 0 };
	struct reference *ref = NULL;
	struct err err;
	int r;

	limits.file_bytes = 64 << 10;
	limits.arena_bytes = 64 << 20;
	limits.document_nodes = 100000;
	limits.depth = 200;
	limits.template_steps = 100000;
	limits.template_output_bytes = 1 << 20;
	limits.template_depth = 100;
	limits.regex_match_limit = 10000;
	r = reference_load(&source, &o, &ref, &problems, &err);
	if ((r < 0 && r != -ENOMEM && !problems_any(&problems)) || (r == 0 && problems_any(&problems)))
		abort();
	if (r == 0)
		render_all(ref, &limits);
	reference_unref(ref);
	problems_done(&problems);
	return 0;
}
