/* What another driftd told takes the place of what is known, in portions between which the loop goes on. */
#include "daemon/findings/adoption.h"

#include "daemon/findings/messages.h"
#include "support/capture.h"
#include "support/direct_sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MANY (2 * FINDINGS_AT_ONCE + 1)

struct fixture {
	struct capture capture;
	struct sink *sink;
	struct findings *here, *there; /* what is known, and what is told by another */
	struct adoption *adoption;
	size_t n_differing;
	char differing[8][16];
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct err err;

	*state = x;
	if (!x || !capture_begin(&x->capture) || !(x->sink = sink_new_direct(CFG_OUTPUT_JSON)) ||
	    findings_new(x->sink, &x->here, &err) < 0)
		return -1;
	return findings_new_like(x->here, x->sink, &x->there, &err);
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	adoption_free(x->adoption);
	findings_free(x->here);
	findings_free(x->there);
	sink_free(x->sink);
	capture_end(&x->capture);
	free(x);
	return 0;
}

static struct finding_report drift(const char *name, const char *state)
{
	return (struct finding_report){ .kind = FINDING_DRIFT,
					.severity = SEVERITY_WARNING,
					.subject = { .cluster = STR("c"), .kind = STR("Pod"), .name = str_from(name) },
					.state = str_from(state) };
}

static struct finding_report rule_error(void)
{
	struct finding_report r = drift("rules", "1");

	r.kind = FINDING_ERROR;
	r.subject.rule = STR("self.x");
	return r;
}

static void report(struct findings *f, struct finding_report r)
{
	struct err err;

	assert_int_equal(findings_report(f, &r, &err), 0);
}

/* There, they were told in this order. */
static void begin(struct fixture *x)
{
	const struct finding *f;
	struct err err;
	size_t at = 0;

	(void)capture_count(&x->capture);
	assert_int_equal(adoption_new(x->here, &x->adoption, &err), 0);
	while ((f = findings_each(x->there, &at)))
		assert_int_equal(adoption_add(x->adoption, f, &err), 0);
	assert_int_equal(adoption_begin(x->adoption, &err), 0);
}

static void note(void *ctx, const struct finding *f)
{
	struct fixture *x = ctx;

	if (x->n_differing < ARRAY_LEN(x->differing))
		(void)snprintf(x->differing[x->n_differing], sizeof(x->differing[0]), "%.*s%s",
			       STR_ARG(f->subject.name), f->confirmed ? "" : "?");
	x->n_differing++;
}

static size_t finish(struct fixture *x)
{
	size_t portions = 0;

	while (adoption_go_on(x->adoption, note, x))
		portions++;
	return portions;
}

static bool differs(const struct fixture *x, const char *name)
{
	for (size_t i = 0; i < x->n_differing && i < ARRAY_LEN(x->differing); i++) {
		if (strcmp(x->differing[i], name) == 0)
			return true;
	}
	return false;
}

static void expect(struct fixture *x, enum message m)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);

	assert_non_null(d);
	assert_true(str_eq(val_str(VAL_GET(d->root, "MESSAGE_ID")), str_from(message_id(m))));
}

static void expect_none(struct fixture *x)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);

	assert_null(d);
}

static const struct finding *get(struct findings *f, const char *name)
{
	const struct finding_report r = drift(name, "");

	return findings_get(f, FINDING_DRIFT, &r.subject);
}

static void all_are_as_reported(const struct fixture *x)
{
	const struct finding *reported, *now;
	size_t at = 0;

	while ((reported = findings_each(x->there, &at))) {
		now = findings_find(x->here, reported->key);
		assert_non_null(now);
		assert_string_equal(now->id, reported->id);
		assert_int_equal(now->first_seen_usec, reported->first_seen_usec);
	}
}

static bool any(void *ctx, const struct finding *f, enum end_reason *why)
{
	*why = END_REPAIRED;
	(void)ctx;
	(void)f;
	return true;
}

/* What is the same on both takes the other's id; what is not is judged again, and nothing is told yet. */
static void adopts_what_another_reported(void **state)
{
	struct fixture *x = *state;
	const struct finding_counters *c;
	uint64_t begun;

	report(x->there, drift("same", "1"));
	report(x->there, drift("other", "1"));
	report(x->there, drift("gone", "1"));
	report(x->here, drift("same", "1"));
	report(x->here, drift("other", "2"));
	report(x->here, drift("new", "1"));
	begun = findings_counters(x->here, STR("c"))->transitions[TRANSITION_BEGIN][SEVERITY_WARNING];
	begin(x);
	assert_int_equal(adoption_count(x->adoption), 3);
	(void)finish(x);
	assert_int_equal(x->n_differing, 4);
	assert_true(differs(x, "other") && differs(x, "other?") && differs(x, "gone?") && differs(x, "new"));
	expect_none(x);
	all_are_as_reported(x);
	assert_true(get(x->here, "same")->confirmed);
	assert_false(get(x->here, "other")->confirmed);
	assert_false(get(x->here, "gone")->confirmed);
	assert_null(get(x->here, "new"));
	c = findings_counters(x->here, STR("c"));
	assert_int_equal(findings_open(c, FINDING_DRIFT), 3);
	assert_int_equal(c->unconfirmed, 2);
	assert_int_equal(c->transitions[TRANSITION_BEGIN][SEVERITY_WARNING], begun);
	report(x->here, drift("other", "2"));
	expect(x, MESSAGE_DRIFT_CHANGE);
	assert_string_equal(get(x->here, "other")->id, get(x->there, "other")->id);
}

/* A sweep, and what the loop learns, come in between. */
static void nothing_ends_that_is_not_compared_yet(void **state)
{
	struct fixture *x = *state;
	const struct finding_report over = drift("over", "1");

	report(x->there, drift("gone", "1"));
	report(x->there, drift("over", "1"));
	report(x->there, drift("worse", "1"));
	report(x->here, drift("over", "1"));
	report(x->here, drift("worse", "1"));
	begin(x);
	assert_true(findings_sweep(x->here, STR("c"), any, NULL));
	expect_none(x);
	findings_clear(x->here, FINDING_DRIFT, &over.subject, END_REPAIRED);
	expect(x, MESSAGE_DRIFT_END);
	report(x->here, drift("worse", "2"));
	expect(x, MESSAGE_DRIFT_CHANGE);
	(void)finish(x);
	assert_null(get(x->here, "over"));
	assert_true(differs(x, "gone?") && differs(x, "worse?"));
	report(x->here, drift("worse", "2")); /* when it is judged again */
	assert_true(findings_sweep(x->here, STR("c"), any, NULL));
	expect(x, MESSAGE_DRIFT_END);
	expect_none(x);
	assert_null(get(x->here, "gone"));
	assert_true(get(x->here, "worse")->confirmed);
}

/* What was not seen when the lists were read anew is not seen by being told. */
static void what_is_unconfirmed_stays_so(void **state)
{
	struct fixture *x = *state;

	report(x->there, drift("before", "1"));
	report(x->there, drift("after", "1"));
	report(x->here, drift("before", "1"));
	findings_unconfirm(x->here, STR("c"));
	report(x->here, drift("after", "1"));
	begin(x);
	(void)finish(x);
	assert_false(get(x->here, "before")->confirmed);
	assert_true(get(x->here, "after")->confirmed);
	assert_true(differs(x, "before?") && !differs(x, "after") && !differs(x, "after?"));
}

/* Its judge says it when it reads the rule, and never again: it is told at once, so that it may also end. */
static void tells_what_is_said_once(void **state)
{
	struct fixture *x = *state;
	const struct finding_report rule = rule_error();

	report(x->here, rule_error());
	begin(x);
	expect(x, MESSAGE_ERROR_BEGIN);
	findings_clear(x->here, FINDING_ERROR, &rule.subject, END_REPAIRED);
	expect(x, MESSAGE_ERROR_END);
	(void)finish(x);
	expect_none(x);
	assert_null(findings_get(x->here, FINDING_ERROR, &rule.subject));
}

/* What flaps goes on to, and what flapped here is forgotten. */
static void flapping_goes_on(void **state)
{
	struct fixture *x = *state;

	findings_set_flapping(x->here, 2, UINT64_C(60000000000));
	findings_set_flapping(x->there, 2, UINT64_C(60000000000));
	for (char i = '1'; i <= '3'; i++) {
		report(x->there, drift("there", (char[]){ i, '\0' }));
		report(x->here, drift("here", (char[]){ i, '\0' }));
	}
	assert_int_equal(findings_counters(x->here, STR("c"))->flapping, 1);
	begin(x);
	(void)finish(x);
	adoption_free(TAKE(x->adoption));
	assert_int_equal(findings_counters(x->here, STR("c"))->flapping, 1);
	assert_non_null(get(x->here, "there")->flap);
	report(x->here, drift("there", "3"));
	expect_none(x);
	findings_set_flapping(x->here, 0, 0);
	findings_tick(x->here, UINT64_MAX);
	expect(x, MESSAGE_DRIFT_CHANGE); /* quiet again */
	expect_none(x);
}

/* No portion is long, and what is forgotten goes in portions as well. */
static void portions_are_small(void **state)
{
	struct fixture *x = *state;
	char name[16];

	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name, sizeof(name), "%d", i);
		report(x->there, drift(name, "1"));
		report(x->here, drift(name, i % 2 ? "1" : "2"));
	}
	begin(x);
	assert_int_equal(finish(x), 3 + 3 + 2); /* what was known, what was told, what is forgotten: the last ends it */
	assert_int_equal(x->n_differing, 2 * ((MANY + 1) / 2));
	all_are_as_reported(x);
	assert_int_equal(findings_counters(x->here, STR("c"))->unconfirmed, (MANY + 1) / 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(adopts_what_another_reported),
		TEST(nothing_ends_that_is_not_compared_yet),
		TEST(what_is_unconfirmed_stays_so),
		TEST(tells_what_is_said_once),
		TEST(flapping_goes_on),
		TEST(portions_are_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
