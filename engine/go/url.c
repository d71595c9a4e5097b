/* Escapes, reads and writes URLs as Go's net/url does. */
#include "go/url.h"

#include "base/ascii.h"
#include "go/quote.h"

#include <errno.h>

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* ---- escaping ---- */

static bool should_escape(char c, enum go_url_part part)
{
	if (ascii_is_letter(c) || ascii_is_digit(c) || is_one_of(c, "-_.~"))
		return false;
	if ((part == GO_URL_HOST || part == GO_URL_ZONE) && is_one_of(c, "!$&'()*+,;=:[]<>\""))
		return false;
	if (is_one_of(c, "$&+,/:;=?@")) {
		switch (part) {
		case GO_URL_PATH:
			return c == '?';
		case GO_URL_PATH_SEGMENT:
			return is_one_of(c, "/;,?");
		case GO_URL_USER:
			return is_one_of(c, "@/?:");
		default:
			return part != GO_URL_FRAGMENT;
		}
	}
	return part != GO_URL_FRAGMENT || !is_one_of(c, "!()*");
}

void go_url_escape(struct buf *out, str s, enum go_url_part part)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (!should_escape(s.p[i], part)) {
			buf_add_byte(out, s.p[i]);
		} else if (c == ' ' && part == GO_URL_QUERY) {
			buf_add_byte(out, '+');
		} else {
			buf_add_byte(out, '%');
			buf_add_byte(out, hex[c >> 4]);
			buf_add_byte(out, hex[c & 15]);
		}
	}
}

/* The reason why a text is refused: Go's words, within which a part of the text may be quoted. */
struct reason {
	const char *before;
	str quoted; /* p is NULL: nothing is quoted */
	const char *after;
};

/* Set the reason and return -EBADMSG. */
static int bad(struct reason *why, const char *text)
{
	*why = (struct reason){ .before = text };
	return -EBADMSG;
}

static int bad_quoted(struct reason *why, const char *before, str s, const char *after)
{
	*why = (struct reason){ before, s, after };
	return -EBADMSG;
}

static void add_reason(struct buf *out, const struct reason *why)
{
	buf_add_cstr(out, why->before);
	if (why->quoted.p) {
		go_quote(out, why->quoted);
		buf_add_cstr(out, why->after);
	}
}

static int byte_of(const char *hex)
{
	return ascii_hex_value(hex[0]) * 16 + ascii_hex_value(hex[1]);
}

/* Check the escape at s.p[i], which may be wrong in @part. */
static int check_escape(str s, size_t i, enum go_url_part part, struct reason *why)
{
	str seen = str_sub(s, i, i + 3);
	int byte;

	if (seen.n < 3 || ascii_hex_value(seen.p[1]) < 0 || ascii_hex_value(seen.p[2]) < 0)
		return bad_quoted(why, "invalid URL escape ", seen, "");
	byte = byte_of(seen.p + 1);
	if (byte == '%')
		return 0;
	/* Only bytes that are not ASCII may be escaped in a host. */
	if ((part == GO_URL_HOST && byte < 0x80) ||
	    (part == GO_URL_ZONE && byte != ' ' && should_escape((char)byte, GO_URL_HOST)))
		return bad_quoted(why, "invalid URL escape ", seen, "");
	return 0;
}

static int unescape_part(str s, enum go_url_part part, struct arena *a, str *ret, struct reason *why)
{
	bool host = part == GO_URL_HOST || part == GO_URL_ZONE, same = true;
	size_t n = 0;
	char *out;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			int r = check_escape(s, i, part, why);

			if (r < 0)
				return r;
			same = false;
			i += 2;
		} else if (s.p[i] == '+' && part == GO_URL_QUERY) {
			same = false;
		} else if (host && !(s.p[i] & 0x80) && should_escape(s.p[i], part)) {
			return bad_quoted(why, "invalid character ", str_sub(s, i, i + 1), " in host name");
		}
	}
	if (same) {
		*ret = s;
		return 0;
	}
	out = arena_alloc(a, s.n);
	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			out[n++] = (char)byte_of(s.p + i + 1);
			i += 2;
		} else {
			out[n++] = s.p[i] == '+' && part == GO_URL_QUERY ? ' ' : s.p[i];
		}
	}
	*ret = (str){ out, n };
	return 0;
}

int go_url_unescape(str s, enum go_url_part part, struct arena *a, str *ret, struct buf *why)
{
	struct reason reason;
	int r = unescape_part(s, part, a, ret, &reason);

	if (r == -EBADMSG && why)
		add_reason(why, &reason);
	return r;
}

/* ---- reading ---- */

struct parser {
	struct arena *a;
	bool request;
	struct reason why;
};

static int unescape(struct parser *p, str s, enum go_url_part part, str *ret)
{
	return unescape_part(s, part, p->a, ret, &p->why);
}

/* Whether @s is "", or ":" and digits. */
static bool port_ok(str s)
{
	if (s.n && s.p[0] != ':')
		return false;
	for (size_t i = 1; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]))
			return false;
	}
	return true;
}

/* Parse a bracketed IPv6 address; its zone ("%25" and more) may have characters that a host may not. */
static int parse_bracketed(struct parser *p, str s, str *host)
{
	ptrdiff_t close = str_rfind(s, STR("]")), zone;
	str address = STR(""), zone_text = STR(""), rest = STR("");
	int r;

	if (close < 0)
		return bad(&p->why, "missing ']' in host");
	rest = str_sub(s, (size_t)close + 1, s.n);
	if (!port_ok(rest))
		return bad_quoted(&p->why, "invalid port ", rest, " after host");
	zone = str_find(str_sub(s, 0, (size_t)close), STR("%25"));
	if (zone < 0)
		return unescape(p, s, GO_URL_HOST, host);
	r = unescape(p, str_sub(s, 0, (size_t)zone), GO_URL_HOST, &address);
	if (r == 0)
		r = unescape(p, str_sub(s, (size_t)zone, (size_t)close), GO_URL_ZONE, &zone_text);
	if (r == 0)
		r = unescape(p, str_sub(s, (size_t)close, s.n), GO_URL_HOST, &rest);
	if (r < 0)
		return r;
	*host = arena_printf(p->a, "%.*s%.*s%.*s", STR_ARG(address), STR_ARG(zone_text), STR_ARG(rest));
	return host->p ? 0 : -ENOMEM;
}

static int parse_host(struct parser *p, str s, str *host)
{
	ptrdiff_t colon;

	if (str_has_prefix(s, STR("[")))
		return parse_bracketed(p, s, host);
	colon = str_rfind(s, STR(":"));
	if (colon >= 0 && !port_ok(str_sub(s, (size_t)colon, s.n)))
		return bad_quoted(&p->why, "invalid port ", str_sub(s, (size_t)colon, s.n), " after host");
	return unescape(p, s, GO_URL_HOST, host);
}

static bool user_ok(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_letter(s.p[i]) && !ascii_is_digit(s.p[i]) && !is_one_of(s.p[i], "-._:~!$&'()*+,;=%@"))
			return false;
	}
	return true;
}

/* [user [":" password] "@"] host [":" port] */
static int parse_authority(struct parser *p, str s, struct go_url *u)
{
	ptrdiff_t at = str_rfind(s, STR("@")), colon;
	int r = parse_host(p, at < 0 ? s : str_sub(s, (size_t)at + 1, s.n), &u->host);
	str user;

	if (r < 0 || at < 0)
		return r;
	user = str_sub(s, 0, (size_t)at);
	if (!user_ok(user))
		return bad(&p->why, "net/url: invalid userinfo");
	u->has_user = true;
	colon = str_find_byte(user, ':');
	if (colon < 0)
		return unescape(p, user, GO_URL_USER, &u->user);
	u->has_password = true;
	r = unescape(p, str_sub(user, 0, (size_t)colon), GO_URL_USER, &u->user);
	return r < 0 ? r : unescape(p, str_sub(user, (size_t)colon + 1, user.n), GO_URL_USER, &u->password);
}

/* Split "scheme:" off *rest. */
static int parse_scheme(struct parser *p, str *rest, str *scheme)
{
	size_t n = 0;
	char *lower;

	while (n < rest->n &&
	       (ascii_is_letter(rest->p[n]) || (n > 0 && (ascii_is_digit(rest->p[n]) || is_one_of(rest->p[n], "+-.")))))
		n++;
	if (n == rest->n || rest->p[n] != ':')
		return 0;
	if (n == 0)
		return bad(&p->why, "missing protocol scheme");
	lower = arena_alloc(p->a, n);
	if (!lower)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		lower[i] = (char)(ascii_is_letter(rest->p[i]) ? rest->p[i] | 0x20 : rest->p[i]);
	*scheme = (str){ lower, n };
	*rest = str_sub(*rest, n + 1, rest->n);
	return 0;
}

/* Parse the part behind the scheme and before '?'. */
static int parse_hierarchy(struct parser *p, str rest, struct go_url *u)
{
	if (!str_has_prefix(rest, STR("/"))) {
		ptrdiff_t colon = str_find_byte(rest, ':'), slash = str_find_byte(rest, '/');

		if (u->scheme.n) {
			u->opaque = rest;
			return 0;
		}
		if (p->request)
			return bad(&p->why, "invalid URI for request");
		if (colon >= 0 && (slash < 0 || colon < slash))
			return bad(&p->why, "first path segment in URL cannot contain colon");
	}
	if (str_has_prefix(rest, STR("//")) && (u->scheme.n || (!p->request && !str_has_prefix(rest, STR("///"))))) {
		str authority = str_sub(rest, 2, rest.n);
		ptrdiff_t slash = str_find_byte(authority, '/');
		int r;

		rest = slash < 0 ? (str){ "", 0 } : str_sub(authority, (size_t)slash, authority.n);
		r = parse_authority(p, slash < 0 ? authority : str_sub(authority, 0, (size_t)slash), u);
		if (r < 0)
			return r;
	} else {
		u->omit_host = u->scheme.n && str_has_prefix(rest, STR("/"));
	}
	u->raw_path = rest;
	return unescape(p, rest, GO_URL_PATH, &u->path);
}

static int parse(struct parser *p, str s, struct go_url *u)
{
	ptrdiff_t question;
	str rest = s;
	int r;

	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return bad(&p->why, "net/url: invalid control character in URL");
	}
	if (s.n == 0 && p->request)
		return bad(&p->why, "empty url");
	if (str_eq(s, STR("*"))) {
		u->path = s;
		return 0;
	}
	r = parse_scheme(p, &rest, &u->scheme);
	if (r < 0)
		return r;
	question = str_find_byte(rest, '?');
	if (question >= 0) {
		u->query = str_sub(rest, (size_t)question + 1, rest.n);
		u->force_query = u->query.n == 0;
		rest = str_sub(rest, 0, (size_t)question);
	}
	return parse_hierarchy(p, rest, u);
}

/* Return the result @r of reading @s, and append the text of a failure. */
static int finish(int r, const struct parser *p, str s, struct buf *why)
{
	if (r == -EBADMSG && why) {
		buf_add_cstr(why, "parse ");
		go_quote(why, s);
		buf_add_cstr(why, ": ");
		add_reason(why, &p->why);
	}
	return r;
}

int go_url_parse(str s, struct arena *a, struct go_url *ret, struct buf *why)
{
	struct parser p = { .a = a };
	struct go_url u = { .text = s };
	ptrdiff_t hash = str_find_byte(s, '#');
	str body = hash < 0 ? s : str_sub(s, 0, (size_t)hash);
	int r = parse(&p, body, &u);

	if (r < 0)
		return finish(r, &p, body, why);
	if (hash >= 0)
		r = unescape(&p, str_sub(s, (size_t)hash + 1, s.n), GO_URL_FRAGMENT, &u.fragment);
	if (r < 0)
		return finish(r, &p, s, why);
	*ret = u;
	return 0;
}

int go_url_parse_request(str s, struct arena *a, struct go_url *ret, struct buf *why)
{
	struct parser p = { .a = a, .request = true };
	struct go_url u = { .text = s };
	int r = parse(&p, s, &u);

	if (r < 0)
		return finish(r, &p, s, why);
	*ret = u;
	return 0;
}

/* ---- parts ---- */

/* The place where the port begins, with its ":". */
static size_t host_end(str host)
{
	ptrdiff_t colon = str_rfind(host, STR(":"));

	return colon >= 0 && port_ok(str_sub(host, (size_t)colon, host.n)) ? (size_t)colon : host.n;
}

str go_url_hostname(const struct go_url *u)
{
	str host = str_sub(u->host, 0, host_end(u->host));

	if (str_has_prefix(host, STR("[")) && str_has_suffix(host, STR("]")))
		host = str_sub(host, 1, host.n - 1);
	return host;
}

str go_url_port(const struct go_url *u)
{
	return str_sub(u->host, host_end(u->host) + 1, u->host.n);
}

/* ---- writing ---- */

/* Whether the path can be written as it was read; else it has to be escaped again. */
static bool raw_path_ok(const struct go_url *u)
{
	for (size_t i = 0; i < u->raw_path.n; i++) {
		char c = u->raw_path.p[i];

		if (!is_one_of(c, "%!'()*[]") && should_escape(c, GO_URL_PATH))
			return false;
	}
	return u->raw_path.n > 0;
}

static void add_path(const struct go_url *u, struct buf *out)
{
	if (raw_path_ok(u))
		buf_add_str(out, u->raw_path);
	else if (str_eq(u->path, STR("*")))
		buf_add_byte(out, '*');
	else
		go_url_escape(out, u->path, GO_URL_PATH);
}

int go_url_escaped_path(const struct go_url *u, struct arena *a, str *ret)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);
	str path;

	if (raw_path_ok(u)) {
		*ret = u->raw_path;
		return 0;
	}
	add_path(u, &out);
	path = arena_str(a, buf_str(&out));
	if (out.error || !path.p)
		return -ENOMEM;
	*ret = path;
	return 0;
}

void go_url_userinfo(const struct go_url *u, struct buf *out)
{
	go_url_escape(out, u->user, GO_URL_USER);
	if (u->has_password) {
		buf_add_byte(out, ':');
		go_url_escape(out, u->password, GO_URL_USER);
	}
}

/* "//user@host/path" */
static void add_hierarchy(const struct go_url *u, struct buf *out)
{
	bool authority = u->host.n || u->has_user;
	ptrdiff_t colon = str_find_byte(u->path, ':'), slash = str_find_byte(u->path, '/');

	if (authority || (u->scheme.n && u->path.n && !u->omit_host))
		buf_add_cstr(out, "//");
	if (u->has_user) {
		go_url_userinfo(u, out);
		buf_add_byte(out, '@');
	}
	go_url_escape(out, u->host, GO_URL_HOST);
	if (u->path.n && u->path.p[0] != '/' && u->host.n)
		buf_add_byte(out, '/');
	/* A colon in the first segment would be read as the end of a scheme. */
	if (!u->scheme.n && !authority && colon >= 0 && (slash < 0 || colon < slash))
		buf_add_cstr(out, "./");
	add_path(u, out);
}

void go_url_string(const struct go_url *u, struct buf *out)
{
	if (u->scheme.n) {
		buf_add_str(out, u->scheme);
		buf_add_byte(out, ':');
	}
	if (u->opaque.n)
		buf_add_str(out, u->opaque);
	else
		add_hierarchy(u, out);
	if (u->query.n || u->force_query) {
		buf_add_byte(out, '?');
		buf_add_str(out, u->query);
	}
	if (u->fragment.n) {
		buf_add_byte(out, '#');
		go_url_escape(out, u->fragment, GO_URL_FRAGMENT);
	}
}
