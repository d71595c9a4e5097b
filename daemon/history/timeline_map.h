/* Findings by their ids, as many as a history has, in 32 bytes of memory each. */
#ifndef DAEMON_HISTORY_TIMELINE_MAP_H
#define DAEMON_HISTORY_TIMELINE_MAP_H

#include "base/err.h"
#include "base/str.h"

/* A finding, found by half of its id. Ids are random (random_id): among a million findings the chance that two have
 * the same half is one in 30 millions, and then one finding in a picture is miscounted. */
struct known_finding {
	uint64_t key; /* 0: the place is free */
	int64_t seq, from_usec;
	uint16_t cluster;
	uint8_t severity;
	bool open : 1, gap : 1, wanted : 1;
};

struct finding_map {
	struct known_finding *places;
	size_t n, size; /* size: a power of two, or 0 */
};

void finding_map_done(struct finding_map *m);
/* The finding with that id, until the next finding_map_add; NULL: it is not known. */
struct known_finding *finding_map_find(const struct finding_map *m, str id);
/* Add a finding that is not known, all 0. NULL: there are @max, or there is no memory, and err says so (E2BIG,
 * ENOMEM). */
struct known_finding *finding_map_add(struct finding_map *m, str id, size_t max, struct err *err);
/* Each finding once. Start with *at = 0; NULL after the last one. */
const struct known_finding *finding_map_each(const struct finding_map *m, size_t *at);

#endif
