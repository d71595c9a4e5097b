/* Looking for names in the format strings of a rule. */
#include "rules/inspection/insp_reads.h"

static bool string_reads(const struct insp_string *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct insp_field *f = s->parts[i].field;

		if (!f)
			continue;
		if (f->name == INSP_PORTS || f->name == INSP_PORT_GROUPS)
			return true;
		if (f->format && string_reads(f->format)) /* FORMAT_DEPTH deep */
			return true;
	}
	return false;
}

/* As deep as the rule's text is. */
static bool value_reads(const struct insp_value *v)
{
	if (val_exists(v->constant))
		return false;
	if (v->string)
		return string_reads(v->string);
	for (size_t i = 0; i < v->n; i++) {
		const struct insp_value *below = v->members ? &v->members[i].value : &v->items[i];

		if ((v->members && string_reads(&v->members[i].key)) || value_reads(below))
			return true;
	}
	return false;
}

static bool is_about_a_port(enum insp_code code)
{
	return code == INSP_SET_PORT_ATTRIBUTE || code == INSP_EXTEND_PORT_ATTRIBUTE || code == INSP_DEL_PORT_ATTRIBUTE;
}

bool insp_op_reads_dependents(const struct insp_op *op)
{
	if (is_about_a_port(op->code) || (op->looped && value_reads(&op->loop)))
		return true;
	for (size_t i = 0; i < INSP_PARAMS_MAX; i++) {
		if (op->given[i] && value_reads(&op->args[i]))
			return true;
	}
	return false;
}
