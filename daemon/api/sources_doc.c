/* Writes the references that are published elsewhere and followed. */
#include "daemon/api/api_internal.h"

#include "daemon/findings/clock.h"
#include "mask/foreign.h"
#include "value/json_out.h"

#define SHOWN_MAX 4096
#define MESSAGE_MAX 1000

static void add_seconds(struct buf *out, const char *name, int64_t seconds)
{
	json_time(out, name, seconds * 1000000);
}

/* Add a text that somebody at the source wrote. */
static void add_foreign(struct buf *out, const char *name, str text, size_t max)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(SHOWN_MAX);

	foreign_quote(foreign_bytes(text), max, &shown);
	json_text(out, name, buf_str(&shown));
}

/* ---- revisions ---- */

/* Add authors and subjects, which only trusted clients get. */
static void add_commit_texts(const struct source_commit *c, bool trusted, struct buf *out)
{
	if (trusted) {
		add_foreign(out, "author", c->author, SOURCE_TEXT_MAX);
		add_foreign(out, "subject", c->subject, SOURCE_TEXT_MAX);
	}
	add_seconds(out, "time", c->time);
}

static void add_commit(const struct source_commit *c, bool trusted, struct buf *out)
{
	json_open(out, NULL, '{');
	json_text(out, "id", c->id);
	add_commit_texts(c, trusted, out);
	buf_add_byte(out, '}');
}

/* Begin the object of a revision and add its members. The object stays open. */
static void open_revision(const char *member, const char *id, const struct source_revision *r, bool trusted,
			  struct buf *out)
{
	json_open(out, member, '{');
	json_text(out, "id", str_from(id));
	if (!r)
		return;
	json_text(out, "revision", r->revision);
	add_foreign(out, "title", r->title, SOURCE_TEXT_MAX);
	if (r->n_log)
		add_commit_texts(&r->log[0], trusted, out);
	if (trusted)
		add_foreign(out, "signer", r->signer, SOURCE_TEXT_MAX);
	json_number(out, "files", r->n_files);
	json_number(out, "bytes", r->n_bytes);
	if (r->n_left_out)
		json_number(out, "leftOut", r->n_left_out);
	if (r->rewritten)
		json_bool(out, "rewritten", true);
}

/* How many commits of @next are newer than @in_force; if that is not one of them, all known ones. */
static size_t commits_since(const struct source_revision *next, const struct source_revision *in_force)
{
	size_t n = 0;

	while (n < next->n_log && !(in_force && str_eq(next->log[n].id, in_force->revision)))
		n++;
	return n;
}

static void add_commits(const struct source_state *v, bool trusted, struct buf *out)
{
	size_t n = commits_since(v->next, v->revision);

	if (!v->next->n_log)
		return;
	json_bool(out, "leadsOn", n < v->next->n_log);
	json_open(out, "commits", '[');
	for (size_t i = 0; i < n; i++)
		add_commit(&v->next->log[i], trusted, out);
	buf_add_byte(out, ']');
}

/* Add the last fetched revision, if another one is in force. */
static void add_next(const struct source_state *v, bool trusted, bool whole, struct buf *out)
{
	if (!*v->fetched || strcmp(v->fetched, v->in_force) == 0)
		return;
	open_revision("next", v->fetched, v->next, trusted, out);
	if (v->next && whole)
		add_commits(v, trusted, out);
	buf_add_byte(out, '}');
}

/* ---- the source, and fetching it ---- */

static void add_shown(struct buf *out, const char *name, void (*show)(const struct source *s, struct buf *out),
		      const struct source *s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)64 << 10);

	show(s, &text);
	json_text(out, name, buf_str(&text));
}

static void add_source(const struct source *s, struct buf *out)
{
	json_open(out, "source", '{');
	json_text(out, "kind", str_from(source_kind_name(s->kind)));
	add_shown(out, "url", source_show_url, s);
	add_shown(out, "ref", source_show_ref, s);
	json_text(out, "path", s->path);
	json_number(out, "intervalSeconds", (uint64_t)(s->interval_ns / 1000000000));
	json_bool(out, "verified", source_is_verified(s));
	buf_add_byte(out, '}');
}

static void add_failures(const struct source_status *s, struct buf *out)
{
	json_open(out, "failures", '{');
	for (int f = 0; f < SOURCE_FAILURES; f++) {
		if (s->failures[f])
			json_number(out, source_failure_name((enum source_failure)f), s->failures[f]);
	}
	buf_add_byte(out, '}');
}

static void add_fetching(const struct source_state *v, struct buf *out)
{
	const struct source_status *s = v->status;

	json_bool(out, "waits", v->waits);
	if (!s)
		return;
	add_seconds(out, "lastAttempt", s->attempted);
	add_seconds(out, "lastSuccess", s->succeeded);
	if (s->failed) {
		json_open(out, "failure", '{');
		json_text(out, "reason", str_from(source_failure_name(s->failure)));
		add_foreign(out, "message", s->message, MESSAGE_MAX);
		buf_add_byte(out, '}');
	}
	add_failures(s, out);
}

/* ---- one reference ---- */

static void add_problem(const struct source_state *v, struct buf *out)
{
	CLEANUP(buf_done) struct buf problem = BUF_INIT((size_t)64 << 10);

	source_problem(v, clock_usec() / 1000000, &problem);
	json_lines(out, "problems", buf_str(&problem));
}

static void add_standing(const struct source_state *v, struct buf *out)
{
	json_text(out, "name", v->source->name);
	json_text(out, "standing", str_from(source_standing_name(v->standing)));
	add_seconds(out, "since", v->since);
}

static void add_rehearsal(const struct source_state *v, struct buf *out)
{
	json_lines(out, "why", v->why);
	json_lines(out, "notDone", v->not_done);
	json_text(out, "changes", v->changes);
	if (v->changes.n)
		json_number(out, "begins", v->begins);
}

static void add_earlier(const struct source_state *v, struct buf *out)
{
	json_open(out, "earlier", '[');
	for (size_t i = 0; i < v->n_before; i++)
		json_item(out, v->before[i]);
	buf_add_byte(out, ']');
}

/* Add the members. @whole: also the long ones. */
static void add_members(const struct source_state *v, bool trusted, bool whole, struct buf *out)
{
	add_standing(v, out);
	add_source(v->source, out);
	if (*v->in_force) {
		open_revision("inForce", v->in_force, v->revision, trusted, out);
		buf_add_byte(out, '}');
	}
	add_next(v, trusted, whole, out);
	add_rehearsal(v, out);
	add_fetching(v, out);
	add_problem(v, out);
	if (whole)
		add_earlier(v, out);
}

void source_doc(const struct source_state *v, bool trusted, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Reference\"");
	add_members(v, trusted, true, out);
	buf_add_cstr(out, "}\n");
}

void sources_doc(const struct metrics_view *view, bool trusted, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"ReferenceList\"");
	json_open(out, "items", '[');
	for (size_t i = 0; i < view->n_sources; i++) {
		json_open(out, NULL, '{');
		add_members(&view->sources[i], trusted, false, out);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
	json_open(out, "notes", '[');
	if (!view->n_sources)
		json_item(out, STR("no reference of the configuration has a source"));
	buf_add_cstr(out, "]}\n");
}

void sources_short_doc(const struct metrics_view *view, struct buf *out)
{
	if (!view->n_sources)
		return;
	json_open(out, "references", '[');
	for (size_t i = 0; i < view->n_sources; i++) {
		const struct source_state *v = &view->sources[i];

		json_open(out, NULL, '{');
		add_standing(v, out);
		if (v->revision)
			json_text(out, "revision", v->revision->revision);
		if (v->status)
			add_seconds(out, "lastSuccess", v->status->succeeded);
		json_bool(out, "late", source_is_late(v, clock_usec() / 1000000));
		add_problem(v, out);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}
