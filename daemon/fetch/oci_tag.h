/* Checks names of images, and knows which tags are expected to stay where they are. */
#ifndef DAEMON_FETCH_OCI_TAG_H
#define DAEMON_FETCH_OCI_TAG_H

#include "base/err.h"
#include "config/source.h"

/* Check url, tag and digest of @s, so that nothing unexpected results when they are combined. Fails: EINVAL. */
CHECKED int oci_check_names(const struct source *s, struct err *err);

/* Whether the tag is expected to stay. Tags such as "latest", "v1" and "1.2" move by design, for users who want the
 * newest version. A tag that is a whole version ("v1.2.3", "1.2.3-rc.1") names one release, and when it moves, a
 * revision was rewritten (source_revision.rewritten). */
bool oci_tag_stays(str tag);

#endif
