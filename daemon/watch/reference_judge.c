/* Judging objects by one reference. */
#include "daemon/watch/reference_judge.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/accepted_judge.h"
#include "daemon/watch/drift_review.h"
#include "daemon/watch/inspection.h"
#include "daemon/watch/object_subject.h"
#include "daemon/watch/rule_judge.h"
#include "daemon/watch/shown.h"
#include "daemon/watch/verdict_report.h"
#include "go/zoneinfo.h"

#include <errno.h>
#include <uv.h>

#define GLIMPSE_MAX ((size_t)64 * VIEW_BYTES_MAX)
#define GLIMPSE_KEPT 65536 /* of it, after use */

static bool can_be_named(const struct ref_template *t)
{
	return t->identity.api_version.n && t->identity.kind.n && t->identity.name.n;
}

/* Whether it is matched is a matter of its path, which others may list too. */
static void count_template(struct reference_judge *rj, const struct ref_template *t)
{
	const struct ref_template *other = t;

	do {
		rj->counts[other->index] = true;
		rj->names |= can_be_named(other);
		other = other->same_path;
	} while (other != t);
}

static void find_counting(struct reference_judge *rj)
{
	const struct reference *r = rj->reference->reference;

	for (size_t p = 0; p < r->n_parts; p++) {
		for (size_t i = 0; i < r->parts[p].n_components; i++) {
			const struct ref_component *component = &r->parts[p].components[i];

			if (!reference_judge_tells(rj, &r->parts[p], component))
				continue;
			for (size_t t = 0; t < component->n_templates; t++)
				count_template(rj, component->templates[t]);
		}
	}
}

int reference_judge_init(struct reference_judge *rj, const struct cfg *cfg, const struct cfg_cluster *cluster,
			 const struct cfg_reference *reference, size_t index, struct shard shard, struct err *err)
{
	size_t n = reference->reference->n_templates;

	*rj = (struct reference_judge){ .cfg = cfg,
					.cluster = cluster,
					.reference = reference,
					.index = index,
					.shard = shard,
					.components_due = true };
	dependents_init(&rj->dependents);
	arena_init(&rj->glimpse, 4096, GLIMPSE_MAX);
	rj->matched = calloc(n + 1, sizeof(*rj->matched));
	rj->referenced = calloc(n + 1, sizeof(*rj->referenced));
	rj->unknown = calloc(n + 1, sizeof(*rj->unknown));
	rj->waiting = calloc(n + 1, sizeof(*rj->waiting));
	rj->counts = calloc(n + 1, sizeof(*rj->counts));
	if (!rj->matched || !rj->referenced || !rj->unknown || !rj->waiting || !rj->counts)
		return err_nomem(err);
	find_counting(rj);
	if (reference->n_event_sets &&
	    event_review_new(reference->event_sets, reference->n_event_sets, &rj->review, err) < 0)
		return -err->code;
	return matcher_new(reference->reference, &rj->matcher, err);
}

void reference_judge_done(struct reference_judge *rj)
{
	matcher_free(rj->matcher);
	event_review_free(rj->review);
	dependents_done(&rj->dependents);
	views_done(&rj->views);
	arena_done(&rj->glimpse);
	free(rj->matched);
	free(rj->referenced);
	free(rj->unknown);
	free(rj->waiting);
	free(rj->counts);
	*rj = (struct reference_judge){ 0 };
}

/* ---- bookkeeping: what an object counts for ---- */

/* One object more or less that the template matches, of @others besides. */
static void count_changed(struct reference_judge *rj, size_t others)
{
	if (others == 0 || rj->offended)
		rj->components_due = true;
}

static void uncount(struct reference_judge *rj, struct object *o)
{
	struct judged *j = &o->judged[rj->index];
	bool stated = j->known && !o->foreign;

	ASSERT(!stated || rj->states[j->state] > 0);
	ASSERT(!j->matched || rj->matched[j->template] > 0);
	if (stated)
		rj->states[j->state]--;
	if (j->matched)
		count_changed(rj, --rj->matched[j->template]);
	for (size_t i = 0; i < j->n_references; i++) {
		ASSERT(rj->referenced[j->references[i]] > 0);
		if (--rj->referenced[j->references[i]] == 0)
			rj->components_due = true;
	}
	free(j->references);
	j->references = NULL;
	j->n_references = 0;
	j->known = j->matched = false;
	dependents_drop(&rj->dependents, &j->dependencies);
}

/* The templates that an object names: they are present by reference only. */
struct named {
	VEC(size_t) templates; /* indices */
	bool no_memory;
};

static void named_done(struct named *n)
{
	vec_done(&n->templates);
}

static void add_named(void *ctx, const struct ref_template *t)
{
	struct named *n = ctx;

	n->no_memory |= !vec_push(&n->templates, t->index);
}

/* Takes the list over. */
static void count_references(struct reference_judge *rj, struct judged *j, struct named *n)
{
	for (size_t i = 0; i < n->templates.n; i++) {
		if (rj->referenced[n->templates.p[i]]++ == 0)
			rj->components_due = true;
	}
	j->references = n->templates.p;
	j->n_references = (uint32_t)n->templates.n;
	*n = (struct named){ 0 };
}

static size_t candidates_for(const struct reference_judge *rj, const struct object *o,
			     const struct ref_template *const **ret)
{
	const struct identity id = object_identity(o);

	return matcher_candidates(rj->matcher, &id, ret);
}

/* Whether its verdict waits for a kind: then the components that it may count for are unknown. */
static void set_waits(struct reference_judge *rj, struct object *o, bool waits)
{
	struct judged *j = &o->judged[rj->index];
	const struct ref_template *const *candidates;
	size_t n;

	if (j->waits == waits)
		return;
	n = candidates_for(rj, o, &candidates); /* the same for all versions of an object */
	for (size_t i = 0; i < n; i++) {
		ASSERT(waits || rj->waiting[candidates[i]->index] > 0);
		rj->waiting[candidates[i]->index] += waits ? 1 : (size_t)-1;
	}
	j->waits = waits;
	rj->components_due = true;
}

static int count_dependencies(struct reference_judge *rj, struct object *o, const struct verdict *v,
			      const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];

	for (size_t i = 0; i < v->n_lookups; i++) {
		const struct verdict_lookup *l = &v->lookups[i];

		struct kind *kind = snapshot_find_kind(c->snapshot, l->api_version, l->kind);

		if (!kind) /* of one that is not watched nothing ever changes */
			continue;
		if (!dependents_add(&rj->dependents, kind, l->namespace, l->name, o, &j->dependencies))
			return err_nomem(err);
		kind->looked_up = true;
	}
	return 0;
}

static int account(struct reference_judge *rj, struct object *o, const struct verdict *v, struct named *n,
		   const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];

	uncount(rj, o);
	j->known = true;
	j->state = (uint8_t)v->state;
	j->matched = v->template != NULL;
	j->template = v->template ? (uint32_t)v->template->index : 0;
	if (!o->foreign)
		rj->states[v->state]++;
	if (j->matched)
		count_changed(rj, rj->matched[j->template]++);
	count_references(rj, j, n);
	return count_dependencies(rj, o, v, c, err);
}

/* ---- what the templates can see ---- */

/* Equal hashes mean that no candidate can come to another verdict and that nothing else is counted of the object: its
 * identity (which selects candidates), the templates that it names, what is left of it after omitting, as far as the
 * verdict saw that (@view, for each candidate; NULL: all), and what the template reads besides. False without memory:
 * then nothing can be said. */
static bool seen_hash(const struct ref_template *const *candidates, size_t n, const struct view_part *view, val object,
		      const struct named *named, struct arena *a, uint64_t *ret)
{
	struct identity id = identity_of(object);
	uint64_t h = hash_mix(1, n);

	h = hash_mix(h, hash_str(id.api_version, 0));
	h = hash_mix(h, hash_str(id.kind, 0));
	h = hash_mix(h, hash_str(id.namespace, 0));
	h = hash_mix(h, hash_str(id.name, 0));
	h = hash_mix(h, named->templates.n);
	for (size_t i = 0; i < named->templates.n; i++)
		h = hash_mix(h, named->templates.p[i]);
	if (!view_hash_seen(candidates, n, view, object, a, &h))
		return false;
	*ret = h;
	return true;
}

/* Who owns what, whenever it was written. */
static uint64_t hash_owners(val managed_fields)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < val_count(managed_fields); i++) {
		val entry = val_at(managed_fields, i);

		h = hash_mix(h, val_hash(VAL_GET(entry, "manager")));
		h = hash_mix(h, val_hash(VAL_GET(entry, "fieldsV1")));
	}
	return h;
}

/* The same of event rules, besides what is compared. @managed_fields: if they read who wrote. */
static uint64_t hash_what_rules_see(const struct event_review *rules, val object, val managed_fields)
{
	uint64_t h = 0;

	if (event_review_reads_labels(rules))
		h = val_hash(val_dig(object, "metadata", "labels", NULL));
	if (event_review_reads_managers(rules))
		h = hash_mix(h, hash_owners(managed_fields));
	return h;
}

/* ---- judging ---- */

struct evaluation {
	const struct reference_judge *rj;
	struct object *o;
	val object; /* what of it is compared */
	const struct judge_context *c;
	bool asked_writers;  /* rules did */
	VEC(void *) results; /* arrays handed to the template, alive until it ends */
	bool waits;          /* a kind that was looked up is not known */
};

/* What is not there may only be out of sight: of a kind that is not known nothing can be said, and of one that is not
 * watched never. */
static int look_at_kind(struct evaluation *e, const struct tmpl_lookup *request, struct err *err)
{
	const struct kind *k = snapshot_find_kind(e->c->snapshot, request->api_version, request->kind);

	if (k && k->known)
		return 0;
	e->waits |= k != NULL;
	return err_set(err, EAGAIN, "objects of kind %.*s of %.*s are not %s", STR_ARG(utf8_cut(request->kind, 64)),
		       STR_ARG(utf8_cut(request->api_version, 64)), k ? "known yet" : "watched");
}

static int lookup(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct evaluation *e = ctx;
	struct found found = { 0 };
	int r = look_at_kind(e, request, err);

	if (r == 0)
		r = snapshot_lookup(e->c->snapshot, request, &found, err);
	if (r == 0 && !vec_push(&e->results, found.values.p))
		r = err_nomem(err);
	if (r < 0) {
		vec_done(&found.values);
		return r;
	}
	*ret = found.values.p;
	*n = found.values.n;
	return 0;
}

static int64_t now(void *ctx, int32_t *nanoseconds)
{
	int64_t usec = clock_usec();

	(void)ctx;
	*nanoseconds = (int32_t)(usec % 1000000 * 1000);
	return usec / 1000000;
}

/* The configuration says that the reference is not for it, whatever templates there are. */
static bool is_excluded(const struct reference_judge *rj, const struct object *o)
{
	struct identity id = object_identity(o);

	return cfg_excluded_by(rj->reference, &id) != NULL;
}

static struct finding_subject subject_of(const struct reference_judge *rj, const struct object *o)
{
	struct finding_subject s = {
		.cluster = rj->cluster->name,
		.reference = rj->reference->name,
		.reference_hash = str_from(rj->reference->reference->hash),
	};

	object_subject(o, &s);
	return s;
}

static int review(void *ctx, struct verdict *v, const struct mask_fields *mask, uint64_t *steps, struct err *err)
{
	struct evaluation *e = ctx;
	struct keeper *keeper = e->o->kind->keeper;
	struct finding_subject s = subject_of(e->rj, e->o);
	struct drift_review review = {
		.rules = e->rj->review,
		.reference = e->rj->reference,
		.object = e->object,
		.schema = rule_judge_schema(e->c->rules, e->o->kind),
		.removal = {
			.open = findings_get(e->c->findings, FINDING_DRIFT, &s),
			.writers_before = keeper_writers(keeper, e->o),
			.managed_fields = keeper_managed_fields(keeper, e->o),
			.span = findings_span(e->c->findings),
		},
	};
	int r = drift_review_apply(&review, v, mask, steps, err);

	e->asked_writers = review.asked;
	return r;
}

/* @object: what of @o is compared, after inspection rules. */
static int evaluate(const struct reference_judge *rj, struct object *o, val object, const struct judge_context *c,
		    bool explain, struct verdict *v, struct judged *outcome, struct err *err)
{
	struct evaluation e = { .rj = rj, .o = o, .object = object, .c = c };
	struct compare_env env = {
		.limits = c->limits,
		.keys = c->keys,
		.lookup = lookup,
		.now = now,
		.ctx = &e,
		.zones = &go_zoneinfo,
		.mask = &rj->cfg->mask,
		.correlated = o->doc->root,
		.explain = explain,
		.view = !explain,
		.review = rj->review && !o->foreign ? review : NULL,
	};
	int r = 0;

	if (is_excluded(rj, o))
		*v = (struct verdict){ .state = VERDICT_EXCLUDED };
	else
		r = compare_object(rj->matcher, object, &env, v, err);
	for (size_t i = 0; i < e.results.n; i++)
		free(e.results.p[i]);
	vec_done(&e.results);
	outcome->waits = e.waits;
	outcome->asks_writers = e.asked_writers;
	return r;
}

/* Whether an object matches what is for it, whatever it is like. */
static bool identity_decides(const struct ref_template *const *candidates, size_t n)
{
	return n == 0 || (n == 1 && !candidates[0]->footprint.n_lookups && !candidates[0]->footprint.may_exclude);
}

/* Of one that others tell of nothing counts but what it matches. False: that is to be found out. */
static bool foreign_verdict(const struct reference_judge *rj, const struct object *o, struct verdict *v)
{
	const struct ref_template *const *candidates;
	size_t n = candidates_for(rj, o, &candidates);

	if (!o->foreign || !identity_decides(candidates, n))
		return false;
	*v = (struct verdict){ .state = VERDICT_UNMATCHED };
	if (n && !is_excluded(rj, o))
		*v = (struct verdict){ .state = VERDICT_COMPLIANT, .template = candidates[0] };
	return true;
}

static int evaluate_counted(struct reference_judge *rj, struct object *o, val object, const struct judge_context *c,
			    struct verdict *v, struct judged *outcome, struct err *err)
{
	uint64_t from = uv_hrtime();
	int r;

	if (foreign_verdict(rj, o, v))
		return 0;
	r = evaluate(rj, o, object, c, false, v, outcome, err);
	rj->counters.evaluations++;
	histogram_observe(&rj->counters.duration, uv_hrtime() - from);
	return r;
}

/* The inspection of @o under this reference, if there is a template for it. @silent: nobody is told. */
static int begin_inspection(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			    bool silent, struct inspection *x, struct err *err)
{
	const struct ref_template *const *candidates;
	size_t n = candidates_for(rj, o, &candidates);
	const struct inspection_subject of = {
		.object = o,
		.reference = rj->reference,
		.template = n == 1 ? candidates[0] : NULL,
		.event = (enum object_event)o->event,
		.due = silent || o->foreign ? EFFECTS_NONE : (enum effects_due)o->judged[rj->index].effects_due,
	};

	if (o->foreign && identity_decides(candidates, n))
		return 0;
	if (n > 0 && !is_excluded(rj, o) && inspector_active(c->inspector))
		return inspection_begin(x, c->inspector, &of, err);
	if (!silent)
		o->judged[rj->index].effects_due = EFFECTS_NONE;
	return 0;
}

/* The object as it is compared, kept by *edited when that is not its document. Fails: ENOMEM. */
static int explained_object(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			    struct doc **edited, val *ret, struct err *err)
{
	struct inspection x = { 0 };
	int r = begin_inspection(rj, o, c, true, &x, err);

	*edited = NULL;
	*ret = r == 0 && x.by ? inspection_object(&x) : o->doc->root;
	if (r == 0 && x.by && !val_equal(*ret, o->doc->root)) {
		*edited = doc_new(4096, c->limits->arena_bytes);
		if (*edited)
			(*edited)->root = val_copy(&(*edited)->arena, c->keys, *ret);
		if (!*edited || !val_exists((*edited)->root))
			r = err_nomem(err);
		else
			*ret = (*edited)->root;
	}
	inspection_done(&x);
	return r;
}

int reference_judge_explain(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
			    struct verdict *ret, struct doc **edited, bool *waits, struct err *err)
{
	struct judged outcome = { 0 };
	val object;
	int r = explained_object(rj, o, c, edited, &object, err);

	if (r == 0)
		r = evaluate(rj, o, object, c, true, ret, &outcome, err);
	if (r < 0)
		doc_unref(TAKE(*edited));
	*waits = outcome.waits;
	return r;
}

/* The part that holds @component. */
static const struct ref_part *part_of(const struct reference *r, const struct ref_component *component)
{
	for (size_t i = 0; i < r->n_parts; i++) {
		if (component >= r->parts[i].components &&
		    component < r->parts[i].components + r->parts[i].n_components)
			return &r->parts[i];
	}
	return NULL;
}

static void add_template(const struct reference_judge *rj, struct finding_subject *s, const struct ref_template *t)
{
	const struct ref_part *part;

	if (!t)
		return;
	part = part_of(rj->reference->reference, t->component);
	s->template_path = t->path;
	s->component = t->component->name;
	s->part = part ? part->name : STR("");
}

static struct accepted_judge accepted_judge_of(const struct judge_context *c)
{
	return (struct accepted_judge){ c->acceptances, c->findings };
}

/* What of the drift is accepted is told apart. @unruled: the severity of changes that no event rule is for. */
static int report_drift(const struct verdict_context *context, enum severity unruled, const struct judge_context *c,
			struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->limits->arena_bytes);
	const struct accepted_judge accepted = accepted_judge_of(c);
	struct verdict left = *context->verdict; /* a view */
	struct verdict_context told = *context;
	const char *why = NULL;

	if (accepted_drift(&accepted, context, &a, &left.changes, &why, err) < 0)
		return -err->code;
	if (why) {
		findings_clear(c->findings, FINDING_DRIFT, context->subject, why);
		return 0;
	}
	if (left.changes.n) /* the worst is the first */
		told.severity = left.changes.p[0].rule ? event_rule_severity(left.changes.p[0].rule) : unruled;
	told.verdict = &left;
	return verdict_report(c->findings, &told, err);
}

static int report(struct reference_judge *rj, struct object *o, val object, const struct verdict *v,
		  const struct judge_context *c, struct err *err)
{
	const struct accepted_judge accepted = accepted_judge_of(c);
	struct finding_subject s = subject_of(rj, o);
	struct verdict_context context = {
		.kind = FINDING_DRIFT,
		.verdict = v,
		.object = object,
		.subject = &s,
		.received_ns = o->received_ns,
		.hold_ns = rj->reference->hold_ns,
		.limits = c->limits,
	};
	enum severity unruled;

	if (o->foreign)
		return 0;
	if (v->state == VERDICT_DRIFTED || v->state == VERDICT_ERROR || findings_get(c->findings, FINDING_DRIFT, &s)) {
		context.managed_fields = keeper_managed_fields(o->kind->keeper, o);
		context.writers_before = keeper_writers(o->kind->keeper, o);
	}
	add_template(rj, &s, v->template);
	context.severity = cfg_severity(rj->reference, s.component);
	unruled = context.severity;
	if (v->outcome) {
		context.severity = v->outcome->severity;
		context.hold_ns = v->outcome->hold_ns;
	}
	switch (v->state) {
	case VERDICT_DRIFTED:
		findings_clear(c->findings, FINDING_ERROR, &s, NULL);
		return report_drift(&context, unruled, c, err);
	case VERDICT_ERROR:
		/* Whether the drift is repaired cannot be said: it stays as it is. */
		rj->counters.failures++;
		findings_confirm(c->findings, FINDING_DRIFT, &s);
		accepted_object_confirm(&accepted, &s);
		return verdict_report(c->findings, &context, err);
	default:
		accepted_object_ends(&accepted, &s, NULL);
		verdict_repaired(c->findings, &context,
				 v->state == VERDICT_COMPLIANT ? NULL : "no longer in the reference");
		findings_clear(c->findings, FINDING_ERROR, &s, NULL);
		return 0;
	}
}

static void confirm(const struct reference_judge *rj, const struct object *o, const struct judge_context *c)
{
	const struct accepted_judge accepted = accepted_judge_of(c);
	struct finding_subject s = subject_of(rj, o);

	if (o->foreign)
		return;
	findings_confirm(c->findings, FINDING_DRIFT, &s);
	findings_confirm(c->findings, FINDING_ERROR, &s);
	accepted_object_confirm(&accepted, &s);
}

/* The machine could not judge: that is told under the object's own name, for "no drift" would be a lie. */
static void report_failure(const struct reference_judge *rj, const struct object *o, const struct err *why,
			   const struct judge_context *c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct accepted_judge accepted = accepted_judge_of(c);
	struct finding_report r = { .kind = FINDING_ERROR, .severity = rj->reference->severity };
	struct err err;

	if (o->foreign)
		return;
	r.subject = subject_of(rj, o);
	r.what = arena_printf(&a, "%.*s cannot be judged: %s", STR_ARG(shown_object(&a, &r.subject)), why->msg);
	r.state = str_from(why->msg);
	r.received_ns = o->received_ns;
	(void)!findings_report(c->findings, &r, &err); /* the object is judged again */
	findings_confirm(c->findings, FINDING_DRIFT, &r.subject);
	accepted_object_confirm(&accepted, &r.subject);
}

/* Hash what the templates, and the rules for the difference, can see. False: that cannot be said. */
static bool hash_seen_with(const struct reference_judge *rj, struct object *o, const struct view *view, val object,
			   const struct named *named, struct arena *a, uint64_t *ret)
{
	const struct ref_template *const *candidates;
	size_t n = candidates_for(rj, o, &candidates);
	val managed_fields = { 0 };

	ASSERT(!view || view->n == n);
	if (!seen_hash(candidates, n, view ? view->parts : NULL, object, named, a, ret))
		return false;
	if (rj->review && event_review_reads_managers(rj->review))
		managed_fields = keeper_managed_fields(o->kind->keeper, o);
	if (rj->review)
		*ret = hash_mix(*ret, hash_what_rules_see(rj->review, object, managed_fields));
	return true;
}

static bool hash_seen(const struct reference_judge *rj, struct object *o, const struct view *view, val object,
		      const struct named *named, const struct judge_context *c, uint64_t *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->limits->arena_bytes);

	return hash_seen_with(rj, o, view, object, named, &a, ret);
}

/* What came of a comparison is counted and told. @named is taken over. */
static int conclude(struct reference_judge *rj, struct object *o, val object, const struct verdict *v, bool waits,
		    struct named *named, const struct judge_context *c, struct err *err)
{
	int r;

	set_waits(rj, o, waits);
	if (waits) {
		confirm(rj, o, c);
		return 0;
	}
	r = account(rj, o, v, named, c, err);
	return r < 0 ? r : report(rj, o, object, v, c, err);
}

/* @v: NULL: there is no verdict yet, and then no inspection either. */
static int end_inspection(const struct reference_judge *rj, struct object *o, struct inspection *x,
			  const struct verdict *v, struct err *err)
{
	int r;

	if (o->foreign)
		return 0;
	if (!v) {
		inspector_keep(x->by, o, rj->reference);
		return 0;
	}
	r = inspection_end(x, v, err);
	if (r == 0)
		o->judged[rj->index].effects_due = EFFECTS_NONE;
	return r;
}

/* Whether the view of its last verdict says what the next will see. */
static bool sees_part(const struct object *o, const struct inspection *x)
{
	return !x->by && o->body && o->body->n_object <= VIEW_BYTES_MAX;
}

/* @x: its inspection, which may not have begun. */
static int judge(struct reference_judge *rj, struct object *o, struct inspection *x, bool force,
		 const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];
	val object = x->by ? inspection_object(x) : o->doc->root;
	CLEANUP(named_done) struct named named = { 0 };
	static const struct verdict none;
	struct judged outcome = { 0 };
	struct verdict v;
	uint64_t seen = 0;
	bool known;
	int r;

	matcher_references(rj->matcher, o->doc->root, add_named, &named);
	if (named.no_memory)
		return err_nomem(err);
	known = hash_seen(rj, o, sees_part(o, x) ? j->view : NULL, object, &named, c, &seen);
	force |= x->by && !o->foreign && inspection_awaits_verdict(x);
	if (!force && known && j->known && j->seen_known && j->seen == seen) {
		rj->counters.skipped_unchanged++;
		confirm(rj, o, c);
		return x->by ? end_inspection(rj, o, x, &none, err) : 0;
	}
	r = evaluate_counted(rj, o, object, c, &v, &outcome, err);
	if (r < 0)
		return r;
	j->asks_writers = outcome.asks_writers;
	if (sees_part(o, x) && views_take(&rj->views, v.view, v.n_view, c->keys, &j->view))
		known = known && hash_seen(rj, o, j->view, object, &named, c, &seen);
	r = conclude(rj, o, object, &v, outcome.waits, &named, c, err);
	j->seen = seen;
	j->seen_known = known && r == 0 && !outcome.waits;
	if (r == 0 && x->by)
		r = end_inspection(rj, o, x, outcome.waits ? NULL : &v, err);
	verdict_done(&v);
	return r;
}

int reference_judge_object(struct reference_judge *rj, struct object *o, bool force, const struct judge_context *c,
			   struct err *err)
{
	struct inspection x = { 0 };
	int r = begin_inspection(rj, o, c, false, &x, err);

	if (r == 0)
		r = judge(rj, o, &x, force, c, err);
	inspection_done(&x);
	if (r < 0) {
		o->judged[rj->index].seen_known = false;
		report_failure(rj, o, err, c);
	}
	return r;
}

/* What a template looks up may not be listed yet, and what depends on the clock is for the time that it is told. */
static bool depend_on_object_only(const struct ref_template *const *candidates, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct tmpl_footprint *print = &candidates[i]->footprint;

		if (print->n_lookups || print->uses_time || print->uses_random)
			return false;
	}
	return true;
}

/* What rules make of a difference needs all that is known of the object. */
static int foresee(const struct reference_judge *rj, const struct foresee *f, struct verdict *v)
{
	struct compare_env env = {
		.limits = f->limits,
		.keys = f->keys,
		.now = now,
		.zones = &go_zoneinfo,
		.mask = &rj->cfg->mask,
		.correlated = f->object,
		.view = true,
	};
	struct err err;

	if (!cfg_excluded_by(rj->reference, &f->id))
		return compare_object(rj->matcher, f->object, &env, v, &err);
	*v = (struct verdict){ .state = VERDICT_EXCLUDED };
	return 0;
}

static bool foresee_hash(const struct reference_judge *rj, const struct foresee *f,
			 const struct ref_template *const *candidates, size_t n, const struct named *named,
			 struct foreseen *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(f->limits->arena_bytes);

	ASSERT(!ret->view || ret->view->n == n);
	if (!seen_hash(candidates, n, ret->view ? ret->view->parts : NULL, f->object, named, &a, &ret->seen))
		return false;
	if (rj->review)
		ret->seen = hash_mix(ret->seen, hash_what_rules_see(rj->review, f->object, (val){ 0 }));
	return true;
}

bool reference_judge_foresee(const struct reference_judge *rj, const struct foresee *f, struct foreseen *ret)
{
	CLEANUP(named_done) struct named named = { 0 };
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(rj->matcher, &f->id, &candidates);
	uint64_t from = uv_hrtime();
	struct verdict v;
	bool silent;

	*ret = (struct foreseen){ 0 };
	if (!depend_on_object_only(candidates, n) || (rj->review && event_review_reads_managers(rj->review)))
		return false;
	matcher_references(rj->matcher, f->object, add_named, &named);
	if (named.no_memory || foresee(rj, f, &v) < 0)
		return false;
	silent = v.state != VERDICT_DRIFTED && v.state != VERDICT_ERROR;
	ret->state = v.state;
	ret->template = v.template;
	if (silent && f->n_text <= VIEW_BYTES_MAX)
		(void)views_take(f->views, v.view, v.n_view, f->keys, &ret->view);
	verdict_done(&v);
	if (!silent || !foresee_hash(rj, f, candidates, n, &named, ret)) {
		foreseen_done(ret, f->views);
		return false;
	}
	ret->named = named.templates.p;
	ret->n_named = named.templates.n;
	named = (struct named){ 0 };
	ret->took_ns = uv_hrtime() - from;
	return true;
}

void foreseen_done(struct foreseen *f, struct views *views)
{
	free(TAKE(f->named));
	views_drop(views, &f->view);
}

static bool anything_open(const struct reference_judge *rj, const struct object *o, const struct judge_context *c)
{
	struct finding_subject s = subject_of(rj, o);

	return findings_get(c->findings, FINDING_DRIFT, &s) || findings_get(c->findings, FINDING_ERROR, &s);
}

bool reference_judge_take_foreseen(struct reference_judge *rj, struct object *o, struct foreseen *f,
				   const struct judge_context *c)
{
	const struct verdict v = { .state = f->state, .template = f->template };
	struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	struct err err;

	if (anything_open(rj, o, c))
		return false;
	if (f->view)
		(void)views_take(&rj->views, f->view->parts, f->view->n, c->keys, &j->view);
	if (f->view && !j->view) /* there are too many */
		return false;
	named.templates.p = TAKE(f->named);
	named.templates.n = f->n_named;
	if (account(rj, o, &v, &named, c, &err) < 0)
		return false;
	if (!o->foreign) { /* else it is counted where it belongs */
		rj->counters.evaluations++;
		histogram_observe(&rj->counters.duration, f->took_ns);
	}
	j->seen = f->seen;
	return j->seen_known = true;
}

/* ---- whether a verdict stands ---- */

struct besides {
	const struct reference_judge *rj;
	struct key_table *keys;
};

/* What else than a view is looked at, by hash_what_rules_see too. */
static bool pick_besides(void *ctx, struct arena *a, struct json_pick *pick)
{
	static const str labels[] = { { "metadata", 8 }, { "labels", 6 } };
	const struct besides *b = ctx;
	struct json_pick of;

	if (!matcher_references_pick(b->keys, a, pick))
		return false;
	return !b->rj->review || !event_review_reads_labels(b->rj->review) ||
	       (json_pick_path(labels, ARRAY_LEN(labels), b->keys, a, &of) && json_pick_both(pick, &of, a, pick));
}

/* So far below the limits of a document that no text of VIEW_BYTES_MAX comes near them. */
static bool are_far(const struct limits *limits)
{
	return limits->document_nodes >= VIEW_BYTES_MAX && limits->arena_bytes >= (size_t)64 * VIEW_BYTES_MAX;
}

const struct json_pick *reference_judge_pick(const struct reference_judge *rj, const struct identity *id,
					     struct views *views, struct view *view, const struct limits *limits,
					     struct key_table *keys)
{
	const struct ref_template *const *candidates = NULL;
	size_t n = matcher_candidates(rj->matcher, id, &candidates);

	if (!are_far(limits) || (view && view->n != n)) /* that of others */
		return NULL;
	return views_pick(views, view, candidates, n, pick_besides, &(struct besides){ rj, keys }, keys);
}

/* What is to be looked at of a text; VAL_ABSENT: all of it, as it is reported. */
static val glimpse(struct reference_judge *rj, struct object *o, struct kc_object *e, const struct judge_context *c)
{
	const struct object_type type = { o->kind->api_version, o->kind->name };
	const struct identity id = object_identity(o);
	const struct json_pick *pick =
		reference_judge_pick(rj, &id, &rj->views, o->judged[rj->index].view, c->limits, c->keys);
	struct err err;
	val root;

	if (!pick ||
	    object_glimpse(e->text, c->limits, c->keys, &type, pick, &rj->glimpse, &root, &e->managed_fields, &err) < 0)
		return (val){ 0 };
	if (!e->managed_fields.p)
		e->managed_fields = STR("");
	return kc_object_confirmed(e, root) ? root : (val){ 0 };
}

static bool stands(struct reference_judge *rj, struct object *o, struct kc_object *e, const struct judge_context *c)
{
	const struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	val root = e->doc ? e->doc->root : glimpse(rj, o, e, c);
	uint64_t seen;

	if (!val_exists(root) || e->text.n - e->managed_fields.n > VIEW_BYTES_MAX)
		return false;
	matcher_references(rj->matcher, root, add_named, &named);
	return !named.no_memory && hash_seen_with(rj, o, j->view, root, &named, &rj->glimpse, &seen) && seen == j->seen;
}

bool reference_judge_stands(struct reference_judge *rj, struct object *o, struct kc_object *e,
			    const struct judge_context *c)
{
	const struct judged *j = &o->judged[rj->index];
	bool ret;

	if (!j->known || !j->seen_known || j->waits || j->dependencies)
		return false;
	if (!e->text.n || (rj->review && event_review_reads_managers(rj->review)))
		return false;
	ret = stands(rj, o, e, c);
	if (rj->glimpse.used > GLIMPSE_KEPT)
		arena_done(&rj->glimpse);
	else
		arena_reset(&rj->glimpse);
	return ret;
}

/* ---- what others tell of ---- */

static bool counts(const struct reference_judge *rj, const struct identity *id)
{
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(rj->matcher, id, &candidates);

	for (size_t i = 0; i < n; i++) {
		if (rj->counts[candidates[i]->index])
			return !cfg_excluded_by(rj->reference, id);
	}
	return false;
}

bool reference_judges_count(const struct reference_judge *judges, size_t n, const struct identity *id)
{
	for (size_t i = 0; i < n; i++) {
		if (counts(&judges[i], id))
			return true;
	}
	return false;
}

struct counting {
	const struct reference_judge *rj;
	bool any;
};

static void note_counting(void *ctx, const struct ref_template *t)
{
	struct counting *of = ctx;

	of->any |= of->rj->counts[t->index];
}

bool reference_judge_counts_named(const struct reference_judge *rj, val object)
{
	struct counting of = { .rj = rj };

	if (rj->names)
		matcher_references(rj->matcher, object, note_counting, &of);
	return of.any;
}

bool reference_judge_compares(const struct reference_judge *rj)
{
	const struct reference *r = rj->reference->reference;

	for (size_t i = 0; i < r->n_templates; i++) {
		const struct ref_template *const *candidates;
		size_t n;

		if (!rj->counts[i])
			continue;
		n = matcher_candidates(rj->matcher, &r->templates[i]->identity, &candidates);
		if (!identity_decides(candidates, n))
			return true;
	}
	return false;
}

/* What stands against a component is told with who wrote it last. */
static bool may_offend(const struct ref_template *t)
{
	const struct ref_template *other = t;

	do {
		enum ref_group group = other->component->group;

		if (group == REF_ONE_OF || group == REF_ANY_ONE_OF || group == REF_NONE_OF)
			return true;
		other = other->same_path;
	} while (other != t);
	return false;
}

bool reference_judge_counts_as_before(const struct reference_judge *rj, const struct object *o, val object)
{
	const struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	const struct ref_template *const *candidates;
	size_t n = candidates_for(rj, o, &candidates);

	if (!j->known || j->waits || !identity_decides(candidates, n) || (n && may_offend(candidates[0])))
		return false;
	if (!rj->names)
		return true;
	matcher_references(rj->matcher, object, add_named, &named);
	return !named.no_memory && named.templates.n == j->n_references &&
	       (!j->n_references ||
		memcmp(named.templates.p, j->references, j->n_references * sizeof(*j->references)) == 0);
}

bool reference_judge_is_for(const struct reference_judge *rj, const struct object *o)
{
	const struct ref_template *const *candidates;

	return candidates_for(rj, o, &candidates) > 0 && !is_excluded(rj, o);
}

void reference_judge_effects_due(const struct reference_judge *rj, struct object *o, enum effects_due due)
{
	uint8_t *known = &o->judged[rj->index].effects_due;

	if (due > *known)
		*known = (uint8_t)due;
}

int reference_judge_refuse(struct reference_judge *rj, struct object *o, const char *reason,
			   const struct judge_context *c, bool *told)
{
	const struct ref_template *const *candidates;
	size_t n = candidates_for(rj, o, &candidates);
	struct verdict v = { .state = VERDICT_ERROR };
	struct named none = { 0 };
	struct err why;
	int r = 0;

	if (n == 0 || is_excluded(rj, o))
		return 0;
	*told = !o->foreign;
	o->judged[rj->index].seen_known = false;
	v.template = candidates[0];
	if (!o->judged[rj->index].known) /* it is there all the same, whatever it holds */
		r = account(rj, o, &v, &none, c, &why);
	if (o->foreign)
		return r;
	rj->counters.failures++;
	(void)err_set(&why, EBADMSG, "%s", reason);
	report_failure(rj, o, &why, c);
	inspector_keep(c->inspector, o, rj->reference);
	return r;
}

void reference_judge_forget(struct reference_judge *rj, struct object *o, const char *why,
			    const struct judge_context *c)
{
	const struct accepted_judge accepted = accepted_judge_of(c);
	struct finding_subject s = subject_of(rj, o);

	reference_judge_release(rj, o);
	accepted_object_ends(&accepted, &s, why);
	findings_clear(c->findings, FINDING_DRIFT, &s, why);
	findings_clear(c->findings, FINDING_ERROR, &s, why);
	inspector_forget(c->inspector, o, rj->reference, why);
}

void reference_judge_release(struct reference_judge *rj, struct object *o)
{
	uncount(rj, o);
	views_drop(&rj->views, &o->judged[rj->index].view);
	set_waits(rj, o, false);
}

void reference_judge_forget_seen(const struct reference_judge *rj, struct object *o)
{
	o->judged[rj->index].seen_known = false;
}

void reference_judge_changed(struct reference_judge *rj, const struct object *changed)
{
	struct identity id = object_identity(changed);

	if (changed->kind->looked_up)
		dependents_changed(&rj->dependents, changed->kind, id.namespace, id.name);
}
