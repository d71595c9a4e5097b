/* Compiles the rules of a schema. */
#include "cel/cel_rules_internal.h"

#include "base/assert.h"
#include "cel/cel_estimate.h"

#include <errno.h>
#include <stdio.h>

#define ISSUES_MAX 65536

#define DEAREST 4 /* the number of rules that a server names when all cost too much together */

/* A field of a rule, by its number, and what it may cost. */
struct dear_field {
	uint64_t cost;
	size_t rule;
	const char *field;
};

struct compiler {
	struct cel_rules *rules;
	uint64_t values; /* how many values of the current schema one object can have; UINT64_MAX: no bound is given */
	uint64_t total;  /* the estimate for all rules so far */
	struct dear_field dearest[DEAREST + 1]; /* ordered by cost; the last one is dropped */
	size_t n_dearest;
	bool uncorrelated; /* below a list whose old items cannot be identified */
	const struct limits *limits;
	struct err *err;
};

const char *cel_reason_name(enum cel_reason r)
{
	static const char *const names[] = { "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired",
					     "FieldValueDuplicate" };

	_Static_assert(ARRAY_LEN(names) == CEL_REASONS, "ORDER cel_reason");
	ASSERT(r < CEL_REASONS);
	return names[r];
}

static uint8_t reason_of(str name)
{
	for (int i = CEL_INVALID; i < CEL_REASONS; i++) {
		if (str_eq(name, str_from(cel_reason_name((enum cel_reason)i))))
			return (uint8_t)i;
	}
	return CEL_INVALID;
}

static int keep(struct compiler *c, const char *prefix, str text, str *ret)
{
	*ret = arena_printf(&c->rules->arena, "%s%.*s", prefix, STR_ARG(text));
	return ret->p ? 0 : err_nomem(c->err);
}

/* Compile @source to *ret; when it is refused, *refused is the reason. */
static int compile(struct compiler *c, str source, const struct cel_env *env, enum cel_type_kind result,
		   const char *wrong, struct cel_program **ret, str *refused)
{
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(buf_done) struct buf issues = BUF_INIT(ISSUES_MAX);
	struct err err;
	int r = cel_compile(source, env, c->limits, &p, &issues, &err);

	if (r == -ENOMEM)
		return err_nomem(c->err);
	if (r < 0) {
		bool late = str_has_prefix(str_from(err.msg), STR("program instantiation failed"));

		return keep(c, late ? "" : "compilation failed: ",
			    late || !issues.n ? str_from(err.msg) : buf_str(&issues), refused);
	}
	if (cel_program_type(p)->kind != result)
		return keep(c, "", str_from(wrong), refused);
	*ret = TAKE(p);
	return 0;
}

static int compile_message(struct compiler *c, const struct cel_env *env, struct cel_rule *r)
{
	str refused = { NULL, 0 };
	int status;

	if (str_trim(r->message_expression).n == 0)
		return 0;
	status = compile(c, r->message_expression, env, CT_STRING, "must evaluate to a string", &r->message_program,
			 &refused);
	if (status < 0 || !refused.p)
		return status;
	return keep(c, "messageExpression ", refused, &r->message_error);
}

static bool has_line_break(str s)
{
	return str_find_byte(s, '\n') >= 0 || str_find_byte(s, '\r') >= 0;
}

static void mistake(struct cel_rule *r, const char *field, const char *text)
{
	if (!r->mistake.p) {
		r->mistake = str_from(text);
		r->mistaken = field;
	}
}

/* What is said of a rule beside its expressions.
 *   apiextensions-apiserver pkg/apis/apiextensions/validation */
static void check_texts(struct cel_rule *r, const struct cel_schema *schema)
{
	str message = str_trim(r->message);

	if (r->empty)
		mistake(r, "rule", "rule is not specified");
	else if (r->message.n && !message.n)
		mistake(r, "message", "must be non-empty if specified");
	else if (has_line_break(message))
		mistake(r, "message", "must not contain line breaks");
	else if (has_line_break(str_trim(r->rule)) && !message.n)
		mistake(r, "message", "message must be specified if rule contains line breaks");
	if (r->message_expression.n && !str_trim(r->message_expression).n)
		mistake(r, "messageExpression", "messageExpression must be non-empty if specified");
	if (has_line_break(r->field_path))
		mistake(r, "fieldPath", "must not contain line breaks");
	else if (r->field_path.n && !str_trim(r->field_path).n)
		mistake(r, "fieldPath", "must be non-empty if specified");
	else if (r->field_path.n && schema && !r->sub_path.text.p)
		mistake(r, "fieldPath", "must be a valid path");
}

static void check_transition(const struct compiler *c, struct cel_rule *r)
{
	if (r->transition && c->uncorrelated)
		mistake(r, "rule", "oldSelf cannot be used on the uncorrelatable portion of the schema");
	if (!r->transition && r->optional_old)
		mistake(r, "optionalOldSelf", "may not be set if oldSelf is not used in rule");
}

static void check_reason(struct cel_rule *r, str name)
{
	if (name.n && !str_eq(name, str_from(cel_reason_name((enum cel_reason)r->reason))))
		mistake(r, "reason",
			"supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", "
			"\"FieldValueInvalid\", \"FieldValueRequired\"");
}

static void dear(struct cel_rule *r, const char *field, str text)
{
	if (!r->dear.p) {
		r->dear = text;
		r->dear_in = field;
	}
}

/* Refuse a field for its cost, in the words of the server. */
static int too_dear(struct compiler *c, struct cel_rule *r, const char *field, const char *what, uint64_t cost)
{
	double factor = (double)cost / CEL_ESTIMATE_LIMIT;
	char times[32];
	str text;

	if (factor > 100)
		snprintf(times, sizeof(times), "more than 100x");
	else
		snprintf(times, sizeof(times), factor < 1.5 ? "%fx" : "%.1fx", factor);
	text = arena_printf(
		&c->rules->arena,
		"Forbidden: estimated %s cost exceeds budget by factor of %s (try simplifying the rule, or adding "
		"maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
		what, times);
	if (!text.p)
		return err_nomem(c->err);
	dear(r, field, text);
	return 0;
}

static void count_cost(struct compiler *c, const char *field, uint64_t cost)
{
	size_t i = c->n_dearest;

	c->total = cel_cost_add(c->total, cost);
	if (cost < CEL_ESTIMATE_TOTAL_LIMIT / 100)
		return;
	for (; i > 0 && c->dearest[i - 1].cost < cost; i--)
		c->dearest[i] = c->dearest[i - 1];
	c->dearest[i] = (struct dear_field){ cost, c->rules->rules.n, field };
	if (c->n_dearest < DEAREST)
		c->n_dearest++;
}

/* Find what a server would refuse for its possible cost: a rule counts for each value that it is evaluated for, a
 * messageExpression once. */
static int check_costs(struct compiler *c, struct cel_rule *r, const struct cel_schema *schema)
{
	uint64_t values = c->values == UINT64_MAX ? cel_schema_most(schema) : c->values;
	uint64_t cost = r->program ? cel_cost_times(cel_program_estimate(r->program), values) : 0;
	int status = 0;

	if (cost > CEL_ESTIMATE_LIMIT)
		status = too_dear(c, r, "rule", "rule", cost);
	count_cost(c, "rule", cost);
	if (status < 0 || !r->message_program)
		return status;
	cost = cel_program_estimate(r->message_program);
	if (cost > CEL_ESTIMATE_LIMIT)
		status = too_dear(c, r, "messageExpression", "messageExpression", cost);
	count_cost(c, "messageExpression", cost);
	return status;
}

/* Check the cost of all rules together, each of which may be cheap enough. */
static void check_total(struct compiler *c)
{
	for (size_t i = 0; c->total > CEL_ESTIMATE_TOTAL_LIMIT && i < c->n_dearest; i++)
		dear(&c->rules->rules.p[c->dearest[i].rule], c->dearest[i].field,
		     STR("Forbidden: contributed to estimated rule cost total exceeding cost limit for entire "
			 "OpenAPIv3 "
			 "schema"));
}

static int compile_rule(struct compiler *c, val v, const struct cel_type *self, const struct cel_schema *schema)
{
	struct cel_rule r = { .rule = val_str(VAL_GET(v, "rule")),
			      .message = val_str(VAL_GET(v, "message")),
			      .message_expression = val_str(VAL_GET(v, "messageExpression")),
			      .field_path = val_str(VAL_GET(v, "fieldPath")),
			      .reason = reason_of(val_str(VAL_GET(v, "reason"))),
			      .optional_old = VAL_GET(v, "optionalOldSelf").kind == VAL_BOOL &&
					      VAL_GET(v, "optionalOldSelf").b };
	struct cel_variable vars[2] = { { STR("self"), self }, { STR("oldSelf"), self } };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = vars, .n_variables = 2 };
	struct err path_err;
	int status;

	env.estimate = schema && schema->type ? schema : NULL;
	r.where = schema ? schema->place : STR("dyn");
	if (r.optional_old) {
		vars[1].type = cel_type_optional(&c->rules->arena, self);
		if (!vars[1].type)
			return err_nomem(c->err);
	}
	if (r.field_path.n && schema &&
	    cel_field_path(r.field_path, schema, &c->rules->arena, &r.sub_path, &path_err) == -ENOMEM)
		return err_nomem(c->err);
	r.empty = str_trim(r.rule).n == 0;
	status = r.empty ? 0
			 : compile(c, r.rule, &env, CT_BOOL, "cel expression must evaluate to a bool", &r.program,
				   &r.error);
	check_texts(&r, schema);
	check_reason(&r, val_str(VAL_GET(v, "reason")));
	if (status == 0 && r.program) {
		r.transition = cel_program_uses(r.program, 1);
		check_transition(c, &r);
		status = compile_message(c, &env, &r);
	}
	if (status == 0 && env.estimate)
		status = check_costs(c, &r, schema);
	if (status == 0 && vec_push(&c->rules->rules, r))
		return 0;
	cel_program_free(r.program);
	cel_program_free(r.message_program);
	return status < 0 ? status : err_nomem(c->err);
}

static int compile_list(struct compiler *c, val list, const struct cel_schema *schema)
{
	const struct cel_type *self = schema && schema->type ? schema->type : &cel_type_dyn;
	struct cel_place place = { schema, (uint32_t)c->rules->rules.n, 0 };

	for (uint32_t i = 0; i < val_count(list); i++) {
		int r = compile_rule(c, val_at(list, i), self, schema);

		if (r < 0)
			return r;
		place.n++;
	}
	c->rules->places[schema ? schema->number : 0] = place;
	return 0;
}

static int compile_schema(struct compiler *c, const struct cel_schema *s)
{
	int r = compile_list(c, s->rules, s);
	uint64_t values = c->values;

	c->values = values == UINT64_MAX || s->max_children == UINT64_MAX ? UINT64_MAX
									  : cel_cost_times(values, s->max_children);
	if (r == 0 && s->additional)
		r = compile_schema(c, s->additional);
	for (uint32_t i = 0; r == 0 && i < s->n_properties; i++) {
		r = compile_schema(c, s->properties[i].schema);
	}
	if (r == 0 && s->items) {
		bool before = c->uncorrelated;

		c->uncorrelated |= s->list_type != CEL_LIST_MAP;
		r = compile_schema(c, s->items);
		c->uncorrelated = before;
	}
	c->values = values;
	return r;
}

void cel_rules_free(struct cel_rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->rules.n; i++) {
		cel_program_free(r->rules.p[i].program);
		cel_program_free(r->rules.p[i].message_program);
	}
	vec_done(&r->rules);
	arena_done(&r->arena);
	free(r);
}

int cel_rules_compile(val schema, val rules, bool resource, const struct limits *lim, struct cel_rules **ret,
		      struct err *err)
{
	CLEANUP(cel_rules_freep) struct cel_rules *set = calloc(1, sizeof(*set));
	struct compiler c = { .rules = set, .values = 1, .limits = lim, .err = err };
	int r;

	if (!set)
		return err_nomem(err);
	arena_init(&set->arena, 4096, lim->arena_bytes);
	if (val_exists(schema) && !val_is_map(schema))
		return err_set(err, EINVAL, "schema is no object but %s", val_kind_name(schema));
	if (val_exists(schema)) {
		r = cel_schema_build(schema, resource, lim, &set->arena, &set->schema, err);
		if (r < 0)
			return r;
	}
	set->places = arena_zalloc(&set->arena, (set->schema ? set->schema->count : 1) * sizeof(*set->places));
	if (!set->places)
		return err_nomem(err);
	r = set->schema ? compile_schema(&c, set->schema) : compile_list(&c, rules, NULL);
	if (r < 0)
		return r;
	check_total(&c);
	*ret = TAKE(set);
	return 0;
}

size_t cel_rules_count(const struct cel_rules *r)
{
	return r->rules.n;
}

const struct cel_rule *cel_rules_at(const struct cel_rules *r, size_t i)
{
	return i < r->rules.n ? &r->rules.p[i] : NULL;
}

const struct cel_schema *cel_rules_schema(const struct cel_rules *r)
{
	return r->schema;
}
