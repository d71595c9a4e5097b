/* Judges objects by the CEL rules of their kinds. */
#include "daemon/watch/rules/rule_judge.h"

#include "daemon/watch/rules/object_rules.h"
#include "daemon/watch/rules/open_rules.h"
#include "daemon/watch/rules/restored_rules.h"
#include "daemon/watch/rules/ruled_kinds.h"

#define RULES_TEXT_MAX 65536 /* the largest text of an object that is looked at before it is decoded */

struct rule_judge {
	struct rule_judge_options o;
	struct ruled_kinds kinds;
	struct restored_rules restored;
	struct object_rules objects;
	struct arena partial; /* scratch for the part of an object that is decoded to see whether it still passes */
};

/* ---- making and freeing the judge ---- */

void rule_judge_free(struct rule_judge *j)
{
	if (!j)
		return;
	restored_rules_done(&j->restored);
	ruled_kinds_done(&j->kinds);
	object_rules_done(&j->objects);
	arena_done(&j->partial);
	free(j);
}

int rule_judge_new(const struct rule_judge_options *o, struct rule_judge **ret, struct err *err)
{
	CLEANUP(rule_judge_freep) struct rule_judge *j = calloc(1, sizeof(*j));
	const struct finding *x;
	size_t at = 0;

	if (!j)
		return err_nomem(err);
	j->o = *o;
	ruled_kinds_init(&j->kinds, &j->o);
	object_rules_init(&j->objects, &j->o, &j->kinds);
	arena_init(&j->partial, 0, o->limits->arena_bytes);
	while ((x = findings_each(o->findings, &at))) {
		if (finding_is_violation(x->kind, &x->subject) && str_eq(x->subject.cluster, o->cluster) &&
		    restored_rules_add(&j->restored, x, err) < 0)
			return -err->code;
	}
	*ret = TAKE(j);
	return 0;
}

void rule_judge_restore(struct rule_judge *j, const struct finding *x)
{
	struct err err;

	(void)!restored_rules_add(&j->restored, x, &err);
}

/* ---- kinds and their definitions ---- */

int rule_judge_add_kind(struct rule_judge *j, struct kind *k, struct err *err)
{
	return ruled_kinds_add(&j->kinds, k, err);
}

void rule_judge_drop_kind(struct rule_judge *j, struct kind *k)
{
	ruled_kinds_drop(&j->kinds, k);
}

void rule_judge_definition(struct rule_judge *j, struct doc *crd)
{
	ruled_kinds_definition(&j->kinds, crd);
}

void rule_judge_definition_gone(struct rule_judge *j, str name)
{
	ruled_kinds_definition_gone(&j->kinds, name);
}

bool rule_judge_each_definition(const struct rule_judge *j, bool (*each)(void *ctx, struct doc *crd), void *ctx)
{
	return ruled_kinds_each_definition(&j->kinds, each, ctx);
}

void rule_judge_kind_listed(struct rule_judge *j, const struct kind *k)
{
	ruled_kinds_listed(&j->kinds, k);
}

void rule_judge_definitions_known(struct rule_judge *j)
{
	ruled_kinds_definitions_known(&j->kinds);
}

/* ---- one object ---- */

int rule_judge_object(struct rule_judge *j, struct object *o, struct err *err)
{
	struct ruled_kind *k = ruled_kinds_find(&j->kinds, o->kind);

	if (!k)
		return 0;
	restored_rules_recall(&j->restored, o);
	return object_rules_judge(&j->objects, k, o, err);
}

void rule_judge_keep(struct rule_judge *j, struct object *o)
{
	struct ruled_kind *k = ruled_kinds_find(&j->kinds, o->kind);

	restored_rules_recall(&j->restored, o);
	if (k)
		object_rules_keep(&j->objects, k, o);
}

void rule_judge_forget(struct rule_judge *j, struct object *o, enum end_reason why)
{
	struct ruled_kind *k = ruled_kinds_find(&j->kinds, o->kind);

	if (object_exists(o))
		restored_rules_recall(&j->restored, o);
	if (k)
		object_rules_end(&j->objects, k, o, why);
	rule_judge_release(o);
}

void rule_judge_release(struct object *o)
{
	open_rules_free(TAKE(o->open_rules));
}

/* ---- whether an object passes as before ---- */

static bool looks_at(const struct ruled_kind *k, const struct object *o)
{
	return k && (ruled_kind_rules(k)->sets.n > 0 || o->open_rules);
}

static bool has_passed(struct rule_judge *j, const struct ruled_kind *k, const struct object *o, struct kc_object *e)
{
	const struct object_type type = { o->kind->api_version, o->kind->name };
	struct err err;
	const struct object_ways *read_set = ruled_kind_read_set(k);
	val root;

	if (e->doc)
		return object_ways_hash(read_set, e->doc->root) == o->passed;
	return object_decode_part(e->text, j->o.limits, j->o.keys, &type, &read_set->pick, NULL, &j->partial, &root,
				  &e->managed_fields, &err) == 0 &&
	       kc_object_confirmed(e, root) && object_ways_hash(read_set, root) == o->passed;
}

bool rule_judge_still_valid(struct rule_judge *j, const struct object *o, const struct kc_object *e)
{
	const struct ruled_kind *k = ruled_kinds_find(&j->kinds, o->kind);
	struct kc_object offered = *e;
	bool ret;

	if (!looks_at(k, o))
		return true;
	if (!o->passed || o->open_rules || restored_rules_any(&j->restored) || !ruled_kind_read_set(k) || !e->text.n ||
	    e->text.n > RULES_TEXT_MAX)
		return false;
	ret = has_passed(j, k, o, &offered);
	arena_reset(&j->partial);
	return ret;
}

/* ---- speculative evaluation ---- */

bool rule_judge_awaits(const struct rule_judge *j, const struct kind *kind)
{
	const struct ruled_kind *k = ruled_kinds_find(&j->kinds, kind);

	return restored_rules_any(&j->restored) || ruled_kinds_may_be_defined(&j->kinds, kind) ||
	       (k && k->now && !k->now->read_set.known);
}

static bool may_pass(const struct rule_judge *j, const struct kind *kind)
{
	const struct ruled_kind *k = ruled_kinds_find(&j->kinds, kind);

	return k && k->now && !rule_judge_awaits(j, kind);
}

struct rules_in_force *rule_judge_lend(const struct rule_judge *j, const struct kind *kind)
{
	return may_pass(j, kind) ? rules_in_force_ref(ruled_kinds_find(&j->kinds, kind)->now) : NULL;
}

bool rule_judge_may_pass(const struct rule_judge *j, const struct object *o)
{
	return !rule_judge_may_look_at(j, o) || (may_pass(j, o->kind) && !o->open_rules && !object_is_foreign(o));
}

bool rule_judge_take_passed(struct rule_judge *j, struct object *o, const struct rules_in_force *by,
			    const struct rules_passed *passed)
{
	if (!rule_judge_may_look_at(j, o))
		return true;
	if (!by || !rule_judge_may_pass(j, o) || ruled_kinds_find(&j->kinds, o->kind)->now != by)
		return false;
	o->passed = passed->seen;
	j->objects.evaluations += passed->evaluated;
	return true;
}

bool rule_judge_has_passed(const struct rule_judge *j, const struct object *o)
{
	return !rule_judge_may_look_at(j, o) || (o->passed && rule_judge_may_pass(j, o));
}

bool rule_judge_may_look_at(const struct rule_judge *j, const struct object *o)
{
	return rule_judge_awaits(j, o->kind) || looks_at(ruled_kinds_find(&j->kinds, o->kind), o);
}

bool rule_judge_has(const struct rule_judge *j, const struct kind *k, enum rule_source source, str rule)
{
	const struct ruled_kind *of = k ? ruled_kinds_find(&j->kinds, k) : NULL;

	return of && ruled_kind_has(of, source, rule);
}

/* ---- facts ---- */

static void count_rules(const struct compiled_rules *c, struct rule_facts *f)
{
	for (size_t r = 0; r < cel_rules_count(c->rules); r++) {
		const struct cel_rule *rule = cel_rules_at(c->rules, r);

		f->rules[c->source] += !rule->error.p && !rule->empty;
		f->invalid[c->source] += rule->error.p != NULL;
	}
}

struct rule_facts rule_judge_facts(const struct rule_judge *j)
{
	struct rule_facts f = { .evaluations = j->objects.evaluations, .counted_only = j->objects.counted_only };

	for (size_t i = 0; i < j->kinds.list.n; i++) {
		for (size_t s = 0; s < ruled_kind_rules(j->kinds.list.p[i])->sets.n; s++)
			count_rules(&ruled_kind_rules(j->kinds.list.p[i])->sets.p[s], &f);
	}
	return f;
}

val rule_judge_schema(const struct rule_judge *j, const struct kind *k)
{
	const struct ruled_kind *r = ruled_kinds_find(&j->kinds, k);

	return r ? ruled_kind_rules(r)->schema : (val){ 0 };
}
