/* Records that are no finding: something worth a line. */
#ifndef DAEMON_FINDINGS_NOTICE_H
#define DAEMON_FINDINGS_NOTICE_H

#include "daemon/findings/sink.h"

/* @cluster and @resource may be empty or NULL. */
void record_notice(struct sink *sink, str cluster, enum severity severity, const char *resource, const char *message);
/* The daemon's own life: started, stopped, reloaded … */
void record_lifecycle(struct sink *sink, enum message m, enum severity severity, const char *fmt, ...) PRINTF(4, 5);

#endif
