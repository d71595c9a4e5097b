/* Lines of JSON out of a file. */
#include "daemon/recording/reader.h"

#include "base/buf.h"
#include "daemon/recording/recorder.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct reader {
	FILE *from;
	struct buf line;
	struct doc *doc;
	uint64_t lines;
};

struct reader *reader_new(FILE *from)
{
	struct reader *r = calloc(1, sizeof(*r));

	if (r)
		*r = (struct reader){ .from = from, .line = BUF_INIT(RECORDING_LINE_MAX) };
	return r;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	doc_unref(r->doc);
	buf_done(&r->line);
	free(r);
}

/* Whether there is another line. Text without a line end at the end of the file is no line. */
static int read_line(struct reader *r, struct err *err)
{
	int c;

	buf_clear(&r->line);
	while ((c = getc_unlocked(r->from)) != EOF && c != '\n' && !r->line.error)
		buf_add_byte(&r->line, (char)c);
	if (ferror(r->from))
		return err_set(err, EIO, "it cannot be read");
	r->lines++;
	if (c == EOF && r->line.n == 0)
		return 0;
	if (c == EOF)
		return err_set(err, EBADMSG, "line %" PRIu64 " is cut short", r->lines);
	return buf_error(&r->line, "a line", err) < 0 ? -err->code : 1;
}

static int decode(struct reader *r, struct recording_line *l, struct err *err)
{
	static const char *const object[] = { "object", NULL }, *const managed[] = { "managedFields", NULL };
	struct limits limits = LIMITS_DEFAULT;
	const struct json_skip skips[] = { { .path = object, .raw = &l->object },
					   { .path = managed, .raw = &l->managed } };
	const struct json_options o = { .limits = &limits, .skips = skips, .n_skips = ARRAY_LEN(skips) };

	limits.object_bytes = RECORDING_LINE_MAX;
	doc_unref(TAKE(r->doc));
	return json_decode(buf_str(&r->line), &o, &r->doc, err);
}

int reader_next(struct reader *r, struct recording_line *ret, struct err *err)
{
	int status = read_line(r, err);
	val usec;

	*ret = (struct recording_line){ 0 };
	if (status <= 0)
		return status;
	status = decode(r, ret, err);
	if (status < 0)
		return err_wrap(err, "line %" PRIu64, r->lines);
	ret->root = r->doc->root;
	ret->event = val_str(VAL_GET(ret->root, "e"));
	ret->ns = line_number(ret, STR("t"));
	usec = VAL_GET(ret->root, "w");
	if (!ret->event.n || !ret->ns || usec.kind != VAL_INT || usec.i < 0)
		return err_set(err, EBADMSG, "line %" PRIu64 " has no event or no time", r->lines);
	ret->usec = usec.i;
	return 1;
}

uint64_t reader_lines(const struct reader *r)
{
	return r->lines;
}

uint64_t line_number(const struct recording_line *l, str name)
{
	val v = val_get(l->root, name);

	return v.kind == VAL_INT && v.i > 0 ? (uint64_t)v.i : 0;
}

bool line_bool(const struct recording_line *l, str name)
{
	val v = val_get(l->root, name);

	return val_is_true(v);
}
