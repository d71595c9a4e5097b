/* Reports rules that do not compile or cost too much. */
#include "daemon/watch/rules/rule_errors.h"

#include "base/assert.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/watch/verdict/rule_report.h"

struct finding_subject rule_subject(const struct rule_scope *s, enum rule_source source, str rule, str place)
{
	return (struct finding_subject){
		.cluster = s->cluster,
		.api_version = s->kind->api_version,
		.kind = s->kind->name,
		.resource = s->kind->resource,
		.rule = rule,
		.rule_path = place,
		.rule_source = str_from(rule_source_name(source)),
	};
}

static void rule_error_done(struct rule_error *e)
{
	free(e->rule);
	free(e->place);
}

static void list_done(struct rule_error *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rule_error_done(&list[i]);
	free(list);
}

void rule_errors_done(struct rule_errors *e)
{
	list_done(e->invalid.p, e->invalid.n);
	list_done(e->costly.p, e->costly.n);
	*e = (struct rule_errors){ 0 };
}

/* ---- rules that do not compile ---- */

/* Whether the error still exists. A rule with the same text may compile now, because the definition has changed. */
static bool is_there(const struct kind_rules *k, const struct rule_error *e)
{
	for (size_t i = 0; i < k->sets.n; i++) {
		const struct compiled_rules *c = &k->sets.p[i];

		for (size_t r = 0; c->source == e->source && r < cel_rules_count(c->rules); r++) {
			const struct cel_rule *rule = cel_rules_at(c->rules, r);

			if (str_eq(rule->where, str_from(e->place)) &&
			    (str_eq(rule->rule, str_from(e->rule)) ||
			     str_eq(rule->message_expression, str_from(e->rule))))
				return true;
		}
	}
	return false;
}

static void clear(const struct rule_scope *s, const struct kind_rules *k, const struct rule_error *e)
{
	struct finding_subject subject = rule_subject(s, e->source, str_from(e->rule), str_from(e->place));

	findings_clear(s->findings, FINDING_ERROR, &subject, is_there(k, e) ? END_REPAIRED : END_RULE_GONE);
}

static bool same_error(const struct rule_error *a, const struct rule_error *b)
{
	return a->source == b->source && strcmp(a->rule, b->rule) == 0 && strcmp(a->place, b->place) == 0;
}

static bool add_invalid(struct rule_errors *to, enum rule_source source, str rule, str place)
{
	struct rule_error e = { .source = source, .rule = str_dup(rule), .place = str_dup(place) };

	if (e.rule && e.place && vec_push(&to->invalid, e))
		return true;
	rule_error_done(&e);
	return false;
}

static int report_invalid(struct rule_errors *fresh, const struct rule_scope *s, const struct compiled_rules *c,
			  struct err *err)
{
	for (size_t i = 0; i < cel_rules_count(c->rules); i++) {
		const struct cel_rule *rule = cel_rules_at(c->rules, i);
		str why = rule->error.p ? rule->error : rule->message_error;
		str text = rule->error.p ? rule->rule : rule->message_expression;
		struct finding_subject subject = rule_subject(s, c->source, text, rule->where);

		if (!why.p || !rule_is_own(s->shard, &subject))
			continue;
		if (!add_invalid(fresh, c->source, text, rule->where))
			return err_nomem(err);
		if (rule_error_report(s->findings, &subject, why, err) < 0)
			return -err->code;
	}
	return 0;
}

static bool is_listed(const struct rule_errors *in, const struct rule_error *e)
{
	for (size_t i = 0; i < in->invalid.n; i++) {
		if (same_error(&in->invalid.p[i], e))
			return true;
	}
	return false;
}

int rule_errors_update(struct rule_errors *e, const struct rule_scope *s, const struct kind_rules *k, struct err *err)
{
	struct rule_errors fresh = { 0 };

	for (size_t i = 0; i < k->sets.n; i++) {
		if (report_invalid(&fresh, s, &k->sets.p[i], err) < 0) {
			rule_errors_done(&fresh);
			return -err->code;
		}
	}
	for (size_t i = 0; i < e->invalid.n; i++) {
		if (!is_listed(&fresh, &e->invalid.p[i]))
			clear(s, k, &e->invalid.p[i]);
	}
	/* a rule that costs too much is counted by the objects, which are about to be validated again */
	list_done(e->invalid.p, e->invalid.n);
	e->invalid.p = fresh.invalid.p;
	e->invalid.n = fresh.invalid.n;
	e->invalid.cap = fresh.invalid.cap;
	return 0;
}

/* ---- rules that cost too much ---- */

/* The subject of a finding about a costly rule. Each shard reports that for its own objects. */
static struct finding_subject cost_subject(const struct rule_scope *s, enum rule_source source, str rule,
					   char space[SHARD_TEXT_SIZE])
{
	struct finding_subject subject = rule_subject(s, source, rule, STR(FINDING_RULE_COST));

	subject.shard = str_from(shard_text(s->shard, space));
	return subject;
}

static struct rule_error *find_costly(struct rule_errors *e, enum rule_source source, str rule)
{
	for (size_t i = 0; i < e->costly.n; i++) {
		if (e->costly.p[i].source == source && str_eq(str_from(e->costly.p[i].rule), rule))
			return &e->costly.p[i];
	}
	return NULL;
}

int rule_errors_costs(struct rule_errors *e, const struct rule_scope *s, enum rule_source source, str rule, str why,
		      struct err *err)
{
	struct rule_error *known = find_costly(e, source, rule);
	struct rule_error x = { .source = source, .objects = 1 };
	char space[SHARD_TEXT_SIZE];
	struct finding_subject subject = cost_subject(s, source, rule, space);
	int r;

	if (known) {
		known->objects++;
		return 0;
	}
	r = rule_error_report(s->findings, &subject, why, err);
	if (r < 0)
		return r;
	x.rule = str_dup(rule);
	x.place = str_dup(STR(FINDING_RULE_COST));
	if (x.rule && x.place && vec_push(&e->costly, x))
		return 0;
	rule_error_done(&x);
	return err_nomem(err);
}

void rule_errors_costs_less(struct rule_errors *e, const struct rule_scope *s, enum rule_source source, str rule,
			    enum end_reason why)
{
	struct rule_error *known = find_costly(e, source, rule);
	char space[SHARD_TEXT_SIZE];
	struct finding_subject subject = cost_subject(s, source, rule, space);

	ASSERT(!known || known->objects > 0);
	if (!known || --known->objects > 0)
		return;
	findings_clear(s->findings, FINDING_ERROR, &subject, why);
	rule_error_done(known);
	*known = e->costly.p[--e->costly.n];
}
