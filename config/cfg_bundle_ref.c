/* A bundle of kubegen in the place of a reference's metadata.yaml. */
#include "config/cfg_bundle_ref.h"

#include "base/file.h"
#include "config/cfg_bundle.h"
#include "value/yaml.h"

#include <errno.h>
#include <sys/stat.h>

int cfg_bundle_detect(const char *path, const struct limits *limits, bool *ret, struct err *err)
{
	struct yaml_options o = { .limits = limits };
	CLEANUP(freep) char *text = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct stat st;
	size_t len;
	int r;

	*ret = false;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* a pipe gives its text only once */
		return 0;
	r = file_read(path, limits->file_bytes, &text, &len, err);
	if (r == 0)
		r = yaml_decode((str){ text, len }, &o, &doc, err);
	*ret = r == 0 && kg_bundle_is_one(doc->root);
	return r == -ENOMEM ? r : 0;
}

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

struct ref_source cfg_bundle_source(struct kg_reference *r)
{
	return (struct ref_source){ .read = read_file, .ctx = r };
}
