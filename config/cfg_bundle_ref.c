/* Loads a bundle of kubegen in the place of a reference's metadata.yaml. */
#include "config/cfg_bundle_ref.h"

#include "config/cfg_bundle.h"
#include "config/cfg_generated.h"

#include <errno.h>

int cfg_bundle_reference(const char *path, const struct limits *limits, struct key_table *keys,
			 struct kg_reference *ret, uint64_t *content, struct err *err)
{
	CLEANUP(cfg_bundle_done) struct cfg_bundle b;
	int r;

	*ret = (struct kg_reference){ 0 };
	r = cfg_bundle_load(path, NULL, 0, limits, keys, &b, err);
	*content = b.content;
	if (r == 0)
		r = kg_reference_make(b.bundle, b.modules, ret, err);
	return r;
}

static int read_file(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	const struct kg_reference_file *f = kg_reference_find(ctx, path);

	if (!f)
		return err_set(err, ENOENT, "open %.*s: no such file or directory", STR_ARG(path));
	if (f->text.n > max)
		return err_set(err, E2BIG, "%.*s is larger than %zu bytes", STR_ARG(path), max);
	*ret = str_dup(f->text);
	if (!*ret)
		return err_nomem(err);
	*len = f->text.n;
	return 0;
}

static void free_files(void *ctx)
{
	kg_reference_done(ctx);
	free(ctx);
}

int cfg_bundle_generate(const char *path, const struct limits *limits, struct key_table *keys,
			struct cfg_generated *ret, struct err *err)
{
	struct kg_reference *files = calloc(1, sizeof(*files));

	if (!files)
		return err_nomem(err);
	ret->files = (struct ref_source){ .read = read_file, .ctx = files };
	ret->metadata = STR(KG_REFERENCE_METADATA);
	ret->free = free_files;
	return cfg_bundle_reference(path, limits, keys, files, &ret->content, err);
}

int cfg_bundle_stays_below(str text, const char *path, const char *root, const struct limits *limits, struct err *err)
{
	CLEANUP(kg_bundle_freep) struct kg_bundle *b = NULL;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	str folder = str_from(root);
	struct err none;

	if (!keys)
		return err_nomem(err);
	if (kg_bundle_parse(text, str_from(path), limits, keys, &b, &none) < 0)
		return none.code == ENOMEM ? err_nomem(err) : 0; /* the reader of the file reports the failure */
	for (size_t i = 0; i < b->n_modules; i++) {
		const struct kg_instance *x = &b->modules[i].instance;
		str below = str_sub(x->path, folder.n + 1, x->path.n);

		if (!str_has_prefix(x->path, folder) || ref_path_leads_out(below))
			return err_set(err, EXDEV, "module '%.*s' of the bundle is outside of what was fetched",
				       STR_ARG(x->name));
	}
	return 0;
}
