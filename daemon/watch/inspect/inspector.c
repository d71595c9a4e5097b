/* The inspection rules of a cluster, and their findings. */
#include "daemon/watch/inspect/inspector.h"

#include "daemon/inspection/inspected.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "rules/inspection/insp_read_set.h"

static struct inspector *of(struct watch_inspector *base)
{
	return (struct inspector *)base;
}

static const struct inspector *in(const struct watch_inspector *base)
{
	return (const struct inspector *)base;
}

bool inspector_has_rules(const struct watch_inspector *base)
{
	return inspection_rules_any(in(base)->context->rules);
}

bool inspector_active(const struct watch_inspector *base)
{
	const struct inspector *i = in(base);
	const struct finding_counters *c;

	if (inspector_has_rules(base))
		return true;
	c = findings_counters(i->of.findings, i->of.cluster->name);
	return c && findings_open(c, FINDING_INSPECTION) > 0;
}

bool inspector_reads_dependents(const struct watch_inspector *base)
{
	const struct insp_set *set;
	struct err err;

	return inspector_has_rules(base) && inspection_rules_set(in(base)->context->rules, &set, &err) == 0 &&
	       set->reads_dependents;
}

static void forget_owners(struct inspector *i)
{
	owners_done(&i->owners);
	i->owned = false;
}

/* Make the read set of the rules. Rules that cannot be read are tried again when they change. */
static void make_read_set(struct inspector *i, uint64_t edition)
{
	struct watch_inspector_reads *r = calloc(1, sizeof(*r));
	const struct insp_set *set;
	struct err err;

	watch_inspector_reads_unref(i->reads);
	i->reads = r;
	if (!r)
		return;
	r->refs = 1;
	r->edition = edition;
	object_ways_init(&r->ways, i->of.keys);
	if (inspection_rules_set(i->context->rules, &set, &err) < 0) {
		r->ways.known = false;
		return;
	}
	insp_set_reads(set, &r->ways, &r->alike);
	r->alike &= !i->of.cfg->inspection.default_scope.p;
	/* an object that passes unseen is not entered in the index of owners, so that the index is not kept */
	if (!set->reads_dependents)
		forget_owners(i);
}

struct watch_inspector_reads *inspector_reads(struct watch_inspector *base)
{
	struct inspector *i = of(base);
	uint64_t edition = inspection_rules_generation(i->context->rules);

	if (!inspector_has_rules(base)) {
		if (i->owned)
			forget_owners(i);
		return NULL;
	}
	if (!i->reads || i->reads->edition != edition)
		make_read_set(i, edition);
	return i->reads && i->reads->ways.known ? i->reads : NULL;
}

void inspector_count_known(struct watch_inspector *base, uint64_t n)
{
	if (!in(base)->of.silent)
		in(base)->context->counters.inspections += n;
}

void inspector_free(struct watch_inspector *base)
{
	forget_owners(of(base));
	watch_inspector_reads_unref(of(base)->reads);
	inspected_free(of(base)->of.earlier);
	free(base);
}

static bool index_kind(struct inspector *i, const struct kind *k)
{
	struct object *o;
	size_t at = 0;

	while ((o = index_each(&k->objects, &at))) {
		if (!owners_put(&i->owners, o))
			return false;
	}
	return true;
}

/* Make the index of owners from the snapshot. False without memory. */
static bool index_owners(struct inspector *i)
{
	const struct strmap_entry *e;
	size_t at = 0;

	i->owned = true;
	while (i->owned && (e = strmap_each(&i->of.snapshot->kinds, &at)))
		i->owned = index_kind(i, e->value);
	if (!i->owned)
		forget_owners(i);
	return i->owned;
}

int inspector_rules(struct inspector *i, const struct insp_set **ret, struct err *err)
{
	int r = inspection_rules_set(i->context->rules, ret, err);

	if (r < 0)
		return r;
	if ((*ret)->reads_dependents && !i->owned && !index_owners(i))
		return err_nomem(err);
	return 0;
}

#define RESTLESS_TICKS 10 /* when rules come one by one, driftd waits for more of them for so many ticks at most */

bool inspector_tick(struct watch_inspector *base)
{
	struct inspector *i = of(base);
	const struct insp_set *set;
	uint64_t generation;
	struct err err;
	bool quiet;

	generation = inspection_rules_generation(i->context->rules);
	quiet = generation == i->generation;
	i->all_due |= !quiet;
	i->generation = generation;
	i->restless = quiet ? 0 : i->restless + 1;
	if (i->owned && inspection_rules_set(i->context->rules, &set, &err) == 0 && !set->reads_dependents)
		forget_owners(i);
	if (!i->all_due || (!quiet && i->restless < RESTLESS_TICKS))
		return false;
	i->all_due = false;
	i->restless = 0;
	return true;
}

/* ---- who owns whom ---- */

void inspector_leaves(struct watch_inspector *base, struct object *o, void (*again)(void *ctx, struct object *owner),
		      void *ctx)
{
	struct inspector *i = of(base);

	if (!i->owned)
		return;
	owners_changed(&i->owners, o, again, ctx);
	owners_take(&i->owners, o);
	owners_forget(&i->owners, o);
}

void inspector_comes(struct watch_inspector *base, struct object *o, void (*again)(void *ctx, struct object *owner),
		     void *ctx)
{
	struct inspector *i = of(base);

	if (!i->owned)
		return;
	if (owners_put(&i->owners, o)) {
		owners_changed(&i->owners, o, again, ctx);
		return;
	}
	forget_owners(i); /* the next inspection makes the index again */
	/* nobody knows which inspections looked at the object, so that every object is inspected again */
	i->all_due = true;
}

/* ---- findings ---- */

static struct finding_subject subject_of(const struct inspector *i, const struct object *o,
					 const struct cfg_reference *reference)
{
	struct finding_subject s = { .cluster = i->of.cluster->name };

	object_subject(o, &s);
	if (reference)
		s.reference = reference->name;
	return s;
}

void inspector_keep(struct watch_inspector *base, const struct object *o, const struct cfg_reference *reference)
{
	struct finding_subject s = subject_of(in(base), o, reference);

	findings_confirm(in(base)->of.findings, FINDING_INSPECTION, &s);
}

void inspector_forget(struct watch_inspector *base, const struct object *o, const struct cfg_reference *reference,
		      enum end_reason why)
{
	struct finding_subject s = subject_of(in(base), o, reference);

	findings_clear(in(base)->of.findings, FINDING_INSPECTION, &s, why);
}
