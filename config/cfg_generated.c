/* Finds out whether a reference is generated. */
#include "config/cfg_generated.h"

#include "base/file.h"
#include "config/part.h"
#include "value/yaml.h"

#include <errno.h>
#include <sys/stat.h>

#define BUNDLE_KIND "kubegen.k8s.io/Bundle.v1alpha2"

static int is_bundle(const char *path, const struct limits *limits, bool *ret, struct err *err)
{
	struct yaml_options o = { .limits = limits };
	CLEANUP(freep) char *text = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct stat st;
	size_t len;
	int r;

	*ret = false;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* reading a pipe would consume its text */
		return 0;
	r = file_read(path, limits->file_bytes, &text, &len, err);
	if (r == 0)
		r = yaml_decode((str){ text, len }, &o, &doc, err);
	*ret = r == 0 && str_eq(val_str(VAL_GET(doc->root, "Kind")), STR(BUNDLE_KIND));
	return r == -ENOMEM ? r : 0;
}

int cfg_generate(const char *path, const struct limits *limits, struct key_table *keys, struct cfg_generated *ret,
		 struct err *err)
{
	bool bundle;
	int r;

	*ret = (struct cfg_generated){ 0 };
	r = is_bundle(path, limits, &bundle, err);
	if (r < 0 || !bundle)
		return r;
	return HAS_KUBEGEN ? cfg_bundle_generate(path, limits, keys, ret, err)
			   : err_set(err, ENOTSUP, "%s", NOT_BUILT("a bundle of kubegen", "DRIFTD_KUBEGEN"));
}

void cfg_generated_done(struct cfg_generated *g)
{
	if (g->free)
		g->free(g->files.ctx);
}
