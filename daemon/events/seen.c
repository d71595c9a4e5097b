/* Remembers ids in a ring, with a map to find them. */
#include "daemon/events/seen.h"

#include "base/strmap.h"
#include "daemon/findings/record.h"

/* driftd resends at most what waits in its queue, which holds fewer. */
#define SEEN_MAX 65536

struct seen {
	struct strmap map;
	size_t n; /* the number of ids that were ever added */
	char ring[SEEN_MAX][RECORD_ID_SIZE - 1];
};

struct seen *seen_new(void)
{
	return calloc(1, sizeof(struct seen));
}

void seen_free(struct seen *s)
{
	if (s)
		strmap_done(&s->map);
	free(s);
}

void seen_clear(struct seen *s)
{
	strmap_done(&s->map);
	s->map = (struct strmap){ 0 };
	s->n = 0;
}

bool seen_before(struct seen *s, str id)
{
	char *slot = s->ring[s->n % SEEN_MAX];

	if (id.n != RECORD_ID_SIZE - 1)
		return false;
	if (strmap_has(&s->map, id))
		return true;
	if (s->n >= SEEN_MAX)
		(void)strmap_remove(&s->map, (str){ slot, RECORD_ID_SIZE - 1 });
	if (strmap_put(&s->map, id, s, NULL)) {
		memcpy(slot, id.p, id.n);
		s->n++;
	}
	return false;
}
