/* Stores the known objects by namespace and name. */
#include "kubeclient/kc_key_store.h"

#include "base/vec.h"

struct entry {
	uint32_t list; /* see struct kc_object */
	uint32_t n_key, n_uid, n_version;
	char bytes[]; /* the key, the uid, the resourceVersion */
};

static struct kc_known known_of(const struct entry *e)
{
	return (struct kc_known){
		.key = { e->bytes, e->n_key },
		.uid = { e->bytes + e->n_key, e->n_uid },
		.resource_version = { e->bytes + e->n_key + e->n_uid, e->n_version },
	};
}

str kc_key_store_key_of(const void *known)
{
	return known_of(known).key;
}

void kc_key_store_done(struct kc_key_store *s)
{
	void *known;

	while ((known = index_drain(&s->known)))
		free(known);
}

static char *put(char *at, str s)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

/* Make an entry; NULL without memory. */
static struct entry *entry_new(const struct kc_object *o)
{
	struct entry *e = malloc(sizeof(*e) + o->key.n + o->uid.n + o->resource_version.n);

	if (!e)
		return NULL;
	*e = (struct entry){ .list = o->list,
			     .n_key = (uint32_t)o->key.n,
			     .n_uid = (uint32_t)o->uid.n,
			     .n_version = (uint32_t)o->resource_version.n };
	(void)put(put(put(e->bytes, o->key), o->uid), o->resource_version);
	return e;
}

bool kc_key_store_take_in(struct kc_key_store *s, const struct kc_object *o)
{
	struct entry *e = o->event == KC_DELETED ? NULL : entry_new(o);
	void *old = NULL;

	if (o->event == KC_DELETED) {
		free(index_remove(&s->known, o->key));
		return true;
	}
	if (!e || !index_put(&s->known, e, &old)) {
		free(e);
		return false;
	}
	free(old);
	return true;
}

bool kc_key_store_find(const struct kc_key_store *s, str key, struct kc_known *ret)
{
	const struct entry *e = index_get(&s->known, key);

	if (e)
		*ret = known_of(e);
	return e;
}

int kc_key_store_absent(const struct kc_key_store *s, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct entry *e;
	size_t at = 0;

	while ((e = index_each(&s->known, &at))) {
		if (kc_listed_before(e->list, list) && !vec_push(ret, known_of(e)))
			return err_nomem(err);
	}
	return 0;
}
