/* Words for views of followed references. */
#include "daemon/view/source_words.h"

#include "mask/foreign.h"

#define MESSAGE_MAX 400 /* bytes */

const struct source_state *source_state_find(const struct source_state *views, size_t n, str name)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(views[i].source->name, name))
			return &views[i];
	}
	return NULL;
}

size_t sources_absent(const struct source_state *views, size_t n)
{
	size_t absent = 0;

	for (size_t i = 0; i < n; i++)
		absent += !*views[i].in_force;
	return absent;
}

static int64_t late_after(const struct source_state *v)
{
	int64_t twice = 2 * (v->source->interval_ns / 1000000000);

	return twice > SOURCE_LATE_SECONDS ? twice : SOURCE_LATE_SECONDS;
}

/* Whether the reference is late. For one that was never fetched the time in its present state counts; one that is
 * only imported is never late. */
bool source_is_late(const struct source_state *v, int64_t now)
{
	int64_t last = v->status && v->status->succeeded ? v->status->succeeded : v->since;

	return v->source->interval_ns > 0 && now - last > late_after(v);
}

static void begin_line(struct buf *out)
{
	if (out->n)
		buf_add_byte(out, '\n');
}

static void add_failure(const struct source_state *v, struct buf *out)
{
	begin_line(out);
	buf_printf(out, "the last try to fetch it failed (%s): ", source_failure_name(v->status->failure));
	foreign_quote(foreign_bytes(v->status->message), MESSAGE_MAX, out);
}

static void add_lateness(const struct source_state *v, int64_t now, struct buf *out)
{
	begin_line(out);
	if (v->status && v->status->succeeded)
		buf_printf(out, "nothing was fetched for %lld minutes", (long long)((now - v->status->succeeded) / 60));
	else
		buf_add_cstr(out, "nothing was ever fetched");
	if (!v->status || v->waits)
		buf_add_cstr(out, "; does driftd-fetch run?");
}

/* Add why the newest revision is not in force; each reason continues after the name of the revision. */
static void add_why(const struct source_state *v, struct buf *out)
{
	if (v->standing != SOURCE_HELD && v->standing != SOURCE_BROKEN)
		return;
	begin_line(out);
	buf_add_cstr(out, "revision ");
	source_show_revision(v->next ? v->next->revision : str_from(v->fetched), out);
	buf_add_byte(out, ' ');
	if (v->why.n)
		buf_add_str(out, v->why);
	else
		buf_add_cstr(out,
			     v->standing == SOURCE_HELD ? "waits for driftd reference accept" : "cannot be loaded");
}

void source_problem(const struct source_state *v, int64_t now, struct buf *out)
{
	if (!*v->in_force)
		buf_add_cstr(out, "no revision of it is in force yet: no object is compared with it");
	add_why(v, out);
	if (v->status && v->status->failed)
		add_failure(v, out);
	if (source_is_late(v, now))
		add_lateness(v, now, out);
}
