#include "cel/cel_url.h"

#include <errno.h>

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

bool cel_url_unescape(str s, bool query, struct arena *a, str *ret)
{
	char *out = arena_alloc(a, s.n);
	size_t n = 0;

	if (!out)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			if (i + 2 >= s.n || hex(s.p[i + 1]) < 0 || hex(s.p[i + 2]) < 0)
				return false;
			out[n++] = (char)(hex(s.p[i + 1]) * 16 + hex(s.p[i + 2]));
			i += 2;
		} else {
			out[n++] = query && s.p[i] == '+' ? ' ' : s.p[i];
		}
	}
	*ret = (str){ out, n };
	return true;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Must the byte be escaped in a path? */
static bool path_escapes(char c)
{
	return !is_alnum(c) && (c == '\0' || !strchr("-_.~$&+,/:;=@", c));
}

/* Is the path as written a valid escaped form? */
static bool valid_encoded(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' || (s.p[i] && strchr("!'()*[]", s.p[i])))
			continue;
		if (path_escapes(s.p[i]))
			return false;
	}
	return true;
}

str cel_url_escaped_path(const struct cel_url *u, struct arena *a)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out;
	size_t n = 0;

	if (valid_encoded(u->raw_path))
		return u->raw_path;
	if (str_eq(u->path, STR("*")))
		return u->path;
	out = arena_alloc(a, u->path.n * 3);
	if (!out)
		return (str){ NULL, 0 };
	for (size_t i = 0; i < u->path.n; i++) {
		unsigned char c = (unsigned char)u->path.p[i];

		if (!path_escapes((char)c)) {
			out[n++] = (char)c;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[c >> 4];
		out[n++] = digits[c & 15];
	}
	return (str){ out, n };
}

/* Split the scheme off. False: "missing protocol scheme". */
static bool take_scheme(str *rest, str *scheme, struct arena *a)
{
	for (size_t i = 0; i < rest->n; i++) {
		char c = rest->p[i];

		if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')
			continue;
		if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
			if (i == 0)
				return true;
			continue;
		}
		if (c == ':') {
			char *lower = arena_alloc(a, i);

			if (i == 0 || !lower)
				return false;
			for (size_t k = 0; k < i; k++)
				lower[k] =
					rest->p[k] >= 'A' && rest->p[k] <= 'Z' ? (char)(rest->p[k] | 0x20) : rest->p[k];
			*scheme = (str){ lower, i };
			*rest = str_sub(*rest, i + 1, rest->n);
		}
		return true; /* something else first: no scheme */
	}
	return true;
}

static bool valid_port(str s)
{
	if (s.n == 0)
		return true;
	if (s.p[0] != ':')
		return false;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return true;
}

static bool valid_host_byte(char c)
{
	return is_alnum(c) || (unsigned char)c >= 0x80 || (c && strchr("-_.~!$&'()*+,;=:[]<>\"%", c));
}

static int parse_host(str host, str whole, struct err *err)
{
	ptrdiff_t colon = str_rfind(host, STR(":")), end;

	if (host.n && host.p[0] == '[') {
		end = str_rfind(host, STR("]"));
		if (end < 0)
			return err_set(err, EBADMSG, "parse \"%.*s\": missing ']' in host", STR_ARG(whole));
		if (!valid_port(str_sub(host, (size_t)end + 1, host.n)))
			return err_set(err, EBADMSG, "parse \"%.*s\": invalid port after host", STR_ARG(whole));
	} else if (colon >= 0 && !valid_port(str_sub(host, (size_t)colon, host.n))) {
		return err_set(err, EBADMSG, "parse \"%.*s\": invalid port \"%.*s\" after host", STR_ARG(whole),
			       STR_ARG(str_sub(host, (size_t)colon, host.n)));
	}
	for (size_t i = 0; i < host.n; i++) {
		if (!valid_host_byte(host.p[i]))
			return err_set(err, EBADMSG, "parse \"%.*s\": invalid character in host name", STR_ARG(whole));
		if (host.p[i] == '%' && (i + 2 >= host.n || hex(host.p[i + 1]) < 0 || hex(host.p[i + 2]) < 0))
			return err_set(err, EBADMSG, "parse \"%.*s\": invalid URL escape", STR_ARG(whole));
	}
	return 0;
}

static int parse_authority(str authority, str whole, struct cel_url *u, struct err *err)
{
	ptrdiff_t at = str_rfind(authority, STR("@"));

	u->host = at < 0 ? authority : str_sub(authority, (size_t)at + 1, authority.n);
	if (at >= 0) {
		u->has_user = true;
		u->user = str_sub(authority, 0, (size_t)at);
		for (size_t i = 0; i < u->user.n; i++) {
			if (!is_alnum(u->user.p[i]) && (!u->user.p[i] || !strchr("-._:~!$&'()*+,;=%@", u->user.p[i])))
				return err_set(err, EBADMSG, "parse \"%.*s\": net/url: invalid userinfo",
					       STR_ARG(whole));
		}
	}
	return parse_host(u->host, whole, err);
}

static int parse(str s, struct arena *a, struct cel_url *ret, struct err *err)
{
	struct cel_url u = { .text = s };
	str rest = s;
	ptrdiff_t query;
	int r;

	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F)
			return err_set(err, EBADMSG, "parse \"%.*s\": net/url: invalid control character in URL",
				       STR_ARG(s));
	}
	if (s.n == 0)
		return err_set(err, EBADMSG, "parse \"\": empty url");
	if (str_eq(s, STR("*"))) {
		u.path = u.raw_path = s;
		*ret = u;
		return 0;
	}
	if (!take_scheme(&rest, &u.scheme, a))
		return err_set(err, EBADMSG, "parse \"%.*s\": missing protocol scheme", STR_ARG(s));
	query = str_find_byte(rest, '?');
	if (query >= 0) {
		u.query = str_sub(rest, (size_t)query + 1, rest.n);
		u.force_query = u.query.n == 0;
		rest = str_sub(rest, 0, (size_t)query);
	}
	if (!str_has_prefix(rest, STR("/"))) {
		if (u.scheme.n) {
			u.opaque = rest;
			*ret = u;
			return 0;
		}
		return err_set(err, EBADMSG, "parse \"%.*s\": invalid URI for request", STR_ARG(s));
	}
	if ((u.scheme.n || !str_has_prefix(rest, STR("///"))) && str_has_prefix(rest, STR("//")) && u.scheme.n) {
		str authority = str_sub(rest, 2, rest.n);
		ptrdiff_t slash = str_find_byte(authority, '/');

		rest = slash < 0 ? (str){ "", 0 } : str_sub(authority, (size_t)slash, authority.n);
		authority = str_sub(authority, 0, slash < 0 ? authority.n : (size_t)slash);
		r = parse_authority(authority, s, &u, err);
		if (r < 0)
			return r;
	}
	u.raw_path = rest;
	if (!cel_url_unescape(rest, false, a, &u.path))
		return err_set(err, EBADMSG, "parse \"%.*s\": invalid URL escape", STR_ARG(s));
	*ret = u;
	return 0;
}

str cel_url_hostname(const struct cel_url *u)
{
	ptrdiff_t end;

	if (u->host.n && u->host.p[0] == '[') {
		end = str_find_byte(u->host, ']');
		return end < 0 ? u->host : str_sub(u->host, 1, (size_t)end);
	}
	end = str_find_byte(u->host, ':');
	return end < 0 ? u->host : str_sub(u->host, 0, (size_t)end);
}

str cel_url_port(const struct cel_url *u)
{
	ptrdiff_t colon = str_rfind(u->host, STR(":")), bracket = str_rfind(u->host, STR("]"));

	return colon < 0 || colon < bracket ? (str){ "", 0 } : str_sub(u->host, (size_t)colon + 1, u->host.n);
}

int cel_url_parse(str s, struct arena *a, struct cel_url *ret, struct err *err)
{
	ptrdiff_t fragment = str_find_byte(s, '#');
	int r = parse(s, a, ret, err);

	/* A request has no fragment; the parts are those of the URL without it. */
	if (r == 0 && fragment > 0) {
		r = parse(str_sub(s, 0, (size_t)fragment), a, ret, err);
		if (r == 0)
			ret->text = s;
	}
	return r;
}
