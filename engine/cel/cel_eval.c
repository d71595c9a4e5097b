/* Evaluation: a walk over the nodes. Errors are values; the cost is counted as the nodes are left.
 *   CEL langdef, Evaluation; cel-go interpreter/ (for what is evaluated when, which the cost depends on) */
#include "cel/cel_eval.h"

#include "base/assert.h"

#include <errno.h>

/* Give the error @v the place @at in the source, unless it has one. */
static cv placed(struct cel_ctx *c, cv v, uint32_t at)
{
	struct cel_error *e;

	if (!c->places || !v.err || v.err->placed)
		return v;
	e = arena_alloc(c->arena, sizeof(*e));
	if (!e)
		return v;
	*e = *v.err;
	e->placed = true;
	e->at = at;
	return cv_error(e);
}

/* ---- attributes ---- */

static cv missing(struct cel_ctx *c, const struct cel_qualifier *q, cv index, bool list)
{
	str name = q->raw ? key_str(q->raw) : cv_str(index);

	if (list && (index.kind == CV_INT || index.kind == CV_UINT))
		return cel_fail(c, "index out of bounds: %lld", (long long)index.i);
	if (q->raw || index.kind == CV_STRING)
		return cel_fail(c, "no such key: %.*s", STR_ARG(name));
	index = cel_to_string(c, index);
	return cv_is_error(index) ? cel_fail(c, "no such key")
				  : cel_fail(c, "no such key: %.*s", STR_ARG(cv_str(index)));
}

/* The number of the list item that @index means: an integer, or a double that equals one. */
static bool list_index(cv index, int64_t *ret)
{
	if (index.kind == CV_INT)
		*ret = index.i;
	else if (index.kind == CV_UINT && index.u <= INT64_MAX)
		*ret = (int64_t)index.u;
	else if (index.kind == CV_DOUBLE && index.d >= -9e15 && index.d <= 9e15 && (double)(int64_t)index.d == index.d)
		*ret = (int64_t)index.d;
	else
		return false;
	return true;
}

/* Step to a part: 1 with *value; 0 when there is no such part; -1 with an error in *value. */
static int qualify_index(struct cel_ctx *c, cv on, cv index, cv *value)
{
	int64_t i;

	if (on.kind != CV_MAP && on.kind != CV_LIST)
		return 0;
	if (!cv_is_qualifier(index)) {
		*value = cel_fail(c, "invalid qualifier type: %s", cv_go_name(index));
		return -1;
	}
	if (on.kind == CV_MAP)
		return cv_map_find(c->arena, on, index, value);
	if (!list_index(index, &i)) {
		*value = cel_fail(c, "unsupported index type '%.*s' in list", STR_ARG(cv_type_name(index)));
		return -1;
	}
	if (i < 0 || i >= (int64_t)cv_count(on))
		return 0;
	*value = cv_item(c->arena, on, (uint32_t)i);
	return 1;
}

static int qualify(struct cel_ctx *c, cv on, const struct cel_qualifier *q, cv *index, cv *value)
{
	if (on.kind == CV_OPTIONAL) { /* an optional inside a list or map */
		if (!on.ref)
			return 0;
		on = *on.ref;
	}
	if (q->raw) {
		if (on.kind == CV_MAP)
			return cv_field(c->arena, on, q->raw, q->unescaped, q->hint, value);
		if (on.kind == CV_LIST) {
			*value = cel_fail(c, "unsupported index type 'string' in list");
			return -1;
		}
		return 0;
	}
	*index = cel_eval_node(c, q->index);
	if (cv_is_error(*index)) {
		*value = *index;
		return -1;
	}
	return qualify_index(c, on, *index, value);
}

static cv attribute_root(struct cel_ctx *c, const struct cel_attribute *a)
{
	cv v;

	if (a->slot < 0)
		return cel_eval_node(c, a->operand);
	v = c->slots[a->slot];
	if (v.kind == CV_ERROR && !v.err)
		return cel_fail(c, "no such attribute(s): %.*s", STR_ARG(a->name));
	return v;
}

static cv optional_result(struct cel_ctx *c, cv v, bool optional)
{
	if (!optional || v.kind == CV_OPTIONAL)
		return v;
	return cv_some(c->arena, v);
}

cv cel_eval_attribute(struct cel_ctx *c, const struct cel_node *node)
{
	const struct cel_attribute *a = &node->attribute;
	cv v = attribute_root(c, a);
	bool optional = false;

	if (!a->test && !node->direct)
		c->cost++;
	if (cv_is_error(v) || a->n == 0)
		return v;
	if (v.kind == CV_OPTIONAL) {
		optional = true;
		if (!v.ref)
			return a->test ? cv_bool(false) : v;
		v = *v.ref;
	}
	for (uint32_t i = 0; i < a->n; i++) {
		const struct cel_qualifier *q = &a->qualifiers[i];
		bool last_test = a->test && i + 1 == a->n;
		cv next = { 0 }, index = { 0 };
		int found;

		optional |= q->optional;
		found = qualify(c, v, q, &index, &next);
		if (!q->index_is_attribute && (found || !optional || last_test))
			c->cost++;
		if (found < 0)
			return placed(c, next, q->at);
		if (last_test)
			return found && cv_is_error(next) ? placed(c, next, q->at) : cv_bool(found);
		if (!found) {
			bool whole = v.kind == CV_MAP || v.kind == CV_LIST || v.kind == CV_OPTIONAL;

			if (a->test && (optional || v.kind == CV_OPTIONAL))
				return cv_bool(false);
			if (optional && (whole || q->optional || c->kubernetes))
				return cv_none();
			return placed(c, missing(c, q, index, v.kind == CV_LIST), q->at);
		}
		if (cv_is_error(next))
			return placed(c, next, q->at);
		v = next;
	}
	return optional_result(c, v, optional);
}

/* ---- logic ---- */

/* Evaluate && or ||. The right side may be evaluated even after an error on the left, because false && error is
 * false, in either order. */
static inline cv eval_logic(struct cel_ctx *c, const struct cel_node *node, bool decisive)
{
	cv x = cel_eval_node(c, node->args[0]), y;

	if ((x.kind == CV_BOOL && x.b == decisive) || cel_is_fatal(x) || cel_out_of_cost(c))
		return x;
	y = cel_eval_node(c, node->args[1]);
	if ((y.kind == CV_BOOL && y.b == decisive) || cel_is_fatal(y))
		return y;
	if (x.kind == CV_BOOL && y.kind == CV_BOOL)
		return y;
	if (cv_is_error(x))
		return x;
	if (cv_is_error(y))
		return y;
	return cv_no_overload();
}

static cv eval_and(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_logic(c, node, false);
}

static cv eval_or(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_logic(c, node, true);
}

static cv eval_condition(struct cel_ctx *c, const struct cel_node *node)
{
	cv v = cel_eval_node(c, node->args[0]);

	if (cv_is_error(v))
		return v;
	if (v.kind != CV_BOOL)
		return cv_no_overload();
	return cel_eval_node(c, node->args[v.b ? 1 : 2]);
}

static inline cv eval_equality(struct cel_ctx *c, const struct cel_node *node, bool negate)
{
	cv x = cel_eval_node(c, node->args[0]), y = cel_eval_node(c, node->args[1]), r;

	c->cost += cel_equality_cost(x, y);
	r = cv_equal(&c->work, x, y);
	if (!negate || cv_is_error(x) || cv_is_error(y) || cel_is_fatal(r))
		return r;
	return cv_bool(!cv_is_true(r)); /* values that cannot be compared are not equal */
}

static cv eval_equal(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_equality(c, node, false);
}

static cv eval_not_equal(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_equality(c, node, true);
}

static cv eval_falsy(struct cel_ctx *c, const struct cel_node *node)
{
	cv v = cel_eval_node(c, node->args[0]);

	c->cost++;
	return cel_is_fatal(v) ? v : cv_bool(cv_is_error(v) || cv_is_true(v));
}

/* ---- calls ---- */

static const struct cel_overload *dispatch(const struct cel_call *call, const cv *args, uint32_t n)
{
	for (uint32_t i = 0; i < call->n_candidates; i++) {
		const struct cel_candidate *k = &call->candidates[i];
		bool good = k->overload->fn != NULL;

		for (uint32_t a = 0; good && a < n && a < ARRAY_LEN(k->masks); a++)
			good = k->masks[a] >> args[a].kind & 1;
		if (good)
			return k->overload;
	}
	return NULL;
}

#define KIND(k) (1u << (k))
#define WHOLE (KIND(CV_INT) | KIND(CV_UINT))
#define NUMBERS (WHOLE | KIND(CV_DOUBLE))
#define TIMES (KIND(CV_TIMESTAMP) | KIND(CV_DURATION))
#define TEXTS (KIND(CV_STRING) | KIND(CV_BYTES))
#define ORDERED (NUMBERS | TIMES | TEXTS | KIND(CV_BOOL))

/* The kinds of a first argument on which the original calls the function itself, so that the error does not name it;
 * for other kinds it does. Texts and times accept every function. */
static const struct {
	const char *name;
	uint32_t asked;
} asking[] = {
	{ "_+_", NUMBERS | TIMES | TEXTS | KIND(CV_LIST) },
	{ "_-_", NUMBERS | TIMES | KIND(CV_STRING) },
	{ "_*_", NUMBERS | TIMES | KIND(CV_STRING) },
	{ "_/_", NUMBERS | TIMES | KIND(CV_STRING) },
	{ "_%_", WHOLE | TIMES | KIND(CV_STRING) },
	{ "_<_", ORDERED },
	{ "_<=_", ORDERED },
	{ "_>_", ORDERED },
	{ "_>=_", ORDERED },
	{ "-_", KIND(CV_INT) | KIND(CV_DOUBLE) | KIND(CV_BOOL) | TIMES | KIND(CV_STRING) },
	{ "!_", ~0u },
	{ "@in", ~0u },
	{ "contains", ~0u },
	{ "startsWith", ~0u },
	{ "endsWith", ~0u },
	{ "matches", ~0u },
	{ "size", TEXTS | TIMES },
};

static cv missing_overload(struct cel_ctx *c, const struct cel_node *node, const cv *args, uint32_t n)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1024);
	const char *name = node->call.n_candidates ? node->call.candidates[0].overload->name : NULL;

	if (!name || !c->kubernetes)
		return cv_no_overload();
	for (size_t i = 0; i < ARRAY_LEN(asking); i++) {
		if (strcmp(asking[i].name, name) == 0)
			return asking[i].asked >> args[0].kind & 1 ? cv_no_overload()
								   : cel_fail(c, "no such overload: %s", name);
	}
	for (uint32_t i = 0; i < n; i++) {
		buf_add_cstr(&b, i ? ", " : "");
		buf_add_str(&b, cv_type_name(args[i]));
	}
	return cel_fail(c, "no such overload: %s(%.*s)", name, STR_ARG(buf_str(&b)));
}

#define CALL_ARGS 8

cv cel_apply(struct cel_ctx *c, const struct cel_node *node, const cv *args, uint32_t n)
{
	const struct cel_overload *o;
	uint64_t weight = 0;
	cv result;

	for (uint32_t i = 0; i < n; i++) {
		if (cv_is_error(args[i])) {
			if (node->call.n_candidates)
				c->cost += cel_call_cost(c, node->call.candidates[0].overload,
							 node->call.n_candidates == 1, args, n, args[i]);
			return args[i];
		}
		weight += args[i].kind == CV_STRING || args[i].kind == CV_BYTES ? args[i].n / 16 : 0;
	}
	o = dispatch(&node->call, args, n);
	if (!o) {
		c->cost++;
		return missing_overload(c, node, args, n);
	}
	if (c->work.left <= weight)
		return cv_error(&cel_error_cost);
	c->work.left -= weight;
	c->pattern = node->call.pattern;
	result = o->fn(c, args, n);
	c->cost += cel_call_cost(c, o, node->call.n_candidates == 1, args, n, result);
	return result;
}

static cv eval_call(struct cel_ctx *c, const struct cel_node *node)
{
	cv args[CALL_ARGS], error = { .kind = CV_NULL };
	uint32_t n = node->n < CALL_ARGS ? node->n : CALL_ARGS;

	for (uint32_t i = 0; i < n; i++) {
		args[i] = cel_eval_node(c, node->args[i]);
		if (cv_is_error(args[i]) && !cv_is_error(error))
			error = args[i];
		if (cv_is_error(error) && n > 2)
			/* the original does not evaluate the rest either, and does not charge the call */
			return error;
	}
	return cel_apply(c, node, args, n);
}

static cv eval_in_set(struct cel_ctx *c, const struct cel_node *node)
{
	cv v = cel_eval_node(c, node->args[0]), found;

	if (cv_is_error(v))
		return v;
	if (!cv_is_qualifier(v))
		return cv_bool(false);
	(void)cv_whole(v, &v);
	return cv_bool(cv_map_find(c->arena, cv_from_map(node->set), v, &found) > 0);
}

/* Evaluate x.or(y) or x.orValue(y): y is only evaluated when it is needed. */
static inline cv eval_optional(struct cel_ctx *c, const struct cel_node *node, bool value)
{
	cv v = cel_eval_node(c, node->args[0]);

	if (cv_is_error(v))
		return v;
	if (v.kind != CV_OPTIONAL)
		return cv_no_overload();
	if (v.ref)
		return value ? *v.ref : v;
	v = cel_eval_node(c, node->args[1]);
	if (!value && !cv_is_error(v) && v.kind != CV_OPTIONAL)
		return cv_no_overload();
	return v;
}

static cv eval_opt_or(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_optional(c, node, false);
}

static cv eval_opt_value(struct cel_ctx *c, const struct cel_node *node)
{
	return eval_optional(c, node, true);
}

/* ---- literals ---- */

#define MAP_COST 30
#define STRUCT_COST 40

/* The contribution of an element marked "?": 1 with *v the value; 0: nothing; -1 with the error in *v. */
static int optional_element(cv *v)
{
	if (v->kind != CV_OPTIONAL) {
		*v = cv_no_overload();
		return -1;
	}
	if (!v->ref)
		return 0;
	*v = *v->ref;
	return 1;
}

static cv eval_list(struct cel_ctx *c, const struct cel_node *node)
{
	cv *items = cel_list_new(c, node->n);
	uint32_t n = 0;

	if (!items)
		return cel_nomem(c);
	for (uint32_t i = 0; i < node->n; i++) {
		cv v = cel_eval_node(c, node->args[i]);
		int add = 1;

		if (cv_is_error(v))
			return v;
		if (node->make.optional && node->make.optional[i])
			add = optional_element(&v);
		if (add < 0)
			return v;
		if (add)
			items[n++] = v;
	}
	c->cost += CEL_LIST_COST;
	return cv_list(items, n);
}

static cv repeated_key(struct cel_ctx *c, cv key)
{
	cv text = cel_to_string(c, key);

	return cv_is_error(text) ? cel_fail(c, "Failed with repeated key")
				 : cel_fail(c, "Failed with repeated key: %.*s", STR_ARG(cv_str(text)));
}

cv cel_put_entry(struct cel_ctx *c, struct cv_map *m, cv key, cv value)
{
	bool plain = key.kind == CV_STRING || key.kind == CV_INT || key.kind == CV_UINT || key.kind == CV_BOOL;
	cv old;
	int r;

	if (!plain && !c->kubernetes)
		return cel_fail(c, "unsupported key type: %.*s", STR_ARG(cv_type_name(key)));
	if (!cv_may_be_key(key))
		return cv_unhashable(c->arena, key);
	if (!c->kubernetes && cv_map_find(c->arena, cv_from_map(m), key, &old) > 0)
		return cv_bool(false); /* there, 1 and 1u are a repetition */
	r = cv_map_put(c->arena, m, key, value);
	return r < 0 ? cel_nomem(c) : cv_bool(r > 0);
}

static cv eval_map(struct cel_ctx *c, const struct cel_node *node)
{
	struct cv_map *m = cv_map_new(c->arena, node->n / 2);

	if (!m)
		return cel_nomem(c);
	for (uint32_t i = 0; i + 1 < node->n; i += 2) {
		cv key = cel_eval_node(c, node->args[i]), v, put;
		int add = 1;

		if (cv_is_error(key))
			return key;
		v = cel_eval_node(c, node->args[i + 1]);
		if (cv_is_error(v))
			return v;
		if (node->make.optional && node->make.optional[i / 2])
			add = optional_element(&v);
		if (add < 0)
			return v;
		if (!add)
			continue;
		put = cel_put_entry(c, m, key, v);
		if (cv_is_error(put))
			return put;
		if (!put.b && !c->kubernetes)
			return repeated_key(c, key);
		if (!put.b)
			cv_map_replace(c->arena, m, key, v);
	}
	c->cost += MAP_COST;
	return cv_from_map(m);
}

static cv eval_struct(struct cel_ctx *c, const struct cel_node *node)
{
	cv values[8];
	str fields[8];
	uint32_t n = 0;

	for (uint32_t i = 0; i < node->n && i < ARRAY_LEN(values); i++) {
		cv v = cel_eval_node(c, node->args[i]);
		int add = 1;

		if (cv_is_error(v))
			return v;
		if (node->make.optional && node->make.optional[i])
			add = optional_element(&v);
		if (add < 0)
			return v;
		if (add) {
			fields[n] = node->make.fields[i];
			values[n++] = v;
		}
	}
	c->cost += STRUCT_COST;
	return cel_wkt_make(c->arena, node->make.message, fields, values, n);
}

/* ---- dispatch ---- */

static cv eval_const(struct cel_ctx *c, const struct cel_node *n)
{
	(void)c;
	return n->value;
}

static cv eval_fail(struct cel_ctx *c, const struct cel_node *n)
{
	return cel_fail(c, "%.*s", STR_ARG(n->text));
}

cel_eval_fn cel_general(enum cel_op op)
{
	static const cel_eval_fn general[] = {
		[OP_CONST] = eval_const,
		[OP_ATTRIBUTE] = cel_eval_attribute,
		[OP_CALL] = eval_call,
		[OP_EQUAL] = eval_equal,
		[OP_NOT_EQUAL] = eval_not_equal,
		[OP_AND] = eval_and,
		[OP_OR] = eval_or,
		[OP_CONDITION] = eval_condition,
		[OP_FALSY] = eval_falsy,
		[OP_LIST] = eval_list,
		[OP_MAP] = eval_map,
		[OP_STRUCT] = eval_struct,
		[OP_FOLD] = cel_eval_fold,
		[OP_IN_SET] = eval_in_set,
		[OP_APPEND] = cel_eval_append,
		[OP_INSERT] = cel_eval_insert,
		[OP_OPT_OR] = eval_opt_or,
		[OP_OPT_VALUE] = eval_opt_value,
		[OP_FAIL] = eval_fail,
	};

	_Static_assert(ARRAY_LEN(general) == OP_COUNT, "ORDER cel_op");
	ASSERT(op < OP_COUNT);
	return general[op];
}

cv cel_eval_watched(struct cel_ctx *c, const struct cel_node *n)
{
	cv v;

	if (cel_out_of_cost(c))
		return cv_error(&cel_error_cost);
	v = cel_general((enum cel_op)n->op)(c, n);
	return cv_is_error(v) && n->placed ? placed(c, v, n->at) : v;
}

#define SLOTS_INLINE 32
#define WORK_LIMIT 20000000

int cel_evaluate(const struct cel_program *p, const cv *variables, struct cel_run *run, cv *ret, struct err *err)
{
	cv inline_slots[SLOTS_INLINE], v;
	struct cel_ctx c = { .arena = run->arena,
			     .limits = run->limits,
			     .zones = run->zones,
			     .kubernetes = p->kubernetes,
			     .cost_limit = run->cost_limit || run->free_of_charge ? run->cost_limit : CEL_CALL_COST,
			     .places = run->places,
			     .slots = inline_slots,
			     .work = { run->arena, WORK_LIMIT } };

	if (p->n_slots > SLOTS_INLINE) {
		c.slots = arena_array(run->arena, p->n_slots, sizeof(cv));
		if (!c.slots)
			return err_nomem(err);
	}
	ASSERT(p->n_variables <= p->n_slots);
	c.watch_from = c.places ? 0 : c.cost_limit + (c.cost_limit != UINT64_MAX);
	for (uint32_t i = 0; i < p->n_variables; i++)
		c.slots[i] = variables[i];
	v = cel_eval_node(&c, p->root);
	if (c.cost > c.cost_limit)
		v = cv_error(&cel_error_cost);
	run->cost = c.cost;
	*ret = v;
	return 0;
}
