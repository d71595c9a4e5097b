/* Looks for names in the format strings of rules. */
#include "rules/inspection/insp_reads.h"

#include "rules/inspection/insp_fact.h"

struct walk {
	insp_field_fn *each;
	void *ctx;
};

static bool walk_string(const struct walk *w, const struct insp_string *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct insp_field *f = s->parts[i].field;

		if (f && !w->each(w->ctx, f))
			return false;
		if (f && f->format && !walk_string(w, f->format)) /* the recursion is FORMAT_DEPTH deep */
			return false;
	}
	return true;
}

/* The recursion is as deep as the rule's text. */
static bool walk_value(const struct walk *w, const struct insp_value *v)
{
	if (val_exists(v->constant))
		return true;
	if (v->string)
		return walk_string(w, v->string);
	for (size_t i = 0; i < v->n; i++) {
		const struct insp_value *below = v->members ? &v->members[i].value : &v->items[i];

		if ((v->members && !walk_string(w, &v->members[i].key)) || !walk_value(w, below))
			return false;
	}
	return true;
}

bool insp_op_fields(const struct insp_op *op, insp_field_fn *each, void *ctx)
{
	const struct walk w = { each, ctx };

	if (op->looped && !walk_value(&w, &op->loop))
		return false;
	for (size_t i = 0; i < INSP_PARAMS_MAX; i++) {
		if (op->given[i] && !walk_value(&w, &op->args[i]))
			return false;
	}
	return true;
}

static bool is_about_a_port(enum insp_code code)
{
	return code == INSP_SET_PORT_ATTRIBUTE || code == INSP_EXTEND_PORT_ATTRIBUTE || code == INSP_DEL_PORT_ATTRIBUTE;
}

static bool is_no_dependent(void *ctx, const struct insp_field *f)
{
	(void)ctx;
	return f->name != INSP_PORTS && f->name != INSP_PORT_GROUPS;
}

bool insp_op_reads_dependents(const struct insp_op *op)
{
	return is_about_a_port(op->code) || !insp_op_fields(op, is_no_dependent, NULL);
}

/* @ctx: an enum insp_fact_of. */
static bool is_not_of(void *ctx, const struct insp_field *f)
{
	const enum insp_fact_of *of = ctx;
	const struct insp_fact *fact;

	if (f->name != INSP_INVENTORY)
		return true;
	fact = f->n_accessors ? insp_fact_find(key_str(f->accessors[0].key)) : NULL;
	return f->n_accessors > 0 && !(fact && fact->of == *of);
}

bool insp_op_reads_previous(const struct insp_op *op)
{
	enum insp_fact_of of = INSP_OF_FORMER;

	return !insp_op_fields(op, is_not_of, &of);
}

bool insp_op_reads_verdict(const struct insp_op *op)
{
	enum insp_fact_of of = INSP_OF_VERDICT;

	return !insp_op_fields(op, is_not_of, &of);
}
