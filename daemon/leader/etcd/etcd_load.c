/* Reads from etcd what the hosts share. */
#include "daemon/leader/etcd/etcd_load.h"

#include "base/assert.h"

#include <errno.h>

#define PAGE_MAX 200
#define LOADED_BYTES_MAX ((size_t)512 << 20) /* more bytes than any answer has */

struct loading {
	struct leader_loaded *to;
	int (*take)(struct leader_loaded *x, str name, const struct etcd_pair *p,
		    struct err *err); /* @name: the part of the key after the prefix */
	struct etcd_key last;         /* at first the common prefix of the keys */
	size_t prefix;                /* length of that prefix */
	unsigned n;
};

/* Whether the key follows the last one. Without that order the next page could begin anywhere. */
static bool is_next(const struct loading *g, str key)
{
	return key.n > g->prefix && key.n < sizeof(g->last.text) && memcmp(key.p, g->last.text, g->prefix) == 0 &&
	       !memchr(key.p, 0, key.n) && str_cmp(key, str_from(g->last.text)) > 0;
}

static int take_next(void *ctx, const struct etcd_pair *p, struct err *err)
{
	struct loading *g = ctx;
	int r;

	if (!is_next(g, p->key))
		return err_set(err, EPROTO, "etcd gives a key of which driftd did not ask");
	r = g->take(g->to, str_sub(p->key, g->prefix, p->key.n), p, err);
	if (r < 0)
		return r;
	memcpy(g->last.text, p->key.p, p->key.n);
	g->last.text[p->key.n] = '\0';
	g->n++;
	return 0;
}

/* Take each key from @g->last on and below @end. */
static int load_range(const struct etcd_load *from, struct loading *g, const char *end, struct err *err)
{
	unsigned max = PAGE_MAX;
	struct etcd_key k;
	bool more = true;
	int r = 0;

	g->prefix = strlen(g->last.text);
	(void)etcd_key_of(from->keys, end, &k);
	while (r == 0 && more) {
		/* a NUL after the last key makes the next possible key */
		str first = { g->last.text, strlen(g->last.text) + (g->n > 0) };

		r = etcd_range(from->etcd, first, str_from(k.text), max, take_next, g, &more, err);
		if (r == -E2BIG && max > 1) {
			max = max / 4 + 1 < max ? max / 4 + 1 : 1;
			r = 0;
			more = true;
		}
		if (r == 0 && !g->to->follows && !from->goes_on(from->ctx, g->to->term))
			r = err_set(err, ECANCELED, "another host leads");
	}
	return r;
}

struct leader_loaded *etcd_load_new(void)
{
	struct leader_loaded *x = calloc(1, sizeof(*x));

	if (x)
		arena_init(&x->arena, 65536, LOADED_BYTES_MAX);
	return x;
}

static int take_state(struct leader_loaded *x, str name, const struct etcd_pair *p, struct err *err)
{
	str state = arena_str(&x->arena, p->value);

	(void)name;
	return state.p && vec_push(&x->states, state) ? 0 : err_nomem(err);
}

/* Take an item that users made. A key of an unknown kind comes from a newer driftd, and stays in etcd. */
static int take_made(struct leader_loaded *x, str name, const struct etcd_pair *p, struct err *err)
{
	bool rule = str_has_prefix(name, STR(ETCD_RULES_PATH));
	struct made_item i = { .kind = rule ? MADE_RULE : MADE_ACCEPTANCE, .created = p->created };

	if (str_eq(name, STR("known")))
		x->made_known = true;
	if (!rule && !str_has_prefix(name, STR(ETCD_ACCEPTED_PATH)))
		return 0;
	i.id = arena_str(&x->arena, str_sub(name, strlen(rule ? ETCD_RULES_PATH : ETCD_ACCEPTED_PATH), name.n));
	i.value = arena_str(&x->arena, p->value);
	return i.id.p && i.value.p && vec_push(&x->made, i) ? 0 : err_nomem(err);
}

static int in_order(const void *a, const void *b)
{
	const struct made_item *x = a, *y = b;

	if (x->created != y->created)
		return x->created < y->created ? -1 : 1;
	return str_cmp(x->id, y->id);
}

int etcd_load_made(const struct etcd_load *from, struct leader_loaded *x, struct err *err)
{
	struct loading g = { .to = x, .take = take_made };
	int r;

	(void)etcd_key_of(from->keys, "made/", &g.last);
	r = load_range(from, &g, ETCD_MADE_END, err);
	if (x->made.n)
		qsort(x->made.p, x->made.n, sizeof(*x->made.p), in_order);
	return r;
}

static int take_batch(void *ctx, const struct etcd_pair *p, struct err *err)
{
	struct leader_loaded *x = ctx;

	x->batch = arena_str(&x->arena, p->value);
	return x->batch.p ? 0 : err_nomem(err);
}

int etcd_load(const struct etcd_load *from, struct leader_loaded *x, struct err *err)
{
	struct loading g = { .to = x, .take = take_state };
	struct etcd_key first, end;
	bool more;
	int r;

	ASSERT(x->term && !x->follows); /* pages that are read after the end of a term may be of another host's */
	(void)etcd_key_of_finding(from->keys, "", &g.last);
	r = load_range(from, &g, ETCD_FINDINGS_END, err);
	if (r == 0)
		r = etcd_load_made(from, x, err);

	(void)etcd_key_of(from->keys, "batch", &first);
	(void)etcd_key_of(from->keys, ETCD_BATCH_END, &end);
	if (r == 0)
		r = etcd_range(from->etcd, str_from(first.text), str_from(end.text), 1, take_batch, x, &more, err);
	return r;
}
