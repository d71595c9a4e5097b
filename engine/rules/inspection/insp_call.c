/* Decides which URLs may be called, and reads the arguments of api-call. */
#include "rules/inspection/insp_call.h"

#include "base/utf8.h"
#include "go/url.h"
#include "rules/inspection/insp_op.h"
#include "rules/inspection/insp_python.h"

#include <ctype.h>

/* ---- URLs ---- */

/* Whether @s is printable ASCII without the characters that some programs take for a slash, or at which they cut off
 * a URL. */
static bool is_plain(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] <= ' ' || s.p[i] >= 0x7F || strchr("\\\"<>^`{|}", s.p[i]))
			return false;
	}
	return s.n > 0;
}

/* Some servers cut what follows a semicolon off a segment before they look for dots. */
static bool has_dot_segment(str path)
{
	str part, name;

	while (str_next_part(&path, '/', &part)) {
		(void)str_next_part(&part, ';', &name);
		if (str_eq(name, STR(".")) || str_eq(name, STR("..")))
			return true;
	}
	return false;
}

/* Whether every server reads the unescaped path in the same way: it has no byte that ends a path or is a slash for
 * some servers, no longer encoding of a dot, and nothing that unescaping once more would change. */
static bool is_clear(str path)
{
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c < ' ' || c == 0x7F || c == '\\')
			return false;
		if (c == '%' && i + 2 < path.n && isxdigit((unsigned char)path.p[i + 1]) &&
		    isxdigit((unsigned char)path.p[i + 2]))
			return false;
	}
	return utf8_valid(path);
}

/* Parse a URL. Returns 1 if every program reads *u in it, else 0. */
static int parse(str s, struct arena *a, struct go_url *u, struct err *err)
{
	int r;

	if (!is_plain(s) || str_find_byte(s, '#') >= 0)
		return 0;
	r = go_url_parse(s, a, u, NULL);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0 || (!str_eq(u->scheme, STR("http")) && !str_eq(u->scheme, STR("https"))) || u->has_user ||
	    go_url_hostname(u).n == 0 || u->opaque.n || has_dot_segment(u->path) || !is_clear(u->path))
		return 0;
	/* Some servers take an escaped slash for a slash. */
	return str_find(u->raw_path, STR("%2f")) < 0 && str_find(u->raw_path, STR("%2F")) < 0;
}

static str port_of(const struct go_url *u)
{
	str port = go_url_port(u);

	return port.n ? port : str_eq(u->scheme, STR("https")) ? STR("443") : STR("80");
}

static bool is_below(const struct go_url *u, const struct go_url *prefix)
{
	str path = prefix->path;

	while (path.n > 0 && path.p[path.n - 1] == '/')
		path.n--;
	return str_eq(u->scheme, prefix->scheme) && str_eq_nocase(go_url_hostname(u), go_url_hostname(prefix)) &&
	       str_eq(port_of(u), port_of(prefix)) && str_has_prefix(u->path, path) &&
	       (u->path.n == path.n || u->path.p[path.n] == '/');
}

int insp_url_allowed(str url, const str *prefixes, size_t n, struct arena *a, struct err *err)
{
	struct go_url u, prefix;
	int r = parse(url, a, &u, err), allowed = 0;

	for (size_t i = 0; r == 1 && !allowed && i < n; i++) {
		int valid = parse(prefixes[i], a, &prefix, err);

		if (valid < 0)
			return valid;
		allowed = valid && is_below(&u, &prefix);
	}
	return r < 0 ? r : allowed;
}

int insp_url_prefix_valid(str prefix, struct arena *a, struct err *err)
{
	struct go_url u;
	int r = parse(prefix, a, &u, err);

	return r == 1 ? u.query.n == 0 && !u.force_query : r;
}

/* ---- arguments ---- */

static int read_seconds(val v, const char *name, bool zero, double *ret, struct err *err)
{
	double d = v.kind == VAL_INT ? (double)v.i : v.kind == VAL_DOUBLE ? v.d : -1;

	if (!(d >= 0) || (d == 0 && !zero) || d > INSP_TIMEOUT_MAX)
		return err_set(err, EINVAL, "%s must be a number of seconds %s 0 and at most %.0f", name,
			       zero ? "from" : "above", INSP_TIMEOUT_MAX);
	*ret = d;
	return 0;
}

static bool is_header(str name, str value)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] <= ' ' || name.p[i] >= 0x7F || name.p[i] == ':')
			return false;
	}
	for (size_t i = 0; i < value.n; i++) {
		if ((unsigned char)value.p[i] < ' ' && value.p[i] != '\t')
			return false;
	}
	return name.n > 0;
}

/* Read a map of texts that may stand in the header of a request. */
static int read_texts(val v, const char *name, val *ret, struct err *err)
{
	if (!val_is_map(v))
		return err_set(err, EINVAL, "%s must be a map of texts", name);
	for (uint32_t i = 0; i < v.n; i++) {
		if (!val_is_string(v.members[i].value) ||
		    !is_header(key_str(v.members[i].key), val_str(v.members[i].value)))
			return err_set(err, EINVAL, "%s must be a map of texts of one line", name);
	}
	*ret = v;
	return 0;
}

int insp_call_read(struct insp_work *w, const val *args, const bool *given, struct insp_call *ret, struct err *err)
{
	struct insp_call call = { .timeout = 5, .retries = 3, .backoff_factor = 0.3 };
	size_t headers = insp_param(INSP_API_CALL, "headers"), proxies = insp_param(INSP_API_CALL, "proxies");
	size_t timeout = insp_param(INSP_API_CALL, "timeout"), retries = insp_param(INSP_API_CALL, "retries");
	size_t backoff = insp_param(INSP_API_CALL, "backoff_factor");
	int r = py_text_of(w, args[insp_param(INSP_API_CALL, "url")], &call.url, err);

	if (r == 0 && given[headers] && !val_is_null(args[headers]))
		r = read_texts(args[headers], "headers", &call.headers, err);
	if (r == 0 && given[proxies] && !val_is_null(args[proxies]))
		r = read_texts(args[proxies], "proxies", &call.proxies, err);
	if (r == 0 && given[timeout])
		r = read_seconds(args[timeout], "timeout", false, &call.timeout, err);
	if (r == 0 && given[backoff])
		r = read_seconds(args[backoff], "backoff_factor", true, &call.backoff_factor, err);
	if (r == 0 && given[retries]) {
		if (args[retries].kind != VAL_INT || args[retries].i < 0 || args[retries].i > INSP_RETRIES_MAX)
			return err_set(err, EINVAL, "retries must be an integer from 0 to %d", INSP_RETRIES_MAX);
		call.retries = (uint32_t)args[retries].i;
	}
	if (r == 0)
		*ret = call;
	return r;
}
