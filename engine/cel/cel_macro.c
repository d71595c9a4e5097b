/* The macros: calls that the parser rewrites before anything has a type.   CEL langdef, Macros; cel-go parser/macro.go,
 * ext/ */
#include "cel/cel_parse.h"

#define ACCU "@result"

struct macro_call {
	struct cel_builder *b;
	uint32_t at;
	struct cel_ast *target;
	struct cel_ast **args;
	uint32_t n;
};

typedef struct cel_ast *(*expand_fn)(const struct macro_call *m);

static struct cel_ast *misuse(const struct macro_call *m, uint32_t at, const char *text)
{
	cel_issue_add(m->b->issues, at, "%s", text);
	return NULL;
}

/* ---- pieces ---- */

static struct cel_ast *ident(const struct macro_call *m, const char *name)
{
	return cel_ast_ident(m->b, m->at, str_from(name));
}

static struct cel_ast *accu(const struct macro_call *m)
{
	return ident(m, ACCU);
}

static struct cel_ast *literal_bool(const struct macro_call *m, bool b)
{
	return cel_ast_literal(m->b, m->at, cv_bool(b));
}

static struct cel_ast *literal_int(const struct macro_call *m, int64_t i)
{
	return cel_ast_literal(m->b, m->at, cv_int(i));
}

static struct cel_ast *list_of(const struct macro_call *m, struct cel_ast *item)
{
	struct cel_ast *n = cel_ast_new(m->b, AST_LIST, m->at);

	if (!n)
		return NULL;
	if (item) {
		n->args = arena_array(m->b->arena, 1, sizeof(struct cel_ast *));
		if (!n->args)
			return NULL;
		n->args[0] = item;
		n->n_args = 1;
	}
	return n;
}

static struct cel_ast *call1(const struct macro_call *m, const char *name, struct cel_ast *a)
{
	return cel_ast_call(m->b, m->at, name, 1, a);
}

static struct cel_ast *call2(const struct macro_call *m, const char *name, struct cel_ast *a, struct cel_ast *b)
{
	return cel_ast_call(m->b, m->at, name, 2, a, b);
}

static struct cel_ast *call3(const struct macro_call *m, const char *name, struct cel_ast *a, struct cel_ast *b,
			     struct cel_ast *c)
{
	return cel_ast_call(m->b, m->at, name, 3, a, b, c);
}

static struct cel_ast *fold(const struct macro_call *m, struct cel_fold parts)
{
	struct cel_ast *n = cel_ast_new(m->b, AST_COMPREHENSION, m->at);

	if (!n || !parts.range || !parts.init || !parts.condition || !parts.step || !parts.result)
		return NULL;
	n->fold = arena_alloc(m->b->arena, sizeof(*n->fold));
	if (!n->fold)
		return NULL;
	*n->fold = parts;
	return n;
}

/* The variable's name from argument @i, or {NULL, 0} after the mistake @wrong was reported. */
static str variable(const struct macro_call *m, uint32_t i, const char *wrong)
{
	const struct cel_ast *a = m->args[i];

	if (a->kind != AST_IDENT) {
		(void)misuse(m, a->at, wrong);
		return (str){ NULL, 0 };
	}
	if (str_eq(a->name, STR("__result__")) || str_eq(a->name, STR(ACCU))) {
		(void)misuse(m, a->at, "iteration variable overwrites accumulator variable");
		return (str){ NULL, 0 };
	}
	return a->name;
}

#define NO_SIMPLE_NAME "argument must be a simple name"

/* The variables of a comprehension: one, or two when @two. False when they are wrong. */
static bool variables(const struct macro_call *m, bool two, const char *wrong, struct cel_fold *f)
{
	f->iter = variable(m, 0, wrong);
	if (!f->iter.p)
		return false;
	if (!two)
		return true;
	f->iter2 = variable(m, 1, wrong);
	if (!f->iter2.p)
		return false;
	if (str_eq(f->iter, f->iter2)) {
		cel_issue_add(m->b->issues, m->args[1]->at, "duplicate variable name: %.*s", STR_ARG(f->iter));
		return false;
	}
	return true;
}

/* ---- quantifiers ---- */

static struct cel_ast *quantifier(const struct macro_call *m, bool two, bool all)
{
	struct cel_fold f = { .range = m->target, .accu = STR(ACCU) };
	struct cel_ast *predicate = m->args[m->n - 1], *going;

	if (!variables(m, two, NO_SIMPLE_NAME, &f))
		return NULL;
	f.init = literal_bool(m, all);
	going = all ? accu(m) : call1(m, "!_", accu(m));
	f.condition = call1(m, "@not_strictly_false", going);
	f.step = call2(m, all ? "_&&_" : "_||_", accu(m), predicate);
	f.result = accu(m);
	return fold(m, f);
}

static struct cel_ast *expand_all(const struct macro_call *m)
{
	return quantifier(m, false, true);
}
static struct cel_ast *expand_all2(const struct macro_call *m)
{
	return quantifier(m, true, true);
}
static struct cel_ast *expand_exists(const struct macro_call *m)
{
	return quantifier(m, false, false);
}
static struct cel_ast *expand_exists2(const struct macro_call *m)
{
	return quantifier(m, true, false);
}

static struct cel_ast *exists_one(const struct macro_call *m, bool two)
{
	struct cel_fold f = { .range = m->target, .accu = STR(ACCU) };

	if (!variables(m, two, NO_SIMPLE_NAME, &f))
		return NULL;
	f.init = literal_int(m, 0);
	f.condition = literal_bool(m, true);
	f.step = call3(m, "_?_:_", m->args[m->n - 1], call2(m, "_+_", accu(m), literal_int(m, 1)), accu(m));
	f.result = call2(m, "_==_", accu(m), literal_int(m, 1));
	return fold(m, f);
}

static struct cel_ast *expand_exists_one(const struct macro_call *m)
{
	return exists_one(m, false);
}
static struct cel_ast *expand_exists_one2(const struct macro_call *m)
{
	return exists_one(m, true);
}

/* ---- what builds lists and maps ---- */

static struct cel_ast *guarded(const struct macro_call *m, struct cel_ast *filter, struct cel_ast *step)
{
	return filter ? call3(m, "_?_:_", filter, step, accu(m)) : step;
}

static struct cel_ast *build_list(const struct macro_call *m, bool two, struct cel_ast *filter, struct cel_ast *item)
{
	struct cel_fold f = { .range = m->target, .accu = STR(ACCU) };

	if (!variables(m, two, two ? NO_SIMPLE_NAME : "argument is not an identifier", &f))
		return NULL;
	if (!item)
		item = cel_ast_ident(m->b, m->args[0]->at, f.iter);
	f.init = list_of(m, NULL);
	f.condition = literal_bool(m, true);
	f.step = guarded(m, filter, call2(m, "_+_", accu(m), list_of(m, item)));
	f.result = accu(m);
	return fold(m, f);
}

static struct cel_ast *expand_map(const struct macro_call *m)
{
	return build_list(m, false, NULL, m->args[1]);
}
static struct cel_ast *expand_map3(const struct macro_call *m)
{
	return build_list(m, false, m->args[1], m->args[2]);
}
static struct cel_ast *expand_filter(const struct macro_call *m)
{
	return build_list(m, false, m->args[1], NULL);
}
static struct cel_ast *expand_list3(const struct macro_call *m)
{
	return build_list(m, true, NULL, m->args[2]);
}
static struct cel_ast *expand_list4(const struct macro_call *m)
{
	return build_list(m, true, m->args[2], m->args[3]);
}

static struct cel_ast *build_map(const struct macro_call *m, bool entry)
{
	struct cel_fold f = { .range = m->target, .accu = STR(ACCU) };
	struct cel_ast *value = m->args[m->n - 1], *step;

	if (!variables(m, true, NO_SIMPLE_NAME, &f))
		return NULL;
	f.init = cel_ast_new(m->b, AST_MAP, m->at);
	f.condition = literal_bool(m, true);
	if (entry)
		step = call2(m, "cel.@mapInsert", accu(m), value);
	else
		step = call3(m, "cel.@mapInsert", accu(m), cel_ast_ident(m->b, m->args[0]->at, f.iter), value);
	f.step = guarded(m, m->n == 4 ? m->args[2] : NULL, step);
	f.result = accu(m);
	return fold(m, f);
}

static struct cel_ast *expand_transform_map(const struct macro_call *m)
{
	return build_map(m, false);
}
static struct cel_ast *expand_transform_entry(const struct macro_call *m)
{
	return build_map(m, true);
}

/* ---- bindings ---- */

static struct cel_ast *bind(const struct macro_call *m, str name, struct cel_ast *value, struct cel_ast *body)
{
	return fold(m, (struct cel_fold){ .range = list_of(m, NULL),
					  .iter = STR("#unused"),
					  .accu = name,
					  .init = value,
					  .condition = literal_bool(m, false),
					  .step = cel_ast_ident(m->b, m->at, name),
					  .result = body });
}

static struct cel_ast *expand_bind(const struct macro_call *m)
{
	const struct cel_ast *v = m->args[0];

	if (v->kind != AST_IDENT)
		return misuse(m, v->at, "cel.bind() variable names must be simple identifiers");
	return bind(m, v->name, m->args[1], m->args[2]);
}

static bool index_of(const struct cel_ast *n, int64_t *ret)
{
	if (n->kind != AST_LITERAL || n->value.kind != CV_INT || n->value.i < 0)
		return false;
	*ret = n->value.i;
	return true;
}

/* cel.block([e0, e1, …], body): each element may use those before it as cel.index(i). */
static struct cel_ast *expand_block(const struct macro_call *m)
{
	const struct cel_ast *list = m->args[0];
	struct cel_ast *body = m->args[1];

	if (list->kind != AST_LIST)
		return misuse(m, list->at, "cel.block requires the first arg to be a list literal");
	if (list->n_args > CEL_RECURSION_MAX)
		return misuse(m, list->at, "cel.block has too many elements");
	for (uint32_t i = list->n_args; i-- > 0;)
		body = bind(m, arena_printf(m->b->arena, "@index%u", i), list->args[i], body);
	return body;
}

static struct cel_ast *expand_index(const struct macro_call *m)
{
	int64_t i;

	if (!index_of(m->args[0], &i))
		return misuse(m, m->args[0]->at, "cel.index requires a single non-negative int constant arg");
	return cel_ast_ident(m->b, m->at, arena_printf(m->b->arena, "@index%lld", (long long)i));
}

static struct cel_ast *numbered(const struct macro_call *m, const char *prefix)
{
	int64_t depth, unique;

	if (!index_of(m->args[0], &depth) || !index_of(m->args[1], &unique))
		return misuse(m, m->args[0]->at, "the arguments must be non-negative int constants");
	return cel_ast_ident(m->b, m->at,
			     arena_printf(m->b->arena, "%s:%lld:%lld", prefix, (long long)depth, (long long)unique));
}

static struct cel_ast *expand_iter_var(const struct macro_call *m)
{
	return numbered(m, "@it");
}
static struct cel_ast *expand_accu_var(const struct macro_call *m)
{
	return numbered(m, "@ac");
}

/* ---- has, optionals, sortBy, math ---- */

static struct cel_ast *expand_has(const struct macro_call *m)
{
	struct cel_ast *n;

	if (m->args[0]->kind != AST_SELECT || m->args[0]->test)
		return misuse(m, m->args[0]->at, "invalid argument to has() macro");
	n = cel_ast_new(m->b, AST_SELECT, m->at);
	if (n) {
		n->target = m->args[0]->target;
		n->name = m->args[0]->name;
		n->test = true;
	}
	return n;
}

/* x.optMap(v, e): x.hasValue() ? optional.of(bind(v, x.value(), e)) : optional.none() */
static struct cel_ast *optional_map(const struct macro_call *m, bool flat)
{
	str name = variable(m, 0,
			    flat ? "optFlatMap() variable name must be a simple identifier"
				 : "optMap() variable name must be a simple identifier");
	struct cel_ast *bound;

	if (!name.p)
		return NULL;
	bound = bind(m, name, cel_ast_member(m->b, m->at, "value", m->target), m->args[1]);
	return call3(m, "_?_:_", cel_ast_member(m->b, m->at, "hasValue", m->target),
		     flat ? bound : call1(m, "optional.of", bound), cel_ast_call(m->b, m->at, "optional.none", 0));
}

static struct cel_ast *expand_opt_map(const struct macro_call *m)
{
	return optional_map(m, false);
}
static struct cel_ast *expand_opt_flat_map(const struct macro_call *m)
{
	return optional_map(m, true);
}

/* list.sortBy(v, key): bind the list, and sort it by the list of its keys */
static struct cel_ast *expand_sort_by(const struct macro_call *m)
{
	static const char input[] = "@__sortBy_input__";
	struct macro_call inner = *m;
	struct cel_ast *keys, *sort;

	inner.target = ident(m, input);
	keys = build_list(&inner, false, NULL, m->args[1]);
	sort = call1(m, "@sortByAssociatedKeys", keys);
	if (!sort)
		return NULL;
	sort->target = ident(m, input);
	return bind(m, STR("@__sortBy_input__"), m->target, sort);
}

static struct cel_ast *extreme(const struct macro_call *m, const char *name, const char *function)
{
	struct cel_ast *list;

	if (m->n == 0) {
		cel_issue_add(m->b->issues, m->at, "%s() requires at least one argument", name);
		return NULL;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		const struct cel_ast *a = m->args[i];
		bool wrong = a->kind == AST_MAP || a->kind == AST_STRUCT ||
			     (a->kind == AST_LITERAL && !cv_is_number(a->value)) || (a->kind == AST_LIST && m->n > 1);

		if (wrong) {
			cel_issue_add(m->b->issues, a->at, "%s() invalid single argument value", name);
			return NULL;
		}
	}
	if (m->n == 1)
		return call1(m, function, m->args[0]);
	if (m->n == 2)
		return call2(m, function, m->args[0], m->args[1]);
	list = cel_ast_new(m->b, AST_LIST, m->at);
	if (!list)
		return NULL;
	list->args = arena_array(m->b->arena, m->n, sizeof(struct cel_ast *));
	if (!list->args)
		return NULL;
	memcpy(list->args, m->args, m->n * sizeof(struct cel_ast *));
	list->n_args = m->n;
	return call1(m, function, list);
}

static struct cel_ast *expand_greatest(const struct macro_call *m)
{
	return extreme(m, "math.greatest", "math.@max");
}
static struct cel_ast *expand_least(const struct macro_call *m)
{
	return extreme(m, "math.least", "math.@min");
}

/* ---- the table ---- */

enum style { GLOBAL, MEMBER };

struct macro {
	const char *name; /* the name with its name space */
	int args;         /* -1: any */
	uint8_t member;
	bool standard_only; /* not enabled in Kubernetes */
	expand_fn expand;
};

static const struct macro macros[] = {
	{ "has", 1, GLOBAL, false, expand_has },
	{ "all", 2, MEMBER, false, expand_all },
	{ "all", 3, MEMBER, false, expand_all2 },
	{ "exists", 2, MEMBER, false, expand_exists },
	{ "exists", 3, MEMBER, false, expand_exists2 },
	{ "exists_one", 2, MEMBER, false, expand_exists_one },
	{ "exists_one", 3, MEMBER, false, expand_exists_one2 },
	{ "existsOne", 2, MEMBER, true, expand_exists_one },
	{ "existsOne", 3, MEMBER, false, expand_exists_one2 },
	{ "map", 2, MEMBER, false, expand_map },
	{ "map", 3, MEMBER, false, expand_map3 },
	{ "filter", 2, MEMBER, false, expand_filter },
	{ "transformList", 3, MEMBER, false, expand_list3 },
	{ "transformList", 4, MEMBER, false, expand_list4 },
	{ "transformMap", 3, MEMBER, false, expand_transform_map },
	{ "transformMap", 4, MEMBER, false, expand_transform_map },
	{ "transformMapEntry", 3, MEMBER, false, expand_transform_entry },
	{ "transformMapEntry", 4, MEMBER, false, expand_transform_entry },
	{ "optMap", 2, MEMBER, false, expand_opt_map },
	{ "optFlatMap", 2, MEMBER, false, expand_opt_flat_map },
	{ "sortBy", 2, MEMBER, false, expand_sort_by },
	{ "cel.bind", 3, GLOBAL, true, expand_bind },
	{ "cel.block", 2, GLOBAL, true, expand_block },
	{ "cel.index", 1, GLOBAL, true, expand_index },
	{ "cel.iterVar", 2, GLOBAL, true, expand_iter_var },
	{ "cel.accuVar", 2, GLOBAL, true, expand_accu_var },
	{ "math.greatest", -1, GLOBAL, true, expand_greatest },
	{ "math.least", -1, GLOBAL, true, expand_least },
};

/* A global macro "ns.f" is written as a member call of the identifier ns. */
static bool is_called(const struct macro *m, str name, const struct cel_ast *target)
{
	const char *dot = strchr(m->name, '.');

	if (m->member == MEMBER)
		return target && str_eq(name, str_from(m->name));
	if (!dot)
		return !target && str_eq(name, str_from(m->name));
	return target && target->kind == AST_IDENT && str_eq(target->name, (str){ m->name, (size_t)(dot - m->name) }) &&
	       str_eq(name, str_from(dot + 1));
}

int cel_macro_expand(struct cel_builder *b, uint32_t at, str name, struct cel_ast *target, struct cel_ast **args,
		     uint32_t n_args, struct cel_ast **ret)
{
	struct macro_call call = { b, at, target, args, n_args };

	for (size_t i = 0; i < ARRAY_LEN(macros); i++) {
		const struct macro *m = &macros[i];

		if ((m->args >= 0 && (uint32_t)m->args != n_args) || !is_called(m, name, target))
			continue;
		if (m->standard_only && b->dialect == CEL_KUBERNETES)
			continue;
		*ret = m->expand(&call);
		return 1;
	}
	return 0;
}

bool cel_macro_at(enum cel_dialect dialect, size_t i, struct buf *out)
{
	for (size_t k = 0; k < ARRAY_LEN(macros); k++) {
		const struct macro *m = &macros[k];

		if ((m->standard_only && dialect == CEL_KUBERNETES) || i-- > 0)
			continue;
		buf_printf(out, "%s%s/", m->member == MEMBER ? "_." : "", m->name);
		if (m->args < 0)
			buf_add_byte(out, '*');
		else
			buf_printf(out, "%d", m->args);
		return true;
	}
	return false;
}
