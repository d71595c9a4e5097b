/* What event rules make of a difference, by examples: the program is a file of rules, the input a JSON list of the
 * expected and the actual value, and perhaps a schema and who wrote what is changed. The result has a line for each
 * change, then the severity, and the actual value as the diff shows it. */
#include "support/triples.h"

#include "rules/event_review.h"
#include "value/json.h"

#include <inttypes.h>

static const struct limits limits = LIMITS_DEFAULT;

static bool written_by(void *ctx, struct path p, bool gone, const struct event_selector *s, uint64_t *steps)
{
	(void)p;
	(void)gone;
	(void)steps;
	return event_selector_matches_manager(s, val_str(*(val *)ctx));
}

static void print_value(val v, struct buf *out)
{
	struct err err;

	if (!val_exists(v))
		buf_add_cstr(out, "nothing");
	else if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
		buf_add_cstr(out, err.msg);
}

static void print_change(const struct change *c, struct buf *out)
{
	buf_printf(out, "%s %.*s ", change_kind_name(c->kind), STR_ARG(c->path_text));
	print_value(c->expected, out);
	buf_add_cstr(out, " -> ");
	print_value(c->actual, out);
	if (c->rule)
		buf_printf(out, " (%s '%.*s' %.*s)", event_type_name(c->rule->rule.type),
			   STR_ARG(c->rule->rule.path.text), STR_ARG(c->rule->rule.message));
	buf_add_byte(out, '\n');
}

static void print_events(const struct event_outcome *o, struct arena *a, struct buf *out)
{
	struct events events = { 0 };
	struct err err;

	if (event_outcome_events(o, a, &events, &err) < 0)
		buf_add_cstr(out, err.msg);
	for (size_t i = 0; i < events.n; i++) {
		const struct event *e = &events.p[i];

		buf_printf(out, "event %.*s %s of %zu\n", STR_ARG(o->rules[e->rule]->path.text),
			   event_change_name(e->change), e->n_matched);
	}
}

static void print_verdict(const struct verdict *v, struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < v->changes.n; i++)
		print_change(&v->changes.p[i], out);
	if (v->state == VERDICT_DRIFTED) {
		print_events(v->outcome, a, out);
		buf_printf(out, "%s", severity_name(v->outcome->severity));
		if (v->outcome->hold_ns)
			buf_printf(out, " for %" PRId64 " s", v->outcome->hold_ns / 1000000000);
		buf_add_byte(out, '\n');
	} else {
		buf_printf(out, "%s\n", verdict_state_name(v->state));
	}
	print_value(v->actual, out);
	buf_add_byte(out, '\n');
}

static int parse(const struct triple *t, struct event_set **ret, struct buf *out)
{
	struct problems problems = { 0 };
	struct err err;
	int r = event_set_parse(t->program, "f", &limits, ret, &problems, &err);
	CLEANUP(freep) char *said = problems_text(&problems);

	if (r < 0)
		buf_add_cstr(out, problems_any(&problems) ? said : err.msg);
	problems_done(&problems);
	return r;
}

static int run_review(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(event_set_freep) struct event_set *set = NULL;
	CLEANUP(event_review_freep) struct event_review *review = NULL;
	struct json_options o = { .limits = &limits };
	struct verdict v = { .state = VERDICT_DRIFTED };
	struct event_subject subject = { .severity = SEVERITY_NOTICE, .written_by = written_by };
	uint64_t steps = 1000000;
	struct err err;
	val input, manager;
	size_t used;
	int r = parse(t, &set, out);

	if (r < 0)
		return r;
	if (json_decode_value(t->input, &o, a, &input, &used, &err) < 0)
		return triple_error(-err.code, &err, out);
	arena_init(&v.arena, 0, limits.arena_bytes);
	v.expected = val_at(input, 0);
	v.actual = subject.object = val_at(input, 1);
	subject.schema = val_at(input, 2);
	manager = val_at(input, 3);
	subject.ctx = &manager;
	r = event_review_new((const struct event_set *const *)&set, 1, &review, &err);
	if (r == 0)
		r = event_review_apply(review, &subject, &v, NULL, &steps, &err);
	if (r == 0)
		print_verdict(&v, a, out);
	verdict_done(&v);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static const struct triple_file files[] = {
	{ "review", run_review },
};

int main(void)
{
	return triples_main(TEST_DATA "/rules/review", files, ARRAY_LEN(files));
}
