/* What comes over the control socket, from driftd or from whatever listens in its place. */
#include "daemon/control/client.h"

#include "support/http_peer.h"

#include <errno.h>

#define HEAD(status) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n"

static char folder[] = "/tmp/control-client-XXXXXX", path[64];

static const struct {
	const char *name, *answer, *again; /* @again: comes behind it without end; NULL: nothing does */
	int code;
	const char *why;
} cases[] = {
	{ "a document", HEAD("200 OK") "{\"a\":1}", NULL, 0, NULL },
	{ "an error", HEAD("404 x") "{\"error\":\"no finding\"}", NULL, EREMOTEIO, "driftd says: no finding (404)" },
	{ "an error of rules", HEAD("400 x") "{\"message\":\"m\",\"error\":\"e\"}", NULL, EREMOTEIO,
	  "driftd says: m (400)" },
	{ "a page", HEAD("500 x") "<html>", NULL, EREMOTEIO, "driftd says: nothing more (500)" },
	{ "a redirect", "HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:1/\r\nConnection: close\r\n\r\n{}", NULL,
	  EREMOTEIO, "driftd says: nothing more (302)" },
	{ "no JSON", HEAD("200 OK") "{", NULL, EPROTO, "the answer is not a document of driftd's" },
	{ "no HTTP", "SSH-2.0-x\r\n", NULL, EPROTO, "HTTP/0.9" },
	{ "nothing", "", NULL, EPROTO, "Empty reply" },
	{ "interim answers without end", "", "HTTP/1.1 103 x\r\nLink: </a>\r\n\r\n", EPROTO,
	  "the head of the answer is too long" },
	{ "an extension without end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;", "x", EPROTO,
	  "no byte of it is of an answer" },
};

static void test_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct doc *doc = NULL;
		struct err err = { 0 };
		struct peer p;
		int r;

		peer_start(&p, path, &cases[i].answer, 1);
		p.endless = cases[i].again ? SIZE_MAX / 2 : 0;
		p.again = cases[i].again;
		r = control_get(path, "/v1/a?b=c", &doc, &err);
		peer_end(&p);
		assert_int_equal(unlink(path), 0);
		if (r != -cases[i].code || (r < 0 && !strstr(err.msg, cases[i].why)))
			fail_msg("%s: %d %s", cases[i].name, r, err.msg);
		assert_non_null(strstr(peer_request(&p), "GET /v1/a?b=c HTTP/1.1\r\n"));
		assert_int_equal(doc != NULL, r == 0);
		doc_unref(doc);
	}
}

static const struct {
	const char *method, *body, *request, *end;
} sent[] = {
	{ "POST", "", "POST /v1/a HTTP/1.1\r\n", "\r\nContent-Length: 0\r\n\r\n" },
	{ "POST", "{\"a\":1}", "POST /v1/a HTTP/1.1\r\n", "\r\nContent-Length: 7\r\n\r\n{\"a\":1}" },
	{ "PUT", "{}", "PUT /v1/a HTTP/1.1\r\n", "\r\nContent-Length: 2\r\n\r\n{}" },
	{ "DELETE", "", "DELETE /v1/a HTTP/1.1\r\n", "\r\nContent-Length: 0\r\n\r\n" },
};

static void test_what_is_sent(void **state)
{
	static const char *const answers[] = { HEAD("204 x") };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sent); i++) {
		struct doc *doc = NULL;
		struct err err;
		struct peer p;

		peer_start(&p, path, answers, 1);
		assert_int_equal(control_send(path, sent[i].method, "/v1/a", str_from(sent[i].body), &doc, &err), 0);
		peer_end(&p);
		assert_int_equal(unlink(path), 0);
		assert_null(doc);
		assert_int_equal(strncmp(peer_request(&p), sent[i].request, strlen(sent[i].request)), 0);
		assert_non_null(strstr(peer_request(&p), "\r\nContent-Type: application/json\r\n"));
		assert_true(str_has_suffix(str_from(peer_request(&p)), str_from(sent[i].end)));
	}
}

static void test_nobody_there(void **state)
{
	struct doc *doc = NULL;
	struct err err;
	struct peer p;

	(void)state;
	assert_int_equal(control_get(path, "/", &doc, &err), -ENOENT);
	peer_start(&p, path, NULL, 0);
	peer_end(&p);
	assert_int_equal(control_get(path, "/", &doc, &err), -ECONNREFUSED);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_what_is_sent),
		cmocka_unit_test(test_nobody_there),
	};
	int r;

	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/s", folder);
	r = cmocka_run_group_tests(tests, NULL, NULL);
	(void)rmdir(folder);
	return r;
}
