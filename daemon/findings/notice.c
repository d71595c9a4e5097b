/* Building records of notices and of the daemon's life. */
#include "daemon/findings/notice.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

void record_notice(struct sink *sink, str cluster, enum severity severity, const char *resource, const char *message)
{
	struct record r;

	record_init(&r, MESSAGE_NOTICE, (int)severity);
	if (cluster.n || resource)
		r.text = arena_printf(&r.arena, "%.*s%s%s%s: %s", STR_ARG(cluster), resource ? " (" : "",
				      resource ? resource : "", resource ? ")" : "", message);
	else
		r.text = arena_str(&r.arena, str_from(message));
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	record_add(&r, "DRIFTD_CLUSTER", cluster);
	record_add(&r, "DRIFTD_RESOURCE", str_from(resource));
	sink_write(sink, &r);
	record_done(&r);
}

void record_lifecycle(struct sink *sink, enum message m, enum severity severity, const char *fmt, ...)
{
	char text[RECORD_VALUE_MAX + 2];
	struct record r;
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	record_init(&r, m, (int)severity);
	r.text = utf8_cut(str_from(text), RECORD_VALUE_MAX);
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(m)));
	sink_write(sink, &r);
	record_done(&r);
}
