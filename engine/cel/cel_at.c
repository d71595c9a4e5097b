/* Parses the paths of places at which a rule applies, and walks to these places in an object. */
#include "cel/cel_at.h"

#include "base/buf.h"

#include <errno.h>

static int bad(str path, str rest, const char *expected, struct err *err)
{
	return err_set(err, EBADMSG, "path '%.*s': expected %s at column %zu", STR_ARG(path), expected,
		       path.n - rest.n + 1);
}

/* Parse "[*]" or "['name']". */
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

/* Parse ".*" or ".name". */
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
	struct cel_way path;
	cel_at_visit visit;
	void *ctx;
	struct err *err;
};

static int step(struct walk *w, uint32_t i, val self, val old);

/* Step to the member @name; @self and @old are its values. */
static int step_member(struct walk *w, uint32_t i, val self, val old, str name)
{
	int r;

	if (!cel_way_member(&w->path, name, str_find_byte(name, '.') >= 0))
		return err_nomem(w->err);
	r = step(w, i + 1, self, old);
	cel_way_up(&w->path);
	return r;
}

static int step(struct walk *w, uint32_t i, val self, val old)
{
	const struct cel_at_step *s = &w->at->steps[i];
	struct cel_where here;
	int r = 0;

	if (!val_exists(self) || val_is_null(self))
		return 0;
	if (i == w->at->n) {
		r = buf_error(&w->path.text, "path", w->err);
		here = cel_way_here(&w->path);
		return r < 0 ? r : w->visit(w->ctx, self, old, &here, w->err);
	}
	if (!s->items && !s->values)
		return step_member(w, i, val_get(self, s->name), val_get(old, s->name), s->name);
	for (uint32_t k = 0; r == 0 && s->values && val_is_map(self) && k < self.n; k++) {
		str name = key_str(self.members[k].key);

		r = step_member(w, i, self.members[k].value, val_get(old, name), name);
	}
	for (uint32_t k = 0; r == 0 && s->items && k < val_count(self) && val_is_list(self); k++) {
		if (!cel_way_item(&w->path, k))
			return err_nomem(w->err);
		r = step(w, i + 1, val_at(self, k), (val){ 0 });
		cel_way_up(&w->path);
	}
	return r;
}

int cel_at_walk(const struct cel_at *at, val object, val old, cel_at_visit visit, void *ctx, struct err *err)
{
	struct walk w = { .at = at, .visit = visit, .ctx = ctx, .err = err };
	int r = cel_way_init(&w.path, &(struct cel_where){ .text = { "", 0 } }) ? step(&w, 0, object, old)
										: err_nomem(err);

	cel_way_done(&w.path);
	return r;
}
