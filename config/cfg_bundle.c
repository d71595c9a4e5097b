/* Loads bundles and modules of kubegen from disk. */
#include "config/cfg_bundle.h"

#include "base/file.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder of a module ---- */

struct folder {
	int fd;
	uint64_t content;
};

static void folder_close(struct folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
}

static int folder_open(struct folder *f, const struct kg_instance *instance, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(instance->path);

	if (!path)
		return err_nomem(err);
	f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd >= 0)
		return 0;
	if (instance->at)
		return kg_fail(instance->at, errno, err, "open folder '%s': %s", path, strerror(errno));
	return err_set(err, errno, "open folder '%s': %s", path, strerror(errno));
}

static int folder_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct folder *f = ctx;
	CLEANUP(freep) char *name = str_dup(path);
	int r = name ? file_read_beneath(f->fd, name, max, ret, len, err) : err_nomem(err);

	if (r < 0)
		return r;
	f->content = hash_mix(f->content, hash_str(path, hash_seed()));
	f->content = hash_mix(f->content, hash_bytes(*ret, *len, hash_seed()));
	return 0;
}

/* Whether the entry is a manifest. A link counts as its target; one without a target is kept, so that reading it
 * reports that. */
static bool is_manifest(const struct folder *f, const char *name)
{
	struct stat st;

	return fstatat(f->fd, name, &st, 0) < 0 || S_ISREG(st.st_mode);
}

static int folder_list(void *ctx, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		       struct err *err)
{
	struct folder *f = ctx;
	int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *d;

	if (!dir) {
		r = err_set(err, errno, "list the folder: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return r;
	}
	errno = 0;
	while (r == 0 && (d = readdir(dir))) {
		if (is_manifest(f, d->d_name))
			r = entry(entry_ctx, str_from(d->d_name), err);
		errno = 0;
	}
	if (r == 0 && errno)
		r = err_set(err, errno, "list the folder: %s", strerror(errno));
	closedir(dir);
	return r;
}

int cfg_module_load(const struct kg_instance *instance, const struct limits *limits, struct key_table *keys,
		    uint64_t *content, struct kg_module **ret, struct err *err)
{
	CLEANUP(folder_close) struct folder f = { .fd = -1, .content = *content };
	struct kg_folder files = { folder_read, folder_list, &f };
	int r = folder_open(&f, instance, err);

	if (r == 0)
		r = kg_module_generate(instance, &files, limits, keys, ret, err);
	*content = f.content;
	return r;
}

/* ---- bundles ---- */

static bool is_wanted(str name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(name, str_from(names[i])))
			return true;
	}
	return n == 0;
}

static int load_bundle(const char *path, const struct limits *limits, struct key_table *keys, struct cfg_bundle *ret,
		       struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t len;
	int r = file_read(path, limits->file_bytes, &text, &len, err);

	if (r == 0)
		r = kg_bundle_parse((str){ text, len }, str_from(path), limits, keys, &ret->bundle, err);
	if (r == 0)
		ret->content = hash_bytes(text, len, hash_seed());
	return r;
}

/* Generate the wanted instances. Together they have the memory limit of one evaluation. */
static int load_modules(struct cfg_bundle *b, const char *path, const char *const *names, size_t n_names,
			const struct limits *limits, struct key_table *keys, struct err *err)
{
	size_t used = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->bundle->n_modules; i++) {
		const struct kg_instance *instance = &b->bundle->modules[i].instance;

		if (!is_wanted(instance->name, names, n_names))
			continue;
		r = cfg_module_load(instance, limits, keys, &b->content, &b->modules[i], err);
		used += r == 0 ? kg_eval_memory(&b->modules[i]->eval) : 0;
		if (used > limits->arena_bytes)
			r = err_set(err, E2BIG, "%s: its modules need more than %zu bytes of memory", path,
				    limits->arena_bytes);
	}
	return r;
}

int cfg_bundle_load(const char *path, const char *const *names, size_t n_names, const struct limits *limits,
		    struct key_table *keys, struct cfg_bundle *ret, struct err *err)
{
	int r;

	*ret = (struct cfg_bundle){ 0 };
	r = load_bundle(path, limits, keys, ret, err);
	if (r < 0)
		return r;
	ret->modules = calloc(ret->bundle->n_modules + 1, sizeof(struct kg_module *));
	if (!ret->modules)
		return err_nomem(err);
	return load_modules(ret, path, names, n_names, limits, keys, err);
}

void cfg_bundle_done(struct cfg_bundle *b)
{
	for (size_t i = 0; b->modules && i < b->bundle->n_modules; i++)
		kg_module_free(b->modules[i]);
	free(b->modules);
	kg_bundle_free(b->bundle);
	*b = (struct cfg_bundle){ 0 };
}
