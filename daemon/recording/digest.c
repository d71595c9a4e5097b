/* Computes the HMAC-SHA-256 of hidden values. */
#include "daemon/recording/digest.h"

#include "base/hex.h"
#include "go/base64.h"
#include "mask/shapes.h"
#include "value/json.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>

#define TEXT_MAX ((size_t)64 << 20)
#define HEX_BYTES 16 /* bytes of the digest that are shown */
#define DEPTH_MAX 1000

int digester_init(struct digester *d, struct err *err)
{
	if (getrandom(d->key, sizeof(d->key), 0) != (ssize_t)sizeof(d->key))
		return err_set(err, errno, "random bytes: %s", strerror(errno));
	return 0;
}

static bool hash(const struct digester *d, val v, unsigned char out[32])
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	struct err err;
	unsigned n = 0;

	return json_encode(v, JSON_PLAIN, NULL, &text, &err) == 0 &&
	       HMAC(EVP_sha256(), d->key, sizeof(d->key), (const unsigned char *)text.p, text.n, out, &n);
}

static val digest_text(const unsigned char digest[32], bool encoded, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(256);
	CLEANUP(buf_done) struct buf base64 = BUF_INIT(256);
	str s;

	buf_add_cstr(&text, MASK_DIGEST_PREFIX);
	hex_add(&text, digest, HEX_BYTES);
	if (encoded)
		go_base64_encode(&base64, buf_str(&text));
	s = arena_str(a, encoded ? buf_str(&base64) : buf_str(&text));
	return s.p && !text.error && !base64.error ? val_string(s) : (val){ 0 };
}

static val replace(void *ctx, val v, bool encoded, struct arena *a)
{
	unsigned char digest[32];
	uint32_t number;

	if (val_is_null(v))
		return v;
	if (!hash(ctx, v, digest))
		return (val){ 0 };
	if (val_is_string(v))
		return digest_text(digest, encoded, a);
	if (v.kind == VAL_BOOL) { /* all booleans of a recording are swapped, or none is */
		if (!hash(ctx, val_null(), digest))
			return (val){ 0 };
		return val_bool(v.b ^ (digest[0] & 1));
	}
	memcpy(&number, digest, sizeof(number));
	return v.kind == VAL_DOUBLE ? val_double(number + 0.5) : val_int(number);
}

int digest_object(struct digester *d, const struct mask_fields *fields, val object, struct arena *a, val *ret,
		  struct err *err)
{
	const struct mask_replacer by = { .replace = replace, .ctx = d };

	return mask_replace(fields, object, &by, a, ret) ? 0 : err_nomem(err);
}

/* ---- managedFields ---- */

struct managed {
	struct digester *d;
	const struct mask_fields *fields;
	struct arena *arena;
};

/* Replace the JSON behind "k:" or "v:", the values that name an item of a list or a set. All values of a set are
 * hidden, because it is unknown here whether its field is. */
static str name_of_item(const struct managed *m, str key)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	size_t used;
	struct err err;
	val v;

	buf_add(&text, key.p, 2);
	if (json_decode_value(str_sub(key, 2, key.n), JSON_DEFAULTS, m->arena, &v, &used, &err) < 0)
		return STR("v:null");
	if (key.p[0] == 'v')
		v = replace(m->d, v, false, m->arena);
	else if (digest_object(m->d, m->fields, v, m->arena, &v, &err) < 0)
		return (str){ NULL, 0 };
	if (!val_exists(v) || json_encode(v, JSON_PLAIN, NULL, &text, &err) < 0 || text.error)
		return (str){ NULL, 0 };
	return arena_str(m->arena, buf_str(&text));
}

static val name_fields(const struct managed *m, val v, unsigned depth)
{
	struct member *members;

	if (!val_is_map(v) || depth > DEPTH_MAX)
		return v;
	members = arena_array(m->arena, v.n, sizeof(*members));
	for (uint32_t i = 0; members && i < v.n; i++) {
		str name = key_str(v.members[i].key);

		members[i].value = name_fields(m, v.members[i].value, depth + 1);
		members[i].key = v.members[i].key;
		if (str_has_prefix(name, STR("k:")) || str_has_prefix(name, STR("v:"))) {
			name = name_of_item(m, name);
			members[i].key = name.p ? key_make(NULL, m->arena, name) : NULL;
		}
		if (!members[i].key || !val_exists(members[i].value))
			return (val){ 0 };
	}
	return members ? val_map(m->arena, members, v.n) : (val){ 0 };
}

int digest_managed(struct digester *d, const struct mask_fields *fields, val list, struct arena *a, val *ret,
		   struct err *err)
{
	const struct managed m = { .d = d, .fields = fields, .arena = a };
	val *items = arena_array(a, val_count(list), sizeof(*items));

	for (uint32_t i = 0; items && i < val_count(list); i++) {
		items[i] = name_fields(&m, val_at(list, i), 0);
		if (!val_exists(items[i]))
			return err_nomem(err);
	}
	if (!items)
		return err_nomem(err);
	return digest_object(d, fields, (val){ .kind = VAL_LIST, .n = val_count(list), .items = items }, a, ret, err);
}
