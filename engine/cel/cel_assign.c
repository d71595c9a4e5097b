/* Assignability of types: unification with dyn as a wildcard.   cel-go checker/types.go */
#include "cel/cel_check_internal.h"

static bool assignable(struct cel_mapping *m, const struct cel_type *t1, const struct cel_type *t2);

const struct cel_type *cel_fresh_variable(struct cel_mapping *m)
{
	struct cel_type *t = arena_zalloc(m->arena, sizeof(*t));

	if (m->bound.n == 0 && !vec_push(&m->bound, NULL)) /* no variable has the id 0 */
		t = NULL;
	if (!t || !vec_push(&m->bound, NULL)) {
		m->no_memory = true;
		return &cel_type_dyn;
	}
	t->kind = CT_PARAM;
	t->size = 1;
	t->id = (uint32_t)m->bound.n - 1;
	t->name = arena_printf(m->arena, "_var%u", t->id - 1);
	return t;
}

void cel_mapping_done(struct cel_mapping *m)
{
	vec_done(&m->bound);
	vec_done(&m->trail);
}

static const struct cel_type *find(const struct cel_mapping *m, const struct cel_type *t)
{
	return t->kind == CT_PARAM && t->id < m->bound.n ? m->bound.p[t->id] : NULL;
}

static void bind(struct cel_mapping *m, const struct cel_type *var, const struct cel_type *t)
{
	if (var->id >= m->bound.n || !vec_push(&m->trail, (struct cel_trail){ var->id, m->bound.p[var->id] })) {
		m->no_memory = true;
		return;
	}
	m->bound.p[var->id] = t;
}

static void undo(struct cel_mapping *m, size_t mark)
{
	while (m->trail.n > mark) {
		struct cel_trail *t = &m->trail.p[--m->trail.n];

		m->bound.p[t->id] = t->old;
	}
}

const struct cel_type *cel_substitute(struct cel_mapping *m, const struct cel_type *t, bool to_dyn)
{
	const struct cel_type *params[3], *made, *bound = find(m, t);
	bool changed = false;

	if (bound)
		return cel_substitute(m, bound, to_dyn);
	if (t->kind == CT_PARAM)
		return to_dyn ? &cel_type_dyn : t;
	for (unsigned i = 0; i < t->n; i++) {
		params[i] = cel_substitute(m, t->params[i], to_dyn);
		changed |= params[i] != t->params[i];
	}
	if (!changed)
		return t;
	made = cel_type_with(m->arena, t, params);
	if (!made)
		m->no_memory = true;
	return made ? made : &cel_type_error;
}

/* Whether @var does not occur in @t. Otherwise binding it would make an endless type. */
static bool not_in(const struct cel_mapping *m, const struct cel_type *var, const struct cel_type *t)
{
	const struct cel_type *bound = find(m, t);

	if (cel_type_equal(var, t))
		return false;
	if (bound)
		return not_in(m, var, bound);
	for (unsigned i = 0; i < t->n; i++) {
		if (!not_in(m, var, t->params[i]))
			return false;
	}
	return true;
}

static bool less_specific(const struct cel_type *x, const struct cel_type *y)
{
	if (cel_type_is_dyn(x) || x->kind == CT_PARAM)
		return true;
	if (cel_type_is_dyn(y) || y->kind == CT_PARAM)
		return false;
	if (y->kind == CT_NULL && x->kind != CT_NULL) /* null is assignable to it, so x can be null too */
		return true;
	if (x->kind != y->kind)
		return false;
	if (x->kind == CT_TYPE)
		return true;
	if (x->kind == CT_OPAQUE || x->kind == CT_LIST || x->kind == CT_MAP) {
		if (x->n != y->n || !str_eq(x->name, y->name))
			return false;
		for (unsigned i = 0; i < x->n; i++) {
			if (!less_specific(x->params[i], y->params[i]))
				return false;
		}
		return true;
	}
	return cel_type_equal(x, y);
}

const struct cel_type *cel_most_general(const struct cel_type *x, const struct cel_type *y)
{
	return less_specific(x, y) ? x : y;
}

/* Whether variable @var may stand for @t: 1 yes; 0 no; -1 no, because it already stands for another type. */
static int substitution(struct cel_mapping *m, const struct cel_type *t, const struct cel_type *var)
{
	const struct cel_type *bound;

	if (cel_type_equal(t, var))
		return 1;
	bound = find(m, var);
	if (!bound) {
		if (!not_in(m, var, t))
			return 0;
		bind(m, var, t);
		return 1;
	}
	if (cel_type_equal(t, bound))
		return 1;
	if (assignable(m, t, bound)) {
		const struct cel_type *general = cel_most_general(t, bound);

		if (not_in(m, var, general))
			bind(m, var, general);
		return 1;
	}
	return -1;
}

static bool nullable(const struct cel_type *t)
{
	switch (t->kind) {
	case CT_OPAQUE:
	case CT_OBJECT:
	case CT_TIMESTAMP:
	case CT_DURATION:
	case CT_WRAPPER:
	case CT_NULL:
		return true;
	default:
		return false;
	}
}

static bool assignable_params(struct cel_mapping *m, const struct cel_type *t1, const struct cel_type *t2)
{
	if (t1->n != t2->n || !str_eq(t1->name, t2->name))
		return false;
	for (unsigned i = 0; i < t1->n; i++) {
		if (!assignable(m, t1->params[i], t2->params[i]))
			return false;
	}
	return true;
}

static bool assignable(struct cel_mapping *m, const struct cel_type *t1, const struct cel_type *t2)
{
	if (t2->kind == CT_PARAM) {
		int r = substitution(m, t1, t2);

		if (r > 0)
			return true;
		if (r < 0)
			return false;
	}
	if (t1->kind == CT_PARAM)
		return substitution(m, t2, t1) > 0;
	if (cel_type_is_dyn(t1) || cel_type_is_dyn(t2))
		return true;
	if (t1->kind == CT_NULL)
		return nullable(t2);
	if (t2->kind == CT_NULL)
		return nullable(t1);
	if (t1->kind == CT_WRAPPER)
		t1 = t1->params[0];
	if (t2->kind == CT_WRAPPER)
		t2 = t2->params[0];
	if (t1->kind != t2->kind)
		return false;
	switch (t1->kind) {
	case CT_TYPE:
		return true;
	case CT_OPAQUE:
	case CT_LIST:
	case CT_MAP:
		return assignable_params(m, t1, t2);
	default:
		return cel_type_equal(t1, t2);
	}
}

bool cel_assignable_all(struct cel_mapping *m, const struct cel_type *const *from, const struct cel_type *const *to,
			uint32_t n)
{
	size_t mark = m->trail.n;

	for (uint32_t i = 0; i < n; i++) {
		if (!assignable(m, from[i], to[i])) {
			undo(m, mark);
			return false;
		}
	}
	return true;
}

bool cel_assignable(struct cel_mapping *m, const struct cel_type *from, const struct cel_type *to)
{
	return cel_assignable_all(m, &from, &to, 1);
}
