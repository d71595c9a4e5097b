/* Skopeo reads settings from many places. So its home is an empty folder with files that replace them. */
#include "daemon/fetch/skopeo.h"

#include "base/assert.h"
#include "base/file.h"
#include "daemon/fetch/child.h"
#include "daemon/fetch/local_file.h"
#include "daemon/fetch/oci_manifest.h"
#include "go/base64.h"
#include "mask/credentials.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define AUTHORITIES_MAX ((size_t)4 << 20)
#define CREDENTIALS_FILE_MAX ((size_t)1 << 20)
/* The largest file that skopeo writes itself: the manifest, or its cache of blobs. */
#define OWN_FILES_MAX ((uint64_t)16 << 20)
#define SAID_MAX 300 /* bytes of a message */
#define WORDS_MAX 24

/* ---- its folder ---- */

static int make_folder(const char *scratch, const char *name, struct err *err)
{
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%s/%s", scratch, name) < 0) {
		path = NULL;
		return err_nomem(err);
	}
	return file_make_folders(path, err);
}

static int write_file(const char *scratch, const char *name, str text, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	int fd, r;

	if (asprintf(&path, "%s/%s", scratch, name) < 0) {
		path = NULL;
		return err_nomem(err);
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "make the file '%s': %s", path, strerror(errno));
	r = file_write_all(fd, text);
	close(fd);
	return r < 0 ? err_set(err, -r, "write the file '%s': %s", path, strerror(-r)) : 0;
}

/* Make the home. A registries.conf in it replaces those of the host, which may name mirrors. Signatures that a
 * policy requires may be at other places, as the host's registries.d says; without a policy that is not read. */
static int make_home(struct skopeo *s, struct err *err)
{
	const struct source *source = s->job->source;
	const char *scratch = s->job->scratch;
	str authorities;
	int r = make_folder(scratch, ".config/containers", err);

	if (r == 0)
		r = write_file(scratch, ".config/containers/registries.conf", STR(""), err);
	if (r == 0)
		r = make_folder(scratch, "registries.d", err);
	if (r == 0)
		r = make_folder(scratch, "certs", err);
	if (r == 0)
		r = make_folder(scratch, "none", err);
	if (r < 0 || !source->ca_file.n)
		return r;
	r = local_file_read(source->ca_file, AUTHORITIES_MAX, s->arena, &authorities, err);
	return r < 0 ? r : write_file(scratch, "certs/ca.crt", authorities, err);
}

/* ---- what it gets ---- */

static const char *text(struct arena *a, const char *before, str value, const char *behind)
{
	return arena_printf(a, "%s%.*s%s", before, STR_ARG(value), behind).p;
}

/* Make the environment. Without memory a NULL ends it early; the arena remembers that. */
static int make_environment(struct skopeo *s, struct err *err)
{
	const struct source *source = s->job->source;
	str scratch = str_from(s->job->scratch);
	size_t n = 0;

	s->environment[n++] = text(s->arena, "XDG_RUNTIME_DIR=", scratch, "");
	s->environment[n++] = text(s->arena, "TMPDIR=", scratch, "");
	/* As root, skopeo keeps its cache of blobs below /var; as nobody, in its home. */
	s->environment[n++] = "_CONTAINERS_ROOTLESS_UID=65534";
	if (source->proxy.n) {
		s->environment[n++] = text(s->arena, "HTTPS_PROXY=", source->proxy, "");
		s->environment[n++] = text(s->arena, "HTTP_PROXY=", source->proxy, "");
	}
	if (source->ca_file.n) { /* instead of the system's authorities */
		s->environment[n++] = text(s->arena, "SSL_CERT_FILE=", scratch, "/certs/ca.crt");
		s->environment[n++] = text(s->arena, "SSL_CERT_DIR=", scratch, "/none");
	}
	ASSERT(n < ARRAY_LEN(s->environment));
	s->environment[n] = NULL;
	return s->arena->failed || s->arena->full ? arena_error(s->arena, err) : 0;
}

/* Note the credentials, so that they are hidden in skopeo's messages. */
static void know_credentials(val auths)
{
	static const char *const names[] = { "auth", "password", "identitytoken", "registrytoken" };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(CREDENTIALS_FILE_MAX);

	for (uint32_t i = 0; auths.kind == VAL_MAP && i < val_count(auths); i++) {
		val entry = auths.members[i].value;
		str user;

		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			credentials_add(val_str(val_get(entry, str_from(names[k]))));
		if (go_base64_decode(&go_base64_std, val_str(VAL_GET(entry, "auth")), &a, &user, NULL) == 0)
			credentials_add(str_sub(user, (size_t)(str_find_byte(user, ':') + 1), user.n));
	}
}

static int read_credentials(struct skopeo *s, str path, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err why;
	str json;
	int r = local_file_read(path, CREDENTIALS_FILE_MAX, s->arena, &json, err);

	if (r < 0)
		return r;
	r = json_decode(json, JSON_DEFAULTS, &doc, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0 || !val_is_map(VAL_GET(doc->root, "auths")))
		return err_set(err, EPERM, "'%.*s' is not an auth.json: it has no map \"auths\"", STR_ARG(path));
	know_credentials(VAL_GET(doc->root, "auths"));
	s->credentials = arena_str(s->arena, path).p;
	return s->credentials ? 0 : arena_error(s->arena, err);
}

int skopeo_begin(struct skopeo *s, const struct fetch_job *job, struct arena *a, struct err *err)
{
	const struct source *source = job->source;
	int r;

	*s = (struct skopeo){ .job = job, .arena = a };
	credentials_add_url(source->proxy);
	if (source->insecure && source->credentials.n)
		return err_set(err, EINVAL, "credentials are not sent to a registry without TLS");
	if (source->policy.n) {
		str ignored;

		r = local_file_read(source->policy, AUTHORITIES_MAX, a, &ignored, err);
		if (r < 0)
			return r;
		s->policy = arena_str(a, source->policy).p;
		if (!s->policy)
			return arena_error(a, err);
	}
	r = source->credentials.n ? read_credentials(s, source->credentials, err) : 0;
	if (r == 0)
		r = make_home(s, err);
	return r < 0 ? r : make_environment(s, err);
}

/* ---- what it says ---- */

/* skopeo has one exit status for all failures, so the code is guessed from its message. A registry can make it any of
 * these codes, and none of them is a success. */
static int code_of(struct foreign errors)
{
	static const struct {
		const char *words;
		int code;
	} codes[] = {
		{ "Source image rejected", EKEYREJECTED },
		{ "invalid reference format", EINVAL },
		{ "invalid policy", EPERM },
		{ "trust policy", EPERM },
		{ "no space left on device", ENOSPC },
		{ "disk quota exceeded", EDQUOT },
		{ "file too large", E2BIG },
		{ "SIGXFSZ", E2BIG },
		{ "permission denied", EPERM },
		{ "unauthorized", EACCES },
		{ "authentication required", EACCES },
		{ "invalid username/password", EACCES },
		{ "denied", EACCES },
		{ "403 (Forbidden)", EACCES },
		{ "manifest unknown", ENOENT },
		{ "name unknown", ENOENT },
		{ "repository name not known", ENOENT },
		{ "404 (Not Found)", ENOENT },
	};

	for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
		if (foreign_holds(errors, str_from(codes[i].words)))
			return codes[i].code;
	}
	return EIO;
}

/* Find the reason in skopeo's last record, time="…" level=fatal msg="…", which contains escapes. */
static void find_reason(str errors, struct buf *out)
{
	static const str before = { "msg=\"", 5 };
	ptrdiff_t from = str_rfind(errors, before), to = str_rfind(errors, STR("\""));
	str reason = errors;

	if (from >= 0 && to >= from + (ptrdiff_t)before.n)
		reason = str_sub(errors, (size_t)from + before.n, (size_t)to);
	for (size_t i = 0; i < reason.n; i++) {
		if (reason.p[i] == '\\' && i + 1 < reason.n)
			i++;
		buf_add_byte(out, reason.p[i]);
	}
}

static int explain(int status, str errors, struct err *err)
{
	CLEANUP(buf_done) struct buf reason = BUF_INIT(CHILD_ERRORS_MAX), shown = BUF_INIT((size_t)8 * SAID_MAX);
	int code = status == 128 + SIGXFSZ ? E2BIG : code_of(foreign_bytes(errors));

	find_reason(errors, &reason);
	foreign_quote(foreign_bytes(buf_str(&reason)), SAID_MAX, &shown);
	if (shown.n == 0)
		return err_set(err, code, "skopeo ended with status %d and no word", status);
	return err_set(err, code, "skopeo: %s", buf_str(&shown).p);
}

/* ---- running it ---- */

struct words {
	const char *at[WORDS_MAX];
	size_t n;
};

static void add(struct words *w, const char *word)
{
	ASSERT(w->n + 1 < WORDS_MAX);
	w->at[w->n++] = word;
}

static struct words begin_words(const struct skopeo *s, bool verified)
{
	struct words w = { 0 };

	add(&w, "skopeo");
	if (verified && s->policy) {
		add(&w, "--policy");
		add(&w, s->policy);
	} else {
		add(&w, "--insecure-policy");
		add(&w, "--registries.d");
		add(&w, "registries.d");
	}
	add(&w, "--tmpdir");
	add(&w, ".");
	return w;
}

/* Add the options for the registry. They have another name when there is a second image. */
static void add_origin(const struct skopeo *s, bool copies, struct words *w)
{
	add(w, copies ? "--src-cert-dir" : "--cert-dir");
	add(w, "certs");
	if (s->credentials) {
		add(w, copies ? "--src-authfile" : "--authfile");
		add(w, s->credentials);
	} else {
		add(w, copies ? "--src-no-creds" : "--no-creds");
	}
	if (s->job->source->insecure)
		add(w, copies ? "--src-tls-verify=false" : "--tls-verify=false");
}

static int run(const struct skopeo *s, const struct words *w, uint64_t largest, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf errors = BUF_INIT(CHILD_ERRORS_MAX);
	const struct child_options o = {
		.argv = w->at,
		.environment = s->environment,
		.home = s->job->scratch,
		.deadline_ns = s->job->deadline_ns,
		.file_bytes_max = (largest > OWN_FILES_MAX ? largest : OWN_FILES_MAX),
	};
	int r = child_run(&o, out, &errors, err);

	return r > 0 ? explain(r, buf_str(&errors), err) : r;
}

int skopeo_manifest(struct skopeo *s, str image, struct buf *out, struct err *err)
{
	struct words w = begin_words(s, false);

	add(&w, "inspect");
	add(&w, "--raw");
	add_origin(s, false, &w);
	add(&w, text(s->arena, "docker://", image, ""));
	return w.at[w.n - 1] ? run(s, &w, 0, out, err) : arena_error(s->arena, err);
}

int skopeo_copy(struct skopeo *s, str image, const char *folder, uint64_t largest, bool verified, struct err *err)
{
	CLEANUP(buf_done) struct buf ignored = BUF_INIT(CHILD_ERRORS_MAX);
	struct words w = begin_words(s, verified);
	const char *from = text(s->arena, "docker://", image, ""), *to = text(s->arena, "dir:", str_from(folder), "");

	if (!from || !to)
		return arena_error(s->arena, err);
	add(&w, "copy");
	add(&w, "--quiet");
	add(&w, "--preserve-digests");
	add(&w, "--remove-signatures"); /* signatures are checked before, and not stored */
	add_origin(s, true, &w);
	add(&w, from);
	add(&w, to);
	return run(s, &w, largest, &ignored, err);
}
