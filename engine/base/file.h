/* Reading and writing whole files, for those who may: evaluation never comes here. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"

/* The whole file at @path (relative to the folder @dir_fd, or AT_FDCWD), at most @max bytes, in *ret (NUL behind it,
 * free() it) and *len.
 * "-" is not special. Fails: E2BIG; EISDIR and the other codes of open(2) and read(2); ENOMEM. The message names the
 * path. */
CHECKED int file_read_at(int dir_fd, const char *path, size_t max, char **ret, size_t *len, struct err *err);
/* The same relative to the working directory. */
CHECKED int file_read(const char *path, size_t max, char **ret, size_t *len, struct err *err);

/* Write all of @text. Returns 0 or a negated errno of write(2). */
CHECKED int file_write_all(int fd, str text);

#endif
