/* The REST resource where the corpus says little: queries, malformed requests, and what sensitive rules do not tell. */
#include "rules/inspection/insp_api.h"

#include "support/memory_rules.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits limits = LIMITS_DEFAULT;

#define ALL INSP_RULES_PATH
#define A "7f2b1c9e-1111-4222-8333-444455556666"
#define B "8f2b1c9e-1111-4222-8333-444455556666"
#define FAIL "{\"op\":\"fail\",\"args\":[\"m\"]}"

/* One server; @body is what the answer has in it, or all of it when it begins with "=". */
static const struct {
	const char *method, *path, *query, *request;
	int status;
	const char *body;
} requests[] = {
	{ "POST", ALL, "", "{", 400, "line 1" },
	{ "POST", ALL, "", "{} {}", 400, "more than one value" },
	{ "POST", ALL, "x=1", "{}", 400, "no parameters" },
	{ "POST", ALL, "", "{\"uuid\":null,\"scope\":\"s\",\"actions\":[" FAIL "]}", 201,
	  "\"uuid\":\"aaaaaaaa-0000-4000-8000-000000000000\"" },
	{ "POST", ALL, "", "{\"uuid\":\"BUILT\",\"actions\":[" FAIL "]}", 400, "uuid is not valid" },
	{ "POST", ALL, "", "{\"uuid\":\"" A "\",\"sensitive\":true,\"phase\":\"early\",\"actions\":[" FAIL "]}", 201,
	  "\"actions\":null" },
	{ "GET", ALL, "detail=Y&phase=early", "", 200, "\"conditions\":null" },
	{ "GET", ALL, "scope=s&detail=OFF", "", 200,
	  "={\"inspection_rules\":[{\"built_in\":false,\"created_at\":\"now\",\"description\":null,\"phase\":\"main\","
	  "\"priority\":0,\"scope\":\"s\",\"sensitive\":false,\"updated_at\":null,"
	  "\"uuid\":\"aaaaaaaa-0000-4000-8000-000000000000\"}]}" },
	{ "GET", ALL, "scope=%73", "", 200, "aaaaaaaa" },
	{ "GET", ALL, "scope=S", "", 200, "={\"inspection_rules\":[]}" },
	{ "GET", ALL, "detail=maybe", "", 400, "detail is not a boolean" },
	{ "GET", ALL, "phase=Early", "", 400, "invalid phase" },
	{ "GET", ALL, "limit=5", "", 400, "unknown parameter" },
	{ "GET", ALL, "scope=%zz", "", 400, "malformed query" },
	{ "GET", ALL "/", "", "", 404, "error" },
	{ "GET", ALL "/%zz", "", "", 404, "error" },
	{ "GET", "/v1/inspection_rulesx", "", "", 404, "error" },
	{ "DELETE", ALL, "scope=s", "", 400, "no parameters" },
	{ "HEAD", ALL "/" A, "", "", 405, "error" },
	/* What the patch asks of hidden parts is not answered with them. */
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"add\",\"path\":\"/actions/0/args/-\",\"value\":1}]", 400,
	  "={\"error\":\"actions[0]: is not valid\"}" },
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"remove\",\"path\":\"/sensitive\"}]", 400, "sensitive cannot be unset" },
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"replace\",\"path\":\"/created_at\",\"value\":1}]", 400,
	  "'created_at' cannot be changed" },
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"add\",\"path\":\"/scope/x\",\"value\":1}]", 400, "does not exist" },
	{ "PATCH", ALL "/" A, "",
	  "[{\"op\":\"remove\",\"path\":\"/actions\"},"
	  "{\"op\":\"add\",\"path\":\"/actions\",\"value\":[" FAIL "]}]",
	  200, "\"updated_at\":null" },
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"remove\",\"path\":\"/phase\"}]", 200, "\"updated_at\":\"now\"" },
	{ "PATCH", ALL "/" A, "", "[]", 200, "\"phase\":\"main\"" },
	{ "PATCH", ALL "/" A, "", "[1]", 400, "a patch must be a list of maps" },
	{ "PATCH", ALL "/" A, "", "[{\"op\":\"add\",\"path\":\"/scope~2\",\"value\":1}]", 400, "'~' must be followed" },
	{ "DELETE", ALL "/" B, "", "", 404, "error" },
	{ "DELETE", ALL, "", "", 204, "=" },
	{ "GET", ALL, "", "", 200, "={\"inspection_rules\":[]}" },
};

static void test_requests(void **state)
{
	struct memory_rules rules = { 0 };
	const struct insp_store store = memory_rules_store(&rules);
	const struct insp_builtins none = { 0 };
	const struct insp_api api = {
		&store, &none, STR("start"), STR("now"), STR("aaaaaaaa-0000-4000-8000-000000000000"), &limits
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
		const struct insp_request q = { str_from(requests[i].method), str_from(requests[i].path),
						str_from(requests[i].query), str_from(requests[i].request) };
		const char *want = requests[i].body;
		struct insp_answer answer;
		struct err err;

		assert_int_equal(insp_api_answer(&api, &q, &a, &answer, &err), 0);
		buf_add_str(&text, STR(""));
		if (val_exists(answer.body))
			assert_int_equal(json_encode(answer.body, JSON_PLAIN, NULL, &text, &err), 0);
		if (answer.status != requests[i].status ||
		    !(want[0] == '=' ? str_eq(buf_str(&text), str_from(want + 1))
				     : str_find(buf_str(&text), str_from(want)) >= 0))
			fail_msg("%s %s?%s %s: expected %d %s, got %d %s", requests[i].method, requests[i].path,
				 requests[i].query, requests[i].request, requests[i].status, want, answer.status,
				 text.p ? text.p : "");
		assert_true((answer.status == 405) == (answer.allow != NULL));
	}
	memory_rules_done(&rules);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_requests) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
