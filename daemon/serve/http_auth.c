/* Checks passwords, and remembers verdicts under a keyed digest of user and password, which are not stored
 * themselves. */
#include "daemon/serve/http_auth.h"

#include "base/assert.h"
#include "base/str.h"

#include <crypt.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

/* verdicts of each kind: right and wrong ones are limited separately, so that guessing displaces no right one */
#define REMEMBERED 64
#define REMEMBERED_NS (UINT64_C(600) * 1000000000)
#define AT_A_TIME 2 /* checks at a time: the threads are shared with name resolution */
#define DIGEST_BYTES 32

struct digest {
	unsigned char bytes[DIGEST_BYTES];
};

struct memory {
	struct {
		struct digest digest;
		uint64_t until_ns; /* 0: empty */
	} entries[REMEMBERED];
	size_t next;
};

struct http_auth {
	uv_loop_t *loop;
	const struct web_config *w;
	unsigned char key[32];
	struct memory memories[2]; /* wrong, right */
	struct check *first, **last;
	unsigned n_running;
};

/* A check of a password. The thread pool owns it while it runs, otherwise its http_auth. */
struct check {
	uv_work_t work;
	struct http_auth *auth; /* NULL: nobody waits for it */
	struct check *next;
	void (*done)(void *ctx, bool right);
	void *ctx;
	struct digest digest;
	bool known, right; /* @known: the user exists; @right: the password is right */
	char *password;
	char hash[64];
};

int http_auth_new(uv_loop_t *loop, const struct web_config *w, struct http_auth **ret, struct err *err)
{
	struct http_auth *a = calloc(1, sizeof(*a));

	if (!a)
		return err_nomem(err);
	a->loop = loop;
	a->w = w;
	a->last = &a->first;
	if (getrandom(a->key, sizeof(a->key), 0) != (ssize_t)sizeof(a->key)) {
		free(a);
		return err_set(err, EIO, "draw a random key");
	}
	*ret = a;
	return 0;
}

static void check_free(struct check *c)
{
	if (c->password)
		explicit_bzero(c->password, strlen(c->password));
	free(c->password);
	free(c);
}

/* ---- what is remembered ---- */

static bool make_digest(const struct http_auth *a, const char *user, const char *password, struct digest *out)
{
	unsigned char text[2 * 1024];
	size_t n_user = strlen(user), n_password = strlen(password), n = n_user + 1 + n_password;
	unsigned length = DIGEST_BYTES;
	bool ok = false;

	if (n_user < sizeof(text) / 2 && n_password < sizeof(text) / 2) {
		memcpy(text, user, n_user + 1);
		memcpy(text + n_user + 1, password, n_password);
		ok = HMAC(EVP_sha256(), a->key, sizeof(a->key), text, n, out->bytes, &length) != NULL;
		explicit_bzero(text, n);
	}
	return ok;
}

static bool remembers(const struct memory *m, const struct digest *d, uint64_t now)
{
	for (size_t i = 0; i < REMEMBERED; i++) {
		if (m->entries[i].until_ns > now && CRYPTO_memcmp(&m->entries[i].digest, d, sizeof(*d)) == 0)
			return true;
	}
	return false;
}

static void remember(struct memory *m, const struct digest *d)
{
	m->entries[m->next].digest = *d;
	m->entries[m->next].until_ns = uv_hrtime() + REMEMBERED_NS;
	m->next = (m->next + 1) % REMEMBERED;
}

/* ---- hashing ---- */

static void on_thread(uv_work_t *work)
{
	struct check *c = work->data;
	struct crypt_data *data = calloc(1, sizeof(*data));
	const char *out = data ? crypt_r(c->password, c->hash, data) : NULL;

	c->right =
		out && strlen(out) == strlen(c->hash) && CRYPTO_memcmp(out, c->hash, strlen(c->hash)) == 0 && c->known;
	if (data)
		explicit_bzero(data, sizeof(*data));
	free(data);
}

static void start_next(struct http_auth *a);

static void take_off(struct http_auth *a, struct check *c)
{
	struct check **at = &a->first;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (!*at)
		a->last = at;
}

static void on_verdict(uv_work_t *work, int status)
{
	struct check *c = work->data;
	struct http_auth *a = c->auth;

	if (a) {
		bool right = c->right && status == 0;

		take_off(a, c);
		ASSERT(a->n_running > 0);
		a->n_running--;
		remember(&a->memories[right], &c->digest);
		start_next(a);
		c->done(c->ctx, right);
	}
	check_free(c);
}

/* Start the next check. The first @n_running of the list are running. */
static void start_next(struct http_auth *a)
{
	struct check *c = a->first;

	for (unsigned i = 0; c && i < a->n_running; i++)
		c = c->next;
	if (c && a->n_running < AT_A_TIME && uv_queue_work(a->loop, &c->work, on_thread, on_verdict) == 0)
		a->n_running++;
}

void http_auth_free(struct http_auth *a)
{
	unsigned i = 0;

	if (!a)
		return;
	for (struct check *c = a->first, *next; c; c = next, i++) {
		next = c->next;
		c->auth = NULL;
		if (i >= a->n_running)
			check_free(c);
	}
	explicit_bzero(a->key, sizeof(a->key));
	free(a);
}

static const struct web_user *find_user(const struct web_config *w, const char *name)
{
	for (size_t i = 0; i < w->n_users; i++) {
		if (strcmp(w->users[i].name, name) == 0)
			return &w->users[i];
	}
	return NULL;
}

static struct check *check_new(struct http_auth *a, const char *user, const char *password)
{
	const struct web_user *found = find_user(a->w, user);
	struct check *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->work.data = c;
	c->auth = a;
	c->known = found != NULL;
	(void)snprintf(c->hash, sizeof(c->hash), "%s", found ? found->hash : a->w->users[0].hash);
	c->password = str_dup(str_from(password));
	return c;
}

enum http_verdict http_auth_check(struct http_auth *a, const char *user, const char *password,
				  void (*done)(void *ctx, bool right), void *ctx)
{
	uint64_t now = uv_hrtime();
	struct digest digest;
	struct check *c;

	if (!make_digest(a, user, password, &digest))
		return HTTP_AUTH_WRONG; /* the password is longer than bcrypt supports */
	if (remembers(&a->memories[true], &digest, now))
		return HTTP_AUTH_RIGHT;
	if (remembers(&a->memories[false], &digest, now))
		return HTTP_AUTH_WRONG;
	c = check_new(a, user, password);
	if (!c || !c->password) {
		if (c)
			check_free(c);
		return HTTP_AUTH_WRONG;
	}
	c->digest = digest;
	c->done = done;
	c->ctx = ctx;
	*a->last = c;
	a->last = &c->next;
	start_next(a);
	return HTTP_AUTH_LATER;
}
