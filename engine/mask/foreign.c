/* Brings foreign text into messages. */
#include "mask/foreign.h"

#include "base/assert.h"
#include "base/utf8.h"
#include "mask/credentials.h"
#include "mask/shapes.h"

#include <stdio.h>

/* Whether a word is only prose, as in "Basic authentication is off", and no credential. */
static bool is_prose(str word)
{
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] < 'a' || word.p[i] > 'z')
			return false;
	}
	return true;
}

/* The length of the scheme of an Authorization header at the begin of @text, and of the credential behind it; *ret
 * is the name of the scheme, without the white space that follows it. 0: there is none. */
static size_t authorization(str text, str *ret)
{
	static const str schemes[] = { { "bearer", 6 }, { "basic", 5 } };
	size_t at, from;

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (!str_eq_nocase(str_sub(text, 0, schemes[i].n), schemes[i]))
			continue;
		for (at = schemes[i].n; at < text.n && (unsigned char)text.p[at] <= ' '; at++)
			continue;
		for (from = at; at < text.n && (unsigned char)text.p[at] > ' ' && text.p[at] != '"'; at++)
			continue;
		*ret = str_sub(text, 0, schemes[i].n);
		return from > schemes[i].n && !is_prose(str_sub(text, from, at)) ? at : 0;
	}
	return 0;
}

static void add_line(str text, size_t max, struct buf *out)
{
	size_t used;
	str scheme;

	for (size_t at = 0; at < text.n && at < max; at += used) {
		str rest = str_sub(text, at, text.n);
		uint32_t c = utf8_decode(rest, &used);
		size_t sent = authorization(rest, &scheme);

		if (sent) {
			buf_add_str(out, scheme);
			buf_add_cstr(out, " ***");
			used = sent;
		} else if (c == UTF8_REPLACEMENT || c < 0x20 || (c >= 0x7F && c < 0xA0)) {
			buf_add_byte(out, ' ');
		} else {
			buf_add(out, text.p + at, used);
		}
	}
	if (text.n > max)
		buf_add_cstr(out, "...");
}

void foreign_quote(struct foreign t, size_t max, struct buf *out)
{
	str text = str_trim(t.outside);
	CLEANUP(buf_done) struct buf space = BUF_INIT(text.n * 4 + 64);

	if (mask_shape(NULL, text) != SHAPE_PLAIN)
		buf_add_cstr(out, "(hidden: it may hold a secret)");
	else
		add_line(credentials_shown(text, &space), max, out);
}

void foreign_print(struct foreign t, char *ret, size_t size)
{
	static const char dots[] = "...";
	CLEANUP(buf_done) struct buf shown = BUF_INIT(size * 4 + 64);

	ASSERT(size > sizeof(dots));
	foreign_quote(t, size - sizeof(dots), &shown);
	(void)snprintf(ret, size, "%.*s", STR_ARG(utf8_cut(buf_str(&shown), size - 1)));
}
