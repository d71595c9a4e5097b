/* What comes from etcd, or from whatever answers in its place. */
#include "daemon/leader/etcd/etcd.h"

#include "support/http_peer.h"

#include <errno.h>
#include <time.h>

#define TIMEOUT_MS 1500 /* longer than a loaded machine needs for an answer; two cases wait for it */

static void start(struct peer *p, const char *const *answers, size_t n)
{
	peer_start(p, NULL, answers, n);
	p->silent_ms = TIMEOUT_MS + 100;
}

static struct etcd *client(const struct cfg_leader *from, _Atomic uint64_t *failures)
{
	const struct etcd_options o = { .from = from, .timeout_ms = TIMEOUT_MS, .failures = failures };
	struct etcd *e = NULL;
	struct err err;

	assert_int_equal(etcd_new(&o, &e, &err), 0);
	return e;
}

#define HEAD(status) "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define OK HEAD("200 OK")

static int count_pair(void *ctx, const struct etcd_pair *p, struct err *err)
{
	(void)p;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

enum what { GRANT, KEEP, RANGE, COMMIT };

static int ask(struct etcd *e, enum what what, struct err *err)
{
	struct etcd_outcome o = { 0 };
	struct etcd_txn t;
	int64_t lease;
	size_t n = 0;
	bool more;
	int r = 0;

	switch (what) {
	case GRANT:
		return etcd_grant(e, 15, &lease, err);
	case KEEP:
		return etcd_keep_alive(e, 7, err);
	case RANGE:
		return etcd_range(e, STR("a"), STR("b"), 10, count_pair, &n, &more, err);
	case COMMIT:
		etcd_txn_init(&t);
		etcd_txn_if_created(&t, STR("k"), 3);
		etcd_txn_if_value(&t, STR("k"), STR("u"));
		etcd_txn_put(&t, STR("k"), STR("v"), 7);
		etcd_txn_remove_range(&t, STR("l"), STR("m"));
		r = etcd_commit(e, &t, &o, err);
		etcd_txn_done(&t);
		if (r == 0)
			doc_unref(o.doc);
	}
	return r;
}

static const struct {
	enum what what;
	const char *answer; /* NULL: none */
	int code;
} cases[] = {
	{ GRANT, OK "{\"ID\":\"7587868093158228510\",\"TTL\":\"15\"}", 0 },
	{ GRANT, OK "{\"TTL\":\"15\"}", EPROTO },
	{ GRANT, OK "{\"ID\":\"0\"}", EPROTO },
	{ GRANT, OK "{\"ID\":{}}", EPROTO },
	{ GRANT, OK "{\"ID\":\"12345678901234567890123\"}", EPROTO },
	{ GRANT, OK "[]", EPROTO },
	{ GRANT, OK "7", EPROTO },
	{ GRANT, OK "", EPROTO },
	{ GRANT, OK "{\"ID\":\"7\"", EPROTO },
	{ GRANT, OK "<html>welcome</html>", EPROTO },
	{ GRANT, HEAD("502 Bad Gateway") "<html>no</html>", EHOSTUNREACH },
	{ GRANT, HEAD("503 Service Unavailable") "{\"error\":\"etcdserver: no leader\",\"code\":14}", EHOSTUNREACH },
	{ GRANT, HEAD("500 Internal Server Error") "{\"error\":{\"deep\":1},\"code\":\"x\"}", EREMOTEIO },
	{ GRANT, HEAD("401 Unauthorized") "{\"error\":\"etcdserver: user name is empty\",\"code\":3}", EACCES },
	{ GRANT, HEAD("403 Forbidden") "{\"error\":\"etcdserver: permission denied\",\"code\":7}", EACCES },
	{ GRANT, HEAD("302 Found") "{\"ID\":\"7\"}", EREMOTEIO },
	{ GRANT, "gibberish\r\n\r\n", EHOSTUNREACH },
	{ GRANT, "", EHOSTUNREACH },
	{ GRANT, NULL, EHOSTUNREACH },
	{ KEEP, OK "{\"result\":{\"ID\":\"7\",\"TTL\":\"15\"}}", 0 },
	{ KEEP, OK "{\"result\":{\"ID\":\"7\"}}", ENOENT },
	{ KEEP, OK "{\"result\":{\"ID\":\"7\",\"TTL\":\"-1\"}}", ENOENT },
	{ KEEP, OK "{\"result\":{\"ID\":\"8\",\"TTL\":\"15\"}}", EPROTO },
	{ KEEP, OK "{\"result\":[]}", EPROTO },
	{ KEEP, OK "{}", EPROTO },
	{ KEEP, OK "{\"error\":{\"grpc_code\":5,\"http_code\":404,\"message\":\"lease not found\"}}", ENOENT },
	{ RANGE, OK "{\"kvs\":[{\"key\":\"YQ==\",\"value\":\"YQ==\",\"create_revision\":\"3\"}],\"count\":\"1\"}", 0 },
	{ RANGE, OK "{\"count\":\"0\"}", 0 },
	{ RANGE, OK "{\"kvs\":{}}", EPROTO },
	{ RANGE, OK "{\"kvs\":[7]}", EPROTO },
	{ RANGE, OK "{\"kvs\":[{\"key\":\"YQ==\",\"value\":\"!\"}]}", EPROTO },
	{ RANGE, OK "{\"kvs\":[{\"value\":\"YQ==\"}]}", EPROTO },
	{ COMMIT, OK "{\"header\":{\"revision\":\"9\"},\"succeeded\":true}", 0 },
	{ COMMIT, OK "{\"header\":{\"revision\":\"-9\"},\"succeeded\":true}", EPROTO },
	{ COMMIT, OK "{\"succeeded\":true}", EPROTO },
	{ COMMIT, OK "{\"header\":7}", EPROTO },
};

static void reads_answers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Atomic uint64_t failures = 0;
		struct err err = { 0 };
		struct cfg_leader from = { .n_endpoints = 1 };
		struct peer p;
		struct etcd *e;
		str url;
		int r;

		start(&p, &cases[i].answer, 1);
		url = str_from(p.url);
		from.endpoints = &url;
		e = client(&from, &failures);
		r = ask(e, cases[i].what, &err);
		etcd_free(e);
		peer_end(&p);
		if (r != -cases[i].code)
			fail_msg("case %zu: %d %s", i, r, err.msg);
		assert_int_equal(failures, cases[i].code && cases[i].code != ENOENT);
	}
}

static void goes_to_the_next(void **state)
{
	static const char *const none[] = { NULL }, *const good[] = { OK "{\"ID\":\"7\"}", OK "{\"ID\":\"8\"}" };
	_Atomic uint64_t failures = 0;
	struct cfg_leader from = { .n_endpoints = 3 };
	struct peer silent, other;
	str urls[3];
	int64_t lease;
	struct etcd *e;
	struct err err;

	(void)state;
	start(&silent, none, 1);
	start(&other, good, 2);
	urls[0] = STR("http://127.0.0.1:1/");
	urls[1] = str_from(silent.url);
	urls[2] = str_from(other.url);
	from.endpoints = urls;
	e = client(&from, &failures);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), 0);
	assert_int_equal(lease, 7);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), 0); /* where the last answer came from */
	assert_int_equal(lease, 8);
	assert_int_equal(failures, 0);
	etcd_free(e);
	peer_end(&silent);
	peer_end(&other);
}

static void bounds_answers(void **state)
{
	static const char *const head[] = { OK "{\"ID\":\"7\",\"x\":\"" };
	struct cfg_leader from = { .n_endpoints = 1 };
	struct peer p;
	struct etcd_options o = { .from = &from, .timeout_ms = 20000 };
	int64_t lease;
	struct etcd *e;
	struct err err;
	str url;

	(void)state;
	start(&p, head, 1);
	p.endless = SIZE_MAX / 2;
	url = str_from(p.url);
	from.endpoints = &url;
	assert_int_equal(etcd_new(&o, &e, &err), 0);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), -E2BIG);
	etcd_free(e);
	peer_end(&p);
}

static void can_be_stopped(void **state)
{
	static const char *const none[] = { NULL };
	atomic_bool stop = true;
	struct cfg_leader from = { .n_endpoints = 1 };
	struct etcd_options o = { .from = &from, .timeout_ms = 60000, .stop = &stop };
	struct peer p;
	int64_t lease;
	struct etcd *e;
	struct err err;
	str url;

	(void)state;
	start(&p, none, 1);
	url = str_from(p.url);
	from.endpoints = &url;
	assert_int_equal(etcd_new(&o, &e, &err), 0);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), -ECANCELED);
	etcd_free(e);
	peer_end(&p);
}

/* The password is of a file; a token that has expired is asked for again. */
static void authenticates(void **state)
{
	static const char *const answers[] = {
		OK "{\"token\":\"one.1\"}",
		OK "{\"ID\":\"7\"}",
		HEAD("401 Unauthorized") "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}",
		OK "{\"token\":\"two.2\"}",
		OK "{\"ID\":\"8\"}",
		HEAD("401 Unauthorized") "{\"error\":\"etcdserver: invalid auth token\",\"code\":16}",
		OK "{\"token\":\"a\\r\\nHost: b\"}",
		HEAD("400 Bad Request") "{\"error\":\"etcdserver: authentication failed, invalid user ID or password\","
					"\"code\":3}",
	};
	char path[] = "/tmp/test_etcd.XXXXXX";
	struct cfg_leader from = { .n_endpoints = 1, .user = STR("drift\"d"), .password_file = str_from(path) };
	struct peer p;
	int64_t lease;
	struct etcd *e;
	struct err err;
	str url;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && write(fd, "pass\\word\n", 10) == 10);
	(void)close(fd);
	start(&p, answers, sizeof(answers) / sizeof(answers[0]));
	url = str_from(p.url);
	from.endpoints = &url;
	e = client(&from, NULL);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), 0);
	assert_non_null(strstr(peer_request(&p), "Authorization: one.1\r\n"));
	assert_int_equal(etcd_grant(e, 15, &lease, &err), 0);
	assert_int_equal(lease, 8);
	assert_non_null(strstr(peer_request(&p), "Authorization: two.2\r\n"));
	assert_int_equal(etcd_grant(e, 15, &lease, &err), -EPROTO); /* no token goes into a header that breaks it */
	assert_int_equal(etcd_grant(e, 15, &lease, &err), -EACCES);
	assert_non_null(strstr(peer_request(&p), "{\"name\":\"drift\\\"d\",\"password\":\"pass\\\\word\"}"));
	(void)unlink(path);
	assert_int_equal(etcd_grant(e, 15, &lease, &err), -ENOENT);
	etcd_free(e);
	peer_end(&p);
}

static void bounds_transactions(void **state)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT((size_t)16 << 20);
	struct cfg_leader from = { 0 };
	struct etcd *e = client(&from, NULL);
	struct etcd_outcome o;
	struct etcd_txn t;
	struct err err;

	(void)state;
	buf_fill(&value, 'x', (size_t)9 << 20);
	etcd_txn_init(&t);
	etcd_txn_put(&t, STR("k"), buf_str(&value), 0);
	assert_int_equal(etcd_commit(e, &t, &o, &err), -E2BIG);
	etcd_txn_done(&t);
	etcd_free(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_answers),  cmocka_unit_test(goes_to_the_next),
		cmocka_unit_test(bounds_answers), cmocka_unit_test(can_be_stopped),
		cmocka_unit_test(authenticates),  cmocka_unit_test(bounds_transactions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
