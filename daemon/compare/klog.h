/* Lines on standard error in the form of klog, the log library of the Kubernetes tools, which scripts around them
 * filter. */
#ifndef DAEMON_COMPARE_KLOG_H
#define DAEMON_COMPARE_KLOG_H

#include "base/defs.h"

/* "W0102 15:04:05.678901   4711 compare.c:1] text" */
void klog_line(char severity, const char *fmt, ...) PRINTF(2, 3);

#define klog_warning(...) klog_line('W', __VA_ARGS__)
#define klog_info(...) klog_line('I', __VA_ARGS__)

#endif
