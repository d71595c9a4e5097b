/* What must hold of reviews whatever the documents and rules are: pairs of them are made up, the same at each run. */
#include "rules/event_review.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASES 5000

static const struct limits limits = LIMITS_DEFAULT;

/* ---- documents ---- */

struct maker {
	uint64_t state;
	struct buf before, after;
};

static uint32_t draw(struct maker *m, uint32_t n)
{
	m->state = m->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(m->state >> 33) % n;
}

static void add_both(struct maker *m, const char *text)
{
	buf_add_cstr(&m->before, text);
	buf_add_cstr(&m->after, text);
}

static void add_scalar(struct maker *m, struct buf *out)
{
	static const char *const scalars[] = { "1",    "2",  "\"1\"", "\"x\"",     "true",
					       "null", "{}", "[]",    "\"1000m\"", "1.0" };

	buf_add_cstr(out, scalars[draw(m, ARRAY_LEN(scalars))]);
}

static void add_value(struct maker *m, int depth);

static void add_members(struct maker *m, int depth)
{
	static const char *const keys[] = { "a", "b", "c.d", "v" };
	bool first_before = true, first_after = true;

	add_both(m, "{");
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct buf aside = BUF_INIT(1u << 20), *other = NULL;
		uint32_t where = draw(m, 6); /* 0: nowhere, 1: before, 2: after; both */

		if (where == 0)
			continue;
		if (where != 2)
			buf_printf(&m->before, "%s\"%s\":", first_before ? "" : ",", keys[i]);
		if (where != 1)
			buf_printf(&m->after, "%s\"%s\":", first_after ? "" : ",", keys[i]);
		first_before &= where == 2;
		first_after &= where == 1;
		other = where == 1 ? &m->after : where == 2 ? &m->before : NULL;
		if (other) { /* what goes there is thrown away */
			struct buf kept = *other;

			*other = aside;
			add_value(m, depth);
			aside = *other;
			*other = kept;
		} else {
			add_value(m, depth);
		}
		buf_done(&aside);
	}
	add_both(m, "}");
}

/* Elements by name, by another key, or none; in another order now and then. */
static void add_list(struct maker *m)
{
	static const char *const forms[] = { "{\"name\":\"%d\",\"v\":%d}", "{\"port\":%d,\"v\":%d}",
					     "{\"w\":%d,\"v\":%d}" };
	const char *form = forms[draw(m, ARRAY_LEN(forms))];
	int n = (int)draw(m, 4), from = (int)draw(m, 2), step = draw(m, 3) ? 1 : -1, count = (int)draw(m, 4);
	int keys = draw(m, 3) ? 4 : 2; /* of fewer some stand twice */

	add_both(m, "[");
	for (int i = 0; i < n; i++) {
		buf_add_cstr(&m->before, i ? "," : "");
		buf_printf(&m->before, form, i % keys, 1);
	}
	for (int i = 0; i < count; i++) {
		buf_add_cstr(&m->after, i ? "," : "");
		if (draw(m, 12) == 0) /* it has no key */
			buf_add_cstr(&m->after, draw(m, 2) ? "{\"v\":1}" : "1");
		else
			buf_printf(&m->after, form, (from + (step > 0 ? i : count - 1 - i)) % keys, (int)draw(m, 2));
	}
	add_both(m, "]");
}

static void add_value(struct maker *m, int depth)
{
	uint32_t what = depth > 0 ? draw(m, 5) : 0;

	if (what == 1) {
		add_list(m);
	} else if (what > 1) {
		add_members(m, depth - 1);
	} else {
		uint64_t state = m->state;

		add_scalar(m, &m->before);
		if (draw(m, 2))
			m->state = state; /* the same */
		add_scalar(m, &m->after);
	}
}

static struct doc *decode(const struct buf *text)
{
	struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	if (json_decode(buf_str(text), &o, &d, &err) < 0)
		fail_msg("%s: %s", text->p, err.msg);
	return d;
}

/* ---- rules ---- */

static struct event_set *parse(const struct buf *text)
{
	struct problems problems = { 0 };
	struct event_set *set = NULL;
	struct err err;

	if (event_set_parse(buf_str(text), "f", &limits, &set, &problems, &err) < 0)
		fail_msg("%s: %s", text->p, problems_text(&problems));
	problems_done(&problems);
	return set;
}

static struct event_set *rules_of(struct maker *m, const char *const *kinds, size_t n, bool drops, struct buf *text)
{
	static const char *const paths[] = { "'*'", "a", "b.*", "a.@", "'\"c.d\"'", "v!", "b!" };
	/* What lies in elements is not deleted in part: what is left of such an element has no key. */
	static const char *const inner[] = { "a.b.*.v", "'*.*.v'", "'*.*.b!'" };
	buf_printf(text, "list_order: %s\nrules:\n", draw(m, 2) ? "true" : "false");
	for (uint32_t i = 0; i < 1 + draw(m, 4); i++)
		buf_printf(text, "  - {%s, path: %s}\n", kinds[draw(m, (uint32_t)n)], paths[draw(m, ARRAY_LEN(paths))]);
	if (drops)
		buf_printf(text, "  - {type: ignore, change: modify, path: %s}\n", inner[draw(m, ARRAY_LEN(inner))]);
	return parse(text);
}

static struct verdict review(const struct event_set *set, val expected, val actual)
{
	const struct event_subject subject = { .object = actual, .severity = SEVERITY_NOTICE };
	struct verdict v = { .state = VERDICT_DRIFTED, .expected = expected, .actual = actual };
	uint64_t steps = limits.evaluation_steps;
	struct event_review *r = NULL;
	struct err err;

	arena_init(&v.arena, 0, 0);
	assert_int_equal(event_review_new(&set, 1, &r, &err), 0);
	assert_int_equal(event_review_apply(r, &subject, &v, NULL, &steps, &err), 0);
	if (v.state == VERDICT_DRIFTED)
		assert_true(v.changes.total > 0 && v.outcome);
	v.outcome = v.state == VERDICT_DRIFTED ? v.outcome
					       : NULL; /* it views the review's rules: of these nothing is read */
	event_review_free(r);
	return v;
}

/* ---- what holds ---- */

/* Each change is where its path says; the order of a list is not. */
static void check_paths(const struct verdict *v, val actual)
{
	for (size_t i = 0; i < v->changes.n; i++) {
		const struct change *c = &v->changes.p[i];

		if (c->kind == CHANGE_DELETE || val_is_list(c->actual))
			continue;
		assert_true(val_same(path_get(actual, c->path), c->actual));
	}
}

/* That are changes. */
static size_t leaves(const struct event_outcome *o)
{
	size_t n = 0;

	for (struct event_node *x = event_next_leaf(o->root, NULL); x; x = event_next_leaf(o->root, x))
		n += !x->dropped;
	return n;
}

static const char *const keeping[] = { "type: warn", "type: error, change: create", "type: allow" };
/* Not sets: what is put back may make lists the same as sets. */
static const char *const any[] = { "type: ignore",
				   "type: warn",
				   "type: ignore, change: delete",
				   "type: ignore, change: create",
				   "equal: quantity",
				   "equal: number",
				   "type: error" };

static void check_case(uint64_t seed)
{
	struct maker m = { .state = seed, .before = BUF_INIT(1u << 20), .after = BUF_INIT(1u << 20) };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16), other = BUF_INIT(1u << 16), whole = BUF_INIT(1u << 16);
	struct doc *before, *after;
	struct event_set *kept, *dropping, *nothing;
	struct verdict v, again;

	add_members(&m, 3);
	before = decode(&m.before);
	after = decode(&m.after);
	kept = rules_of(&m, keeping, ARRAY_LEN(keeping), false, &text);
	dropping = rules_of(&m, any, ARRAY_LEN(any), true, &other);
	buf_add_cstr(&whole, "rules: [{type: ignore, path: '*'}]");
	nothing = parse(&whole);

	v = review(kept, before->root, after->root); /* nothing is lost, and nothing invented */
	if (!kept->lists_unordered)
		assert_int_equal(v.state == VERDICT_DRIFTED, !val_same(before->root, after->root));
	if (v.state == VERDICT_DRIFTED)
		assert_true(val_same(v.actual, after->root));
	check_paths(&v, after->root);
	verdict_done(&v);

	v = review(nothing, before->root, after->root); /* all is put back */
	assert_true(v.state == VERDICT_COMPLIANT && val_same(v.actual, before->root));
	verdict_done(&v);

	v = review(dropping, before->root, after->root);
	check_paths(&v, after->root);
	if (v.state == VERDICT_DRIFTED) { /* what was dropped is gone, and nothing else */
		again = review(dropping, before->root, v.actual);
		if (again.state != VERDICT_DRIFTED || again.outcome->dropped ||
		    again.outcome->severity != v.outcome->severity || leaves(again.outcome) != leaves(v.outcome))
			fail_msg("seed %llu: by %s: %s -> %s", (unsigned long long)seed, other.p, m.before.p,
				 m.after.p);
		assert_true(val_same(again.actual, v.actual));
		verdict_done(&again);
	} else {
		assert_true(val_same(v.actual, before->root));
	}
	verdict_done(&v);
	event_set_free(kept);
	event_set_free(dropping);
	event_set_free(nothing);
	doc_unref(before);
	doc_unref(after);
	buf_done(&m.before);
	buf_done(&m.after);
}

/* ---- no element hides another ---- */

/* The values of the elements called @name, in their order, of a list as it was drawn. */
static size_t values_of(val list, str name, val *ret, size_t max)
{
	size_t n = 0;

	for (uint32_t i = 0; i < val_count(list) && n < max; i++) {
		if (str_eq(val_str(VAL_GET(list.items[i], "name")), name))
			ret[n++] = list.items[i];
	}
	return n;
}

static bool same_values(val before, val after, str name)
{
	val b[8], a[8];
	size_t n = values_of(before, name, b, 8), m = values_of(after, name, a, 8);

	for (size_t i = 0; n == m && i < n; i++) {
		if (!val_same(b[i], a[i]))
			return false;
	}
	return n == m;
}

static void add_env(struct maker *m, struct buf *out, bool reference)
{
	uint32_t n = reference + draw(m, 5);

	buf_add_cstr(out,
		     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":{\"containers\":[{\"name\":\"w\",\"env\":[");
	for (uint32_t i = 0; i < n; i++) {
		buf_add_cstr(out, i ? "," : "");
		if (!reference && draw(m, 10) == 0)
			buf_add_cstr(out, "{\"value\":\"1\"}");
		else
			buf_printf(out, "{\"name\":\"%s\",\"value\":\"%u\"}", draw(m, 2) ? "FOO" : "BAR", draw(m, 3));
	}
	buf_add_cstr(out, "]}]}}");
}

static val env_of(val pod)
{
	return VAL_GET(val_at(val_dig(pod, "spec", "containers", NULL), 0), "env");
}

/* A rule for one element decides over that element however many of its name there are and whatever stands beside it,
 * and what the broad rule ignores is all else. */
static void check_env(uint64_t seed)
{
	struct maker m = { .state = seed, .before = BUF_INIT(1u << 16), .after = BUF_INIT(1u << 16) };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
	struct doc *before, *after;
	struct event_set *set;
	struct verdict v;
	bool same;

	add_env(&m, &m.before, true);
	add_env(&m, &m.after, false);
	buf_add_cstr(&text, "rules: [{type: error, path: spec.containers.w.env.FOO}, {type: ignore, path: '*'}]");
	before = decode(&m.before);
	after = decode(&m.after);
	set = parse(&text);
	same = same_values(env_of(before->root), env_of(after->root), STR("FOO"));
	v = review(set, before->root, after->root);
	if ((v.state == VERDICT_COMPLIANT) != same)
		fail_msg("seed %llu: %s -> %s", (unsigned long long)seed, m.before.p, m.after.p);
	assert_true(same || v.outcome->severity == SEVERITY_ERROR);
	verdict_done(&v);
	event_set_free(set);
	doc_unref(before);
	doc_unref(after);
	buf_done(&m.before);
	buf_done(&m.after);
}

static void test_elements_of_one_name(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++)
		check_env(seed);
}

static void test_made_up_reviews(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++)
		check_case(seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_made_up_reviews),
					    cmocka_unit_test(test_elements_of_one_name) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
