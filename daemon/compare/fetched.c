/* Turns a path into one request, runs driftd-fetch once, and opens the one revision that it brings. */
#include "daemon/compare/fetched.h"

#include "base/arena.h"
#include "base/hex.h"
#include "config/source_program.h"
#include "config/source_request.h"
#include "config/source_status.h"
#include "config/source_store.h"
#include "config/source_write.h"
#include "daemon/compare/run_command.h"
#include "mask/credentials.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#define GIT "git+"
#define OCI "oci://"
#define NAME "reference" /* the name of the source in the store */
#define METADATA "metadata.yaml"
#define OUTPUT_MAX ((size_t)1 << 20)

bool fetched_is_meant(const char *path)
{
	return strncmp(path, GIT, sizeof(GIT) - 1) == 0 || strncmp(path, OCI, sizeof(OCI) - 1) == 0;
}

/* ---- what the path says ---- */

/* Cut *s before the first @mark at or behind byte @from, and return the text behind the mark. {NULL, 0}: there is no
 * mark, and *s stays as it is. */
static str cut_behind(str *s, size_t from, str mark)
{
	ptrdiff_t at = str_find(str_sub(*s, from, s->n), mark);
	str rest = { 0 };

	if (at < 0)
		return rest;
	rest = str_sub(*s, from + (size_t)at + mark.n, s->n);
	*s = str_sub(*s, 0, from + (size_t)at);
	return rest;
}

static void split_path(str inner, struct source *s, str *metadata)
{
	ptrdiff_t slash = str_rfind(inner, STR("/"));

	*metadata = inner.n ? str_sub(inner, (size_t)(slash + 1), inner.n) : STR(METADATA);
	s->path = slash > 0 ? str_sub(inner, 0, (size_t)slash) : STR("");
}

/* The first of the user's files that exists; empty: none does. */
static str file_of_user(struct arena *a, const char *const *names)
{
	const char *home = getenv("HOME");
	struct stat st;

	for (size_t i = 0; home && names[i]; i++) {
		str path = arena_printf(a, "%s/.ssh/%s", home, names[i]);

		if (path.p && stat(path.p, &st) == 0)
			return path;
	}
	return STR("");
}

static void set_ssh(struct arena *a, struct source *s)
{
	static const char *const keys[] = { "id_ed25519", "id_ecdsa", "id_rsa", NULL };
	static const char *const hosts[] = { "known_hosts", NULL };

	s->credentials = file_of_user(a, keys);
	s->known_hosts = file_of_user(a, hosts);
}

static void read_git(str url, struct arena *a, struct source *s, str *metadata)
{
	str ref = cut_behind(&url, 0, STR("?ref="));
	ptrdiff_t scheme = str_find(url, STR("://"));

	s->kind = SOURCE_GIT;
	split_path(cut_behind(&url, (size_t)(scheme + 3), STR("//")), s, metadata);
	s->url = url;
	s->insecure = str_has_prefix(url, STR("http://"));
	if ((ref.n == 40 || ref.n == 64) && hex_is(ref))
		s->commit = ref;
	else
		s->branch = ref;
	if (str_has_prefix(url, STR("ssh://")))
		set_ssh(a, s);
}

static void read_oci(str url, struct source *s, str *metadata)
{
	ptrdiff_t slash;

	s->kind = SOURCE_OCI;
	split_path(cut_behind(&url, 0, STR("//")), s, metadata);
	slash = str_rfind(url, STR("/"));
	s->tag = cut_behind(&url, (size_t)(slash + 1), STR(":"));
	s->url = url;
}

static int read_source(str path, struct arena *a, struct source *s, str *metadata, struct err *err)
{
	const char *ca = getenv("SSL_CERT_FILE");

	*s = (struct source){ .name = STR(NAME), .timeout_ns = SOURCE_TIMEOUT_NS, .ca_file = str_from(ca ? ca : "") };
	if (str_has_prefix(path, STR(GIT)))
		read_git(str_sub(path, sizeof(GIT) - 1, path.n), a, s, metadata);
	else
		read_oci(str_sub(path, sizeof(OCI) - 1, path.n), s, metadata);
	if (!s->url.n || !metadata->n)
		return err_set(err, EINVAL,
			       "incorrect path passed to -r, it must follow this format: "
			       "git+https://<HOST>/<REPOSITORY>//<PATH>/metadata.yaml?ref=<REF> or "
			       "oci://<HOST>/<NAME>:<TAG>//<PATH>/metadata.yaml");
	return 0;
}

/* ---- fetching ---- */

static int run(const char *store, const char *request, struct err *err)
{
	CLEANUP(buf_done) struct buf program = BUF_INIT(OUTPUT_MAX), out = BUF_INIT(OUTPUT_MAX);
	int r;

	source_program(&program);
	r = buf_error(&program, "the path of driftd-fetch", err);
	if (r == 0)
		r = run_command((const char *const[]){ program.p, "--request", request, "--store", store, NULL },
				RUN_MERGE_STDERR, &out, err);
	if (r > 0)
		r = err_set(err, EIO, "driftd-fetch: %.*s", STR_ARG(str_trim(buf_str(&out))));
	return r;
}

/* The result of the fetch of the one source. */
static int result(const char *store, struct arena *a, enum source_failure *why, struct err *err)
{
	struct source_status status;
	int r = source_status_load(store, STR(NAME), a, &status, err);

	if (r < 0 || !status.failed)
		return r;
	*why = status.failure;
	return err_set(err, EIO, "%s: %.*s", source_failure_name(status.failure), STR_ARG(status.message));
}

static int fetch(const struct source *s, const char *into, struct arena *a, enum source_failure *why, struct err *err)
{
	/* a tag is another wish than the branch of that name, which is tried first */
	const struct source_wish wish = { .source = *s, .wish = 1 + !!s->tag.n };
	CLEANUP(buf_done) struct buf text = BUF_INIT(SOURCE_REQUEST_MAX);
	str request = arena_printf(a, "%s/" SOURCE_REQUEST_FILE, into);
	int r = source_request_write(&(struct source_request){ &wish, 1 }, &text, err);

	if (r == 0)
		r = request.p ? source_write(request.p, 0600, buf_str(&text), err) : err_nomem(err);
	if (r == 0)
		r = run(into, request.p, err);
	return r < 0 ? r : result(into, a, why, err);
}

int fetched_open(const char *path, const char *into, char **base, char **metadata, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	enum source_failure why = SOURCE_FAILURES;
	char id[SOURCE_ID_SIZE];
	struct source s;
	str name;
	int r;

	credentials_add_url(str_from(path));
	r = read_source(str_from(path), &a, &s, &name, err);
	if (r == 0)
		r = fetch(&s, into, &a, &why, err);
	if (r < 0 && why == SOURCE_MISSING && s.branch.n) { /* no such branch */
		s.tag = s.branch;
		s.branch = STR("");
		r = fetch(&s, into, &a, &why, err);
	}
	if (r == 0)
		r = source_store_find(into, STR(NAME), id, err);
	if (r < 0)
		return r;
	*metadata = str_dup(name);
	if (!*metadata || asprintf(base, "%s/revisions/%s/files", into, id) < 0) {
		free(TAKE(*metadata));
		*base = NULL;
		return err_nomem(err);
	}
	return 0;
}
