/* Sends requests to etcd's gateway: one at a time, to one endpoint after the other. */
#include "daemon/leader/etcd/etcd.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/number.h"
#include "go/base64.h"
#include "kubeclient/kc_perform.h"
#include "mask/credentials.h"
#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>

#define ANSWER_BYTES_MAX ((size_t)32 << 20)
#define REQUEST_BYTES_MAX ((size_t)8 << 20)
#define PASSWORD_BYTES_MAX 4096
#define TOKEN_BYTES_MAX 4096
#define SHOWN_BYTES_MAX 300 /* the most that is shown of the text of an error */
#define STATUS_OK 200
#define STATUS_UNAUTHORIZED 401
/* Codes of gRPC. */
#define CODE_INVALID 3
#define CODE_NOT_FOUND 5
#define CODE_DENIED 7
#define CODE_UNAVAILABLE 14
#define CODE_UNAUTHENTICATED 16
/* etcd's text for a token (JWT) that is older than the last change of users or roles; its code is that of an invalid
 * argument. */
#define OLD_TOKEN_TEXT "revision of auth store is old"

struct etcd {
	struct etcd_options o;
	struct kc_perform *net;
	size_t at;         /* index of the endpoint that answered last */
	struct buf token;  /* NUL-terminated; empty: none was requested yet */
	struct buf answer; /* to the last request */
};

/* ---- life ---- */

int etcd_new(const struct etcd_options *o, struct etcd **ret, struct err *err)
{
	struct etcd *e = calloc(1, sizeof(*e));
	int r;

	if (!e)
		return err_nomem(err);
	r = kc_perform_new(&e->net, err);
	if (r < 0) {
		free(e);
		return r;
	}
	e->o = *o;
	e->token = BUF_INIT(TOKEN_BYTES_MAX);
	e->answer = BUF_INIT(ANSWER_BYTES_MAX);
	*ret = e;
	return 0;
}

void etcd_free(struct etcd *e)
{
	if (!e)
		return;
	buf_done(&e->token);
	buf_done(&e->answer);
	kc_perform_free(e->net);
	free(e);
}

/* ---- one request at one endpoint ---- */

static bool add_headers(const struct etcd *e, struct curl_slist **ret)
{
	return kc_header_add(ret, STR("Content-Type"), STR("application/json")) == 0 &&
	       (!e->token.n || kc_header_add(ret, STR("Authorization"), buf_str(&e->token)) == 0);
}

/* Copy a path of the configuration; "" becomes NULL. */
static bool copy_path(str path, char **ret)
{
	*ret = path.n ? str_dup(path) : NULL;
	return *ret || !path.n;
}

static int post_to(struct etcd *e, const char *url, str body, struct kc_answer *ret, struct err *err)
{
	const struct cfg_leader *from = e->o.from;
	CLEANUP(curl_slist_free_allp) struct curl_slist *headers = NULL;
	CLEANUP(freep) char *ca = NULL, *cert = NULL, *key = NULL;

	if (!add_headers(e, &headers) || !copy_path(from->ca_file, &ca) || !copy_path(from->cert_file, &cert) ||
	    !copy_path(from->key_file, &key))
		return err_nomem(err);
	return kc_perform(e->net,
			  &(struct kc_transfer_options){
				  .url = url,
				  .body = body,
				  .headers = headers,
				  /* endpoints say whether they need TLS; with a user check-config demands it */
				  .plain = true,
				  .trust = { .ca_file = ca, .cert_file = cert, .key_file = key },
				  .timeout_ms = e->o.timeout_ms,
			  },
			  e->o.stop, &e->answer, ret, err);
}

static int post_at(struct etcd *e, str endpoint, const char *path, str body, struct kc_answer *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT((size_t)16 << 10);
	int r;

	while (endpoint.n && endpoint.p[endpoint.n - 1] == '/')
		endpoint.n--;
	buf_printf(&url, "%.*s%s", STR_ARG(endpoint), path);
	r = url.error ? err_nomem(err) : post_to(e, url.p, body, ret, err);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (r != -E2BIG && r != -ECANCELED)
		err->code = EHOSTUNREACH;
	return err_wrap(err, "etcd at %.*s", STR_ARG(endpoint));
}

/* ---- what it answers ---- */

/* Read a 64-bit integer. etcd writes them as texts, and leaves out zeros. Return false when @v is no integer. */
static bool integer(val v, int64_t *ret)
{
	*ret = 0;
	if (v.kind == VAL_INT)
		*ret = v.i;
	return v.kind == VAL_ABSENT || v.kind == VAL_INT ||
	       (v.kind == VAL_STRING && int64_parse(foreign_data(foreign_of(v)), ret));
}

static int code_of_error(int64_t code)
{
	switch (code) {
	case CODE_NOT_FOUND:
		return ENOENT;
	case CODE_DENIED:
	case CODE_UNAUTHENTICATED:
		return EACCES;
	case CODE_UNAVAILABLE:
		return EHOSTUNREACH;
	default:
		return EREMOTEIO;
	}
}

/* Read an error: {"error": "...", "code": 5, "message": "..."}; in a stream these members are below "error". */
static int read_error(str endpoint, val root, int status, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(SHOWN_BYTES_MAX * 4);
	val in = VAL_GET(root, "error"), number;
	struct foreign text;
	int64_t code;

	if (in.kind != VAL_MAP)
		in = root;
	text = foreign_of(VAL_GET(in, "message"));
	if (foreign_is_empty(text))
		text = foreign_of(VAL_GET(root, "error"));
	number = VAL_GET(in, "grpc_code");
	if (!integer(val_exists(number) ? number : VAL_GET(in, "code"), &code))
		code = 0;
	if (status == STATUS_UNAUTHORIZED || foreign_holds(text, STR(OLD_TOKEN_TEXT)))
		code = CODE_UNAUTHENTICATED;
	foreign_quote(text, SHOWN_BYTES_MAX, &shown);
	if (shown.error)
		return err_nomem(err);
	return err_set(err, code_of_error(code), "etcd at %.*s: status %d: %.*s", STR_ARG(endpoint), status,
		       STR_ARG(buf_str(&shown)));
}

static int read_answer(struct etcd *e, str endpoint, const struct kc_answer *answer, struct doc **ret, struct err *err)
{
	const struct limits limits = { .object_bytes = ANSWER_BYTES_MAX,
				       .depth = 32,
				       .document_nodes = 1u << 20,
				       .arena_bytes = (size_t)256 << 20 };
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r = json_decode(buf_str(&e->answer), &o, &doc, err);

	if (r == -ENOMEM)
		return r;
	/* A proxy may answer for a member that is away. */
	if (r < 0 || doc->root.kind != VAL_MAP)
		return err_set(err, answer->status >= 500 ? EHOSTUNREACH : EPROTO,
			       "etcd at %.*s: status %d, and the answer is no JSON object%s", STR_ARG(endpoint),
			       answer->status, answer->advice);
	if (answer->status != STATUS_OK || val_exists(VAL_GET(doc->root, "error")))
		return read_error(endpoint, doc->root, answer->status, err);
	*ret = TAKE(doc);
	return 0;
}

/* Send a request to each endpoint, until one has an answer. */
static int post(struct etcd *e, const char *path, str body, struct doc **ret, struct err *err)
{
	int r = -EHOSTUNREACH;

	for (size_t i = 0; r == -EHOSTUNREACH && i < e->o.from->n_endpoints; i++) {
		size_t at = (e->at + i) % e->o.from->n_endpoints;
		str endpoint = e->o.from->endpoints[at];
		struct kc_answer answer = { 0 };

		r = post_at(e, endpoint, path, body, &answer, err);
		if (r == 0)
			r = read_answer(e, endpoint, &answer, ret, err);
		if (r != -EHOSTUNREACH)
			e->at = at;
	}
	return r;
}

/* ---- who asks ---- */

static int read_password(const struct etcd *e, char **ret, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(e->o.from->password_file);
	size_t n;
	int r = path ? file_read(path, PASSWORD_BYTES_MAX, ret, &n, err) : err_nomem(err);

	if (r < 0)
		return err_wrap(err, "password_file of leader_election");
	while (n && ((*ret)[n - 1] == '\n' || (*ret)[n - 1] == '\r'))
		(*ret)[--n] = '\0';
	return 0;
}

static bool is_token(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < 0x21 || s.p[i] > 0x7e)
			return false;
	}
	return s.n > 0 && s.n < TOKEN_BYTES_MAX;
}

static int authenticate(struct etcd *e, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(REQUEST_BYTES_MAX);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(freep) char *password = NULL;
	int r = read_password(e, &password, err);
	str token;

	if (r < 0)
		return r;
	buf_clear(&e->token);
	credentials_add(str_from(password));
	buf_add_cstr(&body, "{\"name\":");
	json_encode_string(e->o.from->user, JSON_PLAIN, &body);
	buf_add_cstr(&body, ",\"password\":");
	json_encode_string(str_from(password), JSON_PLAIN, &body);
	buf_add_byte(&body, '}');
	r = buf_error(&body, "a request", err);
	if (r == 0)
		r = post(e, "/v3/auth/authenticate", buf_str(&body), &doc, err);
	if (r == -EREMOTEIO) /* etcd reports "invalid user ID or password" as an invalid argument */
		return err_set(err, EACCES, "etcd refuses the user of leader_election");
	if (r < 0)
		return r;
	token = foreign_data(foreign_of(VAL_GET(doc->root, "token")));
	if (!is_token(token))
		return err_set(err, EPROTO, "etcd gives no token");
	buf_add_str(&e->token, token);
	credentials_add(token);
	return buf_error(&e->token, "a token", err);
}

/* Send a request, with a new token when the old one has expired. */
static int ask(struct etcd *e, const char *path, struct buf *body, struct doc **ret, struct err *err)
{
	int r = buf_error(body, "a request to etcd", err);

	if (r == 0 && e->o.from->user.n && !e->token.n)
		r = authenticate(e, err);
	if (r == 0)
		r = post(e, path, buf_str(body), ret, err);
	if (r == -EACCES && e->token.n) {
		r = authenticate(e, err);
		if (r == 0)
			r = post(e, path, buf_str(body), ret, err);
	}
	if (r < 0 && r != -ENOENT && e->o.failures)
		(*e->o.failures)++;
	return r;
}

static int malformed(struct etcd *e, const char *what, struct err *err)
{
	if (e->o.failures)
		(*e->o.failures)++;
	return err_set(err, EPROTO, "what etcd answers is no %s", what);
}

/* ---- leases ---- */

int etcd_grant(struct etcd *e, int64_t seconds, int64_t *lease, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(1024);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int64_t id;
	int r;

	buf_printf(&body, "{\"TTL\":\"%" PRId64 "\"}", seconds);
	r = ask(e, "/v3/lease/grant", &body, &doc, err);
	if (r < 0)
		return r;
	if (!integer(VAL_GET(doc->root, "ID"), &id) || id == 0)
		return malformed(e, "lease", err);
	*lease = id;
	return 0;
}

int etcd_keep_alive(struct etcd *e, int64_t lease, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(1024);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int64_t id, seconds;
	val result;
	int r;

	buf_printf(&body, "{\"ID\":\"%" PRId64 "\"}", lease);
	r = ask(e, "/v3/lease/keepalive", &body, &doc, err);
	if (r < 0)
		return r;
	result = VAL_GET(doc->root, "result");
	if (result.kind != VAL_MAP || !integer(VAL_GET(result, "ID"), &id) || id != lease ||
	    !integer(VAL_GET(result, "TTL"), &seconds))
		return malformed(e, "lease", err);
	return seconds > 0 ? 0 : err_set(err, ENOENT, "the lease in etcd has expired");
}

int etcd_revoke(struct etcd *e, int64_t lease, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(1024);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;

	buf_printf(&body, "{\"ID\":\"%" PRId64 "\"}", lease);
	return ask(e, "/v3/lease/revoke", &body, &doc, err);
}

/* ---- keys ---- */

static void add_bytes(struct buf *out, const char *name, str bytes)
{
	buf_printf(out, "\"%s\":\"", name);
	go_base64_encode(out, bytes);
	buf_add_byte(out, '"');
}

static bool read_bytes(val v, struct arena *a, str *ret)
{
	*ret = (str){ "", 0 };
	return v.kind == VAL_ABSENT ||
	       (v.kind == VAL_STRING &&
		go_base64_decode(&go_base64_std, foreign_data(foreign_of(v)), a, ret, NULL) == 0);
}

static bool read_pair(val v, struct arena *a, struct etcd_pair *ret)
{
	return v.kind == VAL_MAP && read_bytes(VAL_GET(v, "key"), a, &ret->key) && ret->key.n &&
	       read_bytes(VAL_GET(v, "value"), a, &ret->value) &&
	       integer(VAL_GET(v, "create_revision"), &ret->created) &&
	       integer(VAL_GET(v, "mod_revision"), &ret->modified);
}

int etcd_range(struct etcd *e, str from, str end, unsigned max,
	       int (*each)(void *ctx, const struct etcd_pair *p, struct err *err), void *ctx, bool *more,
	       struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(REQUEST_BYTES_MAX);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	val pairs;
	int r;

	buf_add_byte(&body, '{');
	add_bytes(&body, "key", from);
	buf_add_byte(&body, ',');
	add_bytes(&body, "range_end", end);
	buf_printf(&body, ",\"limit\":\"%u\"}", max);
	r = ask(e, "/v3/kv/range", &body, &doc, err);
	if (r < 0)
		return r;
	pairs = VAL_GET(doc->root, "kvs");
	if (val_exists(pairs) && pairs.kind != VAL_LIST)
		return malformed(e, "range", err);
	for (uint32_t i = 0; r == 0 && i < val_count(pairs); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(ANSWER_BYTES_MAX);
		struct etcd_pair p;

		r = read_pair(val_at(pairs, i), &a, &p) ? each(ctx, &p, err) : malformed(e, "range", err);
	}
	*more = VAL_GET(doc->root, "more").kind == VAL_BOOL && VAL_GET(doc->root, "more").b;
	return r;
}

/* ---- transactions ---- */

void etcd_txn_init(struct etcd_txn *t)
{
	t->compare = t->success = t->failure = BUF_INIT(REQUEST_BYTES_MAX);
	t->operations = 0;
}

void etcd_txn_done(struct etcd_txn *t)
{
	buf_done(&t->compare);
	buf_done(&t->success);
	buf_done(&t->failure);
}

static void begin_element(struct buf *out)
{
	if (out->n)
		buf_add_byte(out, ',');
}

static void add_condition(struct etcd_txn *t, str key, const char *target, const char *name, int64_t revision)
{
	begin_element(&t->compare);
	buf_printf(&t->compare, "{\"result\":\"EQUAL\",\"target\":\"%s\",\"%s\":\"%" PRId64 "\",", target, name,
		   revision);
	add_bytes(&t->compare, "key", key);
	buf_add_byte(&t->compare, '}');
}

void etcd_txn_if_created(struct etcd_txn *t, str key, int64_t revision)
{
	add_condition(t, key, "CREATE", "create_revision", revision);
}

void etcd_txn_if_modified(struct etcd_txn *t, str key, int64_t revision)
{
	add_condition(t, key, "MOD", "mod_revision", revision);
}

void etcd_txn_if_value(struct etcd_txn *t, str key, str value)
{
	begin_element(&t->compare);
	buf_add_cstr(&t->compare, "{\"result\":\"EQUAL\",\"target\":\"VALUE\",");
	add_bytes(&t->compare, "value", value);
	buf_add_byte(&t->compare, ',');
	add_bytes(&t->compare, "key", key);
	buf_add_byte(&t->compare, '}');
}

void etcd_txn_put(struct etcd_txn *t, str key, str value, int64_t lease)
{
	begin_element(&t->success);
	buf_add_cstr(&t->success, "{\"request_put\":{");
	add_bytes(&t->success, "key", key);
	buf_add_byte(&t->success, ',');
	add_bytes(&t->success, "value", value);
	if (lease)
		buf_printf(&t->success, ",\"lease\":\"%" PRId64 "\"", lease);
	buf_add_cstr(&t->success, "}}");
	t->operations++;
}

void etcd_txn_remove(struct etcd_txn *t, str key)
{
	etcd_txn_remove_range(t, key, (str){ 0 });
}

void etcd_txn_remove_range(struct etcd_txn *t, str from, str end)
{
	begin_element(&t->success);
	buf_add_cstr(&t->success, "{\"request_delete_range\":{");
	add_bytes(&t->success, "key", from);
	if (end.n) {
		buf_add_byte(&t->success, ',');
		add_bytes(&t->success, "range_end", end);
	}
	buf_add_cstr(&t->success, "}}");
	t->operations++;
}

void etcd_txn_get(struct etcd_txn *t, bool otherwise, str key)
{
	struct buf *out = otherwise ? &t->failure : &t->success;

	begin_element(out);
	buf_add_cstr(out, "{\"request_range\":{");
	add_bytes(out, "key", key);
	buf_add_cstr(out, "}}");
	t->operations += !otherwise;
}

int etcd_commit(struct etcd *e, const struct etcd_txn *t, struct etcd_outcome *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(REQUEST_BYTES_MAX);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int64_t revision;
	int r;

	if (t->compare.error || t->success.error || t->failure.error)
		return err_set(err, t->success.error == -E2BIG ? E2BIG : ENOMEM, "a transaction is too large");
	buf_printf(&body, "{\"compare\":[%s],\"success\":[%s],\"failure\":[%s]}", buf_str(&t->compare).p,
		   buf_str(&t->success).p, buf_str(&t->failure).p);
	r = ask(e, "/v3/kv/txn", &body, &doc, err);
	if (r < 0)
		return r;
	if (!integer(VAL_GET(VAL_GET(doc->root, "header"), "revision"), &revision) || revision <= 0)
		return malformed(e, "outcome of a transaction", err);
	ret->succeeded = val_is_true(VAL_GET(doc->root, "succeeded"));
	ret->revision = revision;
	ret->doc = TAKE(doc);
	return 0;
}

bool etcd_outcome_get(const struct etcd_outcome *o, unsigned i, struct arena *a, struct etcd_pair *ret)
{
	val responses = VAL_GET(o->doc->root, "responses");
	val pairs =
		i < val_count(responses) ? VAL_GET(VAL_GET(val_at(responses, i), "response_range"), "kvs") : (val){ 0 };

	return val_count(pairs) > 0 && read_pair(val_at(pairs, 0), a, ret);
}
