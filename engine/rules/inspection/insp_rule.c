/* Reads inspection rules from JSON. */
#include "rules/inspection/insp_rule.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/utf8.h"
#include "rules/inspection/insp_reads.h"

#include <stdio.h>

#define TEXT_CHARACTERS_MAX 255
#define PRIORITY_MAX 9999

static const char *const phase_names[] = { "early", "preprocess", "main" };

_Static_assert(ARRAY_LEN(phase_names) == INSP_PHASES, "ORDER insp_phase");

/* ORDER field */
enum field { UUID, DESCRIPTION, PRIORITY, SCOPE, SENSITIVE, PHASE, CONDITIONS, ACTIONS, FIELDS };

static const char *const field_names[] = { "uuid",      "description", "priority",   "scope",
					   "sensitive", "phase",       "conditions", "actions" };

_Static_assert(ARRAY_LEN(field_names) == FIELDS, "ORDER field");

bool insp_phase_parse(str name, enum insp_phase *ret)
{
	for (size_t i = 0; i < INSP_PHASES; i++) {
		if (str_eq(name, str_from(phase_names[i]))) {
			*ret = (enum insp_phase)i;
			return true;
		}
	}
	return false;
}

const char *insp_phase_name(enum insp_phase phase)
{
	ASSERT(phase < INSP_PHASES);
	return phase_names[phase];
}

bool insp_uuid_valid(str s)
{
	if (s.n != INSP_UUID_MAX)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		char c = s.p[i];

		if (dash ? c != '-' : !ascii_is_hex(c))
			return false;
	}
	return true;
}

/* ---- fields ---- */

struct reader {
	struct insp_rule *rule;
	val v;
	const struct insp_report *report;
	size_t mistakes;
	struct err *err;
};

static void count_mistake(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	struct reader *r = ctx;

	r->mistakes++;
	r->report->mistake(r->report->ctx, field, index, key, text);
}

static void wrong(struct reader *r, const char *field, const char *text)
{
	count_mistake(r, field, -1, NULL, text);
}

static void check_names(struct reader *r)
{
	char text[320];

	for (uint32_t i = 0; i < val_count(r->v); i++) {
		str name = key_str(r->v.members[i].key);
		size_t k = 0;

		while (k < FIELDS && !str_eq(name, str_from(field_names[k])))
			k++;
		if (k < FIELDS)
			continue;
		(void)snprintf(text, sizeof(text), "unknown field '%.*s'", STR_ARG(utf8_cut(name, 256)));
		wrong(r, NULL, str_eq(name, STR("built_in")) ? "built_in cannot be set" : text);
	}
}

static val read_uuid(struct reader *r)
{
	val v = VAL_GET(r->v, "uuid");
	str s = val_str(v);

	if (!val_exists(v) || val_is_null(v))
		return val_null();
	if (!val_is_string(v) || (r->rule->built_in ? s.n == 0 || utf8_count(s) > INSP_UUID_MAX : !insp_uuid_valid(s)))
		wrong(r, "uuid", "uuid is not valid");
	r->rule->uuid = s;
	return v;
}

/* Read a text of limited length, or null. */
static val read_text(struct reader *r, const char *name)
{
	val v = val_get(r->v, str_from(name));
	char text[80];

	if (!val_exists(v) || val_is_null(v))
		return val_null();
	if (!val_is_string(v)) {
		(void)snprintf(text, sizeof(text), "%s must be a string or null", name);
		wrong(r, name, text);
	} else if (utf8_count(val_str(v)) > TEXT_CHARACTERS_MAX) {
		(void)snprintf(text, sizeof(text), "%s is longer than %d characters", name, TEXT_CHARACTERS_MAX);
		wrong(r, name, text);
	}
	return v;
}

static val read_priority(struct reader *r)
{
	val v = VAL_GET(r->v, "priority");

	if (!val_exists(v))
		return val_int(0);
	if (v.kind != VAL_INT)
		wrong(r, "priority", "priority must be an integer");
	else if (!r->rule->built_in && (v.i < 0 || v.i > PRIORITY_MAX))
		wrong(r, "priority", "priority must be between 0 and 9999");
	else
		r->rule->priority = v.i;
	return v;
}

static val read_sensitive(struct reader *r)
{
	val v = VAL_GET(r->v, "sensitive");

	if (!val_exists(v))
		return val_bool(false);
	if (v.kind != VAL_BOOL)
		wrong(r, "sensitive", "sensitive must be a boolean");
	r->rule->sensitive = val_is_true(v);
	return v;
}

static val read_phase(struct reader *r)
{
	val v = VAL_GET(r->v, "phase");

	r->rule->phase = INSP_MAIN;
	if (val_exists(v) && !val_is_null(v) && (!val_is_string(v) || !insp_phase_parse(val_str(v), &r->rule->phase)))
		wrong(r, "phase", "invalid phase: it is early, preprocess or main");
	return val_string(str_from(phase_names[r->rule->phase]));
}

/* ---- conditions and actions ---- */

static bool is_list(struct reader *r, const char *name, val v)
{
	char text[80];

	if (!val_is_list(v))
		(void)snprintf(text, sizeof(text), "%s must be a list", name);
	else if (v.n > INSP_OPS_MAX)
		(void)snprintf(text, sizeof(text), "%s are more than %d", name, INSP_OPS_MAX);
	else
		return true;
	wrong(r, name, text);
	return false;
}

static int read_conditions(struct reader *r, val *ret)
{
	struct insp_report report = { count_mistake, r };
	struct insp_rule *rule = r->rule;
	val v = VAL_GET(r->v, "conditions");
	int status = 0;

	*ret = val_exists(v) ? v : (val){ .kind = VAL_LIST };
	if (!is_list(r, "conditions", *ret))
		return 0;
	rule->conditions = arena_array(&rule->arena, ret->n, sizeof(*rule->conditions));
	if (!rule->conditions)
		return arena_error(&rule->arena, r->err);
	for (uint32_t i = 0; status == 0 && i < ret->n; i++) {
		status = insp_condition_read(ret->items[i], i, &rule->arena, &report, &rule->conditions[i], r->err);
		rule->n_conditions += status == 0;
	}
	return status;
}

static int read_actions(struct reader *r, val *ret)
{
	struct insp_report report = { count_mistake, r };
	struct insp_rule *rule = r->rule;
	val v = VAL_GET(r->v, "actions");
	int status = 0;

	*ret = val_exists(v) ? v : (val){ .kind = VAL_LIST };
	if (!val_exists(v))
		wrong(r, NULL, "actions are required");
	else if (val_is_list(v) && v.n == 0)
		wrong(r, "actions", "actions must not be empty");
	if (!is_list(r, "actions", *ret))
		return 0;
	rule->actions = arena_array(&rule->arena, ret->n, sizeof(*rule->actions));
	if (!rule->actions)
		return arena_error(&rule->arena, r->err);
	for (uint32_t i = 0; status == 0 && i < ret->n; i++) {
		status = insp_action_read(ret->items[i], i, rule->phase == INSP_EARLY, &rule->arena, &report,
					  &rule->actions[i], r->err);
		rule->n_actions += status == 0;
	}
	return status;
}

/* Whether @is returns true for some condition or action of the rule. */
static bool any_op(const struct insp_rule *rule, bool (*is)(const struct insp_op *op))
{
	for (size_t i = 0; i < rule->n_conditions; i++) {
		if (is(&rule->conditions[i]))
			return true;
	}
	for (size_t i = 0; i < rule->n_actions; i++) {
		if (is(&rule->actions[i]))
			return true;
	}
	return false;
}

static int set_source(struct insp_rule *rule, const val *values, struct err *err)
{
	struct member members[FIELDS];

	for (size_t i = 0; i < FIELDS; i++) {
		members[i] = (struct member){ key_make(NULL, &rule->arena, str_from(field_names[i])), values[i] };
		if (!members[i].key)
			return arena_error(&rule->arena, err);
	}
	rule->source = val_map(&rule->arena, members, FIELDS);
	return val_exists(rule->source) ? 0 : arena_error(&rule->arena, err);
}

static int read_rule(struct reader *r)
{
	val values[FIELDS];
	int status;

	if (val_is_map(r->v))
		check_names(r);
	else
		wrong(r, NULL, "a rule must be a map");
	values[UUID] = read_uuid(r);
	values[DESCRIPTION] = read_text(r, field_names[DESCRIPTION]);
	values[PRIORITY] = read_priority(r);
	values[SCOPE] = read_text(r, field_names[SCOPE]);
	if (val_is_string(values[SCOPE]))
		r->rule->scope = val_str(values[SCOPE]);
	values[SENSITIVE] = read_sensitive(r);
	values[PHASE] = read_phase(r);
	values[ACTIONS] = (val){ .kind = VAL_LIST };
	status = read_conditions(r, &values[CONDITIONS]);
	if (status == 0 && val_is_map(r->v))
		status = read_actions(r, &values[ACTIONS]);
	r->rule->reads_dependents = any_op(r->rule, insp_op_reads_dependents);
	r->rule->reads_previous = any_op(r->rule, insp_op_reads_previous);
	r->rule->reads_verdict = any_op(r->rule, insp_op_reads_verdict);
	return status < 0 ? status : set_source(r->rule, values, r->err);
}

int insp_rule_new(val v, bool built_in, const struct limits *limits, const struct insp_report *report, size_t *mistakes,
		  struct insp_rule **ret, struct err *err)
{
	CLEANUP(insp_rule_freep) struct insp_rule *rule = calloc(1, sizeof(*rule));
	struct reader r = { .rule = rule, .report = report, .err = err };
	int status;

	if (!rule)
		return err_nomem(err);
	arena_init(&rule->arena, 0, limits->arena_bytes);
	rule->built_in = built_in;
	rule->uuid = STR("");
	r.v = val_copy(&rule->arena, NULL, v);
	if (!val_exists(r.v))
		return arena_error(&rule->arena, err);
	status = read_rule(&r);
	if (status < 0)
		return status;
	*mistakes = r.mistakes;
	*ret = TAKE(rule);
	return 0;
}

void insp_rule_free(struct insp_rule *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_conditions; i++)
		insp_op_done(&r->conditions[i]);
	for (size_t i = 0; i < r->n_actions; i++)
		insp_op_done(&r->actions[i]);
	arena_done(&r->arena);
	free(r);
}

int insp_rule_name(struct insp_rule *r, str uuid, struct err *err)
{
	const struct key *key = key_make(NULL, &r->arena, STR("uuid"));
	val source;

	uuid = arena_str(&r->arena, uuid);
	source = key && uuid.p ? val_map_with(&r->arena, r->source, key, val_string(uuid)) : (val){ 0 };
	if (!val_exists(source))
		return arena_error(&r->arena, err);
	r->source = source;
	r->uuid = uuid;
	return 0;
}
