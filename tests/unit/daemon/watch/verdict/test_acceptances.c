/* The set of acceptances: what is one, which of two counts, what is in force when, and what is news of it. */
#include "daemon/watch/verdict/acceptances.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>

#define NOW (1000000 * INT64_C(1800000000)) /* on 2027-01-15 at 08:00 */

static struct acceptances *set;

static int setup(void **state)
{
	struct err err;

	(void)state;
	return acceptances_new(&set, &err);
}

static int teardown(void **state)
{
	(void)state;
	acceptances_free(set);
	return 0;
}

static struct acceptance of(const char *name, const char *reason)
{
	return (struct acceptance){ .kind = STR("Widget"), .name = str_from(name), .reason = str_from(reason) };
}

static void id_of(const char *name, char ret[ACCEPTANCE_ID_SIZE])
{
	const struct acceptance a = of(name, "");

	assert_true(acceptance_id(&a, ret));
}

static int put(const char *name, const char *reason, bool configured)
{
	const struct acceptance a = of(name, reason);
	struct err err;

	return acceptances_put(set, &a, configured, &err);
}

/* All of them, "name:reason" with "*" for configured ones, in their order; then what is news, "-" before what went. */
static void expect(const char *all, const char *news)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
	const struct accepted *x = NULL;

	while ((x = acceptances_next(set, x)))
		buf_printf(&b, "%s%.*s:%.*s%s", b.n ? " " : "", STR_ARG(x->is.says.name), STR_ARG(x->is.says.reason),
			   x->configured ? "*" : "");
	if (!str_eq(buf_str(&b), str_from(all)))
		fail_msg("'%.*s' instead of '%s'", STR_ARG(buf_str(&b)), all);
	buf_clear(&b);
	while ((x = acceptances_changed(set, x)))
		buf_printf(&b, "%s%s%.*s:%.*s", b.n ? " " : "", x->removed ? "-" : "", STR_ARG(x->is.says.name),
			   STR_ARG(x->is.says.reason));
	if (!str_eq(buf_str(&b), str_from(news)))
		fail_msg("news: '%.*s' instead of '%s'", STR_ARG(buf_str(&b)), news);
	acceptances_forget_changes(set, acceptances_last_change(set));
	assert_null(acceptances_changed(set, NULL));
}

static void expect_counts(size_t made, size_t configured)
{
	assert_int_equal(acceptances_count(set, false), made);
	assert_int_equal(acceptances_count(set, true), configured);
}

static void one_takes_anothers_place(void **state)
{
	char id[ACCEPTANCE_ID_SIZE];

	(void)state;
	expect("", "");
	assert_int_equal(put("a", "r", false), 0);
	assert_int_equal(put("b", "r", false), 0);
	expect("a:r b:r", "a:r b:r");
	expect_counts(2, 0);
	assert_int_equal(put("a", "r", false), 0); /* the same */
	expect("a:r b:r", "");
	expect_counts(2, 0);
	assert_int_equal(put("a", "s", false), 0);
	expect("b:r a:s", "-a:r a:s");
	assert_int_equal(put("a", "t", false), 0);
	assert_int_equal(put("a", "u", false), 0);
	expect("b:r a:u", "-a:s -a:t a:u");
	expect_counts(2, 0);
	id_of("b", id);
	assert_true(acceptances_remove(set, id));
	assert_false(acceptances_remove(set, id));
	expect("a:u", "-b:r");
	assert_null(acceptances_get(set, str_from(id)));
	id_of("a", id);
	assert_non_null(acceptances_get(set, str_from(id)));
	assert_int_equal(put("c", "r", false), 0);
	id_of("c", id);
	assert_true(acceptances_remove(set, id)); /* before anybody has looked */
	expect("a:u", "-c:r");
	expect_counts(1, 0);
}

/* What the configuration says counts. */
static void configured_ones(void **state)
{
	(void)state;
	assert_int_equal(put("a", "r", true), 0);
	assert_int_equal(put("a", "r", false), -EEXIST);
	assert_int_equal(put("a", "s", false), -EEXIST);
	expect("a:r*", "a:r");
	expect_counts(0, 1);
	assert_int_equal(put("b", "r", false), 0);
	assert_int_equal(put("b", "r", true), 0);
	expect("a:r* b:r*", "-b:r b:r");
	expect_counts(0, 2);
}

static void what_is_none(void **state)
{
	(void)state;
	assert_int_equal(put("a", "", false), -EINVAL); /* without a reason */
	expect("", "");
	expect_counts(0, 0);
}

/* What it does not say any more goes, what somebody made stays, and what it says anew comes. */
static void another_configuration(void **state)
{
	struct accepted_change says[3] = { 0 };
	struct cfg cfg = { .refs = 1, .accepted = says, .n_accepted = 2 }, same;
	struct acceptances *copy;
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		says[i].says = of((const char *[]){ "a", "b", "c" }[i], "r");
		says[i].until_usec = INT64_MAX;
		assert_true(acceptance_id(&says[i].says, says[i].id));
	}
	assert_int_equal(put("m", "r", false), 0);
	assert_int_equal(acceptances_configure(set, &cfg, &err), 0);
	expect("m:r a:r* b:r*", "m:r a:r b:r");
	assert_int_equal(acceptances_configure(set, &cfg, &err), 0);
	expect("m:r a:r* b:r*", "");
	cfg.accepted = says + 1;
	assert_int_equal(acceptances_configure(set, &cfg, &err), 0);
	expect("m:r b:r* c:r*", "-a:r c:r");
	says[1].says.reason = STR("s");
	assert_int_equal(acceptances_configure(set, &cfg, &err), 0);
	expect("m:r c:r* b:s*", "-b:r b:s");
	same = cfg;
	same.refs = 1;
	assert_int_equal(acceptances_configure(set, &same, &err), 0);
	expect("m:r c:r* b:s*", "");
	assert_int_equal(cfg.refs, 1); /* nothing of it is left */
	assert_int_equal(same.refs, 3);
	assert_int_equal(acceptances_new(&copy, &err), 0);
	assert_int_equal(acceptances_copy(copy, set, &err), 0);
	assert_int_equal(same.refs, 5);
	same.n_accepted = 0;
	assert_int_equal(acceptances_configure(set, &same, &err), 0);
	expect("m:r", "-c:r -b:s");
	expect_counts(1, 0);
	assert_true(acceptances_remove(set, acceptances_next(set, NULL)->is.id));
	acceptances_forget_changes(set, acceptances_last_change(set));
	assert_int_equal(same.refs, 3);
	assert_int_equal(acceptances_count(copy, true), 2);
	assert_true(str_eq(acceptances_next(copy, NULL)->is.says.name, STR("m"))); /* it has texts of its own */
	acceptances_free(copy);
	assert_int_equal(same.refs, 1);
}

static bool in_force(const char *name)
{
	char id[ACCEPTANCE_ID_SIZE];

	id_of(name, id);
	return acceptances_get(set, str_from(id))->in_force;
}

/* From the first look on, and up to the last moment. */
static void time_goes_by(void **state)
{
	struct acceptance a = of("a", "r");
	struct err err;

	(void)state;
	a.until = STR("2027-01-15T08:00:10Z");
	assert_int_equal(acceptances_put(set, &a, false, &err), 0);
	assert_int_equal(put("b", "r", false), 0);
	expect("a:r b:r", "a:r b:r");
	assert_false(in_force("a") || in_force("b"));
	acceptances_tick(set, NOW);
	assert_true(in_force("a") && in_force("b"));
	expect("a:r b:r", "a:r b:r");
	acceptances_tick(set, NOW + 9999999);
	expect("a:r b:r", "");
	acceptances_tick(set, NOW + 10000000);
	assert_true(!in_force("a") && in_force("b"));
	expect("a:r b:r", "a:r");
	acceptances_tick(set, NOW); /* it is set back */
	expect("a:r b:r", "a:r");
	assert_true(in_force("a"));
}

static void found_by_the_start_of_its_id(void **state)
{
	char a[ACCEPTANCE_ID_SIZE], b[ACCEPTANCE_ID_SIZE];
	bool several;
	size_t n = 0;

	(void)state;
	assert_null(acceptances_find(set, STR(""), &several));
	assert_false(several);
	assert_int_equal(put("a", "r", false), 0);
	id_of("a", a);
	assert_non_null(acceptances_find(set, STR(""), &several));
	assert_int_equal(put("b", "r", false), 0);
	id_of("b", b);
	assert_null(acceptances_find(set, STR(""), &several));
	assert_true(several);
	while (a[n] == b[n])
		n++;
	assert_true(str_eq(acceptances_find(set, (str){ a, n + 1 }, &several)->is.says.name, STR("a")));
	assert_false(several);
	assert_true(str_eq(acceptances_find(set, str_from(b), &several)->is.says.name, STR("b")));
	assert_null(acceptances_find(set, STR("none"), &several));
	assert_false(several);
}

/* What a walk for objects of that name has, "name:reason" each. */
static void expect_for(const char *name, const char *expected)
{
	struct accepted_walk w = acceptances_for_object(set, str_from(name));
	CLEANUP(buf_done) struct buf got = BUF_INIT(4096);
	const struct accepted *x;

	while ((x = accepted_walk_next(&w)))
		buf_printf(&got, "%s%.*s:%.*s", got.n ? " " : "", STR_ARG(x->is.says.name), STR_ARG(x->is.says.reason));
	if (!str_eq(buf_str(&got), str_from(expected)))
		fail_msg("of %s: '%.*s', not '%s'", name, STR_ARG(buf_str(&got)), expected);
}

/* Where each of thousands is for one object, a verdict does not look at all of them. */
static void looked_up_by_name(void **state)
{
	char id[ACCEPTANCE_ID_SIZE], name[32];

	(void)state;
	assert_int_equal(put("a", "1", false), 0);
	assert_int_equal(put("*", "2", true), 0);
	assert_int_equal(put("b", "3", false), 0);
	assert_int_equal(put("a*", "4", false), 0);
	for (int i = 0; i < 1000; i++) {
		(void)snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(put(name, "r", false), 0);
	}
	expect_for("a", "a:1 *:2 a*:4");
	expect_for("b", "*:2 b:3 a*:4");
	expect_for("n7", "*:2 a*:4 n7:r");
	expect_for("c", "*:2 a*:4");               /* whether a pattern matches is not looked at */
	assert_int_equal(put("a", "5", false), 0); /* in the place of the first, and younger */
	acceptances_forget_changes(set, acceptances_last_change(set));
	expect_for("a", "*:2 a*:4 a:5");
	id_of("a", id);
	assert_true(acceptances_remove(set, id));
	expect_for("a", "*:2 a*:4 a:5"); /* it is not in force */
	acceptances_forget_changes(set, acceptances_last_change(set));
	expect_for("a", "*:2 a*:4");
	assert_null(accepted_walk_next(&(struct accepted_walk){ 0 }));
}

static void components_are_walked_by_themselves(void **state)
{
	const struct acceptance a = { .component = STR("p/c"), .reason = STR("r") };
	struct accepted_walk w;
	struct err err;

	(void)state;
	assert_int_equal(put("a", "1", false), 0);
	assert_int_equal(acceptances_put(set, &a, false, &err), 0);
	expect_for("a", "a:1");
	expect_for("", "");
	w = acceptances_for_components(set);
	assert_true(str_eq(accepted_walk_next(&w)->is.says.component, STR("p/c")));
	assert_null(accepted_walk_next(&w));
}

/* What changes again while somebody works at its change is not forgotten with that. */
static void changes_are_forgotten_up_to_one(void **state)
{
	uint64_t first;

	(void)state;
	assert_int_equal(put("a", "1", false), 0);
	assert_int_equal(put("b", "1", false), 0);
	first = acceptances_last_change(set);
	assert_int_equal(put("c", "1", false), 0);
	acceptances_tick(set, NOW); /* all are in force from now on */
	assert_true(acceptances_last_change(set) > first + 1);
	acceptances_forget_changes(set, first);
	assert_true(str_eq(acceptances_changed(set, NULL)->is.says.name, STR("a")));
	acceptances_forget_changes(set, acceptances_last_change(set));
	assert_null(acceptances_changed(set, NULL));
}

static void a_copy(void **state)
{
	struct acceptances *from = set;
	struct err err;

	(void)state;
	assert_int_equal(put("a", "r", true), 0);
	assert_int_equal(put("b", "r", false), 0);
	assert_int_equal(acceptances_new(&set, &err), 0);
	assert_int_equal(acceptances_copy(set, from, &err), 0);
	expect("a:r* b:r", "a:r b:r");
	expect_counts(1, 1);
	acceptances_free(from);
	acceptances_free(NULL);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(one_takes_anothers_place),
					    CASE(configured_ones),
					    CASE(what_is_none),
					    CASE(another_configuration),
					    CASE(looked_up_by_name),
					    CASE(components_are_walked_by_themselves),
					    CASE(changes_are_forgotten_up_to_one),
					    CASE(time_goes_by),
					    CASE(found_by_the_start_of_its_id),
					    CASE(a_copy) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
