/* Text of objects, their names too, on its way into Slack, Teams, mail and pagers.
 *
 * Whoever may write to a cluster could otherwise call everybody in a channel, or have people follow a link that looks
 * like one of ours. Each receiver has its own escapes, and what is escaped for one is read as text by another, so that
 * nothing is escaped: what means something to any of them becomes a character that looks alike and means nothing. */
#ifndef DAEMON_ALERTMANAGER_CHAT_TEXT_H
#define DAEMON_ALERTMANAGER_CHAT_TEXT_H

#include "base/buf.h"

/* Append @s, of which at most @max bytes are looked at; "…" follows what is cut. Control characters and what changes
 * the order of reading are escaped (base/printable.h), a newline is a space. "<", ">" and "&" have a double, and so has
 * "@" where a word begins; "->" is an arrow; no "://" and no "](" stays. Names that Kubernetes accepts stay as they
 * are. A credential of driftd's own becomes "***". */
void chat_text_add(struct buf *out, str s, size_t max);

#endif
