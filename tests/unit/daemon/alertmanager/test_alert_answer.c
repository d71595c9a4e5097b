/* What an Alertmanager answers, in portions of each size. */
#include "daemon/alertmanager/alert_answer.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ID "0123456789abcdef0123456789abcdef"
#define OURS(name)                                                                                                     \
	"{\"annotations\":{\"driftd\":\"me\",\"x\":\"a]}\\\"\"},\"status\":{\"inhibitedBy\":[],\"state\":\"active\"}," \
	"\"labels\":{\"drift_id\":\"" ID "\",\"name\":\"" name "\"}}"

static const struct {
	const char *text;
	int r;
	const char *found; /* the names, with a space behind each */
} cases[] = {
	{ "[]", 0, "" },
	{ " [ ] \n", 0, "" },
	{ "[" OURS("a") "]\n", 0, "a " },
	{ "[" OURS("a") ",\n" OURS("b") "]", 0, "a b " },
	{ "[" OURS("{[\\\"") "]", 0, "{[\" " },
	{ "[{\"labels\":{\"drift_id\":\"" ID "\"},\"annotations\":{\"driftd\":\"other\"}}]", 0, "" },
	{ "[{\"labels\":{\"drift_id\":\"" ID "\"}}]", 0, "" },
	{ "[{\"labels\":{\"drift_id\":\"x\"},\"annotations\":{\"driftd\":\"me\"}}]", 0, "" },
	{ "[{\"labels\":{\"drift_id\":\"" ID "\",\"name\":1},\"annotations\":{\"driftd\":\"me\"}}]", 0, "" },
	{ "[{\"labels\":[],\"annotations\":{}}]", 0, "" },
	{ "[{nonsense}," OURS("a") "]", 0, "a " },
	{ "", -EPROTO, "" },
	{ "{}", -EPROTO, "" },
	{ "<html>", -EPROTO, "" },
	{ "[1]", -EPROTO, "" },
	{ "[" OURS("a"), -EPROTO, "a " },
	{ "[]x", -EPROTO, "" },
	{ "[" OURS("a") "}", -EPROTO, "a " },
};

static bool on_each(void *ctx, uint64_t print, str labels)
{
	ptrdiff_t at = str_find(labels, STR("\"name\":\""));
	str name = at < 0 ? STR("?") : str_sub(labels, (size_t)at + 8, labels.n - 2);

	assert_true(print != 0);
	if (str_eq(name, STR("{[\\\"")))
		name = STR("{[\"");
	buf_printf(ctx, "%.*s ", STR_ARG(name));
	return true;
}

static void check_case(size_t i, size_t portion)
{
	CLEANUP(buf_done) struct buf found = BUF_INIT(4096);
	struct alert_answer a = { .each = on_each, .ctx = &found, .origin = "me" };
	str rest = str_from(cases[i].text);
	struct err err;
	int r = 0;

	buf_add_cstr(&found, "");
	alert_answer_init(&a);
	while (r == 0 && rest.n) {
		r = alert_answer_feed(&a, str_sub(rest, 0, portion), &err);
		rest = str_sub(rest, portion, rest.n);
	}
	if (r == 0)
		r = alert_answer_end(&a, &err);
	if (r != cases[i].r || !str_eq(buf_str(&found), str_from(cases[i].found)))
		fail_msg("case %zu, %zu bytes at once: %d, %s", i, portion, r, found.p);
	alert_answer_done(&a);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (size_t portion = 1; portion <= strlen(cases[i].text) + 1; portion++)
			check_case(i, portion);
	}
}

static void test_too_large(void **state)
{
	CLEANUP(buf_done) struct buf found = BUF_INIT(4096);
	CLEANUP(buf_done) struct buf text = BUF_INIT(ALERT_ANSWER_ITEM_MAX * 2);
	struct alert_answer a = { .each = on_each, .ctx = &found, .origin = "me" };
	struct err err;

	(void)state;
	alert_answer_init(&a);
	buf_add_cstr(&text, "[{\"x\":\"");
	buf_fill(&text, 'x', ALERT_ANSWER_ITEM_MAX);
	assert_int_equal(alert_answer_feed(&a, buf_str(&text), &err), -E2BIG);
	alert_answer_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_too_large) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
