/* Finds routes. The tables are short, so that they are searched linearly. */
#include "daemon/serve/routes.h"

static bool is_variable(str segment)
{
	return segment.n > 2 && segment.p[0] == '{' && segment.p[segment.n - 1] == '}';
}

static bool matches(const char *pattern, const struct uri *u)
{
	str rest = str_from(pattern + 1), part;
	size_t i = 0;

	for (; str_next_part(&rest, '/', &part); i++) {
		if (i == u->n_segments)
			return false;
		if (is_variable(part) ? !*u->segments[i] : !str_eq(part, str_from(u->segments[i])))
			return false;
	}
	return i == u->n_segments;
}

static bool serves(const char *offered, const char *method)
{
	return strcmp(offered, method) == 0 || (strcmp(offered, "GET") == 0 && strcmp(method, "HEAD") == 0);
}

const struct http_route *routes_find(const struct http_route *table, const char *method, const struct uri *u,
				     bool *known)
{
	*known = false;
	for (; table->method; table++) {
		if (!matches(table->pattern, u))
			continue;
		if (serves(table->method, method))
			return table;
		*known = true;
	}
	return NULL;
}

static void allow(struct buf *out, const char *method)
{
	buf_printf(out, "%s%s", out->n ? ", " : "", method);
}

void routes_allowed(const struct http_route *table, const struct uri *u, struct buf *out)
{
	for (; table->method; table++) {
		if (!matches(table->pattern, u))
			continue;
		allow(out, table->method);
		if (strcmp(table->method, "GET") == 0)
			allow(out, "HEAD");
	}
}

bool routes_below(const char *path, const struct uri *u)
{
	str rest = str_from(path + 1), part;
	size_t i = 0;

	for (; str_next_part(&rest, '/', &part); i++) {
		if (i == u->n_segments || !str_eq(part, str_from(u->segments[i])))
			return false;
	}
	return true;
}

const char *routes_value(const char *pattern, const struct uri *u, const char *name)
{
	str rest = str_from(pattern + 1), part;

	for (size_t i = 0; str_next_part(&rest, '/', &part); i++) {
		if (is_variable(part) && str_eq(str_sub(part, 1, part.n - 1), str_from(name)))
			return u->segments[i];
	}
	return NULL;
}
