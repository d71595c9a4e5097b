/* Makes the tables for the reference in force, and replaces that reference by another one. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"

#define NOT_THERE SIZE_MAX

int reference_make_tables(struct reference_judge *rj, struct err *err)
{
	size_t n = rj->in_force->n_templates;

	rj->matched = calloc(n + 1, sizeof(*rj->matched));
	rj->referenced = calloc(n + 1, sizeof(*rj->referenced));
	rj->unknown = calloc(n + 1, sizeof(*rj->unknown));
	rj->unkept = calloc(n + 1, sizeof(*rj->unkept));
	rj->waiting = calloc(n + 1, sizeof(*rj->waiting));
	rj->counts = calloc(n + 1, sizeof(*rj->counts));
	if (!rj->matched || !rj->referenced || !rj->unknown || !rj->unkept || !rj->waiting || !rj->counts)
		return err_nomem(err);
	rj->names = false;
	reference_find_counting(rj);
	return matcher_new(rj->in_force, &rj->matcher, err);
}

void reference_free_tables(struct reference_judge *rj)
{
	matcher_free(rj->matcher);
	free(rj->matched);
	free(rj->referenced);
	free(rj->unknown);
	free(rj->unkept);
	free(rj->waiting);
	free(rj->counts);
	reference_unref(rj->in_force);
}

/* ---- replacing the reference ---- */

struct replacing {
	struct reference_judge *rj;  /* the judge, with the reference that is in force from now on */
	struct reference_judge *was; /* the tables of the former reference */
	/* by template of the former reference: its number in the next one, or NOT_THERE */
	size_t *numbers;
	bool *stays; /* by template of the former reference: the verdict on its objects is still valid */
	void (*again)(void *ctx, struct object *o);
	void *ctx;
};

static bool is_same_wish(const struct ref_template *a, const struct ref_template *b)
{
	return a->use == b->use && a->suspended == b->suspended && a->manifest.kind == b->manifest.kind &&
	       a->manifest.members == b->manifest.members && str_eq(a->path, b->path) &&
	       str_eq(a->component->name, b->component->name);
}

static bool number_templates(struct replacing *r)
{
	const struct reference *was = r->was->in_force;

	r->numbers = calloc(was->n_templates + 1, sizeof(*r->numbers));
	r->stays = calloc(was->n_templates + 1, sizeof(*r->stays));
	for (size_t i = 0; r->numbers && r->stays && i < was->n_templates; i++) {
		const struct ref_template *t = was->templates[i], *const * now;
		size_t n = matcher_candidates(r->rj->matcher, &t->identity, &now);

		r->numbers[i] = n ? now[0]->index : NOT_THERE;
		r->stays[i] = n && is_same_wish(t, now[0]);
	}
	return r->numbers && r->stays;
}

/* The index of the template that is for the object; NOT_THERE: none is. */
static size_t candidate_of(const struct reference_judge *rj, const struct object *o)
{
	const struct ref_template *const *candidates;

	return reference_candidates(rj, o, &candidates) ? candidates[0]->index : NOT_THERE;
}

static bool verdict_still_valid(const struct replacing *r, const struct judged *j, size_t before, size_t now)
{
	if (j->waits)
		return false;
	if (before == NOT_THERE || now == NOT_THERE)
		return before == now;
	return r->numbers[before] == now && r->stays[before];
}

/* Move the state of an object to the next reference. A verdict that is still valid is kept. Read sets and hashes are
 * dropped, because they belong to templates of the former reference. */
static void replace_for(struct replacing *r, struct object *o)
{
	struct judged *j = &o->judged[r->rj->index];
	size_t before = candidate_of(r->was, o), now = candidate_of(r->rj, o);

	ASSERT(j->n_references == 0 && !j->dependencies); /* a manifest looks nothing up, and no object names it */
	read_sets_drop(&r->was->read_sets, &j->read_set);
	j->seen_known = false;
	if (j->matched) {
		j->matched = r->numbers[j->template] != NOT_THERE;
		j->template = j->matched ? (uint32_t)r->numbers[j->template] : 0;
		r->rj->matched[j->template] += j->matched;
	}
	if (!verdict_still_valid(r, j, before, now))
		r->again(r->ctx, o);
	j->waits = false;
}

static void replace_for_all(struct replacing *r, const struct snapshot *s)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&s->kinds, &at))) {
		struct kind *k = e->value;
		struct object *o;
		size_t i = 0;

		while ((o = index_each(&k->objects, &i))) {
			if (o->judged)
				replace_for(r, o);
		}
	}
}

static const struct ref_component *find_component(const struct reference *r, str name)
{
	for (size_t i = 0; i < r->parts[0].n_components; i++) {
		if (str_eq(r->parts[0].components[i].name, name))
			return &r->parts[0].components[i];
	}
	return NULL;
}

static bool is_of(const struct reference_judge *rj, const struct finding_subject *s)
{
	return str_eq(s->cluster, rj->cluster->name) && str_eq(s->reference, rj->reference->name);
}

/* True for a finding of a component that the reference no longer has. A component finding names the first object that
 * is missing; an accepted finding names no object. */
static bool component_over(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct reference_judge *rj = ctx;
	const struct finding_subject *s = &x->subject;

	*why = END_NOT_IN_REFERENCE;
	return (x->kind == FINDING_COMPONENT || x->kind == FINDING_ACCEPTED) && finding_is_of_component(x->kind, s) &&
	       is_of(rj, s) && !find_component(rj->in_force, s->component);
}

/* True for a finding of a component that is being changed, if no record of the finding is out yet: what is wrong may
 * be a part of the change. If the component still lacks something after the change, a new finding begins. */
static bool is_overtaken(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct reference_judge *rj = ctx;
	const struct ref_component *c;

	*why = END_REPAIRED;
	if (clock_ns() >= x->reported_from_ns || !is_of(rj, &x->subject) || !x->subject.component.n)
		return false;
	c = find_component(rj->in_force, x->subject.component);
	return c && c->n_templates && c->templates[0]->suspended;
}

/* Free the tables that belong to a reference, and leave what belongs to the judge. */
static void drop_tables(struct reference_judge *tables)
{
	read_sets_done(&tables->read_sets);
	reference_free_tables(tables);
}

int reference_judge_replace(struct reference_judge *rj, struct reference *next, const struct judge_context *c,
			    void (*again)(void *ctx, struct object *o), void *ctx, struct err *err)
{
	struct reference_judge was = *rj, now = *rj;
	struct replacing r = { .rj = rj, .was = &was, .again = again, .ctx = ctx };
	int e;

	ASSERT(rj->in_force->changes && next->changes);
	now.in_force = reference_ref(next);
	now.awaits = false;
	now.matched = now.referenced = now.waiting = NULL;
	now.unknown = now.counts = NULL;
	now.matcher = NULL;
	now.read_sets = (struct read_sets){ 0 };
	e = reference_make_tables(&now, err);
	if (e < 0) {
		reference_free_tables(&now);
		return e;
	}
	*rj = now;
	if (!number_templates(&r)) {
		*rj = was;
		drop_tables(&now);
		e = err_nomem(err);
	} else {
		replace_for_all(&r, c->snapshot);
		findings_end_where(c->findings, component_over, rj);
		findings_end_where(c->findings, is_overtaken, rj);
		drop_tables(&was);
		rj->components_due = true;
	}
	free(r.numbers);
	free(r.stays);
	return e;
}
