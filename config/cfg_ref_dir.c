/* Reads the files of a reference from disk. */
#include "config/cfg.h"

#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int cfg_ref_dir_open(struct cfg_ref_dir *d, str metadata_path, str *ret_metadata_name, struct err *err)
{
	ptrdiff_t slash = str_rfind(metadata_path, STR("/"));
	CLEANUP(freep)
	char *dir = slash < 0 ? str_dup(STR(".")) : str_dup(str_sub(metadata_path, 0, (size_t)slash + 1));

	if (!dir)
		return err_nomem(err);
	d->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0)
		return err_set(err, errno, "open folder '%s': %s", dir, strerror(errno));
	*ret_metadata_name = str_sub(metadata_path, (size_t)(slash + 1), metadata_path.n);
	return 0;
}

void cfg_ref_dir_close(struct cfg_ref_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static int dir_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct cfg_ref_dir *d = ctx;
	CLEANUP(freep) char *name = str_dup(path);
	int r;

	if (!name)
		return err_nomem(err);
	if (!path.n || ref_path_leads_out(path) || strlen(name) != path.n)
		return err_set(err, EINVAL, "'%s' is not a path inside the reference", name);
	r = file_read_at(d->fd, name, max, ret, len, err);
	if (r < 0)
		return r;
	d->content = hash_mix(d->content, hash_str(path, hash_seed()));
	d->content = hash_mix(d->content, hash_bytes(*ret, *len, hash_seed()));
	return 0;
}

struct ref_source cfg_ref_dir_source(struct cfg_ref_dir *d)
{
	return (struct ref_source){ .read = dir_read, .ctx = d };
}
