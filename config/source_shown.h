/* Texts about sources and revisions for people. */
#ifndef CONFIG_SOURCE_SHOWN_H
#define CONFIG_SOURCE_SHOWN_H

#include "base/buf.h"
#include "config/source.h"

/* Append the URL without user, password and query, which may be a signature. */
void source_show_url(const struct source *s, struct buf *out);
/* Append what is followed of the source: "branch main", "tag v1", "commit 3f2a…", "digest sha256:…"; nothing if the
 * source decides that. */
void source_show_ref(const struct source *s, struct buf *out);
/* Append the short name of a revision: its first 12 digits, with "sha256:" if it begins so. */
void source_show_revision(str revision, struct buf *out);

#endif
