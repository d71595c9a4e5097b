/* Splits a byte stream into lines. */
#include "kubeclient/kc_frame.h"

/* Complete lines that wait to be taken; they are taken after every turn of the transfer, which reads far less. */
#define BACKLOG_MAX ((size_t)64 << 20)
/* An empty buffer above this size is given back: there are many watches, and few of them ever see a large object. */
#define KEEP_MAX ((size_t)256 << 10)

void kc_frame_init(struct kc_frame *f, size_t max)
{
	*f = (struct kc_frame){ .b = BUF_INIT(max + BACKLOG_MAX), .max = max, .head = BUF_INIT(KC_FRAME_HEAD + 1) };
}

void kc_frame_done(struct kc_frame *f)
{
	buf_done(&f->b);
	buf_done(&f->head);
}

void kc_frame_reset(struct kc_frame *f)
{
	buf_clear(&f->b);
	f->start = f->scanned = 0;
	f->skipping = f->is_cut = f->head_due = false;
}

/* Keep the beginning of a line that is too long. Without memory there is no beginning, and the line is dropped. */
static void keep_head(struct kc_frame *f, str line)
{
	/* the length does not depend on how the line is divided into pieces */
	size_t n = f->max < KC_FRAME_HEAD ? f->max : KC_FRAME_HEAD;

	buf_clear(&f->head);
	buf_add_str(&f->head, str_sub(line, 0, n));
	f->oversized++;
}

int kc_frame_add(struct kc_frame *f, const void *p, size_t n, struct err *err)
{
	const char *at = p;

	if (f->skipping) {
		const char *end = memchr(at, '\n', n);

		if (!end)
			return 0;
		f->skipping = false;
		f->head_due = true;
		n -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	buf_add(&f->b, at, n);
	return buf_error(&f->b, "watch stream", err);
}

/* Move the incomplete last line to the front. */
static void compact(struct kc_frame *f)
{
	size_t rest = f->b.n - f->start;
	size_t max = f->b.max;

	if (rest > f->max) {
		keep_head(f, str_sub(buf_str(&f->b), f->start, f->b.n));
		f->skipping = true;
		rest = 0;
	}
	if (rest == 0 && f->b.cap > KEEP_MAX) {
		buf_done(&f->b);
		f->b = BUF_INIT(max);
	} else if (f->start > 0 || rest == 0) {
		if (rest)
			memmove(f->b.p, f->b.p + f->start, rest);
		buf_truncate(&f->b, rest);
	}
	f->start = 0;
	f->scanned = rest;
}

bool kc_frame_next(struct kc_frame *f, str *line)
{
	f->is_cut = f->head_due;
	if (f->head_due) {
		f->head_due = false;
		*line = buf_str(&f->head);
		return true;
	}
	while (f->scanned < f->b.n) {
		const char *end = memchr(f->b.p + f->scanned, '\n', f->b.n - f->scanned);

		if (!end)
			break;
		*line = (str){ f->b.p + f->start, (size_t)(end - (f->b.p + f->start)) };
		f->start = f->scanned = (size_t)(end + 1 - f->b.p);
		if (line->n > 0 && line->p[line->n - 1] == '\r')
			line->n--;
		if (line->n > f->max) {
			keep_head(f, *line);
			*line = buf_str(&f->head);
			f->is_cut = true;
		}
		if (line->n > 0)
			return true;
	}
	compact(f);
	return false;
}

str kc_frame_rest(const struct kc_frame *f)
{
	return str_sub(buf_str(&f->b), f->start, f->b.n);
}
