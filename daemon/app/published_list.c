/* Lists the published references of the configuration, writes the requests for driftd-fetch, and shows their states. */
#include "daemon/app/published_internal.h"

#include "base/assert.h"
#include "base/file.h"
#include "config/source_write.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/notice.h"

#include <errno.h>
#include <sys/stat.h>

/* A request that is not served is written again: driftd-fetch, which waits for the file to change, may have been
 * busy. */
#define ASK_AGAIN_NS (20 * UINT64_C(1000000000))
#define REQUEST_MODE 0644 /* the file contains names and URLs, but no credential */

str published_digits(str revision)
{
	return str_sub(revision, (size_t)(str_find_byte(revision, ':') + 1), revision.n);
}

str published_short(str revision)
{
	return str_sub(published_digits(revision), 0, SHORT_REVISION);
}

void published_know(struct app *app, struct known_revision *k, str id)
{
	struct err err;

	arena_done(&k->arena);
	arena_init(&k->arena, 0, 0);
	k->known = id.n && source_revision_load(app->cfg->sources_dir.p, id, &k->arena, &k->about, &err) == 0;
}

/* ---- asking ---- */

static bool is_served(const struct followed_source *s)
{
	return !s->wish || (s->has_status && s->status.served == s->wish);
}

/* True when driftd-fetch fetches the source; false when revisions of it are imported only. */
static bool is_fetched(const struct followed_source *s)
{
	return s->published.source.interval_ns > 0;
}

static void wish(struct published *p, struct followed_source *s)
{
	s->wish = (uint64_t)clock_usec();
	s->wish_ns = is_fetched(s) ? uv_hrtime() + (uint64_t)s->published.source.interval_ns : UINT64_MAX;
	p->request_due = true;
}

void published_wish(struct app *app, struct followed_source *s)
{
	wish(app->published, s);
	published_ask(app);
}

static bool has(const str *list, size_t n, str id)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(list[i], id))
			return true;
	}
	return false;
}

/* List the revisions that may not be removed, each once. */
static size_t kept(const struct followed_source *s, str ret[SOURCE_KEPT_MAX])
{
	size_t n = 0;

	ret[n++] = str_from(s->choice.in_force);
	ret[n++] = str_from(s->fetched);
	ret[n++] = str_from(s->wanted);
	for (size_t i = 0; i < s->choice.n_before && n < SOURCE_KEPT_MAX; i++)
		ret[n++] = str_from(s->choice.before[i]);
	for (size_t i = 0; i < n;) {
		if (ret[i].n && !has(ret, i, ret[i]))
			i++;
		else
			ret[i] = ret[--n];
	}
	return n;
}

static int write_request(struct app *app, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf text = BUF_INIT(SOURCE_REQUEST_MAX);
	const struct published *p = app->published;
	struct source_wish *wishes = arena_array(&a, p->n + 1, sizeof(*wishes));
	str path = arena_printf(&a, "%.*s/" SOURCE_REQUEST_FILE, STR_ARG(app->cfg->state_dir));
	int r;

	for (size_t i = 0; wishes && i < p->n; i++) {
		str *ids = arena_array(&a, SOURCE_KEPT_MAX, sizeof(*ids));

		if (!ids)
			return err_nomem(err);
		wishes[i] = (struct source_wish){ .source = p->list[i].published.source,
						  .wish = p->list[i].wish,
						  .in_force = str_from(p->list[i].choice.in_force),
						  .in_force_is = p->list[i].in_force.known
									 ? p->list[i].in_force.about.revision
									 : STR(""),
						  .kept = ids };
		wishes[i].n_kept = kept(&p->list[i], ids);
	}
	if (!wishes || !path.p)
		return err_nomem(err);
	r = source_request_write(&(struct source_request){ wishes, p->n }, &text, err);
	return r < 0 ? r : source_write(path.p, REQUEST_MODE, buf_str(&text), err);
}

static void report_unasked(struct app *app, const char *why)
{
	if (!app->published->unasked_reported)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "published references are not fetched: %s",
				 why);
	app->published->unasked_reported = true;
}

static bool any_waits(const struct published *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!is_served(&p->list[i]))
			return true;
	}
	return false;
}

void published_ask(struct app *app)
{
	struct published *p = app->published;
	uint64_t now = uv_hrtime();
	struct err err;

	for (size_t i = 0; i < p->n; i++) {
		if (is_fetched(&p->list[i]) && now >= p->list[i].wish_ns)
			wish(p, &p->list[i]);
	}
	p->request_due |= any_waits(p) && now - p->asked_ns > ASK_AGAIN_NS;
	if (!p->request_due)
		return;
	p->request_due = false;
	if (!p->n && !p->asked_ns) /* nothing is published now, nor was it since the start */
		return;
	p->asked_ns = now;
	if (!app->cfg->state_dir.n)
		report_unasked(app, "there is no state_dir, in which driftd-fetch could be asked");
	else if (write_request(app, &err) < 0)
		report_unasked(app, err.msg);
	else
		p->unasked_reported = false;
}

/* ---- what is shown ---- */

void published_name_revisions(struct app *app)
{
	struct published *p = app->published;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (p->list[i].in_force.known)
			p->revisions[n++] =
				(struct record_revision){ p->list[i].name, p->list[i].in_force.about.revision };
	}
	findings_set_revisions(app->findings, p->revisions, n);
}

static void view(const struct followed_source *s, str before[SOURCE_BEFORE_MAX], struct source_state *ret)
{
	const char *next = *s->wanted ? s->wanted : s->fetched;
	bool another = s->next.known && strcmp(s->published.id, next) != 0;

	*ret = (struct source_state){
		.source = &s->published.source,
		.standing = s->standing,
		.since = s->since,
		.in_force = s->published.id,
		.revision = *s->published.id && s->in_force.known ? &s->in_force.about : NULL,
		.fetched = next,
		.next = another ? &s->next.about : NULL,
		.why = str_from(s->why ? s->why : ""),
		.not_done = str_from(s->not_done ? s->not_done : ""),
		.changes = str_from(s->changes ? s->changes : ""),
		.begins = s->begins,
		.status = s->has_status ? &s->status : NULL,
		.waits = !is_served(s),
		.before = before,
		.n_before = s->choice.n_before,
	};
	if (s->standing == SOURCE_ABSENT && !ret->why.n)
		ret->why = s->reference->published.why_absent;
	for (size_t i = 0; i < s->choice.n_before; i++)
		before[i] = str_from(s->choice.before[i]);
}

const struct source_state *published_views(const struct app *app, size_t *n)
{
	struct published *p = app->published;

	for (size_t i = 0; i < p->n; i++)
		view(&p->list[i], p->before + i * SOURCE_BEFORE_MAX, &p->views[i]);
	*n = p->n;
	return p->views;
}

/* ---- the configuration ---- */

static void source_done(struct followed_source *s)
{
	arena_done(&s->arena);
	arena_done(&s->status_arena);
	arena_done(&s->in_force.arena);
	arena_done(&s->next.arena);
	free(s->why);
	free(s->not_done);
	free(s->changes);
}

static struct followed_source *find(const struct published *p, str name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (str_eq(p->list[i].name, name))
			return &p->list[i];
	}
	return NULL;
}

struct followed_source *published_find(const struct app *app, str name)
{
	return find(app->published, name);
}

static bool is_same_source(const struct source *a, const struct source *b)
{
	bool same = a->kind == b->kind && a->wants == b->wants && a->insecure == b->insecure;

	for (size_t i = 0; i < SOURCE_TEXTS; i++)
		same = same && str_eq(*source_text_of(a, i), *source_text_of(b, i));
	return same;
}

static void report_lost(struct app *app, struct followed_source *s, const char *what)
{
	s->unkept = *s->choice.in_force != '\0';
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
			 "reference %.*s: what was kept of the revision in force is lost, so what is fetched waits for "
			 "driftd reference accept: %s",
			 STR_ARG(s->name), what);
}

/* When the file was written, in Unix time; 0: nobody knows. */
static int64_t written_at(const char *state_dir, str name)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(4096);
	struct stat is;

	source_choice_path(state_dir, name, &path);
	return !path.error && stat(path.p, &is) == 0 ? (int64_t)is.st_mtime : 0;
}

/* Set up the state of a new or changed reference. */
static bool begin(struct app *app, struct followed_source *s, const struct cfg_reference *r)
{
	CLEANUP(freep) char *state = str_dup(app->cfg->state_dir);
	struct err err;
	int got;

	s->name = arena_str(&s->arena, r->name);
	if (!s->name.p || !state)
		return false;
	s->since = clock_usec() / 1000000;
	got = *state ? source_choice_load(state, s->name, &s->choice, &err) : 0;
	if (got < 0)
		s->choice = (struct source_choice){ .lost = got != -ENOENT };
	else if (*state)
		s->chosen = written_at(state, s->name);
	if (s->choice.lost)
		report_lost(app, s, got < 0 ? err.msg : "what driftd-fetch was asked for says which one was in force");
	return true;
}

static void configure(struct app *app, struct followed_source *s, const struct cfg_reference *r)
{
	if (s->reference && !is_same_source(&s->published.source, &r->published.source))
		s->wish_ns = 0; /* look at the wish at once */
	if (s->content != app->cfg->content && s->standing == SOURCE_BROKEN)
		s->decided[0] = '\0'; /* the mistake may have been in the entry */
	s->content = app->cfg->content;
	s->reference = r;
	s->published = r->published;
}

/* Take over the state of the references that stay in the list. */
static bool take_over(struct app *app, struct published *next)
{
	struct published *p = app->published;

	for (size_t i = 0; i < app->cfg->n_references; i++) {
		const struct cfg_reference *r = &app->cfg->references[i];
		struct followed_source *s = &next->list[next->n], *known = find(p, r->name);

		if (!r->published.source.kind)
			continue;
		if (known) {
			*s = *known;
			*known = (struct followed_source){ 0 };
		} else if (!begin(app, s, r)) {
			return false;
		}
		next->n++;
		configure(app, s, r);
	}
	return true;
}

static void list_done(struct published *p)
{
	for (size_t i = 0; i < p->n; i++)
		source_done(&p->list[i]);
	free(p->list);
	free(p->views);
	free(p->before);
	free(p->revisions);
}

int published_configure(struct app *app, struct err *err)
{
	struct published *p = app->published, next = *p;
	size_t n = app->cfg->n_references + 1;
	str trying = p->trying < p->n ? p->list[p->trying].name : STR("");
	struct followed_source *s;

	next.n = 0;
	next.list = calloc(n, sizeof(*next.list));
	next.views = calloc(n, sizeof(*next.views));
	next.before = calloc(n * SOURCE_BEFORE_MAX, sizeof(*next.before));
	next.revisions = calloc(n, sizeof(*next.revisions));
	next.request_due = true;
	if (!next.list || !next.views || !next.before || !next.revisions || !take_over(app, &next)) {
		findings_set_revisions(app->findings, NULL, 0);
		list_done(&next);
		list_done(p);
		*p = (struct published){ 0 };
		return err_nomem(err);
	}
	s = find(&next, trying);
	next.trying = s ? (size_t)(s - next.list) : 0;
	findings_set_revisions(app->findings, NULL, 0);
	list_done(p);
	*p = next;
	published_loaded(app);
	return 0;
}

int published_open(struct app *app, struct err *err)
{
	ASSERT(!app->published);
	app->published = calloc(1, sizeof(*app->published));
	return app->published ? 0 : err_nomem(err);
}

void published_free(struct app *app)
{
	if (app->published)
		list_done(app->published);
	free(TAKE(app->published));
}
