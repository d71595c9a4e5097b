/* Reports what fails of the rules of one object. */
#include "daemon/watch/rules/rule_failures.h"

#include "base/assert.h"
#include "cel/cel.h"
#include "daemon/watch/verdict/rule_report.h"
#include "go/zoneinfo.h"
#include "rules/failure_text.h"

/* The steps for all failures of one object: one budget for looking at values, which are hidden when it is used up,
 * and one for looking at paths. */
#define VALUE_STEPS (1000u * 1000)
#define PATH_STEPS (1000u * 1000)
#define BYTES_A_STEP 16 /* one step is spent for so many bytes of the texts of a failure */

void rule_failures_init(struct rule_failures *g, const struct rule_judge_options *o, struct ruled_kind *kind,
			struct object *object, struct open_rules *open)
{
	ASSERT(kind && open && !open->list.n);
	*g = (struct rule_failures){
		.of = { .o = o, .kind = kind, .object = object, .mask = o->cfg->mask },
		.changed = object->received_ns != 0,
		.before = object->open_rules,
		.open = open,
		.blame_steps = BLAME_STEPS,
		.value_steps = VALUE_STEPS,
		.path_steps = PATH_STEPS,
		.type = topo_root(object->kind->api_version, object->kind->name, ruled_kind_rules(kind)->schema),
	};
	g->of.mask.steps = &g->value_steps;
}

static enum severity severity_of(const struct rule_failures *g, const struct cel_rule *rule)
{
	int own = compiled_rules_severity(g->set, rule);

	return own ? (enum severity)own : g->of.o->cfg->validation_severity;
}

static int over_budget(struct rule_failures *g, const struct cel_failure *f, struct err *err)
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
static void count(struct rule_failures *g, const struct cel_rule *rule)
{
	enum severity severity = severity_of(g, rule);

	if (!g->open->more++ || severity < g->worst)
		g->worst = severity;
}

/* Only count this failure, and withdraw what was reported of it. */
static void count_only(struct rule_failures *g, enum rule_source source, const struct cel_rule *rule, str path)
{
	struct open_rule *known = open_rules_find(g->before, false, source, rule->rule, path);

	if (known)
		known->counted = true;
	count(g, rule);
}

/* Only count this failure: it would take too long to find out where it is and whether it was reported. */
static int count_unseen(struct rule_failures *g, const struct cel_rule *rule)
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
static void move_open(struct rule_failures *g, const struct cel_failure *f, const struct mask_fields *paths, str path,
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

int rule_failures_report(struct rule_failures *g, const struct cel_failure *f, str path, const char *was,
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
	struct rule_failures *g = ctx;
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
	return rule_failures_report(g, f, path, known ? known->acceptance : "", violations_accepted_by(&g->of, &s, f),
				    err);
}

int rule_failures_run(struct rule_failures *g, struct arena *scratch, uint64_t *evaluated, struct err *err)
{
	struct rules_run run = {
		.object = g->of.object->doc->root,
		.old = g->old,
		.arena = scratch,
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
		arena_reset(scratch);
	}
	*evaluated += run.evaluated;
	return r;
}
