/* The checker: types of expressions, and which overload a call means. */
#include "cel/cel_check_internal.h"
#include "cel/cel_schema.h"
#include "cel/cel_wkt.h"

#include <stdio.h>

struct scope {
	const struct scope *outer;
	str name;
	const struct cel_type *type;
	uint32_t slot;
};

struct checker {
	const struct cel_env *env;
	struct cel_issues *issues;
	struct arena *arena;
	struct cel_mapping map;
	const struct scope *scope;
	uint32_t slots; /* the number of slots in use */
	uint32_t most_slots;
};

static const struct cel_type *check(struct checker *c, struct cel_ast *n);

/* ---- messages ---- */

static void mismatch(struct checker *c, uint32_t at, const struct cel_type *expected, const struct cel_type *found)
{
	CLEANUP(buf_done) struct buf e = BUF_INIT(400), f = BUF_INIT(400);

	cel_type_format(cel_substitute(&c->map, expected, true), &e);
	cel_type_format(cel_substitute(&c->map, found, true), &f);
	cel_issue_add(c->issues, at, "expected type '%s' but found '%s'", buf_str(&e).p, buf_str(&f).p);
}

static void wrong_field(struct checker *c, const struct cel_field *field, const struct cel_type *expected,
			const struct cel_type *found)
{
	CLEANUP(buf_done) struct buf e = BUF_INIT(400), f = BUF_INIT(400);

	cel_type_format(cel_substitute(&c->map, expected, true), &e);
	cel_type_format(cel_substitute(&c->map, found, false), &f);
	cel_issue_add(c->issues, field->at, "expected type of field '%.*s' is '%s' but provided type is '%s'",
		      STR_ARG(field->name), buf_str(&e).p, buf_str(&f).p);
}

static void undeclared(struct checker *c, uint32_t at, str name)
{
	cel_issue_add(c->issues, at, "undeclared reference to '%.*s' (in container '%.*s')", STR_ARG(name),
		      STR_ARG(c->env->container));
}

static void no_overload(struct checker *c, uint32_t at, str name, const struct cel_type *const *args, uint32_t n,
			bool member)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(800);

	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 && !member)
			buf_add_byte(&b, '(');
		if (i > (uint32_t)member)
			buf_add_cstr(&b, ", ");
		cel_type_format(cel_substitute(&c->map, args[i], true), &b);
		if (i == 0 && member)
			buf_add_cstr(&b, ".(");
	}
	buf_add_cstr(&b, n ? ")" : "()");
	cel_issue_add(c->issues, at, "found no matching overload for '%.*s' applied to '%s'", STR_ARG(name),
		      buf_str(&b).p);
}

static void assert_type(struct checker *c, const struct cel_ast *n, const struct cel_type *found,
			const struct cel_type *expected)
{
	if (!c->env->unchecked && !cel_assignable(&c->map, found, expected))
		mismatch(c, n->at, expected, found);
}

static const struct cel_type *made(struct checker *c, const struct cel_type *t)
{
	if (!t)
		c->issues->no_memory = true;
	return t ? t : &cel_type_error;
}

/* ---- names ---- */

static const struct scope *find_local(const struct checker *c, str name)
{
	const struct scope *s = c->scope;

	while (s && !str_eq(s->name, name))
		s = s->outer;
	return s;
}

static int32_t find_variable(const struct checker *c, str name)
{
	for (uint32_t i = 0; i < c->env->n_variables; i++) {
		if (str_eq(c->env->variables[i].name, name))
			return (int32_t)i;
	}
	return -1;
}

/* The names of types. */
static const struct {
	const char *name;
	const char *type;
	bool standard_only; /* the name does not exist in Kubernetes */
} types[] = {
	{ "bool", "b", false },
	{ "int", "i", false },
	{ "uint", "u", false },
	{ "double", "d", false },
	{ "string", "s", false },
	{ "bytes", "y", false },
	{ "list", "L*", false },
	{ "map", "M**", false },
	{ "null_type", "n", false },
	{ "type", "T*", false },
	{ "google.protobuf.Timestamp", "t", false },
	{ "google.protobuf.Duration", "D", false },
	{ "optional_type", "O*", false },
	{ "net.IP", "I", false },
	{ "net.CIDR", "C", false },
	{ "kubernetes.URL", "U", true },
	{ "kubernetes.Quantity", "Q", true },
	{ "kubernetes.Semver", "V", true },
	{ "kubernetes.NamedFormat", "F", true },
};

const char *cel_type_name_at(enum cel_dialect dialect, size_t i)
{
	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		if (!(types[k].standard_only && dialect == CEL_KUBERNETES) && i-- == 0)
			return types[k].name;
	}
	return NULL;
}

/* The type that @name stands for as a value, or NULL. */
static const struct cel_type *find_type(struct checker *c, str name)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		const char *at = types[i].type;

		if (str_eq(name, str_from(types[i].name)) &&
		    !(types[i].standard_only && c->env->dialect == CEL_KUBERNETES))
			return made(c, cel_type_read(c->arena, &at));
	}
	return NULL;
}

static bool resolve_name(struct checker *c, struct cel_ast *n, str name)
{
	int32_t var = find_variable(c, name);
	const struct cel_type *t;

	if (var >= 0) {
		n->variable = var;
		n->type = c->env->variables[var].type;
		return true;
	}
	t = find_type(c, name);
	if (!t)
		return false;
	n->is_constant = true;
	n->value = cv_type(arena_str(c->arena, name));
	n->type = made(c, cel_type_of(c->arena, t));
	return true;
}

/* Try @name in the container, then in each name space around it, then alone. A leading "." means alone. */
static bool resolve(struct checker *c, struct cel_ast *n, str name)
{
	str container = c->env->container;

	if (name.n && name.p[0] == '.')
		return resolve_name(c, n, str_sub(name, 1, name.n));
	while (container.n) {
		str full = arena_printf(c->arena, "%.*s.%.*s", STR_ARG(container), STR_ARG(name));
		ptrdiff_t dot = str_rfind(container, STR("."));

		if (full.p && resolve_name(c, n, full))
			return true;
		container = str_sub(container, 0, dot < 0 ? 0 : (size_t)dot);
	}
	return resolve_name(c, n, name);
}

static const struct cel_type *check_ident(struct checker *c, struct cel_ast *n)
{
	const struct scope *s = find_local(c, n->name);

	if (s) {
		n->local = (int32_t)s->slot;
		return s->type;
	}
	if (resolve(c, n, n->name))
		return n->type;
	if (!c->env->unchecked)
		undeclared(c, n->at, n->name);
	return c->env->unchecked ? &cel_type_dyn : &cel_type_error;
}

/* The name a.b.c of a chain, unless its first part is a local. {NULL, 0} when it is no name. */
static str qualified(struct checker *c, const struct cel_ast *n)
{
	str left;

	if (n->kind == AST_IDENT)
		return find_local(c, n->name) ? (str){ NULL, 0 } : n->name;
	if (n->kind != AST_SELECT || n->test)
		return (str){ NULL, 0 };
	left = qualified(c, n->target);
	return left.p ? arena_printf(c->arena, "%.*s.%.*s", STR_ARG(left), STR_ARG(n->name)) : left;
}

/* ---- selection ---- */

static const struct cel_type *field_type(struct checker *c, uint32_t at, const struct cel_type *object, str name)
{
	const struct cel_property *p = cel_schema_escaped(object->schema, name);

	if (p && p->schema->type)
		return p->schema->type;
	cel_issue_add(c->issues, at, "undefined field '%.*s'", STR_ARG(name));
	return &cel_type_error;
}

static const struct cel_type *select_type(struct checker *c, uint32_t at, const struct cel_type *operand, str name,
					  bool optional)
{
	const struct cel_type *t = cel_substitute(&c->map, operand, false), *result = &cel_type_dyn;

	if (cel_type_is_optional(t)) {
		optional = true;
		t = t->params[0];
	}
	switch (t->kind) {
	case CT_MAP:
		result = t->params[1];
		break;
	case CT_OBJECT:
		result = field_type(c, at, t, name);
		break;
	case CT_PARAM:
		(void)cel_assignable(&c->map, &cel_type_dyn, t);
		break;
	case CT_DYN:
	case CT_ERROR:
		break;
	default:
		if (!c->env->unchecked) {
			CLEANUP(buf_done) struct buf b = BUF_INIT(400);

			cel_type_format(cel_substitute(&c->map, t, true), &b);
			cel_issue_add(c->issues, at, "type '%s' does not support field selection", buf_str(&b).p);
		}
	}
	return optional ? made(c, cel_type_optional(c->arena, result)) : result;
}

static const struct cel_type *check_select(struct checker *c, struct cel_ast *n)
{
	const struct cel_type *t;

	if (!n->test) {
		str name = qualified(c, n);

		if (name.p && resolve(c, n, name))
			return n->type;
	}
	t = select_type(c, n->at, check(c, n->target), n->name, false);
	return n->test ? &cel_type_bool : t;
}

/* ---- calls ---- */

bool cel_function_enabled(const struct cel_overload *o, enum cel_dialect dialect)
{
	return !(o->standard_only && dialect == CEL_KUBERNETES);
}

/* The overloads of a name, in the order of the tables; declared functions become overloads too. */
static uint32_t find_overloads(struct checker *c, str name, const struct cel_overload ***ret)
{
	VEC(const struct cel_overload *) found = { 0 };
	uint32_t n;

	for (size_t l = 0; l < cel_n_libraries; l++) {
		for (size_t i = 0; i < cel_libraries[l]->n; i++) {
			const struct cel_overload *o = &cel_libraries[l]->overloads[i];

			if (o->name[0] == name.p[0] && str_eq(name, str_from(o->name)) &&
			    cel_function_enabled(o, c->env->dialect) && !vec_push(&found, o))
				c->issues->no_memory = true;
		}
	}
	for (uint32_t i = 0; i < c->env->n_functions; i++) {
		const struct cel_declared_function *f = &c->env->functions[i];
		struct cel_overload *o;

		if (!str_eq(f->name, name))
			continue;
		o = arena_zalloc(c->arena, sizeof(*o));
		if (!o || !vec_push(&found, o)) {
			c->issues->no_memory = true;
			continue;
		}
		*o = (struct cel_overload){
			.name = "declared", .id = "declared", .member = f->member, .declared = &f->signature
		};
	}
	n = (uint32_t)found.n;
	*ret = arena_array(c->arena, n, sizeof(**ret));
	if (!*ret)
		n = 0;
	else if (n)
		memcpy(*ret, found.p, n * sizeof(**ret));
	vec_done(&found);
	return n;
}

/* Replace the type variables of a declaration by fresh ones, the same for the same name. */
static const struct cel_type *instantiate(struct checker *c, const struct cel_type *t, const struct cel_type **names,
					  const struct cel_type **fresh, uint32_t *n)
{
	const struct cel_type *params[3];

	if (t->kind == CT_PARAM && t->id == 0) {
		for (uint32_t i = 0; i < *n; i++) {
			if (str_eq(names[i]->name, t->name))
				return fresh[i];
		}
		if (*n == 8)
			return &cel_type_dyn;
		names[*n] = t;
		fresh[*n] = cel_fresh_variable(&c->map);
		return fresh[(*n)++];
	}
	if (t->n == 0)
		return t;
	for (unsigned i = 0; i < t->n; i++)
		params[i] = instantiate(c, t->params[i], names, fresh, n);
	return made(c, cel_type_with(c->arena, t, params));
}

static bool read_signature(struct checker *c, const struct cel_overload *o, struct cel_signature *s)
{
	const struct cel_type *names[8], *fresh[8];
	uint32_t n = 0;

	if (o->declared) {
		*s = *o->declared;
	} else {
		const char *at = o->types;

		for (s->n = 0; *at != ':'; s->n++)
			s->params[s->n] = made(c, cel_type_read(c->arena, &at));
		at++;
		s->result = made(c, cel_type_read(c->arena, &at));
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->params[i] = instantiate(c, s->params[i], names, fresh, &n);
	s->result = instantiate(c, s->result, names, fresh, &n);
	return !c->issues->no_memory;
}

static uint32_t count_params(const struct cel_overload *o)
{
	uint32_t n = 0;

	if (o->declared)
		return o->declared->n;
	for (const char *p = o->types; *p != ':'; p++) {
		if (*p != 'L' && *p != 'O' && *p != 'T' && *p != 'M')
			n++;
		else if (*p == 'M')
			p++; /* a key is one letter */
	}
	return n;
}

#define ARGS_MAX 64

static const struct cel_type *resolve_overload(struct checker *c, struct cel_ast *n, str name,
					       const struct cel_overload **candidates, uint32_t n_candidates,
					       const struct cel_type **args, uint32_t n_args)
{
	const struct cel_type *result = NULL;

	n->overloads = candidates;
	n->n_overloads = 0;
	for (uint32_t i = 0; i < n_candidates; i++) {
		const struct cel_overload *o = candidates[i];
		const struct cel_type *t;
		struct cel_signature s;

		if (o->member != (n->target != NULL) || count_params(o) != n_args)
			continue;
		if (!read_signature(c, o, &s))
			return &cel_type_error;
		if (!c->env->unchecked && !cel_assignable_all(&c->map, args, s.params, n_args))
			continue;
		if (o->undeclared && !result)
			continue;
		n->overloads[n->n_overloads++] = o;
		if (o->undeclared)
			continue;
		t = c->env->unchecked ? &cel_type_dyn : cel_substitute(&c->map, s.result, false);
		if (!result)
			result = t;
		else if (!cel_type_is_dyn(result) && !cel_type_equal(t, result))
			result = &cel_type_dyn;
	}
	if (result)
		return result;
	if (c->env->unchecked)
		return &cel_type_dyn;
	no_overload(c, n->at, name, args, n_args, n->target != NULL);
	return &cel_type_error;
}

/* Check "_?._"(operand, "name"). */
static const struct cel_type *check_optional_select(struct checker *c, struct cel_ast *n)
{
	const struct cel_type *t = check(c, n->args[0]);

	(void)check(c, n->args[1]);
	n->n_overloads = find_overloads(c, n->name, &n->overloads); /* the estimate counts it as a call */
	return select_type(c, n->at, t, cv_str(n->args[1]->value), true);
}

/* Find a function with a name space: lists.range(3) is written as a member call of "lists". */
static uint32_t find_qualified(struct checker *c, struct cel_ast *n, str *name, const struct cel_overload ***found)
{
	str prefix = qualified(c, n->target);
	uint32_t count;

	if (!prefix.p)
		return 0;
	*name = arena_printf(c->arena, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(n->name));
	if (!name->p)
		return 0;
	if (name->p[0] == '.')
		*name = str_sub(*name, 1, name->n);
	count = find_overloads(c, *name, found);
	if (count) {
		n->name = *name;
		n->target = NULL;
	}
	return count;
}

/* Checks && and ||: a mistake of each operand is reported by itself, at its own place. */
static const struct cel_type *check_logic(struct checker *c, struct cel_ast *n)
{
	n->n_overloads = find_overloads(c, n->name, &n->overloads);
	for (uint32_t i = 0; i < n->n_args; i++)
		assert_type(c, n->args[i], check(c, n->args[i]), &cel_type_bool);
	return c->env->unchecked ? &cel_type_dyn : &cel_type_bool;
}

static const struct cel_type *check_call(struct checker *c, struct cel_ast *n)
{
	const struct cel_type *args[ARGS_MAX];
	const struct cel_overload **candidates = NULL;
	uint32_t n_candidates = 0, count = 0;
	str name = n->name;

	if (str_eq(name, STR("_?._")))
		return check_optional_select(c, n);
	if (str_eq(name, STR("_&&_")) || str_eq(name, STR("_||_")))
		return check_logic(c, n);
	if (n->n_args >= ARGS_MAX) {
		cel_issue_add(c->issues, n->at, "too many arguments");
		return &cel_type_error;
	}
	if (n->target)
		n_candidates = find_qualified(c, n, &name, &candidates);
	if (n->target)
		args[count++] = check(c, n->target);
	for (uint32_t i = 0; i < n->n_args; i++)
		args[count++] = check(c, n->args[i]);
	if (n_candidates == 0) {
		name = n->name;
		if (name.n && name.p[0] == '.')
			name = str_sub(name, 1, name.n);
		n_candidates = find_overloads(c, name, &candidates);
	}
	if (n_candidates == 0) {
		if (!c->env->unchecked)
			undeclared(c, n->at, n->name);
		return c->env->unchecked ? &cel_type_dyn : &cel_type_error;
	}
	return resolve_overload(c, n, name, candidates, n_candidates, args, count);
}

/* ---- literals ---- */

static const struct cel_type *literal_type(const struct cel_ast *n)
{
	switch (n->value.kind) {
	case CV_NULL:
		return &cel_type_null;
	case CV_BOOL:
		return &cel_type_bool;
	case CV_INT:
		return &cel_type_int;
	case CV_UINT:
		return &cel_type_uint;
	case CV_DOUBLE:
		return &cel_type_double;
	case CV_STRING:
		return &cel_type_string;
	default:
		return &cel_type_bytes;
	}
}

/* The type of the value behind "?". */
static const struct cel_type *unwrap(struct checker *c, uint32_t at, const struct cel_type *t)
{
	t = cel_substitute(&c->map, t, false);
	if (cel_type_is_optional(t))
		return t->params[0];
	if (!cel_type_is_dyn(t) && t->kind != CT_PARAM && !c->env->unchecked)
		mismatch(c, at, made(c, cel_type_optional(c->arena, t)), t);
	return cel_type_is_dyn(t) ? t : &cel_type_dyn;
}

static const struct cel_type *join(struct checker *c, const struct cel_type *so_far, const struct cel_type *t)
{
	if (!so_far)
		return t;
	if (cel_assignable(&c->map, so_far, t))
		return cel_most_general(so_far, t);
	return &cel_type_dyn;
}

static const struct cel_type *check_list(struct checker *c, struct cel_ast *n)
{
	const struct cel_type *item = NULL;

	for (uint32_t i = 0; i < n->n_args; i++) {
		const struct cel_type *t = check(c, n->args[i]);

		if (n->optional && n->optional[i])
			t = unwrap(c, n->args[i]->at, t);
		item = join(c, item, t);
	}
	return made(c, cel_type_list(c->arena, item ? item : cel_fresh_variable(&c->map)));
}

static const struct cel_type *check_map(struct checker *c, struct cel_ast *n)
{
	const struct cel_type *key = NULL, *value = NULL;

	for (uint32_t i = 0; i + 1 < n->n_args; i += 2) {
		const struct cel_type *t;

		key = join(c, key, check(c, n->args[i]));
		t = check(c, n->args[i + 1]);
		if (n->optional && n->optional[i / 2])
			t = unwrap(c, n->args[i + 1]->at, t);
		value = join(c, value, t);
	}
	if (!key)
		key = cel_fresh_variable(&c->map);
	if (!value)
		value = cel_fresh_variable(&c->map);
	return made(c, cel_type_map(c->arena, key, value));
}

static const struct cel_type *check_struct(struct checker *c, struct cel_ast *n)
{
	str name = n->name, container = c->env->container;
	const struct cel_wkt *w;

	if (name.n && name.p[0] == '.')
		name = str_sub(name, 1, name.n);
	w = cel_wkt_find(name);
	while (!w && container.n) {
		str full = arena_printf(c->arena, "%.*s.%.*s", STR_ARG(container), STR_ARG(name));
		ptrdiff_t dot = str_rfind(container, STR("."));

		w = full.p ? cel_wkt_find(full) : NULL;
		container = str_sub(container, 0, dot < 0 ? 0 : (size_t)dot);
	}
	if (!w) {
		undeclared(c, n->at, n->name);
		return &cel_type_error;
	}
	n->message = w->message;
	for (uint32_t i = 0; i < n->n_args; i++) {
		const struct cel_field *f = &n->fields[i];
		const struct cel_type *t = check(c, n->args[i]), *want = cel_wkt_field(c->arena, w, f->name);

		if (n->optional && n->optional[i])
			t = unwrap(c, n->args[i]->at, t);
		if (!want)
			cel_issue_add(c->issues, f->at, "undefined field '%.*s'", STR_ARG(f->name));
		else if (!c->env->unchecked && !cel_assignable(&c->map, t, want))
			wrong_field(c, f, want, t);
	}
	return made(c, cel_wkt_type(c->arena, w));
}

/* ---- comprehensions ---- */

static void range_types(struct checker *c, const struct cel_ast *n, const struct cel_type *range,
			const struct cel_type **var, const struct cel_type **var2)
{
	bool two = n->fold->iter2.p != NULL;

	range = cel_substitute(&c->map, range, false);
	*var = *var2 = &cel_type_dyn;
	switch (range->kind) {
	case CT_LIST:
		*var = two ? &cel_type_int : range->params[0];
		*var2 = range->params[0];
		break;
	case CT_MAP:
		*var = range->params[0];
		*var2 = range->params[1];
		break;
	case CT_PARAM:
		(void)cel_assignable(&c->map, &cel_type_dyn, range);
		break;
	case CT_DYN:
	case CT_ERROR:
		break;
	default:
		if (!c->env->unchecked) {
			CLEANUP(buf_done) struct buf b = BUF_INIT(400);

			cel_type_format(cel_substitute(&c->map, range, true), &b);
			cel_issue_add(c->issues, n->fold->range->at,
				      "expression of type '%s' cannot be range of a comprehension "
				      "(must be list, map, or dynamic)",
				      buf_str(&b).p);
		}
		*var = *var2 = &cel_type_error;
	}
}

static const struct cel_type *check_fold(struct checker *c, struct cel_ast *n)
{
	struct cel_fold *f = n->fold;
	const struct scope *outer = c->scope;
	const struct cel_type *range = check(c, f->range), *accu = check(c, f->init), *var, *var2, *result;
	struct scope s_accu, s_var, s_var2;
	uint32_t slot = c->slots;

	range_types(c, n, range, &var, &var2);
	n->slots = slot;
	c->slots += 3;
	if (c->slots > c->most_slots)
		c->most_slots = c->slots;
	s_accu = (struct scope){ outer, f->accu, accu, slot };
	s_var = (struct scope){ &s_accu, f->iter, var, slot + 1 };
	s_var2 = (struct scope){ &s_var, f->iter2, var2, slot + 2 };
	c->scope = f->iter2.p ? &s_var2 : &s_var;
	assert_type(c, f->condition, check(c, f->condition), &cel_type_bool);
	assert_type(c, f->step, check(c, f->step), accu);
	c->scope = &s_accu;
	result = check(c, f->result);
	c->scope = outer;
	c->slots = slot;
	return cel_substitute(&c->map, result, false);
}

static const struct cel_type *check_kind(struct checker *c, struct cel_ast *n)
{
	switch (n->kind) {
	case AST_LITERAL:
		return literal_type(n);
	case AST_IDENT:
		return check_ident(c, n);
	case AST_SELECT:
		return check_select(c, n);
	case AST_CALL:
		return check_call(c, n);
	case AST_LIST:
		return check_list(c, n);
	case AST_MAP:
		return check_map(c, n);
	case AST_STRUCT:
		return check_struct(c, n);
	default:
		return check_fold(c, n);
	}
}

/* Check a node. It may be at two places of the tree (optMap); it is checked once. */
static const struct cel_type *check(struct checker *c, struct cel_ast *n)
{
	if (!n->type || n->type->kind == CT_PARAM)
		n->type = check_kind(c, n);
	return n->type;
}

/* Replace the checker's variables in the whole tree by the types that they stand for. */
static void finish(struct checker *c, struct cel_ast *n)
{
	if (!n || n->finished || !n->type)
		return;
	n->finished = true;
	n->type = cel_substitute(&c->map, n->type, true);
	finish(c, n->target);
	for (uint32_t i = 0; i < n->n_args; i++)
		finish(c, n->args[i]);
	if (n->fold) {
		finish(c, n->fold->range);
		finish(c, n->fold->init);
		finish(c, n->fold->condition);
		finish(c, n->fold->step);
		finish(c, n->fold->result);
	}
}

bool cel_check(struct cel_ast *root, const struct cel_env *env, struct cel_issues *is, uint32_t *locals)
{
	struct checker c = { .env = env, .issues = is, .arena = is->arena, .map = { .arena = is->arena } };

	(void)check(&c, root);
	finish(&c, root);
	if (c.map.no_memory)
		is->no_memory = true;
	cel_mapping_done(&c.map);
	*locals = c.most_slots;
	return is->n == 0 && !is->no_memory;
}
