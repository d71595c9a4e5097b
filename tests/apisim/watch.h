/* Open watches. A watch reads the event window of its resource at its own pace; one that falls out of the window ends,
 * as the real server ends a watcher that is too slow. */
#ifndef APISIM_WATCH_H
#define APISIM_WATCH_H

#include "resources.h"

struct sim;
struct watch;

#define WATCH_HUGE_MAX ((size_t)1 << 30)

enum watch_action {
	WATCH_CLOSE,
	WATCH_TRUNCATE,
	WATCH_RESET,
	WATCH_GARBAGE,
	WATCH_LINE,
	WATCH_HUGE,
	WATCH_STALL,
	WATCH_ERROR
};

/* Do @action to an open watch; @amount: bytes of a huge line, milliseconds of a stall; @text: the line of WATCH_LINE.
 * False without memory. */
bool watch_act(struct watch *w, enum watch_action action, uint64_t amount, const char *text);
const struct resource *watch_resource(const struct watch *w);
const char *watch_namespace(const struct watch *w); /* "" for all */
const char *watch_path(const struct watch *w);

void watches_wake(struct sim *sim, const struct resource *res); /* NULL: all */
void watches_tick(struct sim *sim, uint64_t now);
void watches_end(struct sim *sim); /* all of them, at the next turn of the loop */

#endif
