/* Manifests as a reference: what it is made of, when its hash is another, and how objects are judged by it.
 *
 * The program of a case is a map from file to text; its input a map of settings: "folder", "namespace", "additions",
 * "orphans" (a label selector), "kinds" (texts "APIVERSION KIND"); and for judging "objects", what they were before
 * ("correlated"), "schema", "steps", "explain", "view", and what rules over the difference use up ("rules use up").
 * With "applied" the reference is one of what was applied last to objects of "kinds", in "namespaces", with the labels
 * of "orphans"; there are no files then. */
#include "manifest/manifest_applied.h"
#include "support/triples.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>

#define KINDS_MAX 8

struct bench {
	struct limits limits;
	struct doc *files, *settings;
	struct manifest_set set;
	struct crd_table definitions;
	struct ref_choice orphans;
	struct manifest_kind kinds[KINDS_MAX];
	str namespaces[KINDS_MAX];
	struct reference *ref;
};

static void bench_done(struct bench *b)
{
	reference_unref(b->ref);
	crd_table_done(&b->definitions);
	manifest_set_done(&b->set);
	doc_unref(b->files);
	doc_unref(b->settings);
}

static val setting(const struct bench *b, const char *name)
{
	return b->settings ? val_get(b->settings->root, str_from(name)) : (val){ 0 };
}

static str text_of(const struct bench *b, const char *name, const char *without)
{
	val v = setting(b, name);

	return val_exists(v) ? val_str(v) : str_from(without);
}

/* ---- making one ---- */

static int read_files(struct bench *b, val files, struct err *err)
{
	int r = 0;

	for (uint32_t i = 0; i < val_count(files) && r == 0; i++)
		r = manifest_set_add(&b->set, key_str(files.members[i].key), val_str(files.members[i].value), err);
	if (r == 0)
		r = manifest_set_finish(&b->set, &b->definitions, text_of(b, "namespace", "here"), err);
	if (r == 0 && problems_any(&b->set.mistakes))
		r = err_set(err, EINVAL, "%s", b->set.mistakes.list.p[0]);
	return r;
}

static int read_orphans(struct bench *b, struct arena *a, struct manifest_reference_options *o, struct err *err)
{
	struct problems problems = { 0 };
	val kinds = setting(b, "kinds");
	struct node *n = NULL;
	int r = 0;

	if (!val_exists(setting(b, "orphans")))
		return 0;
	r = node_parse(text_of(b, "orphans", ""), "orphans", &b->limits, a, &n, &problems, err);
	if (r == 0 && !label_selector_read(n, a, &b->orphans.labels, &problems))
		r = err_nomem(err);
	problems_done(&problems);
	o->orphans = &b->orphans;
	for (uint32_t i = 0; i < val_count(kinds) && i < KINDS_MAX; i++) {
		str text = val_str(val_at(kinds, i));
		size_t space = (size_t)str_find_byte(text, ' ');

		b->kinds[i] = (struct manifest_kind){ str_sub(text, 0, space), str_sub(text, space + 1, text.n) };
		o->n_orphan_kinds = i + 1;
	}
	o->orphan_kinds = b->kinds;
	return r;
}

static int make_applied(struct bench *b, const struct manifest_reference_options *o, struct err *err)
{
	const struct applied_reference_options applied = {
		.limits = o->limits,
		.name = o->name,
		.kinds = b->kinds,
		.n_kinds = o->n_orphan_kinds,
		.choice = &b->orphans,
		.additions = o->additions,
	};
	val namespaces = setting(b, "namespaces");

	for (uint32_t i = 0; i < val_count(namespaces) && i < KINDS_MAX; i++)
		b->namespaces[b->orphans.n_namespaces++] = val_str(val_at(namespaces, i));
	b->orphans.namespaces = b->namespaces;
	return applied_reference_make(&applied, &b->ref, err);
}

static int make(struct bench *b, val files, struct arena *a, struct err *err)
{
	struct manifest_reference_options o = {
		.limits = &b->limits,
		.name = STR("ref"),
		.folder = text_of(b, "folder", ""),
		.additions = str_eq(text_of(b, "additions", "drift"), STR("ignore")) ? MANIFEST_IGNORE : MANIFEST_DRIFT,
	};
	int r;

	crd_table_init(&b->definitions);
	manifest_set_init(&b->set, &b->limits, NULL);
	r = read_files(b, files, err);
	if (r == 0)
		r = read_orphans(b, a, &o, err);
	if (r == 0 && val_exists(setting(b, "applied")))
		return make_applied(b, &o, err);
	return r < 0 ? r : manifest_reference_make(&b->set, &b->definitions, &o, &b->ref, err);
}

static int begin(struct bench *b, const struct triple *t, struct err *err)
{
	struct yaml_options o = { .limits = &b->limits };
	int r;

	*b = (struct bench){ .limits = LIMITS_DEFAULT };
	r = yaml_decode(t->program, &o, &b->files, err);
	if (r == 0 && t->has_input)
		r = yaml_decode(t->input, &o, &b->settings, err);
	return r;
}

/* ---- what it is made of ---- */

static void add_template(const struct ref_template *t, struct buf *out)
{
	buf_add_cstr(out, "  ");
	identity_text(&t->identity, out);
	buf_printf(out, "%s%s, of %.*s\n", t->any_scope ? ", or without a namespace" : "",
		   t->use == REF_ORPHANS   ? ", orphans"
		   : t->use == REF_APPLIED ? ", applied"
					   : "",
		   STR_ARG(t->path));
}

static void add_component(const struct ref_component *c, struct buf *out)
{
	buf_printf(out, "%.*s: %s, %zu of %zu\n", STR_ARG(c->name), ref_group_name(c->group), c->n_required,
		   c->n_templates);
	for (size_t i = 0; i < c->n_templates; i++) {
		if (c->templates[i]->component != c)
			buf_add_cstr(out, "of another component:");
		add_template(c->templates[i], out);
	}
}

static void add_reference(const struct reference *ref, struct buf *out)
{
	for (size_t i = 0; i < ref->parts[0].n_components; i++)
		add_component(&ref->parts[0].components[i], out);
	for (size_t i = 0; i < ref->n_templates; i++) {
		if (ref->templates[i]->index != i)
			buf_add_cstr(out, "wrong index\n");
	}
	if (ref->n_parts != 1 || !str_eq(ref->parts[0].name, STR("ref")) || !ref->manifests || ref->version != 2)
		buf_add_cstr(out, "wrong reference\n");
	if (!ref->additions)
		buf_add_cstr(out, "additions are ignored\n");
	if (ref->n_hooks || ref->n_unnamed)
		buf_printf(out, "%zu hooks, %zu unnamed\n", ref->n_hooks, ref->n_unnamed);
}

static int run_make(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(bench_done) struct bench b;
	struct err err;
	int r = begin(&b, t, &err);

	if (r == 0)
		r = make(&b, b.files->root, a, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	add_reference(b.ref, out);
	return 0;
}

/* ---- its hash ---- */

static int make_hash(str settings, val *files, struct bench *b, char ret[65], struct arena *a, struct err *err)
{
	struct yaml_options o = { .limits = &b->limits };
	int r = yaml_decode(settings, &o, &b->settings, err);

	if (r == 0 && val_exists(setting(b, "files")))
		*files = setting(b, "files");
	if (r == 0)
		r = make(b, *files, a, err);
	if (r == 0)
		memcpy(ret, b->ref->hash, 65);
	return r;
}

/* Both sides are settings, and "files"; without them the second has those of the first. */
static int run_hash(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(bench_done) struct bench before = { .limits = LIMITS_DEFAULT }, after = before;
	char hash_before[65], hash_after[65];
	val files = { 0 };
	struct err err;
	int r = make_hash(t->program, &files, &before, hash_before, a, &err);

	if (r == 0)
		r = make_hash(t->input, &files, &after, hash_after, a, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	buf_add_cstr(out, strcmp(hash_before, hash_after) == 0 ? "the same" : "another");
	return 0;
}

/* ---- judging by it ---- */

static void add_value(const char *before, val v, struct buf *out)
{
	struct err err;

	buf_add_cstr(out, before);
	if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

static void add_verdict(const struct verdict *v, bool read_sets, struct buf *out)
{
	buf_printf(out, ": %s", verdict_state_name(v->state));
	if (v->template)
		buf_printf(out, " by %.*s%s", STR_ARG(v->template->path),
			   v->template->use == REF_ORPHANS ? ", orphan" : "");
	for (size_t i = 0; i < v->changes.n; i++)
		buf_printf(out, "%s%.*s", i ? ", " : ": ", STR_ARG(v->changes.p[i].path_text));
	if (v->error.n)
		buf_printf(out, ": %.*s", STR_ARG(v->error));
	if (v->sensitive)
		buf_add_cstr(out, ", sensitive");
	for (size_t i = 0; i < v->n_trials; i++)
		buf_printf(out, "; %s %.*s %d %zu", v->trials[i].outcome == TRIAL_MATCHED ? "matched" : "failed",
			   STR_ARG(v->trials[i].template->path), v->trials[i].differs, v->trials[i].score);
	if (read_sets && v->n_read_parts)
		add_value("; sees ", v->read_set[0].names, out);
	buf_add_byte(out, '\n');
}

/* Event rules that use up what one evaluation may: memory, or steps. @ctx: which. */
static int use_up(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err)
{
	const char *what = ctx;

	(void)mask;
	if (strcmp(what, "memory") == 0 && !arena_alloc(&v->arena, v->arena.max + 1))
		return err_nomem(err);
	*steps = 0;
	return err_set(err, E2BIG, "out of steps");
}

static int judge(const struct bench *b, const struct matcher *m, val object, struct buf *out, struct err *err)
{
	bool explain = val_is_true(setting(b, "explain")), read_set = val_is_true(setting(b, "view"));
	struct limits limits = b->limits;
	struct compare_env env = {
		.limits = &limits, .schema = setting(b, "schema"), .explain = explain, .read_set = read_set
	};
	const struct identity id = identity_of(object);
	struct verdict v;
	int r;

	if (val_exists(setting(b, "steps")))
		limits.evaluation_steps = (uint64_t)setting(b, "steps").i;
	identity_text(&id, out);
	if (val_exists(setting(b, "rules use up"))) {
		env.review = use_up;
		env.ctx = val_is_true(VAL_GET(setting(b, "rules use up"), "memory")) ? "memory" : "steps";
	}
	if (val_exists(setting(b, "correlated")))
		env.correlated = setting(b, "correlated");
	r = verdict_reach_of(matcher_reference(m))(m, object, &env, &v, err);
	if (r < 0)
		return r;
	add_verdict(&v, read_set, out);
	verdict_done(&v);
	return 0;
}

static int run_judge(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(matcher_freep) struct matcher *m = NULL;
	CLEANUP(bench_done) struct bench b;
	struct err err;
	int r = begin(&b, t, &err);

	if (r == 0)
		r = make(&b, b.files->root, a, &err);
	if (r == 0)
		r = matcher_new(b.ref, &m, &err);
	for (uint32_t i = 0; r == 0 && i < val_count(setting(&b, "objects")); i++)
		r = judge(&b, m, val_at(setting(&b, "objects"), i), out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "make", run_make },     { "hash", run_hash },         { "judge", run_judge },
		{ "applied", run_judge }, { "applied_make", run_make },
	};

	return triples_main(TEST_DATA "/manifest/reference", files, ARRAY_LEN(files));
}
