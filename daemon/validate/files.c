/* Reads documents, and splits lists of objects. */
#include "daemon/validate/files.h"

#include "base/file.h"
#include "value/yaml.h"

void documents_done(struct documents *d)
{
	for (size_t i = 0; i < d->list.n; i++)
		doc_unref(d->list.p[i].doc);
	vec_done(&d->list);
}

int document_text(const char *path, const struct limits *limits, char **ret, size_t *len, struct err *err)
{
	return file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, limits->file_bytes, ret, len, err);
}

static int add(struct documents *to, struct doc *doc, val root, const char *path, struct err *err)
{
	if (!vec_push(&to->list, (struct document){ .doc = doc, .root = root, .path = path }))
		return err_nomem(err);
	doc_ref(doc);
	return 0;
}

static bool is_list(val root)
{
	return val_is_list(VAL_GET(root, "items")) && str_has_suffix(val_str(VAL_GET(root, "kind")), STR("List"));
}

static int parse_part(const struct yaml_part *part, const char *path, const struct yaml_options *o,
		      struct documents *to, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	val items;
	int r = yaml_decode(part->text, o, &doc, err);

	if (r < 0)
		return err_wrap(err, "%s: the document at line %zu", path, part->line);
	if (val_is_null(doc->root))
		return 0;
	if (!is_list(doc->root))
		return add(to, doc, doc->root, path, err);
	items = VAL_GET(doc->root, "items");
	for (uint32_t i = 0; r == 0 && i < items.n; i++)
		r = add(to, doc, items.items[i], path, err);
	return r;
}

int documents_parse(str text, const char *path, const struct limits *limits, struct key_table *keys,
		    struct documents *to, struct err *err)
{
	struct yaml_options o = { .limits = limits, .keys = keys };
	struct yaml_part part;
	size_t line = 1;
	int r = 0;

	while (r == 0 && yaml_next_part(&text, &line, &part))
		r = parse_part(&part, path, &o, to, err);
	return r;
}

int documents_read(const char *path, const struct limits *limits, struct key_table *keys, struct documents *to,
		   struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r = document_text(path, limits, &text, &n, err);

	return r < 0 ? r : documents_parse((str){ text, n }, path, limits, keys, to, err);
}
