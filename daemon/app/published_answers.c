/* Answers requests of administrators about published references. */
#include "daemon/api/api.h"
#include "daemon/app/answers.h"
#include "daemon/app/published_internal.h"

#include <errno.h>

/* The reference that the request is about; NULL: the request is answered with a failure. */
static struct followed_source *asked_for(struct app *app, const struct http_request *q, struct http_response *r)
{
	const char *name = http_route_value(q, "name");
	struct followed_source *s = published_find(app, str_from(name));

	if (!s)
		api_fail(r, 404, "no reference with a source is called so");
	return s;
}

/* Answer with the outcome @result of the request, and with @why when it failed. */
static void answer(struct app *app, const struct http_request *q, struct http_response *r, int result,
		   const struct err *why)
{
	if (result == 0)
		api_reference(answers_view(app), q, r);
	else
		api_fail(r, result == -EKEYREJECTED ? 409 : 500, why->msg);
}

void published_update(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct followed_source *s = asked_for(ctx, q, r);

	if (!s)
		return;
	if (s->published.source.interval_ns) {
		published_wish(ctx, s);
		answer(ctx, q, r, 0, NULL);
	} else {
		api_fail(r, 409, "it is imported only (interval: never)");
	}
}

/* ---- revisions by a part of their names ---- */

/* Whether @id, about which @k is known, begins with @word. */
static bool begins_so(const struct known_revision *k, const char *id, str word)
{
	str digits = published_digits(k->known ? k->about.revision : STR(""));

	return str_has_prefix(str_from(id), word) || str_has_prefix(digits, word) ||
	       (k->known && str_has_prefix(k->about.revision, word));
}

static bool is_meant(struct app *app, const char *id, str word)
{
	struct known_revision k = { 0 };
	bool ret;

	if (!*id)
		return false;
	published_know(app, &k, str_from(id));
	ret = begins_so(&k, id, word) || (k.known && str_eq(k.about.title, word));
	arena_done(&k.arena);
	return ret;
}

/* Whether the held revision is the one that the administrator has looked at and names in ?revision=; if not, the
 * request is answered. Another revision may be held since then, and a tag may have been moved: so a title does not
 * count as a name, and a few digits do not suffice. */
static bool is_still_held(struct app *app, struct followed_source *s, const char *word, struct http_response *r)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1024);
	struct known_revision k = { 0 };
	bool same;

	if (published_digits(str_from(word)).n < SHORT_REVISION) {
		api_fail(r, 400, "of a revision that is accepted at least 12 digits are needed");
		return false;
	}
	published_know(app, &k, str_from(s->decided));
	same = begins_so(&k, s->decided, str_from(word));
	buf_printf(&why, "another revision is held by now, %.*s: look at that first",
		   STR_ARG(published_short(k.known ? k.about.revision : str_from(s->decided))));
	if (!same)
		api_fail(r, 409, why.p ? why.p : "another revision is held by now");
	arena_done(&k.arena);
	return same;
}

void published_accept(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct followed_source *s = asked_for(ctx, q, r);
	const char *word = http_query(q, "revision");
	struct err err;

	if (!s)
		return;
	if (s->standing != SOURCE_HELD || !*s->decided)
		api_fail(r, 409, "no revision of it is held");
	else if (!word || is_still_held(ctx, s, word, r))
		answer(ctx, q, r, published_want(ctx, s, s->decided, false, &err), &err);
}

/* The revision that ?revision= names; without the parameter @usual. NULL: the request is answered. */
static const char *wanted(struct app *app, struct followed_source *s, const struct http_request *q, const char *usual,
			  struct http_response *r)
{
	const char *word = http_query(q, "revision"), *found = NULL;
	const char *ids[SOURCE_BEFORE_MAX + 2] = { s->choice.in_force, s->fetched };
	size_t n = 2;

	if (!word) {
		if (!*usual)
			api_fail(r, 409, "there is no such revision of it yet");
		return *usual ? usual : NULL;
	}
	for (size_t i = 0; i < s->choice.n_before; i++)
		ids[n++] = s->choice.before[i];
	for (size_t i = 0; i < n; i++) {
		if (!*word || !is_meant(app, ids[i], str_from(word)) || (found && strcmp(found, ids[i]) == 0))
			continue;
		if (found) {
			api_fail(r, 409, "several revisions begin so");
			return NULL;
		}
		found = ids[i];
	}
	if (!found)
		api_fail(r, 404, "no revision that is kept of it is called so");
	return found;
}

void published_pin(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct followed_source *s = asked_for(ctx, q, r);
	const char *id = s ? wanted(ctx, s, q, s->choice.in_force, r) : NULL;
	struct err err;

	if (id)
		answer(ctx, q, r, published_want(ctx, s, id, true, &err), &err);
}

void published_unpin(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct followed_source *s = asked_for(ctx, q, r);
	struct err err;

	if (!s)
		return;
	if (!s->choice.pinned)
		api_fail(r, 409, "it is not pinned");
	else
		answer(ctx, q, r, published_let_go(ctx, s, &err), &err);
}

void published_roll_back(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct followed_source *s = asked_for(ctx, q, r);
	const char *id = s ? wanted(ctx, s, q, s->choice.n_before ? s->choice.before[0] : "", r) : NULL;
	struct err err;

	if (id)
		answer(ctx, q, r, published_want(ctx, s, id, true, &err), &err);
}
