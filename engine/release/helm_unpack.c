/* Decodes base64 and gzip within limits. */
#include "release/helm_unpack.h"

#include "go/base64.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define STEP ((size_t)65536)  /* bytes that are unpacked at a time */
#define GZIP_WINDOW (15 + 16) /* the largest window, and only the format of gzip */
#define GZIP_BYTES_MIN 18     /* bytes of a member's header and trailer */

static int too_large(const struct buf *out, struct err *err)
{
	return err_set(err, E2BIG, "release: larger than %zu bytes unpacked", out->max - 1);
}

/* ---- gzip ---- */

static bool is_gzip(str s)
{
	return s.n > 3 && memcmp(s.p, "\x1f\x8b\x08", 3) == 0; /* Helm uses the same test */
}

/* The unpacked size that the last member claims, modulo 2^32, so that a bomb which does not lie is found before it
 * is unpacked. */
static size_t claimed_size(str packed)
{
	const unsigned char *end = (const unsigned char *)packed.p + packed.n;

	return (size_t)end[-4] | (size_t)end[-3] << 8 | (size_t)end[-2] << 16 | (size_t)end[-1] << 24;
}

/* Unpack a little more. Returns Z_OK: there may be more to come; Z_STREAM_END: this was the end of a member;
 * Z_BUF_ERROR: there is no more input. */
static int inflate_step(z_stream *z, struct buf *out)
{
	size_t room = out->max - out->n < STEP ? out->max - out->n : STEP;
	char *to = buf_reserve(out, room);
	int r;

	if (!to)
		return Z_MEM_ERROR;
	z->next_out = (unsigned char *)to;
	z->avail_out = (unsigned)room;
	r = inflate(z, Z_NO_FLUSH);
	buf_commit(out, room - z->avail_out);
	return r;
}

/* Unpack all members one after the other. Nothing else may follow, as Go's reader wants it. */
static int inflate_all(z_stream *z, struct buf *out, struct err *err)
{
	for (;;) {
		int r = inflate_step(z, out);

		if (r == Z_MEM_ERROR)
			return err_nomem(err);
		if (r != Z_OK && r != Z_STREAM_END)
			return err_set(err, EBADMSG, "release: gzip: %s",
				       r == Z_BUF_ERROR ? "unexpected end" : "damaged");
		if (out->n == out->max)
			return too_large(out, err);
		if (r == Z_STREAM_END && !z->avail_in)
			return 0;
		if (r == Z_STREAM_END)
			(void)inflateReset(z);
	}
}

static int gunzip(str packed, struct buf *out, struct err *err)
{
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)packed.p, .avail_in = (unsigned)packed.n };
	int r;

	if (packed.n < GZIP_BYTES_MIN)
		return err_set(err, EBADMSG, "release: gzip: unexpected end");
	if (claimed_size(packed) >= out->max)
		return err_set(err, E2BIG, "release: gzip: claims more than %zu bytes", out->max - 1);
	r = inflateInit2(&z, GZIP_WINDOW);
	if (r != Z_OK)
		return err_nomem(err);
	r = inflate_all(&z, out, err);
	(void)inflateEnd(&z);
	return r;
}

/* ---- base64 ---- */

static int decode64(str s, struct arena *a, str *ret, struct err *err)
{
	int r = go_base64_decode(&go_base64_std, s, a, ret, NULL);

	if (r == -EBADMSG)
		return err_set(err, EBADMSG, "release: no base64");
	return r < 0 ? arena_error(a, err) : 0;
}

int helm_unpack(val object, const struct limits *limits, struct buf *out, struct err *err)
{
	CLEANUP(arena_done) struct arena outer = ARENA_INIT(limits->arena_bytes);
	CLEANUP(arena_done) struct arena inner = ARENA_INIT(limits->arena_bytes);
	val data = val_dig(object, "data", "release", NULL);
	str text = val_str(data);

	if (!val_is_string(data))
		return err_set(err, EBADMSG, "release: no text at data.release");
	if (text.n > limits->object_bytes)
		return err_set(err, E2BIG, "release: larger than %zu bytes packed", limits->object_bytes);
	if (str_eq(val_str(VAL_GET(object, "kind")), STR("Secret")) && decode64(text, &outer, &text, err) < 0)
		return -err->code;
	if (decode64(text, &inner, &text, err) < 0)
		return -err->code;
	arena_done(&outer);
	if (is_gzip(text))
		return gunzip(text, out, err);
	if (text.n >= out->max)
		return too_large(out, err);
	buf_add_str(out, text);
	return buf_error(out, "release", err);
}
