/* Serves the requests for inspection rules. Each request that changes a rule is an order. */
#include "daemon/app/inspections.h"

#include "base/assert.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/leadership.h"
#include "daemon/findings/notice.h"
#include "daemon/inspection/calls.h"
#include "daemon/inspection/inspected.h"
#include "daemon/inspection/rest.h"
#include "daemon/store/made.h"
#include "daemon/watch/inspect/inspecting.h"
#include "go/layout.h"
#include "go/url.h"
#include "value/json.h"

#include <errno.h>
#include <sys/queue.h>

#define JSON "application/json"
#define JSON_PATCH "application/json-patch+json"
#define WAITING_MAX 64
#define WAITING_BYTES_MAX ((size_t)16 << 20)
#define ERROR_MAX ((size_t)8 << 10)
#define TARGET_MAX ((size_t)64 << 10)

/*   request --> waits for its turn --> planned, on its way to the database --> carried out, or not --> answered
 *                       '--------------> planned, it changes nothing ----------------------------------^
 *   the client is gone: it is carried out all the same */
struct inspection_order {
	STAILQ_ENTRY(inspection_order) next;
	struct app *app;
	struct http_ticket *ticket; /* NULL: nobody waits for the answer */
	bool answered;
	struct arena texts; /* memory of the request's texts */
	struct insp_request request;
	struct inspection_plan plan;
};

struct inspections {
	struct inspection_context context;
	struct watch_inspector_maker maker;
	struct insp_builtins built_in; /* the built-in rules as read, until the rules take them */
	struct inspection_rest rest;   /* the REST resource over the rules in force */
	struct buf read_at;            /* when the built-in rules were read */
	bool changes;                  /* a change is on its way to the database */
	STAILQ_HEAD(, inspection_order) waiting;
	size_t n_waiting, waiting_bytes;
};

/* ---- start and end ---- */

static int read_built_in(struct app *app, struct problems *problems, struct err *err)
{
	struct inspections *o = app->inspections = calloc(1, sizeof(*o));

	if (!o)
		return err_nomem(err);
	STAILQ_INIT(&o->waiting);
	return cfg_load_builtins(app->cfg, &app->limits, &o->built_in, problems, err);
}

static int open_rules(struct app *app, struct err *err)
{
	struct inspections *o = app->inspections;

	o->maker = inspecting_by(&o->context);
	app->inspects = &o->maker;
	o->rest = (struct inspection_rest){ .limits = &app->limits };
	o->read_at = BUF_INIT(64);
	go_rfc3339_format((int64_t)app->started_at, 0, 0, &o->read_at);
	if (buf_error(&o->read_at, "a time", err) < 0)
		return -err->code;
	o->rest.built_in_at = buf_str(&o->read_at);
	return inspection_rules_new(&o->built_in, &o->rest.rules, err);
}

static int restore(void *ctx, const struct kept_rule *rule, struct err *err)
{
	struct app *app = ctx;

	return inspection_restore(&app->inspections->rest, rule->uuid, rule->json, rule->created_at, rule->updated_at,
				  err);
}

/* Whether @stored is the rule that another host has. Without memory the answer is false, and the rule is read again. */
static bool is_same(const struct insp_stored *stored, const struct kept_rule *rule)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(MADE_VALUE_MAX);
	struct err err;

	return str_eq_nocase(stored->rule->uuid, rule->uuid) && str_eq(stored->created_at, rule->created_at) &&
	       str_eq(stored->updated_at, rule->updated_at) &&
	       json_encode(stored->rule->source, JSON_TYPED, NULL, &json, &err) == 0 &&
	       str_eq(buf_str(&json), rule->json);
}

static bool are_same(const struct inspection_rules *rules, const struct made_item *items, size_t n)
{
	const struct insp_stored *stored;
	struct kept_rule rule;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		if (!made_rule_read(&items[i], &rule))
			continue;
		stored = inspection_rules_at(rules, at++);
		if (!stored || !is_same(stored, &rule))
			return false;
	}
	return !inspection_rules_at(rules, at);
}

/* Replace the rules by those of another host. A rule that cannot be read comes from a newer driftd, and is not in
 * force here. */
static int replace(struct app *app, const struct made_item *items, size_t n, struct err *err)
{
	struct inspection_rules *rules = app->inspections->rest.rules;
	struct kept_rule rule;
	int r = 0;

	if (are_same(rules, items, n))
		return 0;
	inspection_rules_clear(rules);
	for (size_t i = 0; r == 0 && i < n; i++) {
		if (made_rule_read(&items[i], &rule))
			r = restore(app, &rule, err);
		if (r == -EBADMSG)
			r = 0;
	}
	return r;
}

static void order_free(struct inspection_order *x)
{
	inspection_plan_done(&x->plan);
	arena_done(&x->texts);
	free(x);
}

static void close_rules(struct app *app)
{
	struct inspections *o = app->inspections;
	struct inspection_order *x;

	if (!o)
		return;
	while ((x = STAILQ_FIRST(&o->waiting))) {
		STAILQ_REMOVE_HEAD(&o->waiting, next);
		order_free(x);
	}
	inspection_rules_free(o->rest.rules);
	insp_builtins_done(&o->built_in);
	buf_done(&o->read_at);
	free(o);
}

/* ---- effects ---- */

static void on_call_failed(void *ctx, const struct call_origin *origin, str url, const char *why)
{
	struct app *app = ctx;

	if (origin->sensitive)
		effects_call_failed(&app->inspections->context, origin, STR("(hidden)"), "the rule is sensitive");
	else
		effects_call_failed(&app->inspections->context, origin, url, why);
}

static int start(struct app *app, struct err *err)
{
	const struct calls_options o = { .loop = &app->loop, .failed = on_call_failed, .ctx = app };

	struct inspection_context *context = &app->inspections->context;

	context->rules = app->inspections->rest.rules;
	context->sink = app->sink;
	return calls_new(&o, &context->calls, err);
}

static void stop(struct app *app)
{
	if (app->inspections->context.calls)
		calls_close(TAKE(app->inspections->context.calls), NULL, NULL);
}

static void follow(struct app *app, bool follows)
{
	app->inspections->context.follows = follows;
}

static const struct inspection_context *context_of(const struct app *app)
{
	return &app->inspections->context;
}

static struct inspected *earlier(str versions)
{
	struct inspected *s = NULL;
	struct err err;

	return inspected_new(versions, &s, &err) < 0 ? NULL : s;
}

/* ---- answers ---- */

/* Set the status. A refusal with 503 invites the client to retry soon. */
static void set_status(struct http_response *r, unsigned status)
{
	r->status = status;
	if (status == 503)
		http_response_header(r, "Retry-After", "1");
}

static void refuse(struct http_response *r, unsigned status, const char *why)
{
	set_status(r, status);
	r->content_type = JSON;
	buf_clear(&r->body);
	inspection_error(why, &r->body);
}

static void add_allow(struct http_response *r, const char *methods)
{
	CLEANUP(buf_done) struct buf allow = BUF_INIT(256);

	buf_printf(&allow, "%s, HEAD", methods);
	http_response_header(r, "Allow", allow.p ? allow.p : methods);
}

static void answer(const struct inspection_plan *p, struct http_response *r)
{
	set_status(r, p->status);
	r->content_type = JSON;
	buf_add_str(&r->body, buf_str(&p->body));
	if (p->allow)
		add_allow(r, p->allow);
	if (p->location.n)
		http_response_header(r, "Location", p->location.p);
}

static int next_part(void *state, struct buf *out)
{
	struct err err;

	return inspection_list_next(state, out, &err);
}

static void end_list(void *state)
{
	inspection_list_free(state);
}

static void answer_list(struct app *app, const struct insp_request *request, struct http_response *r)
{
	struct inspection_list *list = NULL;
	struct inspection_plan refusal;
	struct err err;

	if (inspection_list_new(&app->inspections->rest, request, &list, &refusal, &err) < 0) {
		refuse(r, 503, err.msg);
	} else if (!list) {
		answer(&refusal, r);
		inspection_plan_done(&refusal);
	} else {
		r->content_type = JSON;
		r->stream = (struct http_stream){ next_part, end_list, list };
	}
}

/* Answer a request that cannot change anything at once, from the rules in force. */
static void answer_now(struct app *app, const struct insp_request *request, struct http_response *r)
{
	struct inspection_plan plan;
	struct err err;

	if (inspection_plan(&app->inspections->rest, request, &plan, &err) < 0) {
		refuse(r, 503, err.msg);
		return;
	}
	answer(&plan, r);
	inspection_plan_done(&plan);
}

/* ---- changes ---- */

static void report(struct app *app, enum inspection_change change, str uuid)
{
	static const char *const words[] = {
		[INSPECTION_CREATED] = "created",
		[INSPECTION_CHANGED] = "changed",
		[INSPECTION_DELETED] = "deleted",
	};

	if (change == INSPECTION_CLEARED)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO,
				 "all inspection rules but the built-in ones are deleted");
	else
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "inspection rule %.*s is %s", STR_ARG(uuid),
				 words[change]);
}

/* Finish an order that is answered. From now on its request owns @x; without a request @x is freed. */
static void finish(struct inspection_order *x)
{
	x->answered = true;
	if (x->ticket)
		http_go_on_now(x->ticket);
	else
		order_free(x);
}

static void on_kept(void *ctx, const struct err *failure)
{
	struct inspection_order *x = ctx;
	struct app *app = x->app;
	enum inspection_change change = x->plan.change;
	struct err err;

	if (failure)
		inspection_refuse(&x->plan, failure->code == EFBIG ? 400 : 503, failure->msg);
	else if (inspection_carry_out(&app->inspections->rest, &x->plan, &err) < 0)
		inspection_refuse(&x->plan, 503, "it is kept, but in force after a restart only: out of memory");
	else
		report(app, change, x->plan.uuid);
	app->inspections->changes = false;
	if (!STAILQ_EMPTY(&app->inspections->waiting))
		app->wake(app);
	finish(x);
}

static int keep(struct inspection_order *x, struct err *err)
{
	const struct inspection_plan *p = &x->plan;
	const struct kept_rule rule = { p->uuid, buf_str(&p->json), p->created_at, p->updated_at };
	struct store_client *store_client = x->app->store_client;

	if (p->change == INSPECTION_CLEARED)
		return store_client_clear_rules(store_client, on_kept, x, err);
	if (p->change == INSPECTION_DELETED)
		return store_client_remove_rule(store_client, p->uuid, on_kept, x, err);
	return store_client_put_rule(store_client, &rule, on_kept, x, err);
}

/* Plan the order, based on the rules in force. Return false when it is already answered. */
static bool begin(struct inspection_order *x)
{
	struct err err;

	if (inspection_plan(&x->app->inspections->rest, &x->request, &x->plan, &err) < 0) {
		inspection_refuse(&x->plan, 503, err.msg);
		return false;
	}
	if (x->plan.change == INSPECTION_NOTHING)
		return false;
	if (keep(x, &err) < 0) {
		inspection_refuse(&x->plan, 503, err.msg);
		return false;
	}
	x->app->inspections->changes = true;
	return true;
}

static struct inspection_order *take_waiting(struct inspections *o)
{
	struct inspection_order *x = STAILQ_FIRST(&o->waiting);

	STAILQ_REMOVE_HEAD(&o->waiting, next);
	ASSERT(o->n_waiting > 0);
	o->n_waiting--;
	o->waiting_bytes -= x->request.body.n;
	return x;
}

static bool go_on(struct app *app)
{
	struct inspections *o = app->inspections;
	struct inspection_order *x;

	if (o->changes || STAILQ_EMPTY(&o->waiting))
		return false;
	x = take_waiting(o);
	if (!begin(x))
		finish(x);
	return !o->changes && !STAILQ_EMPTY(&o->waiting);
}

/* ---- requests ---- */

static void forget_order(void *state)
{
	struct inspection_order *x = state;

	x->ticket = NULL;
	if (x->answered)
		order_free(x);
}

static void answer_order(struct inspection_order *x, struct http_response *r)
{
	answer(&x->plan, r);
	order_free(x);
}

/* Make an order; NULL without memory. */
static struct inspection_order *order_new(struct app *app, const struct insp_request *request)
{
	struct inspection_order *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->app = app;
	x->plan.body = BUF_INIT(ERROR_MAX);
	x->request = (struct insp_request){
		.method = arena_str(&x->texts, request->method),
		.path = arena_str(&x->texts, request->path),
		.query = arena_str(&x->texts, request->query),
		.body = arena_str(&x->texts, request->body),
	};
	if (x->request.method.p && x->request.path.p && x->request.query.p && x->request.body.p)
		return x;
	order_free(x);
	return NULL;
}

static bool is_full(const struct inspections *o, size_t bytes)
{
	return o->n_waiting == WAITING_MAX || o->waiting_bytes + bytes > WAITING_BYTES_MAX;
}

static bool is_busy(const struct inspections *o)
{
	return o->changes || !STAILQ_EMPTY(&o->waiting);
}

/* Queue the order. The request owns @x from now on. */
static void take_order(struct inspection_order *x, const struct http_request *q, struct http_response *r)
{
	struct inspections *o = x->app->inspections;

	if (is_busy(o)) {
		STAILQ_INSERT_TAIL(&o->waiting, x, next);
		o->n_waiting++;
		o->waiting_bytes += x->request.body.n;
	} else if (!begin(x)) {
		answer_order(x, r);
		return;
	}
	x->ticket = http_later(q, x, forget_order);
}

static void order(struct app *app, const struct http_request *q, const struct insp_request *request,
		  struct http_response *r)
{
	struct inspection_order *x;

	if (is_busy(app->inspections) && is_full(app->inspections, request->body.n)) {
		refuse(r, 503, "too many changes of inspection rules wait already");
		return;
	}
	x = order_new(app, request);
	if (x)
		take_order(x, q, r);
	else
		refuse(r, 503, "out of memory");
}

static bool has_right_type(const struct http_request *q, bool patch)
{
	return http_sends(q, JSON) || (patch && http_sends(q, JSON_PATCH));
}

static void dispatch(struct app *app, const struct http_request *q, const struct insp_request *request,
		     struct http_response *r)
{
	bool patch = str_eq(request->method, STR("PATCH")), post = str_eq(request->method, STR("POST"));

	if ((patch || post) && !has_right_type(q, patch))
		refuse(r, 415, patch ? "a patch is sent as " JSON_PATCH " or " JSON : "a rule is sent as " JSON);
	else if (patch || post || str_eq(request->method, STR("DELETE")))
		order(app, q, request, r);
	else if (inspection_asks_for_list(request))
		answer_list(app, request, r);
	else
		answer_now(app, request, r);
}

static void add_query(const struct http_request *q, struct buf *out)
{
	const char *name, *value;

	for (size_t at = 0; http_query_each(q, &at, &name, &value);) {
		buf_add_cstr(out, out->n ? "&" : "");
		go_url_escape(out, str_from(name), GO_URL_QUERY);
		buf_add_byte(out, '=');
		go_url_escape(out, str_from(value), GO_URL_QUERY);
	}
}

/* Append the path below the resource, escaped again, because the resource decodes it. */
static void add_path(const struct http_request *q, struct buf *out)
{
	str rest = str_sub(str_from(q->path), strlen(INSP_RULES_PATH), strlen(q->path));

	buf_add_cstr(out, INSP_RULES_PATH);
	if (!rest.n)
		return;
	buf_add_byte(out, '/');
	go_url_escape(out, str_sub(rest, 1, rest.n), GO_URL_PATH_SEGMENT);
}

static void answer_request(void *ctx, const struct http_request *q, struct http_response *r)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(TARGET_MAX), query = BUF_INIT(TARGET_MAX);
	struct insp_request request = { .method = str_from(q->method), .body = q->body };
	char why[LEADERSHIP_REFUSAL_SIZE];
	unsigned status;
	struct err err;

	if (q->state) {
		answer_order(q->state, r);
		return;
	}
	if (str_eq(request.method, STR("HEAD"))) /* the server leaves the body out */
		request.method = STR("GET");
	if (!str_eq(request.method, STR("GET")) && (status = leadership_refusal(ctx, why))) {
		refuse(r, status, why);
		return;
	}
	add_path(q, &path);
	add_query(q, &query);
	if (buf_error(&path, "a path", &err) < 0 || buf_error(&query, "a query", &err) < 0) {
		refuse(r, 503, err.msg);
		return;
	}
	request.path = buf_str(&path);
	request.query = buf_str(&query);
	dispatch(ctx, q, &request, r);
}

/* ---- for the other parts ---- */

static const struct http_resource resources[] = {
	{ INSP_RULES_PATH, answer_request, INSPECTION_BODY_MAX, true, refuse },
	{ 0 },
};

const struct inspections_part inspections_part = {
	.read = read_built_in,
	.open = open_rules,
	.restore = restore,
	.replace = replace,
	.start = start,
	.follow = follow,
	.stop = stop,
	.go_on = go_on,
	.close = close_rules,
	.context = context_of,
	.earlier = earlier,
	.resources = resources,
};
