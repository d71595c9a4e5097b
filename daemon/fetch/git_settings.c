/* Turns off by name everything that git could execute, ask, follow or remember.
 *
 * A file of credentials for HTTPS has USER:PASSWORD, or only a token. GitHub, GitLab, Gitea and Forgejo accept any
 * user with a token of a person or a project as the password; GitLab requires the user "oauth2" with an OAuth token.
 * So that user is sent with a token. Bitbucket's tokens need a user of their own, which the file has to name. */
#include "daemon/fetch/git_settings.h"

#include "base/file.h"
#include "mask/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CREDENTIALS_FILE_MAX ((size_t)64 << 10)
#define PASSWORD_MAX 4096
#define USER_OF_TOKENS "oauth2"

/* ssh with no agent, no configuration, and no other key, host or route than what the source names. The files are
 * links in the working directory, whose names have nothing that a shell or ssh would expand. */
#define SSH                                                                                                            \
	"ssh -F /dev/null -o BatchMode=yes -o IdentitiesOnly=yes -o IdentityAgent=none -o StrictHostKeyChecking=yes "  \
	"-o UserKnownHostsFile=known_hosts -o GlobalKnownHostsFile=/dev/null -o UpdateHostKeys=no "                    \
	"-o CheckHostIP=no -o PreferredAuthentications=publickey -o ClearAllForwardings=yes -o ForwardAgent=no "       \
	"-o PermitLocalCommand=no -o ProxyCommand=none -o ControlMaster=no -o ControlPath=none -o LogLevel=ERROR "     \
	"-o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=3 -o IdentityFile="

static const char *const fixed[] = {
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=",
	"SSH_ASKPASS=",
	"SSH_ASKPASS_REQUIRE=never",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=/dev/null",
	"GIT_SSH_VARIANT=ssh",
	"GIT_ADVICE=0",
	"GIT_OPTIONAL_LOCKS=0",
	"TZ=UTC0", /* ssh-keygen(1) interprets times as local ones */
};

static const struct {
	const char *key, *value;
} pairs[] = {
	/* the advice about GIT_GRAFT_FILE would hide other messages of git */
	{ "advice.graftFileDeprecated", "false" },
	{ "core.hooksPath", "/dev/null" },
	{ "core.fsmonitor", "false" },
	{ "core.bigFileThreshold", "16m" }, /* larger files are not held in memory, and never wanted */
	{ "core.attributesFile", "/dev/null" },
	{ "core.commitGraph", "false" },
	{ "core.multiPackIndex", "false" },
	{ "core.fsync", "committed" },
	{ "credential.helper", "" },
	{ "transfer.fsckObjects", "true" },
	{ "transfer.unpackLimit", "1" }, /* a fetch is one pack, which is either complete or missing */
	{ "transfer.credentialsInUrl", "die" },
	{ "fetch.recurseSubmodules", "false" },
	{ "fetch.writeCommitGraph", "false" },
	{ "fetch.showForcedUpdates", "false" },
	{ "submodule.recurse", "false" },
	{ "gc.auto", "0" },
	{ "gc.autoDetach", "false" },
	{ "maintenance.auto", "false" },
	{ "pack.threads", "1" },
	{ "http.followRedirects", "false" },
	{ "http.sslVerify", "true" },
	{ "http.lowSpeedLimit", "100" },
	{ "http.lowSpeedTime", "30" },
	{ "log.showSignature", "false" },
	{ "log.mailmap", "false" },
	{ "i18n.logOutputEncoding", "UTF-8" },
	{ "init.defaultBranch", "main" },
	{ "safe.bareRepository", "all" },
	{ "protocol.version", "2" },
};

static void add_word(struct git_settings *x, char *word)
{
	if (word && vec_push(&x->words, word))
		return;
	if (word)
		OPENSSL_cleanse(word, strlen(word));
	free(word);
	x->failed = true;
}

static PRINTF(2, 3) void add(struct git_settings *x, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&word, fmt, ap) < 0)
		word = NULL;
	va_end(ap);
	add_word(x, word);
}

static void add_pair(struct git_settings *x, str key, str value)
{
	add(x, "GIT_CONFIG_KEY_%zu=%.*s", x->n_pairs, STR_ARG(key));
	add(x, "GIT_CONFIG_VALUE_%zu=%.*s", x->n_pairs, STR_ARG(value));
	x->n_pairs++;
}

void git_settings_done(struct git_settings *x)
{
	for (size_t i = 0; i < x->words.n; i++) {
		if (x->words.p[i])
			OPENSSL_cleanse(x->words.p[i], strlen(x->words.p[i]));
		free(x->words.p[i]);
	}
	vec_done(&x->words);
}

/* Report what is wrong with a file of this host. The code must be neither ENOENT nor EACCES, which would look like
 * answers of the source. */
static int local(const char *what, struct err *err)
{
	char why[sizeof(err->msg)];

	(void)snprintf(why, sizeof(why), "%s", err->msg);
	return err_set(err, err->code == ENOMEM ? ENOMEM : EPERM, "git: %s: %s", what, why);
}

static int cannot(const char *what, str path, int code, struct err *err)
{
	return err_set(err, code == ENOMEM ? ENOMEM : EPERM, "git: %s '%.*s': %s", what, STR_ARG(path), strerror(code));
}

/* ---- HTTP ---- */

/* Encode "USER:PASSWORD" in base64, for free(); NULL without memory. */
static char *encode(str user, str password)
{
	CLEANUP(buf_done) struct buf plain = BUF_INIT(2 * PASSWORD_MAX);
	char *encoded;

	buf_printf(&plain, "%.*s:%.*s", STR_ARG(user), STR_ARG(password));
	if (plain.error)
		return NULL;
	encoded = malloc(4 * (plain.n / 3 + 1) + 1);
	if (encoded)
		(void)EVP_EncodeBlock((unsigned char *)encoded, (const unsigned char *)plain.p, (int)plain.n);
	OPENSSL_cleanse(plain.p, plain.n);
	return encoded;
}

static int add_header(struct git_settings *x, const struct git_url *u, str user, str password, struct err *err)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(PASSWORD_MAX), value = BUF_INIT(4 * PASSWORD_MAX);
	char *encoded = encode(user, password);

	if (!encoded)
		return err_nomem(err);
	credentials_add(password);
	credentials_add(str_from(encoded));
	/* The header is only sent to this host. Redirects are not followed, and would not get it. */
	buf_printf(&key, "http.%.*s.extraHeader", STR_ARG(u->origin));
	buf_printf(&value, "Authorization: Basic %s", encoded);
	add_pair(x, buf_str(&key), buf_str(&value));
	if (value.p)
		OPENSSL_cleanse(value.p, value.n);
	OPENSSL_cleanse(encoded, strlen(encoded));
	free(encoded);
	return key.error || value.error ? err_nomem(err) : 0;
}

static int add_credentials(struct git_settings *x, const struct source *s, const struct git_url *u, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(s->credentials);
	char *text = NULL;
	size_t n = 0;
	str line, user = STR(USER_OF_TOKENS);
	ptrdiff_t colon;
	int r = path ? file_read(path, CREDENTIALS_FILE_MAX, &text, &n, err) : err_nomem(err);

	if (r < 0)
		return local("credentials", err);
	line = str_trim((str){ text, n });
	colon = str_find_byte(line, ':');
	if (line.n == 0 || line.n > PASSWORD_MAX || str_find_byte(line, '\n') >= 0 || memchr(line.p, '\0', line.n)) {
		r = err_set(err, EPERM, "git: credentials: '%s' has no single line with USER:PASSWORD or a token",
			    path);
	} else {
		if (colon >= 0)
			user = str_sub(line, 0, (size_t)colon);
		r = add_header(x, u, user, str_sub(line, (size_t)(colon + 1), line.n), err);
	}
	OPENSSL_cleanse(text, n);
	free(text);
	return r;
}

static int add_http(struct git_settings *x, const struct source *s, const struct git_url *u, const char *scratch,
		    struct err *err)
{
	int r = 0;

	add_pair(x, STR("http.proxy"), s->proxy);
	if (s->ca_file.n) {
		r = git_link(scratch, "ca.pem", s->ca_file, err);
		add_pair(x, STR("http.sslCAInfo"), STR("ca.pem"));
	}
	if (r == 0 && s->credentials.n)
		r = add_credentials(x, s, u, err);
	return r;
}

/* ---- SSH ---- */

int git_link(const char *scratch, const char *name, str path, struct err *err)
{
	CLEANUP(freep) char *copy = str_dup(path);
	CLEANUP(freep) char *whole = copy ? realpath(copy, NULL) : NULL;
	char at[PATH_MAX];

	if (!copy)
		return err_nomem(err);
	if (!whole || access(whole, R_OK) < 0)
		return cannot("read", path, errno, err);
	if (snprintf(at, sizeof(at), "%s/%s", scratch, name) >= (int)sizeof(at))
		return cannot("make a link to", path, ENAMETOOLONG, err);
	if ((unlink(at) < 0 && errno != ENOENT) || symlink(whole, at) < 0)
		return cannot("make a link to", path, errno, err);
	return 0;
}

/* Whether a key has to be copied: ssh(1) refuses a key that belongs to its own user if others may read it; it
 * accepts such a key of another user. */
static bool must_be_copied(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & 077);
}

static int copy_key(const char *scratch, str key, const char *text, size_t n, struct err *err)
{
	char at[PATH_MAX];
	int fd, r;

	if (snprintf(at, sizeof(at), "%s/key", scratch) >= (int)sizeof(at))
		return cannot("copy", key, ENAMETOOLONG, err);
	(void)unlink(at);
	fd = open(at, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return cannot("copy", key, errno, err);
	r = file_write_all(fd, (str){ text, n });
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0)
		return 0;
	if (r == -ENOSPC || r == -EDQUOT)
		return err_set(err, -r, "git: copy '%.*s': %s", STR_ARG(key), strerror(-r));
	return cannot("copy", key, -r, err);
}

static int add_key(const struct source *s, const char *scratch, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(s->credentials);
	struct stat st;
	char *text = NULL;
	size_t n = 0;
	int r = path ? file_read(path, CREDENTIALS_FILE_MAX, &text, &n, err) : err_nomem(err);

	if (r < 0)
		return local("key", err);
	credentials_add((str){ text, n });
	if (stat(path, &st) == 0 && must_be_copied(&st))
		r = copy_key(scratch, s->credentials, text, n, err);
	else
		r = git_link(scratch, "key", s->credentials, err);
	OPENSSL_cleanse(text, n);
	free(text);
	return r;
}

static int add_ssh(struct git_settings *x, const struct source *s, const char *scratch, struct err *err)
{
	int r = git_link(scratch, "known_hosts", s->known_hosts, err);

	if (r == 0 && s->credentials.n)
		r = add_key(s, scratch, err);
	add(x, "GIT_SSH_COMMAND=" SSH "%s", s->credentials.n ? "key" : "none");
	return r;
}

/* ---- all of it ---- */

static int add_network(struct git_settings *x, const struct source *s, const struct git_url *u, const char *scratch,
		       struct err *err)
{
	static const char *const protocols[] = {
		[GIT_HTTPS] = "https", [GIT_HTTP] = "http", [GIT_SSH] = "ssh", [GIT_FILE] = "file"
	};

	add(x, "GIT_ALLOW_PROTOCOL=%s", protocols[u->transport]);
	switch (u->transport) {
	case GIT_HTTPS:
	case GIT_HTTP:
		return add_http(x, s, u, scratch, err);
	case GIT_SSH:
		return add_ssh(x, s, scratch, err);
	case GIT_FILE:
		break;
	}
	return 0;
}

int git_settings_make(struct git_settings *x, const char *repository, const struct source *s, const struct git_url *u,
		      const char *scratch, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		add(x, "%s", fixed[i]);
	add(x, "GIT_DIR=%s", repository);
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		add_pair(x, str_from(pairs[i].key), str_from(pairs[i].value));
	if (s)
		r = add_network(x, s, u, scratch, err);
	else
		add(x, "GIT_ALLOW_PROTOCOL=none");
	if (r < 0)
		return r;
	add(x, "GIT_CONFIG_COUNT=%zu", x->n_pairs);
	return x->failed || !vec_push(&x->words, NULL) ? err_nomem(err) : 0;
}
