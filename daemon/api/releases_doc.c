/* Writes the releases of Helm as a document of the API. */
#include "daemon/api/api_internal.h"

#include "value/json_out.h"

static void add_open(const struct release_item *x, struct buf *out)
{
	json_open(out, "open", '{');
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (x->open[s])
			json_number(out, severity_name((enum severity)s), x->open[s]);
	}
	buf_add_byte(out, '}');
}

static void add_left_out(const struct release_left_out *left, struct buf *out)
{
	const struct {
		const char *name;
		size_t n;
	} why[] = {
		{ "kinds", left->kinds },
		{ "places", left->places },
		{ "hooks", left->hooks },
		{ "unnamed", left->unnamed },
	};

	json_open(out, "leftOut", '{');
	for (size_t i = 0; i < ARRAY_LEN(why); i++) {
		if (why[i].n)
			json_number(out, why[i].name, why[i].n);
	}
	buf_add_byte(out, '}');
}

static void add_problem(const struct known_release *k, struct buf *out)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(4096);

	release_problem(k, &why);
	json_text(out, "problem", buf_str(&why));
}

static void add_revisions(const struct known_release *k, struct buf *out)
{
	json_open(out, "revisions", '[');
	for (size_t i = 0; i < k->revisions.n; i++) {
		const struct release_revision *r = &k->revisions.p[i];

		json_open(out, NULL, '{');
		json_number(out, "revision", r->number);
		json_text(out, "status", str_from(helm_status_name(r->status)));
		json_time(out, "changed", r->changed_sec * 1000000);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_objects(const struct release_item *x, struct buf *out)
{
	json_open(out, "manifests", '[');
	for (size_t i = 0; i < x->objects; i++) {
		const struct ref_template *t = x->component->templates[i];

		json_open(out, NULL, '{');
		json_text(out, "apiVersion", t->identity.api_version);
		json_text(out, "kind", t->identity.kind);
		json_text(out, "namespace", t->identity.namespace);
		json_text(out, "name", t->identity.name);
		json_text(out, "state", str_from(release_object_state(x, t)));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_release(const struct release_item *x, bool whole, struct buf *out)
{
	const struct known_release *k = x->is;
	size_t n;

	json_open(out, NULL, '{');
	json_text(out, "cluster", cluster_name(x->cluster));
	json_text(out, "reference", cluster_judges(x->cluster, &n)[x->judge].reference->name);
	json_text(out, "namespace", k->namespace);
	json_text(out, "name", k->release);
	json_number(out, "revision", k->newest.number);
	json_text(out, "status", str_from(helm_status_name(k->newest.status)));
	json_time(out, "changed", k->newest.changed_sec * 1000000);
	json_text(out, "state", str_from(release_state(x)));
	if (k->opened)
		json_number(out, "inForce", k->opened);
	json_bool(out, "trusted", k->trusted);
	json_number(out, "objects", x->objects);
	add_left_out(&k->left_out, out);
	add_problem(k, out);
	add_open(x, out);
	if (whole) {
		add_revisions(k, out);
		add_objects(x, out);
	}
	buf_add_byte(out, '}');
}

static bool is_narrow(const struct release_filter *f)
{
	return f->cluster.n || f->namespace.n || f->name.n;
}

/* Explain why there may be more releases, or none. */
static void add_notes(const struct release_list *l, const struct release_filter *f, struct buf *out)
{
	json_open(out, "notes", '[');
	if (!l->n_references)
		json_item(out, f->cluster.n ? STR("no reference of that cluster has helm_releases")
					    : STR("no reference of the configuration has helm_releases"));
	else if (l->n_unknown)
		json_item(out, STR("not all Secrets of releases are listed yet"));
	else if (!l->items.n)
		json_item(out, is_narrow(f) ? STR("no such release is known") : STR("there is no release"));
	buf_add_byte(out, ']');
}

int releases_doc(const struct metrics_view *view, const struct release_filter *f, struct buf *out, struct err *err)
{
	struct release_list l;
	int r = release_list_make(view, f, &l, err);
	bool known;

	if (r < 0)
		return r;
	known = l.n_references && !l.n_unknown && (l.items.n || !is_narrow(f));
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"ReleaseList\"");
	completeness_doc(view, known, out);
	json_open(out, "items", '[');
	for (size_t i = 0; i < l.items.n; i++)
		add_release(&l.items.p[i], f->name.n > 0, out);
	buf_add_byte(out, ']');
	add_notes(&l, f, out);
	buf_add_cstr(out, "}\n");
	release_list_done(&l);
	return 0;
}
