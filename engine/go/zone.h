/* Time zones: TZif data (RFC 8536) and the POSIX TZ rules at its end. */
#ifndef GO_ZONE_H
#define GO_ZONE_H

#include "base/arena.h"
#include "base/str.h"

/* What the clocks of a location show at a time. */
struct go_zone {
	str name;       /* such as "CET" */
	int32_t offset; /* seconds east of UTC */
	bool dst;
};

/* *time.Location: views of the data that it was made from. A zeroed location is UTC. */
struct go_location {
	str name;
	bool fixed; /* the zone is always @always */
	struct go_zone always;
	/* The TZif data, which says when each kind of time begins. Numbers are big-endian. */
	str times;    /* the times, of @width bytes each, ascending */
	str indexes;  /* the index of its kind for each time, of a byte each */
	str kinds;    /* the kinds, of six bytes each: offset, daylight saving, index of its name */
	str names;    /* the names, each of which ends with NUL */
	size_t width; /* 4 or 8 */
	str extend;   /* the POSIX TZ rule for times behind the last of @times */
};

/* The only locations that need no data. Both are UTC: results must not depend on the host that computes them. */
extern const struct go_location go_utc, go_local;

/* The source of the data of zones: the engine reads no files. */
struct go_zones {
	/* Put the TZif data of the zone @name, such as "Europe/Berlin", into @a. 0; -ENOENT: there is no such zone;
	 * -ENOMEM. */
	int (*load)(void *ctx, str name, struct arena *a, str *ret);
	void *ctx;
};

/* time.LoadLocation: "" and "UTC" are go_utc, "Local" is go_local; any other location is in @a, with a view of
 * @name. @zones may be NULL: there are no others. Fails: ENOENT, also for data that is not TZif; ENOMEM. */
CHECKED int go_zone_load(const struct go_zones *zones, str name, struct arena *a, const struct go_location **ret);
/* time.FixedZone, in @a; NULL without memory. */
const struct go_location *go_zone_fixed(struct arena *a, str name, int32_t offset);

/* Read TZif data, which is viewed and must stay valid. False: it is no TZif data. */
bool go_zone_parse(str data, struct go_location *ret);
/* The zone that is in force at @unix_sec; @loc may be NULL: UTC. */
struct go_zone go_zone_at(const struct go_location *loc, int64_t unix_sec);
/* As go_zone_at, by a POSIX TZ rule alone; false when @rule is none. */
bool go_zone_rule_at(str rule, int64_t unix_sec, struct go_zone *ret);

/* reflect.DeepEqual. */
bool go_location_equal(const struct go_location *a, const struct go_location *b);

#endif
