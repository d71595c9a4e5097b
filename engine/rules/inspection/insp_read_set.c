/* Collects what all rules read, as ways from the root of objects. */
#include "rules/inspection/insp_read_set.h"

#include "rules/inspection/insp_reads.h"

#define NAMES_MAX 32 /* names in one way; a value that lies deeper counts as read whole */

/* ---- the object ---- */

/* Whether a name may be a member of a Secret inside the object. What masked rules see below it depends on the map
 * that it is in (insp_mask.h), so that all of the map must count as read. */
static bool may_be_of_a_secret(str name)
{
	return str_eq(name, STR("data")) || str_eq(name, STR("stringData")) || str_eq(name, STR("metadata"));
}

/* Add the accessors of @f from @first on, as far as they certainly lead through maps: a number may be an index of a
 * list. Nothing is read behind a malformed accessor. */
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

/* Whether a fact is constant as long as the object's identity and its verdict are. */
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

/* Add one field. A loop's item needs nothing, because the loop is a field too, and plugin data are made of fields. */
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

/* Whether the actions of a rule may be run without a failure of the rule. */
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
