/* Gathers the records of each cause into a group. */
#include "daemon/events/event_groups.h"

#include "base/buf.h"
#include "base/strmap.h"

#include <inttypes.h>

#define GROUPS_MAX 4096 /* groups in one span; when there are more they are taken before its end */
#define MEMBERS_MAX 20  /* objects that are named in a group */
#define MESSAGE_MAX ((size_t)64 << 10)

struct group {
	struct event first;
	size_t count;
};

struct event_groups {
	int64_t span_usec;
	int64_t until_usec; /* the end of the span of the gathered records; 0: there are none */
	VEC(struct group *) list;
	size_t taken;
	struct strmap by_key; /* the key, which records of one group share -> the group */
	struct buf key, last; /* @last: the cursor of the newest record */
	struct buf before;    /* the cursor of the newest record before the span */
};

struct event_groups *event_groups_new(int64_t span_usec, const char *after)
{
	struct event_groups *g = calloc(1, sizeof(*g));

	if (g)
		*g = (struct event_groups){ .span_usec = span_usec,
					    .key = BUF_INIT(MESSAGE_MAX),
					    .last = BUF_INIT(MESSAGE_MAX),
					    .before = BUF_INIT(MESSAGE_MAX) };
	if (g && after)
		buf_add_cstr(&g->before, after);
	return g;
}

static void group_free(struct group *x)
{
	event_done(&x->first);
	free(x);
}

/* Free the groups that were taken. */
static void clear(struct event_groups *g)
{
	for (size_t i = 0; i < g->list.n; i++)
		group_free(g->list.p[i]);
	g->list.n = g->taken = 0;
	strmap_done(&g->by_key);
	g->by_key = (struct strmap){ 0 };
	g->until_usec = 0;
	buf_clear(&g->before);
	buf_add_str(&g->before, buf_str(&g->last));
}

void event_groups_free(struct event_groups *g)
{
	if (!g)
		return;
	clear(g);
	vec_done(&g->list);
	buf_done(&g->key);
	buf_done(&g->last);
	buf_done(&g->before);
	free(g);
}

int64_t event_groups_until(const struct event_groups *g)
{
	return g->until_usec;
}

bool event_groups_are_due(const struct event_groups *g, int64_t usec)
{
	return g->until_usec && (usec >= g->until_usec || g->list.n == GROUPS_MAX);
}

/* ---- gathering ---- */

static void add_key_part(struct buf *key, str text)
{
	buf_add_str(key, text);
	buf_add_byte(key, '\0');
}

/* The key of the record's group. Empty: the record is a group by itself. */
static str key_of(struct event_groups *g, const struct event *e)
{
	str cause = event_get(e, "DRIFTD_CAUSE");

	buf_clear(&g->key);
	if (!cause.n)
		return STR("");
	add_key_part(&g->key, cause);
	add_key_part(&g->key, event_get(e, "DRIFTD_EVENT"));
	add_key_part(&g->key, event_get(e, "DRIFTD_SEVERITY"));
	add_key_part(&g->key, event_get(e, "DRIFTD_CLUSTER"));
	return buf_str(&g->key);
}

static void add_member(struct group *x, const struct event *e)
{
	str resource = event_get(e, "DRIFTD_RESOURCE"), namespace = event_get(e, "DRIFTD_NAMESPACE");
	CLEANUP(buf_done) struct buf field = BUF_INIT(MESSAGE_MAX);

	if (x->count > MEMBERS_MAX || !event_get(e, "DRIFTD_NAME").n)
		return;
	buf_printf(&field, "DRIFTD_GROUP_MEMBER=%.*s %.*s%s%.*s",
		   STR_ARG(resource.n ? resource : event_get(e, "DRIFTD_KIND")), STR_ARG(namespace),
		   namespace.n ? "/" : "", STR_ARG(event_get(e, "DRIFTD_NAME")));
	if (!field.error)
		event_add(&x->first, buf_str(&field));
}

static struct group *group_new(struct event_groups *g, const struct event *e, str key)
{
	struct group *x = calloc(1, sizeof(*x));
	bool ok;

	if (!x)
		return NULL;
	event_init(&x->first);
	ok = event_copy(e, &x->first) && vec_push(&g->list, x);
	if (ok && key.n && !strmap_put(&g->by_key, key, x, NULL)) {
		g->list.n--;
		ok = false;
	}
	if (!ok) {
		group_free(x);
		return NULL;
	}
	return x;
}

int event_groups_add(struct event_groups *g, const struct event *e, struct err *err)
{
	str key = key_of(g, e);
	struct group *x = key.n ? strmap_get(&g->by_key, key) : NULL;

	if (!x)
		x = group_new(g, e, key);
	if (!x)
		return err_nomem(err);
	x->count++;
	add_member(x, e);
	if (!g->until_usec)
		g->until_usec = e->usec + g->span_usec;
	buf_clear(&g->last);
	buf_add_str(&g->last, e->cursor);
	return buf_error(&g->last, "cursor", err);
}

/* ---- taking ---- */

static void say_count(struct group *x)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(MESSAGE_MAX);

	buf_printf(&text, "DRIFTD_GROUP_COUNT=%zu", x->count);
	event_add(&x->first, buf_str(&text));
	if (x->count == 1)
		return;
	buf_clear(&text);
	buf_printf(&text, "%.*s; and %zu more of the same cause", STR_ARG(event_get(&x->first, "MESSAGE")),
		   x->count - 1);
	if (!text.error)
		event_set(&x->first, "MESSAGE", buf_str(&text));
}

const struct event *event_groups_take(struct event_groups *g)
{
	struct group *x;
	bool last;

	if (g->taken == g->list.n) {
		clear(g);
		return NULL;
	}
	x = g->list.p[g->taken++];
	last = g->taken == g->list.n;
	say_count(x);
	x->first.cursor = last ? buf_str(&g->last) : buf_str(&g->before);
	return &x->first;
}
