/* What users make at run time: as other hosts know it, and not before they do. */
#include "daemon/store/agreement.h"
#include "daemon/store/made.h"
#include "daemon/store/writer.h"

#include "rules/acceptance.h"
#include "value/doc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>
#include <errno.h>

#define WAIT_MS 5000
#define UUID "AAAAAAAA-1111-4111-8111-111111111111"
#define LOWER_UUID "aaaaaaaa-1111-4111-8111-111111111111"
#define OTHER_UUID "00000000-1111-4111-8111-111111111111"
#define ACCEPTANCE "{\"kind\":\"ConfigMap\",\"name\":\"m\",\"reason\":\"a test\"}"

#define LOG_MAX 65536
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}

/* ---- values ---- */

static const struct {
	struct kept_rule rule;
	const char *value;
} rules[] = {
	{ { TEXT("u"), TEXT("{}"), TEXT("2026-01-01T00:00:00Z"), { NULL, 0 } }, "2026-01-01T00:00:00Z -\n{}" },
	{ { TEXT("u"), TEXT("{\"a\":\"b c\\n\"}"), TEXT("c"), TEXT("d") }, "c d\n{\"a\":\"b c\\n\"}" },
	{ { TEXT("u"), TEXT("a\nb c\n"), TEXT("c"), { NULL, 0 } }, "c -\na\nb c\n" },
};

static void rules_there_and_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		CLEANUP(buf_done) struct buf value = BUF_INIT(1000);
		const struct kept_rule *rule = &rules[i].rule;
		struct kept_rule got;

		made_rule_write(rule, &value);
		assert_true(str_eq(buf_str(&value), str_from(rules[i].value)));
		assert_true(made_rule_read(&(struct made_item){ MADE_RULE, rule->uuid, buf_str(&value), 0 }, &got));
		assert_true(str_eq(got.uuid, rule->uuid));
		assert_true(str_eq(got.json, rule->json));
		assert_true(str_eq(got.created_at, rule->created_at));
		assert_true(str_eq(got.updated_at, rule->updated_at));
		assert_int_equal(got.updated_at.p != NULL, rule->updated_at.p != NULL);
	}
}

static void what_is_no_rule(void **state)
{
	static const char *const values[] = { "",       "c",    "c -",   "c -\n", "c\n{}", " -\n{}",
					      "c \n{}", "\n{}", "-\n{}", " \n{}", "{}",    "c - {}" };
	struct kept_rule got;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		assert_false(made_rule_read(&(struct made_item){ MADE_RULE, STR("u"), str_from(values[i]), 0 }, &got));
	assert_false(made_rule_read(&(struct made_item){ MADE_RULE, STR(""), STR("c -\n{}"), 0 }, &got));
	assert_false(made_rule_read(&(struct made_item){ MADE_ACCEPTANCE, STR("u"), STR("c -\n{}"), 0 }, &got));
}

static void id_of(const char *name, char ret[ACCEPTANCE_ID_SIZE])
{
	const struct acceptance a = { .kind = STR("ConfigMap"), .name = str_from(name), .reason = STR("a test") };

	assert_true(acceptance_id(&a, ret));
}

static void acceptances(void **state)
{
	char id[ACCEPTANCE_ID_SIZE], other[ACCEPTANCE_ID_SIZE];
	const struct {
		enum made_kind kind;
		const char *id, *value;
		int expected;
	} cases[] = {
		{ MADE_ACCEPTANCE, id, ACCEPTANCE, 0 },
		{ MADE_ACCEPTANCE, other, ACCEPTANCE, -EBADMSG },
		{ MADE_ACCEPTANCE, "", ACCEPTANCE, -EBADMSG },
		{ MADE_RULE, id, ACCEPTANCE, -EBADMSG },
		{ MADE_ACCEPTANCE, id, "{\"kind\":\"ConfigMap\",\"name\":\"m\"}", -EBADMSG }, /* without a reason */
		{ MADE_ACCEPTANCE, id, "{", -EBADMSG },
		{ MADE_ACCEPTANCE, id, "[]", -EBADMSG },
		{ MADE_ACCEPTANCE, id, "", -EBADMSG },
	};

	(void)state;
	id_of("m", id);
	id_of("n", other);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct made_item item = { cases[i].kind, str_from(cases[i].id), str_from(cases[i].value), 0 };
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		struct acceptance a;
		struct err err;

		assert_int_equal(made_acceptance_read(&item, &doc, &a, &err), cases[i].expected);
		assert_int_equal(doc != NULL, cases[i].expected == 0);
		if (doc)
			assert_true(str_eq(a.name, STR("m")));
	}
}

/* ---- the thread, and other hosts ---- */

struct fixture {
	struct database *database;
	struct writer *writer;
	struct writer_agreement agreement;
	atomic_bool reports;
	atomic_int fails, result; /* result 1: not done yet */
	atomic_size_t asked;
	struct buf log; /* what other hosts know, one transaction in a line; of the thread until something is done */
	struct buf kept;
	atomic_bool done;
};

static bool may_report(void *ctx)
{
	struct fixture *f = ctx;

	return atomic_load(&f->reports);
}

static int agree(void *ctx, const struct agreed_step *steps, size_t n, struct err *err)
{
	(void)ctx;
	(void)steps;
	(void)n;
	(void)err;
	return 0;
}

static int finish_batch(void *ctx, struct err *err)
{
	(void)ctx;
	(void)err;
	return 0;
}

static void note(struct fixture *f, const char *what, const struct made_item *changes, size_t n)
{
	buf_add_cstr(&f->log, what);
	for (size_t i = 0; i < n; i++)
		buf_printf(&f->log, " %s%.2s%s",
			   changes[i].kind == MADE_RULE ? "r:" : "a:", changes[i].id.p ? changes[i].id.p : "*",
			   changes[i].value.p ? "" : "-");
	buf_add_cstr(&f->log, "\n");
}

static int agree_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	struct fixture *f = ctx;
	int fails = atomic_load(&f->fails);

	atomic_fetch_add(&f->asked, 1);
	if (fails)
		return err_set(err, fails, "away");
	note(f, "agree", changes, n);
	return 0;
}

static int publish_made(void *ctx, const struct made_item *changes, size_t n, struct err *err)
{
	(void)err;
	note(ctx, "publish", changes, n);
	return 0;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct writer_options o = { .output = CFG_OUTPUT_JSON,
				    .history_usec = INT64_MAX / 2,
				    .history_bytes = INT64_MAX };
	struct err err;

	*state = f;
	if (!f || database_open("", &f->database, &err, &err) < 0)
		return -1;
	f->log = f->kept = BUF_INIT(LOG_MAX);
	f->agreement = (struct writer_agreement){ may_report, agree, agree, finish_batch, agree_made, publish_made, f };
	atomic_store(&f->reports, true);
	o.database = f->database;
	o.agreement = &f->agreement;
	return writer_new(&o, &f->writer, &err) < 0 || writer_start(f->writer, &err) < 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	bool ended = writer_stop(f->writer, WAIT_MS);

	buf_done(&f->log);
	buf_done(&f->kept);
	free(f);
	return ended ? 0 : -1;
}

static struct fixture *current;

static void on_done(struct made_order *o, int r, const struct err *err)
{
	(void)o;
	(void)err;
	atomic_store(&current->result, r);
}

static void begin(struct fixture *f, struct made_order *o)
{
	current = f;
	atomic_store(&f->result, 1);
	o->done = on_done;
	writer_keep(f->writer, o);
}

static int result(struct fixture *f)
{
	for (int i = 0; i < WAIT_MS && atomic_load(&f->result) == 1; i++)
		(void)usleep(1000);
	return atomic_load(&f->result);
}

static int order(struct fixture *f, struct made_order o)
{
	begin(f, &o);
	return result(f);
}

struct look {
	struct writer_task task; /* first */
	struct fixture *f;
};

static int see_acceptance(void *ctx, str json, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	buf_printf(&f->kept, "a%zu ", json.n);
	return 0;
}

static int see_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	struct fixture *f = ctx;

	(void)err;
	buf_printf(&f->kept, "r%.2s ", rule->uuid.p);
	return 0;
}

static void look(struct writer_task *task, struct database *d)
{
	struct fixture *f = ((struct look *)task)->f;
	struct err err;
	size_t n;

	buf_clear(&f->kept);
	assert_int_equal(database_acceptances(d, see_acceptance, f, &n, &err), 0);
	assert_int_equal(database_rules(d, see_rule, f, &n, &err), 0);
	atomic_store(&f->done, true);
}

static void expect_kept(struct fixture *f, const char *expected)
{
	struct look l = { .task = { .run = look }, .f = f };

	atomic_store(&f->done, false);
	writer_run(f->writer, &l.task);
	while (!atomic_load(&f->done))
		(void)usleep(1000);
	assert_true(str_eq(buf_str(&f->kept), str_from(expected)));
}

static void expect_log(struct fixture *f, const char *expected)
{
	assert_true(str_eq(buf_str(&f->log), str_from(expected)));
	buf_clear(&f->log);
}

static const struct made_order a_rule = {
	.kind = MADE_RULE, .id = TEXT(UUID), .json = TEXT("{}"), .created_at = TEXT("c")
};
static const struct made_order an_acceptance = { .kind = MADE_ACCEPTANCE, .id = TEXT("abcd"), .json = TEXT("{}") };

static void hosts_know_it_first(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(order(f, an_acceptance), 0);
	assert_int_equal(order(f, a_rule), 0);
	expect_log(f, "agree a:ab\nagree r:aa\n");
	expect_kept(f, "a2 rAA ");
	assert_int_equal(order(f, (struct made_order){ .kind = MADE_ACCEPTANCE, .id = STR("abcd") }), 0);
	assert_int_equal(order(f, (struct made_order){ .kind = MADE_RULE, .id = STR(UUID) }), 0);
	assert_int_equal(order(f, a_rule), 0);
	assert_int_equal(order(f, (struct made_order){ .kind = MADE_RULE }), 0);
	expect_log(f, "agree a:ab-\nagree r:aa-\nagree r:aa\nagree r:*-\n");
	expect_kept(f, "");
}

/* Nothing is sent by a host that does not lead. */
static void refuses(void **state)
{
	struct fixture *f = *state;

	atomic_store(&f->reports, false);
	assert_int_equal(order(f, an_acceptance), -EAGAIN);
	assert_int_equal(atomic_load(&f->asked), 0);
	expect_kept(f, "");
}

static void refuses_what_is_too_large(void **state)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(2 * MADE_VALUE_MAX);
	struct made_order o = a_rule;
	struct fixture *f = *state;

	buf_fill(&json, 'x', MADE_VALUE_MAX);
	o.json = buf_str(&json);
	assert_int_equal(order(f, o), -EFBIG);
	assert_int_equal(atomic_load(&f->asked), 0);
	expect_kept(f, "");
	o.json.n -= 4; /* with "c -" and the end of the line */
	assert_int_equal(order(f, o), 0);
}

static void wait_for_try(struct fixture *f, size_t n)
{
	for (int i = 0; i < WAIT_MS && atomic_load(&f->asked) < n; i++)
		(void)usleep(1000);
	assert_true(atomic_load(&f->asked) >= n);
}

/* Whether etcd has carried it out cannot be said, also when this host does not lead for a while. */
static void waits_in_doubt(void **state)
{
	struct made_order doubtful = an_acceptance, after = a_rule;
	struct fixture *f = *state;

	atomic_store(&f->fails, EHOSTUNREACH);
	begin(f, &doubtful);
	wait_for_try(f, 2);
	expect_kept(f, "");
	atomic_store(&f->reports, false);
	begin(f, &after);
	assert_int_equal(result(f), -EAGAIN); /* it was not sent: the other one waits on */
	atomic_store(&f->result, 1);
	atomic_store(&f->fails, 0);
	atomic_store(&f->reports, true);
	assert_int_equal(result(f), 0);
	expect_log(f, "agree a:ab\n");
	expect_kept(f, "a2 ");
}

/* ---- takeovers ---- */

static void on_taken(struct writer_takeover *t, int r, const struct err *err)
{
	(void)t;
	(void)err;
	assert_int_equal(r, 0);
	atomic_store(&current->done, true);
}

static void take_over(struct fixture *f, struct writer_takeover t)
{
	current = f;
	atomic_store(&f->done, false);
	t.done = on_taken;
	writer_take_over(f->writer, &t);
	while (!atomic_load(&f->done))
		(void)usleep(1000);
}

static void gives_up(void **state)
{
	struct made_order doubtful = an_acceptance;
	struct fixture *f = *state;

	atomic_store(&f->fails, EHOSTUNREACH);
	begin(f, &doubtful);
	wait_for_try(f, 1);
	take_over(f, (struct writer_takeover){ .drops = true });
	assert_int_equal(result(f), -ECANCELED);
	expect_kept(f, "");
}

static void replaces(void **state)
{
	char id[ACCEPTANCE_ID_SIZE];
	struct made_item items[] = {
		{ MADE_RULE, STR(UUID), STR("c d\n{}"), 0 },   { MADE_RULE, STR(OTHER_UUID), STR("c -\n{}"), 0 },
		{ MADE_RULE, STR("none"), STR("none"), 0 },    { MADE_ACCEPTANCE, STR(""), STR(ACCEPTANCE), 0 },
		{ MADE_ACCEPTANCE, STR("x"), STR("none"), 0 },
	};
	struct fixture *f = *state;

	id_of("m", id);
	items[3].id = str_from(id);
	assert_int_equal(order(f, an_acceptance), 0);
	assert_int_equal(order(f, a_rule), 0);
	take_over(f, (struct writer_takeover){ .drops = true });
	expect_kept(f, "a2 rAA "); /* the truth, should etcd lose all */
	take_over(f, (struct writer_takeover){ .made = items, .n_made = ARRAY_LEN(items) });
	expect_kept(f, "a49 rAA r00 ");
	expect_log(f, "agree a:ab\nagree r:aa\n");
}

/* Rules are published one by one, in their order; acceptances, of which there may be thousands, many at a time. */
static void publishes(void **state)
{
	static const char expected[] = "publish a:*- r:*-\n";
	struct made_order other = a_rule;
	struct fixture *f = *state;
	size_t lines = 0, acceptances = 0;
	str log;

	other.id = STR(OTHER_UUID);
	assert_int_equal(order(f, a_rule), 0);
	assert_int_equal(order(f, other), 0);
	for (size_t i = 0; i < 250; i++) {
		char id[ACCEPTANCE_ID_SIZE], json[100];

		(void)snprintf(json, sizeof(json), "{\"kind\":\"C\",\"name\":\"%zu\",\"reason\":\"r\"}", i);
		(void)snprintf(id, sizeof(id), "%016zx", i);
		assert_int_equal(order(f, (struct made_order){ .kind = MADE_ACCEPTANCE,
							       .id = str_from(id),
							       .json = str_from(json) }),
				 0);
	}
	buf_clear(&f->log);
	take_over(f, (struct writer_takeover){ .publishes_made = true });
	log = buf_str(&f->log);
	for (size_t i = 0; i < log.n; i++) {
		lines += log.p[i] == '\n';
		acceptances += log.p[i] == 'a';
	}
	assert_true(str_has_prefix(log, STR(expected)));
	assert_true(str_has_suffix(log, STR("\npublish r:aa\npublish r:00\npublish\n")));
	assert_int_equal(lines, 1 + 3 + 2 + 1);
	assert_true(acceptances >= 250);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_there_and_back),
		cmocka_unit_test(what_is_no_rule),
		cmocka_unit_test(acceptances),
		cmocka_unit_test_setup_teardown(hosts_know_it_first, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(refuses_what_is_too_large, setup, teardown),
		cmocka_unit_test_setup_teardown(waits_in_doubt, setup, teardown),
		cmocka_unit_test_setup_teardown(gives_up, setup, teardown),
		cmocka_unit_test_setup_teardown(replaces, setup, teardown),
		cmocka_unit_test_setup_teardown(publishes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
