/* Reads and writes whole files, for code that may do so: evaluation never calls this. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"

/* Read the whole file at @path (relative to the folder @dir_fd, or AT_FDCWD), at most @max bytes, into *ret (with a
 * NUL behind it; free() it) and its length into *len. "-" is not special. Fails: E2BIG; EISDIR and the other codes
 * of open(2) and read(2); ENOMEM. The message names the path. */
CHECKED int file_read_at(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err);
/* As file_read_at, relative to the working directory. */
CHECKED int file_read(const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* As file_read, for a regular file: a device or a pipe fails with EINVAL at once. */
CHECKED int file_read_regular(const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* As file_read_at, for a regular file below the folder @dir_fd. A path that leads out of the folder, by itself or by
 * a link, fails with EXDEV; a file that is not regular (device, pipe, …) fails with EINVAL or EISDIR at once. */
CHECKED int file_read_beneath(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* A fingerprint of the state of the file at @path, made without reading it: every write or replacement changes the
 * file's place on disk, its size or one of its times. 0: there is no file. */
uint64_t file_state(const char *path);

/* Make the folder @path, which is not empty, and the missing ones above it. */
CHECKED int file_make_folders(const char *path, struct err *err);

/* Write all of @text. Returns 0 or a negated errno of write(2). */
CHECKED int file_write_all(int fd, str text);

#endif
