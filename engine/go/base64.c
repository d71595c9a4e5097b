/* Encodes and decodes base64 with any alphabet. */
#include "go/base64.h"

#include <errno.h>

#define DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

const struct go_base64 go_base64_std = { DIGITS, true };
const struct go_base64 go_base64_raw = { DIGITS, false };

size_t go_base64_write(const struct go_base64 *e, const void *p, size_t n, char *out)
{
	const unsigned char *in = p;
	size_t at = 0;

	for (size_t i = 0; i < n; i += 3) {
		size_t left = n - i;
		uint32_t group = (uint32_t)in[i] << 16;

		group |= left > 1 ? (uint32_t)in[i + 1] << 8 : 0;
		group |= left > 2 ? (uint32_t)in[i + 2] : 0;
		for (size_t k = 0; k < 4; k++) {
			if (k <= left)
				out[at++] = e->digits[group >> (18 - 6 * k) & 63];
			else if (e->padded)
				out[at++] = '=';
		}
	}
	return at;
}

void go_base64_encode(struct buf *out, str s)
{
	char *to = buf_reserve(out, GO_BASE64_LEN(s.n));

	if (to)
		buf_commit(out, go_base64_write(&go_base64_std, s.p, s.n, to));
}

struct decoder {
	str s;
	size_t i; /* the index of the next byte of @s */
	signed char value[256];
	bool padded;
};

static void decoder_init(struct decoder *d, const struct go_base64 *e, str s)
{
	*d = (struct decoder){ .s = s, .padded = e->padded };
	memset(d->value, -1, sizeof(d->value));
	for (int i = 0; i < 64; i++)
		d->value[(unsigned char)e->digits[i]] = (signed char)i;
}

static void skip_line_ends(struct decoder *d)
{
	while (d->i < d->s.n && (d->s.p[d->i] == '\n' || d->s.p[d->i] == '\r'))
		d->i++;
}

/* Read the padding from the first "=" of a group that has @have digits; it must end the text. SIZE_MAX, or the
 * offset of the first wrong byte. */
static size_t take_padding(struct decoder *d, size_t have)
{
	if (have < 2)
		return d->i;
	d->i++;
	if (have == 2) {
		skip_line_ends(d);
		if (d->i >= d->s.n || d->s.p[d->i] != '=')
			return d->i;
		d->i++;
	}
	skip_line_ends(d);
	return d->i < d->s.n ? d->i : SIZE_MAX;
}

/* Decode one group of up to four digits into out[0..*n_out). SIZE_MAX, or the offset of the first wrong byte. */
static size_t take_group(struct decoder *d, unsigned char *out, size_t *n_out)
{
	uint32_t group = 0;
	size_t have = 0, start = d->i, bad = SIZE_MAX;

	for (; have < 4; have++, d->i++) {
		int v;

		skip_line_ends(d);
		if (d->i >= d->s.n) {
			if (have == 0 || (!d->padded && have > 1))
				break;
			return d->s.n - have < start ? start : d->s.n - have;
		}
		if (d->padded && d->s.p[d->i] == '=') {
			bad = take_padding(d, have);
			break;
		}
		/* NOLINTNEXTLINE(bugprone-signed-char-misuse): negative marks what is no digit */
		v = d->value[(unsigned char)d->s.p[d->i]];
		if (v < 0)
			return d->i;
		group = group << 6 | (uint32_t)v;
	}
	if (bad != SIZE_MAX)
		return bad;
	*n_out = have < 2 ? 0 : have - 1;
	group <<= 6 * (4 - have);
	for (size_t k = 0; k < *n_out; k++)
		out[k] = (unsigned char)(group >> (16 - 8 * k));
	return SIZE_MAX;
}

int go_base64_decode(const struct go_base64 *e, str s, struct arena *a, str *ret, size_t *bad)
{
	unsigned char *out = arena_alloc(a, s.n / 4 * 3 + 4);
	struct decoder d;
	size_t n = 0;

	if (!out)
		return -ENOMEM;
	decoder_init(&d, e, s);
	while (d.i < s.n) {
		size_t more = 0, wrong = take_group(&d, out + n, &more);

		if (wrong != SIZE_MAX) {
			if (bad)
				*bad = wrong;
			return -EBADMSG;
		}
		n += more;
	}
	out[n] = '\0';
	*ret = (str){ (char *)out, n };
	return 0;
}
