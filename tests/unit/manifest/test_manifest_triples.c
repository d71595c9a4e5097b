/* Manifests and live objects, and what differs. */
#include "manifest/manifest_compare.h"
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
		r = manifest_compare(s.manifest->root, s.live->root, &env, a, &d, &err);
	}
	/* Of what an apply leaves nothing differs any more. */
	if (r == 0)
		r = manifest_compare(s.manifest->root, d.expected, &env, a, &again, &err);
	if (r == 0)
		add_differences(&d, out);
	else
		buf_add_cstr(out, err.msg);
	if (r == 0 && again.changes.total)
		buf_add_cstr(out, "and once more after an apply\n");
	return r;
}

static int run_ignore(const struct triple *t, struct arena *a, struct buf *out)
{
	return compare(t, MANIFEST_IGNORE, a, out);
}

static int run_drift(const struct triple *t, struct arena *a, struct buf *out)
{
	return compare(t, MANIFEST_DRIFT, a, out);
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "compare_ignore", run_ignore },
		{ "compare_drift", run_drift },
	};

	return triples_main(TEST_DATA "/manifest/triples", files, ARRAY_LEN(files));
}
