/* A client against a server that answers from a script: each request takes the first step that fits and is not used up.
 * What the client's owner is told becomes a log; the run ends when the log holds a given text. */
#ifndef KC_BENCH_H
#define KC_BENCH_H

#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_identity.h"
#include "kubeclient/kc_key_store.h"
#include "kubeclient/kc_kinds.h"

#include "base/buf.h"
#include "support/kubeconfig_text.h"
#include "unit/kubeclient/kc_bench_tls.h"
#include "value/doc.h"
#include "value/object_text.h"

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
	/* what held connections send besides, @thaw_ms after a step that has them was answered; NULL: nothing */
	const char *then;
	uint64_t thaw_ms;
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
	"{\"kind\":\"DeploymentList\",\"apiVersion\":\"apps/v1\",\"metadata\":{\"resourceVersion\":\"" rv              \
	"\",\"continue\":\"" next "\"},\"items\":[" items "]}"
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
	SSL *ssl;       /* NULL: plain HTTP */
	struct buf raw; /* as it came, when there is TLS */
	uv_write_t write;
	char *out;
	bool hold;
	const char *then; /* not sent yet */
};

struct bench {
	uv_loop_t loop;
	uv_tcp_t server;
	uv_timer_t timer, thaw;
	struct step steps[24];
	size_t n_steps;
	struct conn *conns[64];
	size_t n_conns;
	struct buf log;
	struct kc_key_store known;
	const char *until; /* the log ends the run when it holds this */
	const char *unexpected;
	char unexpected_text[256];
	struct kc_client *client;
	struct kc_watch *watch;
	bool tls; /* credentials are sent */
	SSL_CTX *tls_server;
	bool list_once;           /* kc_list_all instead of a watch */
	bool discover_once;       /* kc_discover and kc_listable instead of a watch */
	uint64_t once_ms;         /* time limit of either; 0: 5 s */
	const char *cluster;      /* further fields of the kubeconfig's cluster, beginning with a comma */
	struct buf notices;       /* what the client noticed, and the reasons of its states, one per line */
	bool retry_at_backoff;    /* as if the server were known to be back */
	uint64_t idle_ms;         /* 0: the default */
	uint64_t evidence_ms;     /* with it; 0: the default */
	uint64_t rediscover_ms;   /* 0: soon */
	uint64_t initial_ms;      /* of silence; 0: the default */
	unsigned retries;         /* of a request that the server asks to repeat */
	uint32_t pages;           /* of one list; 0: the default */
	size_t response_bytes;    /* 0: the default */
	unsigned budget;          /* requests that the client has, and no more for the next minutes; 0: any */
	int token_fd;             /* above 0: its content is replaced before a 401 is answered */
	char remove_at, close_at; /* an event letter that makes the handler do it */
	char test_at;             /* an event letter: as if the process had not run before it */
	char late_at;             /* an event letter: as if its last byte had come 50 ms later */
	char slow_at;             /* an event letter: as if the initial events had begun long before it */
	bool overdue;             /* and as if the server should have ended the watch by then */
	bool reviews;             /* SelfSubjectAccessReviews are asked for */
	bool looks;               /* threads look ahead (struct kc_prepare) */
	size_t n_hands;
	bool timed_out, finishing;
	struct kc_counters counters;
	struct kc_watch_counters watch_counters;
	uint64_t watching_ns; /* when the watch was last reported as working */
	uint64_t backoff_ms;  /* of the watch, at the end */
};

/* ---- the server ---- */

static void on_conn_closed(uv_handle_t *h)
{
	struct conn *c = h->data;

	SSL_free(c->ssl);
	buf_done(&c->in);
	buf_done(&c->raw);
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

static void send_out(struct conn *c, const char *plain, size_t n)
{
	char *before = c->out;

	c->out = c->ssl ? bench_tls_write(c->ssl, plain, n, !c->hold, &n) : str_dup((str){ plain, n });
	uv_buf_t out = uv_buf_init(c->out, (unsigned)n);

	free(before);
	c->write.data = c;
	uv_write(&c->write, (uv_stream_t *)&c->tcp, &out, 1, on_written);
}

static void on_thaw(uv_timer_t *t)
{
	struct bench *b = t->data;

	for (size_t i = 0; i < b->n_conns; i++) {
		const char *then = TAKE(b->conns[i]->then);

		if (then)
			send_out(b->conns[i], then, strlen(then));
	}
}

static void answer(struct conn *c)
{
	char *plain = NULL;
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
	c->then = s->then;
	if (s->thaw_ms)
		uv_timer_start(&b->thaw, on_thaw, s->thaw_ms, 0);
	if (s->mute) {
		s->match = NULL;
		return;
	}
	n = asprintf(&plain, "%sConnection: close\r\n\r\n%s", s->head ? s->head : "HTTP/1.1 200 OK\r\n",
		     s->body ? s->body : "");
	assert_true(n > 0);
	if (b->token_fd > 0 && strstr(plain, "HTTP/1.1 401"))
		assert_int_equal(pwrite(b->token_fd, "new", 3, 0), 3);
	if (!s->always)
		s->match = NULL;
	send_out(c, plain, (size_t)n);
	free(plain);
}

/* A handshake is answered at once. */
static void on_flushed(uv_write_t *w, int status)
{
	(void)status;
	free(w->data);
	free(w);
}

static void flush_tls(struct conn *c)
{
	uv_write_t *w = calloc(1, sizeof(*w));
	size_t n;

	assert_non_null(w);
	w->data = bench_tls_write(c->ssl, NULL, 0, false, &n);
	uv_buf_t out = uv_buf_init(w->data, (unsigned)n);

	uv_write(w, (uv_stream_t *)&c->tcp, &out, 1, on_flushed);
}

static void on_alloc(uv_handle_t *h, size_t n, uv_buf_t *ret)
{
	struct conn *c = h->data;

	(void)n;
	*ret = uv_buf_init(buf_reserve(c->ssl ? &c->raw : &c->in, 4096), 4096);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *ret)
{
	struct conn *c = s->data;

	(void)ret;
	if (n < 0) {
		conn_close(c);
		return;
	}
	buf_commit(c->ssl ? &c->raw : &c->in, (size_t)n);
	if (c->ssl) {
		bench_tls_read(c->ssl, c->raw.p, c->raw.n, &c->in);
		buf_clear(&c->raw);
		flush_tls(c);
	}
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
	c->raw = BUF_INIT(65536);
	if (b->tls)
		c->ssl = bench_tls_accept(b->tls_server);
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
		if (b->watch) {
			b->watch_counters = *kc_watch_counters(b->watch);
			b->backoff_ms = b->watch->backoff.base_ms;
		}
		kc_client_close(client, NULL, NULL);
	}
	uv_close((uv_handle_t *)&b->timer, NULL);
	uv_close((uv_handle_t *)&b->thaw, NULL);
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
		assert_true(o->unreadable || str_eq(o->managed_fields, STR("[{\"manager\":\"m\"}]")));
	}
	assert_true(kc_key_store_take_in(&b->known, o));
	buf_printf(&b->log, "%c%s%s%.*s/%.*s:%.*s:%.*s ", letter, o->unchanged ? "=" : "", o->unreadable ? "?" : "",
		   STR_ARG(o->namespace), STR_ARG(o->name), STR_ARG(o->uid), STR_ARG(o->resource_version));
	if (letter == b->remove_at) {
		kc_watch_remove(TAKE(b->watch));
		buf_add_cstr(&b->log, "removed ");
	}
	if (letter == b->test_at)
		kc_client_test_connections(b->client);
	if (letter == b->late_at)
		b->watch->report.counters.last_heard_ns += 50000000;
	if (letter == b->late_at && b->overdue)
		b->watch->stream.deadline_ms = 0;
	if (letter == b->slow_at)
		b->watch->stream.started_ms -= KC_TUNING_DEFAULT.initial_ms;
	if (letter == b->close_at) {
		b->watch = NULL;
		finish(b);
		return;
	}
	check_end(b);
}

/* ---- looking ahead ---- */

/* With the document, so that nothing but the way is different. */
struct bench_look {
	struct kc_prepared prepared;
	struct doc *doc;
};

static void *begin_look(void *ctx)
{
	struct bench *b = ctx;

	return b->looks && ++b->n_hands % 4 ? calloc(1, sizeof(size_t)) : NULL;
}

/* Of some comes nothing. */
static struct kc_prepared *look(void *hand, str text)
{
	const struct limits limits = LIMITS_DEFAULT;
	const struct object_type type = { STR("apps/v1"), STR("Deployment") };
	struct bench_look *l = calloc(1, sizeof(*l));
	struct kc_identity id;
	size_t *n = hand;
	struct err err;
	str managed;

	assert_non_null(l);
	if (++*n % 3 == 0 || object_decode(text, &limits, NULL, &type, &l->doc, &managed, &err) < 0 ||
	    kc_identity_of(l->doc->root, &id, &err) < 0) {
		doc_unref(l->doc);
		free(l);
		return NULL;
	}
	l->prepared = (struct kc_prepared){ id.namespace, id.name, id.uid, id.resource_version, managed };
	return &l->prepared;
}

static void forget_look(struct kc_prepared *p)
{
	struct bench_look *l = (struct bench_look *)p;

	doc_unref(l->doc);
	free(l);
}

static void end_look(void *hand)
{
	free(hand);
}

static const struct kc_prepare prepare = { begin_look, look, forget_look, end_look };

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct bench *b = ctx;

	return kc_key_store_find(&b->known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct bench *b = ctx;

	return kc_key_store_absent(&b->known, list, ret, err);
}

static void on_synced(void *ctx, enum kc_list_reason reason)
{
	struct bench *b = ctx;

	buf_printf(&b->log, "synced:%s:%zu ", kc_list_reason_name(reason), b->known.known.n);
	check_end(b);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct bench *b = ctx;

	if (state == KC_ABSENT)
		kc_key_store_done(&b->known);
	if (state == KC_WATCHING)
		b->watching_ns = uv_hrtime();
	buf_printf(&b->log, "%s%s ", kc_state_name(state), why ? "!" : "");
	if (why)
		buf_printf(&b->notices, "%s! %s\n", kc_state_name(state), why->msg);
	if (state == KC_BACKOFF && b->retry_at_backoff)
		kc_client_retry(b->client);
	check_end(b);
}

static void on_access(void *ctx, unsigned denied)
{
	struct bench *b = ctx;

	buf_printf(&b->log, "denied:%s%s ", denied & 1u << KC_LIST ? "l" : "", denied & 1u << KC_WATCH ? "w" : "");
	check_end(b);
}

static void on_notice(void *ctx, const struct kc_notice *n)
{
	struct bench *b = ctx;

	buf_printf(&b->notices, "%s%s%s\n", n->resource ? n->resource : "", n->resource ? ": " : "", n->message);
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

static struct kc_tuning quick(const struct bench *b)
{
	struct kc_tuning t = KC_TUNING_DEFAULT;

	t.requests_per_second = 0;
	t.page = 2;
	t.slice_ms = 0; /* a turn of the loop for each object */
	t.backoff_first_ms = 5;
	t.backoff_max_ms = 20;
	t.rediscover_ms = 30;
	t.confirm_absent_ms = 20;
	t.no_reviews = !b->reviews;
	t.token_ms = 1000000;
	if (b->rediscover_ms)
		t.rediscover_ms = b->rediscover_ms;
	if (b->idle_ms)
		t.idle_ms = b->idle_ms;
	if (b->evidence_ms)
		t.evidence_ms = b->evidence_ms;
	if (b->initial_ms)
		t.initial_silence_ms = b->initial_ms;
	if (b->pages)
		t.pages = b->pages;
	t.retries = b->retries;
	if (b->response_bytes)
		t.response_bytes = b->response_bytes;
	if (b->budget) {
		t.requests_per_second = 0.001;
		t.requests_per_second_per_watch = t.burst_per_watch = 0;
		t.burst = b->budget;
	}
	return t;
}

static void run_discover(struct bench *b, uint64_t ms)
{
	const struct kc_resource *r;
	struct err err = { 0 };
	size_t at = 0;

	buf_printf(&b->log, "result:%d ", -kc_discover(b->client, ms, &err));
	while ((r = kc_listable(b->client, &at)))
		buf_printf(&b->log, "%s ", r->plural);
}

/* The server's port. */
static int start_server(struct bench *b)
{
	struct sockaddr_storage at;
	struct sockaddr_in address;
	int size = sizeof(at);

	uv_tcp_init(&b->loop, &b->server);
	b->server.data = b;
	uv_ip4_addr("127.0.0.1", 0, &address);
	assert_int_equal(uv_tcp_bind(&b->server, (struct sockaddr *)&address, 0), 0);
	assert_int_equal(uv_listen((uv_stream_t *)&b->server, 16, on_connection), 0);
	uv_tcp_getsockname(&b->server, (struct sockaddr *)&at, &size);
	return ntohs(((struct sockaddr_in *)&at)->sin_port);
}

/* @user: the user of the kubeconfig, as YAML. */
static struct kubeconfig *start_client(struct bench *b, const char *user)
{
	struct kc_tuning tuning = quick(b);
	struct limits limits = LIMITS_DEFAULT;
	struct kube_target target;
	const struct kc_options o = {
		.target = &target, .limits = &limits, .tuning = &tuning, .notice = on_notice, .notice_ctx = b
	};
	struct kubeconfig *k = NULL;
	char text[1024];
	struct err err;

	limits.object_bytes = 2000;
	(void)snprintf(text, sizeof(text),
		       "clusters: [{name: c, cluster: {server: \"http%s://127.0.0.1:%d/base\"%s%s}}]\n"
		       "users: [{name: u, user: %s}]\n"
		       "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n",
		       b->tls ? "s" : "", start_server(b), b->tls ? ", insecure-skip-tls-verify: true" : "",
		       b->cluster ? b->cluster : "", user);
	assert_int_equal(kubeconfig_parse(str_from(text), "f", &k, &err), 0);
	assert_int_equal(kubeconfig_target(k, NULL, &target, &err), 0);
	assert_int_equal(kc_client_new(&b->loop, &o, &b->client, &err), 0);
	b->client->watches.moved = on_moved;
	return k;
}

static void run_client(struct bench *b)
{
	const struct kc_handler handler = { .object = on_object,
					    .find = on_find,
					    .absent = on_absent,
					    .synced = on_synced,
					    .state = on_state,
					    .access = on_access,
					    .prepare = &prepare };
	const struct kc_watch_spec spec = { .api_version = "apps/v1", .kind = "Deployment" };
	uint64_t once_ms = b->once_ms ? b->once_ms : 5000;
	struct err err;

	if (b->list_once) {
		buf_printf(&b->log, "result:%d ", -kc_list_all(b->client, &spec, once_ms, on_object, b, &err));
		finish(b);
	} else if (b->discover_once) {
		run_discover(b, once_ms);
		finish(b);
	} else {
		assert_int_equal(kc_watch_add(b->client, &spec, &handler, b, &b->watch, &err), 0);
	}
}

static void run_user(struct bench *b, const char *user, const char *until)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = NULL;

	while (b->n_steps < ARRAY_LEN(b->steps) && b->steps[b->n_steps].match)
		b->n_steps++;
	b->log = BUF_INIT(100000);
	b->known = KC_KEY_STORE;
	b->notices = BUF_INIT(100000);
	b->until = until;
	if (b->tls)
		b->tls_server = bench_tls_new();
	uv_loop_init(&b->loop);
	uv_timer_init(&b->loop, &b->thaw);
	b->thaw.data = b;
	uv_timer_init(&b->loop, &b->timer);
	b->timer.data = b;
	uv_timer_start(&b->timer, on_time, 60000, 0); /* only a hang takes as long */
	/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): CLEANUP releases it */
	k = start_client(b, user);
	run_client(b);
	uv_run(&b->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&b->loop), 0);
	if (b->timed_out || b->unexpected)
		fail_msg("%s: %s\nunexpected: %s", b->timed_out ? "timed out" : "log", b->log.p,
			 b->unexpected ? b->unexpected : "none");
}

static void bench_done(struct bench *b)
{
	buf_done(&b->log);
	kc_key_store_done(&b->known);
	buf_done(&b->notices);
	SSL_CTX_free(b->tls_server);
}

static inline void expect_notice(struct bench *b, const char *part)
{
	if (str_find(buf_str(&b->notices), str_from(part)) < 0)
		fail_msg("no notice '%s' in: %s", part, b->notices.p ? b->notices.p : "");
}

/* With whatever notices; bench_done is the caller's. Whether threads look ahead or not makes no difference. */
static void expect_log(struct bench *b, const char *log)
{
	struct bench looking = *b;

	looking.looks = true;
	run_user(&looking, "{}", log);
	assert_string_equal(looking.log.p, log);
	bench_done(&looking);
	run_user(b, "{}", log);
	assert_string_equal(b->log.p, log);
}

static inline void expect(struct bench *b, const char *log)
{
	expect_log(b, log);
	bench_done(b);
}

#endif
