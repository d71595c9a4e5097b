/* The objects in hand, one for each thread that judges, in a file that outlives the process: which object was judged
 * when the process died.
 *
 *   in hand --judged--> nothing
 *      |
 *      '--the process ends--> next start: --by a signal of its own doing--> condemned
 *                                |                                             ^
 *                                '--else (SIGKILL, out of memory)--> suspect --'  when it happens to it again
 *
 * A condemned object is not judged again before driftd is stopped in good order, so that the object which ends the
 * process costs an error finding and no endless circle of restarts. The file is a page that is mapped: what is written
 * to it survives the process, if not the machine. */
#ifndef DAEMON_WATCH_IN_HAND_H
#define DAEMON_WATCH_IN_HAND_H

#include "daemon/findings/findings.h"

struct in_hand;

/* Map @path, made when it is missing; what is none of these files is made one. Fails: the codes of open(2) and of
 * posix_fallocate(3), ENOMEM. */
CHECKED int in_hand_open(const char *path, struct in_hand **ret, struct err *err);
/* In good order: nothing is condemned any more. @h may be NULL, here and below. */
void in_hand_close(struct in_hand *h);
/* Signals that a process sends itself (SIGABRT, SIGSEGV …) are noted in the file, for the object of the thread that
 * they come to, before they end it. One file at a time. */
void in_hand_catch_signals(struct in_hand *h);

/* Objects that are in hand at once: of the owner's thread, and of others. */
#define IN_HAND_SLOTS 5

/* A place for another thread, from the owner's thread; until in_hand_leave. NULL: all are taken, or there is no file.
 */
struct in_hand_place;
struct in_hand_place *in_hand_join(struct in_hand *h);
void in_hand_leave(struct in_hand_place *p);

/* Of the subject counts what says which object it is: cluster, kind, name, uid. Until in_hand_clear, or
 * in_hand_lay_down: judging it goes on later, and whether it ends the process is not known yet. */
void in_hand_set(struct in_hand *h, const struct finding_subject *s);
void in_hand_clear(struct in_hand *h);
void in_hand_lay_down(struct in_hand *h);
/* The same in another thread, at a place of its own. */
void in_hand_set_at(struct in_hand_place *p, const struct finding_subject *s);
void in_hand_lay_down_at(struct in_hand_place *p);

bool in_hand_any_condemned(const struct in_hand *h);
/* The signal that ended the process, 0: not known; -1: the object is not condemned. */
int in_hand_condemned(const struct in_hand *h, const struct finding_subject *s);

#endif
