/* A hash table with open addressing, at most three quarters full. */
#include "daemon/history/timeline_map.h"

#include <errno.h>
#include <stdlib.h>

#define SIZE_FIRST 1024

/* FNV-1a over the text: ids of a damaged database need not be hexadecimal. */
static uint64_t key_of(str id)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < id.n; i++)
		h = (h ^ (unsigned char)id.p[i]) * 0x100000001b3u;
	h ^= h >> 29; /* the low bits choose the place */
	return h ? h : 1;
}

void finding_map_done(struct finding_map *m)
{
	free(m->places);
	*m = (struct finding_map){ 0 };
}

static struct known_finding *place_of(const struct finding_map *m, uint64_t key)
{
	size_t at = key & (m->size - 1);

	while (m->places[at].key && m->places[at].key != key)
		at = (at + 1) & (m->size - 1);
	return &m->places[at];
}

struct known_finding *finding_map_find(const struct finding_map *m, str id)
{
	struct known_finding *x = m->size ? place_of(m, key_of(id)) : NULL;

	return x && x->key ? x : NULL;
}

static int grow(struct finding_map *m, struct err *err)
{
	struct finding_map more = { .n = m->n, .size = m->size ? 2 * m->size : SIZE_FIRST };

	more.places = calloc(more.size, sizeof(*more.places));
	if (!more.places)
		return err_nomem(err);
	for (size_t i = 0; i < m->size; i++) {
		if (m->places[i].key)
			*place_of(&more, m->places[i].key) = m->places[i];
	}
	free(m->places);
	*m = more;
	return 0;
}

struct known_finding *finding_map_add(struct finding_map *m, str id, size_t max, struct err *err)
{
	struct known_finding *x;

	if (m->n >= max) {
		(void)!err_set(err, E2BIG, "more than %zu findings: ask for a shorter time", max);
		return NULL;
	}
	if (m->n + 1 > m->size / 4 * 3 && grow(m, err) < 0)
		return NULL;
	x = place_of(m, key_of(id));
	*x = (struct known_finding){ .key = key_of(id) };
	m->n++;
	return x;
}

const struct known_finding *finding_map_each(const struct finding_map *m, size_t *at)
{
	while (*at < m->size) {
		const struct known_finding *x = &m->places[(*at)++];

		if (x->key)
			return x;
	}
	return NULL;
}
