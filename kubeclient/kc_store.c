/* Known objects by namespace and name. */
#include "kubeclient/kc_store.h"

#include "base/hash.h"
#include "base/vec.h"
#include "value/identity.h"

#include <errno.h>

/* Longer names do not exist; the key is bounded like everything. */
#define KEY_MAX 8192

void kc_store_init(struct kc_store *s)
{
	*s = (struct kc_store){ .known = STRMAP_BORROWING, .max = KC_STORE_MAX, .key = BUF_INIT(KEY_MAX) };
}

struct strmap kc_store_take(struct kc_store *s)
{
	struct strmap known = s->known;

	s->known = STRMAP_BORROWING;
	return known;
}

void kc_store_done(struct kc_store *s)
{
	void *value;

	for (size_t at = 0; strmap_drain(&s->known, &at, &value);)
		free(value);
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
	return strmap_get(&s->known, key);
}

bool kc_known_same(const struct kc_known *k, str uid, str version)
{
	return str_eq(str_from(k->uid), uid) && k->version == hash_str(version, 0);
}

/* NULL without memory. */
static struct kc_known *make(str key, str uid, str *ret_key)
{
	struct kc_known *k = malloc(sizeof(*k) + uid.n + 1 + key.n + 1);

	if (!k)
		return NULL;
	memcpy(k->uid, uid.p, uid.n);
	k->uid[uid.n] = '\0';
	memcpy(k->uid + uid.n + 1, key.p, key.n);
	k->uid[uid.n + 1 + key.n] = '\0';
	*ret_key = (str){ k->uid + uid.n + 1, key.n };
	return k;
}

void kc_store_renew(const struct kc_store *s, struct kc_known *k, str version)
{
	k->version = hash_str(version, 0);
	k->round = s->round;
}

int kc_store_put(struct kc_store *s, str key, str uid, str version, struct err *err)
{
	struct kc_known *k = strmap_get(&s->known, key);
	void *old = NULL;

	if (!k && s->known.n >= s->max)
		return err_set(err, E2BIG, "too many objects (limit is %zu)", s->max);
	if (!k || !str_eq(str_from(k->uid), uid)) {
		k = make(key, uid, &key);
		if (!k)
			return err_nomem(err);
		if (!strmap_put(&s->known, key, k, &old)) {
			free(k);
			return err_nomem(err);
		}
		free(old);
	}
	kc_store_renew(s, k, version);
	return 0;
}

void kc_store_remove(struct kc_store *s, str key)
{
	free(strmap_remove(&s->known, key));
}

int kc_store_absent(const struct kc_store *s, const char ***ret, size_t *n, struct err *err)
{
	VEC(const char *) list = { 0 };
	const struct strmap_entry *e;

	for (size_t at = 0; (e = strmap_each(&s->known, &at));) {
		const struct kc_known *k = e->value;

		if (k->round == s->round)
			continue;
		if (!vec_push(&list, e->key)) {
			vec_done(&list);
			return err_nomem(err);
		}
	}
	*ret = list.p;
	*n = list.n;
	return 0;
}
