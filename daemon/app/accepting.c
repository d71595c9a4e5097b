/* Serves the requests that accept a deviation or withdraw an acceptance. Each of them is an order. */
#include "daemon/app/accepting.h"

#include "base/strmap.h"
#include "daemon/api/api.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/store/made.h"
#include "mask/mask.h"
#include "value/json.h"

#include <errno.h>

#define MADE_MAX 10000
#define ANSWER_MAX ((size_t)1 << 20)
#define ID_START_MIN 4
#define SLICE_NS (2 * UINT64_C(1000000)) /* for applying a change; the rest of its effects follows on later turns */

/* Apply accepted changes until @until_ns. Return true when nothing is left to do. */
static bool apply_some(struct app *app, uint64_t until_ns)
{
	return accepted_apply_some(&app->accepted_round, app->acceptances, app->findings, app->clusters.p,
				   app->clusters.n, until_ns);
}

void accepting_apply(struct app *app)
{
	if (!apply_some(app, uv_hrtime() + SLICE_NS))
		app->wake(app);
}

bool accepting_go_on(struct app *app, uint64_t until_ns)
{
	const struct accepted_round *r = &app->accepted_round;

	return (r->begun || r->all || acceptances_changed(app->acceptances, NULL)) && !apply_some(app, until_ns);
}

void accepting_begin(struct app *app)
{
	accepted_round_end(&app->accepted_round);
	app->accepted_round.all = true;
	accepting_apply(app);
}

void accepting_close(struct app *app)
{
	accepted_round_end(&app->accepted_round);
	acceptances_free(TAKE(app->acceptances));
}

int accepting_open(struct app *app, struct err *err)
{
	int r = acceptances_new(&app->acceptances, err);

	return r < 0 ? r : acceptances_configure(app->acceptances, app->cfg, err);
}

void accepting_configure(struct app *app)
{
	struct err err;

	if (acceptances_configure(app->acceptances, app->cfg, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
				 "accepted deviations of the configuration: %s; reload it again", err.msg);
}

/* Put an acceptance into the set. One that the configuration contains too stays the configuration's. */
static int put_json(struct app *app, val v, struct err *err)
{
	struct acceptance a;
	int r = acceptance_from_json(v, &a, err);

	if (r == 0)
		r = acceptances_put(app->acceptances, &a, false, err);
	return r == -EEXIST ? 0 : r;
}

int accepting_restore(void *ctx, str json, struct err *err)
{
	const struct json_options o = { .limits = &((struct app *)ctx)->limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct app *app = ctx;
	int r = json_decode(json, &o, &d, err);

	if (r == 0)
		r = put_json(app, d->root, err);
	return r == 0 || r == -ENOMEM ? r : err_set(err, EBADMSG, "an accepted deviation is malformed");
}

/* ---- what another host has accepted ---- */

static bool is_among(const struct strmap *ids, const struct accepted *x)
{
	return strmap_has(ids, str_from(x->is.id));
}

/* Whether the set already contains this item, word for word: there may be thousands, and few of them are new.
 * Without memory the answer is false, and the item is read again. */
static bool is_known(const struct app *app, const struct made_item *i)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(ANSWER_MAX);
	const struct accepted *x = i->kind == MADE_ACCEPTANCE ? acceptances_get(app->acceptances, i->id) : NULL;

	if (!x || x->configured)
		return false;
	acceptance_to_json(&x->is.says, &json);
	return !json.error && str_eq(buf_str(&json), i->value);
}

/* Put an item of another host into the set. An item that cannot be read comes from a newer driftd, and is not in
 * force here. */
static int put_item(struct app *app, const struct made_item *i, struct strmap *ids, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct acceptance a;
	int r;

	if (is_known(app, i))
		return strmap_put(ids, i->id, ids, NULL) ? 0 : err_nomem(err);
	r = i->kind == MADE_ACCEPTANCE ? made_acceptance_read(i, &d, &a, err) : -EBADMSG;
	if (r == -EBADMSG)
		return 0;
	if (r == 0 && !strmap_put(ids, i->id, ids, NULL))
		r = err_nomem(err);
	if (r == 0)
		r = acceptances_put(app->acceptances, &a, false, err);
	return r == -EEXIST || r == -EINVAL ? 0 : r;
}

int accepting_replace(struct app *app, const struct made_item *items, size_t n, struct err *err)
{
	CLEANUP(strmap_done) struct strmap ids = { 0 };
	const struct accepted *x, *next;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = put_item(app, &items[i], &ids, err);
	for (x = acceptances_next(app->acceptances, NULL); r == 0 && x; x = next) {
		next = acceptances_next(app->acceptances, x);
		if (!x->configured && !is_among(&ids, x))
			(void)acceptances_remove(app->acceptances, x->is.id);
	}
	if (r == 0)
		accepting_apply(app);
	return r;
}

/* ---- requests ---- */

void accepting_list(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct app *app = ctx;

	accepted_list_answer(app->acceptances, app->findings, q, r);
}

/*   request --> asked: on its way to the database ----> kept: committed, or not ----> answered
 *                 '-- the client is gone: it is carried out all the same */
struct acceptance_order {
	struct app *app;
	struct http_ticket *ticket; /* NULL: nobody waits for the answer */
	bool kept;
	char id[ACCEPTANCE_ID_SIZE];
	struct doc *doc;        /* NULL: the acceptance is withdrawn */
	struct acceptance says; /* points into @doc */
	unsigned status;
	struct buf answer;
};

static void order_free(struct acceptance_order *x)
{
	doc_unref(x->doc);
	buf_done(&x->answer);
	free(x);
}

static void forget_order(void *state)
{
	struct acceptance_order *x = state;

	x->ticket = NULL;
	if (x->kept)
		order_free(x);
}

static void answer_order(struct acceptance_order *x, struct http_response *r)
{
	if (x->status >= 400) {
		buf_add_byte(&x->answer, '\0');
		api_fail(r, x->status, x->answer.p ? x->answer.p : "out of memory");
	} else {
		r->status = x->status;
		r->content_type = "application/json";
		buf_add_str(&r->body, buf_str(&x->answer));
	}
	order_free(x);
}

static void order_fails(struct acceptance_order *x, unsigned status, const struct err *err)
{
	x->status = status;
	buf_add_cstr(&x->answer, err->msg);
}

/* Apply an order that is committed in the database. */
static void carry_out(struct acceptance_order *x)
{
	struct app *app = x->app;
	const struct accepted *a;
	struct err err;

	if (!x->doc)
		(void)acceptances_remove(app->acceptances, x->id);
	else if (acceptances_put(app->acceptances, &x->says, false, &err) < 0) {
		order_fails(x, err.code == EEXIST ? 409 : 500, &err);
		return;
	}
	accepting_apply(app);
	a = acceptances_get(app->acceptances, str_from(x->id));
	if (a)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "acceptance %s is made by %.*s: %.*s", x->id,
				 STR_ARG(x->says.owner), STR_ARG(x->says.reason));
	else
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "acceptance %s is taken back", x->id);
	if (a)
		accepted_doc(a, 0, &x->answer); /* answer with the state before anything is judged again */
	else
		buf_add_cstr(&x->answer, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Acceptance\"}\n");
}

static void on_kept(void *ctx, const struct err *err)
{
	struct acceptance_order *x = ctx;

	x->kept = true;
	if (err)
		order_fails(x, 503, err);
	else
		carry_out(x);
	if (x->ticket)
		http_go_on_now(x->ticket);
	else
		order_free(x);
}

/* Hand an order to the database. The request owns @x from now on. */
static void order(struct acceptance_order *x, const struct http_request *q, struct http_response *r)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(ANSWER_MAX);
	struct err err;
	str text = { NULL, 0 };

	x->answer = BUF_INIT(ANSWER_MAX);
	if (x->doc) {
		acceptance_to_json(&x->says, &json);
		text = buf_str(&json);
	}
	if (buf_error(&json, "an acceptance", &err) < 0 ||
	    store_client_keep_acceptance(x->app->store_client, x->id, text, on_kept, x, &err) < 0) {
		api_fail(r, err.code == EBUSY ? 503 : 500, err.msg);
		order_free(x);
		return;
	}
	x->ticket = http_later(q, x, forget_order);
}

/* Whether @s leads into the hidden part of a Secret. */
static bool is_secret_data(const struct acceptance *a, const struct path_segment *s)
{
	str kind = str_sub(a->kind, 0, sizeof("secret") - 1);

	return str_eq_nocase(kind, STR("secret")) &&
	       (str_eq(s->text, STR("data")) || str_eq(s->text, STR("stringData")));
}

/* True when the acceptance is about a hidden value. Such an acceptance is refused: it would be kept and listed, and
 * accept nothing (acceptance_takes). */
static bool value_is_hidden(const struct mask_fields *fields, const struct acceptance *a)
{
	const val none = { 0 };
	struct mask_place place = mask_root();
	struct arena arena;
	struct path path;
	bool hidden;

	arena_init(&arena, 0, 0);
	hidden = !path_parse(a->path, &arena, &path);
	for (size_t i = 0; !hidden && i < path.n; i++) {
		const struct path_segment *s = &path.segments[i];

		hidden = i == 0 && is_secret_data(a, s);
		place = s->kind == PATH_KEY     ? mask_member(fields, place, none, none, s->text)
			: s->kind == PATH_INDEX ? mask_item(fields, place, none, none)
						: mask_called_item(fields, place, s);
	}
	hidden = hidden || mask_why(fields, place, val_string(a->value));
	arena_done(&arena);
	return hidden;
}

static int check_made(const struct app *app, const struct acceptance *a, struct err *err)
{
	int64_t until;

	if (a->value.n && value_is_hidden(&app->cfg->mask, a))
		return err_set(err, EINVAL, "its value may not be shown, and cannot be accepted by value");
	if (!a->owner.n)
		return err_set(err, EINVAL, "it has no owner");
	if (acceptance_until(a->until, &until) && until <= clock_usec())
		return err_set(err, EINVAL, "'%.*s' is over", STR_ARG(a->until));
	if (acceptances_count(app->acceptances, false) >= MADE_MAX)
		return err_set(err, EEXIST, "more than %d deviations would be accepted", MADE_MAX);
	return 0;
}

/* Whether the acceptance is new. Fails when the configuration already contains it. */
static int check_new(const struct app *app, const char *id, bool *known, struct err *err)
{
	const struct accepted *x = acceptances_get(app->acceptances, str_from(id));

	*known = x;
	return x && x->configured ? err_set(err, EEXIST, "the configuration accepts it already") : 0;
}

static int read_order(struct app *app, const struct http_request *q, struct acceptance_order *x, struct err *err)
{
	const struct json_options o = { .limits = &app->limits };
	bool known = false;
	int r = json_decode(q->body, &o, &x->doc, err);

	if (r == 0)
		r = acceptance_from_json(x->doc->root, &x->says, err);
	if (r == 0)
		r = check_made(app, &x->says, err);
	if (r == 0 && !acceptance_id(&x->says, x->id))
		r = err_nomem(err);
	if (r == 0)
		r = check_new(app, x->id, &known, err);
	x->status = known ? 200 : 201;
	return r;
}

static unsigned status_of(int code)
{
	return code == EEXIST ? 409 : code == ENOMEM ? 500 : 400;
}

void accepting_accept(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct acceptance_order *x = q->state;
	struct err err;

	if (x) {
		answer_order(x, r);
	} else if (!http_sends(q, "application/json")) {
		api_fail(r, 415, "an acceptance is sent as application/json");
	} else if (!(x = calloc(1, sizeof(*x)))) {
		api_fail(r, 500, "out of memory");
	} else {
		x->app = ctx;
		if (read_order(ctx, q, x, &err) == 0) {
			order(x, q, r);
			return;
		}
		api_fail(r, status_of(err.code), err.msg);
		order_free(x);
	}
}

static const struct accepted *find_made(const struct app *app, const char *start, struct http_response *r)
{
	bool several = false;
	const struct accepted *x =
		strlen(start) < ID_START_MIN ? NULL : acceptances_find(app->acceptances, str_from(start), &several);

	if (!x)
		api_fail(r, several ? 409 : 404, several ? "several begin so" : "no such acceptance");
	else if (x->configured)
		api_fail(r, 409, "the configuration accepts it: take it out of there");
	return x && !x->configured ? x : NULL;
}

void accepting_take_back(void *ctx, const struct http_request *q, struct http_response *r)
{
	struct acceptance_order *x = q->state;
	const struct accepted *made;

	if (x) {
		answer_order(x, r);
		return;
	}
	made = find_made(ctx, http_route_value(q, "id"), r);
	if (!made)
		return;
	x = calloc(1, sizeof(*x));
	if (!x) {
		api_fail(r, 500, "out of memory");
		return;
	}
	*x = (struct acceptance_order){ .app = ctx, .status = 200 };
	memcpy(x->id, made->is.id, sizeof(x->id));
	order(x, q, r);
}
