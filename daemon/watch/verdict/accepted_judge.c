/* Splits a verdict into what is accepted and what is drift. */
#include "daemon/watch/verdict/accepted_judge.h"

/* Whether any accepted finding is open in the cluster. Usually nothing is accepted, and then no finding has to be
 * looked up. */
static bool any_open(const struct accepted_judge *j, str cluster)
{
	const struct finding_counters *c = j->set ? findings_counters(j->findings, cluster) : NULL;

	return c && findings_open(c, FINDING_ACCEPTED) > 0;
}

struct finding_subject accepted_subject(const struct finding_subject *s, const struct accepted *x)
{
	struct finding_subject subject = *s;

	subject.acceptance = str_from(x->is.id);
	subject.reason = x->is.says.reason;
	subject.owner = x->is.says.owner;
	subject.until = x->is.says.until;
	return subject;
}

static void end_one(const struct accepted_judge *j, const struct accepted *x, const struct finding_subject *s,
		    enum end_reason why)
{
	const struct finding_subject subject = accepted_subject(s, x);

	findings_clear(j->findings, FINDING_ACCEPTED, &subject, why);
}

static void confirm_one(const struct accepted_judge *j, const struct accepted *x, const struct finding_subject *s)
{
	const struct finding_subject subject = accepted_subject(s, x);

	findings_confirm(j->findings, FINDING_ACCEPTED, &subject);
}

/* ---- objects ---- */

static bool is_for_object(const struct accepted *x, const struct finding_subject *s)
{
	const struct accepted_object o = { s->cluster,  s->reference, s->api_version, s->kind,
					   s->resource, s->namespace, s->name,        s->rule };

	return x->in_force && acceptance_for_object(&x->is.says, &o);
}

/* A walk over the acceptances that may be about the object of @s; without a set it is empty. */
static struct accepted_walk walk_object(const struct accepted_judge *j, const struct finding_subject *s)
{
	return j->set ? acceptances_for_object(j->set, s->name) : (struct accepted_walk){ 0 };
}

/* The next acceptance in force for the object. */
static const struct accepted *next_for_object(struct accepted_walk *w, const struct finding_subject *s)
{
	const struct accepted *x;

	do
		x = accepted_walk_next(w);
	while (x && !is_for_object(x, s));
	return x;
}

void accepted_object_ends(const struct accepted_judge *j, const struct finding_subject *s, enum end_reason why)
{
	struct accepted_walk w = walk_object(j, s);
	const struct accepted *x;

	while (any_open(j, s->cluster) && (x = next_for_object(&w, s)))
		end_one(j, x, s, end_reason_of_acceptance(why));
}

void accepted_object_confirm(const struct accepted_judge *j, const struct finding_subject *s)
{
	struct accepted_walk w = walk_object(j, s);
	const struct accepted *x;

	while (any_open(j, s->cluster) && (x = next_for_object(&w, s)))
		confirm_one(j, x, s);
}

const struct accepted *accepted_by(const struct acceptances *set, const struct finding_subject *o,
				   const struct change *change)
{
	struct accepted_walk w = walk_object(&(struct accepted_judge){ .set = set }, o);
	const struct accepted *x;

	do
		x = next_for_object(&w, o);
	while (x && !acceptance_takes(&x->is, change));
	return x;
}

/* Move the changes that @x accepts from @left to @taken. An acceptance of the whole object also accepts the changes
 * that are only counted, because there are too many to be listed. */
static void split(const struct accepted *x, struct changes *left, struct changes *taken)
{
	size_t kept = 0;

	*taken = (struct changes){ .p = taken->p, .rest = STR("") };
	for (size_t i = 0; i < left->n; i++) {
		if (acceptance_takes(&x->is, &left->p[i]))
			taken->p[taken->n++] = left->p[i];
		else
			left->p[kept++] = left->p[i];
	}
	taken->total = taken->n;
	if (x->is.path.n == 0) {
		taken->total = left->total;
		taken->rest = left->rest;
		left->rest = STR("");
	}
	left->n = kept;
	left->total -= taken->total;
}

static int report_drift(const struct accepted_judge *j, const struct verdict_context *c, const struct accepted *x,
			const struct changes *taken, struct err *err)
{
	const struct finding_subject subject = accepted_subject(c->subject, x);
	struct verdict part = *c->verdict; /* borrowed, not copied */
	struct verdict_context context = *c;

	if (!taken->total) {
		end_one(j, x, c->subject, END_NOT_NEEDED);
		return 0;
	}
	part.changes = *taken;
	context.verdict = &part;
	context.subject = &subject;
	context.kind = FINDING_ACCEPTED;
	context.severity = SEVERITY_INFO;
	return verdict_report(j->findings, &context, err);
}

int accepted_drift(const struct accepted_judge *j, const struct verdict_context *c, struct arena *a,
		   struct changes *left, const struct accepted **by, struct err *err)
{
	const struct changes *all = &c->verdict->changes;
	struct accepted_walk w = walk_object(j, c->subject);
	const struct accepted *x = next_for_object(&w, c->subject);
	struct changes taken;

	*left = *all;
	if (!x)
		return 0;
	left->p = arena_array(a, all->n, sizeof(*left->p));
	taken.p = arena_array(a, all->n, sizeof(*taken.p));
	if (!left->p || !taken.p)
		return err_nomem(err);
	for (size_t i = 0; i < all->n; i++)
		left->p[i] = all->p[i];
	for (; x; x = next_for_object(&w, c->subject)) {
		split(x, left, &taken);
		if (report_drift(j, c, x, &taken, err) < 0)
			return -err->code;
		if (taken.total && !left->total)
			*by = x;
	}
	return 0;
}

/* ---- components ---- */

static struct accepted_walk walk_components(const struct accepted_judge *j)
{
	return j->set ? acceptances_for_components(j->set) : (struct accepted_walk){ 0 };
}

static const struct accepted *next_for_component(struct accepted_walk *w, const struct finding_subject *s)
{
	const struct accepted *x;

	do
		x = accepted_walk_next(w);
	while (x && !(x->in_force &&
		      acceptance_for_component(&x->is.says, s->cluster, s->reference, s->part, s->component)));
	return x;
}

void accepted_component_confirm(const struct accepted_judge *j, const struct finding_subject *s)
{
	struct accepted_walk w = walk_components(j);
	const struct accepted *x;

	while (any_open(j, s->cluster) && (x = next_for_component(&w, s)))
		confirm_one(j, x, s);
}

/* Whether the problem concerns templates one by one; otherwise they can only be accepted all together. */
static bool is_of_each(enum component_problem p)
{
	return p == COMPONENT_MISSING || p == COMPONENT_FORBIDDEN;
}

/* The part of a component's verdict that one acceptance accepts. */
struct taken {
	struct component_verdict verdict;
	struct offender offenders[OFFENDERS_MAX]; /* for an acceptance of single objects: the first of them */
	size_t n_offenders;
};

/* Move the templates that @x accepts from @v to @taken. */
static void split_component(const struct accepted *x, struct component_verdict *v, struct component_verdict *taken)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < v->n_templates; i++)
		n += acceptance_for_template(&x->is.says, v->templates[i]->path);
	if (!is_of_each(v->problem) && n < v->n_templates)
		return;
	for (size_t i = 0; i < v->n_templates; i++) {
		if (acceptance_for_template(&x->is.says, v->templates[i]->path))
			taken->templates[taken->n_templates++] = v->templates[i];
		else
			v->templates[kept++] = v->templates[i];
	}
	v->n_templates = kept;
}

static bool takes_member(const struct accepted *x, const struct component_member *m, const struct finding_subject *s)
{
	const struct identity *id = &m->is.identity;
	const struct accepted_object o = { .cluster = s->cluster,
					   .reference = s->reference,
					   .api_version = id->api_version,
					   .kind = id->kind,
					   .resource = m->is.resource,
					   .namespace = id->namespace,
					   .name = id->name };

	return !m->accepted && id->kind.n && acceptance_for_template(&x->is.says, m->template->path) &&
	       acceptance_for_member(&x->is.says, &o);
}

static size_t count_left(const struct ref_template *t, const struct component_member *members, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		left += members[i].template == t && !members[i].accepted;
	return left;
}

/* Mark the members that @x, an acceptance of single objects, accepts, and take the templates out of @v whose members
 * are all accepted. */
static void split_members(const struct accepted *x, struct component_verdict *v, struct component_member *members,
			  size_t n, const struct finding_subject *s, struct taken *taken)
{
	size_t kept = 0, allowed = v->problem == COMPONENT_TOO_MANY ? 1 : 0;

	for (size_t t = 0; t < v->n_templates; t++) {
		const struct ref_template *of = v->templates[t];
		bool any = false;

		for (size_t i = 0; i < n; i++) {
			if (members[i].template != of || !takes_member(x, &members[i], s))
				continue;
			members[i].accepted = any = true;
			if (taken->n_offenders < OFFENDERS_MAX)
				taken->offenders[taken->n_offenders++] = members[i].is;
		}
		if (any)
			taken->verdict.templates[taken->verdict.n_templates++] = of;
		if (!any || count_left(of, members, n) > 0)
			v->templates[kept++] = of;
	}
	v->n_templates = kept <= allowed ? 0 : kept;
}

static int report_component(const struct accepted_judge *j, const struct taken *taken, const struct accepted *x,
			    const struct finding_subject *s, const struct component_terms *terms, uint64_t received_ns,
			    struct err *err)
{
	const struct finding_subject subject = accepted_subject(s, x);
	const struct component_terms accepted = { FINDING_ACCEPTED, SEVERITY_INFO, terms->hold_ns };

	if (!j->findings)
		return taken->verdict.n_templates ? j->note(j->ctx, x, &taken->verdict, err) : 0;
	if (taken->verdict.n_templates)
		return component_report(j->findings, &taken->verdict, &subject, &accepted, taken->offenders,
					taken->n_offenders, received_ns, err);
	end_one(j, x, s, END_NOT_NEEDED);
	return 0;
}

bool accepted_names_members(const struct accepted_judge *j, const struct finding_subject *s)
{
	struct accepted_walk w = walk_components(j);
	const struct accepted *x;

	do
		x = next_for_component(&w, s);
	while (x && !x->is.says.kind.n);
	return x;
}

int accepted_component(const struct accepted_judge *j, struct component_verdict *v, struct component_member *members,
		       size_t n_members, const struct finding_subject *s, const struct component_terms *terms,
		       uint64_t received_ns, struct arena *a, const struct accepted **by, struct err *err)
{
	struct accepted_walk w = walk_components(j);
	const struct accepted *x = next_for_component(&w, s);
	struct taken taken = { .verdict = *v };

	if (!x)
		return 0;
	taken.verdict.templates = arena_array(a, v->n_templates, sizeof(*taken.verdict.templates));
	if (!taken.verdict.templates)
		return err_nomem(err);
	for (; x; x = next_for_component(&w, s)) {
		taken.verdict.n_templates = taken.n_offenders = 0;
		if (x->is.says.kind.n)
			split_members(x, v, members, n_members, s, &taken);
		else
			split_component(x, v, &taken.verdict);
		if (report_component(j, &taken, x, s, terms, received_ns, err) < 0)
			return -err->code;
		if (taken.verdict.n_templates && !v->n_templates)
			*by = x;
	}
	if (!v->n_templates)
		v->problem = COMPONENT_SATISFIED;
	return 0;
}
