/* Reads the journal through sd-journal: matches, places, waiting. */
#include "daemon/events/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

#define FIELD_BYTES_MAX ((size_t)64 << 10) /* bytes of a compressed field */
#define HINT "members of the group systemd-journal may read it"

struct journal {
	sd_journal *j;
	bool partial;
};

static int failed(struct err *err, int r, const char *what)
{
	return err_set(err, r < 0 ? -r : EIO, "%s: %s", what, strerror(r < 0 ? -r : EIO));
}

/* ---- what may not be read ---- */

/* Whether the folder, or a journal file in it, exists but may not be read, about which sd-journal says nothing. In
 * the local journal only system*.journal counts: the other files belong to users, who have their own. */
static bool folder_denies(const char *path, const char *prefix)
{
	DIR *dir = opendir(path);
	const struct dirent *e;
	bool denied = !dir && errno == EACCES;

	while (dir && !denied && (e = readdir(dir))) {
		str name = str_from(e->d_name);

		if (str_has_prefix(name, str_from(prefix)) &&
		    (str_has_suffix(name, STR(".journal")) || str_has_suffix(name, STR(".journal~"))))
			denied = faccessat(dirfd(dir), e->d_name, R_OK, AT_EACCESS) < 0 && errno == EACCES;
	}
	if (dir)
		closedir(dir);
	return denied;
}

static bool place_denies(const struct journal_place *where, const struct event_filter *filter)
{
	static const char *const tops[] = { "/var/log/journal", "/run/log/journal" };
	char path[sizeof("/var/log/journal/") + sizeof(filter->machine)];

	if (where->files)
		return false; /* sd-journal reports this itself */
	if (where->directory)
		return folder_denies(where->directory, "");
	for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", tops[i], filter->machine);
		if (folder_denies(path, "system"))
			return true;
	}
	return false;
}

/* ---- matches ---- */

static int match(sd_journal *j, const char *name, const char *value)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s=%s", name, value);

	return n < 0 || (size_t)n >= sizeof(text) ? -E2BIG : sd_journal_add_match(j, text, (size_t)n);
}

/* Add the matches of the filter. Values of one field are alternatives, and all fields must match
 * (sd_journal_add_match(3)). */
static int match_filter(sd_journal *j, const struct event_filter *f)
{
	const struct {
		const char *name, *value;
	} fields[] = {
		{ "SYSLOG_IDENTIFIER", "driftd" },
		{ "DRIFTD_CLUSTER", f->cluster },
		{ "DRIFTD_NAMESPACE", f->namespace },
		{ "DRIFTD_NAME", f->name },
	};
	int r = 0;

	for (int m = 0; m < MESSAGES && r >= 0; m++) {
		if (!f->messages || f->messages & UINT64_C(1) << m)
			r = match(j, "MESSAGE_ID", message_id((enum message)m));
	}
	for (size_t i = 0; i < ARRAY_LEN(fields) && r >= 0; i++) {
		if (fields[i].value)
			r = match(j, fields[i].name, fields[i].value);
	}
	return r;
}

/* ---- opening ---- */

static int open_place(const struct journal_place *where, sd_journal **ret)
{
	if (where->directory)
		return sd_journal_open_directory(ret, where->directory, 0);
	if (where->files)
		return sd_journal_open_files(ret, (const char **)where->files, 0);
	return sd_journal_open(ret, SD_JOURNAL_LOCAL_ONLY);
}

static int look_at(struct journal *j, const struct journal_place *where, const struct event_filter *filter,
		   struct err *err)
{
	const char *what = where->directory ? where->directory : where->files ? where->files[0] : "the journal";
	uint64_t bytes = 0;
	int r = open_place(where, &j->j);

	if (r == -EACCES || r == -EPERM)
		return err_set(err, EACCES, "%s may not be read; " HINT, what);
	if (r < 0)
		return failed(err, r, what);
	j->partial = place_denies(where, filter);
	r = sd_journal_get_usage(j->j, &bytes);
	if (r >= 0 && bytes == 0 && j->partial)
		return err_set(err, EACCES, "%s may not be read; " HINT, what);
	if (r >= 0 && bytes == 0)
		return err_set(err, ENOENT, "%s: there are no journal files", what);
	if (r >= 0)
		r = sd_journal_set_data_threshold(j->j, FIELD_BYTES_MAX);
	if (r >= 0)
		r = match_filter(j->j, filter);
	if (r >= 0 && where->follow)
		r = sd_journal_get_fd(j->j); /* no record is missed after this */
	return r < 0 ? failed(err, r, what) : 0;
}

int journal_open_place(const struct journal_place *where, const struct event_filter *filter, struct journal **ret,
		       struct err *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	int r = j ? look_at(j, where, filter, err) : err_nomem(err);

	if (r < 0) {
		journal_free(j);
		return r;
	}
	*ret = j;
	return 0;
}

void journal_free(struct journal *j)
{
	if (j)
		sd_journal_close(j->j);
	free(j);
}

bool journal_is_partial(const struct journal *j)
{
	return j->partial;
}

/* ---- reading ---- */

int journal_to_head(struct journal *j, struct err *err)
{
	int r = sd_journal_seek_head(j->j);

	return r < 0 ? failed(err, r, "the journal's first record") : 0;
}

int journal_to_tail(struct journal *j, struct err *err)
{
	int r = sd_journal_seek_tail(j->j);

	return r < 0 ? failed(err, r, "the journal's last record") : 0;
}

int journal_to_time(struct journal *j, int64_t usec, struct err *err)
{
	int r = sd_journal_seek_realtime_usec(j->j, (uint64_t)usec);

	return r < 0 ? failed(err, r, "a time in the journal") : 0;
}

int journal_to_cursor(struct journal *j, const char *cursor, struct err *err)
{
	int r = sd_journal_seek_cursor(j->j, cursor);

	if (r == -EINVAL)
		return err_set(err, EINVAL, "'%.100s' is not a cursor", cursor);
	if (r >= 0)
		r = sd_journal_next(j->j);
	if (r > 0 && sd_journal_test_cursor(j->j, cursor) == 0) { /* the record after the one with the cursor */
		r = sd_journal_previous(j->j);
		if (r == 0)
			r = sd_journal_seek_head(j->j);
	}
	return r < 0 ? failed(err, r, "a cursor of the journal") : 0;
}

int journal_step(struct journal *j, bool back, struct err *err)
{
	int r = back ? sd_journal_previous(j->j) : sd_journal_next(j->j);

	return r < 0 ? failed(err, r, "the next record of the journal") : r;
}

int journal_usec(struct journal *j, int64_t *ret, struct err *err)
{
	uint64_t usec;
	int r = sd_journal_get_realtime_usec(j->j, &usec);

	if (r < 0)
		return failed(err, r, "the time of a record");
	*ret = usec > INT64_MAX ? INT64_MAX : (int64_t)usec;
	return 0;
}

int journal_read(struct journal *j, struct event *ret, struct err *err)
{
	CLEANUP(freep) char *cursor = NULL;
	const void *data;
	size_t n;
	int r;

	event_clear(ret);
	r = journal_usec(j, &ret->usec, err);
	if (r < 0)
		return r;
	if (sd_journal_get_cursor(j->j, &cursor) >= 0)
		ret->cursor = arena_str(&ret->arena, str_from(cursor));
	sd_journal_restart_data(j->j);
	while ((r = sd_journal_enumerate_available_data(j->j, &data, &n)) > 0)
		event_add(ret, (str){ data, n });
	return r < 0 ? failed(err, r, "a record of the journal") : 0;
}

/* ---- waiting ---- */

/* The time until the earlier of @until_usec and the timeout of sd-journal; NULL: for ever. */
static const struct timespec *patience(struct journal *j, int64_t until_usec, struct timespec *ret)
{
	uint64_t monotonic = UINT64_MAX;
	struct timespec now;
	int64_t left = INT64_MAX, usec;

	if (until_usec) {
		clock_gettime(CLOCK_REALTIME, &now);
		left = until_usec + 1 - (now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000);
	}
	if (sd_journal_get_timeout(j->j, &monotonic) >= 0 && monotonic < INT64_MAX) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		usec = (int64_t)monotonic - (now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000);
		left = usec < left ? usec : left;
	}
	if (left == INT64_MAX)
		return NULL;
	left = left < 0 ? 0 : left;
	*ret = (struct timespec){ left / 1000000, left % 1000000 * 1000 };
	return ret;
}

int journal_await(struct journal *j, int64_t until_usec, const sigset_t *signals, struct err *err)
{
	struct pollfd fds[] = { { .fd = sd_journal_get_fd(j->j) }, { .fd = STDOUT_FILENO } };
	struct timespec left;
	int r = sd_journal_get_events(j->j);

	if (r < 0 || fds[0].fd < 0)
		return failed(err, r < 0 ? r : fds[0].fd, "following the journal");
	fds[0].events = (short)r;
	if (ppoll(fds, ARRAY_LEN(fds), patience(j, until_usec, &left), signals) < 0 && errno != EINTR)
		return failed(err, -errno, "following the journal");
	if (fds[1].revents & (POLLERR | POLLHUP))
		return err_set(err, EPIPE, "standard output: %s", strerror(EPIPE));
	r = sd_journal_process(j->j);
	return r < 0 ? failed(err, r, "following the journal") : 0;
}
