/* Runs the rules of a phase one after the other. */
#include "rules/inspection/insp_run.h"

#include "rules/inspection/insp_condition.h"
#include "rules/inspection/insp_fact.h"

#include <stdio.h>

/* ---- order ---- */

struct place {
	const struct insp_rule *rule;
	size_t at; /* the former index keeps the order among equal rules */
};

static int by_priority(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->rule->priority != b->rule->priority)
		return a->rule->priority > b->rule->priority ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static int take_phase(struct insp_set *set, enum insp_phase phase, const struct place *all, size_t n, struct err *err)
{
	const struct insp_rule **rules = calloc(n + 1, sizeof(struct insp_rule *));

	if (!rules)
		return err_nomem(err);
	set->rules[phase] = rules;
	for (size_t i = 0; i < n; i++) {
		if (all[i].rule->phase == phase)
			rules[set->n[phase]++] = all[i].rule;
	}
	return 0;
}

int insp_set_init(struct insp_set *set, const struct insp_rule *const *user, size_t n_user,
		  const struct insp_rule *const *built_in, size_t n_built_in, struct err *err)
{
	size_t n = n_user + n_built_in;
	CLEANUP(freep) struct place *all = calloc(n + 1, sizeof(*all));
	struct insp_set made = { 0 };
	int r = 0;

	if (!all)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		all[i] = (struct place){ i < n_user ? user[i] : built_in[i - n_user], i };
		made.reads_dependents |= all[i].rule->reads_dependents;
		made.reads_previous |= all[i].rule->reads_previous;
		made.reads_verdict |= all[i].rule->reads_verdict;
	}
	qsort(all, n, sizeof(*all), by_priority);
	for (size_t p = 0; r == 0 && p < INSP_PHASES; p++)
		r = take_phase(&made, (enum insp_phase)p, all, n, err);
	if (r < 0)
		insp_set_done(&made);
	else
		*set = made;
	return r;
}

void insp_set_done(struct insp_set *set)
{
	for (size_t i = 0; i < INSP_PHASES; i++)
		free(set->rules[i]);
	*set = (struct insp_set){ 0 };
}

/* ---- one object ---- */

/* Whether supported_interfaces matches the object's "apiVersion/kind". */
static int is_supported(struct insp_run *run, const struct insp_object *object, bool *ret, struct err *err)
{
	str version = val_str(VAL_GET(object->node, "apiVersion")), kind = val_str(VAL_GET(object->node, "kind"));
	str text;
	int r;

	*ret = true;
	if (!run->config->interfaces)
		return 0;
	text = arena_printf(&run->scratch, "%.*s/%.*s", STR_ARG(version), STR_ARG(kind));
	if (!text.p)
		return arena_error(&run->scratch, err);
	r = py_regex_match(run->config->interfaces, &run->work.regex, text, false, &run->work.steps, err);
	*ret = r == 1;
	return r < 0 ? r : 0;
}

int insp_run_init(struct insp_run *run, const struct insp_object *object, const struct insp_config *config,
		  const struct insp_effects *effects, const struct limits *limits, struct arena *a, struct err *err)
{
	*run = (struct insp_run){
		.arena = a,
		.scratch = ARENA_INIT(limits->arena_bytes),
		.work = { .arena = a,
			  .limits = limits,
			  .steps = limits->evaluation_steps,
			  .text = BUF_INIT(limits->object_bytes) },
		.scope = { .work = &run->work,
			   .kept = a,
			   .masking = config->mask_secrets != INSP_MASK_NEVER,
			   .mask = config->mask,
			   .node = insp_doc(object->node),
			   .ports = insp_doc(object->ports),
			   .inventory = insp_doc(object->inventory),
			   .plugin_data = insp_doc(val_map_sorted(NULL, 0)) },
		.config = config,
		.effects = effects,
		.object_scope = object->scope,
	};
	run->inventory = object->inventory;
	return is_supported(run, object, &run->supported, err);
}

void insp_run_done(struct insp_run *run)
{
	arena_done(&run->scratch);
	buf_done(&run->work.text);
	py_regex_scratch_done(&run->work.regex);
}

void insp_run_inventory(struct insp_run *run, val inventory)
{
	run->inventory = inventory;
}

/* ---- one rule ---- */

static bool is_for(const struct insp_run *run, const struct insp_rule *rule)
{
	str scope = rule->scope.p || rule->built_in ? rule->scope : run->config->default_scope;

	return !scope.p || (run->object_scope.p && str_eq(scope, run->object_scope));
}

/* Evaluate the conditions in the scratch arena, so that a rule whose conditions do not hold leaves nothing behind. */
static int conditions_hold(struct insp_run *run, const struct insp_rule *rule, struct err *err)
{
	int r = 1;

	run->work.arena = &run->scratch;
	for (size_t i = 0; r == 1 && i < rule->n_conditions; i++)
		r = insp_condition_holds(&run->scope, &rule->conditions[i], err);
	run->work.arena = run->arena;
	run->scope.groups = (val){ 0 };
	if (run->scratch.blocks)
		arena_reset(&run->scratch);
	return r;
}

static int run_actions(struct insp_run *run, const struct insp_rule *rule, struct insp_text *failed, struct err *err)
{
	struct insp_actor actor = {
		.scope = &run->scope,
		.rule = rule,
		.effects = run->effects,
		.call_prefixes = run->config->call_prefixes,
		.n_call_prefixes = run->config->n_call_prefixes,
		.leaves_calls_out = run->config->leaves_calls_out,
	};
	int r = 0;

	if (run->effects->ran)
		run->effects->ran(run->effects->ctx, rule);
	for (size_t i = 0; r == 0 && i < rule->n_actions; i++)
		r = insp_act(&actor, &rule->actions[i], err);
	*failed = (struct insp_text){ actor.failed, actor.secret };
	return r;
}

static void end(struct insp_run *run, const struct insp_rule *rule, enum insp_state state, struct insp_text said)
{
	char *p = run->text;
	size_t n = sizeof(run->text);

	run->state = state;
	run->rule = rule;
	run->message = said.text;
	run->secret = said.secret && !rule->sensitive;
	if (state == INSP_FAILED && !rule->sensitive)
		return;
	if (rule->sensitive && state == INSP_FAILED)
		(void)snprintf(p, n, "inspection failed by sensitive rule %.*s", STR_ARG(rule->uuid));
	else if (rule->sensitive)
		(void)snprintf(p, n, "sensitive rule %.*s could not be run", STR_ARG(rule->uuid));
	else
		(void)snprintf(p, n, "rule %.*s: %.*s", STR_ARG(rule->uuid), STR_ARG(said.text));
	run->message = str_from(p);
}

static int run_rule(struct insp_run *run, const struct insp_rule *rule, struct err *err)
{
	struct err why;
	struct insp_text said = { 0 };
	int r;

	run->scope.masked = run->config->mask_secrets == INSP_MASK_ALWAYS ||
			    (run->config->mask_secrets == INSP_MASK_SENSITIVE && !rule->sensitive);
	r = conditions_hold(run, rule, &why);
	if (r == 0)
		return 0;
	said.secret = run->scope.secret;
	if (r == 1)
		r = run_actions(run, rule, &said, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		said.text = str_from(why.msg);
	if (r != 0)
		end(run, rule, r < 0 ? INSP_BROKEN : INSP_FAILED, said);
	return 0;
}

/* ---- a phase ---- */

/* The facts that @phase may see. Those of later phases are left out, even if the caller has them. */
static int visible_inventory(struct insp_run *run, enum insp_phase phase, val *ret, struct err *err)
{
	*ret = run->inventory;
	for (const struct insp_fact *f = insp_facts; f->name; f++) {
		if (phase >= f->from || !val_exists(val_get(*ret, str_from(f->name))))
			continue;
		*ret = val_map_without(run->arena, *ret, str_from(f->name));
		if (!val_exists(*ret))
			return err_nomem(err);
	}
	return 0;
}

int insp_run_phase(struct insp_run *run, const struct insp_set *set, enum insp_phase phase, struct err *err)
{
	val inventory;
	int r;

	if (!run->supported || run->state != INSP_DONE || set->n[phase] == 0)
		return 0;
	run->phase = phase;
	run->scope.early = phase == INSP_EARLY;
	r = visible_inventory(run, phase, &inventory, err);
	run->scope.inventory = insp_doc(inventory);
	for (size_t i = 0; r == 0 && run->state == INSP_DONE && i < set->n[phase]; i++) {
		if (is_for(run, set->rules[phase][i]))
			r = run_rule(run, set->rules[phase][i], err);
	}
	return r;
}
