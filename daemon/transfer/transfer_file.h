/* The file format of an export: lines of JSON, first a head, last an end, which contains the number and the hash of
 * the lines before it. It has the key of the state folder and is as confidential as the folder. */
#ifndef DAEMON_TRANSFER_TRANSFER_FILE_H
#define DAEMON_TRANSFER_TRANSFER_FILE_H

#include "base/buf.h"

#define TRANSFER_VERSION 1
#define TRANSFER_LINE_MAX ((size_t)32 << 20)
#define TRANSFER_LINES_MAX INT64_C(1000000000)
#define TRANSFER_HASH_SIZE 65

/* ---- out ---- */

struct transfer_out;

/* Begin to write to @path. The file appears with mode 0600 when transfer_out_end succeeds, and is not touched
 * before; a device or a pipe is written to directly. NULL, "-": standard output. Fail: codes of open(2), write(2),
 * rename(2), ENOMEM. */
CHECKED int transfer_out_new(const char *path, struct transfer_out **ret, struct err *err);
/* Write @line, which comes without a line end. Fails also: E2BIG. */
CHECKED int transfer_out_line(struct transfer_out *o, const struct buf *line, struct err *err);
/* Write the last line, and let the file appear. */
CHECKED int transfer_out_end(struct transfer_out *o, struct err *err);
/* Free @o. Without transfer_out_end nothing is left of the file. NULL is fine. */
void transfer_out_free(struct transfer_out *o);
DEFINE_CLEANUP(struct transfer_out *, transfer_out_free)

/* ---- in ---- */

struct transfer_in;

/* Begin to read @path; "-": standard input. Fails: codes of open(2), ENOMEM. */
CHECKED int transfer_in_new(const char *path, struct transfer_in **ret, struct err *err);
void transfer_in_free(struct transfer_in *i); /* NULL is fine */
DEFINE_CLEANUP(struct transfer_in *, transfer_in_free)
/* The next line without its end, valid until the next call. 1; 0: there is none. Fails: E2BIG, EBADMSG (the last
 * line has no end), codes of read(2), ENOMEM. */
CHECKED int transfer_in_line(struct transfer_in *i, str *ret, struct err *err);
/* The number and the hash of the lines before the last one that was read. */
int64_t transfer_in_lines(const struct transfer_in *i);
CHECKED int transfer_in_hash(const struct transfer_in *i, char ret[TRANSFER_HASH_SIZE], struct err *err);

#endif
