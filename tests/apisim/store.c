/* Keeping objects and events. */
#include "store.h"

#include "resources.h"

#include "base/buf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define REV_MAX ((size_t)1 << 30)
#define RING_FIRST 64

static int dump_to_buf(const char *p, size_t n, void *data)
{
	struct buf *b = data;

	buf_add(b, p, n);
	return b->error ? -1 : 0;
}

/* A shallow copy with the three leading keys in place, so that the text can be cut at known offsets. */
static json_t *ordered(const struct resource *res, json_t *obj)
{
	json_t *out = json_object();
	const char *key;
	json_t *value;

	json_object_set_new(out, "apiVersion", json_string(res->api_version));
	json_object_set_new(out, "kind", json_string(res->kind));
	json_object_set(out, "metadata", json_object_get(obj, "metadata"));
	json_object_foreach(obj, key, value) if (!json_object_get(out, key)) json_object_set(out, key, value);
	return out;
}

static str put_str(char **at, const char *s, size_t n)
{
	str to = { *at, n };

	memcpy(*at, s, n);
	(*at)[n] = '\0';
	*at += n + 1;
	return to;
}

static size_t labels_size(json_t *labels, size_t *count)
{
	size_t bytes = 0;
	const char *key;
	json_t *value;

	*count = 0;
	json_object_foreach(labels, key, value)
	{
		if (!json_is_string(value))
			continue;
		bytes += sizeof(struct label) + strlen(key) + json_string_length(value) + 2;
		(*count)++;
	}
	return bytes;
}

static void fill_rev(struct rev *rev, char *at, json_t *obj, str text)
{
	json_t *meta = json_object_get(obj, "metadata"), *type = json_object_get(obj, "type");
	struct label *labels = (struct label *)(void *)at;
	const char *ns = json_string_value(json_object_get(meta, "namespace"));
	const char *name = json_string_value(json_object_get(meta, "name"));
	size_t ns_n = ns ? strlen(ns) : 0, name_n = strlen(name), i = 0;
	const char *key;
	json_t *value;
	char *start;

	at += rev->n_labels * sizeof(*labels);
	rev->labels = labels;
	start = at;
	if (ns_n) {
		memcpy(at, ns, ns_n);
		at[ns_n] = '/';
		at += ns_n + 1;
	}
	rev->name = put_str(&at, name, name_n);
	rev->ns = (str){ start, ns_n };
	rev->key = (str){ start, ns_n ? ns_n + 1 + name_n : name_n };
	json_object_foreach(json_object_get(meta, "labels"), key, value)
	{
		if (!json_is_string(value))
			continue;
		labels[i].key = put_str(&at, key, strlen(key));
		labels[i++].value = put_str(&at, json_string_value(value), json_string_length(value));
	}
	if (json_is_string(type))
		rev->type = put_str(&at, json_string_value(type), json_string_length(type));
	rev->text = put_str(&at, text.p, text.n);
}

struct rev *rev_new(const struct resource *res, json_t *obj, uint64_t rv)
{
	json_t *meta = json_object_get(obj, "metadata");
	CLEANUP(buf_done) struct buf text = BUF_INIT(REV_MAX);
	size_t n_labels, bytes;
	struct rev *rev;
	char version[24];
	json_t *out;

	(void)snprintf(version, sizeof(version), "%" PRIu64, rv);
	json_object_set_new(meta, "resourceVersion", json_string(version));
	out = ordered(res, obj);
	if (json_dump_callback(out, dump_to_buf, &text, JSON_COMPACT) || text.error) {
		json_decref(out);
		return NULL;
	}
	json_decref(out);
	bytes = labels_size(json_object_get(meta, "labels"), &n_labels) + text.n + 1;
	bytes += json_string_length(json_object_get(meta, "namespace")) + 1;
	bytes += json_string_length(json_object_get(meta, "name")) + 1;
	bytes += json_string_length(json_object_get(obj, "type")) + 1;
	rev = malloc(sizeof(*rev) + bytes);
	if (!rev)
		return NULL;
	*rev = (struct rev){ .refs = 1, .rv = rv, .n_labels = n_labels };
	fill_rev(rev, (char *)(rev + 1), obj, buf_str(&text));
	rev->version_end = strlen("{\"apiVersion\":\"\"") + strlen(res->api_version);
	rev->kind_end = rev->version_end + strlen(",\"kind\":\"\"") + strlen(res->kind);
	return rev;
}

struct rev *rev_ref(struct rev *rev)
{
	if (rev)
		rev->refs++;
	return rev;
}

void rev_unref(struct rev *rev)
{
	if (rev && --rev->refs == 0)
		free(rev);
}

json_t *rev_parse(const struct rev *rev)
{
	return json_loadb(rev->text.p, rev->text.n, JSON_ALLOW_NUL, NULL);
}

/* --- the skip list --- */

void table_init(struct table *t, size_t window, uint64_t rv)
{
	*t = (struct table){ .ring_max = window ? window : 1, .window_rv = rv, .random = 0x9E3779B97F4A7C15u };
}

static void event_done(struct event *e)
{
	rev_unref(e->cur);
	rev_unref(e->prev);
	*e = (struct event){ 0 };
}

void table_done(struct table *t)
{
	for (struct object *o = t->first[0]; o;) {
		struct object *next = o->next[0];

		rev_unref(o->rev);
		free(o);
		o = next;
	}
	table_forget(t, 0);
	free(t->ring);
	*t = (struct table){ 0 };
}

/* The links that point at the first object at or behind @key, on every height. */
static struct object *find(struct table *t, str key, struct object **links[STORE_HEIGHT])
{
	struct object *at = NULL; /* NULL: the head */

	for (unsigned h = STORE_HEIGHT; h-- > 0;) {
		struct object *next = at ? at->next[h] : t->first[h];

		while (next && str_cmp(next->rev->key, key) < 0) {
			at = next;
			next = at->next[h];
		}
		links[h] = at ? &at->next[h] : &t->first[h];
	}
	return *links[0];
}

const struct object *table_seek(const struct table *t, str key)
{
	const struct object *at = NULL;
	const struct object *next = NULL;

	for (unsigned h = STORE_HEIGHT; h-- > 0;) {
		next = at ? at->next[h] : t->first[h];
		while (next && str_cmp(next->rev->key, key) < 0) {
			at = next;
			next = at->next[h];
		}
	}
	return next;
}

struct rev *table_get(const struct table *t, str key)
{
	const struct object *o = table_seek(t, key);

	return o && str_eq(o->rev->key, key) ? o->rev : NULL;
}

static unsigned random_height(struct table *t)
{
	unsigned h = 1;

	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	for (uint64_t r = t->random; h < STORE_HEIGHT && (r & 3) == 0; r >>= 2)
		h++;
	return h;
}

static struct object *insert(struct table *t, struct rev *rev, struct object **links[STORE_HEIGHT])
{
	unsigned height = random_height(t);
	struct object *o = malloc(sizeof(*o) + height * sizeof(o->next[0]));

	if (!o)
		return NULL;
	o->rev = rev;
	o->height = height;
	for (unsigned h = 0; h < height; h++) {
		o->next[h] = *links[h];
		*links[h] = o;
	}
	t->n++;
	return o;
}

/* --- the window of events --- */

static struct event *slot(const struct table *t, uint64_t number)
{
	return &t->ring[number & (t->ring_cap - 1)];
}

static void drop_oldest(struct table *t)
{
	struct event *e = slot(t, t->oldest++);

	t->window_rv = e->rv;
	t->ring_bytes -= e->cur->text.n;
	event_done(e);
}

static bool grow_ring(struct table *t)
{
	size_t cap = t->ring_cap ? t->ring_cap * 2 : RING_FIRST;
	struct event *bigger = calloc(cap, sizeof(*bigger));

	if (!bigger)
		return false;
	for (uint64_t i = t->oldest; i < t->newest; i++)
		bigger[i & (cap - 1)] = *slot(t, i);
	free(t->ring);
	t->ring = bigger;
	t->ring_cap = cap;
	return true;
}

/* Room for one event, so that recording it cannot fail. */
static bool reserve_event(struct table *t)
{
	while (t->newest - t->oldest >= t->ring_max)
		drop_oldest(t);
	return t->newest - t->oldest < t->ring_cap || grow_ring(t);
}

static void record(struct table *t, enum event_type type, struct rev *cur, struct rev *prev)
{
	*slot(t, t->newest++) = (struct event){ type, cur->rv, rev_ref(cur), prev };
	t->ring_bytes += cur->text.n;
	while (t->ring_bytes > STORE_WINDOW_BYTES && t->newest - t->oldest > 1)
		drop_oldest(t);
}

int table_put(struct table *t, struct rev *rev)
{
	struct object **links[STORE_HEIGHT];
	struct object *o = find(t, rev->key, links);
	bool there = o && str_eq(o->rev->key, rev->key);

	if (!reserve_event(t) || (!there && !insert(t, rev, links))) {
		rev_unref(rev);
		return -ENOMEM;
	}
	if (there) {
		struct rev *prev = o->rev;

		o->rev = rev;
		record(t, EVENT_MODIFIED, rev, prev);
	} else {
		record(t, EVENT_ADDED, rev, NULL);
	}
	return 0;
}

int table_delete(struct table *t, struct rev *rev)
{
	struct object **links[STORE_HEIGHT];
	struct object *o = find(t, rev->key, links);

	if (!o || !str_eq(o->rev->key, rev->key) || !reserve_event(t)) {
		rev_unref(rev);
		return -ENOMEM;
	}
	for (unsigned h = 0; h < o->height; h++)
		*links[h] = o->next[h];
	record(t, EVENT_DELETED, rev, o->rev);
	rev_unref(rev);
	free(o);
	t->n--;
	return 0;
}

const struct event *table_event(const struct table *t, uint64_t number)
{
	return slot(t, number);
}

uint64_t table_number_after(const struct table *t, uint64_t rv)
{
	uint64_t low = t->oldest, high = t->newest;

	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (slot(t, mid)->rv > rv)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

void table_forget(struct table *t, uint64_t rv)
{
	while (t->oldest < t->newest)
		drop_oldest(t);
	if (rv > t->window_rv)
		t->window_rv = rv;
}
