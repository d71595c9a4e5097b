/* Confirms and ends the open findings about one object. */
#include "daemon/watch/rules/object_rules.h"

#include "daemon/watch/rules/rule_failures.h"
#include "daemon/watch/verdict/rule_report.h"
#include "rules/failure_text.h"

void object_rules_init(struct object_rules *x, const struct rule_judge_options *o, const struct ruled_kinds *kinds)
{
	*x = (struct object_rules){ .o = o, .kinds = kinds };
	arena_init(&x->arena, 0, o->limits->arena_bytes);
}

void object_rules_done(struct object_rules *x)
{
	arena_done(&x->arena);
}

static enum end_reason why_rule_ends(const struct ruled_kind *k, enum rule_source source, str text)
{
	return ruled_kind_has(k, source, text) ? END_REPAIRED : END_RULE_GONE;
}

/* Whether the violation @x, which was open and was not seen now, has ended. */
static bool is_over(const struct object_rules *judge, const struct rule_failures *g, const struct open_rule *x)
{
	const struct cel_rule *rule;

	if (x->source == RULES_OF_CRD && !ruled_kind_rules(g->of.kind)->crd &&
	    ruled_kinds_may_be_defined(judge->kinds, g->of.kind->kind))
		return false;
	rule = ruled_kind_find(g->of.kind, x->source, str_from(x->rule), NULL);
	if (!rule)
		return true;
	return !g->stopped[x->source] && (val_exists(g->old) || !rule->transition);
}

static void costs_less(const struct violations *v, const struct open_rule *x)
{
	struct rule_scope scope = ruled_kind_scope(v->kind, v->o);
	str rule = str_from(x->rule);

	rule_errors_costs_less(&v->kind->errors, &scope, x->source, rule, why_rule_ends(v->kind, x->source, rule));
}

static void end_open(const struct violations *v, const struct open_rule *x, enum end_reason why)
{
	struct finding_subject s = violations_subject(v, x->source, str_from(x->rule), str_from(x->path));

	if (x->costly)
		costs_less(v, x);
	else
		violations_end(v, &s, x->acceptance, why);
}

/* Keep the violation open, because nothing is known that would end it. When its acceptance has begun or ended
 * meanwhile, it is reported anew, in the words of the rule. */
static int keep_open(struct rule_failures *g, const struct open_rule *x, struct err *err)
{
	str rule = str_from(x->rule), path = str_from(x->path);
	struct finding_subject s = violations_subject(&g->of, x->source, rule, path);
	const struct accepted *by = violations_still_accepted_by(&g->of, &s, x->acceptance);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct cel_failure f = { .rule = ruled_kind_find(g->of.kind, x->source, rule, &g->set), .path.text = path };

	if (!f.rule || strcmp(x->acceptance, by ? by->is.id : "") == 0) {
		violations_confirm(&g->of, &s, x->acceptance);
		g->n_failed++;
		return open_rules_add(g->open, false, x->source, rule, path, x->acceptance) ? 0 : err_nomem(err);
	}
	if (path_parse(path, &a, &f.path.at))
		f.value = path_get(g->of.object->doc->root, f.path.at);
	f.reason = f.rule->reason;
	f.message = failure_message(&f, true, &a);
	return rule_failures_report(g, &f, path, x->acceptance, by, err);
}

/* Finish with @x, which was open and did not fail now: the violation ends, is only counted, or stays open because it
 * is unknown whether it has ended. */
static int finish_one(const struct object_rules *judge, struct rule_failures *g, const struct open_rule *x,
		      struct err *err)
{
	str rule = str_from(x->rule), path = str_from(x->path);

	if (x->costly) {
		costs_less(&g->of, x); /* the rule is counted again if it still costs too much */
	} else if (open_rules_find(g->open, false, x->source, rule, path)) {
		return 0;
	} else if (x->counted) {
		end_open(&g->of, x, END_ONLY_COUNTED);
	} else if (is_over(judge, g, x)) {
		end_open(&g->of, x, why_rule_ends(g->of.kind, x->source, rule));
	} else if (g->n_failed == FINDINGS_PER_OBJECT_MAX) {
		if (!g->open->more++)
			g->worst = g->of.o->cfg->validation_severity;
		end_open(&g->of, x, END_ONLY_COUNTED);
	} else {
		return keep_open(g, x, err);
	}
	return 0;
}

/* Begin, confirm or end the finding for the failures that are only counted. */
static int finish_more(struct rule_failures *g, struct err *err)
{
	struct finding_subject s = violations_subject_of_more(&g->of);
	bool reported = g->before && g->before->more_reported;
	const char *was = reported ? g->before->more_acceptance : "";

	if (g->open->more) {
		const struct accepted *by = violations_accepted_by(&g->of, &s, NULL);
		enum finding_kind kind = violations_accept(&g->of, &s, was, by, g->open->more_acceptance);

		g->open->more_reported = true;
		return more_failures_report(g->of.o->findings, kind, &s, by ? SEVERITY_INFO : g->worst, g->open->more,
					    g->of.object->received_ns, err);
	}
	if (reported && (g->stopped[RULES_OF_CRD] || g->stopped[RULES_OF_FILE])) {
		g->open->more_reported = true;
		memcpy(g->open->more_acceptance, was, ACCEPTANCE_ID_SIZE);
		violations_confirm(&g->of, &s, was);
	} else if (reported) {
		violations_end(&g->of, &s, was, END_REPAIRED);
	}
	return 0;
}

static int finish_open(struct object_rules *judge, struct rule_failures *g, struct err *err)
{
	int r = 0, one;

	for (size_t i = 0; g->before && i < g->before->list.n; i++) {
		one = finish_one(judge, g, &g->before->list.p[i], err);
		r = r ? r : one;
	}
	judge->counted_only += g->open->more - (g->before ? g->before->more : 0);
	one = finish_more(g, err);
	return r ? r : one;
}

/* Read the state of the object at its last verdict, if a rule of the kind asks for it. Fails: ENOMEM. */
static int read_old(const struct ruled_kind *k, struct object *o, val *ret, struct err *err)
{
	*ret = (val){ 0 };
	if (!o->received_ns || !k->now || !k->now->transition)
		return 0;
	if (doc_cache_open_previous(o->kind->doc_cache, o, err) < 0)
		return -err->code;
	*ret = doc_cache_previous(o);
	return 0;
}

/* Run the rules, and finish with what was open before. */
static int validate(struct object_rules *x, struct rule_failures *g, struct err *err)
{
	struct err more_err;
	int r = rule_failures_run(g, &x->arena, &x->evaluations, err), more;

	g->stopped[RULES_OF_CRD] |= r < 0;
	g->stopped[RULES_OF_FILE] |= r < 0;
	more = finish_open(x, g, &more_err);
	if (r == 0 && more < 0) {
		*err = more_err;
		r = more;
	}
	return r;
}

int object_rules_judge(struct object_rules *x, struct ruled_kind *k, struct object *object, struct err *err)
{
	struct open_rules *open;
	struct rule_failures g;
	val old;
	int r;

	if (ruled_kind_rules(k)->sets.n == 0 && !object->open_rules)
		return 0;
	r = read_old(k, object, &old, err);
	if (r < 0)
		return r;
	open = calloc(1, sizeof(*open));
	if (!open)
		return err_nomem(err);
	rule_failures_init(&g, x->o, k, object, open);
	g.old = old;
	r = validate(x, &g, err);
	open_rules_free(g.before);
	object->open_rules = open;
	if (open->list.n == 0 && !open->more_reported)
		open_rules_free(TAKE(object->open_rules));
	object->passed = r == 0 && !object->open_rules && ruled_kind_read_set(k)
				 ? object_ways_hash(ruled_kind_read_set(k), object->doc->root)
				 : 0;
	return r;
}

static struct violations violations_of(const struct object_rules *x, struct ruled_kind *k, struct object *object)
{
	return (struct violations){ .o = x->o, .kind = k, .object = object, .mask = x->o->cfg->mask };
}

void object_rules_keep(const struct object_rules *x, struct ruled_kind *k, struct object *object)
{
	struct violations v = violations_of(x, k, object);

	for (size_t i = 0; object->open_rules && i < object->open_rules->list.n; i++) {
		const struct open_rule *is = &object->open_rules->list.p[i];
		struct finding_subject s = violations_subject(&v, is->source, str_from(is->rule), str_from(is->path));

		violations_confirm(&v, &s, is->acceptance);
	}
	if (object->open_rules && object->open_rules->more_reported) {
		struct finding_subject s = violations_subject_of_more(&v);

		violations_confirm(&v, &s, object->open_rules->more_acceptance);
	}
}

void object_rules_end(struct object_rules *x, struct ruled_kind *k, struct object *object, enum end_reason why)
{
	struct violations v = violations_of(x, k, object);

	for (size_t i = 0; object->open_rules && i < object->open_rules->list.n; i++)
		end_open(&v, &object->open_rules->list.p[i], why);
	if (object->open_rules && object->open_rules->more_reported) {
		struct finding_subject s = violations_subject_of_more(&v);

		violations_end(&v, &s, object->open_rules->more_acceptance, why);
		x->counted_only -= object->open_rules->more;
	}
}
