/* Judges objects by the CEL rules of their kinds. */
#include "daemon/watch/rules/rule_judge.h"

#include "cel/cel.h"
#include "daemon/watch/rules/open_rules.h"
#include "daemon/watch/rules/restored_rules.h"
#include "daemon/watch/rules/ruled_kinds.h"
#include "daemon/watch/rules/violations.h"
#include "daemon/watch/verdict/rule_report.h"
#include "go/zoneinfo.h"
#include "rules/failure_text.h"

#include <errno.h>
#include <stdio.h>

/* The steps for all failures of one object: one budget for looking at values, which are hidden when it is used up,
 * and one for looking at paths. */
#define VALUE_STEPS (1000u * 1000)
#define PATH_STEPS (1000u * 1000)
#define BYTES_A_STEP 16      /* one step is spent for so many bytes of the texts of a failure */
#define RULES_TEXT_MAX 65536 /* the largest text of an object that is looked at before it is decoded */

struct rule_judge {
	struct rule_judge_options o;
	struct ruled_kinds kinds;
	struct restored_rules restored;
	struct arena arena;   /* memory for one validation */
	struct arena partial; /* scratch for the part of an object that is decoded to see whether it still passes */
	uint64_t evaluations;
	size_t counted_only; /* the number of failures of all objects that are only counted */
};

/* ---- making and freeing the judge ---- */

void rule_judge_free(struct rule_judge *j)
{
	if (!j)
		return;
	restored_rules_done(&j->restored);
	ruled_kinds_done(&j->kinds);
	arena_done(&j->arena);
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
	arena_init(&j->arena, 0, o->limits->arena_bytes);
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

struct judging {
	struct rule_judge *j;
	struct violations of;
	val old; /* VAL_ABSENT: the object has not changed, its old state is unknown, or no rule asks for it */
	bool changed;
	bool stopped[RULE_SOURCES]; /* the budget is used up: a rule that was not seen to fail may fail */
	const struct compiled_rules *set;
	struct open_rules *before; /* the violations that were open before; may be NULL */
	struct open_rules *open;   /* the violations that are open now */
	size_t n_failed;           /* the number of rules that failed for the object */
	enum severity worst;       /* the worst severity of failures that are only counted */
	uint64_t blame_steps;
	uint64_t value_steps, path_steps;
	struct topo type; /* the type of the object */
};

static enum severity severity_of(const struct judging *g, const struct cel_rule *rule)
{
	int own = compiled_rules_severity(g->set, rule);

	return own ? (enum severity)own : g->of.o->cfg->validation_severity;
}

/* ---- failures ---- */

static int over_budget(struct judging *g, const struct cel_failure *f, struct err *err)
{
	str rule = f->rule ? f->rule->rule : STR(OPEN_RULE_ALL);
	enum rule_source source = g->set->source;
	struct rule_scope scope = ruled_kind_scope(g->of.kind, g->of.o);
	int r;

	g->stopped[source] = true;
	if (open_rules_find(g->open, true, source, rule, STR("")))
		return 0;
	r = rule_errors_costs(&g->of.kind->errors, &scope, source, rule, f->message, err);
	if (r < 0)
		return r;
	if (open_rules_add(g->open, true, source, rule, STR(""), ""))
		return 0;
	rule_errors_costs_less(&g->of.kind->errors, &scope, source, rule, END_REPAIRED);
	return err_nomem(err);
}

/* Count one more failure than is reported. */
static void count(struct judging *g, const struct cel_rule *rule)
{
	enum severity severity = severity_of(g, rule);

	if (!g->open->more++ || severity < g->worst)
		g->worst = severity;
}

/* Only count this failure, and withdraw what was reported of it. */
static void count_only(struct judging *g, enum rule_source source, const struct cel_rule *rule, str path)
{
	struct open_rule *known = open_rules_find(g->before, false, source, rule->rule, path);

	if (known)
		known->counted = true;
	count(g, rule);
}

/* Only count this failure: it would take too long to find out where it is and whether it was reported. */
static int count_unseen(struct judging *g, const struct cel_rule *rule)
{
	g->stopped[g->set->source] = true;
	count(g, rule);
	return 0;
}

/* Whether the budget allows for reading the texts of the failure, which are masked, compared, hashed and copied. */
static bool may_read(const struct mask_fields *paths, const struct cel_failure *f)
{
	size_t bytes = f->path.text.n + f->message.n + (val_is_scalar(f->value) ? val_bytes(f->value) : 0);

	return mask_spend(paths, 1 + bytes / BYTES_A_STEP);
}

/* Older versions of driftd named an element of a list by its number. Move such a finding to @path, the place that it
 * has now. */
static void move_open(struct judging *g, const struct cel_failure *f, const struct mask_fields *paths, str path,
		      struct arena *a)
{
	enum rule_source source = g->set->source;
	str rule = f->rule->rule, by_number;
	const struct open_rule *x;
	struct finding_subject s;

	if (!g->before || !g->before->list.n)
		return;
	by_number = failure_path(paths, g->of.object->doc->root, NULL, &f->path, a);
	if (!by_number.p || str_eq(by_number, path))
		return;
	x = open_rules_find(g->before, false, source, rule, by_number);
	s = violations_subject(&g->of, source, rule, by_number);
	if (x && violations_move(&g->of, &s, x->acceptance, path))
		(void)!open_rules_move(g->before, (size_t)(x - g->before->list.p), path);
}

/* Report the violation @f at @path, which @by accepts (NULL: nobody does). @was: the id of the acceptance under
 * which it was open, or "". */
static int report_violation(struct judging *g, const struct cel_failure *f, str path, const char *was,
			    const struct accepted *by, struct err *err)
{
	struct object *o = g->of.object;
	struct finding_subject s = violations_subject(&g->of, g->set->source, f->rule->rule, path);
	struct failure_context c = {
		.failure = f,
		.object = o->doc->root,
		.managed_fields = doc_cache_managed_fields(o->kind->doc_cache, o),
		.blame_steps = &g->blame_steps,
		.several = o->several,
		.writers_before = g->changed ? doc_cache_writers(o->kind->doc_cache, o) : (val){ 0 },
		.subject = &s,
		.severity = by ? SEVERITY_INFO : severity_of(g, f->rule),
		.hold_ns = g->set->set ? g->set->set->hold_ns : 0,
		.received_ns = o->received_ns,
		.mask = &g->of.mask,
	};
	char now[ACCEPTANCE_ID_SIZE];

	s.reason = str_from(cel_reason_name((enum cel_reason)f->reason));
	c.kind = violations_accept(&g->of, &s, was, by, now);
	if (!open_rules_add(g->open, false, g->set->source, s.rule, s.rule_path, now))
		return err_nomem(err);
	g->n_failed++;
	return failure_report(g->of.o->findings, &c, err);
}

static int failed(void *ctx, const struct cel_failure *f, struct err *err)
{
	struct judging *g = ctx;
	enum rule_source source = g->set->source;
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct mask_fields paths = g->of.mask;
	const struct open_rule *known;
	struct finding_subject s;
	str path;

	if (f->kind == CEL_COST)
		return over_budget(g, f, err);
	paths.steps = &g->path_steps;
	path = may_read(&paths, f) ? failure_path(&paths, g->of.object->doc->root, &g->type, &f->path, &scratch)
				   : STR("");
	if (!path.p)
		return err_nomem(err);
	if (!g->path_steps)
		return count_unseen(g, f->rule);
	path = path.n ? path : STR(".");
	move_open(g, f, &paths, path, &scratch);
	/* the kind has the rule twice, for one place */
	if (open_rules_find(g->open, false, source, f->rule->rule, path))
		return 0;
	if (g->n_failed == FINDINGS_PER_OBJECT_MAX) {
		count_only(g, source, f->rule, path);
		return 0;
	}
	known = open_rules_find(g->before, false, source, f->rule->rule, path);
	s = violations_subject(&g->of, source, f->rule->rule, path);
	return report_violation(g, f, path, known ? known->acceptance : "", violations_accepted_by(&g->of, &s, f), err);
}

static int run_all(struct judging *g, struct err *err)
{
	struct rules_run run = {
		.object = g->of.object->doc->root,
		.old = g->old,
		.arena = &g->j->arena,
		.transient = true,
		.limits = g->of.o->limits,
		.zones = &go_zoneinfo,
		.failed = failed,
		.ctx = g,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ruled_kind_rules(g->of.kind)->sets.n; i++) {
		g->set = &ruled_kind_rules(g->of.kind)->sets.p[i];
		r = compiled_rules_run(g->set, &run, err);
		arena_reset(&g->j->arena);
	}
	g->j->evaluations += run.evaluated;
	return r;
}

static enum end_reason why_rule_ends(const struct ruled_kind *k, enum rule_source source, str text)
{
	return ruled_kind_has(k, source, text) ? END_REPAIRED : END_RULE_GONE;
}

/* Whether the violation @x, which was open and was not seen now, has ended. */
static bool is_over(const struct judging *g, const struct open_rule *x)
{
	const struct cel_rule *rule;

	if (x->source == RULES_OF_CRD && !ruled_kind_rules(g->of.kind)->crd &&
	    ruled_kinds_may_be_defined(&g->j->kinds, g->of.kind->kind))
		return false;
	rule = ruled_kind_find(g->of.kind, x->source, str_from(x->rule), NULL);
	if (!rule)
		return true;
	return !g->stopped[x->source] && (val_exists(g->old) || !rule->transition);
}

static void costs_less(struct judging *g, const struct open_rule *x)
{
	struct rule_scope scope = ruled_kind_scope(g->of.kind, g->of.o);
	str rule = str_from(x->rule);

	rule_errors_costs_less(&g->of.kind->errors, &scope, x->source, rule,
			       why_rule_ends(g->of.kind, x->source, rule));
}

static void end_open(struct judging *g, const struct open_rule *x, enum end_reason why)
{
	struct finding_subject s = violations_subject(&g->of, x->source, str_from(x->rule), str_from(x->path));

	if (x->costly)
		costs_less(g, x);
	else
		violations_end(&g->of, &s, x->acceptance, why);
}

/* Keep the violation open, because nothing is known that would end it. When its acceptance has begun or ended
 * meanwhile, it is reported anew, in the words of the rule. */
static int keep_open(struct judging *g, const struct open_rule *x, struct err *err)
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
	return report_violation(g, &f, path, x->acceptance, by, err);
}

/* Finish with @x, which was open and did not fail now: the violation ends, is only counted, or stays open because it
 * is unknown whether it has ended. */
static int finish_one(struct judging *g, const struct open_rule *x, struct err *err)
{
	str rule = str_from(x->rule), path = str_from(x->path);

	if (x->costly) {
		costs_less(g, x); /* the rule is counted again if it still costs too much */
	} else if (open_rules_find(g->open, false, x->source, rule, path)) {
		return 0;
	} else if (x->counted) {
		end_open(g, x, END_ONLY_COUNTED);
	} else if (is_over(g, x)) {
		end_open(g, x, why_rule_ends(g->of.kind, x->source, rule));
	} else if (g->n_failed == FINDINGS_PER_OBJECT_MAX) {
		if (!g->open->more++)
			g->worst = g->of.o->cfg->validation_severity;
		end_open(g, x, END_ONLY_COUNTED);
	} else {
		return keep_open(g, x, err);
	}
	return 0;
}

/* Begin, confirm or end the finding for the failures that are only counted. */
static int finish_more(struct judging *g, struct err *err)
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

static int finish_open(struct judging *g, struct err *err)
{
	int r = 0, one;

	for (size_t i = 0; g->before && i < g->before->list.n; i++) {
		one = finish_one(g, &g->before->list.p[i], err);
		r = r ? r : one;
	}
	g->j->counted_only += g->open->more - (g->before ? g->before->more : 0);
	one = finish_more(g, err);
	return r ? r : one;
}

int rule_judge_object(struct rule_judge *j, struct object *o, struct err *err)
{
	struct judging g = {
		.j = j,
		.of = { &j->o, ruled_kinds_find(&j->kinds, o->kind), o, j->o.cfg->mask },
		.blame_steps = BLAME_STEPS,
		.value_steps = VALUE_STEPS,
		.path_steps = PATH_STEPS,
	};
	struct err more_err;
	int r, more;

	g.of.mask.steps = &g.value_steps;
	g.changed = o->received_ns != 0;
	if (!g.of.kind)
		return 0;
	restored_rules_recall(&j->restored, o);
	g.before = o->open_rules;
	if (ruled_kind_rules(g.of.kind)->sets.n == 0 && !g.before)
		return 0;
	g.type = topo_root(o->kind->api_version, o->kind->name, ruled_kind_rules(g.of.kind)->schema);
	if (g.changed && g.of.kind->now && g.of.kind->now->transition) {
		if (doc_cache_open_previous(o->kind->doc_cache, o, err) < 0)
			return -err->code;
		g.old = doc_cache_previous(o);
	}
	g.open = calloc(1, sizeof(*g.open));
	if (!g.open)
		return err_nomem(err);
	r = run_all(&g, err);
	g.stopped[RULES_OF_CRD] |= r < 0;
	g.stopped[RULES_OF_FILE] |= r < 0;
	more = finish_open(&g, &more_err);
	if (r == 0 && more < 0) {
		*err = more_err;
		r = more;
	}
	open_rules_free(g.before);
	o->open_rules = TAKE(g.open);
	if (o->open_rules->list.n == 0 && !o->open_rules->more_reported)
		open_rules_free(TAKE(o->open_rules));
	o->passed = r == 0 && !o->open_rules && ruled_kind_read_set(g.of.kind)
			    ? object_ways_hash(ruled_kind_read_set(g.of.kind), o->doc->root)
			    : 0;
	return r;
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
	j->evaluations += passed->evaluated;
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

void rule_judge_keep(struct rule_judge *j, struct object *o)
{
	struct judging g = { .j = j, .of = { &j->o, ruled_kinds_find(&j->kinds, o->kind), o, j->o.cfg->mask } };

	restored_rules_recall(&j->restored, o);
	for (size_t i = 0; g.of.kind && o->open_rules && i < o->open_rules->list.n; i++) {
		const struct open_rule *x = &o->open_rules->list.p[i];
		struct finding_subject s = violations_subject(&g.of, x->source, str_from(x->rule), str_from(x->path));

		violations_confirm(&g.of, &s, x->acceptance);
	}
	if (g.of.kind && o->open_rules && o->open_rules->more_reported) {
		struct finding_subject s = violations_subject_of_more(&g.of);

		violations_confirm(&g.of, &s, o->open_rules->more_acceptance);
	}
}

bool rule_judge_has(const struct rule_judge *j, const struct kind *k, enum rule_source source, str rule)
{
	const struct ruled_kind *of = k ? ruled_kinds_find(&j->kinds, k) : NULL;

	return of && ruled_kind_has(of, source, rule);
}

void rule_judge_forget(struct rule_judge *j, struct object *o, enum end_reason why)
{
	struct judging g = { .j = j, .of = { &j->o, ruled_kinds_find(&j->kinds, o->kind), o, j->o.cfg->mask } };

	if (object_exists(o))
		restored_rules_recall(&j->restored, o);
	for (size_t i = 0; g.of.kind && o->open_rules && i < o->open_rules->list.n; i++)
		end_open(&g, &o->open_rules->list.p[i], why);
	if (g.of.kind && o->open_rules && o->open_rules->more_reported) {
		struct finding_subject s = violations_subject_of_more(&g.of);

		violations_end(&g.of, &s, o->open_rules->more_acceptance, why);
		j->counted_only -= o->open_rules->more;
	}
	rule_judge_release(o);
}

void rule_judge_release(struct object *o)
{
	open_rules_free(TAKE(o->open_rules));
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
	struct rule_facts f = { .evaluations = j->evaluations, .counted_only = j->counted_only };

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
