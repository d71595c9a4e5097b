/* Makes texts of objects, including their names, harmless for Slack, Teams, mail and pagers.
 *
 * Otherwise whoever may write to a cluster could call everybody in a channel, or make people follow a link that
 * looks like one of driftd. Each receiver has its own escapes, which others show as text. So nothing is escaped: a
 * character that means something to any receiver is replaced by one that looks alike and means nothing. */
#ifndef DAEMON_ALERTMANAGER_CHAT_TEXT_H
#define DAEMON_ALERTMANAGER_CHAT_TEXT_H

#include "base/buf.h"

/* Append @s, of which at most @max bytes are used; "…" replaces the rest. Control characters and those that change
 * the reading order are escaped (base/printable.h); a newline becomes a space. "<", ">", "&", and "@" at the
 * beginning of a word, are replaced by similar characters, "->" by an arrow; no "://" and no "](" remains. Names
 * that Kubernetes accepts are not changed. A credential of driftd becomes "***". */
void chat_text_add(struct buf *out, str s, size_t max);

#endif
