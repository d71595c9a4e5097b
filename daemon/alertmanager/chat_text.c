/* Replaces characters that have a meaning in chats and mail. */
#include "daemon/alertmanager/chat_text.h"

#include "base/printable.h"
#include "base/utf8.h"
#include "mask/credentials.h"

#define GROWTH 10 /* bytes of an escape for one byte of the text */

struct replacement {
	str what, with;
};

/* The first match counts. */
static const struct replacement replacements[] = {
	{ { "->", 2 }, { "\xe2\x86\x92", 3 } },    /* U+2192, for summaries */
	{ { "<", 1 }, { "\xe2\x80\xb9", 3 } },     /* U+2039 */
	{ { ">", 1 }, { "\xe2\x80\xba", 3 } },     /* U+203A */
	{ { "&", 1 }, { "\xef\xbc\x86", 3 } },     /* U+FF06 */
	{ { "://", 3 }, { "\xe2\x88\xb6//", 5 } }, /* U+2236 */
	{ { "](", 2 }, { "] (", 3 } },
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether "@" begins a mention. In a mail address a word precedes it. */
static bool is_mention(str s, size_t at)
{
	return s.p[at] == '@' && (at == 0 || !is_word(s.p[at - 1]));
}

static const struct replacement *replacement_at(str s, size_t at)
{
	static const struct replacement mention = { { "@", 1 }, { "\xef\xbc\xa0", 3 } }; /* U+FF20 */

	if (is_mention(s, at))
		return &mention;
	for (size_t i = 0; i < ARRAY_LEN(replacements); i++) {
		if (str_has_prefix(str_sub(s, at, s.n), replacements[i].what))
			return &replacements[i];
	}
	return NULL;
}

static void add_harmless(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n;) {
		const struct replacement *r = replacement_at(s, i);

		if (r)
			buf_add_str(out, r->with);
		else
			buf_add_byte(out, s.p[i]);
		i += r ? r->what.n : 1;
	}
}

void chat_text_add(struct buf *out, str s, size_t max)
{
	str cut = utf8_cut(s, max);
	CLEANUP(buf_done) struct buf hidden = BUF_INIT(max * GROWTH + 64), printable = BUF_INIT(max * GROWTH + 64);
	str shown = credentials_shown(cut, &hidden);

	if (hidden.error) {
		out->error = hidden.error;
		return;
	}
	printable_add(&printable, shown, " ");
	if (printable.error)
		out->error = printable.error;
	add_harmless(out, buf_str(&printable));
	if (cut.n < s.n)
		buf_add_cstr(out, "…");
}
