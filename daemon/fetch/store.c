/* Writes revisions and the links to them. */
#include "daemon/fetch/store.h"

#include "base/file.h"
#include "config/source_files.h"
#include "config/source_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER_MODE 0750
#define FILE_MODE 0640
#define DEPTH_MAX 64

/* ---- paths ---- */

/* Make STORE/@what/@name in *ret; false without memory. */
static bool path_below(const char *store, const char *what, str name, char **ret)
{
	if (asprintf(ret, "%s/%s%s%.*s", store, what, name.n ? "/" : "", STR_ARG(name)) >= 0)
		return true;
	*ret = NULL;
	return false;
}

/* Make a folder. A link to a folder in another place does not count as one. */
static int make_folder(const char *path, struct err *err)
{
	struct stat st;

	if (mkdir(path, FOLDER_MODE) == 0 || (errno == EEXIST && lstat(path, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return err_set(err, errno, "make folder '%s': %s", path, strerror(errno));
}

static int make_below(const char *store, const char *what, struct err *err)
{
	CLEANUP(freep) char *path = NULL;

	return path_below(store, what, STR(""), &path) ? make_folder(path, err) : err_nomem(err);
}

/* ---- removing ---- */

static void remove_in(int folder, const char *name, unsigned depth)
{
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (!d && fd >= 0)
		close(fd);
	while (d && depth < DEPTH_MAX && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_in(dirfd(d), e->d_name, depth + 1);
	}
	if (d)
		closedir(d);
	(void)unlinkat(folder, name, d ? AT_REMOVEDIR : 0);
}

void store_remove(const char *path)
{
	remove_in(AT_FDCWD, path, 0);
}

static void remove_folder(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		store_remove(path);
}

void store_make_way(const char *path)
{
	CLEANUP(freep) char *beside = NULL;

	if (asprintf(&beside, "%s.new", path) < 0)
		beside = NULL;
	if (beside)
		remove_folder(beside);
	remove_folder(path);
}

int store_make_folder(const char *path, mode_t mode, struct err *err)
{
	struct stat st;

	if (lstat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		(void)unlink(path);
	if (mkdir(path, mode) < 0 && errno != EEXIST)
		return err_set(err, errno, "make folder '%s': %s", path, strerror(errno));
	return 0;
}

/* Call @each for the names in STORE/@what. */
static void each_in(const char *store, const char *what, void (*each)(void *ctx, const char *path, str name), void *ctx)
{
	CLEANUP(freep) char *folder = NULL;
	int fd = path_below(store, what, STR(""), &folder)
			 ? open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			 : -1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (d && (e = readdir(d))) {
		CLEANUP(freep) char *path = NULL;

		if (e->d_name[0] != '.' && path_below(store, what, str_from(e->d_name), &path))
			each(ctx, path, str_from(e->d_name));
	}
	if (d)
		closedir(d);
}

static void remove_left(void *ctx, const char *path, str name)
{
	(void)ctx;
	(void)name;
	store_remove(path);
}

/* ---- opening ---- */

static int take_lock(const char *store, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	int fd;

	if (!path_below(store, "lock", STR(""), &path))
		return err_nomem(err);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", path, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0; /* @fd stays open, so that the lock lasts as long as the process */
	close(fd);
	return err_set(err, EAGAIN, "another driftd-fetch works in '%s'", store);
}

/* Returns a descriptor that has the lock of the folder of revisions until it is closed. */
static int lock_revisions(const char *store, int how, struct err *err)
{
	CLEANUP(freep) char *path = NULL;
	int fd;

	if (!path_below(store, "revisions", STR(""), &path))
		return err_nomem(err);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno, "open folder '%s': %s", path, strerror(errno));
	if (flock(fd, how) == 0)
		return fd;
	(void)!err_set(err, errno, "lock folder '%s': %s", path, strerror(errno));
	close(fd);
	return -err->code;
}

int store_lock(const char *store, struct err *err)
{
	return lock_revisions(store, LOCK_SH, err);
}

int store_become_owner(const char *store, struct err *err)
{
	struct stat st;

	if (geteuid() != 0 || stat(store, &st) < 0 || st.st_uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setgid(st.st_gid) < 0 || setuid(st.st_uid) < 0)
		return err_set(err, errno, "become the owner of '%s': %s", store, strerror(errno));
	return 0;
}

void store_sweep(const char *store)
{
	each_in(store, "tmp", remove_left, NULL);
}

int store_open(const char *store, struct err *err)
{
	static const char *const folders[] = { "revisions", "sources", "tmp" };
	int r = file_make_folders(store, err);

	for (size_t i = 0; i < ARRAY_LEN(folders) && r == 0; i++)
		r = make_below(store, folders[i], err);
	if (r == 0)
		r = take_lock(store, err);
	if (r == 0)
		store_sweep(store);
	return r;
}

int store_scratch(const char *store, str name, char **ret, struct err *err)
{
	CLEANUP(freep) char *path = NULL;

	if (asprintf(&path, "%s/tmp/%.*s.XXXXXX", store, STR_ARG(name)) < 0) {
		path = NULL;
		return err_nomem(err);
	}
	if (!mkdtemp(path))
		return err_set(err, errno, "make folder '%s': %s", path, strerror(errno));
	*ret = TAKE(path);
	return 0;
}

/* ---- a revision ---- */

/* Make the parent folders of @path, which is below @root. */
static int make_parents(int root, str path, struct err *err)
{
	CLEANUP(freep) char *copy = str_dup(path);

	if (!copy)
		return err_nomem(err);
	for (char *p = copy; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdirat(root, copy, FOLDER_MODE) < 0 && errno != EEXIST)
			return err_set(err, errno, "make folder '%s': %s", copy, strerror(errno));
		*p = '/';
	}
	return 0;
}

static int write_file(int root, str path, str text, struct err *err)
{
	CLEANUP(freep) char *name = str_dup(path);
	int fd, r;

	if (!name)
		return err_nomem(err);
	fd = openat(root, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		return err_set(err, errno, "open '%s': %s", name, strerror(errno));
	r = file_write_all(fd, text);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "write '%s': %s", name, strerror(-r)) : 0;
}

static int write_files(int root, const struct source_file *files, size_t n, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = make_parents(root, files[i].path, err);
		if (r == 0)
			r = write_file(root, files[i].path, files[i].text, err);
	}
	return r;
}

/* Fill the folder @path, and sync all of it to the disk. */
static int fill(const char *path, str about, const struct source_file *files, size_t n, struct err *err)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), root = -1, r;

	if (folder < 0)
		return err_set(err, errno, "open folder '%s': %s", path, strerror(errno));
	r = write_file(folder, STR("revision.json"), about, err);
	if (r == 0 && (mkdirat(folder, "files", FOLDER_MODE) < 0 || fchmod(folder, FOLDER_MODE) < 0))
		r = err_set(err, errno, "make folder '%s/files': %s", path, strerror(errno));
	if (r == 0)
		root = openat(folder, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r == 0)
		r = root < 0 ? err_set(err, errno, "open folder '%s/files': %s", path, strerror(errno))
			     : write_files(root, files, n, err);
	if (r == 0 && syncfs(folder) < 0)
		r = err_set(err, errno, "write '%s': %s", path, strerror(errno));
	if (root >= 0)
		close(root);
	close(folder);
	return r;
}

/* Rename a folder, which makes it a revision. */
static int name_revision(const char *from, const char *to, struct err *err)
{
	struct stat st;

	if (rename(from, to) == 0)
		return source_sync_folder(to, err);
	if ((errno == EEXIST || errno == ENOTEMPTY) && stat(to, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return err_set(err, errno, "rename '%s': %s", from, strerror(errno));
}

static int put(const char *store, const char *id, str about, const struct source_file *files, size_t n, struct err *err)
{
	CLEANUP(freep) char *scratch = NULL, *to = NULL;
	CLEANUP(source_files_done) struct source_files known = { 0 };
	int r;

	if (!path_below(store, "revisions", str_from(id), &to))
		return err_nomem(err);
	if (source_files_read(store, str_from(id), &known, err) == 0)
		return 0;
	store_remove(to); /* the folder does not match its name: a disk failed, or somebody has modified it */
	r = store_scratch(store, STR("revision"), &scratch, err);
	if (r < 0)
		return r;
	r = fill(scratch, about, files, n, err);
	if (r == 0)
		r = name_revision(scratch, to, err);
	store_remove(scratch);
	return r;
}

int store_put(const char *store, const struct source_revision *about, struct tree *tree, char ret[SOURCE_ID_SIZE],
	      struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SOURCE_REVISION_MAX);
	CLEANUP(freep) struct source_file *list = NULL;
	struct source_revision whole = *about;
	const struct tree_file *files = tree_files(tree, &whole.n_files);
	int r;

	if (!whole.n_files)
		return err_set(err, EINVAL, "there is no file in what was fetched");
	list = calloc(whole.n_files, sizeof(*list));
	if (!files || !list)
		return err_nomem(err);
	for (size_t i = 0; i < whole.n_files; i++)
		list[i] = (struct source_file){ files[i].path, files[i].text };
	whole.n_bytes = tree_bytes(tree);
	whole.n_left_out = tree_left_out(tree);
	r = source_revision_write(&whole, &text, err);
	if (r < 0)
		return r;
	if (!source_files_id(buf_str(&text), list, whole.n_files, ret))
		return err_nomem(err);
	return put(store, ret, buf_str(&text), list, whole.n_files, err);
}

int store_link(const char *store, str name, const char *id, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX), beside = BUF_INIT(PATH_MAX), link = BUF_INIT(PATH_MAX);
	int r;

	source_store_current(store, name, &path);
	buf_printf(&beside, "%s.new", path.p ? path.p : "");
	source_store_link(str_from(id), &link);
	r = buf_error(&beside, "the path of the store", err);
	if (r < 0)
		return r;
	store_make_way(path.p);
	(void)unlink(beside.p);
	if (symlink(link.p, beside.p) < 0 || rename(beside.p, path.p) < 0)
		return err_set(err, errno, "write link '%s': %s", path.p, strerror(errno));
	return source_sync_folder(path.p, err);
}

/* ---- what nobody needs ---- */

struct collecting {
	const char *store;
	const struct source_request *request;
	const str *busy;
	size_t n_busy;
};

static bool is_asked_for(const struct source_request *r, str name)
{
	for (size_t i = 0; i < r->n; i++) {
		if (str_eq(r->wishes[i].source.name, name))
			return true;
	}
	return false;
}

static bool is_busy(const struct collecting *c, str name)
{
	for (size_t i = 0; i < c->n_busy; i++) {
		if (str_eq(c->busy[i], name))
			return true;
	}
	return false;
}

static void collect_source(void *ctx, const char *path, str name)
{
	const struct collecting *c = ctx;

	if (!is_asked_for(c->request, name) && !is_busy(c, name))
		store_remove(path);
}

static bool is_kept(const struct collecting *c, const struct source_wish *w, str id)
{
	char current[SOURCE_ID_SIZE];
	struct err err;

	for (size_t i = 0; i < w->n_kept; i++) {
		if (str_eq(w->kept[i], id))
			return true;
	}
	return source_store_find(c->store, w->source.name, current, &err) == 0 && str_eq(str_from(current), id);
}

static bool is_young(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_ctime + STORE_GRACE_S > time(NULL);
}

static void collect_revision(void *ctx, const char *path, str id)
{
	const struct collecting *c = ctx;

	for (size_t i = 0; i < c->request->n; i++) {
		if (is_kept(c, &c->request->wishes[i], id))
			return;
	}
	if (!is_young(path))
		store_remove(path);
}

bool store_collect(const char *store, const struct source_request *r, const str *busy, size_t n_busy)
{
	struct collecting c = { store, r, busy, n_busy };
	struct err err;
	int lock_fd = lock_revisions(store, LOCK_EX | LOCK_NB, &err);

	if (lock_fd == -EWOULDBLOCK)
		return false;
	if (lock_fd < 0) /* there is no folder to look at */
		return true;
	each_in(store, "sources", collect_source, &c);
	each_in(store, "revisions", collect_revision, &c);
	close(lock_fd);
	return true;
}
