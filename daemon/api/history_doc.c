/* Writes the history: its items, and how many findings were open at which time. */
#include "daemon/api/api.h"

#include "daemon/api/api_internal.h"
#include "daemon/findings/clock.h"
#include "daemon/history/history_request.h"
#include "value/json_out.h"

#define BUCKETS_DEFAULT 96

static void add_times(const struct history_request *r, const struct history_answer *a, struct buf *out)
{
	json_time(out, "since", r->question.since_usec);
	json_time(out, "until", r->question.until_usec);
	if (a->oldest_usec)
		json_time(out, "oldest", a->oldest_usec);
}

static void add_optional_time(struct buf *out, const char *name, int64_t usec)
{
	if (usec > 0)
		json_time(out, name, usec);
}

/* Append an item. Messages quote values: only trusted clients get them. */
static void add_item(const struct history_item *x, bool trusted, struct buf *out)
{
	buf_add_byte(out, '{');
	json_text(out, "id", x->finding);
	json_text(out, "event", x->event);
	json_text(out, "type", x->type);
	json_text(out, "severity", str_from(x->severity ? severity_name(x->severity) : ""));
	json_time(out, "time", x->at_usec);
	add_optional_time(out, "began", x->began_usec);
	add_optional_time(out, "ended", x->ended_usec);
	if (x->lasted_usec >= 0)
		json_number(out, "lastedSeconds", (uint64_t)x->lasted_usec / 1000000);
	json_text(out, "cluster", x->cluster);
	json_text(out, "kind", x->kind);
	json_text(out, "resource", x->resource);
	json_text(out, "namespace", x->namespace);
	json_text(out, "name", x->name);
	json_text(out, "reference", x->reference);
	json_text(out, "manager", x->manager);
	json_text(out, "endedBy", x->ended_by);
	json_text(out, "cause", x->cause);
	json_text(out, "endReason", x->reason);
	json_text(out, "message", trusted ? x->message : STR(""));
	buf_add_byte(out, '}');
}

static void add_counts(const struct timeline_cluster *c, struct buf *out)
{
	json_open(out, "open", '{');
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (c->open[s])
			json_number(out, severity_name((enum severity)s), c->open[s]);
	}
	buf_add_byte(out, '}');
}

static void add_sums(const struct timeline_cluster *c, struct buf *out)
{
	json_text(out, "cluster", c->name);
	json_number(out, "began", c->began);
	json_number(out, "ended", c->ended);
	add_counts(c, out);
	json_number(out, "blindSeconds", (uint64_t)c->blind_usec / 1000000);
}

static void add_summary(const struct timeline *t, struct buf *out)
{
	json_open(out, "clusters", '[');
	for (size_t i = 0; i < t->n_clusters; i++) {
		json_open(out, NULL, '{');
		add_sums(&t->clusters[i], out);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_most(const struct timeline *t, const struct timeline_cluster *c, struct buf *out)
{
	json_open(out, "most", '{');
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (!c->most[s])
			continue;
		json_open(out, severity_name((enum severity)s), '[');
		for (size_t b = 0; b < t->n_buckets; b++)
			buf_printf(out, "%s%u", b ? "," : "", c->most[s][b]);
		buf_add_byte(out, ']');
	}
	buf_add_byte(out, '}');
}

static void add_blindness(const struct timeline_cluster *c, struct buf *out)
{
	json_open(out, "blind", '[');
	for (size_t i = 0; i < c->n_spans; i++) {
		json_open(out, NULL, '{');
		json_time(out, "from", c->spans[i].from_usec);
		json_time(out, "to", c->spans[i].to_usec);
		json_text(out, "why", str_from(c->spans[i].away ? "away" : "gap"));
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_timeline(const struct timeline *t, struct buf *out)
{
	json_number(out, "buckets", t->n_buckets);
	json_open(out, "clusters", '[');
	for (size_t i = 0; i < t->n_clusters; i++) {
		const struct timeline_cluster *c = &t->clusters[i];

		json_open(out, NULL, '{');
		add_sums(c, out);
		add_most(t, c, out);
		add_blindness(c, out);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_items(const struct history_answer *a, bool trusted, struct buf *out)
{
	CLEANUP(buf_done) struct buf next = BUF_INIT(64);

	json_open(out, "items", '[');
	for (size_t i = 0; i < a->n_items; i++) {
		buf_add_cstr(out, i ? ",\n" : "\n");
		add_item(&a->items[i], trusted, out);
	}
	buf_add_byte(out, ']');
	if (!a->more)
		return;
	history_cursor(a, &next);
	json_text(out, "next", buf_str(&next));
}

static void answer(const struct metrics_view *view, const struct http_request *q, bool timeline,
		   struct http_response *r)
{
	CLEANUP(history_answer_freep) struct history_answer *a = NULL;
	struct history_request asked;
	struct err err = { 0 };

	if (history_request_parse(q, clock_usec(), &asked, &err) < 0) {
		api_fail(r, 400, err.msg);
		return;
	}
	/* The sums are those of the whole range: each page of a list has them, so that the first one is not special. */
	if (!asked.question.buckets)
		asked.question.buckets = timeline ? BUCKETS_DEFAULT : 1;
	if (timeline)
		asked.question.limit = 0;
	if (asked.question.before_usec && !timeline)
		asked.question.buckets = 0;
	if (!history_request_get(view, q, &asked, &a, &err))
		return;
	if (!a) {
		api_fail(r, history_status(&err), err.msg);
		return;
	}
	r->content_type = "application/json";
	buf_printf(&r->body, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"%s\"", timeline ? "Timeline" : "History");
	add_times(&asked, a, &r->body);
	if (timeline) {
		add_timeline(&a->timeline, &r->body);
	} else {
		if (asked.question.buckets)
			add_summary(&a->timeline, &r->body);
		add_items(a, q->trusted, &r->body);
	}
	buf_add_cstr(&r->body, "}\n");
}

void api_history(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	answer(view, q, false, r);
}

void api_timeline(const struct metrics_view *view, const struct http_request *q, struct http_response *r)
{
	answer(view, q, true, r);
}
