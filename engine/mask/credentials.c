/* Keeps one set for the process, behind a lock: the loop adds to it, and every thread that writes text searches it. */
#include "mask/credentials.h"

#include "base/vec.h"
#include "go/url.h"
#include "mask/needles.h"

#include <pthread.h>
#include <string.h>

struct credential {
	str text;      /* from malloc */
	uint64_t used; /* the order of use */
};

struct texts {
	VEC(str) of;
};

static struct {
	pthread_rwlock_t lock;
	VEC(struct credential) of;
	uint64_t uses;
	struct needles *needles; /* finds all of them, */
	bool stale;              /* except those that were added last */
	bool lost;               /* one could not be added without memory */
} known = { .lock = PTHREAD_RWLOCK_INITIALIZER };

static void forget(struct credential *c)
{
	explicit_bzero((char *)c->text.p, c->text.n);
	free((char *)c->text.p);
}

static struct credential *find(str text)
{
	for (size_t i = 0; i < known.of.n; i++) {
		if (str_eq(known.of.p[i].text, text))
			return &known.of.p[i];
	}
	return NULL;
}

static size_t least_used(void)
{
	size_t least = 0;

	for (size_t i = 1; i < known.of.n; i++) {
		if (known.of.p[i].used < known.of.p[least].used)
			least = i;
	}
	return least;
}

static bool put(str text)
{
	struct credential c = { .text = { str_dup(text), text.n }, .used = ++known.uses };
	size_t at;

	if (!c.text.p)
		return false;
	if (known.of.n < CREDENTIALS_MAX) {
		if (vec_push(&known.of, c))
			return true;
		forget(&c);
		return false;
	}
	at = least_used();
	forget(&known.of.p[at]);
	known.of.p[at] = c;
	return true;
}

/* Add each line of a PEM text, because a server may repeat a part of a key. */
static bool add_lines(str pem, struct texts *all)
{
	while (pem.n) {
		ptrdiff_t end = str_find_byte(pem, '\n');
		str line = str_trim(end < 0 ? pem : str_sub(pem, 0, (size_t)end));

		if (!str_has_prefix(line, STR("-----")) && !vec_push(&all->of, line))
			return false;
		pem = end < 0 ? STR("") : str_sub(pem, (size_t)end + 1, pem.n);
	}
	return true;
}

static void prepare(void)
{
	struct texts texts = { 0 };
	struct needles *all = NULL;
	struct err err;
	bool ok = true;

	for (size_t i = 0; ok && i < known.of.n; i++)
		ok = add_lines(known.of.p[i].text, &texts);
	ok = ok && needles_new(texts.of.p, texts.of.n, &all, &err) == 0;
	vec_done(&texts.of);
	known.lost |= !ok;
	known.stale = false;
	if (!ok)
		return;
	needles_free(known.needles);
	known.needles = all;
}

/* Lock the set for reading, with its needles up to date. The caller unlocks it. */
static void lock_prepared(void)
{
	(void)pthread_rwlock_rdlock(&known.lock);
	while (known.stale) {
		(void)pthread_rwlock_unlock(&known.lock);
		(void)pthread_rwlock_wrlock(&known.lock);
		if (known.stale)
			prepare();
		(void)pthread_rwlock_unlock(&known.lock);
		(void)pthread_rwlock_rdlock(&known.lock);
	}
}

void credentials_add(str text)
{
	struct credential *c;

	if (text.n < NEEDLE_LEAST)
		return;
	(void)pthread_rwlock_wrlock(&known.lock);
	c = find(text);
	if (c)
		c->used = ++known.uses;
	else if (put(text))
		known.stale = true;
	else
		known.lost = true;
	(void)pthread_rwlock_unlock(&known.lock);
}

/* A URL without a scheme is a host with a port, as proxies are configured. */
void credentials_add_url(str url)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	bool whole = str_find(url, STR("://")) >= 0;
	str text = whole ? url : arena_printf(&a, "http://%.*s", STR_ARG(url));
	struct go_url u;

	if (!text.p || go_url_parse(text, &a, &u, NULL) < 0)
		return;
	if (u.has_user)
		credentials_add(u.user);
	if (u.has_password)
		credentials_add(u.password);
}

/* User and password end at the last "@" before the path. */
void credentials_show_url(str url, struct buf *out)
{
	ptrdiff_t scheme = str_find(url, STR("://")), at = -1;
	size_t from = scheme < 0 ? 0 : (size_t)scheme + 3, i;

	for (i = from; i < url.n && !strchr("/?#", url.p[i]); i++) {
		if (url.p[i] == '@')
			at = (ptrdiff_t)i;
	}
	if (at < 0) {
		buf_add_str(out, url);
		return;
	}
	buf_add_str(out, str_sub(url, 0, from));
	buf_add_cstr(out, "***");
	buf_add_str(out, str_sub(url, (size_t)at, url.n));
}

bool credentials_in(str text)
{
	size_t from = 0, to;
	bool found;

	lock_prepared();
	found = known.lost || needles_find(known.needles, text, &from, &to);
	(void)pthread_rwlock_unlock(&known.lock);
	return found;
}

void credentials_hide(str text, const str *names, size_t n, struct buf *out)
{
	lock_prepared();
	if (known.lost)
		buf_add_cstr(out, "***");
	else
		needles_replace(known.needles, text, names, n, out);
	(void)pthread_rwlock_unlock(&known.lock);
}

str credentials_shown(str text, struct buf *space)
{
	if (!credentials_in(text))
		return text;
	credentials_hide(text, NULL, 0, space);
	return space->error ? STR("") : buf_str(space);
}

void credentials_forget(void)
{
	(void)pthread_rwlock_wrlock(&known.lock);
	for (size_t i = 0; i < known.of.n; i++)
		forget(&known.of.p[i]);
	vec_done(&known.of);
	needles_free(TAKE(known.needles));
	known.lost = known.stale = false;
	(void)pthread_rwlock_unlock(&known.lock);
}
