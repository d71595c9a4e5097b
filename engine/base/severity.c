/* The table of severities and their names. */
#include "base/severity.h"

static const struct {
	const char *name;
	enum severity severity;
} severities[] = {
	{ "critical", SEVERITY_CRITICAL }, { "error", SEVERITY_ERROR }, { "warning", SEVERITY_WARNING },
	{ "notice", SEVERITY_NOTICE },     { "info", SEVERITY_INFO },
};

const char *severity_name(enum severity s)
{
	for (size_t i = 0; i < ARRAY_LEN(severities); i++) {
		if (severities[i].severity == s)
			return severities[i].name;
	}
	return "warning";
}

bool severity_parse(str s, enum severity *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(severities); i++) {
		if (str_eq(s, str_from(severities[i].name))) {
			*ret = severities[i].severity;
			return true;
		}
	}
	return false;
}
