/* Known objects by namespace and name. */
#include "kubeclient/kc_store.h"

#include "base/hash.h"
#include "base/vec.h"
#include "value/identity.h"

#include <errno.h>

/* Longer names do not exist; the key is bounded like everything, and so is the uid. */
#define TEXT_MAX 8192

static str key_of(const void *known)
{
	return kc_known_key(known);
}

void kc_store_init(struct kc_store *s)
{
	*s = (struct kc_store){ .known = INDEX_OF(key_of), .max = KC_STORE_MAX, .key = BUF_INIT(TEXT_MAX) };
}

struct index kc_store_take_all(struct kc_store *s)
{
	struct index known = s->known;

	s->known = INDEX_OF(key_of);
	return known;
}

void kc_store_done(struct kc_store *s)
{
	void *known;

	while ((known = index_drain(&s->known)))
		free(known);
	buf_done(&s->key);
}

int kc_store_key(struct kc_store *s, str namespace, str name, str *ret, struct err *err)
{
	buf_clear(&s->key);
	identity_local_key(namespace, name, &s->key);
	if (buf_error(&s->key, "name of an object", err) < 0)
		return -err->code;
	*ret = buf_str(&s->key);
	return 0;
}

struct kc_known *kc_store_find(const struct kc_store *s, str key)
{
	return index_get(&s->known, key);
}

/* ---- one of them ---- */

/* NULL without memory. */
static struct kc_known *make(str key, str uid)
{
	uint8_t uuid[UUID_BYTES];
	bool is_uuid = uuid_read(uid, uuid);
	size_t n_uid = is_uuid ? UUID_BYTES : uid.n;
	struct kc_known *k = malloc(sizeof(*k) + key.n + n_uid);

	if (!k)
		return NULL;
	k->n_key = (uint16_t)key.n;
	k->n_uid = is_uuid ? KC_UID_IS_UUID : (uint16_t)uid.n;
	memcpy(k->bytes, key.p, key.n);
	if (n_uid)
		memcpy(k->bytes + key.n, is_uuid ? (const char *)uuid : uid.p, n_uid);
	return k;
}

str kc_known_key(const struct kc_known *k)
{
	return (str){ k->bytes, k->n_key };
}

str kc_known_uid(const struct kc_known *k, char space[UUID_CHARS])
{
	const char *uid = k->bytes + k->n_key;

	if (k->n_uid != KC_UID_IS_UUID)
		return (str){ uid, k->n_uid };
	uuid_write((const uint8_t *)uid, space);
	return (str){ space, UUID_CHARS };
}

bool kc_known_is(const struct kc_known *k, str uid)
{
	char space[UUID_CHARS];

	return str_eq(kc_known_uid(k, space), uid);
}

bool kc_known_same(const struct kc_known *k, str uid, str version)
{
	return k->version == hash_str(version, 0) && kc_known_is(k, uid);
}

/* ---- changes ---- */

void kc_store_renew(const struct kc_store *s, struct kc_known *k, str version)
{
	k->version = hash_str(version, 0);
	k->round = s->round;
}

int kc_store_put(struct kc_store *s, str key, str uid, str version, struct err *err)
{
	struct kc_known *k = kc_store_find(s, key);
	void *old = NULL;

	if (!k && s->known.n >= s->max)
		return err_set(err, E2BIG, "too many objects (limit is %zu)", s->max);
	if (uid.n > TEXT_MAX)
		return err_set(err, E2BIG, "a uid of %zu bytes (limit is %d)", uid.n, TEXT_MAX);
	if (!k || !kc_known_is(k, uid)) {
		k = make(key, uid);
		if (!k || !index_put(&s->known, k, &old)) {
			free(k);
			return err_nomem(err);
		}
		free(old);
	}
	kc_store_renew(s, k, version);
	return 0;
}

struct kc_known *kc_store_take(struct kc_store *s, str key)
{
	return index_remove(&s->known, key);
}

void kc_store_remove(struct kc_store *s, str key)
{
	free(kc_store_take(s, key));
}

int kc_store_absent(const struct kc_store *s, struct kc_known ***ret, size_t *n, struct err *err)
{
	VEC(struct kc_known *) list = { 0 };
	struct kc_known *k;

	for (size_t at = 0; (k = index_each(&s->known, &at));) {
		if (k->round == s->round)
			continue;
		if (!vec_push(&list, k)) {
			vec_done(&list);
			return err_nomem(err);
		}
	}
	*ret = list.p;
	*n = list.n;
	return 0;
}
