/* Checks URLs before git sees them. git accepts too much as a URL: "ext::COMMAND" runs a command, and a host
 * "-oProxyCommand=…" was an option of ssh. So whatever is not known to be harmless is refused. */
#include "daemon/fetch/git_url.h"

#include "base/hex.h"
#include "mask/credentials.h"
#include "mask/foreign.h"

#include <errno.h>

#define URL_MAX 2048
#define NAME_MAX_BYTES 1024
#define COMMIT_SHA1 40
#define COMMIT_SHA256 64

static const struct {
	str prefix;
	enum git_transport transport;
} schemes[] = {
	{ { "https://", 8 }, GIT_HTTPS },
	{ { "http://", 7 }, GIT_HTTP },
	{ { "ssh://", 6 }, GIT_SSH },
	{ { "file:///", 8 }, GIT_FILE },
};

static int refuse(const struct source *s, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(2 * URL_MAX);
	CLEANUP(buf_done) struct buf shown = BUF_INIT(2 * URL_MAX);

	credentials_show_url(s->url, &url);
	foreign_quote(foreign_bytes(buf_str(&url)), 200, &shown);
	return err_set(err, EINVAL, "git: the URL '%s' %s", buf_str(&shown).p, why);
}

static bool has_only(str s, const char *others)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
			continue;
		if (!c || !strchr(others, c))
			return false;
	}
	return s.n > 0;
}

/* Whether @s is [USER@]HOST[:PORT]; HOST may be [::1]. */
static bool authority_is_good(str s)
{
	str user = { NULL, 0 };
	ptrdiff_t at = str_find_byte(s, '@');

	if (at >= 0) {
		user = str_sub(s, 0, (size_t)at);
		s = str_sub(s, (size_t)at + 1, s.n);
		if (!has_only(user, "._-+") || user.p[0] == '-')
			return false;
	}
	return has_only(s, ".-_:[]") && s.p[0] != '-' && s.p[0] != ':';
}

/* Whether @s has only characters for paths, and none with a meaning in a shell or a URL that no name of a repository
 * needs. */
static bool path_is_good(str s)
{
	return has_only(s, "/._-+~%:@=,!");
}

/* Whether @url has the form USER@HOST:PATH of scp(1). */
static bool is_scp(str url)
{
	ptrdiff_t at = str_find_byte(url, '@'), colon = str_find_byte(url, ':'), slash = str_find_byte(url, '/');
	str path;

	if (at < 1 || colon < at || (slash >= 0 && slash < colon))
		return false;
	path = str_sub(url, (size_t)colon + 1, url.n);
	return authority_is_good(str_sub(url, 0, (size_t)colon)) && path_is_good(path) && path.p[0] != '-' &&
	       path.p[0] != ':';
}

static int split(const struct source *s, str rest, size_t scheme_n, struct git_url *ret, struct err *err)
{
	ptrdiff_t slash = str_find_byte(rest, '/');
	str authority = str_sub(rest, 0, slash < 0 ? rest.n : (size_t)slash);

	if (slash < 0 || !path_is_good(str_sub(rest, (size_t)slash, rest.n)))
		return refuse(s, "has no path, or a character that is not allowed in one", err);
	if (!authority_is_good(authority))
		return refuse(s, "has no good name of a host, or a password", err);
	if (ret->transport == GIT_SSH)
		return 0;
	if (str_find_byte(authority, '@') >= 0)
		return refuse(s, "has a user: credentials belong into a file of their own", err);
	ret->origin = str_sub(s->url, 0, scheme_n + authority.n + 1);
	return 0;
}

static int read_url(const struct source *s, struct git_url *ret, struct err *err)
{
	*ret = (struct git_url){ .transport = GIT_SSH };
	if (s->url.n > URL_MAX)
		return refuse(s, "is too long", err);
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		str rest = str_sub(s->url, schemes[i].prefix.n, s->url.n);

		if (!str_has_prefix(s->url, schemes[i].prefix))
			continue;
		ret->transport = schemes[i].transport;
		if (ret->transport != GIT_FILE)
			return split(s, rest, schemes[i].prefix.n, ret, err);
		return path_is_good(rest) ? 0 : refuse(s, "has a character that is not allowed in a path", err);
	}
	if (is_scp(s->url))
		return 0;
	return refuse(s, "is not one of https://, http://, ssh://, USER@HOST:PATH and file://", err);
}

static int check_use(const struct source *s, const struct git_url *u, struct err *err)
{
	if (u->transport == GIT_HTTP && !s->insecure)
		return refuse(s, "has no TLS, and the source does not say 'insecure'", err);
	if (u->transport == GIT_HTTP && s->credentials.n)
		return refuse(s, "has no TLS: no credentials are sent there", err);
	if (u->transport == GIT_SSH && s->known_hosts.n == 0)
		return refuse(s, "is of SSH, and the source names no file of known hosts", err);
	if (u->transport == GIT_SSH && s->proxy.n)
		return refuse(s, "is of SSH, for which there is no proxy", err);
	return 0;
}

static int refuse_name(const char *noun, str name, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(1024);

	foreign_quote(foreign_bytes(name), 200, &shown);
	return err_set(err, EINVAL, "git: '%s' is no good %s", buf_str(&shown).p, noun);
}

/* Whether @s is a name for git-check-ref-format(1), and no glob. */
static bool ref_is_good(str s)
{
	str rest = s, part;

	if (s.n > NAME_MAX_BYTES || s.p[0] == '-' || str_find(s, STR("..")) >= 0 || str_find(s, STR("@{")) >= 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7F || strchr("~^:?*[\\", s.p[i]))
			return false;
	}
	while (str_next_part(&rest, '/', &part)) {
		if (part.n == 0 || part.p[0] == '.' || part.p[part.n - 1] == '.' || str_has_suffix(part, STR(".lock")))
			return false;
	}
	return !str_eq(s, STR("@"));
}

static bool path_in_it_is_good(str path)
{
	str rest = path, part;

	for (size_t i = 0; i < path.n; i++) {
		if ((unsigned char)path.p[i] < ' ')
			return false;
	}
	while (str_next_part(&rest, '/', &part)) {
		if (part.n == 0 || str_eq(part, STR(".")) || str_eq(part, STR("..")))
			return false;
	}
	return path.n <= NAME_MAX_BYTES;
}

int git_url_check(const struct source *s, struct git_url *ret, struct err *err)
{
	struct git_url u;
	int r = read_url(s, &u, err);

	if (r == 0)
		r = check_use(s, &u, err);
	if (r < 0)
		return r;
	if ((s->branch.n > 0) + (s->tag.n > 0) + (s->commit.n > 0) > 1)
		return err_set(err, EINVAL, "git: the source names more than one of branch, tag and commit");
	if (s->branch.n && !ref_is_good(s->branch))
		return refuse_name("name of a branch", s->branch, err);
	if (s->tag.n && !ref_is_good(s->tag))
		return refuse_name("name of a tag", s->tag, err);
	if (s->commit.n && (!hex_is(s->commit) || (s->commit.n != COMMIT_SHA1 && s->commit.n != COMMIT_SHA256)))
		return refuse_name("commit: all its digits are needed", s->commit, err);
	if (s->path.n && !path_in_it_is_good(s->path))
		return refuse_name("path of a folder", s->path, err);
	*ret = u;
	return 0;
}
