/* The file that carries a state: lines of JSON, a head first and an end last, which counts and hashes what is above it.
 * It holds the key of the state folder: it is as confidential as the folder. */
#ifndef DAEMON_TRANSFER_TRANSFER_FILE_H
#define DAEMON_TRANSFER_TRANSFER_FILE_H

#include "base/buf.h"

#define TRANSFER_VERSION 1
#define TRANSFER_LINE_MAX ((size_t)32 << 20)
#define TRANSFER_LINES_MAX INT64_C(1000000000)
#define TRANSFER_HASH_SIZE 65

/* ---- out ---- */

struct transfer_out;

/* To @path, which is there with mode 0600 when transfer_out_end has succeeded, and not touched before; a device or
 * a pipe is written to as it is. NULL, "-": standard output. Fail: codes of open(2), write(2), rename(2), ENOMEM. */
CHECKED int transfer_out_new(const char *path, struct transfer_out **ret, struct err *err);
/* @line is without its end. Fails also: E2BIG. */
CHECKED int transfer_out_line(struct transfer_out *o, const struct buf *line, struct err *err);
/* Writes the last line. */
CHECKED int transfer_out_end(struct transfer_out *o, struct err *err);
/* Without transfer_out_end nothing is left. NULL is fine. */
void transfer_out_free(struct transfer_out *o);
DEFINE_CLEANUP(struct transfer_out *, transfer_out_free)

/* ---- in ---- */

struct transfer_in;

/* "-": standard input. Fails: codes of open(2), ENOMEM. */
CHECKED int transfer_in_new(const char *path, struct transfer_in **ret, struct err *err);
void transfer_in_free(struct transfer_in *i); /* NULL is fine */
DEFINE_CLEANUP(struct transfer_in *, transfer_in_free)
/* The next line without its end, until the next call. 1; 0: there is none. Fails: E2BIG, EBADMSG (the last line has no
 * end), codes of read(2), ENOMEM. */
CHECKED int transfer_in_line(struct transfer_in *i, str *ret, struct err *err);
/* The number and the hash of the lines before the one that was read last. */
int64_t transfer_in_lines(const struct transfer_in *i);
CHECKED int transfer_in_hash(const struct transfer_in *i, char ret[TRANSFER_HASH_SIZE], struct err *err);

#endif
