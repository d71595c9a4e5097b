/* A walk over the findings that stops now and then, while they begin, change, move and end at random: it has each that
 * was open when it began, and is open when its turn comes, once; and no other. */
#include "daemon/findings/findings.h"

#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#define NAMES 120

struct fixture {
	struct findings_set set;
	uint64_t random;
	bool open[NAMES], was_open[NAMES]; /* now; when the walk began */
	bool moved[NAMES];                 /* it has another place than at first */
	unsigned seen[NAMES], ended[NAMES];
	bool touched[NAMES]; /* it has ended since */
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	return x ? begin_findings(&x->set) : -1;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	end_findings(&x->set);
	free(x);
	return 0;
}

static uint32_t below(struct fixture *x, uint32_t n)
{
	x->random = x->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(x->random >> 33) % n;
}

/* Of some kinds there is a list by age. */
static enum finding_kind kind_of(size_t i)
{
	static const enum finding_kind kinds[] = { FINDING_DRIFT, FINDING_GAP, FINDING_VALIDATION };

	return kinds[i % ARRAY_LEN(kinds)];
}

static struct finding_subject subject_of(const struct fixture *x, size_t i, char name[16])
{
	struct finding_subject s = { .cluster = STR("c"), .kind = STR("Widget"), .namespace = STR("n") };

	(void)snprintf(name, 16, "%zu", i);
	s.name = str_from(name);
	if (kind_of(i) == FINDING_VALIDATION) {
		s.rule = STR("self.x");
		s.rule_path = x->moved[i] ? STR(".b") : STR(".a");
	}
	return s;
}

static void report(struct fixture *x, size_t i, const char *what)
{
	char name[16];
	struct finding_report r = {
		.kind = kind_of(i),
		.severity = below(x, 2) ? SEVERITY_WARNING : SEVERITY_ERROR,
		.subject = subject_of(x, i, name),
		.what = STR("w"),
		.state = str_from(what),
	};
	struct err err;

	if (!x->open[i])
		x->moved[i] = false;
	r.subject = subject_of(x, i, name);
	assert_int_equal(findings_report(x->set.findings, &r, &err), 0);
	x->open[i] = true;
}

static void end(struct fixture *x, size_t i)
{
	char name[16];
	struct finding_subject s = subject_of(x, i, name);

	findings_clear(x->set.findings, kind_of(i), &s, END_REPAIRED);
	x->touched[i] |= x->open[i];
	x->open[i] = false;
}

static void move(struct fixture *x, size_t i)
{
	char name[16];
	struct finding_subject s = subject_of(x, i, name);

	if (kind_of(i) != FINDING_VALIDATION || !x->open[i])
		return;
	assert_true(findings_move(x->set.findings, kind_of(i), &s, x->moved[i] ? STR(".a") : STR(".b")));
	x->moved[i] = !x->moved[i];
}

static void change_something(struct fixture *x)
{
	static const char *const states[] = { "a", "b", "c", "d" };
	size_t i = below(x, NAMES);

	switch (below(x, 4)) {
	case 0:
		end(x, i);
		break;
	case 1:
		move(x, i);
		break;
	default:
		report(x, i, states[below(x, 4)]);
	}
}

static size_t index_of(const struct finding *f)
{
	return (size_t)atoi(f->subject.name.p);
}

static void note_ended(void *ctx, const struct finding *f)
{
	((struct fixture *)ctx)->ended[index_of(f)]++;
}

static void begin_walk(struct fixture *x, struct findings_scan *s)
{
	memcpy(x->was_open, x->open, sizeof(x->open));
	memset(x->seen, 0, sizeof(x->seen));
	memset(x->ended, 0, sizeof(x->ended));
	memset(x->touched, 0, sizeof(x->touched));
	findings_scan_begin(x->set.findings, s);
	s->ended = note_ended;
	s->ctx = x;
}

static void check_walk(const struct fixture *x)
{
	for (size_t i = 0; i < NAMES; i++) {
		assert_in_range(x->seen[i], 0, x->was_open[i]);
		if (x->was_open[i] && !x->touched[i])
			assert_int_equal(x->seen[i], 1);
		assert_int_equal(x->ended[i] > 0, x->touched[i]);
	}
}

static void test_walks(void **state)
{
	struct fixture *x = *state;

	for (x->random = 1; x->random < 400; x->random++) {
		uint64_t seed = x->random;
		const struct finding *f;
		struct findings_scan s;

		for (size_t i = below(x, 100); i > 0; i--)
			change_something(x);
		begin_walk(x, &s);
		while ((f = findings_scan_next(&s))) {
			assert_ptr_equal(f, findings_find(x->set.findings, f->key));
			assert_true(x->open[index_of(f)]);
			x->seen[index_of(f)]++;
			for (size_t i = below(x, 4); i > 0; i--)
				change_something(x);
		}
		assert_null(findings_scan_next(&s));
		check_walk(x);
		assert_true(s.begun);
		findings_scan_end(&s);
		findings_scan_end(&s);
		x->random = seed;
	}
}

#define MANY 1000

/* Those of even numbers are elsewhere from now on. */
static bool even_ones_move(void *ctx, struct finding *copy)
{
	(void)ctx;
	if (index_of(copy) % 2)
		return false;
	copy->subject.cluster = STR("d");
	return true;
}

/* In slices, while others end and begin; each keeps its place in the order of age. */
static void test_readdressing(void **state)
{
	struct fixture *x = *state;
	struct findings_readdressing r = { 0 };
	const struct finding_report more = {
		.kind = FINDING_DRIFT,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = STR("e"), .kind = STR("Widget"), .name = STR("0") },
		.state = STR("a")
	};
	struct finding_subject s = { .cluster = STR("c"), .kind = STR("Widget") };
	const struct finding *f;
	struct findings_scan walk;
	size_t calls = 1, before = 0, n = 0;
	struct err err;
	char name[16];

	for (size_t i = 0; i < MANY; i++) {
		struct finding_report report = { .kind = FINDING_DRIFT,
						 .severity = SEVERITY_WARNING,
						 .state = STR("a") };

		(void)snprintf(name, sizeof(name), "%zu", i);
		s.name = str_from(name);
		report.subject = s;
		assert_int_equal(findings_report(x->set.findings, &report, &err), 0);
	}
	for (; findings_readdress(x->set.findings, &r, even_ones_move, NULL); before = r.moved, calls++) {
		assert_in_range(r.moved - before, 1, FINDINGS_SOME);
		if (calls == 2) {
			s.name = STR("999"); /* the last of the walk */
			findings_clear(x->set.findings, FINDING_DRIFT, &s, END_REPAIRED);
			assert_int_equal(findings_report(x->set.findings, &more, &err), 0);
		}
	}
	assert_in_range(calls, MANY / FINDINGS_SOME, MANY / FINDINGS_SOME + 1);
	assert_int_equal(r.moved, MANY / 2);
	assert_false(r.scan.begun);
	findings_scan_begin(x->set.findings, &walk);
	for (; (f = findings_scan_next(&walk)); n++) {
		assert_ptr_equal(f, findings_find(x->set.findings, f->key));
		if (n == MANY - 1) {
			assert_true(str_eq(f->subject.cluster, STR("e")));
			continue;
		}
		assert_int_equal(index_of(f), n);
		assert_true(str_eq(f->subject.cluster, n % 2 ? STR("c") : STR("d")));
	}
	assert_int_equal(n, MANY);
	findings_scan_end(&walk);
}

static bool is_odd(void *ctx, const struct finding *f, enum end_reason *why)
{
	size_t *looks = ctx;

	++*looks;
	*why = END_RULE_GONE;
	return index_of(f) % 2;
}

/* Each is looked at once, also where many end. */
static void test_ending(void **state)
{
	struct fixture *x = *state;
	size_t open = 0, looks = 0, at = 0;
	const struct finding *f;

	for (size_t i = 0; i < NAMES; i++)
		report(x, i, "a");
	findings_end_where(x->set.findings, is_odd, &looks);
	assert_int_equal(looks, NAMES);
	while ((f = findings_each(x->set.findings, &at)))
		open += index_of(f) % 2 == 0;
	assert_int_equal(at, open);
	assert_int_equal(open, NAMES / 2);
}

/* Whoever walks learns that the set is another one, or gone. */
static void test_walks_over_what_goes(void **state)
{
	struct fixture *x = *state;
	struct findings_scan s, other;

	report(x, 0, "a");
	report(x, 3, "a");
	findings_scan_begin(x->set.findings, &s);
	findings_scan_begin(x->set.findings, &other);
	assert_non_null(findings_scan_next(&s));
	findings_free(x->set.findings);
	x->set.findings = NULL;
	assert_null(findings_scan_next(&s));
	assert_false(s.begun);
	assert_false(other.begun);
	findings_scan_end(&s);
}

static void test_gaps(void **state)
{
	struct fixture *x = *state;
	const struct finding *f = NULL;
	bool found[NAMES] = { 0 };
	size_t at = 0, n = 0;
	struct err err;

	assert_null(findings_each_gap(x->set.findings, &at, NULL));
	for (size_t i = 0; i < NAMES; i++) {
		char name[16], cluster[16];
		struct finding_report r = { .kind = kind_of(i),
					    .severity = SEVERITY_WARNING,
					    .subject = subject_of(x, i, name),
					    .what = STR("w"),
					    .state = STR("s") };

		(void)snprintf(cluster, sizeof(cluster), "c-%zu", i % 7);
		r.subject.cluster = str_from(cluster);
		assert_int_equal(findings_report(x->set.findings, &r, &err), 0);
	}
	for (at = 0; (f = findings_each_gap(x->set.findings, &at, f)); n++) {
		assert_int_equal(f->kind, FINDING_GAP);
		assert_false(found[index_of(f)]);
		found[index_of(f)] = true;
	}
	assert_int_equal(n, NAMES / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walks, setup, teardown),
		cmocka_unit_test_setup_teardown(test_readdressing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ending, setup, teardown),
		cmocka_unit_test_setup_teardown(test_walks_over_what_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_gaps, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
