/* Turns files and standard input into objects, each identity once. */
#include "daemon/compare/input.h"

#include "base/assert.h"
#include "base/file.h"
#include "compare/compare.h"
#include "compare/correlate.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/metadata.h"
#include "daemon/compare/reference.h"
#include "daemon/compare/run_command.h"
#include "daemon/compare/text.h"
#include "reference/go_decode.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define NOT_READ "unable to read \"%s\" to its end: text behind the end of a document needs a \"---\" before it"
#define REFUSAL_BYTES_MAX ((size_t)16 << 20)
#define SKIPPED                                                                                                        \
	"Skipping %s Input contains additional files from supported file extensions (json/yaml) that do not contain "  \
	"a "                                                                                                           \
	"valid resource, error: %s.\n In case this file is expected to be a valid resource modify it accordingly. "

void compare_input_init(struct compare_input *in, const struct limits *limits, struct key_table *keys)
{
	*in = (struct compare_input){ .limits = limits, .keys = keys };
	arena_init(&in->text, 0, 0);
	crd_table_init(&in->schemas);
}

void compare_input_done(struct compare_input *in)
{
	for (size_t i = 0; i < in->docs.n; i++)
		doc_unref(in->docs.p[i]);
	vec_done(&in->docs);
	for (size_t i = 0; i < in->tables.n; i++)
		key_table_free(in->tables.p[i]);
	vec_done(&in->tables);
	vec_done(&in->objects);
	vec_done(&in->names);
	vec_done(&in->sources);
	arena_done(&in->text);
	strmap_done(&in->seen);
	crd_table_done(&in->schemas);
	problems_done(&in->problems);
	string_list_done(&in->warnings);
	kc_perform_free(in->net);
	if (in->known)
		compare_known_done(in->known);
	free(in->known);
}

/* ---- problems ---- */

static bool is_repeated(const struct problems *p, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (strcmp(p->list.p[k], p->list.p[i]) == 0)
			return true;
	}
	return false;
}

void compare_problems_text(const struct problems *p, struct buf *out)
{
	CLEANUP(buf_done) struct buf list = BUF_INIT(out->max);
	size_t n = 0;

	for (size_t i = 0; i < p->list.n; i++) {
		if (!is_repeated(p, i))
			buf_printf(&list, "%s%s", n++ ? ", " : "", p->list.p[i]);
	}
	if (p->dropped)
		buf_printf(&list, "%sand %zu more", n++ ? ", " : "", p->dropped);
	buf_add_cstr(out, n > 1 ? "[" : "");
	buf_add_str(out, buf_str(&list));
	buf_add_cstr(out, n > 1 ? "]" : "");
	if (list.error == -ENOMEM)
		out->error = list.error;
}

int compare_input_mark(struct compare_input *in, str source, struct err *err)
{
	str copy;

	if (in->sources.n == in->problems.list.n)
		return 0;
	copy = arena_str(&in->text, source);
	if (!copy.p)
		return err_nomem(err);
	while (in->sources.n < in->problems.list.n) {
		if (!vec_push(&in->sources, copy))
			return err_nomem(err);
	}
	return 0;
}

int compare_input_refuse(struct compare_input *in, const char *what, const struct problems *p, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(REFUSAL_BYTES_MAX);

	buf_add_cstr(&text, what);
	compare_problems_text(p, &text);
	in->refusal = arena_str(&in->text, buf_str(&text));
	if (text.error == -ENOMEM || !in->refusal.p)
		return err_nomem(err);
	return err_set(err, EIO, "%.*s", STR_ARG(in->refusal));
}

/* ---- objects ---- */

/* Add an object under its name. 1, or 0 when the name is taken; a part does not check that. */
static int add_named(struct compare_input *in, str name, val object, struct err *err)
{
	if (!in->part && strmap_has(&in->seen, name))
		return 0;
	name = arena_str(&in->text, name);
	if (!name.p || (!in->part && !strmap_put(&in->seen, name, in, NULL)) || !vec_push(&in->objects, object) ||
	    !vec_push(&in->names, name))
		return err_nomem(err);
	return !in->part && crd_table_add(&in->schemas, object, err) < 0 ? -err->code : 1;
}

/* Keep @doc alive, unless it is the one that was kept last. */
static int keep_doc(struct compare_input *in, struct doc *doc, struct err *err)
{
	if (in->docs.n && in->docs.p[in->docs.n - 1] == doc)
		return 0;
	if (!vec_push(&in->docs, doc))
		return err_nomem(err);
	doc_ref(doc);
	return 0;
}

int compare_input_add(struct compare_input *in, struct doc *doc, val object, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2); /* @text may be as long as the object */
	struct identity id = identity_of(object);
	int r;

	identity_text(&id, &text);
	if (text.error)
		return err_nomem(err);
	r = add_named(in, buf_str(&text), object, err);
	return r > 0 ? keep_doc(in, doc, err) : r;
}

int compare_input_define(struct compare_input *in, struct doc *doc, val definition, struct err *err)
{
	int r = crd_table_add(&in->schemas, definition, err);

	return r < 0 ? r : keep_doc(in, doc, err);
}

/* Check the types in an object's metadata. 1: fine, 0: a problem was added. */
static int check_metadata(struct compare_input *in, const char *name, val object, struct err *err)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(64 << 10);
	int r = compare_metadata_check(object, in->limits, &why, err);

	if (why.error == -ENOMEM)
		return err_nomem(err);
	if (r == 0)
		problems_add(&in->problems, "unable to decode \"%s\": %.*s", name, STR_ARG(buf_str(&why)));
	return r;
}

/* A part's warnings wait until those of the parts before it are printed. */
static void warn_skipped(struct compare_input *in, const char *what, const char *why)
{
	CLEANUP(freep) char *text = NULL;

	if (in->quiet)
		return;
	if (in->part && asprintf(&text, SKIPPED, what, why) < 0)
		text = NULL;
	if (!text || !string_list_add(&in->warnings, str_from(text)))
		klog_warning(SKIPPED, what, why);
}

static void skip_kindless(struct compare_input *in, const char *name)
{
	CLEANUP(freep) char *quoted = NULL;

	if (asprintf(&quoted, "\"%s\":", name) < 0)
		quoted = NULL;
	else
		warn_skipped(in, quoted, "'Kind' is missing");
}

/* Split an apiVersion as schema.ParseGroupVersion does: GROUP/VERSION, or only VERSION. False: it is neither. */
static bool split_version(str api_version, str *ret)
{
	ptrdiff_t slash = str_find(api_version, STR("/"));

	*ret = str_sub(api_version, (size_t)(slash + 1), api_version.n);
	return str_find(*ret, STR("/")) < 0;
}

/* An object whose apiVersion has more than two parts has no kind either. */
static bool has_kind(val v)
{
	str version;

	return val_str(VAL_GET(v, "kind")).n && split_version(val_str(VAL_GET(v, "apiVersion")), &version);
}

/* The object without its namespace if that is empty, which means none. VAL_ABSENT without memory. */
static val without_empty_namespace(struct doc *doc, val v)
{
	val metadata = VAL_GET(v, "metadata"), namespace = VAL_GET(metadata, "namespace");

	if (!val_exists(namespace) || val_str(namespace).n)
		return v;
	metadata = val_map_without(&doc->arena, metadata, STR("namespace"));
	for (uint32_t i = 0; i < v.n && val_exists(metadata); i++) {
		if (str_eq(key_str(v.members[i].key), STR("metadata")))
			return val_map_with(&doc->arena, v, v.members[i].key, metadata);
	}
	return (val){ 0 };
}

static int add_object(struct compare_input *in, struct doc *doc, val v, struct err *err)
{
	v = without_empty_namespace(doc, v);
	return val_exists(v) ? compare_input_add(in, doc, v, err) : err_nomem(err);
}

/* ---- lists ---- */

/* An item of a list without kind and version has those of the list. */
static val complete_item(struct doc *doc, val list, val item)
{
	str kind = val_str(VAL_GET(list, "kind"));
	const struct key *kind_key = key_make(NULL, &doc->arena, STR("kind"));
	const struct key *version_key = key_make(NULL, &doc->arena, STR("apiVersion"));

	if (val_is_null(item))
		item = val_map_sorted(NULL, 0);
	if (val_str(VAL_GET(item, "kind")).n || val_str(VAL_GET(item, "apiVersion")).n)
		return item;
	if (str_has_suffix(kind, STR("List")))
		kind = str_sub(kind, 0, kind.n - 4);
	if (!kind_key || !version_key)
		return (val){ 0 };
	item = val_map_with(&doc->arena, item, kind_key, val_string(kind));
	if (val_exists(item))
		item = val_map_with(&doc->arena, item, version_key, val_string(val_str(VAL_GET(list, "apiVersion"))));
	return item;
}

static void not_an_object(struct compare_input *in, const char *name, val v)
{
	problems_add(&in->problems,
		     "unable to decode \"%s\": json: cannot unmarshal %s into Go value of type unstructured.detector",
		     name, go_json_kind(v));
}

static int add_list(struct compare_input *in, const char *name, struct doc *doc, val list, unsigned depth,
		    struct err *err);

static int add_item(struct compare_input *in, const char *name, struct doc *doc, val v, unsigned depth, struct err *err)
{
	str version;

	if (!has_kind(v)) {
		skip_kindless(in, name);
		return 0;
	}
	if (val_is_list(VAL_GET(v, "items")))
		return add_list(in, name, doc, v, depth + 1, err);
	if (split_version(val_str(VAL_GET(v, "apiVersion")), &version) && version.n)
		return add_object(in, doc, v, err);
	/* Only an item of a list needs a version: an object outside of lists may come without. */
	problems_add(&in->problems, "unable to get type info from the object \"*unstructured.Unstructured\": Object "
				    "'apiVersion' is missing in 'unstructured object has no version'");
	return 0;
}

static int add_list(struct compare_input *in, const char *name, struct doc *doc, val list, unsigned depth,
		    struct err *err)
{
	val items = VAL_GET(list, "items");

	if (depth > 100) {
		problems_add(&in->problems, "unable to decode \"%s\": lists nested too deep", name);
		return 0;
	}
	for (uint32_t i = 0; i < val_count(items); i++) {
		val item = val_at(items, i);
		int r;

		if (!val_is_map(item) && !val_is_null(item)) {
			not_an_object(in, name, item);
			continue;
		}
		item = complete_item(doc, list, item);
		if (!val_exists(item))
			return err_nomem(err);
		r = add_item(in, name, doc, item, depth, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_document(struct compare_input *in, const char *name, struct doc *doc, struct err *err)
{
	val v = doc->root, items = VAL_GET(v, "items");
	int r;

	if (val_is_null(v))
		return 0;
	if (!val_is_map(v)) {
		not_an_object(in, name, v);
		return 0;
	}
	if (!has_kind(v)) {
		skip_kindless(in, name);
		return 0;
	}
	r = check_metadata(in, name, v, err);
	if (r <= 0)
		return r;
	if (val_is_list(items) || val_is_null(items))
		return add_list(in, name, doc, v, 0, err);
	return add_object(in, doc, v, err);
}

/* ---- the text of a file ---- */

/* A document that cannot be read is skipped; the others of the file are read. */
void compare_input_skip(struct compare_input *in, const char *name, const char *why)
{
	CLEANUP(freep) char *path = NULL;
	const char *colon = strrchr(why, ':');

	if (asprintf(&path, "%s:", name) < 0)
		path = NULL;
	warn_skipped(in, path ? path : name, colon ? colon : why);
}

/* Handle the result of decoding one document; takes the reference to @doc, which may be NULL. */
static int add_decoded(struct compare_input *in, const char *name, int r, struct doc *doc_take, const struct err *why,
		       struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = doc_take;

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == -E2BIG)
		problems_add(&in->problems, "unable to decode \"%s\": %s", name, why->msg);
	else if (r < 0)
		compare_input_skip(in, name, why->msg);
	return r < 0 ? 0 : add_document(in, name, doc, err);
}

static int add_yaml(struct compare_input *in, const char *name, str text, struct err *err)
{
	bool rest = false;
	struct yaml_options o = {
		.limits = in->limits, .keys = in->keys, .uints_as_double = true, .valid_text = true, .rest = &rest
	};
	struct yaml_part part;
	size_t line = 1;

	while (yaml_next_part(&text, &line, &part)) {
		struct doc *doc = NULL;
		struct err why;
		int r;

		if (str_trim(part.text).n) {
			rest = false;
			r = yaml_decode(part.text, &o, &doc, &why);
			if (r == 0 && rest)
				problems_add(&in->problems, NOT_READ, name);
			r = add_decoded(in, name, r, doc, &why, err);
			if (r < 0)
				return r;
		}
		if (part.bad_separator)
			compare_input_skip(in, name, "invalid Yaml document separator");
	}
	return 0;
}

/* Read JSON values that follow each other. A text that is not JSON, or stands behind "---", is read as YAML; but
 * after two JSON values the text is a stream of JSON for certain. */
static int add_json(struct compare_input *in, const char *name, str text, struct err *err)
{
	struct json_options o = { .limits = in->limits, .keys = in->keys };
	CLEANUP(buf_done) struct buf copy = BUF_INIT(SIZE_MAX / 2);
	bool repaired = false;
	size_t n = 0;

	while (true) {
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		size_t used = 0;
		struct err problem;
		int r;

		text = str_sub(text, (size_t)(str_trim(text).p - text.p), text.n);
		if (!str_trim(text).n)
			return 0;
		if (n > 1 && !strchr("{[\"-0123456789ntf", text.p[0])) {
			char why[64];

			snprintf(why, sizeof(why), "json: invalid character '%c' looking for beginning of value",
				 text.p[0]);
			compare_input_skip(in, name, why);
			return 0;
		}
		if (text.p[0] != '{')
			return add_yaml(in, name, text, err);
		doc = doc_new(text.n < (64u << 10) ? text.n : 64u << 10, in->limits->arena_bytes);
		if (!doc)
			return err_nomem(err);
		r = json_decode_value(text, &o, &doc->arena, &doc->root, &used, &problem);
		if (r == -EBADMSG && !repaired && text_repair_escapes(text, &copy)) {
			repaired = true;
			text = buf_str(&copy);
			continue;
		}
		if (r == -EBADMSG)
			return add_yaml(in, name, text, err);
		r = add_decoded(in, name, r, doc_ref(doc), &problem, err);
		if (r < 0)
			return r;
		if (!used)
			return 0;
		n++;
		text = str_sub(text, used, text.n);
	}
}

int compare_input_text(struct compare_input *in, const char *name, str text, struct err *err)
{
	CLEANUP(buf_done) struct buf copy = BUF_INIT(SIZE_MAX / 2);
	str trimmed;

	if (text_needs_utf8(text)) {
		text_to_utf8(text, &copy);
		if (copy.error)
			return err_nomem(err);
		text = buf_str(&copy);
	}
	trimmed = str_trim(text);
	if (trimmed.n && trimmed.p[0] == '{')
		return add_json(in, name, text, err);
	return add_yaml(in, name, text, err);
}

/* ---- parts ---- */

void compare_input_part(const struct compare_input *in, struct key_table *keys, struct compare_input *ret)
{
	compare_input_init(ret, in->limits, keys);
	ret->quiet = in->quiet;
	ret->part = true;
}

void compare_input_drop(struct compare_input *part)
{
	for (size_t i = 0; i < part->docs.n; i++)
		doc_unref(part->docs.p[i]);
	part->docs.n = 0;
	for (size_t i = 0; i < part->objects.n; i++)
		part->objects.p[i] = (val){ 0 };
}

int compare_input_report(struct compare_input *in, const struct compare_input *part, struct err *err)
{
	for (size_t i = 0; i < part->warnings.v.n; i++)
		klog_warning("%s", part->warnings.v.p[i]);
	for (size_t i = 0; i < part->problems.list.n; i++) {
		problems_add(&in->problems, "%s", part->problems.list.p[i]);
		if (i < part->sources.n && compare_input_mark(in, part->sources.p[i], err) < 0)
			return -err->code;
	}
	in->problems.dropped += part->problems.dropped;
	in->any_read |= part->any_read;
	in->lost |= part->lost;
	return 0;
}

int compare_input_take(struct compare_input *in, const struct compare_input *part, size_t i, struct err *err)
{
	ASSERT(i < part->names.n && i < part->objects.n);
	return add_named(in, part->names.p[i], part->objects.p[i], err);
}

int compare_input_keep(struct compare_input *in, struct compare_input *part, struct err *err)
{
	while (part->docs.n) {
		if (!vec_push(&in->docs, part->docs.p[part->docs.n - 1]))
			return err_nomem(err);
		part->docs.n--;
	}
	return 0;
}
