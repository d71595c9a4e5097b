/* Estimates the cost of expressions, with one function for each form of the tree. It equals the server's estimate
 * exactly, with its oddities: a field of unknown size has none, a literal list has items without a bound. */
#include "cel/cel_estimate_internal.h"

#include "cel/cel_schema.h"

#include <errno.h>

#define MAP_COST 30
#define STRUCT_COST 40

/* The sizes of the keys and values of a list or map. */
struct entries {
	bool list;
	struct span key, value;
};

/* Where in the schema a value is. */
struct spot {
	enum {
		/* a value that the expression makes: for the server, its parts are at the root of the schema */
		SPOT_NONE,
		SPOT_LOST,   /* described by no schema */
		SPOT_KEY,    /* a key of a map */
		SPOT_SCHEMA, /* schema */
	} kind;
	const struct cel_schema *schema;
};

/* The facts that are known about a node, or about a local variable. */
struct cel_note {
	bool counted, sized, holds;
	uint64_t cost; /* valid when @counted */
	struct span size;
	struct entries entries; /* valid when @holds */
	struct spot spot;
};

struct variable {
	str name;
	struct cel_note note;
	const struct variable *next;
};

struct estimator {
	const struct cel_schema *self;
	struct arena *arena;
	const struct variable *variables; /* the innermost first */
	bool no_memory;
	struct cel_note spare; /* the note of a node for which there was no memory: it is not used */
};

static uint64_t cost(struct estimator *e, struct cel_ast *n);

/* ---- numbers ---- */

uint64_t cel_cost_add(uint64_t x, uint64_t y)
{
	return x > UINT64_MAX - y ? UINT64_MAX : x + y;
}

uint64_t cel_cost_times(uint64_t x, uint64_t y)
{
	return y != 0 && x > UINT64_MAX / y ? UINT64_MAX : x * y;
}

/* ---- what is known of a node ---- */

static struct cel_note *note_of(struct estimator *e, struct cel_ast *n)
{
	if (!n->note)
		n->note = arena_zalloc(e->arena, sizeof(*n->note));
	if (n->note)
		return n->note;
	e->no_memory = true;
	return &e->spare;
}

static const struct variable *variable_of(const struct estimator *e, const struct cel_ast *n)
{
	const struct variable *v = n->kind == AST_IDENT ? e->variables : NULL;

	while (v && !str_eq(v->name, n->name))
		v = v->next;
	return v;
}

static struct spot spot_of(struct estimator *e, struct cel_ast *n)
{
	const struct variable *v = variable_of(e, n);

	return v ? v->note.spot : note_of(e, n)->spot;
}

static struct spot of_schema(const struct cel_schema *s)
{
	return s && s->type ? (struct spot){ SPOT_SCHEMA, s } : (struct spot){ SPOT_LOST, NULL };
}

static struct spot property_of(const struct cel_schema *s, str name)
{
	const struct cel_property *p = cel_schema_escaped(s, name);

	return p && p->escaped.p && str_eq(p->escaped, name) ? of_schema(p->schema) : (struct spot){ SPOT_LOST, NULL };
}

/* Step down from @at: to "@items", "@values", "@keys", or the field of a name. */
static struct spot step(const struct estimator *e, struct spot at, str name)
{
	const struct cel_schema *s = at.schema;

	if (at.kind == SPOT_NONE)
		return (struct spot){ SPOT_SCHEMA, e->self };
	if (at.kind != SPOT_SCHEMA)
		return (struct spot){ SPOT_LOST, NULL };
	if (str_eq(name, STR("@items")) || str_eq(name, STR("@values")))
		return of_schema(s->items ? s->items : s->additional);
	if (str_eq(name, STR("@keys")))
		return (struct spot){ s->additional ? SPOT_KEY : SPOT_LOST, NULL };
	return property_of(s, name);
}

static bool spot_size(struct spot at, struct span *ret)
{
	if (at.kind == SPOT_SCHEMA)
		*ret = (struct span){ 0, at.schema->max_size };
	else if (at.kind == SPOT_KEY)
		*ret = fixed(0);
	else
		return false;
	return true;
}

static bool is_scalar(const struct cel_type *t)
{
	if (t->kind == CT_WRAPPER || cel_type_is_optional(t))
		return is_scalar(t->params[0]);
	return t->kind == CT_BOOL || t->kind == CT_INT || t->kind == CT_UINT || t->kind == CT_DOUBLE ||
	       t->kind == CT_TIMESTAMP || t->kind == CT_DURATION;
}

static bool written_size(const struct cel_ast *n, struct span *ret)
{
	if (n->kind == AST_LITERAL)
		*ret = fixed(cv_cost_size(n->value));
	else if (n->kind == AST_LIST)
		*ret = fixed(n->n_args);
	else if (n->kind == AST_MAP)
		*ret = fixed(n->n_args / 2);
	else
		return false;
	return true;
}

bool cel_size_of(struct estimator *e, struct cel_ast *n, struct span *ret)
{
	struct cel_note *note = note_of(e, n);
	const struct variable *v;

	if (note->sized) {
		*ret = note->size;
		return true;
	}
	if (written_size(n, ret))
		return true;
	if (spot_size(spot_of(e, n), ret)) {
		note->sized = true;
		note->size = *ret;
		return true;
	}
	if (is_scalar(n->type)) {
		*ret = fixed(1);
		return true;
	}
	v = variable_of(e, n);
	if (!v || !v->note.sized)
		return false;
	*ret = v->note.size;
	return true;
}

struct span cel_size_or_any(struct estimator *e, struct cel_ast *n)
{
	struct span size = { 0, UNBOUNDED };

	return cel_size_of(e, n, &size) ? size : (struct span){ 0, UNBOUNDED };
}

static const struct entries *entries_of(struct estimator *e, struct cel_ast *n)
{
	const struct cel_note *note = note_of(e, n);
	const struct variable *v = variable_of(e, n);

	if (note->holds)
		return &note->entries;
	return v && v->note.holds ? &v->note.entries : NULL;
}

static void set_entries(struct estimator *e, struct cel_ast *n, const struct entries *entries)
{
	struct cel_note *note = note_of(e, n);

	if (!entries)
		return;
	note->holds = true;
	note->entries = *entries;
}

static void set_size(struct estimator *e, struct cel_ast *n, bool sized, struct span size)
{
	struct cel_note *note = note_of(e, n);

	if (!sized)
		return;
	note->sized = true;
	note->size = size;
}

static void copy_sizes(struct estimator *e, struct cel_ast *to, struct cel_ast *from)
{
	struct span size = { 0, 0 };
	bool sized = cel_size_of(e, from, &size);

	set_size(e, to, sized, size);
	set_entries(e, to, entries_of(e, from));
}

void cel_hold_either(struct estimator *e, struct cel_ast *n, struct cel_ast *x, struct cel_ast *y)
{
	const struct entries *a = entries_of(e, x), *b = entries_of(e, y);

	if (a && b)
		set_entries(e, n, &(struct entries){ a->list, both(a->key, b->key), both(a->value, b->value) });
}

struct span cel_item_size(struct estimator *e, struct cel_ast *list)
{
	struct spot at = spot_of(e, list);
	struct span size = { 0, UNBOUNDED };

	if (at.kind != SPOT_NONE && !spot_size(step(e, at, STR("@items")), &size))
		size = (struct span){ 0, UNBOUNDED };
	return size;
}

/* ---- calls ---- */

/* Estimate an operator that decides which of its arguments is evaluated. */
static bool control_guess(struct estimator *e, const struct cel_overload *o, struct cel_ast *n,
			  const uint64_t *arg_costs, struct guess *ret)
{
	if (is_called(o, "_&&_") || is_called(o, "_||_")) {
		*ret = costs(cel_cost_add(arg_costs[0], arg_costs[1]));
		return true;
	}
	if (!is_called(o, "_?_:_"))
		return false;
	cel_hold_either(e, n, n->args[1], n->args[2]);
	*ret = makes(cel_cost_add(arg_costs[0], arg_costs[1] > arg_costs[2] ? arg_costs[1] : arg_costs[2]),
		     both(cel_size_or_any(e, n->args[1]), cel_size_or_any(e, n->args[2])));
	return true;
}

/* Note about an item of a list or map that it is where its schema says, and as large as those that were put in. */
static void note_item(struct estimator *e, const struct cel_overload *o, struct cel_ast *n, struct guess *g)
{
	bool list = strcmp(o->id, "index_list") == 0;
	const struct entries *entries;

	if (!list && strcmp(o->id, "index_map") != 0)
		return;
	entries = entries_of(e, n->args[0]);
	g->sized = entries != NULL;
	if (entries)
		g->size = entries->value;
	note_of(e, n)->spot = step(e, spot_of(e, n->args[0]), list ? STR("@items") : STR("@values"));
}

static uint64_t call_dyn(struct estimator *e, struct cel_ast *n)
{
	uint64_t c = cel_cost_add(cost(e, n->args[0]), 1);

	copy_sizes(e, n, n->args[0]);
	return c;
}

/* The cost of the most expensive of the overloads that the call may reach. */
static uint64_t call(struct estimator *e, struct cel_ast *n)
{
	uint64_t *arg_costs = arena_array(e->arena, n->n_args, sizeof(*arg_costs));
	uint64_t args_cost = 0, dearest = 0, target_cost = 0;
	struct guess result = { 0 };

	if (!arg_costs) {
		e->no_memory = true;
		return 0;
	}
	for (uint32_t i = 0; i < n->n_args; i++) {
		arg_costs[i] = cost(e, n->args[i]);
		args_cost = cel_cost_add(args_cost, arg_costs[i]);
	}
	if (n->target)
		target_cost = cost(e, n->target);
	for (uint32_t i = 0; i < n->n_overloads; i++) {
		const struct cel_overload *o = n->overloads[i];
		struct guess g;

		if (!control_guess(e, o, n, arg_costs, &g)) {
			g = cel_call_guess(e, o, n);
			g.cost = cel_cost_add(g.cost, args_cost);
		}
		dearest = g.cost > dearest ? g.cost : dearest;
		if (g.sized)
			result.size = result.sized ? both(result.size, g.size) : g.size;
		result.sized |= g.sized;
		note_item(e, o, n, &result);
		if (!result.sized)
			result.sized = cel_size_of(e, n, &result.size);
	}
	set_size(e, n, result.sized, result.size);
	return cel_cost_add(target_cost, dearest);
}

/* ---- the other forms ---- */

static uint64_t name(struct estimator *e, struct cel_ast *n)
{
	const struct variable *v = variable_of(e, n);

	note_of(e, n)->spot = v ? v->note.spot : (struct spot){ SPOT_SCHEMA, e->self };
	return 1;
}

static uint64_t select_field(struct estimator *e, struct cel_ast *n)
{
	uint64_t c;

	if (n->variable >= 0 || n->is_constant)
		return name(e, n);
	c = cost(e, n->target);
	if (n->test)
		return c;
	if (n->target->type->kind == CT_MAP || n->target->type->kind == CT_OBJECT || n->target->type->kind == CT_PARAM)
		c = cel_cost_add(c, 1);
	note_of(e, n)->spot = step(e, spot_of(e, n->target), n->name);
	return c;
}

static struct span widened(struct estimator *e, struct cel_ast *n, struct span so_far)
{
	return both(so_far, cel_size_or_any(e, n));
}

static uint64_t make_list(struct estimator *e, struct cel_ast *n)
{
	struct span item = { n->n_args ? UNBOUNDED : 0, 0 };
	uint64_t c = LIST_COST;

	for (uint32_t i = 0; i < n->n_args; i++) {
		c = cel_cost_add(c, cost(e, n->args[i]));
		item = widened(e, n->args[i], item);
	}
	set_entries(e, n, &(struct entries){ true, fixed(1), item });
	return c;
}

static uint64_t make_map(struct estimator *e, struct cel_ast *n)
{
	struct span key = { n->n_args ? UNBOUNDED : 0, 0 }, value = key;
	uint64_t c = MAP_COST;

	for (uint32_t i = 0; i + 1 < n->n_args; i += 2) {
		c = cel_cost_add(c, cel_cost_add(cost(e, n->args[i]), cost(e, n->args[i + 1])));
		key = widened(e, n->args[i], key);
		value = widened(e, n->args[i + 1], value);
	}
	set_entries(e, n, &(struct entries){ false, key, value });
	return c;
}

static uint64_t make_struct(struct estimator *e, struct cel_ast *n)
{
	uint64_t c = STRUCT_COST;

	for (uint32_t i = 0; i < n->n_args; i++)
		c = cel_cost_add(c, cost(e, n->args[i]));
	return c;
}

/* The variable @variable_name of a fold over @range: with @value it is an element of a list or a value of a map,
 * otherwise an index or a key. */
static struct variable of_range(struct estimator *e, str variable_name, struct cel_ast *range, bool value)
{
	const struct entries *entries = entries_of(e, range);
	bool list = entries ? entries->list : range->type->kind == CT_LIST;
	struct variable v = { .name = variable_name, .next = e->variables };
	str below = value ? (list ? STR("@items") : STR("@values")) : (list ? STR("@indices") : STR("@keys"));

	v.note.spot = step(e, spot_of(e, range), below);
	v.note.sized = entries != NULL;
	if (entries)
		v.note.size = value ? entries->value : entries->key;
	return v;
}

static struct variable bound_to(struct estimator *e, str variable_name, struct cel_ast *n)
{
	struct variable v = { .name = variable_name, .next = e->variables };
	const struct entries *entries = entries_of(e, n);

	v.note.spot = spot_of(e, n);
	v.note.sized = cel_size_of(e, n, &v.note.size);
	v.note.holds = entries != NULL;
	if (entries)
		v.note.entries = *entries;
	return v;
}

/* Whether the fold only names a value, and goes through nothing. */
static bool is_binding(const struct cel_fold *f)
{
	return f->range->kind == AST_LIST && f->range->n_args == 0 && f->condition->kind == AST_LITERAL &&
	       f->condition->value.kind == CV_BOOL && !f->condition->value.b;
}

static uint64_t binding(struct estimator *e, struct cel_ast *n)
{
	const struct variable *before = e->variables;
	uint64_t c = cel_cost_add(cost(e, n->fold->range), cost(e, n->fold->init));
	struct variable bound = bound_to(e, n->fold->accu, n->fold->init);

	e->variables = &bound;
	c = cel_cost_add(c, cost(e, n->fold->result));
	e->variables = before;
	copy_sizes(e, n, n->fold->result);
	return c;
}

/* The cost of one turn. */
static uint64_t turn(struct estimator *e, const struct cel_fold *f)
{
	const struct variable *before = e->variables;
	bool list = f->range->type->kind == CT_LIST;
	const struct entries *entries = entries_of(e, f->range);
	struct variable first, second;
	uint64_t c;

	if (entries)
		list = entries->list;
	first = of_range(e, f->iter, f->range, !f->iter2.p && list);
	e->variables = &first;
	if (f->iter2.p) {
		second = of_range(e, f->iter2, f->range, true);
		e->variables = &second;
	}
	c = cost(e, f->condition);
	c = cel_cost_add(c, cost(e, f->step));
	e->variables = before;
	return c;
}

static uint64_t fold(struct estimator *e, struct cel_ast *n)
{
	const struct variable *before = e->variables;
	struct cel_fold *f = n->fold;
	uint64_t c = cel_cost_add(cost(e, f->range), cost(e, f->init)), each;
	struct variable accu = bound_to(e, f->accu, f->init);
	struct span turns, size = { 0, 0 };

	e->variables = &accu;
	each = turn(e, f);
	c = cel_cost_add(c, cost(e, f->result));
	e->variables = before;
	turns = cel_size_or_any(e, f->range);
	if (f->init->kind == AST_LITERAL) {
		set_size(e, n, cel_size_of(e, f->init, &size), size);
	} else if (f->init->kind == AST_LIST || f->init->kind == AST_MAP) {
		set_size(e, n, true, turns);
		set_entries(e, n, entries_of(e, f->step));
	}
	return cel_cost_add(c, cel_cost_times(turns.max, each));
}

static uint64_t form_cost(struct estimator *e, struct cel_ast *n)
{
	switch ((enum cel_ast_kind)n->kind) {
	case AST_LITERAL:
		return 0;
	case AST_IDENT:
		return name(e, n);
	case AST_SELECT:
		return select_field(e, n);
	case AST_CALL:
		return str_eq(n->name, STR("dyn")) && n->n_args == 1 ? call_dyn(e, n) : call(e, n);
	case AST_LIST:
		return make_list(e, n);
	case AST_MAP:
		return make_map(e, n);
	case AST_STRUCT:
		return make_struct(e, n);
	case AST_COMPREHENSION:
		return is_binding(n->fold) ? binding(e, n) : fold(e, n);
	}
	return 0;
}

/* The cost of a node. A macro may have put a node, and all below it, into the tree twice: it is visited once. */
static uint64_t cost(struct estimator *e, struct cel_ast *n)
{
	struct cel_note *note = note_of(e, n);

	if (!note->counted) {
		note->cost = form_cost(e, n);
		note->counted = !e->no_memory;
	}
	return note->cost;
}

int cel_estimate(struct cel_ast *root, const struct cel_schema *self, struct arena *a, uint64_t *ret)
{
	struct estimator e = { .self = self, .arena = a };
	uint64_t c = cost(&e, root);

	if (e.no_memory)
		return -ENOMEM;
	*ret = c;
	return 0;
}
