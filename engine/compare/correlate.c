/* Indexes sets of entries by the text of the fields that they fix. */
#include "compare/correlate.h"

#include "base/assert.h"

#define N_GROUPS 8
/* Bytes of the key of a set. It is on the stack, so that looking up needs no memory. Names and groups in a cluster
 * have at most 253 bytes; an identity that is too long matches nothing. */
#define KEY_MAX 4096

struct key_text {
	char p[KEY_MAX];
	size_t n;
};

enum {
	A = CORRELATE_API_VERSION,
	N = CORRELATE_NAME,
	S = CORRELATE_NAMESPACE,
	K = CORRELATE_KIND,
};

static const uint8_t orders[][N_GROUPS] = {
	[CORRELATE_TEMPLATES] = { A | N | S | K, A | N | K, N | S | K, A | S | K, A | K, S | K, N | K, K },
	[CORRELATE_OVERRIDES] = { A | N | S | K, A | S | K, N | S | K, A | N | K, N | K, S | K, A | K, K },
};

_Static_assert(ARRAY_LEN(orders) == CORRELATE_OVERRIDES + 1, "ORDER correlate_order");

struct set {
	uint8_t fields;
	uint8_t group;  /* index of the fields in the order */
	uint32_t first; /* the first slot of the set */
	uint32_t n;
	uint32_t filled;
};

struct correlator {
	struct strmap index; /* key → set */
	const uint8_t *order;
	bool used[N_GROUPS];
	struct set *sets; /* the sets in the order of their first entries */
	size_t n_sets;
	uint32_t *slots;
	size_t n_slots;
};

static str field_of(const struct identity *id, unsigned field)
{
	switch (field) {
	case A:
		return id->api_version;
	case N:
		return id->name;
	case S:
		return id->namespace;
	default:
		return id->kind;
	}
}

static bool has_fields(const struct identity *id, unsigned fields)
{
	for (unsigned f = 1; f <= K; f <<= 1) {
		if ((fields & f) && !field_of(id, f).n)
			return false;
	}
	return true;
}

static bool add(struct key_text *key, const void *p, size_t n)
{
	if (n > sizeof(key->p) - key->n)
		return false;
	if (n)
		memcpy(key->p + key->n, p, n);
	key->n += n;
	return true;
}

/* Make the key of a set. It contains lengths, to keep values apart that contain the separator. */
static bool make_key(const struct identity *id, unsigned fields, struct key_text *key)
{
	key->p[0] = (char)fields;
	key->n = 1;
	for (unsigned f = 1; f <= K; f <<= 1) {
		str v = field_of(id, f);

		if ((fields & f) && (!add(key, &v.n, sizeof(v.n)) || !add(key, v.p, v.n)))
			return false;
	}
	return true;
}

static str key_bytes(const struct key_text *key)
{
	return (str){ key->p, key->n };
}

static struct set *find_set(const struct correlator *c, const struct identity *id, size_t group, struct key_text *key)
{
	unsigned fields = c->order[group];

	if (!c->used[group] || !has_fields(id, fields) || !make_key(id, fields, key))
		return NULL;
	return strmap_get(&c->index, key_bytes(key));
}

/* The set that entry @id belongs to, which is made for its first entry. NULL when the entry fixes no group's fields,
 * or without memory (*ok false). */
static struct set *set_for(struct correlator *c, const struct identity *id, struct key_text *key, bool *ok)
{
	*ok = true;
	for (size_t g = 0; g < N_GROUPS; g++) {
		struct set *s;

		if (!has_fields(id, c->order[g]))
			continue;
		if (!make_key(id, c->order[g], key))
			return NULL;
		s = strmap_get(&c->index, key_bytes(key));
		if (s)
			return s;
		s = &c->sets[c->n_sets];
		*s = (struct set){ .fields = c->order[g], .group = (uint8_t)g };
		*ok = strmap_put(&c->index, key_bytes(key), s, NULL);
		if (!*ok)
			return NULL;
		c->n_sets++;
		c->used[g] = true;
		return s;
	}
	return NULL;
}

static bool fill(struct correlator *c, const struct identity *const *ids, size_t n)
{
	struct key_text key;
	struct set **of = calloc(n + 1, sizeof(*of));
	uint32_t slot = 0;
	bool ok = of != NULL;

	for (size_t i = 0; i < n && ok; i++) {
		of[i] = set_for(c, ids[i], &key, &ok);
		if (of[i])
			of[i]->n++;
	}
	for (size_t i = 0; i < c->n_sets; i++) {
		c->sets[i].first = slot;
		slot += c->sets[i].n;
	}
	for (size_t i = 0; i < n && ok; i++) {
		if (of[i])
			c->slots[of[i]->first + of[i]->filled++] = (uint32_t)i;
	}
	c->n_slots = slot;
	free(of);
	return ok;
}

int correlator_new(const struct identity *const *ids, size_t n, enum correlate_order order, struct correlator **ret,
		   struct err *err)
{
	CLEANUP(correlator_freep) struct correlator *c = calloc(1, sizeof(*c));

	if (!c)
		return err_nomem(err);
	ASSERT(order < ARRAY_LEN(orders));
	c->order = orders[order];
	c->sets = calloc(n + 1, sizeof(*c->sets));
	c->slots = calloc(n + 1, sizeof(*c->slots));
	if (!c->sets || !c->slots || !fill(c, ids, n))
		return err_nomem(err);
	*ret = TAKE(c);
	return 0;
}

void correlator_free(struct correlator *c)
{
	if (!c)
		return;
	strmap_done(&c->index);
	free(c->sets);
	free(c->slots);
	free(c);
}

const uint32_t *correlator_slots(const struct correlator *c, size_t *n)
{
	*n = c->n_slots;
	return c->slots;
}

size_t correlator_find(const struct correlator *c, const struct identity *id, size_t *first)
{
	struct key_text key;

	for (size_t g = 0; g < N_GROUPS; g++) {
		const struct set *s = find_set(c, id, g, &key);

		if (s) {
			*first = s->first;
			return s->n;
		}
	}
	return 0;
}

void correlator_collisions(const struct correlator *c,
			   void (*found)(void *ctx, unsigned fields, const uint32_t *entries, size_t n), void *ctx)
{
	for (size_t g = 0; g < N_GROUPS; g++) {
		for (size_t i = 0; i < c->n_sets; i++) {
			const struct set *s = &c->sets[i];

			if (s->group == g && s->n > 1)
				found(ctx, s->fields, c->slots + s->first, s->n);
		}
	}
}

void correlate_fields_text(unsigned fields, struct buf *out)
{
	static const char *const names[] = { "apiVersion", "metadata_name", "metadata_namespace", "kind" };
	bool first = true;

	_Static_assert(CORRELATE_KIND == 1u << (ARRAY_LEN(names) - 1), "ORDER correlate_fields");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!(fields & (1u << i)))
			continue;
		if (!first)
			buf_add_cstr(out, ", ");
		first = false;
		buf_add_cstr(out, names[i]);
	}
}
