/* Where the fields of a finding lie, as data beside the texts that people read: of each of its paths the segments, in
 * the same order. A place whose text hides something is not kept.
 *
 *   [["spec","containers",{"name":"web"},"args",0],null]
 *
 * It is one text, in JSON, which is kept with the finding. */
#ifndef DAEMON_FINDINGS_PLACES_H
#define DAEMON_FINDINGS_PLACES_H

#include "base/limits.h"
#include "daemon/findings/finding.h"

/* The places of the paths of @r; "" where none is known, {NULL, 0} without memory. */
str places_join(const struct finding_report *r, struct arena *a);

/* Read what places_join made, perhaps in an earlier process. The result lives in @a. VAL_ABSENT: @text is no such
 * thing, or memory is short. */
val places_read(str text, const struct limits *limits, struct arena *a);
/* The place of path @i. Its segments are in @a, their texts where @places are. False: it is not known, or memory is
 * short. */
bool places_at(val places, size_t i, struct arena *a, struct path *ret);

#endif
