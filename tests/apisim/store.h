/* Objects, their versions and the window of events, for one resource.
 *
 * An object is kept as the JSON text that goes out; it is parsed again only when it is written. One version of one
 * object is a struct rev: immutable, counted, shared by the store, the event window, lists under way and watchers. */
#ifndef APISIM_STORE_H
#define APISIM_STORE_H

#include "base/str.h"
#include "base/vec.h"

#include <jansson.h>

#define STORE_HEIGHT 20
#define STORE_WINDOW_BYTES ((size_t)64 << 20) /* text of the events kept for one resource */

struct label {
	str key, value;
};

struct rev {
	unsigned refs;
	uint64_t rv;
	str key;  /* "namespace/name", or "name" without namespace: the order of lists */
	str ns;   /* part of key; empty when there is none */
	str name; /* part of key */
	str type; /* of a Secret; empty: it has none */
	size_t n_labels;
	const struct label *labels;
	str text;           /* {"apiVersion":"…","kind":"…","metadata":… */
	size_t version_end; /* offset behind the value of apiVersion */
	size_t kind_end;    /* offset of the comma behind the value of kind */
};

struct resource;

/* @obj's text with resourceVersion @rv; apiVersion, kind and metadata are put first. @obj needs metadata.name, is
 * changed only in metadata.resourceVersion, and stays the caller's. NULL without memory. */
struct rev *rev_new(const struct resource *res, json_t *obj, uint64_t rv);
struct rev *rev_ref(struct rev *rev);
void rev_unref(struct rev *rev);
DEFINE_CLEANUP(struct rev *, rev_unref)
json_t *rev_parse(const struct rev *rev); /* a new tree, or NULL without memory */

enum event_type { EVENT_ADDED, EVENT_MODIFIED, EVENT_DELETED };

struct event {
	enum event_type type;
	uint64_t rv;
	struct rev *cur;  /* for DELETED: the last state with the version of the deletion */
	struct rev *prev; /* NULL for ADDED */
};

/* A skip list in key order. */
struct object {
	struct rev *rev;
	unsigned height;
	struct object *next[];
};

struct table {
	struct object *first[STORE_HEIGHT];
	size_t n;
	uint64_t random;
	/* The events with a number in [oldest, newest), in a ring. A watch is a number in it. */
	struct event *ring;
	size_t ring_cap;
	size_t ring_max;
	size_t ring_bytes;
	uint64_t oldest, newest;
	uint64_t window_rv; /* every event above this version is in the window */
};

void table_init(struct table *t, size_t window, uint64_t rv);
void table_done(struct table *t);

struct rev *table_get(const struct table *t, str key);           /* borrowed; NULL when absent */
const struct object *table_seek(const struct table *t, str key); /* first object at or behind @key */

/* Insert or replace, delete (@rev is the tombstone), and record the event. Both take @rev, also on failure.
 * -ENOMEM leaves the table as it was. */
CHECKED int table_put(struct table *t, struct rev *rev);
CHECKED int table_delete(struct table *t, struct rev *rev);

const struct event *table_event(const struct table *t, uint64_t number); /* number in [oldest, newest) */
uint64_t table_number_after(const struct table *t, uint64_t rv);         /* of the first event above @rv */
void table_forget(struct table *t, uint64_t rv);                         /* drop the window */

#endif
