/* Manifests and live objects, and what differs. */
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"
#include "support/triples.h"
#include "value/json.h"
#include "value/yaml.h"

/* The schema of a custom resource stands behind the object, as a document of its own. */
struct sides {
	struct doc *manifest, *live, *schema;
};

static void sides_done(struct sides *s)
{
	doc_unref(s->manifest);
	doc_unref(s->live);
	doc_unref(s->schema);
}

static int read_sides(const struct triple *t, const struct limits *limits, struct sides *s, struct err *err)
{
	struct yaml_options o = { .limits = limits };
	struct yaml_part part;
	str rest = t->input;
	size_t line = 1;
	int r = yaml_decode(t->program, &o, &s->manifest, err);

	if (r == 0 && yaml_next_part(&rest, &line, &part))
		r = yaml_decode(part.text, &o, &s->live, err);
	if (r == 0 && yaml_next_part(&rest, &line, &part))
		r = yaml_decode(part.text, &o, &s->schema, err);
	return r;
}

static void add_value(struct buf *out, val v)
{
	struct err err;

	if (!val_exists(v))
		buf_add_cstr(out, "nothing");
	else if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

/* "PATH: EXPECTED -> FOUND, why", a line each. */
static void add_differences(const struct manifest_difference *d, struct buf *out)
{
	for (size_t i = 0; i < d->changes.n; i++) {
		const struct change *c = &d->changes.p[i];

		buf_printf(out, "%.*s: ", STR_ARG(c->path_text));
		if (c->sensitive)
			buf_add_cstr(out, "hidden");
		else
			add_value(out, c->expected);
		if (!c->sensitive) {
			buf_add_cstr(out, " -> ");
			add_value(out, c->actual);
		}
		buf_printf(out, ", %s\n", c->why);
	}
	if (!d->changes.n && !d->deleting)
		buf_add_cstr(out, "the same");
	if (d->deleting)
		buf_add_cstr(out, "is being deleted\n");
}

static int compare(const struct triple *t, enum manifest_additions additions, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(sides_done) struct sides s = { 0 };
	struct manifest_env env = { .limits = &limits, .additions = additions };
	struct manifest_difference d, again;
	struct err err;
	int r = read_sides(t, &limits, &s, &err);

	if (r == 0) {
		env.schema = s.schema ? s.schema->root : (val){ 0 };
		env.managers = manifest_managers_of;
		env.ctx = &s.live->root;
		r = manifest_compare(s.manifest->root, s.live->root, &env, a, &d, &err);
	}
	/* Of what an apply leaves nothing differs any more. */
	if (r == 0)
		r = manifest_compare(s.manifest->root, d.expected, &env, a, &again, &err);
	if (r == 0)
		add_differences(&d, out);
	else
		return triple_error(r, &err, out);
	if (again.changes.total)
		buf_add_cstr(out, "and once more after an apply\n");
	return 0;
}

static int run_ignore(const struct triple *t, struct arena *a, struct buf *out)
{
	return compare(t, MANIFEST_IGNORE, a, out);
}

static int run_drift(const struct triple *t, struct arena *a, struct buf *out)
{
	return compare(t, MANIFEST_DRIFT, a, out);
}

/* ---- reading ---- */

static void add_problems(const char *what, const struct problems *p, struct buf *out)
{
	for (size_t i = 0; i < p->list.n; i++)
		buf_printf(out, "%s %s\n", what, p->list.p[i]);
}

static void add_manifests(struct manifest_set *s, struct buf *out)
{
	for (size_t i = 0; i < s->list.n; i++) {
		const struct manifest *m = &s->list.p[i];

		identity_text(&m->id, out);
		buf_printf(out, " at %.*s%s\n", STR_ARG(manifest_where(s, m, (struct path){ 0 })),
			   m->optional ? ", optional" : "");
	}
	if (s->n_hooks)
		buf_printf(out, "%zu hooks\n", s->n_hooks);
	if (s->n_unnamed)
		buf_printf(out, "%zu unnamed\n", s->n_unnamed);
	add_problems("mistake", &s->mistakes, out);
	add_problems("warning", &s->warnings, out);
}

/* The program is the file, the input a definition. */
static int run_read(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *crd = NULL;
	struct yaml_options o = { .limits = &limits };
	struct crd_table definitions;
	struct manifest_set s;
	struct err err;
	int r = 0;

	(void)a;
	crd_table_init(&definitions);
	manifest_set_init(&s, &limits, NULL);
	if (t->has_input)
		r = yaml_decode(t->input, &o, &crd, &err);
	if (r == 0 && crd)
		r = crd_table_add(&definitions, crd->root, &err);
	if (r == 0)
		r = manifest_set_add(&s, STR("f.yaml"), t->program, &err);
	if (r == 0)
		r = manifest_set_finish(&s, &definitions, STR("here"), &err);
	if (r == 0)
		add_manifests(&s, out);
	manifest_set_done(&s);
	crd_table_done(&definitions);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "compare_ignore", run_ignore },
		{ "compare_drift", run_drift },
		{ "read", run_read },
	};

	return triples_main(TEST_DATA "/manifest/triples", files, ARRAY_LEN(files));
}
