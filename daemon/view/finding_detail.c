/* Finds a finding and asks the state database for its history, while the request waits. */
#include "daemon/view/finding_detail.h"

#include "base/number.h"

#include <stdio.h>
#include <uv.h>

#define ID_PREFIX_MIN 4 /* characters */

/*   asked --looking at all, on many turns--> looked --> the state database is asked --> read --> answered
 *
 * Of the request that waits; its own once it is answered. */
struct asking {
	struct findings_scan scan;
	str prefix;     /* the prefix in the request */
	struct buf key; /* the key of the only finding whose ID begins with the prefix; empty: there is none */
	bool several, looked;
	struct http_ticket *ticket;
	struct store_request *question;  /* NULL: the database has answered */
	struct finding_history *history; /* NULL: the history cannot be read */
	struct err err;
};

static void forget(void *state)
{
	struct asking *a = state;

	findings_scan_end(&a->scan);
	if (a->question)
		store_client_forget(a->question);
	finding_history_free(a->history);
	buf_done(&a->key);
	free(a);
}

/* ---- which finding ---- */

#define LOOKS_AT_ONCE 256 /* findings before the next look at the clock */

static void look_at(struct asking *a, const struct finding *x)
{
	if (!str_has_prefix(str_from(x->id), a->prefix))
		return;
	a->several |= a->key.n > 0;
	if (!a->several)
		buf_add_str(&a->key, x->key);
}

static bool look(void *state, uint64_t until_ns)
{
	struct asking *a = state;
	const struct finding *x;
	size_t n = 0;

	while ((x = findings_scan_next(&a->scan))) {
		look_at(a, x);
		if (++n % LOOKS_AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return true;
	}
	findings_scan_end(&a->scan);
	a->looked = true;
	return false;
}

static void fail(struct finding_answer *a, unsigned status, const char *why)
{
	a->status = status;
	a->why = why;
}

/* Begin the search. Return false when the answer is an error. */
static bool begin_to_look(struct findings *f, const struct http_request *q, struct finding_answer *ret)
{
	str id = str_from(http_route_value(q, "id"));
	struct asking *a;

	if (id.n < ID_PREFIX_MIN) {
		fail(ret, 400, "an id of at least 4 characters is expected");
		return false;
	}
	a = calloc(1, sizeof(*a));
	if (!a) {
		fail(ret, 500, "out of memory");
		return false;
	}
	a->prefix = id;
	a->key = BUF_INIT(SIZE_MAX);
	findings_scan_begin(f, &a->scan);
	http_work(q, a, look, forget);
	return true;
}

/* Find the finding in its current state. */
static void find(const struct findings *f, const struct asking *a, struct finding_answer *ret)
{
	ret->status = 200;
	ret->x = a->several || !a->key.n ? NULL : findings_find(f, buf_str(&a->key));
	if (a->key.error)
		fail(ret, 500, "out of memory");
	else if (a->several)
		fail(ret, 409, "several ids begin so");
	else if (!ret->x)
		fail(ret, 404, "no open finding has that id: it may have ended");
}

/* ---- what its last record says ---- */

static void add_field(struct finding_detail *d, str name, str value)
{
	static const struct {
		const char *name;
		size_t offset;
	} texts[] = {
		{ "DRIFTD_DIFF", offsetof(struct finding_detail, diff) },
		{ "DRIFTD_OLD", offsetof(struct finding_detail, old) },
		{ "DRIFTD_MESSAGE_TEXT", offsetof(struct finding_detail, rule_message) },
		{ "DRIFTD_MANAGER", offsetof(struct finding_detail, blame.manager) },
		{ "DRIFTD_MANAGER_OPERATION", offsetof(struct finding_detail, blame.operation) },
		{ "DRIFTD_MANAGER_SUBRESOURCE", offsetof(struct finding_detail, blame.subresource) },
		{ "DRIFTD_MANAGER_TIME", offsetof(struct finding_detail, blame.time) },
	};
	struct finding_path *last = d->n_paths ? &d->paths[d->n_paths - 1] : NULL;
	int64_t count;

	if (str_eq(name, STR("DRIFTD_PATH")) && d->n_paths < FINDING_PATHS_MAX)
		d->paths[d->n_paths++] = (struct finding_path){ .path = value };
	else if (str_eq(name, STR("DRIFTD_EXPECTED")) && last)
		last->expected = value;
	else if (str_eq(name, STR("DRIFTD_ACTUAL")) && last)
		last->actual = value;
	else if (str_eq(name, STR("DRIFTD_RULE_EVENT")) && d->n_rule_events < FINDING_RULES_MAX)
		d->rule_events[d->n_rule_events++] = value;
	else if (str_eq(name, STR("DRIFTD_PATH_COUNT")) && int64_parse(value, &count) && count > 0)
		d->n_paths_total = (size_t)count;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (str_eq(name, str_from(texts[i].name)))
			*(str *)((char *)d + texts[i].offset) = value;
	}
}

static void add_last(struct finding_detail *d, const struct record *r)
{
	d->message = r->text;
	for (size_t i = 0; i < r->n_fields; i++)
		add_field(d, str_from(r->fields[i].name), r->fields[i].value);
	if (d->n_paths_total < d->n_paths)
		d->n_paths_total = d->n_paths;
}

/* Remove values, so that every user of the machine may see the rest. */
static void take_values_away(struct finding_detail *d)
{
	d->message = d->diff = d->rule_message = d->old = (str){ "", 0 };
	for (size_t i = 0; i < d->n_paths; i++)
		d->paths[i].expected = d->paths[i].actual = (str){ "", 0 };
	for (size_t i = 0; i < d->n_history; i++)
		d->history[i].message = (str){ "", 0 };
}

static void describe(struct finding_detail *d, const struct finding_history *t, const struct http_request *q)
{
	d->trusted = q->trusted;
	if (t->has_last)
		add_last(d, &t->last);
	else
		(void)snprintf(d->missing, sizeof(d->missing),
			       "its values are known with its next record: the last one is of an older driftd, or not "
			       "stored yet");
	memcpy(d->history, t->history, t->n_history * sizeof(*t->history));
	d->n_history = t->n_history;
	if (!d->trusted)
		take_values_away(d);
}

/* ---- asking ---- */

static void on_history(void *ctx, struct finding_history *history, const struct err *err)
{
	struct asking *a = ctx;

	a->question = NULL;
	a->history = history;
	if (!history)
		a->err = *err;
	http_go_on(a->ticket);
}

/* Ask the database. Return false when that is impossible. */
static bool ask(struct asking *a, struct store_client *store_client, const struct finding *x,
		const struct http_request *q)
{
	if (store_client_ask(store_client, x->id, on_history, a, &a->question, &a->err) < 0)
		return false;
	a->ticket = http_later(q, a, forget);
	return true;
}

bool finding_answer_get(struct findings *f, struct store_client *store_client, const struct http_request *q,
			struct finding_answer *ret)
{
	struct asking *a = q->state;

	*ret = (struct finding_answer){ 0 };
	if (!a)
		return !begin_to_look(f, q, ret);
	find(f, a, ret);
	if (ret->status == 200 && !a->ticket && ask(a, store_client, ret->x, q))
		return false;
	ret->history = TAKE(a->history);
	if (ret->status == 200 && ret->history)
		describe(&ret->detail, ret->history, q);
	else
		(void)snprintf(ret->detail.missing, sizeof(ret->detail.missing), "%s", a->err.msg);
	forget(a);
	return true;
}

void finding_answer_done(struct finding_answer *a)
{
	finding_history_free(TAKE(a->history));
}
