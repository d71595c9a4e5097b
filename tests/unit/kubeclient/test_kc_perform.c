/* Waiting for one request: what is told of an answer, and of what is none. */
#include "kubeclient/kc_perform.h"

#include "support/http_peer.h"

#include <errno.h>

#define BODY_MAX 1000

static const struct {
	const char *name, *answer;
	int code; /* 0: an answer, */
	struct kc_answer expected;
	const char *text; /* its body; else part of the reason */
} cases[] = {
	{ "an answer",
	  "HTTP/1.1 404 Not Found\r\nContent-Type: text/html; charset=x\r\nContent-Length: 2\r\n\r\nno",
	  0,
	  { 404, "404 Not Found", "", "text/html; charset=x" },
	  "no" },
	{ "one without words", "HTTP/1.1 204\r\n\r\n", 0, { 204, "204", "", "" }, "" },
	{ "words that are none",
	  "HTTP/1.1 500 a\x1b[31m\x01z\r\nContent-Length: 0\r\n\r\n",
	  0,
	  { 500, "500 a [31m z", "", "" },
	  "" },
	{ "that of the answer, not of an interim one",
	  "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 Late\r\nContent-Length: 0\r\n\r\n",
	  0,
	  { 200, "200 Late", "", "" },
	  "" },
	{ "a redirect is one",
	  "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
	  0,
	  { 302, "302 Found", "", "" },
	  "" },
	{ "a server behind TLS",
	  "HTTP/1.1 400 x\r\nConnection: close\r\n\r\nClient sent an HTTP request to an HTTPS server.",
	  0,
	  { 400, "400 x", " (it speaks TLS: should it be https://?)", "" },
	  "Client sent an HTTP request to an HTTPS server." },
	{ "half a body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", ECONNRESET, { 0 }, "8 bytes " },
	{ "nothing", "", ECONNRESET, { 0 }, "Empty reply" },
};

static void run(struct kc_perform *net, size_t i)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(BODY_MAX);
	const struct kc_answer *expected = &cases[i].expected;
	struct kc_answer answer;
	struct err err = { 0 };
	struct peer p;
	int r;

	buf_add_cstr(&body, "of the one before");
	peer_start(&p, NULL, &cases[i].answer, 1);
	r = kc_perform(net, &(struct kc_transfer_options){ .url = p.url, .plain = true }, NULL, &body, &answer, &err);
	peer_end(&p);
	if (r != -cases[i].code || (r < 0 && !strstr(err.msg, cases[i].text)))
		fail_msg("%s: %d %s", cases[i].name, r, err.msg);
	if (r < 0)
		return;
	assert_int_equal(answer.status, expected->status);
	assert_string_equal(answer.words, expected->words);
	assert_string_equal(answer.advice, expected->advice);
	assert_string_equal(answer.type, expected->type);
	assert_true(str_eq(buf_str(&body), str_from(cases[i].text)));
}

static void test_answers(void **state)
{
	CLEANUP(kc_perform_freep) struct kc_perform *net = NULL;
	struct err err;

	(void)state;
	assert_int_equal(kc_perform_new(&net, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		run(net, i);
}

static void test_a_body_that_is_too_long(void **state)
{
	static const char *const answers[] = { "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" };
	CLEANUP(kc_perform_freep) struct kc_perform *net = NULL;
	CLEANUP(buf_done) struct buf body = BUF_INIT(BODY_MAX);
	struct kc_answer answer;
	struct err err;
	struct peer p;

	(void)state;
	assert_int_equal(kc_perform_new(&net, &err), 0);
	peer_start(&p, NULL, answers, 1);
	p.endless = SIZE_MAX / 2;
	assert_int_equal(kc_perform(net, &(struct kc_transfer_options){ .url = p.url, .plain = true }, NULL, &body,
				    &answer, &err),
			 -E2BIG);
	peer_end(&p);
}

static void test_it_is_stopped(void **state)
{
	CLEANUP(kc_perform_freep) struct kc_perform *net = NULL;
	CLEANUP(buf_done) struct buf body = BUF_INIT(BODY_MAX);
	const atomic_bool stop = true;
	struct kc_answer answer;
	struct err err;

	(void)state;
	assert_int_equal(kc_perform_new(&net, &err), 0);
	assert_int_equal(kc_perform(net, &(struct kc_transfer_options){ .url = "https://127.0.0.1:1/" }, &stop, &body,
				    &answer, &err),
			 -ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_a_body_that_is_too_long),
		cmocka_unit_test(test_it_is_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
