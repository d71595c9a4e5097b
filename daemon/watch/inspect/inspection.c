/* The phases of an inspection, and its effects. */
#include "daemon/watch/inspect/inspection.h"

#include "daemon/watch/inspect/inspection_facts.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "rules/inspection/insp_read_set.h"

#include <errno.h>

static struct inspection_outcome outcome_of(struct inspection *x)
{
	return (struct inspection_outcome){
		.object = x->of.object,
		.dependents = x->dependents,
		.secrets = &x->secrets,
		.subject = &x->subject,
		.run = x->running ? &x->run : NULL,
		.problem = x->problem,
	};
}

/* ---- effects ---- */

static void on_ran(void *ctx, const struct insp_rule *rule)
{
	struct inspection *x = ctx;

	x->acted |= !insp_rule_is_quiet(rule);
}

struct effect {
	struct effect *next;
	const struct insp_rule *rule;
	bool is_call; /* true: a call; false: an entry of the journal */
	enum insp_level level;
	str message;
	struct insp_call call;
};

static bool is_due(const struct inspection *x, const struct insp_rule *rule)
{
	if (x->by->of.silent || x->of.due == EFFECTS_NONE)
		return false;
	return x->of.due == EFFECTS_ALL || rule->reads_dependents;
}

/* Describe where an effect of @rule comes from. Fills @about, to which the result points. */
static struct effect_origin origin_of(struct inspection *x, const struct insp_rule *rule, struct finding_subject *about)
{
	*about = x->subject;
	about->rule = rule->uuid;
	about->phase = str_from(insp_phase_name(rule->phase));
	return (struct effect_origin){ rule, about, x->by->of.cfg->inspection.effects_per_minute, &x->config };
}

/* A new effect that is due; NULL without room. */
static struct effect *effect_new(struct inspection *x, const struct insp_rule *rule)
{
	struct effect *e = arena_zalloc(&x->arena, sizeof(*e));

	if (e)
		e->rule = rule;
	return e;
}

/* Whether the rule may have one more effect. An effect that is certain to exceed the quota is dropped at once; one more
 * than the quota is kept, so that the excess can be reported. Rules run one after the other. */
static bool has_room(struct inspection *x, const struct insp_rule *rule, enum inspection_effect what)
{
	if (x->effects_of != rule)
		x->n_effects = 0;
	x->effects_of = rule;
	if (x->n_effects++ <= x->by->of.cfg->inspection.effects_per_minute)
		return true;
	x->by->context->counters.dropped[what]++;
	return false;
}

static void effect_add(struct inspection *x, struct effect *e, bool ok, enum inspection_effect what)
{
	if (!ok) {
		x->by->context->counters.dropped[what]++;
		return;
	}
	*x->next_effect = e;
	x->next_effect = &e->next;
}

static void on_log(void *ctx, const struct insp_rule *rule, enum insp_level level, struct insp_text message)
{
	struct inspection *x = ctx;
	const struct inspection_outcome outcome = outcome_of(x);
	struct effect *e;

	if (!is_due(x, rule) || !has_room(x, rule, INSPECTION_LOG))
		return;
	e = effect_new(x, rule);
	if (e) {
		e->level = level;
		e->message = arena_str(&x->arena, inspection_shown(x->by, &outcome, message, &x->arena));
	}
	effect_add(x, e, e && e->message.p, INSPECTION_LOG);
}

static bool copy_value(struct arena *a, val *v)
{
	if (!val_exists(*v))
		return true;
	*v = val_copy(a, NULL, *v);
	return val_exists(*v);
}

static void on_call(void *ctx, const struct insp_rule *rule, const struct insp_call *call)
{
	struct inspection *x = ctx;
	struct effect *e;
	bool ok = false;

	if (!is_due(x, rule) || !has_room(x, rule, INSPECTION_CALL))
		return;
	e = effect_new(x, rule);
	if (e) {
		e->is_call = true;
		e->call = *call;
		e->call.url = arena_str(&x->arena, call->url);
		ok = e->call.url.p && copy_value(&x->arena, &e->call.headers) &&
		     copy_value(&x->arena, &e->call.proxies);
	}
	effect_add(x, e, ok, INSPECTION_CALL);
}

static void carry_out(struct inspection *x)
{
	for (const struct effect *e = x->first_effect; e; e = e->next) {
		struct finding_subject about;
		const struct effect_origin origin = origin_of(x, e->rule, &about);

		if (e->is_call)
			effects_call(x->by->context, &origin, &e->call);
		else
			effects_log(x->by->context, &origin, e->level, e->message);
	}
}

/* ---- the phases ---- */

/* the rules may take one part in so many of the steps: the comparison in the same turn needs the rest */
#define STEPS_SHARE 2

static val document(const struct object *o)
{
	return o->doc->root;
}

static int facts(struct inspection *x, const struct verdict *v, val *ret, struct err *err)
{
	const struct object *o = x->of.object;
	struct inspection_facts f = {
		.subject = &x->subject,
		.event = x->of.event,
		.raw = document(o),
		.previous = x->rules->reads_previous ? doc_cache_previous(o) : (val){ 0 },
		.verdict = v,
		.unmasked = x->config.mask_secrets == INSP_MASK_NEVER,
	};

	return inspection_facts(&f, x->by->of.keys, &x->arena, ret, err);
}

/* The scope of a rule before the match is known: that of the reference, or of the first of the cluster's references. */
static str early_scope(const struct inspection *x)
{
	const struct cfg_cluster *cluster = x->by->of.cluster;

	if (x->of.reference)
		return x->of.reference->inspection_scope;
	return cluster->n_references ? cluster->references[0]->inspection_scope
				     : x->by->of.cfg->inspection.discovered_scope;
}

static str scope_of(const struct inspection *x)
{
	return x->of.reference ? x->of.reference->inspection_scope : x->by->of.cfg->inspection.discovered_scope;
}

static int look_at_dependents(struct inspection *x, val *ret, struct err *err)
{
	*ret = (val){ .kind = VAL_LIST };
	if (!x->rules->reads_dependents)
		return 0;
	/* An object that is gone is not inspected again, so that it need not be a reader; and the index does not
	 * have it. */
	if (x->of.object->state != OBJECT_GONE && !owners_read(&x->by->owners, x->of.object))
		return err_nomem(err);
	return owners_dependents(&x->by->owners, x->of.object, &x->arena, ret, err);
}

/* Find the dependents and the inventory, which are needed only if some rule runs. */
static int look_around(struct inspection *x, struct err *err)
{
	val inventory = val_null();
	int r = look_at_dependents(x, &x->dependents, err);

	if (r == 0)
		r = facts(x, NULL, &inventory, err);
	if (r < 0)
		return r;
	x->run.scope.ports = insp_doc(x->dependents);
	insp_run_inventory(&x->run, inventory);
	return 0;
}

/* The limit of an edited object: a rule can write one long text to many places. It is larger than any object that a
 * server accepts; beyond it the object is compared without its edits. */
#define EDITED_BYTES_MAX ((size_t)3 << 20)

static int check_size(struct inspection *x, struct err *err)
{
	val before = document(x->of.object), after = x->run.scope.node.real;

	x->oversized = before.members != after.members && val_bytes(after) > EDITED_BYTES_MAX;
	if (!x->oversized || x->run.state != INSP_DONE)
		return 0;
	return err_set(err, E2BIG, "rules make more than %zu bytes of the object", EDITED_BYTES_MAX);
}

static int run_first_phases(struct inspection *x, struct err *err)
{
	const struct insp_object object = {
		.node = document(x->of.object),
		.ports = { .kind = VAL_LIST },
		.inventory = val_map_sorted(NULL, 0),
		.scope = early_scope(x),
	};
	int r;

	x->running = true;
	r = insp_run_init(&x->run, &object, &x->config, &x->effects, &x->limits, &x->arena, err);
	if (r == 0 && x->run.supported)
		r = look_around(x, err);
	if (r == 0)
		r = insp_run_phase(&x->run, x->rules, INSP_EARLY, err);
	x->run.object_scope = scope_of(x);
	if (r == 0)
		r = insp_run_phase(&x->run, x->rules, INSP_PREPROCESS, err);
	return r < 0 ? r : check_size(x, err);
}

/* Note a problem. A limit that is exceeded is reported as a failure of the inspection; without memory the inspection
 * is done again. */
static int note_problem(struct inspection *x, int r, struct err *err)
{
	if (r == 0 || r == -ENOMEM)
		return r;
	x->problem = arena_str(&x->arena, str_from(err->msg));
	if (!x->problem.p)
		x->problem = STR("the object is too large to be inspected");
	return 0;
}

static void set_subject(struct inspection *x)
{
	struct finding_subject *s = &x->subject;

	object_subject(x->of.object, s);
	s->cluster = x->by->of.cluster->name;
	if (x->of.reference) {
		s->reference = x->of.reference->name;
		s->reference_hash = str_from(x->of.reference->reference->hash);
	}
	if (x->of.template)
		s->template_path = x->of.template->path;
}

static val object(const struct watch_inspection *base)
{
	const struct inspection *x = (const struct inspection *)base;
	val edited = x->running && !x->oversized ? x->run.scope.node.real : (val){ 0 };

	return val_is_map(edited) ? edited : document(x->of.object);
}

static bool awaits_verdict(const struct watch_inspection *base)
{
	const struct inspection *x = (const struct inspection *)base;

	return x->running && !x->complete && !x->problem.p && x->run.supported && x->run.state == INSP_DONE &&
	       x->rules->n[INSP_MAIN] > 0;
}

static int run_last_phase(struct inspection *x, const struct verdict *v, struct err *err)
{
	val inventory;
	int r;

	if (v->template)
		x->subject.template_path = v->template->path;
	r = facts(x, x->rules->reads_verdict ? v : NULL, &inventory, err);
	if (r < 0)
		return r;
	insp_run_inventory(&x->run, inventory);
	return insp_run_phase(&x->run, x->rules, INSP_MAIN, err);
}

static void count(const struct inspection *x, const struct inspection_outcome *outcome)
{
	struct inspection_counters *counters = &x->by->context->counters;

	if (x->by->of.silent || !x->rules)
		return;
	counters->inspections++;
	if (inspection_failed(outcome))
		counters->failures[inspection_failed_in(outcome)]++;
}

/* ---- what was found nothing in ---- */

/* Steps for values that the mask looks at and no rule reads: those of the object, and in each phase those of the
 * object and its old state. An object that is looked at as a text has at most half as many values as bytes. */
#define SPARE_STEPS ((1 + 2 * INSP_PHASES) * READ_SET_BYTES_MAX / 2)

static bool passes_again(const struct watch_inspection *base)
{
	const struct inspection *x = (const struct inspection *)base;
	const struct stored_object *stored = x->of.object->stored;

	return x->known || (x->running && !x->problem.p && x->run.state == INSP_DONE && !x->acted && stored &&
			    stored->n_object <= READ_SET_BYTES_MAX && x->run.work.steps >= SPARE_STEPS);
}

/* Find out whether an inspection that saw the same has found nothing. */
static void look_up(struct inspection *x)
{
	const struct object *o = x->of.object;
	const struct object_type type = { o->kind->api_version, o->kind->name };

	x->reads = inspector_reads(&x->by->base);
	x->seen = x->reads && o->stored ? watch_inspector_seen(x->reads, &type, document(o), o->stored->n_object) : 0;
	x->known = x->seen && recent_hashes_has(&x->reads->nothing, x->seen);
}

static int complete(struct inspection *x, const struct verdict *v, struct err *err)
{
	int r = awaits_verdict(&x->base) ? note_problem(x, run_last_phase(x, v, err), err) : 0;

	x->complete = r == 0;
	if (x->complete && x->seen && !x->known && passes_again(&x->base)) {
		recent_hashes_add(&x->reads->nothing, x->seen);
		x->known = true;
	}
	return r;
}

static int end(struct watch_inspection *base, const struct verdict *v, struct err *err)
{
	struct inspection *x = (struct inspection *)base;
	struct inspection_outcome outcome;
	int r = complete(x, v, err);

	if (r < 0)
		return r;
	outcome = outcome_of(x);
	r = inspection_report(x->by, &outcome, &x->arena, err);
	if (r < 0)
		return r;
	count(x, &outcome);
	carry_out(x);
	return 0;
}

static bool finds_nothing(struct watch_inspection *base, const struct verdict *v)
{
	struct err err;

	return complete((struct inspection *)base, v, &err) == 0 && passes_again(base);
}

static void release(struct watch_inspection *base)
{
	struct inspection *x = (struct inspection *)base;

	if (x->running)
		insp_run_done(&x->run);
	arena_done(&x->arena);
	free(x);
}

static struct insp_config config_of(const struct cfg *cfg)
{
	const struct cfg_inspection *x = &cfg->inspection;

	return (struct insp_config){
		.mask_secrets = (enum insp_masking)x->mask_secrets,
		.default_scope = x->default_scope,
		.interfaces = x->interfaces,
		.call_prefixes = x->call_prefixes,
		.n_call_prefixes = x->n_call_prefixes,
		.leaves_calls_out = x->leaves_calls_out,
		.mask = &cfg->mask,
	};
}

static int begin(struct inspection *x, struct inspector *by, const struct inspection_subject *of, struct err *err)
{
	static const struct watch_inspection_ops ops = { object, awaits_verdict, finds_nothing,
							 end,    passes_again,   release };

	*x = (struct inspection){
		.base.ops = &ops, .by = by, .of = *of, .config = config_of(by->of.cfg), .limits = *by->of.limits
	};
	x->limits.evaluation_steps /= STEPS_SHARE;
	arena_init(&x->arena, 0, by->of.limits->arena_bytes);
	x->next_effect = &x->first_effect;
	x->effects = (struct insp_effects){ .ran = on_ran, .log = on_log, .call = on_call, .ctx = x };
	set_subject(x);
	if (!inspector_has_rules(&by->base))
		return 0;
	if (inspector_rules(by, &x->rules, err) < 0)
		return -err->code;
	look_up(x);
	if (x->known)
		return 0;
	if (x->rules->reads_previous && doc_cache_open_previous(of->object->kind->doc_cache, of->object, err) < 0)
		return -err->code;
	return note_problem(x, run_first_phases(x, err), err);
}

int inspection_begin(struct watch_inspector *by, const struct inspection_subject *of, struct watch_inspection **ret,
		     struct err *err)
{
	struct inspection *x = malloc(sizeof(*x));

	if (!x)
		return err_nomem(err);
	*ret = &x->base;
	return begin(x, (struct inspector *)by, of, err);
}
