/* Crash markers: a file that outlives the process and says which object each thread was judging. From it the next
 * process knows whether judging an object ended the last one.
 *
 *   marked --judged--> not marked
 *      |
 *      '--the process ends--> next start: --by a signal that the process caused--------> condemned
 *                                |--when judging it had kept a processor busy------------>  ^
 *                                |  for CRASH_MARKER_LONG_S, whatever ended the process     |
 *                                |--for lack of memory--> suspect --------------------------'  when it happens again
 *                                '--otherwise (kill -9 by an administrator)--> not marked: a coincidence
 *
 * driftd does not judge a condemned object again, in that version, until driftd is stopped in good order. So the object
 * costs an error finding and no endless circle of restarts. Another version of it is another object. The file is a
 * mapped page: what is written to it survives the process, but not always the machine. */
#ifndef DAEMON_WATCH_CRASH_MARKER_H
#define DAEMON_WATCH_CRASH_MARKER_H

#include "daemon/findings/findings.h"
#include "daemon/watch/process/ended.h"

struct crash_marker;

/* How long judging may take: no longer than a service manager waits for a sign of life. Judging usually takes
 * milliseconds. */
#define CRASH_MARKER_LONG_S 20

/* Map the file @path. It is made when it is missing, and made anew when it is no file of crash markers. @last: how
 * the last process ended. Fails: the codes of open(2) and of posix_fallocate(3), ENOMEM. */
CHECKED int crash_marker_open(const char *path, enum ended last, struct crash_marker **ret, struct err *err);
/* Close the file after an orderly stop: nothing is condemned any more. @h may be NULL, here and below. */
void crash_marker_close(struct crash_marker *h);
/* From now on a signal that the process sends itself (SIGABRT, SIGSEGV …) is noted in the file before it ends the
 * process, for the object of the thread that gets the signal. A thread notes how long each object has been marked.
 * Only one file can be watched at a time. */
void crash_marker_watch(struct crash_marker *h);

/* How many objects can be marked at once: one by the owner's thread, and one by each other thread. */
#define CRASH_MARKER_SLOTS 5

/* Take a place for another thread. Call it from the owner's thread; the place lasts until crash_marker_leave. NULL:
 * all places are taken, or there is no file. */
struct crash_marker_place;
struct crash_marker_place *crash_marker_join(struct crash_marker *h);
void crash_marker_leave(struct crash_marker_place *p);

/* Note that the object of @s is being judged, until crash_marker_clear, or until crash_marker_unset when judging goes
 * on later and may still end the process. Only what identifies the object is used of @s: cluster, kind, name, uid and
 * version. */
void crash_marker_set(struct crash_marker *h, const struct finding_subject *s);
void crash_marker_clear(struct crash_marker *h);
void crash_marker_unset(struct crash_marker *h);
/* Do the same in another thread, at the place that was taken for it. */
void crash_marker_set_at(struct crash_marker_place *p, const struct finding_subject *s);
void crash_marker_unset_at(struct crash_marker_place *p);

bool crash_marker_any_condemned(const struct crash_marker *h);

/* What condemned an object. */
struct crash_marker_end {
	enum crash_marker_cause {
		CRASH_MARKER_SIGNAL, /* judging the object raised a signal */
		CRASH_MARKER_LASTED, /* judging the object did not come to an end */
		CRASH_MARKER_MEMORY, /* judging the object took all memory, twice */
		CRASH_MARKER_CAUSES,
	} cause;
	int signal;
};
/* Whether the object of @s is condemned, and in *ret by what. False: *ret is untouched. */
bool crash_marker_condemned(const struct crash_marker *h, const struct finding_subject *s,
			    struct crash_marker_end *ret);
/* "judging it ended driftd (signal 11)"; {NULL, 0} without memory. */
str crash_marker_end_text(struct arena *a, const struct crash_marker_end *e);

#endif
