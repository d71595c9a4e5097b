/* The objects in hand, one for each thread that judges, in a file that outlives the process: which object was judged
 * when the process died, and whether judging it was the reason.
 *
 *   in hand --judged--> nothing
 *      |
 *      '--the process ends--> next start: --by a signal of its own doing--------> condemned
 *                                |--when judging it had kept a processor busy----->  ^
 *                                |  for IN_HAND_LONG_S, whoever ended it             |
 *                                |--for lack of memory--> suspect -------------------'  when it happens to it again
 *                                '--else (somebody's kill -9)--> nothing: it was there by chance
 *
 * A condemned object is not judged again, in that version, before driftd is stopped in good order, so that the object
 * which ends the process costs an error finding and no endless circle of restarts. Another version of it is another
 * object. The file is a page that is mapped: what is written to it survives the process, if not the machine. */
#ifndef DAEMON_WATCH_IN_HAND_H
#define DAEMON_WATCH_IN_HAND_H

#include "daemon/findings/findings.h"
#include "daemon/watch/process/ended.h"

struct in_hand;

/* As long as a service manager waits for a sign of life, or less; judging takes milliseconds. */
#define IN_HAND_LONG_S 20

/* Map @path, made when it is missing; what is none of these files is made one. @last: how the last process ended.
 * Fails: the codes of open(2) and of posix_fallocate(3), ENOMEM. */
CHECKED int in_hand_open(const char *path, enum ended last, struct in_hand **ret, struct err *err);
/* In good order: nothing is condemned any more. @h may be NULL, here and below. */
void in_hand_close(struct in_hand *h);
/* From now on signals that a process sends itself (SIGABRT, SIGSEGV …) are noted in the file, for the object of the
 * thread that they come to, before they end it, and a thread of its own notes how long each is in hand. One file at a
 * time. */
void in_hand_watch(struct in_hand *h);

/* Objects that are in hand at once: of the owner's thread, and of others. */
#define IN_HAND_SLOTS 5

/* A place for another thread, from the owner's thread; until in_hand_leave. NULL: all are taken, or there is no file.
 */
struct in_hand_place;
struct in_hand_place *in_hand_join(struct in_hand *h);
void in_hand_leave(struct in_hand_place *p);

/* Of the subject counts what says which object it is: cluster, kind, name, uid, version. Until in_hand_clear, or
 * in_hand_lay_down: judging it goes on later, and whether it ends the process is not known yet. */
void in_hand_set(struct in_hand *h, const struct finding_subject *s);
void in_hand_clear(struct in_hand *h);
void in_hand_lay_down(struct in_hand *h);
/* The same in another thread, at a place of its own. */
void in_hand_set_at(struct in_hand_place *p, const struct finding_subject *s);
void in_hand_lay_down_at(struct in_hand_place *p);

bool in_hand_any_condemned(const struct in_hand *h);

/* What condemned an object. */
struct in_hand_end {
	enum in_hand_cause {
		IN_HAND_SIGNAL, /* its judging raised one */
		IN_HAND_LASTED, /* it did not come to an end */
		IN_HAND_MEMORY, /* it took all memory, twice */
		IN_HAND_CAUSES,
	} cause;
	int signal;
};
/* False: it is not condemned, and *ret is untouched. */
bool in_hand_condemned(const struct in_hand *h, const struct finding_subject *s, struct in_hand_end *ret);
/* "judging it ended driftd (signal 11)"; {NULL, 0} without memory. */
str in_hand_end_text(struct arena *a, const struct in_hand_end *e);

#endif
