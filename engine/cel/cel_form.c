/* Forms: functions for nodes of the shapes that rules are made of. A form does what the general function of its op
 * does (cel_eval.c), at the same cost, when the values are as the shape suggests; otherwise it calls that function. */
#include "cel/cel_eval.h"

#include <errno.h>

/* ---- members of documents ---- */

static const val *find_member(cv map, const struct key *key)
{
	uint32_t lo = 0, hi = map.n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		const struct key *k = map.members[mid].key;
		int r = k == key ? 0 : key_cmp(k, key);

		if (r == 0)
			return &map.members[mid].value;
		if (r < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static bool is_object(const struct cel_schema *s)
{
	return s->properties || s->embedded;
}

/* Find the member of @on that @q names, and its schema. False: @on is not the expected part of a document. A missing
 * member is VAL_ABSENT. */
static inline bool step(cv on, const struct cel_qualifier *q, const val **member, const struct cel_schema **schema)
{
	static const val absent;
	const struct cel_schema *s = on.schema;
	const struct key *key;

	if (on.kind != CV_MAP || on.rep != CV_VIEW)
		return false;
	if (s && s == q->hint.owner) {
		key = q->unescaped;
		*schema = q->hint.field;
	} else if (!s || (s->additional && !is_object(s))) {
		key = q->key;
		*schema = s ? s->additional : NULL;
	} else {
		return false;
	}
	*member = find_member(on, key);
	if (!*member)
		*member = &absent;
	return (*member)->kind != VAL_NULL; /* the meaning of null depends on the value around it */
}

/* Whether there is cost left for the whole attribute, so that no part of it is watched. */
static inline bool is_affordable(const struct cel_ctx *c, uint64_t cost)
{
	return c->watch_from > c->cost && c->watch_from - c->cost > cost;
}

static cv run_path(struct cel_ctx *c, const struct cel_node *node)
{
	const struct cel_attribute *a = &node->attribute;
	uint64_t cost = (uint64_t)a->n + !node->direct;
	cv v = c->slots[a->slot];

	if (!is_affordable(c, cost))
		return cel_eval_attribute(c, node);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct cel_schema *schema;
		const val *member;

		if (!step(v, &a->qualifiers[i], &member, &schema) || member->kind == VAL_ABSENT)
			return cel_eval_attribute(c, node);
		v = cel_read(c->arena, member, schema);
	}
	c->cost += cost;
	return v;
}

static cv run_has(struct cel_ctx *c, const struct cel_node *node)
{
	const struct cel_attribute *a = &node->attribute;
	cv v = c->slots[a->slot];

	if (!is_affordable(c, a->n))
		return cel_eval_attribute(c, node);
	for (uint32_t i = 0; i < a->n; i++) {
		const struct cel_schema *schema;
		const val *member;

		if (!step(v, &a->qualifiers[i], &member, &schema))
			return cel_eval_attribute(c, node);
		if (member->kind == VAL_ABSENT && i + 1 < a->n)
			return cel_eval_attribute(c, node);
		v = member->kind == VAL_ABSENT ? cv_bool(false) : cel_read(c->arena, member, schema);
		if (i + 1 == a->n && member->kind != VAL_ABSENT && !cv_is_error(v))
			v = cv_bool(true);
	}
	c->cost += a->n;
	return v;
}

static cv run_slot(struct cel_ctx *c, const struct cel_node *node)
{
	cv v = c->slots[node->attribute.slot];

	if (v.kind == CV_ERROR && !v.err)
		return cel_eval_attribute(c, node);
	c->cost += !node->direct;
	return v;
}

static bool is_path(const struct cel_attribute *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		const struct cel_qualifier *q = &a->qualifiers[i];

		if (q->optional || !q->key || (q->hint.owner && !is_object(q->hint.owner)))
			return false;
	}
	return true;
}

static cel_eval_fn attribute_form(const struct cel_attribute *a)
{
	if (a->slot < 0 || !is_path(a))
		return cel_eval_attribute;
	if (a->n == 0)
		return run_slot;
	return a->test ? run_has : run_path;
}

/* ---- calls of operators ---- */

#define COMPARISON(name, op)                                                                                           \
	static cv run_##name(struct cel_ctx *c, const struct cel_node *node)                                           \
	{                                                                                                              \
		cv args[2];                                                                                            \
                                                                                                                       \
		args[0] = cel_eval_node(c, node->args[0]);                                                             \
		args[1] = cel_eval_node(c, node->args[1]);                                                             \
		if (args[0].kind != CV_INT || args[1].kind != CV_INT || !c->work.left)                                 \
			return cel_apply(c, node, args, 2);                                                            \
		c->cost++;                                                                                             \
		return cv_bool(args[0].i op args[1].i);                                                                \
	}

COMPARISON(less, <)
COMPARISON(less_equal, <=)
COMPARISON(greater, >)
COMPARISON(greater_equal, >=)

static cv run_not(struct cel_ctx *c, const struct cel_node *node)
{
	cv v = cel_eval_node(c, node->args[0]);

	if (v.kind != CV_BOOL || !c->work.left)
		return cel_apply(c, node, &v, 1);
	c->cost++;
	return cv_bool(!v.b);
}

/* Whether the overload @id is among the candidates. */
static bool has_candidate(const struct cel_call *call, const char *id)
{
	for (uint32_t i = 0; i < call->n_candidates; i++) {
		if (strcmp(call->candidates[i].overload->id, id) == 0)
			return true;
	}
	return false;
}

static cel_eval_fn call_form(const struct cel_node *node)
{
	static const struct {
		const char *id; /* the overload for the values that the form expects */
		cel_eval_fn run;
	} forms[] = {
		{ "less_int64", run_less },       { "less_equals_int64", run_less_equal },
		{ "greater_int64", run_greater }, { "greater_equals_int64", run_greater_equal },
		{ "logical_not", run_not },
	};

	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		if (has_candidate(&node->call, forms[i].id))
			return forms[i].run;
	}
	return cel_general(OP_CALL);
}

cel_eval_fn cel_form(const struct cel_node *n)
{
	switch ((enum cel_op)n->op) {
	case OP_ATTRIBUTE:
		return attribute_form(&n->attribute);
	case OP_CALL:
		return call_form(n);
	default:
		return cel_general((enum cel_op)n->op);
	}
}
