/* Collects what all rules read, as ways from the root of objects. */
#include "rules/inspection/insp_read_set.h"

#include "rules/inspection/insp_fact.h"
#include "rules/inspection/insp_reads.h"

#define NAMES_MAX 32 /* names in one way; a value that lies deeper counts as read whole */

/* ---- the object ---- */

/* Whether a name may be a member of a Secret inside the object. What masked rules see below it depends on the map
 * that it is in (insp_mask.h), so that all of the map must count as read. */
static bool may_be_of_a_secret(str name)
{
	return str_eq(name, STR("data")) || str_eq(name, STR("stringData")) || str_eq(name, STR("metadata"));
}

/* Append the names of the accessors of @f from @first on, as far as they certainly lead through maps: a number may be
 * an index of a list. Nothing is read behind a malformed accessor. False: some are left out. */
static bool append_names(str names[NAMES_MAX], size_t *n, const struct insp_field *f, size_t first)
{
	for (size_t i = first; i < f->n_accessors; i++) {
		const struct insp_accessor *at = &f->accessors[i];

		if (*n == NAMES_MAX || at->malformed || at->index >= 0 ||
		    (*n > 0 && may_be_of_a_secret(key_str(at->key))))
			return false;
		names[(*n)++] = key_str(at->key);
	}
	return true;
}

static bool read_object(struct object_ways *ways, const struct insp_field *f, size_t first)
{
	str names[NAMES_MAX];
	size_t n = 0;

	(void)append_names(names, &n, f, first);
	return n > 0 && object_ways_add(ways, names, n);
}

/* Add what @f reads of each item of the list @loop. */
static bool read_item(struct object_ways *ways, const struct insp_field *loop, const struct insp_field *f)
{
	str names[NAMES_MAX];
	size_t n = 0;

	if (append_names(names, &n, loop, 0) && n < NAMES_MAX) {
		names[n++] = VAL_EACH_ITEM;
		(void)append_names(names, &n, f, 0);
	}
	return n > 0 && object_ways_add(ways, names, n);
}

struct reader {
	struct object_ways *ways;
	const struct insp_field *loop; /* a loop of whose items only some fields are read; NULL: there is none */
	bool alike; /* no rule has a scope, and each fact that is read is the same for all objects of the kind */
};

static bool read_fact(struct reader *r, const struct insp_field *f)
{
	bool is_named = f->n_accessors && !f->accessors[0].malformed;
	const struct insp_fact *fact = is_named ? insp_fact_find(key_str(f->accessors[0].key)) : NULL;

	r->alike &= fact && (fact->of == INSP_OF_KIND || fact->of == INSP_OF_OBJECT);
	if (!fact)
		return false;
	switch (fact->of) {
	case INSP_OF_OBJECT:
		return read_object(r->ways, f, 1);
	case INSP_OF_KIND:
	case INSP_OF_IDENTITY:
	case INSP_OF_VERDICT:
		return true;
	case INSP_OF_FORMER:
	case INSP_OF_EVENT:
		break;
	}
	return false;
}

/* Add one field. A loop's item needs nothing where the whole loop counts as read, and plugin data are made of fields.
 */
static bool read_field(void *ctx, const struct insp_field *f)
{
	struct reader *r = ctx;

	if (f->malformed || f == r->loop)
		return true;
	switch (f->name) {
	case INSP_NODE:
		return read_object(r->ways, f, 0);
	case INSP_INVENTORY:
		return read_fact(r, f);
	case INSP_PORTS:
	case INSP_PORT_GROUPS:
		return false;
	case INSP_ITEM:
		return !r->loop || read_item(r->ways, r->loop, f);
	case INSP_PLUGIN_DATA:
	case INSP_NAMES:
		break;
	}
	return true;
}

/* ---- rules ---- */

static bool is_quiet(enum insp_code code)
{
	return code == INSP_FAIL || code == INSP_SET_PLUGIN_DATA || code == INSP_EXTEND_PLUGIN_DATA ||
	       code == INSP_UNSET_PLUGIN_DATA;
}

bool insp_rule_is_quiet(const struct insp_rule *rule)
{
	for (size_t i = 0; i < rule->n_actions; i++) {
		if (!is_quiet(rule->actions[i].code))
			return false;
	}
	return true;
}

/* Whether the actions of a rule may be run without a failure of the rule. */
static bool actions_count(const struct insp_rule *rule)
{
	for (size_t i = 0; i < rule->n_actions; i++) {
		if (rule->actions[i].code == INSP_FAIL && !rule->actions[i].looped)
			return false;
	}
	return insp_rule_is_quiet(rule);
}

static bool is_no_item(void *ctx, const struct insp_field *f)
{
	(void)ctx;
	return f->malformed || f->name != INSP_ITEM;
}

/* The field of the object whose items @op loops over. NULL: there is no such field, or no item is read, so that it may
 * be any list that is as long. */
static const struct insp_field *loop_of(const struct insp_op *op)
{
	const struct insp_string *s = op->looped ? op->loop.string : NULL;

	if (!s || !insp_string_is_typed(s) || s->parts[0].field->malformed || s->parts[0].field->name != INSP_NODE ||
	    insp_op_fields(op, is_no_item, NULL))
		return NULL;
	return s->parts[0].field;
}

static bool read_condition(struct reader *r, const struct insp_op *op)
{
	r->loop = loop_of(op);
	return insp_op_fields(op, read_field, r);
}

/* An action follows what it reads, for its messages: of a loop that is the whole list, which takes its steps. */
static bool read_action(struct reader *r, const struct insp_op *op)
{
	r->loop = NULL;
	return insp_op_fields(op, read_field, r);
}

static bool read_rule(const struct insp_rule *rule, struct reader *r)
{
	size_t n_actions = actions_count(rule) ? rule->n_actions : 0;

	r->alike &= !rule->scope.p;
	for (size_t i = 0; i < rule->n_conditions; i++) {
		if (!read_condition(r, &rule->conditions[i]))
			return false;
	}
	for (size_t i = 0; i < n_actions; i++) {
		if (!read_action(r, &rule->actions[i]))
			return false;
	}
	return true;
}

void insp_set_reads(const struct insp_set *set, struct object_ways *ways, bool *alike)
{
	/* what no run reads of a verdict is still looked at by the mask, which takes its steps */
	struct reader r = { .ways = ways, .alike = !set->reads_verdict };

	ways->known &= !set->reads_dependents;
	for (size_t phase = 0; phase < INSP_PHASES; phase++) {
		for (size_t i = 0; ways->known && i < set->n[phase]; i++)
			ways->known = read_rule(set->rules[phase][i], &r);
	}
	*alike = ways->known && r.alike;
}
