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

/* The two values as JSON, "(absent)", or "(hidden)" when @hidden. Of longer values @max bytes are shown (at least
 * 16), around the first difference, and what is left out is counted before and behind: "(+512 bytes)…", "…(+512
 * bytes)". So two values that differ are shown as two texts that differ, unless they are hidden. In @a; {NULL, 0}
 * without memory. */
struct shown_pair shown_pair(struct arena *a, val expected, val actual, bool hidden, size_t max);
/* "deployments.apps prod/web" */
str shown_object(struct arena *a, const struct finding_subject *s);
/* The first line of @s, at most @max bytes of it, with "…" where something is left out. */
str shown_line(struct arena *a, str s, size_t max);
/* Append ", last written by kubectl-edit (Update, status) at …" with @before in front of it; nothing when the writer
 * is unknown. */
void shown_writer(struct buf *out, const char *before, const struct blame *b);
/* "; accepted: a test, by Kim, until 2027-01-31"; empty when @s is not accepted. */
str shown_acceptance(struct arena *a, const struct finding_subject *s);

#endif
