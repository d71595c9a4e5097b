/* Names of images, and which tags are expected to stay where they are. */
#ifndef DAEMON_FETCH_OCI_TAG_H
#define DAEMON_FETCH_OCI_TAG_H

#include "base/err.h"
#include "config/source.h"

/* Whether url, tag and digest of @s are such that nothing else comes of them when they are put together. Fails: EINVAL.
 */
CHECKED int oci_check_names(const struct source *s, struct err *err);

/* Tags move by design: "latest", "v1" and "1.2" are for whoever wants the newest. One that spells a whole version
 * ("v1.2.3", "1.2.3-rc.1") names one release, and when that moves, a revision was rewritten
 * (source_revision.rewritten). */
bool oci_tag_stays(str tag);

#endif
