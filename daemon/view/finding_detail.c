/* What was told is asked for while the request waits. */
#include "daemon/view/finding_detail.h"

#include "base/number.h"

#include <stdio.h>

#define ID_PREFIX_MIN 4 /* characters */

/* ---- which finding ---- */

/* The only one whose id begins so; NULL with *several set: there are others. */
static const struct finding *find_by_id(const struct findings *f, str prefix, bool *several)
{
	const struct finding *x, *found = NULL;
	size_t at = 0;

	*several = false;
	while ((x = findings_each(f, &at))) {
		if (!str_has_prefix(str_from(x->id), prefix))
			continue;
		*several |= found != NULL;
		found = x;
	}
	return *several ? NULL : found;
}

static void find(const struct findings *f, const struct http_request *q, struct finding_answer *a)
{
	str id = str_from(http_route_value(q, "id"));
	bool several = false;

	a->status = 200;
	if (id.n < ID_PREFIX_MIN) {
		a->status = 400;
		a->why = "an id of at least 4 characters is expected";
		return;
	}
	a->x = find_by_id(f, id, &several);
	if (!a->x) {
		a->status = several ? 409 : 404;
		a->why = several ? "several ids begin so" : "no open finding has that id: it may have ended";
	}
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

/* What every user of the machine may see. */
static void take_values_away(struct finding_detail *d)
{
	d->message = d->diff = d->rule_message = d->old = (str){ "", 0 };
	for (size_t i = 0; i < d->n_paths; i++)
		d->paths[i].expected = d->paths[i].actual = (str){ "", 0 };
	for (size_t i = 0; i < d->n_history; i++)
		d->history[i].message = (str){ "", 0 };
}

static void describe(struct finding_detail *d, const struct told *t, const struct http_request *q)
{
	d->trusted = q->trusted;
	if (t->has_last)
		add_last(d, &t->last);
	else
		(void)snprintf(d->missing, sizeof(d->missing),
			       "its values are known with its next record: it was told by an older driftd, or not yet");
	memcpy(d->history, t->history, t->n_history * sizeof(*t->history));
	d->n_history = t->n_history;
	if (!d->trusted)
		take_values_away(d);
}

/* ---- asking ---- */

/* Of the request that waits; its own once it is answered. */
struct asking {
	struct http_ticket *ticket;
	struct desk_question *question; /* NULL: it is answered */
	struct told *told;              /* NULL: it cannot be read */
	struct err err;
};

static void forget(void *state)
{
	struct asking *a = state;

	if (a->question)
		desk_forget(a->question);
	told_free(a->told);
	free(a);
}

static void on_told(void *ctx, struct told *told, const struct err *err)
{
	struct asking *a = ctx;

	a->question = NULL;
	a->told = told;
	if (!told)
		a->err = *err;
	http_go_on(a->ticket);
}

/* False: it cannot be asked. */
static bool ask(struct desk *desk, const struct finding *x, const struct http_request *q, struct err *err)
{
	struct asking *a = calloc(1, sizeof(*a));

	if (!a) {
		(void)!err_nomem(err);
		return false;
	}
	if (desk_ask(desk, x->id, on_told, a, &a->question, err) < 0) {
		free(a);
		return false;
	}
	a->ticket = http_later(q, a, forget);
	return true;
}

bool finding_answer_get(const struct findings *f, struct desk *desk, const struct http_request *q,
			struct finding_answer *ret)
{
	struct asking *asked = q->state;
	struct err err = { 0 };

	*ret = (struct finding_answer){ .told = asked ? TAKE(asked->told) : NULL };
	if (asked) {
		err = asked->err;
		forget(asked);
	}
	find(f, q, ret);
	if (ret->status != 200)
		return true;
	if (!asked && ask(desk, ret->x, q, &err))
		return false;
	if (ret->told)
		describe(&ret->detail, ret->told, q);
	else
		(void)snprintf(ret->detail.missing, sizeof(ret->detail.missing), "%s", err.msg);
	return true;
}

void finding_answer_done(struct finding_answer *a)
{
	told_free(TAKE(a->told));
}
