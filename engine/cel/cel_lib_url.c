/* Kubernetes' url library, and its regex library.   apiserver/pkg/cel/library/urls.go, regex.go */
#include "cel/cel_func.h"

#include "go/url.h"
#include "text/re2.h"

#include <errno.h>

/* ---- url ---- */

/* Parse an absolute URL. ParseRequestURI checks that it is one; then it is parsed again, because only Parse knows
 * fragments. */
static int parse_url(struct cel_ctx *c, str s, struct go_url *ret, struct buf *why)
{
	int r = go_url_parse_request(s, c->arena, ret, why);

	return r < 0 ? r : go_url_parse(s, c->arena, ret, why);
}

static cv url(struct cel_ctx *c, const cv *a, uint32_t n)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(c->limits->arena_bytes);
	struct go_url *u = arena_alloc(c->arena, sizeof(*u));
	int r;

	(void)n;
	if (!u)
		return cel_nomem(c);
	r = parse_url(c, cv_str(a[0]), u, &why);
	if (r == -ENOMEM || why.error)
		return cel_nomem(c);
	if (r < 0)
		return cel_fail(c, "URL parse error during conversion from string: %s", why.p);
	return (cv){ .kind = CV_URL, .url = u };
}

static cv is_url(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct go_url u;
	int r = parse_url(c, cv_str(a[0]), &u, NULL);

	(void)n;
	return r == -ENOMEM ? cel_nomem(c) : cv_bool(r == 0);
}

static cv get_scheme(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_string(a[0].url->scheme);
}

static cv get_host(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_string(a[0].url->host);
}

static cv get_hostname(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_string(go_url_hostname(a[0].url));
}

static cv get_port(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_string(go_url_port(a[0].url));
}

static cv get_escaped_path(struct cel_ctx *c, const cv *a, uint32_t n)
{
	str path;

	(void)n;
	return go_url_escaped_path(a[0].url, c->arena, &path) < 0 ? cel_nomem(c) : cv_string(path);
}

/* Add one more to the key's values. */
static bool add_value(struct cel_ctx *c, struct cv_map *m, str key, str value)
{
	cv old, *items;
	uint32_t n = 0;

	if (cv_map_find(c->arena, cv_from_map(m), cv_string(key), &old) > 0)
		n = old.n;
	items = cel_list_new(c, n + 1);
	if (!items)
		return false;
	if (n)
		memcpy(items, old.items, n * sizeof(cv));
	items[n] = cv_string(value);
	if (n) {
		cv_map_replace(c->arena, m, cv_string(key), cv_list(items, n + 1));
		return true;
	}
	return cv_map_put(c->arena, m, cv_string(key), cv_list(items, 1)) > 0;
}

/* Add one "key=value". Malformed ones are ignored, as url.Query does. */
static bool add_pair(struct cel_ctx *c, struct cv_map *m, str pair)
{
	ptrdiff_t eq = str_find_byte(pair, '=');
	size_t end = eq < 0 ? pair.n : (size_t)eq;
	str key, value;
	int r;

	if (pair.n == 0 || str_find_byte(pair, ';') >= 0)
		return true;
	r = go_url_unescape(str_sub(pair, 0, end), GO_URL_QUERY, c->arena, &key, NULL);
	if (r == 0)
		r = go_url_unescape(str_sub(pair, end + 1, pair.n), GO_URL_QUERY, c->arena, &value, NULL);
	return r == 0 ? add_value(c, m, key, value) : r != -ENOMEM;
}

static cv get_query(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cv_map *m = cv_map_new(c->arena, 0);
	str rest = a[0].url->query, pair;

	(void)n;
	if (!m)
		return cel_nomem(c);
	while (rest.n && str_next_part(&rest, '&', &pair)) {
		if (!add_pair(c, m, pair))
			return cel_nomem(c);
	}
	return cv_from_map(m);
}

static const struct cel_overload urls[] = {
	CEL_GLOBAL("url", "string_to_url", "s:U", url, COST_K_FIRST, "a URL"),
	CEL_GLOBAL("isURL", "is_url_string", "s:b", is_url, COST_ONE, "is it a URL?"),
	CEL_MEMBER("getScheme", "url_get_scheme", "U:s", get_scheme, COST_ONE, "scheme"),
	CEL_MEMBER("getHost", "url_get_host", "U:s", get_host, COST_ONE, "host with port"),
	CEL_MEMBER("getHostname", "url_get_hostname", "U:s", get_hostname, COST_ONE, "host without port"),
	CEL_MEMBER("getPort", "url_get_port", "U:s", get_port, COST_ONE, "port"),
	CEL_MEMBER("getEscapedPath", "url_get_escaped_path", "U:s", get_escaped_path, COST_ONE, "path"),
	CEL_MEMBER("getQuery", "url_get_query", "U:MsLs", get_query, COST_ONE, "values by key"),
};

const struct cel_library cel_lib_url = { urls, ARRAY_LEN(urls) };

/* ---- regular expressions ---- */

static cv pattern_error(struct cel_ctx *c, int r, const struct err *err)
{
	return r == -ENOMEM ? cel_nomem(c) : r == -E2BIG ? cv_error(&cel_error_cost) : cel_fail(c, "%s", err->msg);
}

/* The compiled pattern of the call; *own must be freed. */
static const struct re2 *pattern(struct cel_ctx *c, cv text, struct re2 **own, cv *error)
{
	struct err err;
	int r;

	*own = NULL;
	if (c->pattern)
		return c->pattern;
	r = re2_compile(cv_str(text), c->limits, own, NULL, &err);
	if (r < 0)
		*error = pattern_error(c, r, &err);
	return *own;
}

static cv matches(struct cel_ctx *c, const cv *a, uint32_t n)
{
	CLEANUP(re2_freep) struct re2 *own = NULL;
	cv error;
	const struct re2 *re = pattern(c, a[1], &own, &error);
	struct err err;
	int r;

	(void)n;
	if (!re)
		return error;
	r = re2_matches(re, cv_str(a[0]), &err);
	return r < 0 ? pattern_error(c, r, &err) : cv_bool(r > 0);
}

static cv find(struct cel_ctx *c, const cv *a, uint32_t n)
{
	CLEANUP(re2_freep) struct re2 *own = NULL;
	cv error;
	const struct re2 *re = pattern(c, a[1], &own, &error);
	str found = { "", 0 };
	struct err err;
	int r;

	(void)n;
	if (!re)
		return error;
	r = re2_find(re, cv_str(a[0]), &found, &err);
	if (r < 0)
		return pattern_error(c, r, &err);
	return cv_string(r > 0 ? found : (str){ "", 0 });
}

static cv find_all(struct cel_ctx *c, const cv *a, uint32_t n)
{
	CLEANUP(re2_freep) struct re2 *own = NULL;
	cv error, *items;
	const struct re2 *re = pattern(c, a[1], &own, &error);
	size_t count = 0;
	str *found = NULL;
	struct err err;
	int r;

	if (!re)
		return error;
	r = re2_find_all(re, cv_str(a[0]), n > 2 ? (ptrdiff_t)a[2].i : -1, c->arena, &found, &count, &err);
	if (r < 0)
		return pattern_error(c, r, &err);
	items = count > UINT32_MAX ? NULL : cel_list_new(c, (uint32_t)count);
	if (!items)
		return cel_nomem(c);
	for (size_t i = 0; i < count; i++)
		items[i] = cv_string(found[i]);
	return cv_list(items, (uint32_t)count);
}

static const struct cel_overload regexes[] = {
	CEL_GLOBAL("matches", "matches", "ss:b", matches, COST_MATCH, "does the pattern match somewhere?"),
	CEL_MEMBER("matches", "matches_string", "ss:b", matches, COST_MATCH, "does the pattern match somewhere?"),
	CEL_MEMBER("find", "string_find_string", "ss:s", find, COST_K_MATCH, "the first match, or an empty text"),
	CEL_MEMBER("findAll", "string_find_all_string", "ss:Ls", find_all, COST_K_MATCH, "all matches"),
	CEL_MEMBER("findAll", "string_find_all_string_int", "ssi:Ls", find_all, COST_K_MATCH, "so many matches"),
};

const struct cel_library cel_lib_regex = { regexes, ARRAY_LEN(regexes) };
