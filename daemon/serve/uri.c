/* One allocation holds what is decoded: the path as a whole, then its segments, then the query. */
#include "daemon/serve/uri.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/utf8.h"

#include <errno.h>

/* Writes @raw decoded and a NUL at *at, which moves behind it. */
static int decode(str raw, bool plus_is_space, char **at, const char **ret, struct err *err)
{
	char *out = *at;

	for (size_t i = 0; i < raw.n; i++) {
		int high, low;

		if (raw.p[i] != '%') {
			*out++ = plus_is_space && raw.p[i] == '+' ? ' ' : raw.p[i];
			continue;
		}
		high = raw.n - i > 2 ? ascii_hex_value(raw.p[i + 1]) : -1;
		low = raw.n - i > 2 ? ascii_hex_value(raw.p[i + 2]) : -1;
		if (high < 0 || low < 0)
			return err_set(err, EBADMSG, "bad escape in the request target");
		*out++ = (char)(high << 4 | low);
		i += 2;
	}
	*out = '\0';
	if (memchr(*at, '\0', (size_t)(out - *at)) || !utf8_valid((str){ *at, (size_t)(out - *at) }))
		return err_set(err, EBADMSG, "the request target is not UTF-8 text");
	*ret = *at;
	*at = out + 1;
	return 0;
}

static int decode_segments(struct uri *u, str path, char **at, struct err *err)
{
	str rest = str_sub(path, 1, path.n), part;

	while (str_next_part(&rest, '/', &part)) {
		int r;

		if (u->n_segments == URI_SEGMENTS_MAX)
			return err_set(err, E2BIG, "more than %d segments in the path", URI_SEGMENTS_MAX);
		r = decode(part, false, at, &u->segments[u->n_segments++], err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int decode_parameter(struct uri *u, str part, char **at, struct err *err)
{
	ptrdiff_t equals = str_find_byte(part, '=');
	str name = equals < 0 ? part : str_sub(part, 0, (size_t)equals);
	str value = equals < 0 ? STR("") : str_sub(part, (size_t)equals + 1, part.n);
	struct uri_parameter *p = &u->parameters[u->n_parameters];
	int r;

	if (u->n_parameters == URI_PARAMETERS_MAX)
		return err_set(err, E2BIG, "more than %d parameters in the query", URI_PARAMETERS_MAX);
	r = decode(name, true, at, &p->name, err);
	if (r == 0)
		r = decode(value, true, at, &p->value, err);
	u->n_parameters += r == 0;
	return r;
}

static int decode_query(struct uri *u, str query, char **at, struct err *err)
{
	str rest = query, part;
	int r = 0;

	while (r == 0 && str_next_part(&rest, '&', &part)) {
		if (part.n)
			r = decode_parameter(u, part, at, err);
	}
	return r;
}

/* RFC 9112, 3.2.2: a server accepts the absolute form of every request. */
static str without_authority(str raw)
{
	static const str schemes[] = { STR("http://"), STR("https://") };

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (str_eq_nocase(str_sub(raw, 0, schemes[i].n), schemes[i])) {
			str rest = str_sub(raw, schemes[i].n, raw.n);
			ptrdiff_t slash = str_find_byte(rest, '/');

			return slash < 0 ? STR("/") : str_sub(rest, (size_t)slash, rest.n);
		}
	}
	return raw;
}

int uri_parse(struct uri *u, str raw, struct err *err)
{
	str target = without_authority(raw), path, query = STR("");
	ptrdiff_t mark = str_find_byte(target, '?');
	size_t room;
	char *at;
	int r;

	*u = (struct uri){ 0 };
	if (raw.n > URI_BYTES_MAX)
		return err_set(err, E2BIG, "the request target is longer than %d bytes", URI_BYTES_MAX);
	if (target.n == 0 || target.p[0] != '/')
		return err_set(err, EBADMSG, "the request target is not a path");
	path = mark < 0 ? target : str_sub(target, 0, (size_t)mark);
	if (mark >= 0)
		query = str_sub(target, (size_t)mark + 1, target.n);
	/* A parameter without '=' takes one NUL more than it has bytes in the query. */
	room = 2 * (path.n + 1) + query.n + 2 + URI_PARAMETERS_MAX;
	at = u->text = malloc(room);
	if (!u->text)
		return err_nomem(err);
	r = decode(path, false, &at, &u->path, err);
	if (r == 0)
		r = decode_segments(u, path, &at, err);
	if (r == 0)
		r = decode_query(u, query, &at, err);
	ASSERT((size_t)(at - u->text) <= room);
	if (r < 0)
		uri_done(u);
	return r;
}

void uri_done(struct uri *u)
{
	free(u->text);
	*u = (struct uri){ 0 };
}
