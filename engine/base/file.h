/* Reading and writing whole files, for those who may: evaluation never comes here. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"

/* The whole file at @path (relative to the folder @dir_fd, or AT_FDCWD), at most @max bytes, in *ret (NUL behind it,
 * free() it) and *len.
 * "-" is not special. Fails: E2BIG; EISDIR and the other codes of open(2) and read(2); ENOMEM. The message names the
 * path. */
CHECKED int file_read_at(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err);
/* As file_read_at, relative to the working directory. */
CHECKED int file_read(const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* As file_read, for a regular file: a device or a pipe fails with EINVAL, without waiting for it. */
CHECKED int file_read_regular(const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* As file_read_at, for a regular file below the folder @dir_fd: a path, or a link on it, that leads out of the folder
 * fails with EXDEV; what is no regular file (device, pipe, …) with EINVAL or EISDIR, without waiting for it. */
CHECKED int file_read_beneath(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* A fingerprint of the state of the file at @path, made without reading it: every write or replacement changes the
 * file's place on disk, its size or one of its times. 0: there is no file. */
uint64_t file_state(const char *path);

/* Make the folder @path, which is not empty, and those above it, as far as they are missing. */
CHECKED int file_make_folders(const char *path, struct err *err);

/* Write all of @text. Returns 0 or a negated errno of write(2). */
CHECKED int file_write_all(int fd, str text);

#endif
