/* Sources and revisions as people see them. */
#ifndef CONFIG_SOURCE_SHOWN_H
#define CONFIG_SOURCE_SHOWN_H

#include "base/buf.h"
#include "config/source.h"

/* Append where it is: without user, password and query, which may be a signature. */
void source_show_url(const struct source *s, struct buf *out);
/* Append what of it is followed: "branch main", "tag v1", "commit 3f2a…", "digest sha256:…"; nothing where that is left
 * to the source. */
void source_show_ref(const struct source *s, struct buf *out);
/* Append what a revision is called by people: the first 12 digits; of "sha256:…" with that. */
void source_show_revision(str revision, struct buf *out);

#endif
