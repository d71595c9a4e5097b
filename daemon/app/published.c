/* Decides which of the fetched revisions of published references is in force. */
#include "daemon/app/published.h"

#include "base/file.h"
#include "daemon/api/api.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/published_internal.h"
#include "daemon/app/reload.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/rehearsal.h"

#include <errno.h>
#include <inttypes.h>

/* How long to wait for a rehearsal, which is more complete once the clusters are listed. A rehearsal that stays
 * impossible is no reason to wait for ever. */
#define PATIENCE_NS (60 * UINT64_C(1000000000))
/* How long to wait before a revision is tried or stored again, after a failure that is not the revision's. */
#define RETRY_NS (30 * UINT64_C(1000000000))
#define NOT_ITS_SOURCE "it is not from where its source is now, or not signed as that has to be"

/* Whether the reference is in the same state as when an earlier process wrote its choice: then it has been in this
 * state since that time, and not since this start. */
static bool is_as_chosen(const struct followed_source *s)
{
	bool refused = *s->choice.refused;

	if (!s->chosen)
		return false;
	switch (s->standing) {
	case SOURCE_CURRENT:
	case SOURCE_PINNED:
		return !refused;
	case SOURCE_HELD:
	case SOURCE_BROKEN:
		return refused;
	default:
		return false;
	}
}

static void stand(struct followed_source *s, enum source_standing to)
{
	if (s->standing == to)
		return;
	s->standing = to;
	s->since = is_as_chosen(s) ? s->chosen : clock_usec() / 1000000;
}

/* ---- what is in force, on disk ---- */

static uint64_t state_of_choice(const char *state_dir, const struct followed_source *s)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);

	source_choice_path(state_dir, s->name, &path);
	return path.error ? 0 : file_state(path.p);
}

static int save(struct app *app, struct followed_source *s, const struct source_choice *c, struct err *err)
{
	CLEANUP(freep) char *state = str_dup(app->cfg->state_dir);
	int r;

	if (!state)
		return err_nomem(err);
	r = *state ? source_choice_save(state, s->name, c, err) : 0;
	if (r == 0)
		s->choice_state = state_of_choice(state, s);
	s->unkept &= r < 0;
	return r;
}

/* Write the file of the choice again if it was removed or damaged, because a reload reads it. */
static void keep_choice(struct app *app, struct followed_source *s)
{
	CLEANUP(freep) char *state = str_dup(app->cfg->state_dir);
	bool gone = state && *state && *s->choice.in_force && state_of_choice(state, s) != s->choice_state;
	struct err err;

	if (gone || s->unkept)
		(void)!save(app, s, &s->choice, &err); /* when it fails, the next tick tries again */
}

void published_keep(struct app *app)
{
	for (size_t i = 0; i < app->published->n; i++)
		keep_choice(app, &app->published->list[i]);
}

/* Store @c as the choice. A failure is reported, and the choice stays what it was. Fails: EIO. */
static int choose(struct app *app, struct followed_source *s, const struct source_choice *c, struct err *err)
{
	if (source_choice_equal(c, &s->choice))
		return 0;
	s->chosen = 0;
	if (save(app, s, c, err) < 0) {
		if (!s->unsaved_reported)
			record_lifecycle(
				app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
				"reference %.*s: which revision is in force cannot be kept, so what is in force stays "
				"so: %s",
				STR_ARG(s->name), err->msg);
		s->unsaved_reported = true;
		return err_set(err, EIO, "what is in force cannot be kept in state_dir; the journal says why");
	}
	s->unsaved_reported = false;
	s->choice = *c;
	return 0;
}

/* ---- records ---- */

/* How many of the newest commits of @next are newer than the revision in force; if that is not in its history, only
 * the revision's own commit. */
static size_t n_commits_since(const struct followed_source *s, const struct source_revision *next)
{
	for (size_t i = 0; s->in_force.known && i < next->n_log; i++) {
		if (str_eq(next->log[i].id, s->in_force.about.revision))
			return i;
	}
	return next->n_log > 0;
}

static void add_commits(const struct followed_source *s, struct record *r)
{
	size_t n = s->next.known ? n_commits_since(s, &s->next.about) : 0;

	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(RECORD_VALUE_MAX);
		const struct source_commit *c = &s->next.about.log[i];

		buf_printf(&text, "%.*s ", STR_ARG(str_sub(c->id, 0, SHORT_REVISION)));
		foreign_quote(foreign_bytes(c->author), SOURCE_TEXT_MAX, &text);
		buf_add_cstr(&text, ": ");
		foreign_quote(foreign_bytes(c->subject), SOURCE_TEXT_MAX, &text);
		record_add(r, "DRIFTD_COMMIT", buf_str(&text));
	}
}

static void report(struct app *app, const struct followed_source *s, enum severity severity, const char *what)
{
	str revision = s->next.known ? s->next.about.revision : str_from(s->fetched);
	struct record r;

	record_init(&r, MESSAGE_REFERENCE, (int)severity);
	r.text = arena_printf(&r.arena, "reference %.*s: revision %.*s %s", STR_ARG(s->name),
			      STR_ARG(published_short(revision)), what);
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(MESSAGE_REFERENCE)));
	record_add(&r, "DRIFTD_SEVERITY", str_from(severity_name(severity)));
	record_add(&r, "DRIFTD_REFERENCE", s->name);
	record_add(&r, "DRIFTD_REFERENCE_REVISION", revision);
	if (s->in_force.known)
		record_add(&r, "DRIFTD_REFERENCE_REVISION_BEFORE", s->in_force.about.revision);
	record_add(&r, "DRIFTD_REFERENCE_STANDING", str_from(source_standing_name(s->standing)));
	record_add(&r, "DRIFTD_REFERENCE_CHANGES", str_from(s->changes));
	add_commits(s, &r);
	sink_write(app->sink, &r);
	record_done(&r);
}

/* ---- which revision is to be tried ---- */

/* The revision to try next; "": none. The wish of an administrator comes before what was fetched. */
static const char *next_of(const struct followed_source *s)
{
	/* the revision in force was lost and is there again */
	bool lost = !*s->published.id && strcmp(s->fetched, s->choice.in_force) == 0;

	if (*s->wanted)
		return s->wanted;
	if (strcmp(s->fetched, s->decided) == 0 || strcmp(s->fetched, s->published.id) == 0)
		return "";
	return s->choice.pinned && !lost ? "" : s->fetched;
}

/* ---- whether a revision may count ---- */

static bool was_before(const struct followed_source *s, const char *id)
{
	bool ret = false;

	for (size_t i = 0; i < s->choice.n_before; i++)
		ret |= strcmp(id, s->choice.before[i]) == 0;
	return ret;
}

/* Whether the last fetched revision is signed as its source requires now, and came from that source. Without a
 * status only an imported revision can agree. */
static bool agrees(const struct followed_source *s)
{
	const struct source *source = &s->published.source;

	return s->has_status ? source_status_agrees(&s->status, source)
			     : !source_is_verified(source) || !source->interval_ns;
}

/* Whether the revision @id may come into force. @said: an administrator wants it, who may go back to an earlier
 * revision in force. */
static bool may_count(struct app *app, const struct followed_source *s, const char *id, bool said)
{
	struct known_revision k = { 0 };
	bool ret;

	if (strcmp(id, s->choice.in_force) == 0 || (said && was_before(s, id)))
		return true;
	published_know(app, &k, str_from(id));
	ret = agrees(s) && (!k.known || source_accepts(&s->published.source, &k.about));
	arena_done(&k.arena);
	return ret;
}

/* ---- trying a revision ---- */

static void set_text(char **to, const char *text)
{
	free(*to);
	*to = text ? strdup(text) : NULL;
}

/* Record the decision about the tried revision. It lasts until another one is fetched or wanted. */
static void decide(struct app *app, struct followed_source *s, enum source_standing standing, const char *why)
{
	struct source_choice c = s->choice;
	bool news = strcmp(c.refused, s->trying) != 0;
	struct err err;

	memcpy(c.refused, s->trying, sizeof(c.refused));
	c.held = standing == SOURCE_HELD || (c.held && !news);
	memcpy(s->decided, s->trying, sizeof(s->decided));
	s->retry_ns = 0;
	set_text(&s->why, why);
	if (news)
		s->chosen = 0;
	stand(s, standing);
	if (choose(app, s, &c, &err) < 0) { /* the decision holds nevertheless, and is stored later */
		s->choice = c;
		s->unkept = true;
	}
	if (news && standing == SOURCE_HELD)
		report(app, s, SEVERITY_WARNING, why);
	else if (news)
		report(app, s, SEVERITY_ERROR, why);
}

/* The reference whose revision reload.c has tried, with what is known of that revision: another one may have been
 * fetched meanwhile. */
static struct followed_source *tried(struct app *app)
{
	struct followed_source *s = &app->published->list[app->published->trying];

	published_know(app, &s->next, str_from(s->trying));
	return s;
}

/* Forget a wanted revision that was tried. @why: why it is not in force; NULL: it is. A revision that an
 * administrator has wanted since then stays wanted. */
static void forget_wish(struct followed_source *s, const char *why)
{
	if (!*s->wanted || strcmp(s->wanted, s->trying) != 0)
		return;
	set_text(&s->not_done, why);
	s->wanted[0] = '\0';
	s->pin = false;
}

static void on_refused(struct app *app, const struct problems *mistakes)
{
	struct followed_source *s = tried(app);
	CLEANUP(freep) char *text = problems_text(mistakes);
	CLEANUP(freep) char *why = NULL;

	if (asprintf(&why, "cannot be loaded, what was in force stays so: %s", text ? text : "out of memory") < 0)
		why = NULL;
	set_text(&s->changes, NULL);
	forget_wish(s, why ? why : "cannot be loaded");
	decide(app, s, SOURCE_BROKEN, why ? why : "cannot be loaded");
}

/* Append why the revision needs an acceptance; nothing: it needs none. Unknown findings are listed, but do not
 * count: a cluster that cannot be reached is no reason to keep what is wrong in the others. */
static void why_wait(const struct followed_source *s, const struct rehearsal_result *result, struct buf *why)
{
	bool is_found_out = result && result->complete;

	if (s->choice.lost)
		buf_add_cstr(why, "what was kept of the revision in force was lost");
	else if (!*s->published.id)
		buf_add_cstr(why, "the revision in force is lost, so nobody knows whether this one comes after it");
	else if (s->next.known && s->next.about.rewritten)
		buf_add_cstr(why, "the history of its source was rewritten, or a tag was moved");
	else if (s->published.holds && !is_found_out)
		buf_add_cstr(why, "how many findings would begin could not be found out");
	else if (s->published.holds && result->n[TRANSITION_BEGIN] > s->published.hold_above)
		buf_printf(why, "more than %" PRIu64 " findings would begin", s->published.hold_above);
	else if (s->choice.held && strcmp(s->choice.refused, s->trying) == 0) /* after a restart less may be known */
		buf_add_cstr(why, "it was held before");
}

/* Whether the revision has to wait; @why gets the reason. */
static bool why_held(const struct followed_source *s, const struct rehearsal_result *result, const char *text,
		     struct buf *why)
{
	CLEANUP(buf_done) struct buf reason = BUF_INIT(RECORD_VALUE_MAX);
	bool is_first = !*s->choice.in_force && !s->choice.lost;
	/* the revision in force is back after it was lost */
	bool is_back = strcmp(s->trying, s->choice.in_force) == 0;

	if (is_first || is_back || strcmp(s->wanted, s->trying) == 0) /* or an administrator wants this revision */
		return false;
	why_wait(s, result, &reason);
	if (!reason.n && !reason.error)
		return false;
	buf_printf(why, "waits for driftd reference accept %.*s %.*s: %.*s; findings: %s", STR_ARG(s->name),
		   STR_ARG(published_short(s->next.known ? s->next.about.revision : str_from(s->trying))),
		   STR_ARG(buf_str(&reason)), text ? text : "not known");
	return true;
}

static bool on_rehearsed(struct app *app, const struct rehearsal_result *result, const char *text)
{
	struct followed_source *s = tried(app);
	CLEANUP(buf_done) struct buf why = BUF_INIT(RECORD_VALUE_MAX);
	struct source_choice c = s->choice;
	struct err err;

	/* the revision is not the next one any more, or may not count */
	if (strcmp(next_of(s), s->trying) != 0 || !may_count(app, s, s->trying, *s->wanted))
		return false;
	set_text(&s->changes, text);
	s->begins = result ? result->n[TRANSITION_BEGIN] : 0;
	if (why_held(s, result, text, &why)) {
		decide(app, s, SOURCE_HELD, why.p);
		return false;
	}
	source_choice_take(&c, str_from(s->trying));
	c.refused[0] = '\0';
	c.held = false;
	c.lost = c.lost && !*s->wanted; /* until an administrator says which revision is right */
	c.pinned |= s->pin && strcmp(s->wanted, s->trying) == 0;
	s->retry_ns = uv_hrtime() + RETRY_NS;
	return choose(app, s, &c, &err) == 0;
}

static void on_taken(struct app *app)
{
	struct followed_source *s = tried(app);
	CLEANUP(buf_done) struct buf what = BUF_INIT(RECORD_VALUE_MAX);

	buf_add_cstr(&what, "is in force");
	if (s->in_force.known)
		buf_printf(&what, ", before %.*s", STR_ARG(published_short(s->in_force.about.revision)));
	if (s->changes)
		buf_printf(&what, "; findings: %s", s->changes);
	forget_wish(s, NULL);
	s->retry_ns = 0;
	memcpy(s->decided, s->trying, sizeof(s->decided));
	set_text(&s->why, NULL);
	stand(s, s->choice.pinned ? SOURCE_PINNED : SOURCE_CURRENT);
	report(app, s, SEVERITY_INFO, what.p ? what.p : "is in force");
	published_know(app, &s->in_force, str_from(s->trying));
	published_know(app, &s->next, str_from(s->fetched));
	published_name_revisions(app);
	app->published->request_due = true; /* ask driftd-fetch to keep it from now on */
}

static bool clusters_are_known(const struct app *app, const struct followed_source *s)
{
	for (size_t i = 0; i < app->clusters.n; i++) {
		if (!cluster_synced(app->clusters.p[i]))
			return uv_hrtime() - s->fetched_ns > PATIENCE_NS;
	}
	return true;
}

/* Whether @id can be tried now: the status of a fetched revision is written after its link. */
static bool agrees_with(struct app *app, struct followed_source *s, const char *id)
{
	if (!*s->wanted)
		return agrees(s) || strcmp(id, s->choice.in_force) == 0;
	if (!may_count(app, s, id, true)) { /* the revision may not count any more */
		set_text(&s->not_done, NOT_ITS_SOURCE);
		s->wanted[0] = '\0';
	}
	return *s->wanted;
}

static void try_next(struct app *app, struct followed_source *s)
{
	const char *id = next_of(s);
	struct reload_candidate c = { .refused = on_refused, .rehearsed = on_rehearsed, .taken = on_taken };

	if (!*id)
		return;
	if (!agrees_with(app, s, id)) {
		/* the held revision does not exist any more */
		stand(s, *s->published.id ? SOURCE_CURRENT : SOURCE_ABSENT);
		return;
	}
	stand(s, SOURCE_CHECKING);
	if (reload_status(app).state != RELOAD_IDLE || uv_hrtime() < s->retry_ns)
		return;
	if (*s->published.id && !*s->wanted && !clusters_are_known(app, s))
		return;
	app->published->trying = (size_t)(s - app->published->list);
	memcpy(s->trying, id, sizeof(s->trying));
	published_know(app, &s->next, str_from(id));
	if (!may_count(app, s, id, *s->wanted)) {
		decide(app, s, SOURCE_BROKEN, "is not signed, as its source has to be");
		return;
	}
	c.what = (struct cfg_candidate){ s->name, str_from(s->trying) };
	s->retry_ns = uv_hrtime() + RETRY_NS;
	(void)reload_try(app, &c);
}

/* Update the state when the revision in force is again the last fetched one, or the administrator has removed a pin. */
static void update_standing(struct followed_source *s)
{
	if (*next_of(s))
		return;
	if (!*s->published.id && !*s->fetched)
		stand(s, SOURCE_ABSENT);
	else if (*s->published.id && s->choice.pinned)
		stand(s, SOURCE_PINNED);
	else if (*s->published.id && (!*s->fetched || strcmp(s->fetched, s->published.id) == 0))
		stand(s, SOURCE_CURRENT);
}

/* ---- what driftd-fetch has done ---- */

static void look_at_link(struct app *app, struct followed_source *s)
{
	char now[SOURCE_ID_SIZE] = "";
	struct err err;

	if (source_store_find(app->cfg->sources_dir.p, s->name, now, &err) < 0)
		now[0] = '\0';
	if (strcmp(now, s->fetched) == 0)
		return;
	memcpy(s->fetched, now, sizeof(now));
	s->retry_ns = 0;
	s->fetched_ns = uv_hrtime();
	s->decided[0] = '\0';
	set_text(&s->why, NULL);
	set_text(&s->changes, NULL);
	published_know(app, &s->next, str_from(now));
	app->published->request_due = true; /* ask driftd-fetch to keep the revision */
}

static void look_at_status(struct app *app, struct followed_source *s)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	uint64_t state;
	struct err err;

	source_store_status(app->cfg->sources_dir.p, s->name, &path);
	state = path.error ? 0 : file_state(path.p);
	if (state == s->status_state)
		return;
	s->status_state = state;
	arena_done(&s->status_arena);
	arena_init(&s->status_arena, 0, 0);
	s->has_status = source_status_load(app->cfg->sources_dir.p, s->name, &s->status_arena, &s->status, &err) == 0;
	if (!*s->published.id && strcmp(s->decided, s->choice.in_force) == 0)
		s->decided[0] = '\0'; /* a damaged revision may have been fetched again */
}

void published_tick(struct app *app)
{
	struct published *p = app->published;

	published_keep(app);
	for (size_t i = 0; i < p->n; i++) {
		look_at_link(app, &p->list[i]);
		look_at_status(app, &p->list[i]);
		try_next(app, &p->list[i]);
		update_standing(&p->list[i]);
	}
	published_ask(app);
}

/* ---- what an administrator says ---- */

int published_want(struct app *app, struct followed_source *s, const char *id, bool pin, struct err *err)
{
	struct source_choice c = s->choice;
	bool stays = strcmp(id, s->published.id) == 0 && strcmp(id, s->choice.in_force) == 0;

	if (!may_count(app, s, id, true))
		return err_set(err, EKEYREJECTED, NOT_ITS_SOURCE);
	set_text(&s->not_done, NULL);
	if (!stays || reload_status(app).state != RELOAD_IDLE) { /* another revision may be about to come into force */
		memcpy(s->wanted, id, SOURCE_ID_SIZE);
		s->pin = pin;
		s->retry_ns = 0;
		try_next(app, s);
		return 0;
	}
	c.pinned = pin;
	c.lost = false;
	if (choose(app, s, &c, err) < 0)
		return -err->code;
	update_standing(s);
	return 0;
}

int published_let_go(struct app *app, struct followed_source *s, struct err *err)
{
	struct source_choice c = s->choice;

	c.pinned = false;
	if (choose(app, s, &c, err) < 0)
		return -err->code;
	look_at_link(app, s); /* follow what is published now, not at the last tick */
	look_at_status(app, s);
	set_text(&s->not_done, NULL);
	s->pin = false; /* the revision that is being tried is not pinned either */
	s->decided[0] = '\0';
	s->retry_ns = 0;
	try_next(app, s);
	update_standing(s);
	return 0;
}

/* ---- the configuration ---- */

void published_loaded(struct app *app)
{
	struct published *p = app->published;

	for (size_t i = 0; i < p->n; i++) {
		struct followed_source *s = &p->list[i];

		if (p->trying == i && strcmp(s->trying, s->choice.in_force) == 0)
			continue; /* on_taken comes later, and reports what this revision replaces */
		if (*s->choice.in_force && !s->in_force.known)
			published_know(app, &s->in_force, str_from(s->choice.in_force));
	}
	published_name_revisions(app);
}
