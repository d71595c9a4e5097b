/* Matches shell patterns as the original does. */
#include "reference/glob.h"

#include <errno.h>

#include "base/string_list.h"
#include "base/utf8.h"

#define GLOB_DEPTH 100 /* directories with special characters in one pattern */

bool glob_has_meta(str pattern)
{
	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '*' || pattern.p[i] == '?' || pattern.p[i] == '[' || pattern.p[i] == '\\')
			return true;
	}
	return false;
}

static uint32_t next(str *s)
{
	size_t n = 0;
	uint32_t c = utf8_decode(*s, &n);

	*s = str_sub(*s, n, s->n);
	return c;
}

/* Read one character of a class, which may be escaped. False when there is none. */
static bool class_char(str *p, uint32_t *c)
{
	if (!p->n || p->p[0] == '-' || p->p[0] == ']')
		return false;
	if (p->p[0] == '\\') {
		*p = str_sub(*p, 1, p->n);
		if (!p->n)
			return false;
	}
	*c = next(p);
	return p->n > 0; /* the closing bracket must follow */
}

/* Read the class behind "[". *in is whether @c belongs to it. False when the class is malformed. */
static bool match_class(str *p, uint32_t c, bool *in)
{
	bool negated = p->n && p->p[0] == '^';
	bool found = false;
	size_t ranges = 0;

	if (negated)
		*p = str_sub(*p, 1, p->n);
	while (true) {
		uint32_t lo, hi;

		if (p->n && p->p[0] == ']' && ranges > 0) {
			*p = str_sub(*p, 1, p->n);
			break;
		}
		if (!class_char(p, &lo))
			return false;
		hi = lo;
		if (p->p[0] == '-') {
			*p = str_sub(*p, 1, p->n);
			if (!class_char(p, &hi))
				return false;
		}
		found = found || (lo <= c && c <= hi);
		ranges++;
	}
	*in = found != negated;
	return true;
}

bool glob_valid(str p)
{
	while (p.n) {
		char c = p.p[0];
		bool in;

		p = str_sub(p, 1, p.n);
		if (c == '[') {
			if (!match_class(&p, 0, &in))
				return false;
		} else if (c == '\\') {
			if (!p.n)
				return false;
			p = str_sub(p, 1, p.n);
		}
	}
	return true;
}

/* Match one character of @p against one of @name; both advance. */
static bool match_one(str *p, str *name)
{
	uint32_t c;
	bool in = false;

	if (!name->n)
		return false;
	switch (p->p[0]) {
	case '[':
		c = next(name);
		*p = str_sub(*p, 1, p->n);
		return match_class(p, c, &in) && in;
	case '?':
		if (name->p[0] == '/')
			return false;
		next(name);
		*p = str_sub(*p, 1, p->n);
		return true;
	case '\\':
		*p = str_sub(*p, 1, p->n);
		break;
	default:
		break;
	}
	if (!p->n || p->p[0] != name->p[0])
		return false;
	*p = str_sub(*p, 1, p->n);
	*name = str_sub(*name, 1, name->n);
	return true;
}

/* Match a pattern. Only the last star needs to be tried again, because an earlier one could match no less. */
bool glob_match(str p, str name)
{
	str star_p = { NULL, 0 }, star_name = { NULL, 0 };

	while (name.n || p.n) {
		if (p.n && p.p[0] == '*') {
			p = str_sub(p, 1, p.n);
			star_p = p;
			star_name = name;
			continue;
		}
		if (p.n && match_one(&p, &name))
			continue;
		if (!star_p.p || !star_name.n || star_name.p[0] == '/')
			return false;
		next(&star_name);
		name = star_name;
		p = star_p;
	}
	return true;
}

/* ---- expansion ---- */

struct names {
	struct string_list list;
	str pattern;
};

static void names_done(struct names *n)
{
	string_list_done(&n->list);
}

static int collect(void *ctx, str name, struct err *err)
{
	struct names *n = ctx;

	return !glob_match(n->pattern, name) || string_list_add(&n->list, name) ? 0 : err_nomem(err);
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct expansion {
	const struct glob_source *source;
	str file; /* the pattern's last part */
	int (*match)(void *ctx, str path, struct err *err);
	void *ctx;
};

/* Report the names in @dir that match. */
static int expand_dir(void *ctx, str dir, struct err *err)
{
	const struct expansion *e = ctx;
	CLEANUP(names_done) struct names names = { .pattern = e->file };
	bool root = str_eq(dir, STR("."));
	int r = e->source->list(e->source->ctx, dir, collect, &names, err);

	if (r < 0)
		return r;
	if (names.list.v.n)
		qsort(names.list.v.p, names.list.v.n, sizeof(char *), by_bytes);
	for (size_t i = 0; i < names.list.v.n; i++) {
		CLEANUP(freep) char *path = NULL;
		struct buf b = BUF_INIT(dir.n + strlen(names.list.v.p[i]) + 2);

		if (!root) {
			buf_add_str(&b, dir);
			if (!str_has_suffix(dir, STR("/")))
				buf_add_byte(&b, '/');
		}
		buf_add_cstr(&b, names.list.v.p[i]);
		path = buf_steal(&b);
		if (!path)
			return err_nomem(err);
		r = e->match(e->ctx, str_from(path), err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int expand(str pattern, const struct glob_source *source, size_t depth,
		  int (*match)(void *ctx, str path, struct err *err), void *ctx, struct err *err)
{
	ptrdiff_t slash = str_rfind(pattern, STR("/"));
	str dir = slash < 0 ? STR(".") : slash == 0 ? STR("/") : str_sub(pattern, 0, (size_t)slash);
	struct expansion e = { source, str_sub(pattern, (size_t)(slash + 1), pattern.n), match, ctx };

	if (depth > GLOB_DEPTH || !glob_valid(dir))
		return err_set(err, EBADMSG, "syntax error in pattern");
	if (!glob_has_meta(dir))
		return expand_dir(&e, dir, err);
	return expand(dir, source, depth + 1, expand_dir, &e, err);
}

int glob_expand(str pattern, const struct glob_source *source, int (*match)(void *ctx, str path, struct err *err),
		void *ctx, struct err *err)
{
	if (!glob_valid(pattern))
		return err_set(err, EBADMSG, "syntax error in pattern");
	return expand(pattern, source, 0, match, ctx, err);
}
