/* Writes log lines with severity, time and place, as klog does. */
#include "daemon/compare/klog.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

void klog_line(char severity, const char *fmt, ...)
{
	struct timespec now;
	struct tm tm;
	va_list ap;

	clock_gettime(CLOCK_REALTIME, &now);
	if (!localtime_r(&now.tv_sec, &tm))
		tm = (struct tm){ 0 };
	flockfile(stderr);
	fprintf(stderr, "%c%02d%02d %02d:%02d:%02d.%06ld %7ld compare.c:1] ", severity, tm.tm_mon + 1, tm.tm_mday,
		tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000, (long)getpid());
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}
