/* Reads the log of SQLite, and the index of it that processes share. */
#include "daemon/store/database/database_internal.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOG_HEAD 32
#define FRAME_HEAD 24
#define PAGE_MAX 65536
#define MAGIC 0x377f0682u /* without the last bit, which says that the words of checksums are big-endian */
#define INDEX_HEAD 136
#define INDEX_VERSION 3007000u

/* The readable part of a log. */
struct log {
	uint32_t page;    /* the size of a page; 0: the log has no head */
	uint32_t salt[2]; /* the salt in the byte order of the file */
	uint32_t frames;  /* frames from the first one on that are intact */
	bool more;        /* the end of a transaction of the same round follows these frames */
};

struct sum {
	uint32_t a, b;
};

static uint32_t big(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t word(const unsigned char *p, bool is_big)
{
	return is_big ? big(p) : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static void add(struct sum *s, const unsigned char *p, size_t n, bool is_big)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		s->a += word(p + i, is_big) + s->b;
		s->b += word(p + i + 4, is_big) + s->a;
	}
}

static bool read_head(int fd, struct log *l, struct sum *sum, bool *is_big)
{
	unsigned char head[LOG_HEAD];

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || (big(head) & ~1u) != MAGIC)
		return false;
	*is_big = big(head) & 1;
	add(sum, head, 24, *is_big);
	memcpy(l->salt, head + 16, sizeof(l->salt));
	if (sum->a != big(head + 24) || sum->b != big(head + 28) || big(head + 8) > PAGE_MAX || big(head + 8) < 512)
		return false;
	l->page = big(head + 8);
	return true;
}

static void read_log(int fd, struct log *l)
{
	unsigned char frame[FRAME_HEAD + PAGE_MAX];
	struct sum sum = { 0 };
	bool is_big = false, whole = true;

	*l = (struct log){ 0 };
	if (!read_head(fd, l, &sum, &is_big))
		return;
	for (off_t at = LOG_HEAD;; at += FRAME_HEAD + (off_t)l->page) {
		ssize_t n = pread(fd, frame, FRAME_HEAD + (size_t)l->page, at);

		if (n != (ssize_t)(FRAME_HEAD + l->page))
			return;
		if (memcmp(frame + 8, l->salt, sizeof(l->salt)) != 0) { /* a frame of an earlier round, or none */
			whole = false;
			continue;
		}
		add(&sum, frame, 8, is_big);
		add(&sum, frame + FRAME_HEAD, l->page, is_big);
		whole = whole && sum.a == big(frame + 16) && sum.b == big(frame + 20);
		l->frames += whole;
		l->more |= !whole && big(frame + 4) != 0;
	}
}

/* How many frames the log has according to its index, if some are not copied yet, otherwise 0; -1: it is no index of
 * that log. */
static int64_t frames_by_index(const char *path, const struct log *l)
{
	unsigned char head[INDEX_HEAD];
	uint32_t version, frames, copied;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : pread(fd, head, sizeof(head), 0);

	if (fd >= 0)
		(void)close(fd);
	if (n != sizeof(head) || memcmp(head, head + 48, 48) != 0 || !head[12])
		return -1;
	memcpy(&version, head, sizeof(version));
	memcpy(&frames, head + 16, sizeof(frames));
	memcpy(&copied, head + 96, sizeof(copied));
	if (version != INDEX_VERSION || (l->page && memcmp(l->salt, head + 32, sizeof(l->salt)) != 0))
		return -1;
	return copied < frames ? frames : 0;
}

static bool copy_aside(const char *path)
{
	CLEANUP(freep) char *to = NULL;
	CLEANUP(freep) char *bytes = NULL;
	struct err ignored;
	size_t n;
	int fd, r;

	if (asprintf(&to, "%s.bad", path) < 0 || file_read(path, (size_t)1 << 30, &bytes, &n, &ignored) < 0)
		return false;
	fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	r = file_write_all(fd, (str){ bytes, n });
	return close(fd) == 0 && r == 0;
}

int log_check(const char *path, struct err *why)
{
	CLEANUP(freep) char *log = NULL, *index = NULL;
	struct log l = { 0 };
	struct stat st = { 0 };
	int64_t known;
	int fd;

	if (asprintf(&log, "%s-wal", path) < 0 || asprintf(&index, "%s-shm", path) < 0 || access(path, F_OK) < 0)
		return 0;
	fd = open(log, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return 0; /* opening the database will report it */
	if (fd >= 0) {
		(void)fstat(fd, &st);
		read_log(fd, &l);
		(void)close(fd);
	}
	/* Without an index this is uncertain: frames of an interrupted transaction may follow those that count. */
	known = frames_by_index(index, &l);
	if (known >= 0 ? known <= (int64_t)l.frames : !l.more && (l.page || st.st_size == 0))
		return 0;
	return err_set(why, EBADMSG,
		       "the log '%s' of the state database is damaged: %u frames of it can be read, and what was "
		       "stored after them is lost%s",
		       log, (unsigned)l.frames,
		       st.st_size && copy_aside(log) ? "; it is kept with .bad at its end" : "");
}
