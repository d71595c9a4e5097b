/* Makes items of the queue as copies of emissions. */
#include "daemon/store/item.h"

#include "base/assert.h"
#include "daemon/findings/finding_json.h"

#define ITEM_BYTES_MAX ((size_t)8 << 20)

void item_free(struct item *i)
{
	if (!i)
		return;
	buf_done(&i->key);
	buf_done(&i->json);
	buf_done(&i->record);
	buf_done(&i->merged);
	free(i);
}

void item_becomes(struct item *i, enum item_state state)
{
	ASSERT(i->state != ITEM_SENT || state == ITEM_PENDING);
	i->state = state;
}

/* Complete @i, which has all its texts now; NULL when they did not fit into memory. */
static struct item *whole_item(struct item *i)
{
	i->bytes = sizeof(*i) + i->json.n + i->record.n;
	if (!i->key.error && !i->json.error && !i->record.error)
		return i;
	item_free(i);
	return NULL;
}

/* A new item about the finding or the cluster @key. */
static struct item *new_item(enum item_kind kind, str key, str json, str record)
{
	struct item *i = calloc(1, sizeof(*i));

	if (!i)
		return NULL;
	i->kind = kind;
	i->key = i->json = i->record = i->merged = BUF_INIT(ITEM_BYTES_MAX);
	buf_add_str(&i->key, key);
	buf_add_str(&i->json, json);
	buf_add_str(&i->record, record);
	return whole_item(i);
}

struct item *item_of_emission(const struct emission *t, bool with_state)
{
	struct item *i = new_item(t->finding ? ITEM_FINDING : ITEM_NOTICE, t->finding ? t->finding->key : STR(""),
				  STR(""), STR(""));

	if (!i)
		return NULL;
	i->received_ns = t->received_ns;
	i->over = t->over;
	i->hold_usec = t->hold_ns / 1000;
	if (t->finding)
		memcpy(i->finding, t->finding->id, sizeof(i->finding));
	if (t->finding && !t->over)
		finding_to_json(t->finding, &i->json);
	if (t->record)
		record_encode(t->record, &i->record);
	if (t->record && with_state)
		record_encode_state(buf_str(&i->json), &i->record);
	return whole_item(i);
}

struct item *item_of_seen(str cluster, int64_t usec)
{
	struct item *i = new_item(ITEM_SEEN, cluster, STR(""), STR(""));

	if (i)
		i->seen_usec = usec;
	return i;
}

struct item *item_of_unwatched(str cluster, const struct time_span *span)
{
	struct item *i = new_item(ITEM_UNWATCHED, cluster, STR(""), STR(""));

	if (i) {
		i->seen_usec = span->not_before_usec;
		i->until_usec = span->not_after_usec;
	}
	return i;
}

struct item *item_of_inspected(str cluster, str versions)
{
	return new_item(ITEM_INSPECTED, cluster, versions, STR(""));
}

struct item *item_of_row(const struct outbox_row *row)
{
	struct item *i = new_item(ITEM_ROW, STR(""), STR(""), row->record);

	if (i)
		i->seq = row->seq;
	return i;
}

struct item *items_take(struct items *items)
{
	struct item *i = STAILQ_FIRST(items);

	if (i)
		STAILQ_REMOVE_HEAD(items, link);
	return i;
}
