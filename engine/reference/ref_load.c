/* Loads a reference: its files and its templates, and makes its hash. */
#include "base/assert.h"
#include "base/strmap.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "go/quote.h"
#include "reference/glob.h"
#include "reference/go_decode.h"
#include "reference/ref_internal.h"
#include "reference/ref_plain.h"
#include "reference/ref_schema.h"
#include "reference/ref_shapes.h"
#include "template/fn/library.h"
#include "template/tmpl_print.h"
#include "value/yaml.h"

#include <errno.h>

#define PLAIN_BYTES_MAX ((size_t)8 << 20) /* bytes that are kept to render plain templates */

/* The files of one template, or of the functions. Names are base names, texts are owned. */
struct sources {
	VEC(struct tmpl_source) v;
	str problem; /* why there are no files; in the reference's arena */
};

struct template_loader {
	struct ref_loader *l;
	struct sources functions;
	bool function_problem; /* the problem was reported; that happens once, not for each template */
};

static void sources_done(struct sources *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		free((char *)(uintptr_t)s->v.p[i].text.p);
	vec_done(&s->v);
}

/* ---- files ---- */

/* Whether a Go file system opens the path (fs.ValidPath). */
static bool path_is_valid(str path)
{
	str rest = path, part;

	if (str_eq(path, STR(".")))
		return true;
	if (!utf8_valid(path))
		return false;
	while (str_next_part(&rest, '/', &part)) {
		if (!part.n || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return true;
}

static str base_name(str path)
{
	ptrdiff_t slash = str_rfind(path, STR("/"));

	return str_sub(path, (size_t)(slash + 1), path.n);
}

struct reader {
	struct ref_loader *l;
	struct sources *to;
	size_t found;
};

static int set_problem(struct ref_loader *l, struct sources *s, str text)
{
	return ref_copy(l, text, &s->problem) ? 0 : err_nomem(l->err);
}

/* Read a file. A missing file is not found, but a file that cannot be read is a problem. */
static int read_source(void *ctx, str path, struct err *err)
{
	struct reader *r = ctx;
	const struct ref_source *source = r->l->source;
	struct tmpl_source file = { .name = { 0 } };
	char *text = NULL;
	struct err e;
	size_t len = 0;
	int rc = source->read(source->ctx, path, r->l->o->limits->file_bytes, &text, &len, &e);

	if (rc == -ENOMEM)
		return err_nomem(err);
	if (rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP || rc == -ENAMETOOLONG)
		return 0;
	r->found++;
	if (rc < 0)
		return r->to->problem.n ? 0 : set_problem(r->l, r->to, str_from(e.msg));
	file.text = (str){ text, len };
	if (!ref_copy(r->l, base_name(path), &file.name) || !vec_push(&r->to->v, file)) {
		free(text);
		return err_nomem(err);
	}
	return 0;
}

static int no_files(struct ref_loader *l, struct sources *s, str pattern)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(6 * pattern.n + 64);

	buf_add_cstr(&text, "template: pattern matches no files: ");
	if (go_can_backquote(pattern)) {
		buf_add_byte(&text, '`');
		buf_add_str(&text, pattern);
		buf_add_byte(&text, '`');
	} else {
		go_quote(&text, pattern);
	}
	return text.error ? err_nomem(l->err) : set_problem(l, s, buf_str(&text));
}

/* Read the files that @pattern names, as template.ParseFS does. */
static int read_pattern(struct ref_loader *l, str pattern, struct sources *to)
{
	struct reader r = { .l = l, .to = to };
	struct glob_source names = { l->source->list, l->source->ctx };
	int rc = 0;

	if (!glob_has_meta(pattern))
		rc = path_is_valid(pattern) ? read_source(&r, pattern, l->err) : 0;
	else if (names.list)
		rc = glob_expand(pattern, &names, read_source, &r, l->err);
	if (rc == -EBADMSG)
		return set_problem(l, to, STR("syntax error in pattern"));
	return rc == 0 && !r.found ? no_files(l, to, pattern) : rc;
}

static int read_functions(struct template_loader *t)
{
	val files = VAL_GET(t->l->meta, "templateFunctionFiles");

	for (uint32_t i = 0; i < val_count(files) && !t->functions.problem.n; i++) {
		int r = read_pattern(t->l, val_str(val_at(files, i)), &t->functions);

		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- one template ---- */

#define TEMPLATE_PROBLEM "an error occurred while parsing template: %.*s specified in the config. error: %.*s"

static void template_problem(struct ref_loader *l, const struct ref_template *t, str why)
{
	ref_mistake_in(l, t, TEMPLATE_PROBLEM, STR_ARG(t->path), STR_ARG(why));
}

/* Report a file that is missing or cannot be read, at the place of its path. */
static void path_problem(struct ref_loader *l, const struct ref_template *t, str why)
{
	ref_mistake_at_path(l, t->path, TEMPLATE_PROBLEM, STR_ARG(t->path), STR_ARG(why));
}

static void function_problem(struct template_loader *t, str why)
{
	if (!t->function_problem)
		ref_mistake(t->l, val_str(val_at(VAL_GET(t->l->meta, "templateFunctionFiles"), 0)),
			    "an error occurred while parsing the template function files specified in the config. "
			    "error: %.*s",
			    STR_ARG(why));
	t->function_problem = true;
}

static int parse(const struct ref_loader *l, const struct tmpl_source *sources, size_t n, struct tmpl **ret,
		 struct buf *why)
{
	struct err e;
	int r = tmpl_parse(sources, n, &tmpl_library, l->o->limits, ret, why, &e);

	return why->error == -ENOMEM ? -ENOMEM : r;
}

/* Parses the template's own files and the function files together. When that fails, parsing its own files alone shows
 * whose mistake it is. */
static int parse_sources(struct template_loader *tl, struct ref_template *t, const struct sources *main)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1 << 20);
	CLEANUP(tmpl_freep) struct tmpl *alone = NULL;
	size_t n = main->v.n + tl->functions.v.n;
	struct tmpl_source *all = malloc(n * sizeof(*all));
	int r;

	if (!all)
		return err_nomem(tl->l->err);
	memcpy(all, main->v.p, main->v.n * sizeof(*all));
	if (tl->functions.v.n)
		memcpy(all + main->v.n, tl->functions.v.p, tl->functions.v.n * sizeof(*all));
	r = parse(tl->l, all, n, &t->text->tmpl, &why);
	if (r < 0 && r != -ENOMEM) {
		CLEANUP(buf_done) struct buf first = BUF_INIT(1 << 20);

		r = parse(tl->l, all, main->v.n, &alone, &first);
		if (r == 0)
			function_problem(tl, buf_str(&why));
		else if (r != -ENOMEM)
			template_problem(tl->l, t, buf_str(&first));
		r = r == -ENOMEM ? r : 0;
	}
	free(all);
	return r < 0 ? err_nomem(tl->l->err) : 0;
}

static void main_first(struct sources *main, str name)
{
	for (size_t i = 1; i < main->v.n; i++) {
		struct tmpl_source s = main->v.p[i];

		if (str_eq(main->v.p[0].name, name))
			return;
		if (str_eq(s.name, name)) {
			main->v.p[i] = main->v.p[0];
			main->v.p[0] = s;
		}
	}
}

/* Parse a template. *second is the line of a second document, as far as the file shows one; 0: it does not. */
static int parse_template(struct template_loader *tl, struct ref_template *t, size_t *second)
{
	CLEANUP(sources_done) struct sources main = { 0 };
	int r = read_pattern(tl->l, t->path, &main);

	if (r < 0)
		return r;
	if (main.problem.n) {
		path_problem(tl->l, t, main.problem);
		return 0;
	}
	if (tl->functions.problem.n) {
		function_problem(tl, tl->functions.problem);
		return 0;
	}
	main_first(&main, base_name(t->path));
	r = ref_second_document_of_template(main.v.p[0].text, second, tl->l->err);
	return r < 0 ? r : parse_sources(tl, t, &main);
}

/* ---- identity ---- */

static bool copy_string(struct ref_loader *l, val v, str *ret)
{
	if (!val_is_string(v) || !v.n) {
		*ret = STR("");
		return true;
	}
	return ref_copy(l, val_str(v), ret);
}

static int set_identity(struct ref_loader *l, struct ref_template *t, val rendered)
{
	val metadata = VAL_GET(rendered, "metadata");
	struct identity *id = &t->identity;

	if (!copy_string(l, VAL_GET(rendered, "apiVersion"), &id->api_version) ||
	    !copy_string(l, VAL_GET(rendered, "kind"), &id->kind) ||
	    !copy_string(l, VAL_GET(metadata, "namespace"), &id->namespace) ||
	    !copy_string(l, VAL_GET(metadata, "name"), &id->name))
		return err_nomem(l->err);
	if (!id->kind.n)
		ref_mistake_in(l, t, "template missing kind: %.*s", STR_ARG(t->path));
	return 0;
}

/* Report a glob that names files, but none that is called like the glob, which is the template that runs. */
static int no_main(struct ref_loader *l, const struct ref_template *t)
{
	str name = base_name(t->path);
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(6 * name.n + 64);

	go_quote(&quoted, name);
	if (quoted.error)
		return err_nomem(l->err);
	ref_mistake_in(l, t,
		       "failed to parse template %.*s with empty data: failed to constuct template: template: %.*s: "
		       "%.*s is an incomplete or empty template",
		       STR_ARG(t->path), STR_ARG(name), STR_ARG(buf_str(&quoted)));
	return 0;
}

/* Report a second document. The original silently compares only with the first. */
static void several_documents(struct ref_loader *l, const struct ref_template *t, size_t second)
{
	if (l->o->one_document)
		ref_report_at_line(l, t, second, false,
				   "template %.*s has a second document here; a template has one, and each object a "
				   "template of its own",
				   STR_ARG(t->path));
	else
		ref_report_at_line(l, t, second, true,
				   "template %.*s has a second document here, which is not compared with anything",
				   STR_ARG(t->path));
}

/* Render with an empty object, to find the template's identity in what is rendered. */
static int render_identity(struct ref_loader *l, struct ref_template *t, val config, size_t second)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(l->o->limits->template_output_bytes + (1 << 16));
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct tmpl_env env = { .limits = l->o->limits,
				.lookup = l->o->lookup,
				.ctx = l->o->ctx,
				.zones = l->o->zones,
				.error_text = &text };
	val empty = val_map_sorted(NULL, 0);
	bool several = false;
	struct err e;
	int r;

	if (l->o->progress)
		l->o->progress(l->o->ctx, t->path);
	if (!str_eq(tmpl_name(t->text->tmpl), base_name(t->path)))
		return no_main(l, t);
	r = ref_render_any(t, empty, &env, &several, &doc, &e);
	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0) {
		ref_mistake_in(l, t, "failed to parse template %.*s with empty data: %s", STR_ARG(t->path),
			       text.n ? text.p : e.msg);
		return 0;
	}
	if (several)
		several_documents(l, t, second);
	r = ref_load_fields(l, t, VAL_GET(config, "perField"), doc->root);
	return r < 0 ? r : set_identity(l, t, doc->root);
}

static int load_template(struct template_loader *tl, struct ref_template *t, val config)
{
	struct ref_loader *l = tl->l;
	size_t second = 0;
	int r = parse_template(tl, t, &second);

	if (r < 0 || !t->text->tmpl)
		return r;
	r = tmpl_footprint(t->text->tmpl, &t->text->footprint, l->err);
	if (r == 0)
		r = render_identity(l, t, config, second);
	t->text->one_document = l->o->one_document;
	return r < 0 ? r : ref_omit_for(l, VAL_GET(config, "fieldsToOmitRefs"), &t->text->omit);
}

/* ---- all templates ---- */

static int link_same_paths(struct ref_loader *l)
{
	struct strmap last = { 0 };
	int r = 0;

	for (size_t i = 0; i < l->ref->n_templates && r == 0; i++) {
		struct ref_template *t = l->ref->templates[i];
		struct ref_template *before = strmap_get(&last, t->path);

		if (before) {
			t->same_path = before->same_path;
			before->same_path = t;
		}
		if (!strmap_put(&last, t->path, t, NULL))
			r = err_nomem(l->err);
	}
	strmap_done(&last);
	return r;
}

/* Prepare plain templates, as long as all of them together are small. The others are rendered like any template. */
static int add_plain(struct ref_loader *l)
{
	size_t bytes = 0;
	int r = 0;

	for (size_t i = 0; i < l->ref->n_templates && bytes < PLAIN_BYTES_MAX && r == 0; i++) {
		struct ref_text *text = l->ref->templates[i]->text;

		if (text->tmpl)
			r = ref_plain_new(text->tmpl, l->o->limits, &text->plain, l->err);
		if (text->plain)
			bytes += ref_plain_bytes(text->plain);
	}
	return r;
}

/* Add the shapes. This comes last, because what a template renders without an object is unlike its other texts. */
static int add_shapes(struct ref_loader *l)
{
	l->ref->shapes = ref_shapes_new(l->ref->n_templates);
	for (size_t i = 0; i < l->ref->n_templates; i++)
		l->ref->templates[i]->text->shapes = l->ref->shapes;
	return l->ref->shapes ? 0 : err_nomem(l->err);
}

static int load_templates(struct ref_loader *l)
{
	struct template_loader tl = { .l = l };
	int r = link_same_paths(l);

	if (r == 0)
		r = read_functions(&tl);
	for (size_t i = 0; i < l->ref->n_templates && r == 0; i++)
		r = load_template(&tl, l->ref->templates[i], l->configs[i]);
	sources_done(&tl.functions);
	if (r == 0)
		r = add_plain(l);
	return r < 0 ? r : add_shapes(l);
}

/* ---- the hash ---- */

/* Hash with SHA-256 the decoded metadata, written back as YAML, and the text of each main template's tree. */
static int hash_all(struct ref_loader *l)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(l->o->limits->arena_bytes);
	val v = go_encode(l->meta, l->ref->version == 1 ? &ref_schema_v1 : &ref_schema_v2, &l->ref->arena);
	int r;

	if (!val_exists(v))
		return err_nomem(l->err);
	r = yaml_encode(v, &text, l->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->ref->n_templates; i++)
		tmpl_print_tree(l->ref->templates[i]->text->tmpl, &text);
	r = buf_error(&text, "text of the reference", l->err);
	return r < 0 ? r : reference_hash(l->ref, buf_str(&text), l->err);
}

/* ---- the reference ---- */

static int run_stages(struct ref_loader *l)
{
	int r = ref_decode_metadata(l);

	if (r == 0)
		r = ref_resolve_omit(l);
	if (r == 0)
		r = ref_build_parts(l);
	return r == 0 ? load_templates(l) : r;
}

int reference_load(const struct ref_source *source, const struct ref_options *o, struct reference **ret,
		   struct problems *problems, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = reference_new(o->limits, o->name, 0);
	struct ref_loader l = { .ref = ref, .source = source, .o = o, .problems = problems, .err = err };
	size_t before = problems->list.n + problems->dropped;
	int r;

	if (!ref)
		return err_nomem(err);
	r = run_stages(&l);
	free((char *)(uintptr_t)l.text.p);
	if (l.no_memory)
		return err_nomem(err);
	if (r < 0)
		return r;
	if (problems->list.n + problems->dropped > before)
		return err_set(err, EINVAL, "reference '%.*s' refused", STR_ARG(o->name));
	r = hash_all(&l);
	if (r < 0)
		return r;
	*ret = TAKE(ref);
	return 0;
}
