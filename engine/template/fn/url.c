#include "template/fn/url.h"

#include "go/quote.h"

#include <errno.h>

enum mode {
	MODE_PATH,
	MODE_HOST,
	MODE_ZONE,
	MODE_USER,
	MODE_FRAGMENT,
};

/* Decoded parts, views of the text or of the arena. */
struct url {
	str scheme, opaque, host, path, query, fragment;
	bool has_user;
	bool has_password;
	str user, password;
};

/* Why a text is no URL: Go's text, in @reason. */
struct url_parser {
	struct tmpl_call *c;
	struct buf reason;
};

static bool is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool should_escape(char c, enum mode mode)
{
	static const char host_allowed[] = "!$&'()*+,;=:[]<>\"";

	if (is_alpha(c) || is_digit(c))
		return false;
	if ((mode == MODE_HOST || mode == MODE_ZONE) && c && strchr(host_allowed, c))
		return false;
	switch (c) {
	case '-':
	case '_':
	case '.':
	case '~':
		return false;
	case '$':
	case '&':
	case '+':
	case ',':
	case '/':
	case ':':
	case ';':
	case '=':
	case '?':
	case '@':
		if (mode == MODE_PATH)
			return c == '?';
		if (mode == MODE_USER)
			return c == '@' || c == '/' || c == '?' || c == ':';
		return mode != MODE_FRAGMENT;
	case '!':
	case '(':
	case ')':
	case '*':
		return mode != MODE_FRAGMENT;
	default:
		return true;
	}
}

static void escape(struct buf *out, str s, enum mode mode)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (!should_escape(s.p[i], mode)) {
			buf_add_byte(out, s.p[i]);
			continue;
		}
		buf_add_byte(out, '%');
		buf_add_byte(out, hex[c >> 4]);
		buf_add_byte(out, hex[c & 15]);
	}
}

static int unhex(char c)
{
	if (is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False, with the reason set. */
static bool bad(struct url_parser *p, const char *text)
{
	buf_add_cstr(&p->reason, text);
	return false;
}

static bool bad_quoted(struct url_parser *p, const char *before, str s, const char *after)
{
	buf_add_cstr(&p->reason, before);
	go_quote(&p->reason, s);
	buf_add_cstr(&p->reason, after);
	return false;
}

/* An escape at s.p[i] that this part of a URL may hold. */
static bool escape_ok(struct url_parser *p, str s, size_t i, enum mode mode)
{
	str seen = str_sub(s, i, i + 3);
	int high;
	int low;

	if (seen.n < 3 || unhex(seen.p[1]) < 0 || unhex(seen.p[2]) < 0)
		return bad_quoted(p, "invalid URL escape ", seen, "");
	high = unhex(seen.p[1]);
	low = unhex(seen.p[2]);
	if (str_eq(seen, STR("%25")))
		return true;
	/* Only bytes that are not ASCII may be escaped in a host. */
	if (mode == MODE_HOST && high < 8)
		return bad_quoted(p, "invalid URL escape ", seen, "");
	if (mode == MODE_ZONE && high * 16 + low != ' ' && should_escape((char)(high * 16 + low), MODE_HOST))
		return bad_quoted(p, "invalid URL escape ", seen, "");
	return true;
}

static bool unescape(struct url_parser *p, str s, enum mode mode, str *ret)
{
	size_t n = 0;
	char *out;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			if (!escape_ok(p, s, i, mode))
				return false;
			i += 2;
		} else if ((mode == MODE_HOST || mode == MODE_ZONE) && !(s.p[i] & 0x80) &&
			   should_escape(s.p[i], mode)) {
			return bad_quoted(p, "invalid character ", str_sub(s, i, i + 1), " in host name");
		}
	}
	out = arena_alloc(&p->c->mem->arena, s.n);
	if (!out) {
		p->reason.error = -ENOMEM;
		return false;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%') {
			out[n++] = (char)(unhex(s.p[i + 1]) * 16 + unhex(s.p[i + 2]));
			i += 2;
		} else {
			out[n++] = s.p[i];
		}
	}
	*ret = (str){ out, n };
	return true;
}

/* "" or ":" and digits. */
static bool port_ok(str s)
{
	if (s.n && s.p[0] != ':')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!is_digit(s.p[i]))
			return false;
	return true;
}

static bool join3(struct url_parser *p, str a, str b, str c, str *ret)
{
	char *out = arena_alloc(&p->c->mem->arena, a.n + b.n + c.n);

	if (!out) {
		p->reason.error = -ENOMEM;
		return false;
	}
	if (a.n)
		memcpy(out, a.p, a.n);
	if (b.n)
		memcpy(out + a.n, b.p, b.n);
	if (c.n)
		memcpy(out + a.n + b.n, c.p, c.n);
	*ret = (str){ out, a.n + b.n + c.n };
	return true;
}

/* A bracketed IPv6 address; its zone ("%25" and more) may hold what a host may not. */
static bool parse_bracketed(struct url_parser *p, str s, str *host)
{
	ptrdiff_t close = str_rfind(s, STR("]"));
	ptrdiff_t zone;
	str address;
	str zone_text;
	str rest;

	if (close < 0)
		return bad(p, "missing ']' in host");
	rest = str_sub(s, (size_t)close + 1, s.n);
	if (!port_ok(rest))
		return bad_quoted(p, "invalid port ", rest, " after host");
	zone = str_find(str_sub(s, 0, (size_t)close), STR("%25"));
	if (zone < 0)
		return unescape(p, s, MODE_HOST, host);
	return unescape(p, str_sub(s, 0, (size_t)zone), MODE_HOST, &address) &&
	       unescape(p, str_sub(s, (size_t)zone, (size_t)close), MODE_ZONE, &zone_text) &&
	       unescape(p, str_sub(s, (size_t)close, s.n), MODE_HOST, &rest) &&
	       join3(p, address, zone_text, rest, host);
}

static bool parse_host(struct url_parser *p, str s, str *host)
{
	ptrdiff_t colon;

	if (str_has_prefix(s, STR("[")))
		return parse_bracketed(p, s, host);
	colon = str_rfind(s, STR(":"));
	if (colon >= 0 && !port_ok(str_sub(s, (size_t)colon, s.n)))
		return bad_quoted(p, "invalid port ", str_sub(s, (size_t)colon, s.n), " after host");
	return unescape(p, s, MODE_HOST, host);
}

static bool user_ok(str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_alpha(s.p[i]) && !is_digit(s.p[i]) && (!s.p[i] || !strchr("-._:~!$&'()*+,;=%@", s.p[i])))
			return false;
	return true;
}

/* [user [":" password] "@"] host [":" port] */
static bool parse_authority(struct url_parser *p, str s, struct url *u)
{
	ptrdiff_t at = str_rfind(s, STR("@"));
	ptrdiff_t colon;
	str user;

	if (!parse_host(p, at < 0 ? s : str_sub(s, (size_t)at + 1, s.n), &u->host))
		return false;
	if (at < 0)
		return true;
	user = str_sub(s, 0, (size_t)at);
	if (!user_ok(user))
		return bad(p, "net/url: invalid userinfo");
	u->has_user = true;
	colon = str_find_byte(user, ':');
	if (colon < 0)
		return unescape(p, user, MODE_USER, &u->user);
	u->has_password = true;
	return unescape(p, str_sub(user, 0, (size_t)colon), MODE_USER, &u->user) &&
	       unescape(p, str_sub(user, (size_t)colon + 1, user.n), MODE_USER, &u->password);
}

/* Cut "scheme:" off *rest. */
static bool parse_scheme(struct url_parser *p, str *rest, str *scheme)
{
	char *lower;

	*scheme = (str){ "", 0 };
	for (size_t i = 0; i < rest->n; i++) {
		char c = rest->p[i];

		if (is_alpha(c) || (i > 0 && (is_digit(c) || c == '+' || c == '-' || c == '.')))
			continue;
		if (c != ':')
			return true;
		if (i == 0)
			return bad(p, "missing protocol scheme");
		lower = arena_alloc(&p->c->mem->arena, i);
		if (!lower) {
			p->reason.error = -ENOMEM;
			return false;
		}
		for (size_t k = 0; k < i; k++)
			lower[k] = (char)(rest->p[k] >= 'A' && rest->p[k] <= 'Z' ? rest->p[k] | 0x20 : rest->p[k]);
		*scheme = (str){ lower, i };
		*rest = str_sub(*rest, i + 1, rest->n);
		return true;
	}
	return true;
}

/* The part behind the scheme and before '?'. */
static bool parse_hierarchy(struct url_parser *p, str rest, struct url *u)
{
	if (!str_has_prefix(rest, STR("/"))) {
		ptrdiff_t colon = str_find_byte(rest, ':');
		ptrdiff_t slash = str_find_byte(rest, '/');

		if (u->scheme.n) {
			u->opaque = rest;
			return true;
		}
		if (colon >= 0 && (slash < 0 || colon < slash))
			return bad(p, "first path segment in URL cannot contain colon");
	}
	if (str_has_prefix(rest, STR("//")) && (u->scheme.n || !str_has_prefix(rest, STR("///")))) {
		str authority = str_sub(rest, 2, rest.n);
		ptrdiff_t slash = str_find_byte(authority, '/');

		rest = slash < 0 ? (str){ "", 0 } : str_sub(authority, (size_t)slash, authority.n);
		if (!parse_authority(p, slash < 0 ? authority : str_sub(authority, 0, (size_t)slash), u))
			return false;
	}
	return unescape(p, rest, MODE_PATH, &u->path);
}

static bool parse_without_fragment(struct url_parser *p, str s, struct url *u)
{
	ptrdiff_t question;
	str rest = s;

	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return bad(p, "net/url: invalid control character in URL");
	if (str_eq(s, STR("*"))) {
		u->path = s;
		return true;
	}
	if (!parse_scheme(p, &rest, &u->scheme))
		return false;
	question = str_find_byte(rest, '?');
	if (question >= 0) {
		u->query = str_sub(rest, (size_t)question + 1, rest.n);
		rest = str_sub(rest, 0, (size_t)question);
	}
	return parse_hierarchy(p, rest, u);
}

/* url.Parse. On failure the call's error is "@what: parse "text": reason". */
static int url_parse(struct tmpl_call *c, str s, const char *what, struct url *ret)
{
	CLEANUP(buf_done) struct buf message = tmpl_buf(c);
	struct url_parser p = { c, tmpl_buf(c) };
	ptrdiff_t hash = str_find_byte(s, '#');
	str body = hash < 0 ? s : str_sub(s, 0, (size_t)hash);
	struct url u = { .scheme = STR("") };
	int r = tmpl_spend(c, s.n / 64);

	if (r < 0)
		return r;
	if (parse_without_fragment(&p, body, &u)) {
		body = s; /* an error of the fragment quotes the whole text */
		if (hash < 0 || unescape(&p, str_sub(s, (size_t)hash + 1, s.n), MODE_FRAGMENT, &u.fragment)) {
			*ret = u;
			buf_done(&p.reason);
			return 0;
		}
	}
	buf_printf(&message, "%s: parse ", what);
	go_quote(&message, body);
	buf_add_cstr(&message, ": ");
	buf_add_str(&message, buf_str(&p.reason));
	r = p.reason.error || message.error ? tmpl_nomem(c) : tmpl_fail_str(c, buf_str(&message));
	buf_done(&p.reason);
	return r;
}

static void add_user(struct buf *out, const struct url *u)
{
	escape(out, u->user, MODE_USER);
	if (u->has_password) {
		buf_add_byte(out, ':');
		escape(out, u->password, MODE_USER);
	}
}

/* URL.Hostname(): without port and brackets. */
static str hostname(str host)
{
	ptrdiff_t colon = str_rfind(host, STR(":"));

	if (colon >= 0 && port_ok(str_sub(host, (size_t)colon, host.n)))
		host = str_sub(host, 0, (size_t)colon);
	if (str_has_prefix(host, STR("[")) && str_has_suffix(host, STR("]")))
		host = str_sub(host, 1, host.n - 1);
	return host;
}

int run_url_parse(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf user = tmpl_buf(c);
	tval map = tmap_new(c->mem, &tt_map);
	struct url u;
	str userinfo;
	int r = url_parse(c, args[0].s, "unable to parse url", &u);

	(void)n;
	if (r < 0)
		return r;
	add_user(&user, &u);
	r = tmpl_buf_str(c, &user, &userinfo);
	if (r < 0)
		return r;
	const struct {
		str key;
		str value;
	} parts[] = {
		{ STR("scheme"), u.scheme },     { STR("host"), u.host },       { STR("hostname"), hostname(u.host) },
		{ STR("path"), u.path },         { STR("query"), u.query },     { STR("opaque"), u.opaque },
		{ STR("fragment"), u.fragment }, { STR("userinfo"), userinfo },
	};
	if (!map.type)
		return tmpl_nomem(c);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (tmap_set(c->mem, map, parts[i].key, tval_boxed(tval_string(parts[i].value))) < 0)
			return tmpl_nomem(c);
	*ret = map;
	return 0;
}

/* A part from the dictionary: "" when absent; anything but a string is a panic. */
static int part_of(struct tmpl_call *c, tval map, const char *key, str *ret)
{
	tval v;

	*ret = (str){ "", 0 };
	if (tval_is_nil_like(map) || !tmap_get(c->mem, map, str_from(key), &v))
		return 0;
	if (tval_is_nil(v))
		return tmpl_fail(c, "runtime error: invalid memory address or nil pointer dereference");
	if (tval_kind(v) != TK_STRING)
		return tmpl_fail(c, "unable to parse %s key, must be of type string, but %s found", key,
				 tkind_name(tval_kind(v)));
	*ret = v.s;
	return 0;
}

/* URL.String(). */
static void write_url(struct buf *out, const struct url *u)
{
	bool authority = u->host.n || u->path.n || u->has_user;

	if (u->scheme.n) {
		buf_add_str(out, u->scheme);
		buf_add_byte(out, ':');
	}
	if (u->opaque.n) {
		buf_add_str(out, u->opaque);
	} else {
		ptrdiff_t colon = str_find_byte(u->path, ':');
		ptrdiff_t slash = str_find_byte(u->path, '/');

		if (authority && (u->scheme.n || u->host.n || u->has_user))
			buf_add_cstr(out, "//");
		if (u->has_user) {
			add_user(out, u);
			buf_add_byte(out, '@');
		}
		escape(out, u->host, MODE_HOST);
		if (u->path.n && u->path.p[0] != '/' && u->host.n)
			buf_add_byte(out, '/');
		/* A colon in the first segment would read as a scheme. */
		if (out->n == 0 && colon >= 0 && (slash < 0 || colon < slash))
			buf_add_cstr(out, "./");
		if (str_eq(u->path, STR("*")))
			buf_add_byte(out, '*');
		else
			escape(out, u->path, MODE_PATH);
	}
	if (u->query.n) {
		buf_add_byte(out, '?');
		buf_add_str(out, u->query);
	}
	if (u->fragment.n) {
		buf_add_byte(out, '#');
		escape(out, u->fragment, MODE_FRAGMENT);
	}
}

static int parse_userinfo(struct tmpl_call *c, str userinfo, struct url *u)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	struct url parsed;
	str url;
	int r;

	buf_add_cstr(&text, "proto://");
	buf_add_str(&text, userinfo);
	buf_add_cstr(&text, "@host");
	r = tmpl_buf_str(c, &text, &url);
	if (r == 0)
		r = url_parse(c, url, "unable to parse userinfo in dict", &parsed);
	if (r < 0)
		return r;
	u->has_user = parsed.has_user;
	u->has_password = parsed.has_password;
	u->user = parsed.user;
	u->password = parsed.password;
	return 0;
}

int run_url_join(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct url u = { .scheme = STR("") };
	str userinfo = STR("");
	const struct {
		const char *key;
		str *to;
	} parts[] = {
		{ "scheme", &u.scheme }, { "host", &u.host },         { "path", &u.path },       { "query", &u.query },
		{ "opaque", &u.opaque }, { "fragment", &u.fragment }, { "userinfo", &userinfo },
	};

	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		int r = part_of(c, args[0], parts[i].key, parts[i].to);

		if (r < 0)
			return r;
	}
	if (userinfo.n) {
		int r = parse_userinfo(c, userinfo, &u);

		if (r < 0)
			return r;
	}
	write_url(&out, &u);
	return tmpl_ret_buf(c, &out, ret);
}
