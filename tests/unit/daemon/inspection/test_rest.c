/* The resource as the daemon has it: plans that change nothing until they are carried out, what is kept and comes back,
 * and the list in parts while rules change. */
#include "daemon/inspection/rest.h"

#include "value/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define A "7f2b1c9e-1111-4222-8333-444455556666"
#define B "8f2b1c9e-1111-4222-8333-444455556666"
#define FAIL "{\"op\":\"fail\",\"args\":[\"m\"]}"

static const struct limits limits = LIMITS_DEFAULT;

struct fixture {
	struct inspection_rest rest;
	struct inspection_plan plan;
	bool planned;
};

static struct inspection_rules *rules_new(const char *built_in)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	const struct json_options o = { .limits = &limits };
	struct insp_builtins builtins = { 0 };
	struct inspection_rules *rules;
	struct problems problems = { 0 };
	struct err err;

	assert_int_equal(json_decode(str_from(built_in), &o, &d, &err), 0);
	assert_int_equal(insp_builtins_read(d->root, &limits, &builtins, &problems, &err), 0);
	assert_int_equal(inspection_rules_new(&builtins, &rules, &err), 0);
	problems_done(&problems);
	return rules;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	*state = f;
	f->rest = (struct inspection_rest){
		.rules = rules_new("[{\"actions\":[" FAIL "],\"priority\":-1}]"),
		.limits = &limits,
		.built_in_at = STR("start"),
	};
	return 0;
}

static void forget_plan(struct fixture *f)
{
	if (f->planned)
		inspection_plan_done(&f->plan);
	f->planned = false;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	forget_plan(f);
	inspection_rules_free(f->rest.rules);
	free(f);
	return 0;
}

static const struct inspection_plan *plan(struct fixture *f, const char *method, const char *path, const char *body)
{
	const struct insp_request q = { str_from(method), str_from(path), STR(""), str_from(body) };
	struct err err;

	forget_plan(f);
	assert_int_equal(inspection_plan(&f->rest, &q, &f->plan, &err), 0);
	f->planned = true;
	return &f->plan;
}

static void carry_out(struct fixture *f)
{
	struct err err;

	assert_int_equal(inspection_carry_out(&f->rest, &f->plan, &err), 0);
}

static void does(struct fixture *f, const char *method, const char *path, const char *body, unsigned status)
{
	if (plan(f, method, path, body)->status != status)
		fail_msg("%s %s %s: %u %.*s", method, path, body, f->plan.status, STR_ARG(buf_str(&f->plan.body)));
	carry_out(f);
}

static void says(const struct fixture *f, const char *text)
{
	if (str_find(buf_str(&f->plan.body), str_from(text)) < 0)
		fail_msg("no '%s' in: %.*s", text, STR_ARG(buf_str(&f->plan.body)));
}

static size_t count(const struct fixture *f)
{
	size_t n = 0;

	while (inspection_rules_at(f->rest.rules, n))
		n++;
	return n;
}

/* ---- plans ---- */

static void test_nothing_changes_before(void **state)
{
	struct fixture *f = *state;
	const struct inspection_plan *p = plan(f, "POST", INSP_RULES_PATH, "{\"actions\":[" FAIL "]}");
	uint64_t generation = inspection_rules_generation(f->rest.rules);
	char path[128];

	assert_int_equal(p->status, 201);
	assert_int_equal(p->change, INSPECTION_CREATED);
	assert_true(insp_uuid_valid(p->uuid) && p->uuid.p[14] == '4' && strchr("89ab", p->uuid.p[19]));
	(void)snprintf(path, sizeof(path), INSP_RULES_PATH "/%.*s", STR_ARG(p->uuid));
	assert_true(str_eq(p->location, str_from(path)));
	assert_false(p->updated_at.p);
	assert_int_equal(count(f), 0);
	assert_int_equal(inspection_rules_generation(f->rest.rules), generation);
	carry_out(f);
	assert_int_equal(count(f), 1);
	assert_true(inspection_rules_generation(f->rest.rules) > generation);

	p = plan(f, "PATCH", path, "[{\"op\":\"replace\",\"path\":\"/priority\",\"value\":7}]");
	assert_int_equal(p->change, INSPECTION_CHANGED);
	assert_true(p->updated_at.p);
	says(f, "\"priority\":7");
	plan(f, "GET", path, "");
	says(f, "\"priority\":0");
	does(f, "PATCH", path, "[{\"op\":\"replace\",\"path\":\"/priority\",\"value\":7}]", 200);
	plan(f, "GET", path, "");
	says(f, "\"priority\":7");

	assert_int_equal(plan(f, "DELETE", path, "")->change, INSPECTION_DELETED);
	assert_int_equal(f->plan.status, 204);
	assert_int_equal(f->plan.body.n, 0);
	assert_int_equal(count(f), 1);
	assert_int_equal(plan(f, "DELETE", INSP_RULES_PATH, "")->change, INSPECTION_CLEARED);
	carry_out(f);
	assert_int_equal(count(f), 0);
}

/* Each of its own, and of every variant that RFC 9562 has. */
static void test_uuids(void **state)
{
	struct fixture *f = *state;
	char seen[5] = "", last[64] = "";

	for (int i = 0; i < 200; i++) {
		const struct inspection_plan *p = plan(f, "POST", INSP_RULES_PATH, "{\"actions\":[" FAIL "]}");
		char variant[2] = { p->uuid.n == 36 ? p->uuid.p[19] : '-', '\0' };

		assert_true(insp_uuid_valid(p->uuid) && p->uuid.p[14] == '4');
		assert_true(*variant && strchr("89ab", *variant));
		if (!strstr(seen, variant))
			(void)strcat(seen, variant);
		assert_false(str_eq(p->uuid, str_from(last)));
		(void)snprintf(last, sizeof(last), "%.*s", STR_ARG(p->uuid));
	}
	assert_int_equal(strlen(seen), 4);
}

static void test_not_kept(void **state)
{
	struct fixture *f = *state;

	plan(f, "POST", INSP_RULES_PATH, "{\"actions\":[" FAIL "]}");
	inspection_refuse(&f->plan, 503, "the disk is \"full\"");
	assert_int_equal(f->plan.status, 503);
	says(f, "{\"error\":\"the disk is \\\"full\\\"\"}\n");
	assert_int_equal(f->plan.location.n, 0);
	carry_out(f); /* of nothing */
	assert_int_equal(count(f), 0);
}

static void test_what_changes_nothing(void **state)
{
	static const struct {
		const char *method, *path, *body;
		unsigned status;
	} cases[] = {
		{ "POST", INSP_RULES_PATH, "{", 400 },
		{ "POST", INSP_RULES_PATH, "{\"uuid\":\"" A "\",\"actions\":[" FAIL "]}", 409 },
		{ "PATCH", INSP_RULES_PATH "/" A, "[]", 200 },
		{ "PATCH", INSP_RULES_PATH "/" B, "[]", 404 },
		{ "PATCH", INSP_RULES_PATH, "[]", 405 },
		{ "DELETE", INSP_RULES_PATH "/00000000-0000-0000-0000-000000000000", "", 400 },
		{ "BREW", INSP_RULES_PATH "/" A, "", 405 },
	};
	struct fixture *f = *state;

	does(f, "POST", INSP_RULES_PATH, "{\"uuid\":\"" A "\",\"actions\":[" FAIL "]}", 201);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t generation = inspection_rules_generation(f->rest.rules);

		does(f, cases[i].method, cases[i].path, cases[i].body, cases[i].status);
		assert_int_equal(f->plan.change, INSPECTION_NOTHING);
		assert_true((f->plan.allow != NULL) == (f->plan.status == 405));
		assert_int_equal(inspection_rules_generation(f->rest.rules), generation);
	}
}

/* Patches make a rule longer than a request may be: then it is refused, and stays as it was. */
static void test_ceilings(void **state)
{
	CLEANUP(buf_done) struct buf patch = BUF_INIT(2u << 20);
	struct fixture *f = *state;
	unsigned status = 200;

	does(f, "POST", INSP_RULES_PATH, "{\"uuid\":\"" A "\",\"sensitive\":true,\"actions\":[" FAIL "]}", 201);
	buf_add_cstr(&patch, "[{\"op\":\"add\",\"path\":\"/actions/-\",\"value\":{\"op\":\"fail\",\"args\":[\"");
	buf_fill(&patch, 'x', 1000000);
	buf_add_cstr(&patch, "\"]}}]");
	for (int i = 0; i < 4 && status == 200; i++) {
		status = plan(f, "PATCH", INSP_RULES_PATH "/" A, patch.p)->status;
		carry_out(f);
	}
	assert_int_equal(status, 400);
	says(f, "{\"error\":\"the rule is too large\"}\n");
	assert_int_equal(inspection_rules_at(f->rest.rules, 0)->rule->n_actions, 3);
}

/* ---- what is kept ---- */

static void test_kept_and_restored(void **state)
{
	struct fixture *f = *state;
	struct inspection_rest again = f->rest;
	const struct insp_stored *was, *is;
	struct err err;

	does(f, "POST", INSP_RULES_PATH,
	     "{\"uuid\":\"" A "\",\"sensitive\":true,\"description\":\"\xC3\xA4\\u0000\",\"actions\":[{\"op\":"
	     "\"set-attribute\",\"args\":{\"path\":\"spec\",\"value\":[2.0,2,-0.0,1e300,0.1,9007199254740993]}}]}",
	     201);
	again.rules = rules_new("[]");
	assert_int_equal(
		inspection_restore(&again, f->plan.uuid, buf_str(&f->plan.json), STR("then"), STR("later"), &err), 0);
	was = inspection_rules_at(f->rest.rules, 0);
	is = inspection_rules_at(again.rules, 0);
	assert_true(val_equal(was->rule->source, is->rule->source));
	assert_true(is->rule->sensitive && is->rule->n_actions == 1);
	assert_true(str_find(buf_str(&f->plan.json), STR("[2.0,2,-0.0,1e+300,0.1,9007199254740993]")) > 0);
	assert_true(str_eq(is->created_at, STR("then")) && str_eq(is->updated_at, STR("later")));
	inspection_rules_free(again.rules);
}

static void test_malformed_ones(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"actions\":[" FAIL "]}",
		"{\"uuid\":\"" B "\",\"actions\":[" FAIL "]}",
		"{\"uuid\":\"" A "\",\"actions\":[" FAIL "],\"more\":1}",
		"{\"uuid\":\"" A "\",\"actions\":[{\"op\":\"none\",\"args\":[]}]}",
	};
	struct fixture *f = *state;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(
			inspection_restore(&f->rest, STR(A), str_from(texts[i]), STR("t"), (str){ NULL, 0 }, &err),
			-EBADMSG);
	assert_int_equal(inspection_restore(&f->rest, STR(""), STR("{\"actions\":[" FAIL "]}"), STR("t"),
					    (str){ NULL, 0 }, &err),
			 -EBADMSG);
	assert_int_equal(count(f), 0);
}

/* ---- the list ---- */

static void add_rules(struct fixture *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char body[256];

		(void)snprintf(body, sizeof(body),
			       "{\"uuid\":\"00000000-aaaa-4aaa-8aaa-%012zu\",\"sensitive\":%s,\"scope\":\"%s\","
			       "\"actions\":[%s]}",
			       i, i % 2 ? "true" : "false", i % 3 ? "s" : "t",
			       "{\"op\":\"fail\",\"args\":[\"hidden\"]}");
		does(f, "POST", INSP_RULES_PATH, body, 201);
	}
}

static struct inspection_list *list_new(struct fixture *f, const char *query)
{
	const struct insp_request q = { STR("GET"), STR(INSP_RULES_PATH), str_from(query), STR("") };
	struct inspection_list *l = NULL;
	struct err err;

	assert_true(inspection_asks_for_list(&q));
	forget_plan(f);
	assert_int_equal(inspection_list_new(&f->rest, &q, &l, &f->plan, &err), 0);
	f->planned = l == NULL;
	return l;
}

/* All that is left of it, and how many parts that took. */
static size_t read_on(struct inspection_list *l, struct buf *all)
{
	CLEANUP(buf_done) struct buf part = BUF_INIT(1u << 20);
	struct err err;
	size_t n = 0;
	int r;

	do {
		buf_clear(&part);
		r = inspection_list_next(l, &part, &err);
		assert_true(r >= 0);
		assert_in_range(part.n, 0, 40000);
		buf_add_str(all, buf_str(&part));
		n++;
	} while (r == 1);
	return n;
}

static void assert_list(const struct buf *all, size_t n, const char *first, const char *last)
{
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	val rules;

	assert_int_equal(json_decode(buf_str(all), &o, &d, &err), 0);
	rules = VAL_GET(d->root, "inspection_rules");
	assert_int_equal(val_count(rules), n);
	assert_true(str_has_suffix(val_str(VAL_GET(val_at(rules, 0), "uuid")), str_from(first)));
	assert_true(str_has_suffix(val_str(VAL_GET(val_at(rules, (uint32_t)n - 1), "uuid")), str_from(last)));
}

static void test_list(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(8u << 20);
	struct fixture *f = *state;
	struct inspection_list *l;

	add_rules(f, 600);
	l = list_new(f, "detail=yes");
	assert_in_range(read_on(l, &all), 5, 20);
	inspection_list_free(l);
	assert_list(&all, 601, "0", "-000000000000");
	buf_clear(&all);
	l = list_new(f, "scope=t");
	assert_in_range(read_on(l, &all), 2, 5);
	inspection_list_free(l);
	assert_list(&all, 200, "000", "597");
	buf_clear(&all);
	l = list_new(f, "phase=early");
	read_on(l, &all);
	inspection_list_free(l);
	assert_string_equal(all.p, "{\"inspection_rules\":[]}\n");
	assert_null(list_new(f, "detail=maybe"));
	assert_int_equal(f->plan.status, 400);
	says(f, "detail is not a boolean");
}

static void test_the_list_goes_on_while_rules_change(void **state)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(8u << 20);
	struct fixture *f = *state;
	struct inspection_list *l;
	struct err err;

	add_rules(f, 600);
	l = list_new(f, "detail=1");
	assert_int_equal(inspection_list_next(l, &all, &err), 1);
	does(f, "DELETE", INSP_RULES_PATH "/00000000-aaaa-4aaa-8aaa-000000000000", "", 204); /* behind */
	does(f, "DELETE", INSP_RULES_PATH "/00000000-aaaa-4aaa-8aaa-000000000599", "", 204); /* before it */
	does(f, "PATCH", INSP_RULES_PATH "/00000000-aaaa-4aaa-8aaa-000000000598",
	     "[{\"op\":\"replace\",\"path\":\"/priority\",\"value\":77}]", 200);
	does(f, "POST", INSP_RULES_PATH, "{\"uuid\":\"" A "\",\"actions\":[" FAIL "]}", 201); /* not of this list */
	read_on(l, &all);
	inspection_list_free(l);
	assert_list(&all, 600, "0", "-000000000000");
	assert_true(str_find(buf_str(&all), STR("\"priority\":77")) > 0);
	assert_true(str_find(buf_str(&all), STR(A)) < 0);
	buf_clear(&all);
	l = list_new(f, "");
	assert_int_equal(inspection_list_next(l, &all, &err), 1);
	does(f, "DELETE", INSP_RULES_PATH, "", 204);
	does(f, "POST", INSP_RULES_PATH, "{\"uuid\":\"" A "\",\"actions\":[" FAIL "]}", 201);
	read_on(l, &all);
	inspection_list_free(l);
	assert_true(str_find(buf_str(&all), STR(A)) < 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_changes_before), TEST(test_uuids),    TEST(test_not_kept),
		TEST(test_what_changes_nothing),   TEST(test_ceilings), TEST(test_kept_and_restored),
		TEST(test_malformed_ones),         TEST(test_list),     TEST(test_the_list_goes_on_while_rules_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
