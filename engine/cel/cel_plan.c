/* Makes nodes that evaluate from the checked tree. Chains of names, selections and indexes become one attribute;
 * constant parts are folded (as cel-go's optimizer does, because the cost of an expression depends on it); constant
 * patterns are compiled. */
#include "cel/cel_eval.h"

#include "text/re2.h"

#include <errno.h>
#include <stdio.h>

struct planner {
	struct cel_program *p;
	const struct cel_env *env;
	const struct limits *limits;
	struct cel_issues *issues;
	struct arena *arena;
};

static struct cel_node *plan(struct planner *p, struct cel_ast *n);

static struct cel_node *new_node(struct planner *p, enum cel_op op, uint32_t n_args)
{
	struct cel_node *node = arena_zalloc(p->arena, sizeof(*node));

	if (node && n_args)
		node->args = arena_array(p->arena, n_args, sizeof(*node->args));
	if (!node || (n_args && !node->args)) {
		p->issues->no_memory = true;
		return NULL;
	}
	node->op = (uint8_t)op;
	node->run = cel_general(op);
	node->n = n_args;
	return node;
}

static struct cel_node *constant(struct planner *p, cv value)
{
	struct cel_node *node = new_node(p, OP_CONST, 0);

	if (node)
		node->value = value;
	return node;
}

static struct cel_node *failing(struct planner *p, const char *what, str name)
{
	struct cel_node *node = new_node(p, OP_FAIL, 0);

	if (node)
		node->text = arena_printf(p->arena, "%s: %.*s", what, STR_ARG(name));
	return node;
}

static bool plan_args(struct planner *p, struct cel_node *node, struct cel_ast *const *args, uint32_t from)
{
	if (!node)
		return false;
	for (uint32_t i = from; i < node->n; i++) {
		node->args[i] = plan(p, args[i - from]);
		if (!node->args[i])
			return false;
	}
	return true;
}

static bool all_constant(const struct cel_node *node)
{
	for (uint32_t i = 0; i < node->n; i++) {
		if (node->args[i]->op != OP_CONST)
			return false;
	}
	return true;
}

/* The value of a node without variables; it stays valid as long as the program. */
static cv evaluate_now(struct planner *p, const struct cel_node *node)
{
	struct cel_ctx c = { .arena = p->arena,
			     .limits = p->limits,
			     .kubernetes = p->p->kubernetes,
			     .cost_limit = UINT64_MAX,
			     .watch_from = UINT64_MAX,
			     .work = { p->arena, 1000000 } };

	return cel_eval_node(&c, node);
}

/* ---- attributes ---- */

static bool is_attribute(const struct cel_ast *n)
{
	if (n->kind == AST_IDENT || n->variable >= 0)
		return !n->is_constant;
	if (n->kind == AST_SELECT)
		return true;
	return n->kind == AST_CALL && !n->target && n->n_args == 2 &&
	       (str_eq(n->name, STR("_[_]")) || str_eq(n->name, STR("_[?_]")) || str_eq(n->name, STR("_?._")));
}

static bool field_qualifier(struct planner *p, struct cel_qualifier *q, const struct cel_ast *operand, str name)
{
	const struct cel_type *t = operand->type;
	str plain;
	int r = cel_unescape(name, p->arena, &plain);

	q->raw = q->key = key_make(NULL, p->arena, name);
	if (r > 0)
		q->unescaped = key_make(NULL, p->arena, plain);
	if (r < 0 || !q->raw || (r > 0 && !q->unescaped)) {
		p->issues->no_memory = true;
		return false;
	}
	if (t && cel_type_is_optional(t))
		t = t->params[0];
	if (t && t->kind == CT_OBJECT && q->unescaped) {
		const struct cel_property *prop = cel_schema_property(t->schema, q->unescaped);

		if (prop) {
			q->hint = (struct cel_field_hint){ t->schema, prop->schema };
			q->unescaped = prop->name; /* the schema's own key, which is often that of the object */
		}
	}
	return true;
}

static bool index_qualifier(struct planner *p, struct cel_qualifier *q, struct cel_ast *index)
{
	q->index = plan(p, index);
	q->index_is_attribute = q->index && q->index->op == OP_ATTRIBUTE;
	if (q->index && q->index->op == OP_CONST && p->p->kubernetes) {
		cv v = q->index->value;

		if (!cv_is_qualifier(v)) {
			cel_issue_add(p->issues, index->at, "program instantiation failed: invalid qualifier type: %s",
				      cv_go_name(v));
			return false;
		}
	}
	if (q->index && q->index->op == OP_CONST && q->index->value.kind == CV_STRING) {
		q->key = key_make(NULL, p->arena, cv_str(q->index->value));
		if (!q->key)
			p->issues->no_memory = true;
		return q->key != NULL;
	}
	return q->index != NULL;
}

/* Add one more qualifier to the attribute that is @n's operand. */
static bool add_qualifier(struct planner *p, struct cel_ast *n, struct cel_qualifier *q)
{
	q->at = n->at;
	if (n->kind == AST_SELECT)
		return field_qualifier(p, q, n->target, n->name);
	q->optional = !str_eq(n->name, STR("_[_]"));
	if (str_eq(n->name, STR("_?._")))
		return field_qualifier(p, q, n->args[0], cv_str(n->args[1]->value));
	return index_qualifier(p, q, n->args[1]);
}

static struct cel_ast *operand_of(const struct cel_ast *n)
{
	return n->kind == AST_SELECT ? n->target : n->args[0];
}

static bool is_root(const struct cel_ast *n)
{
	return n->variable >= 0 || n->local >= 0 || !is_attribute(n) || n->kind == AST_IDENT ||
	       (n->kind == AST_SELECT && n->test);
}

static bool plan_root(struct planner *p, struct cel_node *node, struct cel_ast *root)
{
	struct cel_attribute *a = &node->attribute;

	a->slot = -1;
	if (root->variable >= 0) {
		a->slot = root->variable;
		if (root->variable < 64)
			p->p->used |= (uint64_t)1 << root->variable;
		a->name = p->env->variables[root->variable].name;
		a->name = arena_str(p->arena, a->name);
		return true;
	}
	if (root->local >= 0) {
		a->slot = (int32_t)p->env->n_variables + root->local;
		return true;
	}
	if (root->kind == AST_IDENT && !root->is_constant)
		a->operand = failing(p, "no such attribute(s)", root->name);
	else
		a->operand = plan(p, root);
	return a->operand != NULL;
}

static struct cel_node *plan_attribute(struct planner *p, struct cel_ast *n)
{
	struct cel_node *node = new_node(p, OP_ATTRIBUTE, 0);
	struct cel_qualifier *q;
	struct cel_ast *at = n;
	uint32_t count = 0;

	if (!node)
		return NULL;
	if (n->variable < 0 && n->kind == AST_SELECT && n->test) {
		node->attribute.test = true;
		count = 1;
		at = n->target;
	}
	for (; !is_root(at); at = operand_of(at))
		count++;
	q = arena_zalloc(p->arena, count * sizeof(*q));
	if (!q || !plan_root(p, node, at))
		return NULL;
	node->attribute.n = count;
	node->attribute.qualifiers = q;
	at = n;
	if (node->attribute.test) {
		if (!add_qualifier(p, n, &q[--count]))
			return NULL;
		at = n->target;
	}
	for (; !is_root(at); at = operand_of(at)) {
		if (!add_qualifier(p, at, &q[--count]))
			return NULL;
	}
	return node;
}

/* ---- calls ---- */

uint32_t cel_kind_mask(const struct cel_type *t)
{
	static const uint8_t kinds[] = {
		[CT_NULL] = CV_NULL,         [CT_BOOL] = CV_BOOL,
		[CT_INT] = CV_INT,           [CT_UINT] = CV_UINT,
		[CT_DOUBLE] = CV_DOUBLE,     [CT_STRING] = CV_STRING,
		[CT_BYTES] = CV_BYTES,       [CT_TIMESTAMP] = CV_TIMESTAMP,
		[CT_DURATION] = CV_DURATION, [CT_LIST] = CV_LIST,
		[CT_MAP] = CV_MAP,           [CT_TYPE] = CV_TYPE,
	};
	static const struct {
		const char *name;
		uint8_t kind;
	} opaque[] = {
		{ "optional_type", CV_OPTIONAL },
		{ "net.IP", CV_IP },
		{ "net.CIDR", CV_CIDR },
		{ "kubernetes.URL", CV_URL },
		{ "kubernetes.Quantity", CV_QUANTITY },
		{ "kubernetes.Semver", CV_SEMVER },
		{ "kubernetes.NamedFormat", CV_FORMAT },
	};

	_Static_assert(CV_KINDS <= 32, "a mask has a bit for each kind");
	if (t->kind == CT_OPAQUE) {
		for (size_t i = 0; i < ARRAY_LEN(opaque); i++) {
			if (str_eq(t->name, str_from(opaque[i].name)))
				return 1u << opaque[i].kind;
		}
	}
	if (t->kind < ARRAY_LEN(kinds) && kinds[t->kind])
		return 1u << kinds[t->kind];
	return ~0u;
}

static struct cel_candidate *plan_candidates(struct planner *p, const struct cel_ast *n)
{
	struct cel_candidate *list = arena_zalloc(p->arena, (n->n_overloads + 1) * sizeof(*list));

	for (uint32_t i = 0; list && i < n->n_overloads; i++) {
		const char *at = n->overloads[i]->types;

		list[i].overload = n->overloads[i];
		for (uint32_t k = 0; at && *at != ':' && k < ARRAY_LEN(list[i].masks); k++) {
			const struct cel_type *t = cel_type_read(p->arena, &at);

			list[i].masks[k] = t ? cel_kind_mask(t) : ~0u;
		}
	}
	if (!list)
		p->issues->no_memory = true;
	return list;
}

static bool is_pattern_call(const struct cel_ast *n)
{
	return n->n_overloads &&
	       (str_eq(n->name, STR("matches")) || str_eq(n->name, STR("find")) || str_eq(n->name, STR("findAll")));
}

static bool compile_pattern(struct planner *p, struct cel_node *node)
{
	struct re2 *re = NULL;
	struct err err;
	int r;

	if (node->n < 2 || node->args[1]->op != OP_CONST || node->args[1]->value.kind != CV_STRING)
		return true;
	r = re2_compile(cv_str(node->args[1]->value), p->limits, &re, NULL, &err);
	if (r == -ENOMEM) {
		p->issues->no_memory = true;
		return false;
	}
	if (r < 0) {
		if (p->p->kubernetes)
			cel_issue_add(p->issues, 0, "program instantiation failed: %s", err.msg);
		return !p->p->kubernetes;
	}
	if (!vec_push(&p->p->patterns, re)) {
		re2_free(re);
		p->issues->no_memory = true;
		return false;
	}
	node->call.pattern = re;
	return true;
}

/* Whether @name is one of bool(), int(), …, which are folded for a constant. */
static bool is_conversion(str name)
{
	static const char *const names[] = { "bool", "bytes",  "double",    "duration", "dyn",
					     "int",  "string", "timestamp", "type",     "uint" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(name, str_from(names[i])))
			return true;
	}
	return false;
}

static struct cel_node *fold_conversion(struct planner *p, struct cel_node *node)
{
	cv v = evaluate_now(p, node);

	if (!cv_is_error(v))
		return constant(p, v);
	if (v.err->memory) {
		p->issues->no_memory = true;
		return NULL;
	}
	if (!p->p->kubernetes)
		return node;
	cel_issue_add(p->issues, 0, "program instantiation failed: %.*s", STR_ARG(v.err->text));
	return NULL;
}

static struct cel_node *plan_call(struct planner *p, const struct cel_ast *n)
{
	uint32_t extra = n->target != NULL;
	struct cel_node *node = new_node(p, OP_CALL, n->n_args + extra);

	if (!node)
		return NULL;
	if (extra) {
		node->args[0] = plan(p, n->target);
		if (!node->args[0])
			return NULL;
	}
	if (!plan_args(p, node, n->args, extra))
		return NULL;
	node->call.n_candidates = n->n_overloads;
	node->call.candidates = plan_candidates(p, n);
	if (!node->call.candidates || (is_pattern_call(n) && !compile_pattern(p, node)))
		return NULL;
	if (n->n_overloads == 0)
		return failing(p, "no such overload", n->name);
	if (node->n == 1 && node->args[0]->op == OP_CONST && is_conversion(n->name))
		return fold_conversion(p, node);
	return node;
}

/* Plan x in [constants]. */
static struct cel_node *plan_in(struct planner *p, const struct cel_ast *n)
{
	struct cel_node *node = plan_call(p, n);
	struct cv_map *set;
	cv list;

	if (!node || node->op != OP_CALL || node->args[1]->op != OP_CONST || n->n_overloads != 1)
		return node;
	list = node->args[1]->value;
	if (list.kind != CV_LIST)
		return node;
	if (list.n == 0)
		return constant(p, cv_bool(false));
	set = cv_map_new(p->arena, list.n);
	for (uint32_t i = 0; set && i < list.n; i++) {
		cv k = list.items[i];

		if (!cv_is_qualifier(k))
			return node;   /* such items are compared one by one */
		(void)cv_whole(k, &k); /* 1, 1u and 1.0 are the same item, although they are three keys */
		if (cv_map_put(p->arena, set, k, k) < 0)
			set = NULL;
	}
	if (!set) {
		p->issues->no_memory = true;
		return NULL;
	}
	node->op = OP_IN_SET;
	node->set = set;
	return node;
}

static struct cel_node *plan_operator(struct planner *p, const struct cel_ast *n)
{
	static const struct {
		const char *name;
		uint8_t op;
	} operators[] = {
		{ "_==_", OP_EQUAL },
		{ "_!=_", OP_NOT_EQUAL },
		{ "_&&_", OP_AND },
		{ "_||_", OP_OR },
		{ "_?_:_", OP_CONDITION },
		{ "@not_strictly_false", OP_FALSY },
		{ "cel.@mapInsert", OP_INSERT },
	};

	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		struct cel_node *node;

		if (!str_eq(n->name, str_from(operators[i].name)))
			continue;
		node = new_node(p, operators[i].op, n->n_args);
		if (!plan_args(p, node, n->args, 0))
			return NULL;
		if (node->op == OP_CONDITION) {
			for (uint32_t k = 1; k < 3; k++)
				((struct cel_node *)(uintptr_t)node->args[k])->direct =
					node->args[k]->op == OP_ATTRIBUTE;
		}
		return node;
	}
	return NULL;
}

static struct cel_node *plan_optional_or(struct planner *p, const struct cel_ast *n)
{
	bool value = str_eq(n->name, STR("orValue"));
	struct cel_node *node;

	if (!n->target || n->n_args != 1 || (!value && !str_eq(n->name, STR("or"))))
		return NULL;
	node = new_node(p, value ? OP_OPT_VALUE : OP_OPT_OR, 2);
	if (!node)
		return NULL;
	node->args[0] = plan(p, n->target);
	node->args[1] = plan(p, n->args[0]);
	return node->args[0] && node->args[1] ? node : NULL;
}

static struct cel_node *plan_any_call(struct planner *p, struct cel_ast *n)
{
	struct cel_node *node;

	if (is_attribute(n))
		return plan_attribute(p, n);
	node = plan_operator(p, n);
	if (!node)
		node = plan_optional_or(p, n);
	if (node || p->issues->no_memory || p->issues->n)
		return node;
	return str_eq(n->name, STR("@in")) ? plan_in(p, n) : plan_call(p, n);
}

/* ---- literals and comprehensions ---- */

static struct cel_node *plan_aggregate(struct planner *p, const struct cel_ast *n, enum cel_op op)
{
	struct cel_node *node = new_node(p, op, n->n_args);

	if (!plan_args(p, node, n->args, 0))
		return NULL;
	node->make.message = n->message;
	if (n->optional) {
		uint32_t marks = op == OP_MAP ? n->n_args / 2 : n->n_args;
		bool *copy = arena_alloc(p->arena, marks);

		if (!copy) {
			p->issues->no_memory = true;
			return NULL;
		}
		memcpy(copy, n->optional, marks);
		node->make.optional = copy;
	}
	if (op == OP_STRUCT) {
		str *fields = arena_array(p->arena, n->n_args, sizeof(str));

		for (uint32_t i = 0; fields && i < n->n_args; i++)
			fields[i] = arena_str(p->arena, n->fields[i].name);
		node->make.fields = fields;
	}
	if (op != OP_STRUCT && !n->optional && all_constant(node)) {
		cv v = evaluate_now(p, node);

		if (!cv_is_error(v))
			return constant(p, v);
	}
	return node;
}

static bool is_accu(const struct cel_ast *n, const struct cel_fold *f)
{
	return n->kind == AST_IDENT && str_eq(n->name, f->accu);
}

/* Whether the step adds to the accu as map() and transformMap() do. Then it may be done in place: no one else sees
 * it. */
static bool builds(const struct cel_ast *step, const struct cel_fold *f)
{
	if (!str_eq(f->accu, STR("@result")))
		return false;
	if (step->kind != AST_CALL)
		return false;
	if (str_eq(step->name, STR("_?_:_")))
		return builds(step->args[1], f);
	if (str_eq(step->name, STR("cel.@mapInsert")))
		return is_accu(step->args[0], f);
	return str_eq(step->name, STR("_+_")) && is_accu(step->args[0], f) && step->args[1]->kind == AST_LIST &&
	       step->args[1]->n_args == 1 && !step->args[1]->optional && f->init->kind == AST_LIST;
}

static struct cel_node *plan_append(struct planner *p, const struct cel_ast *n)
{
	struct cel_node *node = new_node(p, OP_APPEND, 2);

	if (!node)
		return NULL;
	node->args[0] = plan(p, n->args[0]);
	node->args[1] = plan(p, n->args[1]->args[0]);
	return node->args[0] && node->args[1] ? node : NULL;
}

/* The step of a fold that builds a list: accu + [x], or filter ? accu + [x] : accu. */
static struct cel_node *plan_list_step(struct planner *p, struct cel_ast *step)
{
	struct cel_node *node;

	if (str_eq(step->name, STR("_+_")))
		return plan_append(p, step);
	node = new_node(p, OP_CONDITION, 3);
	if (!node)
		return NULL;
	node->args[0] = plan(p, step->args[0]);
	node->args[1] = plan_append(p, step->args[1]);
	node->args[2] = plan(p, step->args[2]);
	if (!node->args[0] || !node->args[1] || !node->args[2])
		return NULL;
	((struct cel_node *)(uintptr_t)node->args[2])->direct = node->args[2]->op == OP_ATTRIBUTE;
	return node;
}

static bool is_accu_node(const struct cel_node *n, uint32_t slot)
{
	return n->op == OP_ATTRIBUTE && n->attribute.n == 0 && !n->attribute.test && !n->direct &&
	       n->attribute.slot == (int32_t)slot;
}

static bool is_not_accu_node(const struct cel_node *n, uint32_t slot)
{
	return n->op == OP_CALL && n->n == 1 && n->call.n_candidates == 1 &&
	       strcmp(n->call.candidates[0].overload->id, "logical_not") == 0 && is_accu_node(n->args[0], slot);
}

/* all(): @not_strictly_false(accu), accu && p. exists(): @not_strictly_false(!accu), accu || p. */
static enum cel_fold_kind fold_kind(const struct cel_fold_node *f)
{
	const struct cel_node *going = f->condition, *step = f->step;

	if (going->op != OP_FALSY || (step->op != OP_AND && step->op != OP_OR) || !is_accu_node(step->args[0], f->slot))
		return FOLD_ANY;
	if (step->op == OP_AND && is_accu_node(going->args[0], f->slot))
		return FOLD_ALL;
	if (step->op == OP_OR && is_not_accu_node(going->args[0], f->slot))
		return FOLD_EXISTS;
	return FOLD_ANY;
}

static struct cel_node *plan_fold(struct planner *p, struct cel_ast *n)
{
	struct cel_fold_node *f = arena_zalloc(p->arena, sizeof(*f));
	struct cel_node *node = new_node(p, OP_FOLD, 0);

	if (!f || !node)
		return NULL;
	f->slot = p->env->n_variables + n->slots;
	f->two = n->fold->iter2.p != NULL;
	f->builds = builds(n->fold->step, n->fold);
	f->range = plan(p, n->fold->range);
	f->init = plan(p, n->fold->init);
	f->condition = plan(p, n->fold->condition);
	f->step = f->builds && n->fold->init->kind == AST_LIST ? plan_list_step(p, n->fold->step)
							       : plan(p, n->fold->step);
	f->result = plan(p, n->fold->result);
	if (!f->range || !f->init || !f->condition || !f->step || !f->result)
		return NULL;
	f->quick = (uint8_t)fold_kind(f);
	node->fold = f;
	return node;
}

static cv copy_literal(struct planner *p, cv v)
{
	if (v.kind == CV_STRING || v.kind == CV_BYTES || v.kind == CV_TYPE) {
		str s = arena_str(p->arena, cv_str(v));

		if (!s.p)
			p->issues->no_memory = true;
		v.s = s.p;
	}
	return v;
}

static struct cel_node *plan_kind(struct planner *p, struct cel_ast *n)
{
	if (n->is_constant)
		return constant(p, copy_literal(p, n->value));
	switch (n->kind) {
	case AST_LITERAL:
		return constant(p, copy_literal(p, n->value));
	case AST_IDENT:
	case AST_SELECT:
		return plan_attribute(p, n);
	case AST_CALL:
		return plan_any_call(p, n);
	case AST_LIST:
		return plan_aggregate(p, n, OP_LIST);
	case AST_MAP:
		return plan_aggregate(p, n, OP_MAP);
	case AST_STRUCT:
		return plan_aggregate(p, n, OP_STRUCT);
	default:
		return plan_fold(p, n);
	}
}

static struct cel_node *place(struct cel_node *node, const struct cel_ast *n)
{
	if (node) {
		node->run = cel_form(node);
		node->placed = true;
		node->at = n->at;
	}
	return node;
}

static struct cel_node *plan(struct planner *p, struct cel_ast *n)
{
	if (!n->node)
		n->node = place(plan_kind(p, n), n);
	if (!n->node && p->issues->n == 0)
		p->issues->no_memory = true;
	return n->node;
}

bool cel_plan(struct cel_program *prog, struct cel_ast *root, const struct cel_env *env, const struct limits *lim,
	      struct cel_issues *is)
{
	struct planner p = { prog, env, lim, is, &prog->arena };

	prog->root = plan(&p, root);
	return prog->root != NULL && is->n == 0 && !is->no_memory;
}
