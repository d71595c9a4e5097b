/* The inspection rules of a replay. They come to their verdicts and change what is compared as the daemon's do; what
 * they log is printed, and their calls are never made. */
#ifndef DAEMON_RECORDING_REPLAY_INSPECTION_H
#define DAEMON_RECORDING_REPLAY_INSPECTION_H

#include "config/cfg.h"

struct replay_inspection;
struct sink;
struct watch_inspector_maker;

/* By the built-in rules of @cfg, and those of the file @more (NULL: none). Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int replay_inspection_new(const struct cfg *cfg, const char *more, const struct limits *limits,
				  struct replay_inspection **ret, struct problems *problems, struct err *err);
/* Who makes the inspectors, as long as it lives; records go to @sink. */
const struct watch_inspector_maker *replay_inspection_open(struct replay_inspection *x, struct sink *sink);
void replay_inspection_free(struct replay_inspection *x); /* NULL is fine */
DEFINE_CLEANUP(struct replay_inspection *, replay_inspection_free)

#endif
