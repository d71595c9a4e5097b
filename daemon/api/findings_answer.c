/* The list of findings, as a stream of parts.
 *
 *   first            what passes the filter is found, some of it on each turn of the loop
 *   without labels   findings or groups are written, some on each turn
 *   with labels      the object of each is looked at first, so many on a turn; groups are written when all were */
#include "daemon/api/api.h"

#include "daemon/api/api_internal.h"
#include "daemon/api/finding_doc.h"
#include "value/json_out.h"
#include "value/label_selector.h"

#include <errno.h>

#define KINDS_MAX ((size_t)64 << 10)
#define PART_BYTES ((size_t)32 << 10)  /* the approximate size of a part */
#define SORT_NS (UINT64_C(500) * 1000) /* the time on a turn for groups that labels select */
#define LOOKS_PER_TURN 200 /* objects: each takes some ten microseconds, and one of 1 MiB some milliseconds */

struct list_answer {
	struct view_source views;
	struct finding_filter filter;   /* the filter of the request; valid until the answer begins */
	struct buf kinds;               /* the kinds that its words mean */
	uint64_t generation;            /* the generation of the findings at the time of the request */
	struct err failed;              /* code 0: the search did not fail */
	struct findings_cursor *cursor; /* NULL: groups are listed, or all findings are in them */
	bool grouped;
	struct findings_groups groups;
	size_t at;  /* index into the groups */
	bool begun; /* whether any item was written */
	bool trusted;
	bool has_labels; /* whether @labels is set */
	struct label_selector labels;
	struct arena arena; /* memory of the labels */
	size_t n_written;   /* with labels: how many findings passed */
	/* with labels: how many findings have an unknown object, for instance because it was not listed again yet */
	size_t unknown;
};

struct turn {
	const struct metrics_view *view;
	uint64_t now_ns;
	size_t looks; /* how many objects may still be looked at */
};

/* ---- labels ---- */

static struct cluster *find_cluster(const struct metrics_view *view, str name)
{
	for (size_t i = 0; i < view->n_clusters; i++) {
		if (str_eq(cluster_name(view->clusters[i]), name))
			return view->clusters[i];
	}
	return NULL;
}

/* Whether the labels select the finding. A finding without an object has none. */
static bool is_selected(struct list_answer *l, const struct turn *t, const struct finding *x)
{
	const struct finding_subject *s = &x->subject;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct cluster *c = find_cluster(t->view, s->cluster);
	const struct object *o;
	struct err err;
	val labels;

	if (!s->name.n || finding_is_of_component(x->kind, s))
		return false;
	o = c ? cluster_find_object(c, s->api_version, s->kind, s->namespace, s->name) : NULL;
	if (!o || cluster_object_labels(c, o, &a, &labels, &err) < 0) {
		l->unknown++;
		return false;
	}
	return label_selector_matches(&l->labels, labels);
}

/* The next finding that the labels select; NULL: none on this turn; the cursor is after the last one. */
static const struct finding *next_selected(struct list_answer *l, struct turn *t)
{
	const struct finding *x;

	while (t->looks && (x = findings_cursor_next(l->cursor))) {
		if (!l->has_labels)
			return x;
		t->looks--;
		if (is_selected(l, t, x)) {
			l->n_written++;
			return x;
		}
	}
	if (t->looks)
		findings_cursor_free(TAKE(l->cursor));
	return NULL;
}

/* ---- parts ---- */

static void begin_item(struct list_answer *l, struct buf *out)
{
	buf_add_cstr(out, l->begun ? ",\n" : "");
	l->begun = true;
}

/* Write the next finding. Return false when there is none on this turn. */
static bool next_finding(struct list_answer *l, struct turn *t, struct buf *out)
{
	const struct finding *x = l->cursor ? next_selected(l, t) : NULL;

	if (!x)
		return false;
	begin_item(l, out);
	finding_doc(x, l->trusted, t->now_ns, out);
	return true;
}

static bool next_group(struct list_answer *l, struct turn *t, struct buf *out)
{
	const struct finding *first;
	const struct findings_group *g = findings_groups_next(&l->groups, t->view->findings, &l->at, SIZE_MAX, &first);

	if (!g)
		return false;
	begin_item(l, out);
	findings_group_doc(g, first, l->trusted, out);
	return true;
}

/* Put the selected findings into their groups. */
static int collect(struct list_answer *l, struct turn *t)
{
	const struct finding *x;
	struct err err;

	while (l->cursor && (x = next_selected(l, t))) {
		if (findings_groups_add(&l->groups, t->view->findings, x, &err) < 0)
			return -1;
	}
	return 0;
}

static void end_list(const struct list_answer *l, struct buf *out)
{
	buf_add_byte(out, ']');
	if (l->has_labels) {
		json_number(out, "count", l->n_written);
		json_number(out, "unknownLabels", l->unknown);
	}
	buf_add_cstr(out, "}\n");
}

static int next_part(void *state, struct buf *out)
{
	struct list_answer *l = state;
	struct turn t = { l->views.now(l->views.ctx), uv_hrtime(), LOOKS_PER_TURN };
	struct err err;
	bool more = true;

	if (l->grouped && l->cursor)
		return collect(l, &t) < 0 ? -1 : 1;
	if (l->grouped && l->has_labels && !l->begun) {
		int made = findings_groups_make(&l->groups, t.now_ns + SORT_NS, &err);

		if (made != 0)
			return made;
	}
	while (more && out->n < PART_BYTES)
		more = l->grouped ? next_group(l, &t, out) : next_finding(l, &t, out);
	if (more || (!l->grouped && l->cursor))
		return out->error ? -1 : 1;
	end_list(l, out);
	return out->error ? -1 : 0;
}

/* ---- the request ---- */

static void list_free(struct list_answer *l)
{
	findings_cursor_free(l->cursor);
	findings_groups_done(&l->groups);
	buf_done(&l->kinds);
	arena_done(&l->arena);
	free(l);
}
DEFINE_CLEANUP(struct list_answer *, list_free)

static void end_stream(void *state)
{
	list_free(state);
}

/* Begin to search for what passes the filter. */
static int list_new(const struct view_source *views, const struct finding_filter *filter, bool trusted,
		    struct list_answer **ret, struct err *err)
{
	const struct metrics_view *view = views->now(views->ctx);
	CLEANUP(list_freep) struct list_answer *l = calloc(1, sizeof(*l));
	struct finding_filter resolved;
	int r = 0;

	if (!l)
		return err_nomem(err);
	*l = (struct list_answer){ .views = *views,
				   .filter = *filter,
				   .kinds = BUF_INIT(KINDS_MAX),
				   .generation = findings_generation(view->findings),
				   .trusted = trusted,
				   .grouped = filter->grouped,
				   .has_labels = filter->labels.n,
				   .arena = ARENA_INIT(0) };
	resolved = kind_words_filter(view, filter, &l->kinds);
	findings_groups_init(&l->groups);
	if (l->has_labels)
		r = label_selector_parse(arena_str(&l->arena, filter->labels), &l->arena, &l->labels, err);
	if (r == 0 && l->grouped && !l->has_labels)
		r = findings_groups_begin(&l->groups, view->findings, &resolved, err);
	else if (r == 0)
		r = findings_cursor_begin(view->findings, &resolved, 0, SIZE_MAX, &l->cursor, err);
	if (r == 0)
		*ret = TAKE(l);
	return r;
}

static bool find_some(void *state, uint64_t until_ns)
{
	struct list_answer *l = state;
	int r = l->cursor ? findings_cursor_make(l->cursor, until_ns, &l->failed)
			  : findings_groups_make(&l->groups, until_ns, &l->failed);

	return r > 0;
}

/* Whether the client has this list already. Labels can change without a change of a finding. */
static bool is_unchanged(const struct metrics_view *view, const struct finding_filter *filter)
{
	return filter->known && !filter->labels.n && filter->known == findings_generation(view->findings);
}

static void say_unchanged(const struct finding_filter *filter, struct http_response *r)
{
	r->content_type = "application/json";
	buf_add_cstr(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Unchanged\"");
	json_number(&r->body, "generation", filter->known);
	buf_add_cstr(&r->body, "}\n");
}

/* The number of findings that the filter passes. */
static size_t count_of(const struct list_answer *l)
{
	return l->cursor ? findings_cursor_count(l->cursor) : l->groups.n_findings;
}

static void begin_list(const struct metrics_view *view, struct list_answer *l, struct http_response *r)
{
	const struct finding_filter *filter = &l->filter;
	struct unknown_words unknown = { .text = BUF_INIT(64u << 10) };

	r->content_type = "application/json";
	buf_printf(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"%s\"",
		   filter->grouped ? "FindingGroupList" : "FindingList");
	unknown_words_find(view, filter, &unknown);
	if (!count_of(l))
		unknown_places_find(view, filter, &unknown);
	completeness_doc(view, unknown.text.n == 0, &r->body);
	json_lines(&r->body, "unknownFilters", buf_str(&unknown.text));
	if (unknown.mistaken)
		json_bool(&r->body, "mistaken", true);
	buf_done(&unknown.text);
	json_number(&r->body, "generation", l->generation);
	if (!l->has_labels) /* with labels the number is known only at the end */
		json_number(&r->body, "count", count_of(l));
	buf_add_cstr(&r->body, ",\"items\":[\n");
}

/* Begin the answer, since all that passes the filter is found. */
static void write_list(const struct view_source *views, struct list_answer *l, struct http_response *r)
{
	if (l->failed.code) {
		api_fail(r, l->failed.code == ESTALE ? 503 : 500, l->failed.msg);
		list_free(l);
		return;
	}
	begin_list(views->now(views->ctx), l, r);
	r->stream = (struct http_stream){ .next = next_part, .done = end_stream, .state = l };
}

/* Handle a new request. */
static void ask(const struct view_source *views, const struct http_request *q, struct http_response *r)
{
	const struct metrics_view *view = views->now(views->ctx);
	struct finding_filter filter;
	struct list_answer *l = NULL;
	struct err err;
	int made;

	if (finding_filter_parse(q, &filter, &err) < 0) {
		api_fail(r, 400, err.msg);
		return;
	}
	if (filter.labels.n && !q->trusted) { /* an untrusted client could guess the labels one by one */
		api_fail(r, 403, "labels: over the control socket, or by who is known by --web.config.file");
		return;
	}
	if (is_unchanged(view, &filter)) {
		say_unchanged(&filter, r);
		return;
	}
	made = list_new(views, &filter, q->trusted, &l, &err);
	if (made < 0)
		api_fail(r, made == -EINVAL ? 400 : 500, err.msg);
	else
		http_work(q, l, find_some, end_stream);
}

void api_findings(const struct view_source *views, const struct http_request *q, struct http_response *r)
{
	if (q->state)
		write_list(views, q->state, r);
	else
		ask(views, q, r);
}
