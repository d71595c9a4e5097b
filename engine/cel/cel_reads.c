/* Finds the reads of compiled rules: the places of the schema that have rules, and the parts of these that the
 * attributes of their programs name. */
#include "cel/cel_reads.h"

#include "cel/cel_program.h"
#include "cel/cel_rules_internal.h"

#define SELF 0            /* the number of the variable in each rule */
#define NODES_MAX 100000u /* the most visits of nodes, some of which are at several places of their tree */

struct walk {
	const struct cel_rules *rules;
	cel_read_fn *each;
	void *ctx;
	str names[CEL_READ_NAMES]; /* the way to the current place, and behind it that of an attribute */
	size_t n;                  /* the number of names of the place */
	bool any;                  /* the program reads something */
	uint32_t nodes_left;       /* how many nodes of the program may still be visited */
};

static bool pass_read(struct walk *w, size_t n)
{
	w->any = true;
	return w->each(w->ctx, w->names, n);
}

/* ---- programs ---- */

/* The name that @q is for any value around it; NULL: that is not certain. */
static const struct key *certain_name(const struct cel_qualifier *q)
{
	if (!q->key || (q->unescaped && !str_eq(key_str(q->key), key_str(q->unescaped))))
		return NULL;
	return q->key;
}

static bool read_node(struct walk *w, const struct cel_node *node);

static bool read_self(struct walk *w, const struct cel_attribute *a)
{
	size_t n = w->n;

	for (uint32_t i = 0; i < a->n && n < CEL_READ_NAMES; i++) {
		const struct key *name = certain_name(&a->qualifiers[i]);

		if (!name)
			break;
		w->names[n++] = key_str(name);
	}
	return pass_read(w, n);
}

static bool read_attribute(struct walk *w, const struct cel_attribute *a)
{
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->qualifiers[i].index && !read_node(w, a->qualifiers[i].index))
			return false;
	}
	if (a->operand && !read_node(w, a->operand))
		return false;
	return a->slot != SELF || read_self(w, a);
}

static bool read_fold(struct walk *w, const struct cel_fold_node *f)
{
	return read_node(w, f->range) && read_node(w, f->init) && read_node(w, f->condition) && read_node(w, f->step) &&
	       read_node(w, f->result);
}

/* Visit a node. When the visits end early, everything counts as read. */
static bool read_node(struct walk *w, const struct cel_node *node)
{
	if (!w->nodes_left || !--w->nodes_left)
		return true;
	for (uint32_t i = 0; i < node->n; i++) {
		if (!read_node(w, node->args[i]))
			return false;
	}
	if (node->op == OP_ATTRIBUTE)
		return read_attribute(w, &node->attribute);
	return node->op != OP_FOLD || read_fold(w, node->fold);
}

/* Visit a program. A rule that reads nothing still runs only where the value exists. */
static bool read_program(struct walk *w, const struct cel_program *p)
{
	if (!p)
		return true;
	w->any = false;
	w->nodes_left = NODES_MAX;
	return read_node(w, p->root) && ((w->any && w->nodes_left) || pass_read(w, w->n));
}

/* ---- places ---- */

static bool read_place(struct walk *w, const struct cel_place *place)
{
	for (uint32_t i = place->first; i < place->first + place->n; i++) {
		const struct cel_rule *r = &w->rules->rules.p[i];

		/* A rule that does not compile is reported where its value is, so the value is read. */
		if ((r->error.p && !pass_read(w, w->n)) || !read_program(w, r->program) ||
		    !read_program(w, r->message_program))
			return false;
	}
	return true;
}

static bool read_schema(struct walk *w, const struct cel_schema *s)
{
	if (!s->has_rules_below)
		return true;
	if (w->n == CEL_READ_NAMES || (s->items && s->items->has_rules_below) ||
	    (s->additional && s->additional->has_rules_below))
		return pass_read(w, w->n);
	if (!read_place(w, &w->rules->places[s->number]))
		return false;
	for (uint32_t i = 0; i < s->n_properties; i++) {
		w->names[w->n++] = key_str(s->properties[i].name);
		if (!read_schema(w, s->properties[i].schema))
			return false;
		w->n--;
	}
	return true;
}

bool cel_rules_reads(const struct cel_rules *r, cel_read_fn *each, void *ctx)
{
	struct walk w = { .rules = r, .each = each, .ctx = ctx };

	return r->schema ? read_schema(&w, r->schema) : read_place(&w, &r->places[0]);
}

bool cel_rules_transition(const struct cel_rules *r)
{
	for (size_t i = 0; i < r->rules.n; i++) {
		if (r->rules.p[i].transition)
			return true;
	}
	return false;
}
