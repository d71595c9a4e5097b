/* Names of files, documents in files, and the files that an evaluation reads. */
#include "kubegen/kg_file.h"

#include "base/utf8.h"
#include "kubegen/kg_internal.h"
#include "value/json.h"
#include "value/node.h"
#include "value/yaml.h"

#include <errno.h>

/* ---- names ---- */

static void add_part(struct buf *out, size_t root, str part, size_t *parts)
{
	bool up = str_eq(part, STR(".."));

	if (part.n == 0 || str_eq(part, STR(".")) || (up && *parts == 0 && root))
		return;
	if (up && *parts > 0) {
		ptrdiff_t slash = str_rfind(buf_str(out), STR("/"));

		buf_truncate(out, slash < (ptrdiff_t)root ? root : (size_t)slash);
		--*parts;
		return;
	}
	if (out->n > root)
		buf_add_byte(out, '/');
	buf_add_str(out, part);
	*parts += !up;
}

str kg_path_join(struct arena *a, str dir, str name)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(dir.n + name.n + 2);
	str halves[2] = { str_has_prefix(name, STR("/")) ? STR("") : dir, name }, part;
	size_t parts = 0, root = str_has_prefix(halves[0].n ? halves[0] : name, STR("/"));

	if (root)
		buf_add_byte(&out, '/');
	for (size_t i = 0; i < ARRAY_LEN(halves); i++) {
		str rest = halves[i];

		while (str_next_part(&rest, '/', &part))
			add_part(&out, root, part, &parts);
	}
	if (out.n == 0)
		buf_add_byte(&out, '.');
	return out.error ? (str){ NULL, 0 } : arena_str(a, buf_str(&out));
}

str kg_path_dir(str path)
{
	ptrdiff_t slash = str_rfind(path, STR("/"));

	return slash < 0 ? STR(".") : str_sub(path, 0, slash ? (size_t)slash : 1);
}

str kg_path_base(str path)
{
	return str_sub(path, (size_t)(str_rfind(path, STR("/")) + 1), path.n);
}

str kg_path_extension(str path)
{
	str base = kg_path_base(path);
	ptrdiff_t dot = str_rfind(base, STR("."));

	return dot < 0 ? STR("") : str_sub(base, (size_t)dot, base.n);
}

bool kg_path_is_yaml(str path, bool *yaml)
{
	str extension = kg_path_extension(path);

	*yaml = str_eq(extension, STR(".yaml")) || str_eq(extension, STR(".yml"));
	return *yaml || str_eq(extension, STR(".json"));
}

/* ---- documents ---- */

/* Whether a line is "---" or "...": nothing else begins like that at the start of a line. */
static bool is_marker(str line)
{
	return (str_has_prefix(line, STR("---")) || str_has_prefix(line, STR("..."))) &&
	       (line.n == 3 || strchr(" \t\r", line.p[3]));
}

/* Count the documents of a stream that are not only comments. Directives precede a document. */
static int count_documents(str text, struct err *err)
{
	bool begun = false;
	size_t n = 0;
	str line;

	while (str_next_part(&text, '\n', &line)) {
		if (is_marker(line)) {
			begun = false;
			line = str_sub(line, 3, line.n);
		} else if (!begun && str_has_prefix(line, STR("%"))) {
			continue;
		}
		line = str_trim(line);
		if (!begun && line.n && line.p[0] != '#') {
			begun = true;
			n++;
		}
	}
	return n == 1 ? 0 : err_set(err, EBADMSG, "it must hold one document, not %zu", n);
}

int kg_document_decode(struct kg_eval *e, str text, bool yaml, struct doc **ret, struct err *err)
{
	struct limits left = *e->limits;
	struct yaml_options y = { .limits = &left, .keys = e->keys };
	struct json_options j = { .limits = &left, .keys = e->keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r;

	left.object_bytes = left.file_bytes;
	left.document_nodes -= e->read_nodes;
	r = yaml ? count_documents(text, err) : 0;
	if (r == 0)
		r = yaml ? yaml_decode(text, &y, &doc, err) : json_decode(text, &j, &doc, err);
	if (r == 0)
		r = node_refuse_repeated_keys(text, err);
	if (r < 0)
		return r;
	e->read_nodes += val_nodes(doc->root);
	e->document_bytes += doc->arena.used;
	*ret = TAKE(doc);
	return 0;
}

/* ---- files of the module ---- */

/* The result of reading a file in one way. */
struct reading {
	struct doc *doc;
	enum { NEW, BUSY, DONE } state;
	val value; /* valid when DONE */
};

struct kg_file {
	str content;
	char *owned; /* the content, for free() */
	const struct kg_place *root;
	struct reading readings[2]; /* read as JSON, read as YAML */
};

void kg_files_done(struct kg_eval *e)
{
	const struct strmap_entry *entry;
	size_t at = 0;

	while ((entry = strmap_each(&e->files, &at))) {
		struct kg_file *f = entry->value;

		doc_unref(f->readings[0].doc);
		doc_unref(f->readings[1].doc);
		free(f->owned);
	}
	strmap_done(&e->files);
}

/* The name of the file in the folder. */
static int inside(struct kg_eval *e, str name, const struct kg_place *at, str *ret)
{
	str clean = kg_path_join(&e->arena, STR(""), name);

	if (!clean.p)
		return kg_nomem(e);
	if (name.n == 0 || clean.p[0] == '/' || str_eq(clean, STR("..")) || str_has_prefix(clean, STR("../")))
		return kg_error(e, at, "file '%.*s' is outside of the module", STR_ARG(name));
	*ret = clean;
	return 0;
}

static int read_file(struct kg_eval *e, str name, str clean, const struct kg_place *at, struct kg_file *f)
{
	struct err why;
	str label;
	int r = memchr(name.p, '\0', name.n) ? err_set(&why, EINVAL, "its name holds a zero byte") : 0;

	if (r == 0)
		r = e->folder->read(e->folder->ctx, clean, e->limits->file_bytes, &f->owned, &f->content.n, &why);
	if (r == -ENOMEM)
		return kg_nomem(e);
	if (r < 0)
		return kg_error(e, at, "cannot read file '%.*s': %s", STR_ARG(name), why.msg);
	f->content.p = f->owned;
	label = kg_path_join(&e->arena, e->path, clean);
	f->root = label.p ? kg_place_root(&e->arena, label, f->content) : NULL;
	return f->root ? kg_spend(e, at, 0, f->content.n) : kg_nomem(e);
}

static int open_file(struct kg_eval *e, str name, const struct kg_place *at, struct kg_file **ret)
{
	struct kg_file *f;
	str clean = { 0 };
	int r = inside(e, name, at, &clean);

	if (r < 0)
		return r;
	f = strmap_get(&e->files, clean);
	if (f) {
		*ret = f;
		return 0;
	}
	f = arena_zalloc(&e->arena, sizeof(*f));
	if (!f)
		return kg_nomem(e);
	r = read_file(e, name, clean, at, f);
	if (r == 0 && !strmap_put(&e->files, clean, f, NULL))
		r = kg_nomem(e);
	if (r < 0)
		free(f->owned);
	else
		*ret = f;
	return r;
}

int kg_file_bytes(struct kg_eval *e, str name, const struct kg_place *at, str *ret)
{
	struct kg_file *f;
	int r = open_file(e, name, at, &f);

	if (r == 0)
		r = kg_spend_text(e, at, f->content);
	if (r == 0)
		*ret = f->content;
	return r;
}

int kg_file_text(struct kg_eval *e, str name, const struct kg_place *at, str *ret)
{
	str content = { 0 };
	int r = kg_file_bytes(e, name, at, &content);

	if (r < 0)
		return r;
	if (!utf8_valid(content))
		return kg_error(e, at, "file '%.*s': content is not valid UTF-8", STR_ARG(name));
	*ret = content;
	return 0;
}

static int evaluate(struct kg_eval *e, struct kg_file *f, struct reading *g, str name, bool yaml,
		    const struct kg_place *at)
{
	struct err why;
	val v;
	int r = kg_document_decode(e, f->content, yaml, &g->doc, &why);

	if (r == -ENOMEM)
		return kg_nomem(e);
	if (r < 0)
		return kg_error(e, at, "cannot parse '%.*s': %s", STR_ARG(name), why.msg);
	g->state = BUSY;
	r = kg_evaluate(e, g->doc->root, f->root, &v);
	if (r < 0)
		return r;
	g->state = DONE;
	g->value = v;
	return 0;
}

int kg_file_value(struct kg_eval *e, str name, bool yaml, const struct kg_place *at, val *ret)
{
	struct kg_file *f;
	struct reading *g;
	int r = open_file(e, name, at, &f);

	if (r < 0)
		return r;
	g = &f->readings[yaml];
	if (g->state == BUSY)
		return kg_error(e, at, "load cycle: %.*s", STR_ARG(name));
	if (g->state == NEW)
		r = evaluate(e, f, g, name, yaml, at);
	if (r == 0)
		*ret = g->value;
	return r;
}
