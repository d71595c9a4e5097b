/* Reads files of this host. */
#include "daemon/fetch/local_file.h"

#include "base/file.h"

#include <errno.h>

int local_file_read(str path, size_t max, struct arena *a, str *ret, struct err *err)
{
	CLEANUP(freep) char *name = str_dup(path), *text = NULL;
	struct err why;
	str kept;
	size_t n;
	int r;

	if (!name)
		return err_nomem(err);
	r = file_read(name, max, &text, &n, &why);
	if (r < 0)
		return err_set(err, r == -ENOMEM ? ENOMEM : EPERM, "%s", why.msg);
	kept = arena_str(a, (str){ text, n });
	if (!kept.p)
		return arena_error(a, err);
	*ret = kept;
	return 0;
}
