/* Lines for a reader who may be slow, stopped or gone: over a pipe, a terminal, a file. */
#ifndef DAEMON_FINDINGS_LINE_OUT_H
#define DAEMON_FINDINGS_LINE_OUT_H

#include "base/buf.h"

#define LINE_OUT_MAX (2u << 20)
#define LINE_OUT_ID_MAX 64

/* A line of which only a part could be written is kept: its rest is written before anything else, so that every line
 * is whole. */
struct line_out {
	int fd;          /* the caller's */
	struct buf line; /* the last line */
	size_t written;  /* the part of the line that is written */
	char id[LINE_OUT_ID_MAX];
};

#define LINE_OUT_INIT(descriptor) ((struct line_out){ .fd = (descriptor), .line = BUF_INIT(LINE_OUT_MAX) })
void line_out_done(struct line_out *o);

/* Write @line, which ends with a newline. @id: what the caller calls it, "" or shorter than LINE_OUT_ID_MAX; whoever
 * calls again with the id of the line that was begun writes its rest, and nothing twice. Waits a tenth of a second
 * at most. Fails: EAGAIN: not all is written, call again; EPIPE: nobody reads, and who reads a FIFO next goes on with
 * what is in it; ENOMEM; what write(2) fails with. */
CHECKED int line_out_write(struct line_out *o, str line, const char *id);

#endif
