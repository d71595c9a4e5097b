/* Changes, verdicts and component groups by examples: tests/data/compare/triples. */
#include "support/memory_source.h"
#include "support/triples.h"

#include "compare/compare.h"
#include "compare/groups.h"
#include "reference/go_decode.h"
#include "value/json.h"

static const struct limits limits = LIMITS_DEFAULT;

static int decode_yaml(str text, struct doc **ret, struct err *err)
{
	struct yaml_options o = { .limits = &limits, .uints_as_double = true };

	return yaml_decode(text, &o, ret, err);
}

static void add_value(struct buf *out, val v, bool hidden)
{
	struct err err;

	buf_add_byte(out, ' ');
	if (!val_exists(v))
		buf_add_byte(out, '-');
	else if (hidden)
		buf_add_byte(out, '*');
	else if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

static void add_changes(const struct changes *changes, struct buf *out)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *c = &changes->p[i];

		buf_printf(out, "%s %.*s", change_kind_name(c->kind), STR_ARG(c->path_text));
		add_value(out, c->expected, c->sensitive);
		add_value(out, c->actual, c->sensitive);
		buf_add_byte(out, '\n');
	}
}

/* Expected and actual as JSON; "kind path expected actual", a line for each change. */
static int run_changes(const struct triple *t, struct arena *a, struct buf *out)
{
	struct json_options o = { .limits = &limits };
	struct changes changes;
	val expected, actual;
	struct err err;
	size_t used;
	int r = json_decode_value(t->program, &o, a, &expected, &used, &err);

	if (r == 0)
		r = json_decode_value(t->input, &o, a, &actual, &used, &err);
	if (r == 0)
		r = changes_find(expected, actual, (val){ 0 }, NULL, a, &changes, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	add_changes(&changes, out);
	if (changes_any(expected, actual) != (changes.total > 0))
		buf_add_cstr(out, "(changes_any says otherwise)");
	return 0;
}

static int load(val files, struct reference **ref, struct buf *out)
{
	struct problems problems = { 0 };
	struct err err;
	int r = memory_reference(&files, ref, &problems, &err);

	if (r < 0) {
		CLEANUP(freep) char *text = problems_text(&problems);

		buf_add_cstr(out, text ? text : err.msg);
	}
	problems_done(&problems);
	return r;
}

static int judge(struct reference *ref, val object, struct buf *out, struct err *err)
{
	CLEANUP(matcher_freep) struct matcher *m = NULL;
	struct compare_env env = { .limits = &limits };
	struct verdict v;
	int r = matcher_new(ref, &m, err);

	if (r == 0)
		r = compare_object(m, object, &env, &v, err);
	if (r < 0)
		return r;
	buf_add_cstr(out, verdict_state_name(v.state));
	if (v.template)
		buf_printf(out, " %.*s", STR_ARG(v.template->path));
	buf_add_byte(out, '\n');
	if (v.error.n)
		buf_printf(out, "%.*s\n", STR_ARG(v.error));
	add_changes(&v.changes, out);
	verdict_done(&v);
	return 0;
}

/* The program is the files of a reference as YAML, the input an object; state, template, error or changes. */
static int run_verdict(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *files = NULL, *object = NULL;
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	struct err err;
	int r = decode_yaml(t->program, &files, &err);

	(void)a;
	if (r == 0)
		r = decode_yaml(t->input, &object, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	r = load(files->root, &ref, out);
	if (r < 0)
		return r;
	r = judge(ref, object->root, out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

/* Whether the template is named in @list ("a.yaml c.yaml"). */
static void mark_matched(const struct reference *ref, str list, bool *matched)
{
	str name;

	while (str_next_part(&list, ' ', &name)) {
		for (size_t i = 0; i < ref->n_templates; i++)
			matched[i] |= str_eq(ref->templates[i]->path, name);
	}
}

static int judge_part(const struct ref_part *part, const bool *matched, struct arena *a, struct buf *out,
		      struct err *err)
{
	for (size_t i = 0; i < part->n_components; i++) {
		struct component_verdict v;
		int r = component_judge(part, &part->components[i], matched, a, &v, err);

		if (r < 0)
			return r;
		buf_printf(out, "%.*s/%.*s: %s", STR_ARG(part->name), STR_ARG(part->components[i].name),
			   v.problem == COMPONENT_SATISFIED ? "satisfied" : component_problem_text(v.problem));
		for (size_t k = 0; k < v.n_templates; k++)
			buf_printf(out, " %.*s", STR_ARG(v.templates[k]->path));
		if (v.n_missing)
			buf_printf(out, ", %zu missing", v.n_missing);
		buf_add_byte(out, '\n');
	}
	return 0;
}

/* @metadata beside three templates, a.yaml to c.yaml. */
static val group_files(str metadata, struct arena *a)
{
	struct member m[4] = { { key_make(NULL, a, STR("metadata.yaml")), val_string(metadata) } };

	for (int i = 0; i < 3; i++) {
		str name = arena_printf(a, "%c.yaml", 'a' + i);
		str text = arena_printf(a, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %c, namespace: n}\n",
					'a' + i);

		m[i + 1] = (struct member){ key_make(NULL, a, name), val_string(text) };
	}
	return val_map(a, m, ARRAY_LEN(m));
}

/* The program is a reference's metadata, the input the templates that are matched; the verdict on each component. */
static int run_groups(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	bool matched[64] = { false };
	struct err err;
	int r = load(group_files(t->program, a), &ref, out);

	if (r < 0)
		return r;
	mark_matched(ref, t->input, matched);
	for (size_t i = 0; r == 0 && i < ref->n_parts; i++)
		r = judge_part(&ref->parts[i], matched, a, out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static const struct triple_file files[] = {
	{ "changes", run_changes },
	{ "verdict", run_verdict },
	{ "groups", run_groups },
};

int main(void)
{
	return triples_main(TEST_DATA "/compare/triples", files, ARRAY_LEN(files));
}
