/* Cutting a byte stream into lines. No byte is read twice, in whatever pieces the stream comes; of a line above the
 * limit only the beginning is kept, and it is counted. */
#ifndef KUBECLIENT_KC_FRAME_H
#define KUBECLIENT_KC_FRAME_H

#include "base/buf.h"

struct kc_frame {
	struct buf b;
	size_t max;     /* bytes of one line */
	size_t start;   /* where the current line begins */
	size_t scanned; /* no newline in [start, scanned) */
	bool skipping;  /* the frame is in the middle of a line that is too long */
	bool is_cut;    /* the line that kc_frame_next gave last is the beginning of one that is too long */
	bool head_due;  /* the beginning of such a line is complete, and comes next */
	struct buf head;
	uint64_t oversized;
};

/* What is kept of a line that is too long: who the object is stands at its beginning. */
#define KC_FRAME_HEAD ((size_t)64 << 10)

void kc_frame_init(struct kc_frame *f, size_t max);
void kc_frame_done(struct kc_frame *f);
void kc_frame_reset(struct kc_frame *f); /* forgets the bytes, keeps the counter */

CHECKED int kc_frame_add(struct kc_frame *f, const void *p, size_t n, struct err *err); /* ENOMEM, E2BIG */

/* The next line without its end; empty lines are left out. False when more bytes are needed. The line is valid until
 * the next call with this frame. */
bool kc_frame_next(struct kc_frame *f, str *line);

/* The beginning of a line whose end has not come; empty while one that is too long is thrown away. Valid as a line is.
 */
str kc_frame_rest(const struct kc_frame *f);

#endif
