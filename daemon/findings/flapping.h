/* Findings that come and go so often that a single change is no news.
 *
 *     steady --- the Nth change within the window ---> flapping, open <--> flapping, dormant
 *       ^                                                        |           |
 *       '------------ a window without a change -----------------'-----------'
 *
 * What begins to flap is reported as flapping, then only what is worse than was reported or lies at a new path, and at
 * the end how it is and how often it changed. A dormant finding is not open: nothing counts it but the gauge of what
 * flaps. */
#ifndef DAEMON_FINDINGS_FLAPPING_H
#define DAEMON_FINDINGS_FLAPPING_H

#include "base/severity.h"
#include "base/strmap.h"
#include "config/cfg.h"
#include "daemon/findings/record.h"

#include <sys/queue.h>

#define FLAPPING_CHANGES_MAX CFG_FLAPPING_CHANGES_MAX
#define FLAPPING_PLACES_MAX 20000 /* places that changed lately; when there are more, the oldest are forgotten */

struct finding;
struct flapping_place;
TAILQ_HEAD(flapping_places, flapping_place);
TAILQ_HEAD(flaps, flap);

/* The places that changed lately, and the findings that flap. */
struct flapping {
	unsigned changes; /* 0: nothing flaps */
	uint64_t window_ns;
	struct strmap places; /* -> struct flapping_place */
	struct flapping_places by_age;
	struct flaps flaps; /* the quietest first */
};

/* One finding that flaps. */
struct flap {
	struct finding *of;
	uint64_t last_ns; /* the time of the last change */
	enum severity reported;
	struct buf paths; /* the paths that were reported, a line each */
	struct buf last;  /* the record of its last change, encoded; empty: unknown */
	TAILQ_ENTRY(flap) link;
};

void flapping_init(struct flapping *p);
void flapping_done(struct flapping *p);
/* Count @n more changes of the place of @key. Whether it has changed often enough by now to flap. @now_ns does not
 * go backwards. Without memory it has not. */
bool flapping_note(struct flapping *p, str key, unsigned n, uint64_t now_ns);

/* Let @x flap from now on; NULL without memory. */
struct flap *flap_new(struct flapping *p, struct finding *x, uint64_t now_ns);
void flap_free(struct flapping *p, struct flap *x);
/* The finding has changed once more. @r: a record of its present state. */
void flap_change(struct flapping *p, struct flap *x, const struct record *r, uint64_t now_ns);
/* Whether the change must be reported although the finding flaps: it is worse than reported, or has new paths. If so it
 * counts as reported. @paths: a line each. */
bool flap_is_news(struct flap *x, enum severity severity, str paths);
/* A finding that was quiet for a window or, when flapping is off, any finding; NULL: there is none. */
struct flap *flapping_quiet(const struct flapping *p, uint64_t now_ns);

#endif
