/* Finds the folders in which a change of the paths shows, and turns inotify's events into one call. */
#include "kubeclient/kc_files.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* A file that is being written changes several times; a mount of Kubernetes is changed in several steps. */
#define DEBOUNCE_MS 200
/* As many as the kernel follows (path_resolution(7)). */
#define LINKS_MAX 40
#define NAMES_MAX 64

struct kc_folder {
	TAILQ_ENTRY(kc_folder) link;
	struct kc_files *files;
	uv_fs_event_t event;
	char *path;
	char *names[NAMES_MAX]; /* the entries of the folder that matter */
	size_t n_names;
	bool whole; /* all entries matter */
};

static atomic_int failed_lately;

static void free_folder(struct kc_folder *d)
{
	for (size_t i = 0; i < d->n_names; i++)
		free(d->names[i]);
	free(d->path);
	free(d);
}

/* Count a closed handle; after the last one the owner may go. */
static void release(struct kc_files *f)
{
	ASSERT(f->n_open > 0);
	if (--f->n_open == 0 && f->closing && f->closed)
		f->closed(f->ctx);
}

static void on_folder_closed(uv_handle_t *h)
{
	struct kc_folder *d = h->data;
	struct kc_files *f = d->files;

	free_folder(d);
	release(f);
}

static void close_folders(struct kc_folders *list)
{
	struct kc_folder *d;

	while ((d = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, d, link);
		uv_close((uv_handle_t *)&d->event, on_folder_closed);
	}
}

/* ---- what happens in a folder ---- */

static void watch_all(struct kc_files *f);

/* Report a change when all is quiet. Links may lead elsewhere now: the new folders are watched first, so that no
 * change is lost in between. */
static void on_quiet(uv_timer_t *t)
{
	struct kc_files *f = t->data;

	watch_all(f);
	f->changed(f->ctx);
}

/* Whether an event of the folder matters. An event of the folder itself has the folder's own name. */
static bool matters(const struct kc_folder *d, const char *name)
{
	const char *slash = strrchr(d->path, '/');

	if (d->whole || !name || strcmp(name, slash ? slash + 1 : d->path) == 0)
		return true;
	for (size_t i = 0; i < d->n_names; i++)
		if (strcmp(d->names[i], name) == 0)
			return true;
	return false;
}

/* Report soon. The first event starts the timer: constant changes must not delay the report for ever. */
static void report_soon(struct kc_files *f)
{
	if (uv_is_active((uv_handle_t *)&f->timer))
		return;
	uv_update_time(f->loop);
	(void)uv_timer_start(&f->timer, on_quiet, DEBOUNCE_MS, 0);
}

static void on_event(uv_fs_event_t *event, const char *name, int events, int status)
{
	struct kc_folder *d = event->data;
	struct kc_files *f = d->files;

	(void)events;
	if (status < 0 || matters(d, name))
		report_soon(f);
}

/* ---- without the kernel's help ---- */

/* Look at all paths. Return false when nothing has changed since the last look. */
static bool look_at_all(struct kc_files *f)
{
	bool changed = false;

	for (size_t i = 0; i < f->n_paths; i++) {
		uint64_t now = file_state(f->paths[i]);

		changed |= now != f->seen[i];
		f->seen[i] = now;
	}
	return changed;
}

static void on_look(uv_timer_t *t)
{
	struct kc_files *f = t->data;

	watch_all(f); /* watches may be possible again */
	if (look_at_all(f))
		report_soon(f);
}

/* ---- which folders ---- */

static struct kc_folder *folder_of(struct kc_files *f, const char *path)
{
	struct kc_folder *d;
	int r;

	TAILQ_FOREACH(d, &f->folders, link)
	if (strcmp(d->path, path) == 0)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d || !(d->path = str_dup(str_from(path)))) {
		free(d);
		return NULL;
	}
	(void)uv_fs_event_init(f->loop, &d->event); /* always 0 */
	d->event.data = d;
	d->files = f;
	f->n_open++;
	TAILQ_INSERT_TAIL(&f->folders, d, link);
	r = uv_fs_event_start(&d->event, on_event, path, 0);
	if (r < 0)
		f->unwatched = r;
	if (r == -ENOSPC || r == -EMFILE || r == -ENFILE) /* any other failure concerns this folder only */
		failed_lately = r;
	return d;
}

static void add_name(struct kc_files *f, const char *folder, str name)
{
	struct kc_folder *d = folder_of(f, folder);

	if (!d)
		return;
	for (size_t i = 0; i < d->n_names; i++)
		if (str_eq(str_from(d->names[i]), name))
			return;
	if (d->n_names < NAMES_MAX && (d->names[d->n_names] = str_dup(name)))
		d->n_names++;
}

/* The walk along one path: where it is, what is left of the path, and how many links it took. */
struct walk {
	char at[PATH_MAX];   /* a path without links; "/" or "." at the beginning */
	char rest[PATH_MAX]; /* the rest of the path, relative to @at */
	unsigned n_links;
};

static bool set_rest(struct walk *w, const char *target, const char *behind)
{
	char joined[PATH_MAX];
	int n = snprintf(joined, sizeof(joined), "%s%s%s", target, *behind ? "/" : "", behind);

	if (n < 0 || n >= PATH_MAX)
		return false;
	if (*target == '/')
		memcpy(w->at, "/", 2);
	memcpy(w->rest, joined, (size_t)n + 1);
	return true;
}

/* Take one component of the path. Return false at its end. */
static bool step(struct kc_files *f, struct walk *w)
{
	char full[PATH_MAX], target[PATH_MAX], behind[PATH_MAX];
	size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/");
	str name = { w->rest + skip, n };
	ssize_t link;
	int len;

	memcpy(behind, name.p + n, strlen(name.p + n) + 1);
	if (n == 0)
		return false;
	len = snprintf(full, sizeof(full), "%s%s%.*s", w->at, strcmp(w->at, "/") == 0 ? "" : "/", STR_ARG(name));
	if (len < 0 || len >= PATH_MAX)
		return false;
	link = readlink(full, target, sizeof(target) - 1);
	if (link >= 0) {
		target[link] = '\0';
		add_name(f, w->at, name);
		return ++w->n_links <= LINKS_MAX && set_rest(w, target, behind + strspn(behind, "/"));
	}
	/* the component does not exist, or is the end of the path */
	if (errno != EINVAL || !behind[strspn(behind, "/")]) {
		add_name(f, w->at, name);
		return false;
	}
	memcpy(w->at, full, (size_t)len + 1);
	memmove(w->rest, behind, strlen(behind) + 1);
	return true;
}

/* Watch a whole folder under its given name: a folder that another path leads to is watched under that name too. */
static void watch_whole(struct kc_files *f, const char *path)
{
	struct kc_folder *d = str_has_suffix(str_from(path), STR("/")) ? folder_of(f, path) : NULL;

	if (d)
		d->whole = true;
}

static void watch_all(struct kc_files *f)
{
	struct kc_folders old = TAILQ_HEAD_INITIALIZER(old);
	struct walk w;

	f->unwatched = 0;
	TAILQ_CONCAT(&old, &f->folders, link);
	for (size_t i = 0; i < f->n_paths; i++) {
		w.n_links = 0;
		memcpy(w.at, ".", 2);
		if (!set_rest(&w, f->paths[i], ""))
			continue;
		while (step(f, &w))
			;
		watch_whole(f, f->paths[i]);
	}
	close_folders(&old); /* the last step, so that folders that stay watched miss nothing */
	if (f->unwatched)
		(void)uv_timer_start(&f->look, on_look, KC_FILES_LOOK_MS, 0);
	else
		(void)uv_timer_stop(&f->look);
}

int kc_files_unwatched(void)
{
	return failed_lately;
}

/* ---- life ---- */

void kc_files_init(struct kc_files *f, uv_loop_t *loop, void (*changed)(void *ctx), void *ctx)
{
	*f = (struct kc_files){ .loop = loop, .changed = changed, .ctx = ctx, .n_open = 2 };
	TAILQ_INIT(&f->folders);
	(void)uv_timer_init(loop, &f->timer); /* always 0 */
	(void)uv_timer_init(loop, &f->look);
	f->timer.data = f->look.data = f;
}

static void free_paths(struct kc_files *f)
{
	for (size_t i = 0; i < f->n_paths; i++)
		free(f->paths[i]);
	free(f->paths);
	free(f->seen);
	f->paths = NULL;
	f->seen = NULL;
	f->n_paths = 0;
}

void kc_files_watch(struct kc_files *f, const char *const *paths, size_t n)
{
	size_t wanted = 0;

	free_paths(f);
	for (size_t i = 0; i < n; i++)
		wanted += paths[i] != NULL;
	if (wanted) {
		f->paths = calloc(wanted, sizeof(*f->paths));
		f->seen = calloc(wanted, sizeof(*f->seen));
	}
	for (size_t i = 0; f->paths && f->seen && i < n; i++)
		if (paths[i] && (f->paths[f->n_paths] = str_dup(str_from(paths[i]))))
			f->n_paths++;
	(void)look_at_all(f);
	watch_all(f);
}

static void on_timer_closed(uv_handle_t *h)
{
	release(h->data);
}

void kc_files_close(struct kc_files *f, void (*closed)(void *ctx))
{
	ASSERT(!f->closing);
	f->closing = true;
	f->closed = closed;
	free_paths(f);
	close_folders(&f->folders);
	uv_close((uv_handle_t *)&f->timer, on_timer_closed);
	uv_close((uv_handle_t *)&f->look, on_timer_closed);
}
