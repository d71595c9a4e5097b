/* Places in an object where a rule applies: reading their paths, walking to them. */
#include "cel/cel_at.h"

#include "base/buf.h"

#include <errno.h>

static int bad(str path, str rest, const char *expected, struct err *err)
{
	return err_set(err, EBADMSG, "path '%.*s': expected %s at column %zu", STR_ARG(path), expected,
		       path.n - rest.n + 1);
}

/* "[*]" or "['name']" */
static int bracket(str path, str *rest, struct cel_at_step *step, struct err *err)
{
	str s = str_sub(*rest, 1, rest->n);
	char quote = s.n ? s.p[0] : '\0';
	ptrdiff_t end;

	if (str_has_prefix(s, STR("*]"))) {
		step->items = true;
		*rest = str_sub(s, 2, s.n);
		return 0;
	}
	if (quote != '\'' && quote != '"')
		return bad(path, s, "'*' or a quoted name", err);
	s = str_sub(s, 1, s.n);
	end = str_find_byte(s, quote);
	if (end < 0 || (size_t)end + 1 >= s.n || s.p[end + 1] != ']')
		return bad(path, s, "the end of the name and ']'", err);
	step->name = str_sub(s, 0, (size_t)end);
	*rest = str_sub(s, (size_t)end + 2, s.n);
	return 0;
}

/* ".*" or ".name" */
static int member(str path, str *rest, struct cel_at_step *step, struct err *err)
{
	str s = rest->p[0] == '.' ? str_sub(*rest, 1, rest->n) : *rest;
	size_t n = 0;

	while (n < s.n && s.p[n] != '.' && s.p[n] != '[')
		n++;
	if (n == 0)
		return bad(path, s, "a name", err);
	step->name = str_sub(s, 0, n);
	step->values = str_eq(step->name, STR("*"));
	*rest = str_sub(s, n, s.n);
	return 0;
}

int cel_at_parse(str path, struct cel_at *ret, struct err *err)
{
	struct cel_at at = { .n = 0 };
	str rest = path;
	int r;

	while (rest.n) {
		if (at.n == CEL_AT_STEPS)
			return err_set(err, E2BIG, "path '%.*s' has more than %d steps", STR_ARG(path), CEL_AT_STEPS);
		if (at.n && rest.p[0] != '.' && rest.p[0] != '[')
			return bad(path, rest, "'.' or '['", err);
		r = rest.p[0] == '[' ? bracket(path, &rest, &at.steps[at.n], err)
				     : member(path, &rest, &at.steps[at.n], err);
		if (r < 0)
			return r;
		at.n++;
	}
	*ret = at;
	return 0;
}

struct walk {
	const struct cel_at *at;
	struct buf path;
	cel_at_visit visit;
	void *ctx;
	struct err *err;
};

static int step(struct walk *w, uint32_t i, val self, val old);

/* @self and @old are the member @name. */
static int step_member(struct walk *w, uint32_t i, val self, val old, str name)
{
	size_t length = w->path.n;
	bool bracket = str_find_byte(name, '.') >= 0;
	int r;

	if (bracket || length)
		buf_add_byte(&w->path, bracket ? '[' : '.');
	buf_add_str(&w->path, name);
	if (bracket)
		buf_add_byte(&w->path, ']');
	r = step(w, i + 1, self, old);
	buf_truncate(&w->path, length);
	return r;
}

static int step(struct walk *w, uint32_t i, val self, val old)
{
	const struct cel_at_step *s = &w->at->steps[i];
	size_t length = w->path.n;
	int r = 0;

	if (!val_exists(self) || val_is_null(self))
		return 0;
	if (i == w->at->n) {
		r = buf_error(&w->path, "path", w->err);
		return r < 0 ? r : w->visit(w->ctx, self, old, buf_str(&w->path), w->err);
	}
	if (!s->items && !s->values)
		return step_member(w, i, val_get(self, s->name), val_get(old, s->name), s->name);
	for (uint32_t k = 0; r == 0 && s->values && val_is_map(self) && k < self.n; k++) {
		str name = key_str(self.members[k].key);

		r = step_member(w, i, self.members[k].value, val_get(old, name), name);
	}
	for (uint32_t k = 0; r == 0 && s->items && k < val_count(self) && val_is_list(self); k++) {
		buf_printf(&w->path, "[%u]", k);
		r = step(w, i + 1, val_at(self, k), (val){ 0 });
		buf_truncate(&w->path, length);
	}
	return r;
}

int cel_at_walk(const struct cel_at *at, val object, val old, str root, cel_at_visit visit, void *ctx, struct err *err)
{
	struct walk w = { at, BUF_INIT(1u << 20), visit, ctx, err };
	int r;

	buf_add_str(&w.path, root);
	r = step(&w, 0, object, old);
	buf_done(&w.path);
	return r;
}
