/* The set of acceptances: what is one, which of two counts, what is in force when, and what is news of it. */
#include "daemon/watch/reference/acceptances.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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
	struct cfg cfg = { .accepted = says, .n_accepted = 2 };
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		says[i].says = of((const char *[]){ "a", "b", "c" }[i], "r");
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
	says[2].says.reason = STR("");
	assert_int_equal(acceptances_configure(set, &cfg, &err), -EINVAL);
	cfg.n_accepted = 0;
	assert_int_equal(acceptances_configure(set, &cfg, &err), 0);
	expect("m:r", "-c:r -b:s");
	expect_counts(1, 0);
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
	const struct CMUnitTest tests[] = {
		CASE(one_takes_anothers_place), CASE(configured_ones), CASE(what_is_none),
		CASE(another_configuration),    CASE(time_goes_by),    CASE(found_by_the_start_of_its_id),          CASE(a_copy)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
