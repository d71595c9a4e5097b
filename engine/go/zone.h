/* Time zones: TZif data (RFC 8536) and the POSIX TZ rules at its end. */
#ifndef GO_ZONE_H
#define GO_ZONE_H

#include "base/arena.h"
#include "base/str.h"

/* What clocks show at one time. */
struct go_zone {
	str name;       /* "CET" */
	int32_t offset; /* seconds east of UTC */
	bool dst;
};

/* *time.Location: views of the data that it was made from. A zeroed one is UTC. */
struct go_location {
	str name;
	bool fixed; /* always @always */
	struct go_zone always;
	/* The TZif data: when each kind of clock begins. Numbers are big-endian. */
	str times;    /* of @width bytes each, ascending */
	str indexes;  /* a byte each: which of the kinds */
	str kinds;    /* six bytes each: offset, daylight saving, where its name begins */
	str names;    /* each ends with NUL */
	size_t width; /* 4 or 8 */
	str extend;   /* POSIX TZ rule for the time behind the last of @times */
};

/* The only names without data. Both are UTC: what is computed must not depend on the host that does it. */
extern const struct go_location go_utc, go_local;

/* Where the data of a zone comes from: the engine reads no files. */
struct go_zones {
	/* Put the TZif data of the zone @name ("Europe/Berlin") into @a. 0; -ENOENT: there is none; -ENOMEM. */
	int (*load)(void *ctx, str name, struct arena *a, str *ret);
	void *ctx;
};

/* time.LoadLocation: "" and "UTC" are go_utc, "Local" is go_local, else in @a, with @name viewed. @zones may be NULL:
 * no others. Fails: ENOENT, also for data that is not TZif; ENOMEM. */
CHECKED int go_zone_load(const struct go_zones *zones, str name, struct arena *a, const struct go_location **ret);
/* time.FixedZone in @a; NULL without memory. */
const struct go_location *go_zone_fixed(struct arena *a, str name, int32_t offset);

/* Read TZif data, which is viewed and must stay. False: it is not. */
bool go_zone_parse(str data, struct go_location *ret);
/* What is in force at @unix_sec; @loc may be NULL: UTC. */
struct go_zone go_zone_at(const struct go_location *loc, int64_t unix_sec);
/* As go_zone_at, by a POSIX TZ rule alone; false when @rule is none. */
bool go_zone_rule_at(str rule, int64_t unix_sec, struct go_zone *ret);

/* reflect.DeepEqual. */
bool go_location_equal(const struct go_location *a, const struct go_location *b);

#endif
