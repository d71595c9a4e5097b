/* Copies of tellings. */
#include "daemon/store/item.h"

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

static struct item *new_item(void)
{
	struct item *i = calloc(1, sizeof(*i));

	if (i)
		i->key = i->json = i->record = i->merged = BUF_INIT(ITEM_BYTES_MAX);
	return i;
}

/* @i, which has all its texts now; NULL when they do not fit into the memory. */
static struct item *whole_item(struct item *i)
{
	i->bytes = sizeof(*i) + i->json.n + i->record.n;
	if (!i->key.error && !i->json.error && !i->record.error)
		return i;
	item_free(i);
	return NULL;
}

struct item *item_of_telling(const struct telling *t, bool with_state)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->received_ns = t->received_ns;
	i->over = t->over;
	i->hold_usec = t->hold_ns / 1000;
	if (t->finding) {
		memcpy(i->finding, t->finding->id, sizeof(i->finding));
		buf_add_str(&i->key, t->finding->key);
		if (!t->over)
			finding_to_json(t->finding, &i->json);
	}
	if (t->record)
		record_encode(t->record, &i->record);
	if (t->record && with_state)
		record_encode_state(buf_str(&i->json), &i->record);
	return whole_item(i);
}

struct item *item_of_seen(str cluster, int64_t usec)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->seen_usec = usec;
	buf_add_str(&i->key, cluster);
	return whole_item(i);
}

struct item *item_of_inspected(str cluster, str versions)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->inspected = true;
	buf_add_str(&i->key, cluster);
	buf_add_str(&i->json, versions);
	return whole_item(i);
}

struct item *item_of_row(const struct outbox_row *row)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->row = true;
	i->seq = row->seq;
	buf_add_str(&i->record, row->record);
	return whole_item(i);
}

struct item *items_take(struct items *items)
{
	struct item *i = STAILQ_FIRST(items);

	if (i)
		STAILQ_REMOVE_HEAD(items, link);
	return i;
}
