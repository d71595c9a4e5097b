/* Texts of a server as one line, without what it was sent. */
#include "kubeclient/kc_quote.h"

#include "base/hide.h"
#include "base/utf8.h"
#include "go/base64.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* "Basic authentication is off" is no credential. */
static bool is_prose(str word)
{
	for (size_t i = 0; i < word.n; i++) {
		if (word.p[i] < 'a' || word.p[i] > 'z')
			return false;
	}
	return true;
}

/* How much of @text is a scheme of the Authorization header and what stands behind it; *ret: how much of that is the
 * scheme. 0: it does not begin so. */
static size_t authorization(str text, size_t *ret)
{
	static const str schemes[] = { { "bearer", 6 }, { "basic", 5 } };
	size_t at, from;

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (!str_eq_nocase(str_sub(text, 0, schemes[i].n), schemes[i]))
			continue;
		for (at = schemes[i].n; at < text.n && is_space(text.p[at]); at++)
			continue;
		for (from = at; at < text.n && (unsigned char)text.p[at] > ' ' && text.p[at] != '"'; at++)
			continue;
		*ret = from;
		return from > schemes[i].n && !is_prose(str_sub(text, from, at)) ? at : 0;
	}
	return 0;
}

void kc_quote_line(str text, size_t max, struct buf *out)
{
	size_t used, scheme;

	for (size_t at = 0; at < text.n && at < max; at += used) {
		str rest = str_sub(text, at, text.n);
		uint32_t c = utf8_decode(rest, &used);
		size_t sent = authorization(rest, &scheme);

		if (sent) {
			buf_add_str(out, str_sub(rest, 0, scheme));
			buf_add_cstr(out, "***");
			used = sent;
		} else if (c == UTF8_REPLACEMENT || c < 0x20 || (c >= 0x7F && c < 0xA0)) {
			buf_add_byte(out, ' ');
		} else {
			buf_add(out, text.p + at, used);
		}
	}
}

/* The password of "user:password" in base64. */
static void overwrite_password(str basic, struct buf *text)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	ptrdiff_t colon;
	str pair;

	if (go_base64_decode(&go_base64_std, basic, &a, &pair, NULL) < 0) {
		buf_clear(text); /* without memory nothing of it may be shown */
		return;
	}
	colon = str_find_byte(pair, ':');
	if (colon >= 0)
		hide_secret(str_sub(pair, (size_t)colon + 1, pair.n), text);
}

void kc_quote_hide(str line, struct buf *text)
{
	static const str name = { "Authorization: ", 15 };
	str value = str_sub(line, name.n, line.n);
	ptrdiff_t space = str_find_byte(value, ' ');
	str credential = str_sub(value, (size_t)(space + 1), value.n);

	if (!str_has_prefix(line, name) || space < 0)
		return;
	hide_secret(credential, text);
	if (str_has_prefix(value, STR("Basic ")))
		overwrite_password(credential, text);
}
