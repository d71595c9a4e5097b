/* How objects, values and writers stand in the texts of findings. */
#ifndef DAEMON_WATCH_SHOWN_H
#define DAEMON_WATCH_SHOWN_H

#include "daemon/findings/findings.h"

#define SHOWN_INLINE_MAX 60 /* bytes of a value within a line */

/* The value as JSON, cut at 1024 bytes; "(absent)"; "(hidden)" when @hidden. In @a, or a constant. */
str shown_value(struct arena *a, val v, bool hidden);
/* "deployments.apps prod/web" */
str shown_object(struct arena *a, const struct finding_subject *s);
/* The first line of @s, at most @max bytes of it, with "…" where something is left out. */
str shown_line(struct arena *a, str s, size_t max);
/* ", last written by kubectl-edit (Update, status) at …" behind @before; nothing when nobody is known. */
void shown_writer(struct buf *out, const char *before, const struct blame *b);

#endif
