/* How objects, values and writers stand in the texts of findings. */
#ifndef DAEMON_WATCH_SHOWN_H
#define DAEMON_WATCH_SHOWN_H

#include "daemon/findings/findings.h"

#define SHOWN_INLINE_MAX 60  /* bytes of a value within a line */
#define SHOWN_VALUE_MAX 1024 /* bytes of a value that has a line of its own */

/* The two sides of a difference, as texts. */
struct shown_pair {
	str expected, actual;
};

/* Each value as JSON; "(absent)"; "(hidden)" when @hidden. Of longer ones @max bytes of each (16 at least), around the
 * first difference, with what is left out before and behind as "(+512 bytes)…" and "…(+512 bytes)": two values that
 * differ are shown as two texts that differ, unless they are hidden. In @a; {NULL, 0} without memory. */
struct shown_pair shown_pair(struct arena *a, val expected, val actual, bool hidden, size_t max);
/* "deployments.apps prod/web" */
str shown_object(struct arena *a, const struct finding_subject *s);
/* The first line of @s, at most @max bytes of it, with "…" where something is left out. */
str shown_line(struct arena *a, str s, size_t max);
/* ", last written by kubectl-edit (Update, status) at …" behind @before; nothing when nobody is known. */
void shown_writer(struct buf *out, const char *before, const struct blame *b);
/* "; accepted: a test, by Kim, until 2027-01-31"; empty when @s is not accepted. */
str shown_acceptance(struct arena *a, const struct finding_subject *s);

#endif
