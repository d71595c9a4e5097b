/* The reads of all rules, as ways from the root of objects. */
#include "rules/inspection/insp_read_set.h"

#include "rules/inspection/insp_reads.h"

#define NAMES_MAX 32 /* of one way: what lies deeper is looked at whole */

/* ---- the object ---- */

/* What masked rules see below a name depends on what the map is that has it, if that is within the object: a Secret may
 * be (insp_mask.h). */
static bool may_be_of_a_secret(str name)
{
	return str_eq(name, STR("data")) || str_eq(name, STR("stringData")) || str_eq(name, STR("metadata"));
}

/* Adds the accessors of @f from @first on, as far as they certainly lead through maps: a number may be an index of a
 * list. Behind a malformed accessor nothing is read. */
static bool read_object(struct object_ways *ways, const struct insp_field *f, size_t first)
{
	str names[NAMES_MAX];
	size_t n = 0;

	for (size_t i = first; i < f->n_accessors && n < NAMES_MAX; i++) {
		const struct insp_accessor *at = &f->accessors[i];

		if (at->malformed || at->index >= 0 || (n > 0 && may_be_of_a_secret(key_str(at->key))))
			break;
		names[n++] = key_str(at->key);
	}
	return n > 0 && object_ways_add(ways, names, n);
}

/* Facts that are the same as long as the object's identity and its verdict are. */
static bool is_constant(str fact)
{
	static const char *const names[] = { "cluster",   "api_version", "kind",    "namespace", "name",  "uid",
					     "reference", "template",    "drifted", "changes",   "events" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(fact, str_from(names[i])))
			return true;
	}
	return false;
}

static bool read_fact(struct object_ways *ways, const struct insp_field *f)
{
	str fact = f->n_accessors && !f->accessors[0].malformed ? key_str(f->accessors[0].key) : STR("");

	return str_eq(fact, STR("raw")) ? read_object(ways, f, 1) : is_constant(fact);
}

/* An item is one of what a loop goes over, which is a field too, and plugin data are made of fields. */
static bool read_field(void *ctx, const struct insp_field *f)
{
	if (f->malformed)
		return true;
	switch (f->name) {
	case INSP_NODE:
		return read_object(ctx, f, 0);
	case INSP_INVENTORY:
		return read_fact(ctx, f);
	case INSP_PORTS:
	case INSP_PORT_GROUPS:
		return false;
	case INSP_PLUGIN_DATA:
	case INSP_ITEM:
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

/* Whether they may be run, and the rule has not failed. */
static bool actions_count(const struct insp_rule *rule)
{
	for (size_t i = 0; i < rule->n_actions; i++) {
		if (rule->actions[i].code == INSP_FAIL && !rule->actions[i].looped)
			return false;
	}
	return insp_rule_is_quiet(rule);
}

static bool read_rule(const struct insp_rule *rule, struct object_ways *ways)
{
	size_t n_actions = actions_count(rule) ? rule->n_actions : 0;

	for (size_t i = 0; i < rule->n_conditions; i++) {
		if (!insp_op_fields(&rule->conditions[i], read_field, ways))
			return false;
	}
	for (size_t i = 0; i < n_actions; i++) {
		if (!insp_op_fields(&rule->actions[i], read_field, ways))
			return false;
	}
	return true;
}

void insp_set_reads(const struct insp_set *set, struct object_ways *ways)
{
	ways->known &= !set->reads_dependents;
	for (size_t phase = 0; phase < INSP_PHASES; phase++) {
		for (size_t i = 0; ways->known && i < set->n[phase]; i++)
			ways->known = read_rule(set->rules[phase][i], ways);
	}
}
