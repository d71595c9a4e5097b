/* A bundle of kubegen in the place of a reference's metadata.yaml. */
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
