/* Keeps dependents in groups: all that asked for the same objects are one group. */
#include "daemon/watch/snapshot/dependents.h"

#include "base/assert.h"
#include "compare/lookup.h"

#define KEY_BYTES_MAX (1u << 20)

struct dependent_group {
	str key; /* the key in the table of groups */
	VEC(struct dependency *) members;
	size_t n_due; /* the first @n_due members are due; the others have been handed out, or came later */
	bool listed;  /* the group is in the list of groups that are due */
	struct dependent_group *next_due;
};

void dependents_init(struct dependents *d)
{
	*d = (struct dependents){ .key = BUF_INIT(KEY_BYTES_MAX) };
}

void dependents_done(struct dependents *d)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&d->groups, &at))) {
		struct dependent_group *g = e->value;

		ASSERT(g->members.n == 0);
		vec_done(&g->members);
		free(g);
	}
	strmap_done(&d->groups);
	buf_done(&d->key);
	*d = (struct dependents){ 0 };
}

/* The key of a group, in the scratch text; {NULL, 0} without memory. */
static str group_key(struct dependents *d, const struct kind *k, str namespace, str name)
{
	buf_clear(&d->key);
	buf_add(&d->key, (const char *)&k, sizeof(k));
	identity_local_key(namespace, name, &d->key);
	return d->key.error ? (str){ NULL, 0 } : buf_str(&d->key);
}

static str any_or(str wanted)
{
	return lookup_includes(wanted, STR("")) ? STR("*") : wanted;
}

static struct dependent_group *group_new(struct dependents *d, str key)
{
	struct dependent_group *g = calloc(1, sizeof(*g) + key.n);

	if (!g || !strmap_put(&d->groups, key, g, NULL)) {
		free(g);
		return NULL;
	}
	memcpy(g + 1, key.p, key.n);
	g->key = (str){ (const char *)(g + 1), key.n };
	return g;
}

/* Free a group that has no members and is not due: nothing refers to it any more. */
static void free_if_unused(struct dependents *d, struct dependent_group *g)
{
	if (g->members.n || g->listed)
		return;
	(void)strmap_remove(&d->groups, g->key);
	vec_done(&g->members);
	free(g);
}

bool dependents_add(struct dependents *d, const struct kind *k, str namespace, str name, struct object *o,
		    struct dependency **list)
{
	str key = group_key(d, k, any_or(namespace), any_or(name));
	struct dependent_group *g = key.p ? strmap_get(&d->groups, key) : NULL;
	struct dependency *x = key.p ? calloc(1, sizeof(*x)) : NULL;

	if (x && !g)
		g = group_new(d, key);
	if (!x || !g || !vec_push(&g->members, x)) {
		if (g)
			free_if_unused(d, g);
		free(x);
		return false;
	}
	*x = (struct dependency){ .next = *list, .group = g, .at = g->members.n - 1, .object = o };
	*list = x;
	return true;
}

static void leave(struct dependents *d, struct dependency *x)
{
	struct dependent_group *g = x->group;
	struct dependency *last = g->members.p[--g->members.n];

	ASSERT(g->members.p[x->at] == x || x == last);
	g->members.p[x->at] = last;
	last->at = x->at;
	if (g->n_due > g->members.n)
		g->n_due = g->members.n;
	free_if_unused(d, g);
	free(x);
}

void dependents_drop(struct dependents *d, struct dependency **list)
{
	while (*list) {
		struct dependency *x = *list;

		*list = x->next;
		leave(d, x);
	}
}

static void make_due(struct dependents *d, const struct kind *k, str namespace, str name)
{
	str key = group_key(d, k, namespace, name);
	/* a key that is too long for the buffer: then nobody asked for the object */
	struct dependent_group *g = key.p ? strmap_get(&d->groups, key) : NULL;

	if (!g)
		return;
	g->n_due = g->members.n;
	if (g->listed)
		return;
	g->listed = true;
	g->next_due = NULL;
	if (d->last_due)
		d->last_due->next_due = g;
	else
		d->first_due = g;
	d->last_due = g;
}

void dependents_changed(struct dependents *d, const struct kind *k, str namespace, str name)
{
	make_due(d, k, namespace, name);
	make_due(d, k, namespace, STR("*"));
	make_due(d, k, STR("*"), name);
	make_due(d, k, STR("*"), STR("*"));
}

bool dependents_due(const struct dependents *d)
{
	return d->first_due != NULL;
}

static void end_first(struct dependents *d)
{
	struct dependent_group *g = d->first_due;

	d->first_due = g->next_due;
	if (!d->first_due)
		d->last_due = NULL;
	g->listed = false;
	free_if_unused(d, g);
}

bool dependents_take(struct dependents *d, size_t n, void (*again)(void *ctx, struct object *o), void *ctx)
{
	while (d->first_due && n > 0) {
		struct dependent_group *g = d->first_due;

		ASSERT(g->n_due <= g->members.n);
		for (; n > 0 && g->n_due > 0; n--)
			again(ctx, g->members.p[--g->n_due]->object);
		if (g->n_due == 0)
			end_first(d);
	}
	return dependents_due(d);
}
