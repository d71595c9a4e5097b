/* Writes objects, with what they are compared with. */
#include "daemon/api/api_internal.h"

#include "base/strmap.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "value/json_out.h"

#define WRITTEN_MAX 20
#define KEY_MAX ((size_t)64 << 10)
#define IDS_MAX ((size_t)1 << 20)

struct objects_open {
	struct object_query query;
	struct findings_scan scan;
	struct strmap ids; /* object -> JSON texts of the IDs of its open findings, with commas */
	struct buf key;
	bool failed; /* memory was short */
};

struct writing {
	const struct metrics_view *view;
	const struct object_query *q;
	const struct objects_open *open;
	struct cluster *cluster;
	struct buf *out;
	size_t n;       /* number of objects of this kind and cluster */
	size_t written; /* how many objects were unpacked to find out who wrote them */
};

static void add_references(const struct cluster *c, struct buf *out)
{
	size_t n;
	const struct reference_judge *judges = cluster_judges(c, &n);

	json_open(out, "references", '[');
	for (size_t i = 0; i < n; i++)
		json_item(out, judges[i].reference->name);
	buf_add_byte(out, ']');
}

/* The key of an object as a text. */
static str object_text(const struct finding_subject *s, struct buf *out)
{
	buf_clear(out);
	buf_printf(out, "%.*s\n%.*s\n%.*s\n%.*s", STR_ARG(s->cluster), STR_ARG(s->api_version), STR_ARG(s->kind),
		   STR_ARG(s->namespace));
	return buf_str(out);
}

/* ---- what is open ---- */

#define LOOKS_AT_ONCE 256 /* findings before the next look at the clock */

int objects_open_new(const struct metrics_view *view, const struct object_query *q, struct objects_open **ret,
		     struct err *err)
{
	struct objects_open *o = calloc(1, sizeof(*o));

	if (!o)
		return err_nomem(err);
	o->query = *q;
	o->key = BUF_INIT(KEY_MAX);
	findings_scan_begin(view->findings, &o->scan);
	*ret = o;
	return 0;
}

void objects_open_free(struct objects_open *o)
{
	const struct strmap_entry *e;

	for (size_t at = 0; (e = strmap_each(&o->ids, &at));) {
		buf_done(e->value);
		free(e->value);
	}
	findings_scan_end(&o->scan);
	strmap_done(&o->ids);
	buf_done(&o->key);
	free(o);
}

/* The IDs of the findings of the object with the key @text. NULL without memory. */
static struct buf *ids_of(struct objects_open *o, str text)
{
	struct buf *ids = strmap_get(&o->ids, text);

	if (ids)
		return ids;
	ids = calloc(1, sizeof(*ids));
	if (!ids || !strmap_put(&o->ids, text, ids, NULL)) {
		free(ids);
		return NULL;
	}
	*ids = BUF_INIT(IDS_MAX);
	return ids;
}

static void look_at(struct objects_open *o, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;
	struct buf *ids;

	if (!str_eq(s->name, o->query.name))
		return;
	ids = ids_of(o, object_text(s, &o->key));
	if (ids)
		json_item(ids, str_from(x->id));
	o->failed |= !ids || ids->error || o->key.error;
}

bool objects_open_look(struct objects_open *o, uint64_t until_ns)
{
	const struct finding *x;
	size_t n = 0;

	while ((x = findings_scan_next(&o->scan))) {
		look_at(o, x);
		if (++n % LOOKS_AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return true;
	}
	return false;
}

/* ---- objects ---- */

static void add_findings(const struct writing *w, const struct finding_subject *s)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_MAX);
	const struct buf *ids = strmap_get(&w->open->ids, object_text(s, &key));

	json_open(w->out, "findings", '[');
	if (ids)
		buf_add_str(w->out, buf_str(ids));
	buf_add_byte(w->out, ']');
}

static void add_last_write(struct writing *w, const struct object *o)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct blame b;

	if (w->written++ >= WRITTEN_MAX || !cluster_object_written(w->cluster, o, &a, &b))
		return;
	json_text(w->out, "lastWritten", b.time);
	json_text(w->out, "lastWriter", b.manager);
}

static void add_object(void *ctx, const struct object *o)
{
	struct writing *w = ctx;
	struct finding_subject s = { .cluster = cluster_name(w->cluster) };

	object_subject(o, &s);
	w->n++;
	json_open(w->out, NULL, '{');
	json_text(w->out, "cluster", s.cluster);
	json_text(w->out, "apiVersion", s.api_version);
	json_text(w->out, "kind", s.kind);
	json_text(w->out, "resource", s.resource);
	json_text(w->out, "namespace", s.namespace);
	json_text(w->out, "name", s.name);
	json_text(w->out, "uid", s.uid);
	add_last_write(w, o);
	if (object_is_queued(o))
		json_bool(w->out, "pending", true);
	if (o->unreadable)
		json_text(w->out, "unreadable", str_from(o->unreadable));
	add_references(w->cluster, w->out);
	add_findings(w, &s);
	buf_add_byte(w->out, '}');
}

/* Explain why there are no objects of the kind, so that an administrator knows how to go on. */
static void note(struct buf *notes, const struct cluster *c, const struct cluster_kind *k, const struct object_query *q)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	buf_printf(&text, "cluster %.*s: ", STR_ARG(cluster_name(c)));
	if (!k)
		buf_printf(&text, "no reference and no rule is about '%.*s': it is not watched", STR_ARG(q->kind));
	else if (cluster_kind_missing(k))
		buf_printf(&text, "the server does not have %.*s of %.*s", STR_ARG(k->kind->name),
			   STR_ARG(k->kind->api_version));
	else if (!k->kind->known)
		buf_printf(&text, "%.*s are not completely listed yet", STR_ARG(k->kind->resource));
	else
		buf_printf(&text, "there is no such object among the watched %.*s", STR_ARG(k->kind->resource));
	for (size_t i = 0; k && i < k->n_watches; i++) {
		const struct watch_scope *s = &k->watches[i].scope;

		if (s->namespace.n || s->name.n)
			buf_printf(&text, "%s%.*s%s%.*s", i ? ", " : ", of which are watched: ", STR_ARG(s->namespace),
				   s->name.n ? "/" : "", STR_ARG(s->name));
	}
	json_item(notes, buf_str(&text));
}

/* Add a cluster. @kinds_meant: the kinds that the query means in it. */
static void add_cluster(struct writing *w, str kinds_meant, struct buf *notes)
{
	const struct object_query *q = w->q;
	size_t n, found = 0;
	struct cluster_kind *const *kinds = cluster_kinds(w->cluster, &n);

	for (size_t i = 0; i < n; i++) {
		const struct cluster_kind *k = kinds[i];

		if (!kind_words_mean(kinds_meant, k->kind->name, k->kind->resource))
			continue;
		found++;
		w->n = 0;
		cluster_objects_called(k, q->namespace, q->name, add_object, w);
		if (!w->n)
			note(notes, w->cluster, k, q);
	}
	if (!found)
		note(notes, w->cluster, NULL, q);
}

int objects_doc(const struct metrics_view *view, const struct objects_open *o, struct buf *out, struct err *err)
{
	const struct object_query *q = &o->query;
	CLEANUP(buf_done) struct buf notes = BUF_INIT(1u << 20), kinds = BUF_INIT(1u << 16);
	struct writing w = { .view = view, .q = q, .open = o, .out = out };
	bool cluster_known = false;

	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"ObjectList\",\"items\":[");
	buf_add_byte(&notes, '[');
	for (size_t i = 0; i < view->n_clusters; i++) {
		w.cluster = view->clusters[i];
		if (q->cluster.n && !str_eq(q->cluster, cluster_name(w.cluster)))
			continue;
		cluster_known = true;
		buf_clear(&kinds);
		kind_words_resolve(view, cluster_name(w.cluster), q->kind, &kinds);
		add_cluster(&w, buf_str(&kinds), &notes);
	}
	if (!cluster_known)
		json_item(&notes, q->cluster.n ? STR("no cluster of that name is configured")
					       : STR("no cluster is configured"));
	buf_add_cstr(out, "],\"notes\":");
	buf_add_str(out, buf_str(&notes));
	buf_add_cstr(out, "]}\n");
	if (notes.error)
		out->error = notes.error;
	return o->failed ? err_nomem(err) : 0;
}
