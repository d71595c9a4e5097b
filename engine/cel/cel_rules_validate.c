/* Validates an object against compiled rules. */
#include "cel/cel_rules_internal.h"

#include "base/hash.h"
#include "go/quote.h"

#include <errno.h>
#include <stdio.h>

#define MESSAGE_MAX (5 * 1024)

struct run {
	const struct cel_rules *rules;
	struct cel_validation *v;
	struct cel_failure **tail;
	struct cel_way path;
	struct arena scratch; /* the arena of one rule's evaluation */
	struct err *err;
	bool stopped; /* the budget is used up: nothing more is evaluated */
};

/* The old state of a value, as far as it is known. */
struct past {
	val old; /* the value of oldSelf; VAL_ABSENT: unknown */
	/* the old value at the same place, for ratcheting; VAL_ABSENT: there is none; then see @unchanged_parent */
	val twin;
	bool has_twin;
	bool unchanged_parent; /* the nearest value around it that has a twin equals that twin */
	bool no_ratchet;
};

/* ---- results ---- */

/* Charge for a long path. A normal one costs nothing, but one with a key of a megabyte must not be copied for each
 * value below it. */
static void pay_for_path(struct run *run)
{
	size_t bytes = run->path.text.n + run->path.at.n * sizeof(*run->path.at.p);
	int64_t cost = (int64_t)(bytes / 1024 * 256);

	if (run->v->budget > 0)
		run->v->budget -= cost < run->v->budget ? cost : run->v->budget;
}

static int add_failure(struct run *run, struct cel_failure f, const struct cel_rule *rule)
{
	struct cel_failure *copy = arena_alloc(run->v->arena, sizeof(*copy));
	static const struct cel_where nowhere = { .text = { "", 0 } };
	const struct cel_where *below = rule && f.kind == CEL_FAILED ? &rule->sub_path : &nowhere;
	bool kept;

	pay_for_path(run);
	if (!cel_way_add(&run->path, below))
		return err_nomem(run->err);
	kept = cel_way_keep(&run->path, run->v->arena, &f.path);
	for (size_t i = 0; i < below->at.n; i++)
		cel_way_up(&run->path);
	if (f.message.p)
		f.message = arena_str(run->v->arena, f.message);
	if (!copy || !kept || !f.message.p)
		return err_nomem(run->err);
	f.rule = rule;
	f.next = NULL;
	*copy = f;
	*run->tail = copy;
	run->tail = &copy->next;
	if (f.warning)
		run->v->n_warnings++;
	else
		run->v->n_failures++;
	return 0;
}

static str rule_text(const struct cel_rule *r)
{
	str message = str_trim(r->message);

	return message.n ? message : str_trim(r->rule);
}

static int out_of_budget(struct run *run, const struct cel_rule *rule, val self, const char *what)
{
	run->stopped = true;
	run->v->budget = -1;
	return add_failure(
		run,
		(struct cel_failure){ .kind = CEL_COST,
				      .value = self,
				      .message = arena_printf(run->v->arena,
							      "%s failed due to running out of cost budget, no "
							      "further validation rules will be run",
							      what) },
		rule);
}

/* ---- lists of type map: old items by their keys ---- */

struct old_entry {
	uint64_t hash;
	uint32_t place;
};

struct old_index {
	const struct cel_schema *schema;
	val old;
	struct old_entry *entries; /* sorted by hash; NULL: old items cannot be found by keys */
	uint32_t n;
};

static uint64_t hash_keys(const struct cel_schema *s, val item)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < s->n_keys; i++)
		hash = hash_mix(hash, val_same_hash(val_get_key(item, s->keys[i])));
	return hash;
}

static bool same_keys(const struct cel_schema *s, val x, val y)
{
	for (uint32_t i = 0; i < s->n_keys; i++) {
		if (!val_equal(val_get_key(x, s->keys[i]), val_get_key(y, s->keys[i])))
			return false;
	}
	return true;
}

static int compare_entries(const void *x, const void *y)
{
	const struct old_entry *a = x, *b = y;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int index_old(struct arena *a, const struct cel_schema *s, val old, struct old_index *ix)
{
	*ix = (struct old_index){ .schema = s, .old = old };
	if (s->list_type != CEL_LIST_MAP || s->n_keys == 0 || val_count(old) == 0 || !val_is_list(old))
		return 0;
	ix->entries = arena_array(a, val_count(old), sizeof(*ix->entries));
	if (!ix->entries)
		return -ENOMEM;
	for (uint32_t i = 0; i < val_count(old); i++) {
		if (val_is_map(val_at(old, i)))
			ix->entries[ix->n++] = (struct old_entry){ hash_keys(s, val_at(old, i)), i };
	}
	qsort(ix->entries, ix->n, sizeof(*ix->entries), compare_entries);
	return 0;
}

/* The first old item that has the keys of @item. */
static val old_item(const struct old_index *ix, val item)
{
	uint32_t lo = 0, hi = ix->n;
	uint64_t hash;

	if (!ix->entries || !val_is_map(item))
		return (val){ 0 };
	hash = hash_keys(ix->schema, item);
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ix->entries[mid].hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < ix->n && ix->entries[lo].hash == hash; lo++) {
		val old = val_at(ix->old, ix->entries[lo].place);

		if (same_keys(ix->schema, old, item))
			return old;
	}
	return (val){ 0 };
}

/* ---- what has not changed ---- */

/* Whether two values are the same to the API server (apiserver/pkg/cel/common, CachedDeepEqual), with lists of type
 * map in any order: 1, 0, or -ENOMEM. */
static int same_value(struct arena *a, const struct cel_schema *s, val x, val y);

static int same_map_list(struct arena *a, const struct cel_schema *s, val x, val y)
{
	struct old_index ix;
	int r = index_old(a, s, y, &ix);

	if (r == 0 && !ix.entries)
		return val_equal(x, y);
	r = r < 0 ? r : 1;
	for (uint32_t i = 0; r > 0 && i < val_count(x); i++)
		r = same_value(a, s->items, val_at(x, i), old_item(&ix, val_at(x, i)));
	return r;
}

/* Compare members. One that the definition does not describe is never the same as before: the API server does not
 * look into it. */
static int same_members(struct arena *a, const struct cel_schema *s, val x, val y)
{
	int r = 1;

	for (uint32_t i = 0; r > 0 && i < x.n; i++) {
		const struct key *key = x.members[i].key;
		const struct cel_property *prop = s->n_properties ? cel_schema_property(s, key) : NULL;
		const struct cel_schema *sub = prop && !prop->implied ? prop->schema : prop ? NULL : s->additional;
		val old = val_get_key(y, key);

		r = sub && val_exists(old) ? same_value(a, sub, x.members[i].value, old) : 0;
	}
	return r;
}

/* Without a definition (@s NULL) nothing describes members: whole values are compared. The same is true for lists
 * whose items have no keys. */
static int same_value(struct arena *a, const struct cel_schema *s, val x, val y)
{
	if (!s || x.kind != y.kind || val_count(x) != val_count(y))
		return val_equal(x, y);
	if (val_is_list(x) && s->items && s->list_type == CEL_LIST_MAP)
		return same_map_list(a, s, x, y);
	if (val_is_map(x))
		return same_members(a, s, x, y);
	return val_equal(x, y);
}

/* Whether the value to which rules of @s apply is the same as before: 1, 0, or -ENOMEM. */
static int unchanged(struct run *run, const struct cel_schema *s, const struct past *past, val self)
{
	if (past->no_ratchet || !run->v->ratchet)
		return 0;
	if (!past->has_twin)
		return past->unchanged_parent;
	return same_value(&run->scratch, s, self, past->twin);
}

/* ---- one expression ---- */

/* Evaluate a program: 1 with *ret; 0 when the budget is used up (reported); negative. */
static int evaluate(struct run *run, const struct cel_rule *rule, const struct cel_program *p, const cv vars[2],
		    val self, const char *what, cv *ret)
{
	struct cel_run how = { .arena = &run->scratch,
			       .limits = run->v->limits,
			       .zones = run->v->zones,
			       .cost_limit = (uint64_t)(run->v->call_limit > 0 ? run->v->call_limit : 0),
			       .free_of_charge = true };
	int r = cel_evaluate(p, vars, &how, ret, run->err);

	if (r < 0)
		return r;
	run->v->evaluated++;
	if (how.cost > (uint64_t)run->v->budget) {
		r = out_of_budget(run, rule, self, what);
		return r < 0 ? r : 0;
	}
	run->v->budget -= (int64_t)how.cost;
	return 1;
}

static int evaluation_failed(struct run *run, const struct cel_rule *rule, cv error, val self)
{
	struct cel_failure f = { .kind = CEL_RUNTIME, .value = self };
	str text = error.err->text, of = rule_text(rule);

	if (error.err->cost) {
		run->stopped = true;
		run->v->budget = -1;
		f.kind = CEL_COST;
		f.message = arena_printf(
			run->v->arena,
			"'%.*s': no further validation rules will be run due to call cost exceeds limit for "
			"rule: %.*s",
			STR_ARG(text), STR_ARG(of));
	} else if (str_has_prefix(text, STR("no such overload"))) {
		f.message = arena_printf(run->v->arena,
					 "'%.*s': call arguments did not match a supported operator, function or macro "
					 "signature for rule: %.*s",
					 STR_ARG(text), STR_ARG(of));
	} else {
		f.message = arena_printf(run->v->arena, "%.*s evaluating rule: %.*s", STR_ARG(text), STR_ARG(of));
	}
	return add_failure(run, f, rule);
}

static str default_message(struct run *run, const struct cel_rule *rule)
{
	str message = str_trim(rule->message);

	if (message.n)
		return message;
	return arena_printf(run->v->arena, "failed rule: %.*s", STR_ARG(str_trim(rule->rule)));
}

/* The text that a message expression returned; {NULL, 0} with the mistake in it. */
static str usable_message(struct run *run, cv v, str *problem)
{
	str text = v.kind == CV_STRING ? str_trim(cv_str(v)) : (str){ "", 0 };

	if (cv_is_error(v))
		*problem = arena_printf(run->v->arena, "messageExpression evaluation failed due to: %.*s",
					STR_ARG(v.err->text));
	else if (v.kind == CV_STRING && v.n > MESSAGE_MAX)
		*problem = STR("messageExpression beyond allowable length of 5120");
	else if (text.n == 0)
		*problem = STR("messageExpression should evaluate to a non-empty string");
	else if (str_find_byte(text, '\n') >= 0)
		*problem = STR("messageExpression should not contain line breaks");
	else
		return text;
	return (str){ NULL, 0 };
}

static str message_cost(struct run *run, const struct cel_rule *rule)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(1u << 20);

	go_quote(&quoted, rule->message_expression);
	return arena_printf(run->v->arena,
			    "no further validation rules will be run due to call cost exceeds limit for "
			    "messageExpression: %.*s",
			    STR_ARG(buf_str(&quoted)));
}

static int rule_is_false(struct run *run, const struct cel_rule *rule, const cv vars[2], val self,
			 const struct past *past, bool ratcheted)
{
	struct cel_failure f = { .kind = CEL_FAILED,
				 .reason = rule->reason,
				 .value = self,
				 .old = rule->transition ? past->old : (val){ 0 },
				 .warning = ratcheted && !rule->transition };
	cv v;
	int r;

	if (rule->message_program) {
		r = evaluate(run, rule, rule->message_program, vars, self, "messageExpression evaluation", &v);
		if (r <= 0)
			return r;
		if (cv_is_error(v) && v.err->cost) {
			run->stopped = true;
			run->v->budget = -1;
			f.kind = CEL_COST;
			f.reason = CEL_INVALID;
			f.message = message_cost(run, rule);
			return add_failure(run, f, rule);
		}
		f.message = usable_message(run, v, &f.message_problem);
	}
	if (!f.message.p)
		f.message = default_message(run, rule);
	return add_failure(run, f, rule);
}

static int run_rule(struct run *run, const struct cel_rule *rule, const struct cel_schema *s, val self,
		    const struct past *past)
{
	struct arena *a = &run->scratch;
	bool has_old = val_exists(past->old) && !val_is_null(past->old);
	cv vars[2] = { cel_value(a, self, s), { .kind = CV_ERROR } }, v;
	int r;

	if (rule->error.p)
		return add_failure(run,
				   (struct cel_failure){ .kind = CEL_COMPILE,
							 .value = self,
							 .message = arena_printf(a, "rule compile error: %.*s",
										 STR_ARG(rule->error)) },
				   rule);
	if (rule->empty || (rule->transition && !has_old && !rule->optional_old))
		return 0;
	if (has_old)
		vars[1] = cel_value(a, past->old, s);
	if (rule->optional_old)
		vars[1] = has_old ? cv_some(a, vars[1]) : cv_none();
	r = evaluate(run, rule, rule->program, vars, self, "validation", &v);
	if (r <= 0)
		return r;
	if (cv_is_error(v))
		return evaluation_failed(run, rule, v, self);
	if (cv_is_true(v))
		return 0;
	r = unchanged(run, s, past, self);
	if (r < 0)
		return err_nomem(run->err);
	return rule_is_false(run, rule, vars, self, past, r > 0);
}

static int run_place(struct run *run, const struct cel_place *place, val self, const struct past *past)
{
	int r = 0;

	if (place->n && run->v->budget <= 0)
		return out_of_budget(run, NULL, self, "validation");
	for (uint32_t i = 0; r == 0 && i < place->n && !run->stopped; i++) {
		r = run_rule(run, &run->rules->rules.p[place->first + i], place->schema, self, past);
		if (run->scratch.blocks)
			arena_reset(&run->scratch);
	}
	return r;
}

/* ---- the walk ---- */

static int walk(struct run *run, const struct cel_schema *s, val self, const struct past *past, uint32_t depth);

/* The past of a part: that of its own twin if there is one, else that of the nearest value around it that has one.
 * @same: whether that value is unchanged. */
static struct past past_of(const struct past *outer, bool same, val old, bool correlates)
{
	struct past p = { .no_ratchet = outer->no_ratchet };

	p.old = correlates ? old : (val){ 0 };
	p.has_twin = outer->has_twin && correlates && val_exists(old);
	if (p.has_twin)
		p.twin = old;
	else
		p.unchanged_parent = same;
	return p;
}

static int walk_list(struct run *run, const struct cel_schema *s, val self, const struct past *past, uint32_t depth)
{
	int same = unchanged(run, s, past, self); /* determined once for all items */
	struct old_index ix;
	int r = same < 0 ? same : index_old(run->v->arena, s, past->old, &ix);

	if (r < 0)
		return err_nomem(run->err);
	for (uint32_t i = 0; r == 0 && i < val_count(self) && !run->stopped; i++) {
		struct past p = past_of(past, same > 0, old_item(&ix, val_at(self, i)), s->list_type == CEL_LIST_MAP);

		if (!cel_way_item(&run->path, i))
			return err_nomem(run->err);
		r = walk(run, s->items, val_at(self, i), &p, depth + 1);
		cel_way_up(&run->path);
	}
	return r;
}

static bool is_type_meta(str name)
{
	return str_eq(name, STR("apiVersion")) || str_eq(name, STR("kind")) || str_eq(name, STR("metadata"));
}

static int walk_map(struct run *run, const struct cel_schema *s, val self, const struct past *past, uint32_t depth)
{
	int same = unchanged(run, s, past, self), r = 0;

	if (same < 0)
		return err_nomem(run->err);
	for (uint32_t i = 0; r == 0 && i < self.n && !run->stopped; i++) {
		const struct key *key = self.members[i].key;
		const struct cel_property *prop = s->n_properties ? cel_schema_property(s, key) : NULL;
		const struct cel_schema *sub = prop ? prop->schema : s->additional;
		struct past p;

		if (!sub || !sub->has_rules_below)
			continue;
		p = past_of(past, same > 0, val_get_key(past->old, key), true);
		p.no_ratchet |= depth == 0 && is_type_meta(key_str(key));
		if (!cel_way_member(&run->path, key_str(key), !prop))
			return err_nomem(run->err);
		r = walk(run, sub, self.members[i].value, &p, depth + 1);
		cel_way_up(&run->path);
	}
	return r;
}

static int walk(struct run *run, const struct cel_schema *s, val self, const struct past *past, uint32_t depth)
{
	int r;

	if (!s->has_rules_below || val_is_null(self) || !val_exists(self))
		return 0;
	r = run_place(run, &run->rules->places[s->number], self, past);
	if (r < 0 || run->stopped)
		return r;
	if (val_is_list(self) && s->items && s->items->has_rules_below)
		return walk_list(run, s, self, past, depth);
	if (val_is_map(self))
		return walk_map(run, s, self, past, depth);
	return 0;
}

int cel_rules_validate(const struct cel_rules *rules, struct cel_validation *v, struct err *err)
{
	struct run run = { .rules = rules, .v = v, .tail = &v->failures, .err = err };
	struct past past = { .old = v->old, .twin = v->old, .has_twin = val_exists(v->old) };
	int r;

	v->failures = NULL;
	v->n_failures = v->n_warnings = 0;
	v->evaluated = 0;
	arena_init(&run.scratch, 0, v->limits->arena_bytes);
	if (!cel_way_init(&run.path, &v->root)) {
		cel_way_done(&run.path);
		return err_nomem(err);
	}
	pay_for_path(&run);
	if (rules->schema)
		r = walk(&run, rules->schema, v->object, &past, 0);
	else
		r = val_is_null(v->object) ? 0 : run_place(&run, &rules->places[0], v->object, &past);
	cel_way_done(&run.path);
	arena_done(&run.scratch);
	return r;
}
