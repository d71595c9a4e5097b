/* Whether a watch that goes on after a failure has delivered all that happened meanwhile.
 *
 * A server sends what a watch missed in its own time: at once mostly, but later if it is busy, or if its own copy of
 * the data lags behind. So a consistent read beside the watch says how far there is to go. Versions of a server grow
 * with every write to it, so that an event beyond the read version happened after the read, and all others before it.
 *
 *      +-----------+   a failure, or a test because nothing counts any more    +----------+
 *      |  CURRENT  | --------------------------------------------------------> |  BEHIND  |
 *      +-----------+                                                           +----------+
 *            ^  ^                                                                |  ^  |
 *            |  '----- a list; a read of no newer version, or of none that ------'  |  | a read of a newer version
 *            |         can be compared                                              |  v
 *            |                                                                 +----------+
 *            '------------ an event or bookmark that reaches it, a list, ----- |  AIMED   |
 *                          or the read of a later test (*)                     +----------+
 *
 * (*) if the server has sent a bookmark since the read that was the aim: it has nothing newer. A server that sends
 * nothing at all may still have something to send, until a list shows that it has not. */
#ifndef KUBECLIENT_KC_CATCH_UP_H
#define KUBECLIENT_KC_CATCH_UP_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum kc_catch_up_state { KC_CURRENT, KC_BEHIND, KC_AIMED };

struct kc_catch_up {
	enum kc_catch_up_state state;
	bool list_is_old;   /* the list under way, if there is one, began before the last failure or test */
	int64_t aim;        /* AIMED: the version that the read showed */
	uint64_t bookmarks; /* AIMED: how many there were until then */
};

/* The watch may have missed something. */
void kc_catch_up_lost(struct kc_catch_up *c);

/* A list begins. */
void kc_catch_up_lists(struct kc_catch_up *c);

/* Each of these returns true when the watch becomes CURRENT by that. */

/* A complete list was reported, the one that began last. */
bool kc_catch_up_listed(struct kc_catch_up *c);
/* A consistent read showed version @read, and the watch has delivered all until @own, and @bookmarks bookmarks. */
bool kc_catch_up_read(struct kc_catch_up *c, str read, str own, uint64_t bookmarks);
/* An event of @version is about to be reported: if it is beyond the read, it was not missed. */
bool kc_catch_up_event(struct kc_catch_up *c, str version);
/* The watch has delivered all until @version. */
bool kc_catch_up_reached(struct kc_catch_up *c, str version);

#endif
