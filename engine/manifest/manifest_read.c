/* Reads the objects in texts of manifests. */
#include "manifest/manifest_set_internal.h"
#include "value/json.h"
#include "value/node.h"
#include "value/yaml.h"

#include <errno.h>

#define LISTS_MAX 100 /* levels of lists in lists */

void manifest_set_init(struct manifest_set *s, const struct limits *limits, struct key_table *keys)
{
	*s = (struct manifest_set){ .limits = limits, .keys = keys };
	arena_init(&s->arena, 0, 0);
}

void manifest_set_done(struct manifest_set *s)
{
	for (size_t i = 0; i < s->docs.n; i++)
		doc_unref(s->docs.p[i]);
	vec_done(&s->docs);
	vec_done(&s->list);
	vec_done(&s->hooks);
	strmap_done(&s->names);
	problems_done(&s->mistakes);
	problems_done(&s->warnings);
	arena_done(&s->arena);
}

/* ---- objects ---- */

struct reading {
	struct manifest_set *set;
	const struct manifest_document *document;
	struct path_segment at[2 * LISTS_MAX];
	size_t depth; /* segments of @at */
	struct err *err;
};

static struct path here(const struct reading *r)
{
	return (struct path){ r->at, r->depth };
}

static str annotation(val object, const char *name)
{
	return val_str(val_get(val_dig(object, "metadata", "annotations", NULL), str_from(name)));
}

/* Whether the object is a hook. Helm's "crd-install" alone only means that it is applied before the others. */
static bool is_hook(val object)
{
	str hook = annotation(object, "helm.sh/hook"), one;
	bool helm = hook.n > 0;

	while (str_next_part(&hook, ',', &one))
		helm = helm && !str_eq(str_trim(one), STR("crd-install"));
	return helm || annotation(object, "argocd.argoproj.io/hook").n > 0;
}

static bool is_optional(val object)
{
	return str_eq(val_str(VAL_GET(object, "kind")), STR("Job")) &&
	       val_is_number(val_dig(object, "spec", "ttlSecondsAfterFinished", NULL));
}

/* The advice for a document that is meant for another tool (kustomize, Helm); NULL: it is not. */
static const char *what_else(const struct reading *r, val v)
{
	str kind = val_str(VAL_GET(v, "kind")), file = r->document->file;
	str last = str_sub(file, (size_t)(str_rfind(file, STR("/")) + 1), file.n);

	if (str_eq(kind, STR("Kustomization")) || str_has_prefix(last, STR("kustomization.")))
		return "a kustomization is not a manifest: kustomize build renders its folder";
	if (str_has_prefix(last, STR("Chart.")) || str_has_prefix(last, STR("values")))
		return "part of a chart, and no manifest: helm template renders it";
	return NULL;
}

/* Check that the namespace is text. Otherwise it would count as missing. */
static bool check_namespace(struct reading *r, const struct manifest *m)
{
	static const struct path_segment at[] = { { .kind = PATH_KEY, .text = { "metadata", 8 } },
						  { .kind = PATH_KEY, .text = { "namespace", 9 } } };
	val namespace = val_dig(m->object, "metadata", "namespace", NULL);

	if (!val_exists(namespace) || val_is_null(namespace) || val_is_string(namespace))
		return true;
	manifest_mistake(r->set, m, (struct path){ at, ARRAY_LEN(at) }, "the namespace is not text");
	return false;
}

/* Check that an object has what every object needs. */
static bool check_object(struct reading *r, const struct manifest *m)
{
	static const char *const names[] = { "apiVersion", "kind", "metadata.name" };
	const str texts[] = { m->id.api_version, m->id.kind, m->id.name };
	const char *else_what = what_else(r, m->object);

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (texts[i].n)
			continue;
		manifest_mistake(r->set, m, (struct path){ 0 }, "no %s: this is no Kubernetes object; %s", names[i],
				 else_what ? else_what
					   : "leave the file out, or render it first with helm template or kustomize "
					     "build");
		return false;
	}
	return true;
}

static int add_object(struct reading *r, val v)
{
	struct manifest m = { .object = v, .id = identity_of(v), .document = r->document, .at = here(r) };
	struct path_segment *at = arena_array(&r->set->arena, r->depth, sizeof(*at));
	bool unnamed = !m.id.name.n && val_str(val_dig(v, "metadata", "generateName", NULL)).n > 0;

	if (!at)
		return err_nomem(r->err);
	for (size_t i = 0; i < r->depth; i++)
		at[i] = r->at[i];
	m.at.segments = at;
	m.optional = is_optional(v);
	if (is_hook(v)) {
		r->set->n_hooks++;
		return !m.id.name.n || vec_push(&r->set->hooks, m) ? 0 : err_nomem(r->err);
	}
	if (unnamed && m.id.api_version.n && m.id.kind.n) {
		r->set->n_unnamed++;
		return 0;
	}
	if (!check_object(r, &m) || !check_namespace(r, &m))
		return 0;
	manifest_check_texts(r->set, &m);
	return vec_push(&r->set->list, m) ? 0 : err_nomem(r->err);
}

static bool is_list(val v)
{
	return str_has_suffix(val_str(VAL_GET(v, "kind")), STR("List")) && val_is_list(VAL_GET(v, "items"));
}

static int add_value(struct reading *r, val v);

static int add_items(struct reading *r, val items)
{
	int status = 0;

	r->at[r->depth++] = (struct path_segment){ .kind = PATH_KEY, .text = STR("items") };
	for (uint32_t i = 0; i < items.n && status == 0; i++) {
		r->at[r->depth++] = (struct path_segment){ .kind = PATH_INDEX, .index = i };
		status = add_value(r, items.items[i]);
		r->depth--;
	}
	r->depth--;
	return status;
}

static int add_value(struct reading *r, val v)
{
	const struct manifest m = { .document = r->document, .at = here(r) };

	if (val_is_null(v))
		return 0;
	if (!val_is_map(v)) {
		manifest_mistake(r->set, &m, (struct path){ 0 }, "no Kubernetes object, but %s %s",
				 val_is_list(v) ? "an" : "a", val_kind_name(v));
		return 0;
	}
	if (!is_list(v))
		return add_object(r, v);
	if (r->depth + 2 > ARRAY_LEN(r->at)) {
		manifest_mistake(r->set, &m, (struct path){ 0 }, "more than %d lists inside one another", LISTS_MAX);
		return 0;
	}
	return add_items(r, VAL_GET(v, "items"));
}

/* ---- documents ---- */

static size_t lines_before(str text, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at && i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

static size_t column_of(str text, size_t at)
{
	size_t from = at;

	while (from > 0 && text.p[from - 1] != '\n')
		from--;
	return at - from + 1;
}

/* Read the line that go-yaml names, from 1 in the document; *why becomes the text behind it. 0: none. */
static size_t line_named(str *why)
{
	const str before = STR("yaml: line ");
	size_t line = 0, i = before.n;

	if (!str_has_prefix(*why, before))
		return 0;
	for (; i < why->n && i < before.n + 9 && why->p[i] >= '0' && why->p[i] <= '9'; i++)
		line = line * 10 + (size_t)(why->p[i] - '0');
	*why = str_sub(*why, str_has_prefix(str_sub(*why, i, why->n), STR(": ")) ? i + 2 : i, why->n);
	return line;
}

/* The offset of the text in line @line. */
static size_t first_of_line(str text, size_t line)
{
	size_t at = 0;

	for (; line > 1 && at < text.n; at++)
		line -= text.p[at] == '\n';
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\t'))
		at++;
	return at;
}

/* Replace a message that quotes the document, which may be a Secret. */
static str without_values(str why)
{
	static const struct {
		const char *begins, *instead;
	} messages[] = {
		{ "unknown anchor ",
		  "an alias of an anchor that is not there: a text that begins with \"*\" goes in quotes" },
		{ "anchor ", "an anchor that contains itself" },
		{ "cannot decode ", "a value that does not fit the tag before it" },
		{ "invalid map key", "a map or a list in the place of a key" },
		{ "unsupported map key", "a key that is not text" },
	};
	str bare = str_has_prefix(why, STR("yaml: ")) ? str_sub(why, 6, why.n) : why;

	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		if (str_has_prefix(bare, str_from(messages[i].begins)))
			return str_from(messages[i].instead);
	}
	return why;
}

static void unreadable(struct reading *r, const struct err *why)
{
	const struct manifest_document *d = r->document;
	str text = str_from(why->msg);
	size_t line = line_named(&text), at = line ? first_of_line(d->text, line) : 0, begins;
	const char *template = manifest_template_kind(d->text, line, &begins);

	text = without_values(text);
	if (template)
		at = begins;
	problems_add(&r->set->mistakes, "%.*s:%zu:%zu: %s%.*s", STR_ARG(d->file), d->line + lines_before(d->text, at),
		     column_of(d->text, at), template ? template : "", template ? 0 : (int)text.n, text.p);
}

static int warn_of_repeated(struct reading *r)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(r->set->limits->arena_bytes);
	size_t line, column;
	str key;
	int n = node_repeated_key(r->document->text, &a, &key, &line, &column);

	if (n > 0)
		problems_add(&r->set->warnings, "%.*s:%zu:%zu: the key '%.*s' stands there twice: the last one counts",
			     STR_ARG(r->document->file), r->document->line + line - 1, column, STR_ARG(key));
	return n < 0 ? err_nomem(r->err) : 0;
}

/* Decode a document. What looks like JSON is read as JSON first, because YAML does not allow tabs. */
static int decode(const struct manifest_set *s, str text, bool *rest, struct doc **ret, struct err *err)
{
	struct yaml_options yaml = {
		.limits = s->limits, .keys = s->keys, .uints_as_double = true, .valid_text = true, .rest = rest
	};
	struct json_options json = { .limits = s->limits, .keys = s->keys };
	str trimmed = str_trim(text);
	int r = -EBADMSG;

	if (trimmed.n && trimmed.p[0] == '{')
		r = json_decode(trimmed, &json, ret, err);
	return r == -EBADMSG ? yaml_decode(text, &yaml, ret, err) : r;
}

static int add_document(struct manifest_set *s, const struct manifest_document *d, struct err *err)
{
	struct reading r = { .set = s, .document = d, .err = err };
	struct doc *doc = NULL;
	bool rest = false;
	struct err why;
	int status = decode(s, d->text, &rest, &doc, &why);

	if (status == -ENOMEM)
		return err_nomem(err);
	if (status < 0) {
		unreadable(&r, &why);
		return 0;
	}
	if (!vec_push(&s->docs, doc)) {
		doc_unref(doc);
		return err_nomem(err);
	}
	if (rest)
		problems_add(&s->mistakes, "%.*s:%zu:1: text behind the end of a document needs a \"---\" before it",
			     STR_ARG(d->file), d->line);
	status = warn_of_repeated(&r);
	return status < 0 ? status : add_value(&r, doc->root);
}

int manifest_set_add(struct manifest_set *s, str file, str text, struct err *err)
{
	str copy = arena_str(&s->arena, text), name = arena_str(&s->arena, file);
	struct yaml_part part;
	size_t line = 1;
	int r = copy.p && name.p ? 0 : err_nomem(err);

	while (r == 0 && yaml_next_part(&copy, &line, &part)) {
		struct manifest_document *d = arena_alloc(&s->arena, sizeof(*d));

		if (!d)
			return err_nomem(err);
		*d = (struct manifest_document){ name, part.text, part.line };
		if (str_trim(part.text).n)
			r = add_document(s, d, err);
		if (part.bad_separator)
			problems_add(&s->mistakes,
				     "%.*s:%zu:1: a line of \"---\" holds nothing but a comment behind it",
				     STR_ARG(name), line - 1);
	}
	return r;
}
