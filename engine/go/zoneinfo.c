/* Reads the zone database of the system. */
#include "go/zoneinfo.h"

#include "base/file.h"

#include <errno.h>
#include <stdio.h>

#define ZONE_FILE_MAX (1u << 20)

static int load(void *ctx, str name, struct arena *a, str *ret)
{
	static const char *const roots[] = { "/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ",
					     "/etc/zoneinfo" };

	(void)ctx;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		CLEANUP(freep) char *data = NULL;
		char path[512];
		struct err ignored;
		size_t n;
		str copy;
		int r;

		if ((size_t)snprintf(path, sizeof(path), "%s/%.*s", roots[i], STR_ARG(name)) >= sizeof(path))
			return -ENOENT;
		r = file_read(path, ZONE_FILE_MAX, &data, &n, &ignored);
		if (r == -ENOMEM)
			return r;
		if (r < 0)
			continue;
		copy = arena_str(a, (str){ data, n });
		if (!copy.p)
			return -ENOMEM;
		*ret = copy;
		return 0;
	}
	return -ENOENT;
}

const struct go_zones go_zoneinfo = { .load = load };
