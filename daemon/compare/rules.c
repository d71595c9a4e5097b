/* Reads rules, and copies what they find about an object. */
#include "daemon/compare/rules.h"

#include "base/vec.h"
#include "config/paths.h"

#include <errno.h>

struct compare_rules {
	VEC(struct event_set *) sets;
	struct event_review *review;
};

void compare_rules_free(struct compare_rules *r)
{
	if (!r)
		return;
	event_review_free(r->review);
	for (size_t i = 0; i < r->sets.n; i++)
		event_set_free(r->sets.p[i]);
	vec_done(&r->sets);
	free(r);
}

static void freep_rules(struct compare_rules **r)
{
	compare_rules_free(*r);
}

/* Where the files go that paths_of_rules finds. */
struct loading {
	struct compare_rules *rules;
	const struct limits *limits;
	struct problems *problems;
	int worst;
};

/* Load one file. Its mistakes do not hide those of other files. */
static int load(void *ctx, const char *file, struct err *err)
{
	struct loading *l = ctx;
	struct event_set *set = NULL;
	int r = event_set_load(file, l->limits, &set, l->problems, err);

	if (r == 0 && !vec_push(&l->rules->sets, set)) {
		event_set_free(set);
		return err_nomem(err);
	}
	l->worst = r < 0 ? r : l->worst;
	return r == -ENOMEM ? r : 0;
}

/* Load all files that one argument names. */
static int load_named(struct loading *l, const char *name, struct err *err)
{
	int r = paths_of_rules(name, load, l, err);

	if (r == 0 || r == -ENOMEM)
		return r;
	problems_add(l->problems, "%s", err->msg);
	l->worst = -EINVAL;
	return 0;
}

int compare_rules_load(const struct string_list *files, const struct limits *limits, struct compare_rules **ret,
		       char **mistakes, struct err *err)
{
	CLEANUP(freep_rules) struct compare_rules *r = calloc(1, sizeof(*r));
	struct problems problems = { 0 };
	struct loading l = { r, limits, &problems, 0 };
	int status = 0;

	*mistakes = NULL;
	if (!r)
		return err_nomem(err);
	for (size_t i = 0; i < files->v.n && status == 0; i++)
		status = load_named(&l, files->v.p[i], err);
	if (problems_any(&problems))
		*mistakes = problems_text(&problems);
	problems_done(&problems);
	if (status < 0 || l.worst < 0)
		return status < 0 ? status : l.worst;
	status = event_review_new((const struct event_set *const *)r->sets.p, r->sets.n, &r->review, err);
	if (status == 0)
		*ret = TAKE(r);
	return status;
}

const struct event_review *compare_rules_review(const struct compare_rules *r)
{
	return r ? r->review : NULL;
}

/* ---- one object ---- */

void compare_events_done(struct compare_events *e)
{
	arena_done(&e->arena);
}

static bool written_by(void *ctx, struct path p, bool gone, const struct event_selector *s, uint64_t *steps)
{
	val object = *(val *)ctx;

	return !gone && event_written_by(val_dig(object, "metadata", "managedFields", NULL), object, p, s, steps);
}

static bool copy_event(const struct event_outcome *o, const struct event *from, const struct mask_fields *mask,
		       struct arena *a, struct report_event *to)
{
	const struct event_set_rule *rule = o->set_rules[from->rule];
	str *matched = arena_array(a, from->n_matched, sizeof(*matched));

	for (size_t i = 0; matched && i < from->n_matched; i++) {
		matched[i] = event_leaf_text(from->matched[i], mask, a);
		if (!matched[i].p)
			return false;
	}
	*to = (struct report_event){
		.type = event_type_name(rule->rule.type),
		.change = event_change_name(from->change),
		.severity = severity_name(event_rule_severity(rule)),
		.path = rule->rule.path.text,
		.message = rule->rule.message,
		.action = rule->rule.action,
		.matched = matched,
		.n_matched = from->n_matched,
	};
	return matched;
}

static int copy_events(const struct event_outcome *o, const struct mask_fields *mask, struct compare_events *ret,
		       struct err *err)
{
	struct report_event *copies;
	struct events events;

	if (event_outcome_events(o, &ret->arena, &events, err) < 0)
		return -err->code;
	copies = arena_array(&ret->arena, events.n, sizeof(*copies));
	for (size_t i = 0; copies && i < events.n; i++) {
		if (!copy_event(o, &events.p[i], mask, &ret->arena, &copies[i]))
			return err_nomem(err);
	}
	if (!copies)
		return err_nomem(err);
	ret->severity = severity_name(o->severity);
	ret->p = copies;
	ret->n = events.n;
	return 0;
}

int compare_review(const struct event_review *review, val object, val compared, val schema, struct verdict *v,
		   const struct mask_fields *mask, uint64_t *steps, struct compare_events *ret, struct err *err)
{
	const struct event_subject subject = { .object = compared,
					       .schema = schema,
					       .severity = SEVERITY_WARNING,
					       .written_by = written_by,
					       .ctx = &object };
	int r = event_review_apply(review, &subject, v, mask, steps, err);

	if (r < 0 || v->state != VERDICT_DRIFTED)
		return r;
	arena_init(&ret->arena, 0, 0);
	return copy_events(v->outcome, mask, ret, err);
}
