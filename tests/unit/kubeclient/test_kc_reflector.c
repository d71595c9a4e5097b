/* The client against a server that answers from a script: each request takes the first step that fits and is not used
 * up. */
#include "kubeclient/kc_client_internal.h"

#include "base/buf.h"
#include "value/doc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

struct step {
	const char *match; /* in the request line and headers; parts that must all occur are separated by '|' */
	const char *head;  /* status and headers; NULL: 200 */
	const char *body;
	bool hold;   /* the connection stays open */
	bool always; /* not used up */
	bool mute;   /* not answered at all */
};

#define GROUPS(resources)                                                                                              \
	"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":" \
	"\"v1\","                                                                                                      \
	"\"resources\":[" resources "]}]}]}"
#define DEPLOYMENTS                                                                                                    \
	"{\"resource\":\"deployments\",\"responseKind\":{\"kind\":\"Deployment\"},\"scope\":\"Namespaced\",\"verbs\":" \
	"[\"list\",\"watch\"]}"
#define NO_CORE                                                                                                        \
	{                                                                                                              \
		.match = "GET /base/api ", .body = "{\"kind\":\"APIVersions\",\"versions\":[]}", .always = true        \
	}
#define DISCOVERY                                                                                                      \
	NO_CORE,                                                                                                       \
	{                                                                                                              \
		.match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS), .always = true                                \
	}
#define OBJECT(name, uid, rv)                                                                                          \
	"{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"d\",\"uid\":\"" uid "\",\"resourceVersion\":\"" rv       \
	"\",\"managedFields\":[{\"manager\":\"m\"}]}}"
#define EVENT(type, name, uid, rv) "{\"type\":\"" type "\",\"object\":" OBJECT(name, uid, rv) "}\n"
#define BOOKMARK(rv) "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" rv "\"}}}\n"
#define END_MARK(rv)                                                                                                   \
	"{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"" rv                                   \
	"\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n"
#define LIST(rv, next, items)                                                                                          \
	"{\"kind\":\"DeploymentList\",\"metadata\":{\"resourceVersion\":\"" rv "\",\"continue\":\"" next               \
	"\"},\"items\":[" items "]}"
#define GONE "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n"
#define INITIAL "deployments?|sendInitialEvents=true"
#define REFUSE_INITIAL                                                                                                 \
	{                                                                                                              \
		.match = INITIAL, .head = "HTTP/1.1 422 No\r\n", .body = "{}"                                          \
	}

struct bench;

struct conn {
	uv_tcp_t tcp;
	struct bench *b;
	struct buf in;
	uv_write_t write;
	char *out;
	bool hold;
};

struct bench {
	uv_loop_t loop;
	uv_tcp_t server;
	uv_timer_t timer;
	struct step steps[24];
	size_t n_steps;
	struct conn *conns[64];
	size_t n_conns;
	struct buf log;
	const char *until; /* the log ends the run when it holds this */
	const char *unexpected;
	char unexpected_text[256];
	struct kc_client *client;
	struct kc_watch *watch;
	bool list_once;           /* kc_list_all instead of a watch */
	uint64_t idle_ms;         /* 0: the default */
	uint64_t initial_ms;      /* of silence; 0: the default */
	size_t response_bytes;    /* 0: the default */
	int token_fd;             /* above 0: its content is replaced when the client has read it */
	char remove_at, close_at; /* an event letter that makes the handler do it */
	bool timed_out, finishing;
	struct kc_counters counters;
	struct kc_watch_counters watch_counters;
};

/* ---- the server ---- */

static void on_conn_closed(uv_handle_t *h)
{
	struct conn *c = h->data;

	buf_done(&c->in);
	free(c->out);
	free(c);
}

static void conn_close(struct conn *c)
{
	for (size_t i = 0; i < c->b->n_conns; i++)
		if (c->b->conns[i] == c)
			c->b->conns[i] = c->b->conns[--c->b->n_conns];
	if (!uv_is_closing((uv_handle_t *)&c->tcp))
		uv_close((uv_handle_t *)&c->tcp, on_conn_closed);
}

static void on_written(uv_write_t *w, int status)
{
	struct conn *c = w->data;

	if (status < 0 || !c->hold)
		conn_close(c);
}

static bool fits(const char *request, const char *match)
{
	str rest = str_from(match), part;

	while (str_next_part(&rest, '|', &part))
		if (str_find(str_from(request), part) < 0)
			return false;
	return true;
}

static void answer(struct conn *c)
{
	struct step none = { .head = "HTTP/1.1 500 Unexpected\r\n", .body = "unexpected" }, *s = &none;
	struct bench *b = c->b;
	int n;

	for (size_t i = 0; i < b->n_steps && s == &none; i++)
		if (b->steps[i].match && fits(c->in.p, b->steps[i].match))
			s = &b->steps[i];
	if (s == &none && !b->unexpected) {
		snprintf(b->unexpected_text, sizeof(b->unexpected_text), "%.250s", c->in.p);
		b->unexpected = b->unexpected_text;
	}
	c->hold = s->hold;
	if (s->mute) {
		s->match = NULL;
		return;
	}
	n = asprintf(&c->out, "%sConnection: close\r\n\r\n%s", s->head ? s->head : "HTTP/1.1 200 OK\r\n",
		     s->body ? s->body : "");
	assert_true(n > 0);
	if (!s->always)
		s->match = NULL;
	uv_buf_t out = uv_buf_init(c->out, (unsigned)n);

	c->write.data = c;
	uv_write(&c->write, (uv_stream_t *)&c->tcp, &out, 1, on_written);
}

static void on_alloc(uv_handle_t *h, size_t n, uv_buf_t *ret)
{
	struct conn *c = h->data;

	(void)n;
	*ret = uv_buf_init(buf_reserve(&c->in, 4096), 4096);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *ret)
{
	struct conn *c = s->data;

	(void)ret;
	if (n < 0) {
		conn_close(c);
		return;
	}
	buf_commit(&c->in, (size_t)n);
	if (str_find(buf_str(&c->in), STR("\r\n\r\n")) < 0)
		return;
	answer(c);
	buf_clear(&c->in);
}

static void on_connection(uv_stream_t *server, int status)
{
	struct bench *b = server->data;
	struct conn *c = calloc(1, sizeof(*c));

	assert_int_equal(status, 0);
	assert_non_null(c);
	c->b = b;
	c->in = BUF_INIT(65536);
	uv_tcp_init(&b->loop, &c->tcp);
	c->tcp.data = c;
	uv_accept(server, (uv_stream_t *)&c->tcp);
	assert_true(b->n_conns < ARRAY_LEN(b->conns));
	b->conns[b->n_conns++] = c;
	uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

/* ---- the owner of the client ---- */

static void finish(struct bench *b)
{
	struct kc_client *client = TAKE(b->client);

	b->finishing = true;
	if (client) {
		b->counters = *kc_client_counters(client);
		if (b->watch)
			b->watch_counters = *kc_watch_counters(b->watch);
		kc_client_close(client, NULL, NULL);
	}
	uv_close((uv_handle_t *)&b->timer, NULL);
	uv_close((uv_handle_t *)&b->server, NULL);
	while (b->n_conns)
		conn_close(b->conns[0]);
}

static void check_end(struct bench *b)
{
	if (!b->finishing && b->log.p && strstr(b->log.p, b->until))
		finish(b);
}

static void on_object(void *ctx, const struct kc_object *o)
{
	struct bench *b = ctx;
	char letter = "LAMD"[o->event];

	if (o->doc) {
		assert_true(str_eq(val_str(VAL_GET(o->doc->root, "kind")), STR("Deployment")));
		assert_false(val_exists(val_dig(o->doc->root, "metadata", "managedFields", NULL)));
		assert_true(str_eq(o->managed_fields, STR("[{\"manager\":\"m\"}]")));
	}
	buf_printf(&b->log, "%c%s%.*s/%.*s:%.*s:%.*s ", letter, o->unchanged ? "=" : "", STR_ARG(o->namespace),
		   STR_ARG(o->name), STR_ARG(o->uid), STR_ARG(o->resource_version));
	if (letter == b->remove_at) {
		kc_watch_remove(TAKE(b->watch));
		buf_add_cstr(&b->log, "removed ");
	}
	if (letter == b->close_at) {
		b->watch = NULL;
		finish(b);
		return;
	}
	check_end(b);
}

static void on_synced(void *ctx, enum kc_list_reason reason, size_t count)
{
	struct bench *b = ctx;

	buf_printf(&b->log, "synced:%s:%zu ", kc_list_reason_name(reason), count);
	check_end(b);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct bench *b = ctx;

	buf_printf(&b->log, "%s%s ", kc_state_name(state), why ? "!" : "");
	check_end(b);
}

static void on_time(uv_timer_t *t)
{
	struct bench *b = t->data;

	b->timed_out = true;
	finish(b);
}

/* The arrows of the drawing that some case took. */
static bool taken[KC_PHASES][KC_PHASES];

static void on_moved(void *ctx, enum kc_phase from, enum kc_phase to)
{
	(void)ctx;
	taken[from][to] = true;
}

static struct kc_tuning quick(void)
{
	struct kc_tuning t = KC_TUNING_DEFAULT;

	t.requests_per_second = 0;
	t.page = 2;
	t.backoff_first_ms = 5;
	t.backoff_max_ms = 20;
	t.rediscover_ms = 30;
	t.token_ms = 1000000;
	return t;
}

static void run_user(struct bench *b, const char *user, const char *until)
{
	const struct kc_handler handler = { on_object, on_synced, on_state };
	const struct kc_watch_spec spec = { .api_version = "apps/v1", .kind = "Deployment" };
	struct sockaddr_storage at;
	struct sockaddr_in address;
	struct limits limits = LIMITS_DEFAULT;
	struct kc_tuning tuning = quick();
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;
	struct kube_target target;
	struct kc_options o = { .target = &target, .limits = &limits, .tuning = &tuning };
	int size = sizeof(at);
	char text[512];
	struct err err;

	while (b->n_steps < ARRAY_LEN(b->steps) && b->steps[b->n_steps].match)
		b->n_steps++;
	limits.object_bytes = 2000;
	if (b->idle_ms)
		tuning.idle_ms = b->idle_ms;
	if (b->initial_ms)
		tuning.initial_silence_ms = b->initial_ms;
	if (b->response_bytes)
		tuning.response_bytes = b->response_bytes;
	b->log = BUF_INIT(100000);
	b->until = until;
	uv_loop_init(&b->loop);
	uv_tcp_init(&b->loop, &b->server);
	b->server.data = b;
	uv_ip4_addr("127.0.0.1", 0, &address);
	assert_int_equal(uv_tcp_bind(&b->server, (struct sockaddr *)&address, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&b->server, 16, on_connection), 0);
	uv_tcp_getsockname(&b->server, (struct sockaddr *)&at, &size);
	snprintf(
		text, sizeof(text),
		"clusters: [{name: c, cluster: {server: \"http://127.0.0.1:%d/base\"}}]\nusers: [{name: u, user: %s}]\n"
		"contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
		ntohs(((struct sockaddr_in *)&at)->sin_port), user);
	uv_timer_init(&b->loop, &b->timer);
	b->timer.data = b;
	uv_timer_start(&b->timer, on_time, 10000, 0);
	assert_int_equal(kubeconfig_parse(str_from(text), "f", &k, &err), 0);
	assert_int_equal(kubeconfig_target(k, NULL, &target, &err), 0);
	assert_int_equal(kc_client_new(&b->loop, &o, &b->client, &err), 0);
	b->client->watches.moved = on_moved;
	if (b->list_once) {
		int r = kc_list_all(b->client, &spec, 5000, on_object, b, &err);

		buf_printf(&b->log, "result:%d ", -r);
		finish(b);
	} else {
		assert_int_equal(kc_watch_add(b->client, &spec, &handler, b, &b->watch, &err), 0);
	}
	if (b->token_fd > 0)
		assert_int_equal(pwrite(b->token_fd, "new", 3, 0), 3);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	if (b->timed_out || b->unexpected)
		fail_msg("%s: %s\nunexpected: %s", b->timed_out ? "timed out" : "log", b->log.p,
			 b->unexpected ? b->unexpected : "none");
}

static void expect(struct bench *b, const char *log)
{
	run_user(b, "{}", log);
	assert_string_equal(b->log.p, log);
	buf_done(&b->log);
}

/* ---- cases ---- */

static void test_streaming_list(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6") END_MARK(
						"9") EVENT("MODIFIED", "a", "1", "10") EVENT("DELETED", "b", "2", "11"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 synced:start:2 watching Md/a:1:10 Dd/b:2:11 ");
	assert_int_equal(b.watch_counters.events, 4);
	assert_int_equal(b.watch_counters.relists[KC_LIST_START], 1);
	assert_int_equal(b.counters.requests[KC_WATCH], 1);
}

/* A bookmark says how far the stream is, not that all objects were in it: only the end mark makes a place to resume
 * from. */
static void test_broken_initial_is_listed_again(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") BOOKMARK("7") },
			   { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5") END_MARK("9"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 backoff! listing L=d/a:1:5 synced:start:1 ");
}

static void test_pages_then_watch_then_resume(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "deployments?limit=2 ",
			     .body = LIST("7", "next/1", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6")) },
			   { .match = "deployments?limit=2&continue=next%2F1",
			     .body = LIST("7", "", OBJECT("c", "3", "4")) },
			   { .match = "watch=1|resourceVersion=7|allowWatchBookmarks=true",
			     .body = EVENT("ADDED", "e", "4", "8") BOOKMARK("12") "{\"type\":\"ADD" },
			   { .match = "resourceVersion=12&", .body = EVENT("MODIFIED", "e", "4", "13"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 Ld/c:3:4 synced:start:3 watching Ad/e:4:8 Md/e:4:13 ");
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_TIMEOUT], 1);
	assert_int_equal(b.watch_counters.bookmarks, 1);
}

static void test_expired_relists_and_finds_deletions(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6")
						EVENT("ADDED", "c", "3", "6") END_MARK("9") GONE,
					.hold = true },
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "c", "8", "20")
						END_MARK("21"),
					.hold = true } } };

	(void)state;
	expect(&b,
	       "listing Ld/a:1:5 Ld/b:2:6 Ld/c:3:6 synced:start:3 watching listing L=d/a:1:5 Dd/c:3: Ld/c:8:20 Dd/b:2: "
	       "synced:expired:2 ");
	assert_int_equal(b.watch_counters.relists[KC_LIST_EXPIRED], 1);
}

static void test_http_410_on_watch(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "limit=2 ", .body = LIST("8", "", "") },
				      { .match = "resourceVersion=8&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 synced:expired:0 watching ");
}

static void test_expired_continue(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "n1", OBJECT("a", "1", "5")) },
				      { .match = "continue=n1", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "limit=2 ", .body = LIST("8", "n2", OBJECT("a", "1", "5")) },
				      { .match = "continue=n2", .head = "HTTP/1.1 410 Gone\r\n", .body = "{}" },
				      { .match = "deployments ", .body = LIST("9", "", OBJECT("b", "2", "8")) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 Ld/b:2:8 Dd/a:1: synced:start:1 watching ");
}

static void test_broken_lines_resume_then_relist(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&",
					.body = EVENT("ADDED", "a", "1", "8") "garbage\n",
					.hold = true },
				      { .match = "resourceVersion=8&",
					.body = "{\"type\":\"ADDED\",\"object\":\"\xff\"}\n",
					.hold = true },
				      { .match = "resourceVersion=8&",
					.body = "{\"type\":\"NEW\",\"object\":{}}\n",
					.hold = true },
				      { .match = "limit=2 ", .body = LIST("9", "", OBJECT("a", "1", "8")) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 watching Ad/a:1:8 backoff! watching backoff! watching backoff! listing "
		   "L=d/a:1:8 "
		   "synced:bad_data:1 watching ");
	assert_int_equal(b.watch_counters.bad_data, 3);
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED
#define HUGE                                                                                                           \
	"{\"metadata\":{\"name\":\"h\",\"namespace\":\"d\",\"uid\":\"9\",\"resourceVersion\":\"6\"},\"data\":"         \
	"\"" THOUSAND THOUSAND "\"}"

/* The limit is 2000 bytes. A skipped object that is listed still exists. */
static void test_oversized(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", OBJECT("h", "9", "5")) },
				      { .match = "resourceVersion=7&",
					.body = "{\"type\":\"MODIFIED\",\"object\":" HUGE
						"}\n" EVENT("ADDED", "a", "1", "8") GONE,
					.hold = true },
				      { .match = "limit=2 ", .body = LIST("9", "", HUGE) },
				      { .match = "resourceVersion=9&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing Ld/h:9:5 synced:start:1 watching Ad/a:1:8 listing Dd/a:1: synced:expired:1 watching ");
	assert_int_equal(b.watch_counters.oversized, 2);
}

static void test_kind_appears(void **state)
{
	struct bench b = { .steps = { NO_CORE,
				      { .match = "GET /base/apis ", .body = GROUPS("") },
				      { .match = "GET /base/apis ", .body = GROUPS("") },
				      { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS), .always = true },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	expect(&b, "missing! listing synced:start:0 watching ");
}

#define GOES_AWAY                                                                                                      \
	NO_CORE, { .match = "GET /base/apis ", .body = GROUPS(DEPLOYMENTS) },                                          \
		{ .match = "GET /base/apis ", .body = GROUPS(""), .always = true },                                    \
	{                                                                                                              \
		.match = INITIAL,                                                                                      \
		.body = EVENT("ADDED", "a", "1", "5") END_MARK("9") EVENT("MODIFIED", "a", "1", "10")                  \
	}

/* The objects go when discovery confirms that the kind is gone, not before. */
static void test_kind_vanishes_while_waiting(void **state)
{
	struct bench b = { .steps = { GOES_AWAY,
				      { .match = "resourceVersion=10&",
					.head = "HTTP/1.1 404 Not Found\r\nRetry-After: 60\r\n",
					.body = "" } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 missing! Dd/a:1: ");
}

/* The watch was asked for again, and is not answered, when discovery says so. */
static void test_kind_vanishes_while_watching(void **state)
{
	struct bench b = { .steps = {
				   GOES_AWAY,
				   { .match = "resourceVersion=10&", .head = "HTTP/1.1 404 Not Found\r\n", .body = "" },
				   { .match = "resourceVersion=10&", .mute = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:10 missing! Dd/a:1: ");
}

static void test_removed_while_unknown(void **state)
{
	struct bench b = { .steps = { NO_CORE, { .match = "GET /base/apis ", .body = GROUPS(""), .always = true } } };

	(void)state;
	expect(&b, "missing! ");
}

static void test_failed_page_then_removed_while_waiting(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .head = "HTTP/1.1 503 No\r\n", .body = "later" } } };

	(void)state;
	expect(&b, "listing backoff! ");
	assert_string_equal(b.counters.failures[b.counters.n_failures - 1].code, "503");
}

static void test_no_end_mark_comes(void **state)
{
	struct bench b = { .initial_ms = 50,
			   .steps = { DISCOVERY,
				      { .match = INITIAL, .body = EVENT("ADDED", "a", "1", "5"), .hold = true },
				      { .match = "limit=2 ", .body = LIST("7", "", OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 L=d/a:1:5 synced:start:1 watching ");
}

/* A page above the limit is asked for again with half as many objects; a single one is a failure. */
static void test_large_page_is_halved(void **state)
{
	struct bench b = {
		.response_bytes = 400,
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "limit=2 ",
			     .body = LIST("7", "n",
					  OBJECT("a", "1", "5") "," OBJECT("b", "2", "6") "," OBJECT("c", "3", "6")) },
			   { .match = "limit=1 ", .body = LIST("7", "n", OBJECT("a", "1", "5")) },
			   { .match = "limit=1&continue=n", .body = LIST("7", "", HUGE) } }
	};

	(void)state;
	expect(&b, "listing Ld/a:1:5 backoff! ");
}

static void test_broken_list(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = "{\"metadata\":{},\"items\":[]}" },
				      { .match = "limit=2 ", .body = "[" },
				      { .match = "limit=2 ",
					.body = LIST("7", "", "{\"metadata\":{}},7," OBJECT("a", "1", "5")) },
				      { .match = "resourceVersion=7&", .body = "", .hold = true } } };

	(void)state;
	expect(&b, "listing backoff! listing backoff! listing Ld/a:1:5 synced:start:1 watching ");
	assert_int_equal(b.watch_counters.bad_data, 4);
}

/* The rest of the initial events is good, but absence proves nothing then. */
static void test_bad_line_in_initial_events(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6")
						END_MARK("9") GONE },
				      { .match = INITIAL,
					.body = "garbage\n{\"type\":\"ADDED\",\"object\":" HUGE
						"}\n" EVENT("ADDED", "b", "2", "6") END_MARK("12"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 Ld/b:2:6 synced:start:2 watching listing L=d/b:2:6 synced:expired:2 ");
	assert_int_equal(b.watch_counters.bad_data, 1);
	assert_int_equal(b.watch_counters.oversized, 1);
}

/* A version that was refused is not asked for again; one that goes back is of other data. */
static void test_refused_version_and_version_that_goes_back(void **state)
{
	struct bench b = {
		.steps = { DISCOVERY,
			   REFUSE_INITIAL,
			   { .match = "limit=2 ", .body = LIST("7", "", "") },
			   { .match = "resourceVersion=7&", .head = "HTTP/1.1 400 No\r\n", .body = "" },
			   { .match = "limit=2 ", .body = LIST("8", "", "") },
			   { .match = "resourceVersion=8&", .body = EVENT("ADDED", "a", "1", "3"), .hold = true },
			   { .match = "limit=2 ", .body = LIST("4", "", OBJECT("a", "1", "3")) },
			   { .match = "resourceVersion=4&", .body = "", .hold = true } }
	};

	(void)state;
	expect(&b, "listing synced:start:0 backoff! listing synced:start:0 watching Ad/a:1:3 listing L=d/a:1:3 "
		   "synced:expired:1 watching ");
}

static void test_forbidden_and_retry_after(void **state)
{
	struct bench b = { .steps = {
				   DISCOVERY,
				   { .match = INITIAL, .head = "HTTP/1.1 403 Forbidden\r\n", .body = "" },
				   { .match = INITIAL, .head = "HTTP/1.1 429 Wait\r\nRetry-After: 1\r\n", .body = "" },
				   { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };
	uint64_t begin = uv_hrtime();

	(void)state;
	expect(&b, "listing forbidden! listing backoff! listing synced:start:0 ");
	assert_true(uv_hrtime() - begin > 950000000);
	assert_int_equal(b.counters.n_failures, 2);
	assert_string_equal(b.counters.failures[1].code, "429");
}

static void test_remove_in_handler(void **state)
{
	struct bench b = { .remove_at = 'L',
			   .steps = { DISCOVERY,
				      { .match = INITIAL,
					.body = EVENT("ADDED", "a", "1", "5") EVENT("ADDED", "b", "2", "6"),
					.hold = true } } };

	(void)state;
	expect(&b, "listing Ld/a:1:5 removed ");
}

static void test_close_in_handler(void **state)
{
	struct bench stream = { .close_at = 'M',
				.steps = { DISCOVERY,
					   { .match = INITIAL,
					     .body = EVENT("ADDED", "a", "1", "5") END_MARK("9")
						     EVENT("MODIFIED", "a", "1", "6"),
					     .hold = true } } };
	struct bench pages = { .close_at = 'L',
			       .steps = {
				       DISCOVERY,
				       REFUSE_INITIAL,
				       { .match = "limit=2 ",
					 .body = LIST("7", "", OBJECT("a", "1", "5") "," OBJECT("b", "2", "6")) } } };

	(void)state;
	expect(&stream, "listing Ld/a:1:5 synced:start:1 watching Md/a:1:6 ");
	expect(&pages, "listing Ld/a:1:5 ");
}

static void test_silence_is_resumed(void **state)
{
	struct bench b = {
		.idle_ms = 100,
		.steps = { DISCOVERY,
			   { .match = INITIAL, .body = END_MARK("9"), .hold = true },
			   { .match = "resourceVersion=9&", .body = EVENT("ADDED", "a", "1", "10"), .hold = true } }
	};

	(void)state;
	expect(&b, "listing synced:start:0 watching Ad/a:1:10 ");
	assert_int_equal(b.watch_counters.restarts[KC_RESTART_IDLE], 1);
}

/* A restored backup: the version does not exist any more, and the server says so for ever. */
static void test_version_too_new(void **state)
{
	struct bench b = { .steps = { DISCOVERY,
				      REFUSE_INITIAL,
				      { .match = "limit=2 ", .body = LIST("7", "", "") },
				      { .match = "resourceVersion=7&",
					.head = "HTTP/1.1 504 Gateway Timeout\r\n",
					.body = "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"details\":{\"causes\":"
						"[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
					.always = true },
				      { .match = "limit=2 ", .body = LIST("3", "", "") },
				      { .match = "resourceVersion=3&", .hold = true, .body = "" } } };

	(void)state;
	expect(&b, "listing synced:start:0 backoff! listing synced:expired:0 watching ");
}

static void test_list_all(void **state)
{
	struct bench good = { .list_once = true,
			      .steps = { DISCOVERY,
					 { .match = "deployments?limit=2 ",
					   .body = LIST("7", "n", OBJECT("a", "1", "5")) },
					 { .match = "continue=n", .body = LIST("7", "", OBJECT("b", "2", "6")) } } };
	struct bench refused = { .list_once = true,
				 .steps = { DISCOVERY,
					    { .match = "limit=2 ", .head = "HTTP/1.1 403 No\r\n", .body = "" } } };
	struct bench unknown = { .list_once = true,
				 .steps = { NO_CORE, { .match = "GET /base/apis ", .body = GROUPS("") } } };
	char expected[64];

	(void)state;
	run_user(&good, "{}", "-");
	assert_string_equal(good.log.p, "Ld/a:1:5 Ld/b:2:6 result:0 ");
	run_user(&refused, "{}", "-");
	snprintf(expected, sizeof(expected), "result:%d ", EACCES);
	assert_string_equal(refused.log.p, expected);
	run_user(&unknown, "{}", "-");
	snprintf(expected, sizeof(expected), "result:%d ", ENOENT);
	assert_string_equal(unknown.log.p, expected);
	buf_done(&good.log);
	buf_done(&refused.log);
	buf_done(&unknown.log);
}

/* A 401 makes the token file be read again, and the request be sent again. */
static void test_token_file_changes(void **state)
{
	static char path[] = "/tmp/driftd-token-XXXXXX";
	struct bench b = { .steps = { { .match = "GET /base/api |Bearer old", .body = "{}" },
				      { .match = "GET /base/apis |Bearer old", .body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL "|Bearer old",
					.body = END_MARK("9") EVENT("ADDED", "a", "1", "10") },
				      { .match = "resourceVersion=10&|Bearer old",
					.head = "HTTP/1.1 401 Unauthorized\r\n",
					.body = "" },
				      { .match = "resourceVersion=10&|Bearer new",
					.body = EVENT("MODIFIED", "a", "1", "11"),
					.hold = true } } };
	int fd = mkstemp(path);
	char user[128];

	(void)state;
	assert_int_equal(write(fd, "old\n", 4), 4);
	snprintf(user, sizeof(user), "{tokenFile: %s}", path);
	b.token_fd = fd;
	run_user(&b, user, "Md/a:1:11 ");
	assert_int_equal(b.counters.n_failures, 1);
	buf_done(&b.log);
	close(fd);
	unlink(path);
}

static void test_impersonation_and_basic(void **state)
{
	struct bench b = { .steps = { NO_CORE,
				      { .match = "GET /base/apis |Authorization: Basic dTpw|Impersonate-User: "
						 "jane|Impersonate-Group: a|"
						 "Impersonate-Group: b|Impersonate-Extra-sc%2Fx: y",
					.body = GROUPS(DEPLOYMENTS) },
				      { .match = INITIAL, .body = END_MARK("9"), .hold = true } } };

	(void)state;
	run_user(&b, "{username: u, password: p, as: jane, as-groups: [a, b], as-user-extra: {SC/x: [y]}}",
		 "synced:start:0 ");
	buf_done(&b.log);
}

/* The last one: what the drawing allows, the cases above have done. */
static void test_every_arrow_was_taken(void **state)
{
	static const char *const names[] = { "UNKNOWN", "INITIAL", "PAGES", "WATCH", "WAIT", "DONE", "REMOVED" };
	unsigned missing = 0, arrows = 0;

	_Static_assert(ARRAY_LEN(names) == KC_PHASES, "a name for each phase: ORDER enum kc_phase");
	(void)state;
	for (enum kc_phase from = 0; from < KC_PHASES; from++)
		for (enum kc_phase to = 0; to < KC_PHASES; to++) {
			if (!kc_phase_follows(from, to))
				continue;
			arrows++;
			if (taken[from][to])
				continue;
			missing++;
			print_error("no case goes from %s to %s\n", names[from], names[to]);
		}
	print_message("%u of %u transitions taken\n", arrows - missing, arrows);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streaming_list),
		cmocka_unit_test(test_broken_initial_is_listed_again),
		cmocka_unit_test(test_pages_then_watch_then_resume),
		cmocka_unit_test(test_expired_relists_and_finds_deletions),
		cmocka_unit_test(test_http_410_on_watch),
		cmocka_unit_test(test_expired_continue),
		cmocka_unit_test(test_broken_lines_resume_then_relist),
		cmocka_unit_test(test_oversized),
		cmocka_unit_test(test_kind_appears),
		cmocka_unit_test(test_kind_vanishes_while_waiting),
		cmocka_unit_test(test_kind_vanishes_while_watching),
		cmocka_unit_test(test_removed_while_unknown),
		cmocka_unit_test(test_failed_page_then_removed_while_waiting),
		cmocka_unit_test(test_no_end_mark_comes),
		cmocka_unit_test(test_large_page_is_halved),
		cmocka_unit_test(test_broken_list),
		cmocka_unit_test(test_bad_line_in_initial_events),
		cmocka_unit_test(test_refused_version_and_version_that_goes_back),
		cmocka_unit_test(test_forbidden_and_retry_after),
		cmocka_unit_test(test_remove_in_handler),
		cmocka_unit_test(test_close_in_handler),
		cmocka_unit_test(test_list_all),
		cmocka_unit_test(test_silence_is_resumed),
		cmocka_unit_test(test_version_too_new),
		cmocka_unit_test(test_token_file_changes),
		cmocka_unit_test(test_impersonation_and_basic),
		cmocka_unit_test(test_every_arrow_was_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
