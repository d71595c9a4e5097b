/* Keeps a token bucket for each place. */
#include "daemon/store/flood.h"

#include "base/buf.h"

struct place {
	unsigned tokens;
	uint64_t refilled_ms;
};

void flood_done(struct flood *f)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&f->places, &at)))
		free(e->value);
	strmap_done(&f->places);
}

static void refill(struct place *p, uint64_t now_ms)
{
	uint64_t more = (now_ms - p->refilled_ms) / FLOOD_REFILL_MS;

	p->refilled_ms += more * FLOOD_REFILL_MS;
	p->tokens = more >= FLOOD_BURST - p->tokens ? FLOOD_BURST : p->tokens + (unsigned)more;
}

/* Forget one place whose tokens are full, because it is like a new place. The table may not change while it is
 * walked, so that only one can be forgotten; this is enough, because places are added one at a time. */
static void forget_a_full_one(struct flood *f, uint64_t now_ms)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&f->places, &at))) {
		refill(e->value, now_ms);
		if (((struct place *)e->value)->tokens < FLOOD_BURST)
			continue;
		free(strmap_remove(&f->places, (str){ e->key, e->n }));
		return;
	}
}

static struct place *place_of(struct flood *f, str key, uint64_t now_ms)
{
	struct place *p = strmap_get(&f->places, key);

	if (p)
		return p;
	if (f->places.n >= FLOOD_PLACES_MAX)
		forget_a_full_one(f, now_ms);
	p = calloc(1, sizeof(*p));
	if (!p || !strmap_put(&f->places, key, p, NULL)) {
		free(p);
		return NULL;
	}
	*p = (struct place){ .tokens = FLOOD_BURST, .refilled_ms = now_ms };
	return p;
}

bool flood_allows(struct flood *f, const struct record *r, uint64_t now_ms)
{
	static const char *const parts[] = { "DRIFTD_CLUSTER", "DRIFTD_NAMESPACE", "DRIFTD_SEVERITY" };
	CLEANUP(buf_done) struct buf key = BUF_INIT(4 * RECORD_VALUE_MAX);
	struct place *p;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		str part = record_get(r, parts[i]);

		buf_add_byte(&key, '\x1f');
		if (part.p)
			buf_add_str(&key, part);
	}
	p = key.error ? NULL : place_of(f, buf_str(&key), now_ms);
	if (!p)
		return true;
	refill(p, now_ms);
	if (p->tokens == 0)
		return false;
	p->tokens--;
	return true;
}
