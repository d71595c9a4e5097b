/* Paths with '/', as Go's path and, on Unix, path/filepath treat them; and URLs. */
#include "template/fn/fn.h"
#include "template/fn/url.h"

/* path.Clean: the shortest path with the same meaning, by its text alone. */
static int clean(struct tmpl_call *c, str path, str *ret)
{
	bool rooted = path.n && path.p[0] == '/';
	size_t n = 0;      /* the number of bytes in @out */
	size_t keep = 0;   /* bytes that ".." never removes: the root, or ".." at the front */
	size_t i = rooted; /* the number of bytes of @path that are done */
	char *out = arena_alloc(&c->mem->arena, path.n + 1);

	if (!out)
		return tmpl_nomem(c);
	if (rooted)
		out[n++] = '/', keep = 1;
	while (i < path.n) {
		str rest = str_sub(path, i, path.n);
		ptrdiff_t slash = str_find_byte(rest, '/');
		str name = slash < 0 ? rest : str_sub(rest, 0, (size_t)slash);

		i += name.n + (slash >= 0);
		if (!name.n || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR("..")) && (n > keep || rooted)) {
			while (n > keep && out[--n] != '/')
				;
			continue;
		}
		if (n > rooted)
			out[n++] = '/';
		memcpy(out + n, name.p, name.n);
		n += name.n;
		if (str_eq(name, STR("..")))
			keep = n;
	}
	*ret = n ? (str){ out, n } : STR(".");
	return 0;
}

static int run_clean(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str path;
	int r = clean(c, args[0].s, &path);

	(void)n;
	if (r < 0)
		return r;
	*ret = tval_string(path);
	return 0;
}

static int run_base(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str path = args[0].s;
	ptrdiff_t slash;

	(void)c;
	(void)n;
	while (path.n && path.p[path.n - 1] == '/')
		path.n--;
	slash = str_rfind(path, STR("/"));
	if (slash >= 0)
		path = str_sub(path, (size_t)slash + 1, path.n);
	*ret = tval_string(path.n ? path : args[0].s.n ? STR("/") : STR("."));
	return 0;
}

static int run_dir(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	ptrdiff_t slash = str_rfind(args[0].s, STR("/"));
	str path;
	int r = clean(c, str_sub(args[0].s, 0, (size_t)(slash + 1)), &path);

	(void)n;
	if (r < 0)
		return r;
	*ret = tval_string(path);
	return 0;
}

static int run_ext(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	str path = args[0].s;

	(void)c;
	(void)n;
	*ret = tval_string(STR(""));
	for (size_t i = path.n; i > 0 && path.p[i - 1] != '/'; i--) {
		if (path.p[i - 1] == '.') {
			*ret = tval_string(str_sub(path, i - 1, path.n));
			break;
		}
	}
	return 0;
}

static int run_is_abs(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(str_has_prefix(args[0].s, STR("/")));
	return 0;
}

static const struct tmpl_fn rows[] = {
	{ "base", run_base, { &tt_string }, false, &tt_string, "the last element of a path" },
	{ "clean", run_clean, { &tt_string }, false, &tt_string, "a path without needless elements" },
	{ "dir", run_dir, { &tt_string }, false, &tt_string, "a path without its last element" },
	{ "ext", run_ext, { &tt_string }, false, &tt_string, "the extension of a path, with its dot" },
	{ "isAbs", run_is_abs, { &tt_string }, false, &tt_bool, "whether a path is absolute" },
	{ "osBase", run_base, { &tt_string }, false, &tt_string, "the last element of a file name" },
	{ "osClean", run_clean, { &tt_string }, false, &tt_string, "a file name without needless elements" },
	{ "osDir", run_dir, { &tt_string }, false, &tt_string, "a file name without its last element" },
	{ "osExt", run_ext, { &tt_string }, false, &tt_string, "the extension of a file name, with its dot" },
	{ "osIsAbs", run_is_abs, { &tt_string }, false, &tt_bool, "whether a file name is absolute" },
	{ "urlJoin", run_url_join, { &tt_map }, false, &tt_string, "the URL made from parts as urlParse gives them" },
	{ "urlParse",
	  run_url_parse,
	  { &tt_string },
	  false,
	  &tt_map,
	  "the parts of a URL: scheme, host, hostname, path, query, opaque, fragment, userinfo" },
};
TMPL_FN_FAMILY(fn_paths, rows);
