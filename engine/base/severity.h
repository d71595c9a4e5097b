/* How bad something is, in syslog's words: the values are syslog's priorities (RFC 5424, 6.2.1), lower is worse. */
#ifndef BASE_SEVERITY_H
#define BASE_SEVERITY_H

#include "base/str.h"

enum severity {
	SEVERITY_CRITICAL = 2,
	SEVERITY_ERROR = 3,
	SEVERITY_WARNING = 4,
	SEVERITY_NOTICE = 5,
	SEVERITY_INFO = 6,
};

/* The name, such as "critical"; never NULL. */
const char *severity_name(enum severity s);
/* Read a name. False: @s names no severity. */
bool severity_parse(str s, enum severity *ret);

#endif
