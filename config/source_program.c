/* Finds driftd-fetch beside the running program. */
#include "config/source_program.h"

#include <limits.h>
#include <unistd.h>

#define PROGRAM "driftd-fetch"

void source_program(struct buf *out)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	str path = { self, n > 0 ? (size_t)n : 0 };

	buf_add_str(out, str_sub(path, 0, (size_t)(str_rfind(path, STR("/")) + 1)));
	buf_add_cstr(out, PROGRAM);
}

const char *source_store_usual(void)
{
	const char *said = getenv("DRIFTD_SOURCES_DIR");

	return said && *said ? said : SOURCES_DIR_DEFAULT;
}
