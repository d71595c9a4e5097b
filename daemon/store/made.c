/* Orders of users, carried out on the writer's thread, and what hosts share of them. */
#include "daemon/store/made.h"

#include "base/ascii.h"
#include "daemon/store/agreement.h"
#include "daemon/store/writer_internal.h"
#include "rules/acceptance.h"

#include <errno.h>

/* room for a rule beyond MADE_VALUE_MAX, which is then refused as too large */
#define RULE_VALUE_MAX ((size_t)4 << 20)

/* ---- values ---- */

void made_rule_write(const struct kept_rule *rule, struct buf *out)
{
	buf_printf(out, "%.*s %.*s\n", STR_ARG(rule->created_at),
		   STR_ARG(rule->updated_at.p ? rule->updated_at : STR("-")));
	buf_add_str(out, rule->json);
}

bool made_rule_read(const struct made_item *i, struct kept_rule *ret)
{
	str rest = i->value;

	*ret = (struct kept_rule){ .uuid = i->id };
	if (i->kind != MADE_RULE || !i->id.n || !str_next_part(&rest, ' ', &ret->created_at) ||
	    !str_next_part(&rest, '\n', &ret->updated_at) || !ret->created_at.n || !ret->updated_at.n || !rest.n)
		return false;
	if (str_eq(ret->updated_at, STR("-")))
		ret->updated_at = (str){ NULL, 0 };
	ret->json = rest;
	return true;
}

int made_acceptance_read(const struct made_item *i, struct doc **doc, struct acceptance *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	char id[ACCEPTANCE_ID_SIZE];
	int r = acceptance_decode(i->value, &d, ret, id, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0 || i->kind != MADE_ACCEPTANCE || !str_eq(i->id, str_from(id)))
		return err_set(err, EBADMSG, "an accepted deviation is malformed");
	*doc = TAKE(d);
	return 0;
}

/* Uuids are without case, and keys of etcd are not. */
static str lower_case(str s, struct arena *a)
{
	char *p = arena_alloc(a, s.n + 1);

	if (!p)
		return (str){ NULL, 0 };
	for (size_t i = 0; i < s.n; i++)
		p[i] = ascii_to_lower(s.p[i]);
	p[s.n] = '\0';
	return (str){ p, s.n };
}

/* ---- orders ---- */

static int apply(struct database *d, const struct made_order *o, struct err *err)
{
	const struct kept_rule rule = { o->id, o->json, o->created_at, o->updated_at };

	if (o->kind == MADE_ACCEPTANCE)
		return o->json.p ? database_put_acceptance(d, o->id.p, o->json, err)
				 : database_remove_acceptance(d, o->id.p, err);
	if (o->json.p)
		return database_put_rule(d, &rule, err);
	return o->id.p ? database_remove_rule(d, o->id, err) : database_clear_rules(d, err);
}

/* Make of the order the change that is published to other hosts. */
static int change_of(const struct made_order *o, struct arena *a, struct buf *value, struct made_item *ret,
		     struct err *err)
{
	*ret = (struct made_item){ .kind = o->kind, .id = o->id, .value = o->json };
	if (o->kind == MADE_RULE && o->id.p)
		ret->id = lower_case(o->id, a);
	if (o->id.p && !ret->id.p)
		return err_nomem(err);
	if (o->kind == MADE_RULE && o->json.p) {
		made_rule_write(&(struct kept_rule){ o->id, o->json, o->created_at, o->updated_at }, value);
		ret->value = buf_str(value);
	}
	if (value->error == -ENOMEM)
		return err_nomem(err);
	return value->error || ret->value.n > MADE_VALUE_MAX
		       ? err_set(err, EFBIG, "it is too large to be shared with the other hosts: at most %zu bytes",
				 MADE_VALUE_MAX)
		       : 0;
}

static int agree(struct writer *w, struct made_order *o, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(RULE_VALUE_MAX);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct made_item change;
	int r = change_of(o, &a, &value, &change, err);

	if (r < 0)
		return r;
	o->tried = true;
	return writer_agree_on_made(w, &change, err);
}

static int carry_out(struct writer *w, struct made_order *o, struct err *err)
{
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	r = apply(w->database, o, err);
	if (r == 0 && w->agreed.with)
		r = agree(w, o, err);
	return database_end(w->database, r, err);
}

static void finish(struct writer *w, struct made_order *o, int r, const struct err *err)
{
	STAILQ_REMOVE(&w->orders, o, made_order, next);
	o->done(o, r, err);
}

/* Carry out one order. False: it has to wait, and so do the orders behind it. */
static bool keep(struct writer *w, struct made_order *o)
{
	struct err err = { 0 };
	int r;

	if (w->agreed.with && writer_is_closed(w)) {
		if (o->tried)
			return false;
		r = err_set(&err, EAGAIN,
			    "this host may not report now, and changes nothing: it could not renew its lease");
	} else {
		r = carry_out(w, o, &err);
	}
	if (r < 0 && o->tried)
		return false;
	finish(w, o, r, &err);
	return true;
}

void writer_keep_orders(struct writer *w)
{
	struct made_order *o, *next;

	/* While it is unknown whether an order was carried out, the orders behind it that were never sent are
	 * refused if this host may not send. */
	for (o = STAILQ_FIRST(&w->orders); o; o = next) {
		next = STAILQ_NEXT(o, next);
		if (!keep(w, o) && !writer_is_closed(w))
			return;
	}
}

void writer_give_orders_up(struct writer *w)
{
	struct made_order *o;
	struct err err;

	(void)err_set(&err, ECANCELED,
		      "another host leads, or etcd was read anew: look whether it holds, and repeat it");
	while ((o = STAILQ_FIRST(&w->orders)))
		finish(w, o, -ECANCELED, &err);
}

static void run(struct writer_task *task, struct database *d)
{
	struct made_order *o = (struct made_order *)task;
	struct writer *w = o->writer;

	(void)d; /* the writer has the same database */
	STAILQ_INSERT_TAIL(&w->orders, o, next);
	writer_keep_orders(w);
}

void writer_keep(struct writer *w, struct made_order *o)
{
	o->writer = w;
	o->tried = false;
	o->task.run = run;
	writer_run(w, &o->task);
}

/* ---- all acceptances and rules ---- */

static int put(struct database *d, const struct made_item *i, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct kept_rule rule;
	struct acceptance a;
	int r;

	if (i->kind == MADE_RULE)
		return made_rule_read(i, &rule) ? database_put_rule(d, &rule, err) : 0;
	r = made_acceptance_read(i, &doc, &a, err);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	return database_put_acceptance(d, i->id.p, i->value, err);
}

int made_replace(struct database *d, const struct made_item *items, size_t n, struct err *err)
{
	int r = database_clear_acceptances(d, err);

	if (r == 0)
		r = database_clear_rules(d, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = put(d, &items[i], err);
	return r;
}

struct publication {
	struct arena arena;
	VEC(struct made_item) items;
};

/* Add an item to the publication. An item that is too large to be shared stays on this host. */
static int add(struct publication *p, struct made_item i, struct err *err)
{
	if (i.value.n > MADE_VALUE_MAX)
		return 0;
	i.value = arena_str(&p->arena, i.value);
	return i.id.p && i.value.p && vec_push(&p->items, i) ? 0 : err_nomem(err);
}

static int add_acceptance(void *ctx, str json, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct publication *p = ctx;
	char id[ACCEPTANCE_ID_SIZE];
	struct acceptance a;
	int r = acceptance_decode(json, &d, &a, id, err);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return add(
		p,
		(struct made_item){ .kind = MADE_ACCEPTANCE, .id = arena_str(&p->arena, str_from(id)), .value = json },
		err);
}

static int add_rule(void *ctx, const struct kept_rule *rule, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(RULE_VALUE_MAX);
	struct publication *p = ctx;

	made_rule_write(rule, &value);
	if (buf_error(&value, "an inspection rule", err) < 0)
		return -err->code;
	return add(p,
		   (struct made_item){
			   .kind = MADE_RULE, .id = lower_case(rule->uuid, &p->arena), .value = buf_str(&value) },
		   err);
}

/* How many changes, from the one at @from on, go into the next transaction. Rules have the order in which etcd gets
 * them. */
static size_t slice(const struct publication *p, size_t from)
{
	size_t n = 0, bytes = 0;

	while (from + n < p->items.n && n < AGREED_STEPS_MAX && (n == 0 || bytes < AGREED_BYTES_MAX)) {
		const struct made_item *i = &p->items.p[from + n];

		if (n && (i->kind == MADE_RULE || bytes + i->value.n > AGREED_BYTES_MAX))
			break;
		bytes += i->value.n;
		n++;
		if (i->kind == MADE_RULE)
			break;
	}
	return n;
}

static int publish(struct writer *w, const struct publication *p, struct err *err)
{
	const struct made_item nothing[] = { { .kind = MADE_ACCEPTANCE }, { .kind = MADE_RULE } };
	const struct writer_agreement *a = w->agreed.with;
	int r = a->publish_made(a->ctx, nothing, ARRAY_LEN(nothing), err);

	for (size_t from = 0; r == 0 && from < p->items.n;) {
		size_t n = slice(p, from);

		r = a->publish_made(a->ctx, p->items.p + from, n, err);
		from += n;
	}
	return r < 0 ? r : a->publish_made(a->ctx, NULL, 0, err);
}

int writer_publish_made(struct writer *w, struct err *err)
{
	struct publication p = { .arena = ARENA_INIT(0) };
	size_t malformed;
	int r = database_acceptances(w->database, add_acceptance, &p, &malformed, err);

	if (r == 0)
		r = database_rules(w->database, add_rule, &p, &malformed, err);
	if (r == 0)
		r = publish(w, &p, err);
	vec_done(&p.items);
	arena_done(&p.arena);
	return r;
}
