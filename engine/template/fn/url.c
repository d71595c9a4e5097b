/* The functions urlParse and urlJoin. */
#include "template/fn/url.h"

#include "go/url.h"

#include <errno.h>

/* url.Parse. On failure the call's error is "@what: parse "text": reason". */
static int url_parse(struct tmpl_call *c, str s, const char *what, struct go_url *ret)
{
	CLEANUP(buf_done) struct buf why = tmpl_buf(c);
	int r = tmpl_spend(c, s.n / 64);

	if (r < 0)
		return r;
	buf_printf(&why, "%s: ", what);
	r = go_url_parse(s, &c->mem->arena, ret, &why);
	if (r == -ENOMEM || (r < 0 && why.error))
		return tmpl_nomem(c);
	return r < 0 ? tmpl_fail_str(c, buf_str(&why)) : 0;
}

int run_url_parse(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf user = tmpl_buf(c);
	tval map = tmap_new(c->mem, &tt_map);
	struct go_url u;
	str userinfo;
	int r = url_parse(c, args[0].s, "unable to parse url", &u);

	(void)n;
	if (r < 0)
		return r;
	go_url_userinfo(&u, &user);
	r = tmpl_buf_str(c, &user, &userinfo);
	if (r < 0)
		return r;
	const struct {
		str key;
		str value;
	} parts[] = {
		{ STR("scheme"), u.scheme },
		{ STR("host"), u.host },
		{ STR("hostname"), go_url_hostname(&u) },
		{ STR("path"), u.path },
		{ STR("query"), u.query },
		{ STR("opaque"), u.opaque },
		{ STR("fragment"), u.fragment },
		{ STR("userinfo"), userinfo },
	};
	if (!map.type)
		return tmpl_nomem(c);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (tmap_set(c->mem, map, parts[i].key, tval_boxed(tval_string(parts[i].value))) < 0)
			return tmpl_nomem(c);
	*ret = map;
	return 0;
}

/* Get a part from the dictionary: "" when it is absent; a value that is no string is a panic. */
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

static int parse_userinfo(struct tmpl_call *c, str userinfo, struct go_url *u)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	struct go_url parsed = { 0 };
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
	struct go_url u = { 0 };
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
	go_url_string(&u, &out);
	return tmpl_ret_buf(c, &out, ret);
}
