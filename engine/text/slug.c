/* Makes slugs: romanises names, and reduces them to a few characters. */
#include "text/slug.h"

#include "base/ascii.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "text/slug_tables.h"

#define HANGUL_FIRST 0xAC00u
#define HANGUL_LAST 0xD7A3u
#define HANGUL_VOWELS 21u
#define HANGUL_FINALS 28u

/* Append a syllable as Unicode's own names romanise it (UAX #15, Jamo.txt). */
static void add_hangul(uint32_t c, struct buf *out)
{
	static const char initials[][3] = { "g",  "gg", "n", "d",  "dd", "r", "m", "b", "bb", "s",
					    "ss", "",   "j", "jj", "c",  "k", "t", "p", "h" };
	static const char vowels[][4] = { "a",  "ae", "ya", "yae", "eo", "e",  "yeo", "ye", "o",  "wa", "wae",
					  "oe", "yo", "u",  "weo", "we", "wi", "yu",  "eu", "yi", "i" };
	static const char finals[][3] = { "",   "g",  "gg", "gs", "n",  "nj", "nh", "d", "l",  "lg",
					  "lm", "lb", "ls", "lt", "lp", "lh", "m",  "b", "bs", "s",
					  "ss", "ng", "j",  "c",  "k",  "t",  "p",  "h" };

	_Static_assert(ARRAY_LEN(initials) * HANGUL_VOWELS * HANGUL_FINALS == HANGUL_LAST - HANGUL_FIRST + 1 &&
			       ARRAY_LEN(vowels) == HANGUL_VOWELS && ARRAY_LEN(finals) == HANGUL_FINALS,
		       "a text for each part of each syllable");
	c -= HANGUL_FIRST;
	buf_add_cstr(out, initials[c / (HANGUL_VOWELS * HANGUL_FINALS)]);
	buf_add_cstr(out, vowels[c / HANGUL_FINALS % HANGUL_VOWELS]);
	buf_add_cstr(out, finals[c % HANGUL_FINALS]);
}

static void add_latin(uint32_t c, struct buf *out)
{
	uint8_t block = c <= 0xFFFF ? slug_block_of[c >> 8] : 0;

	if (c < 0x80)
		buf_add_byte(out, (char)c);
	else if (c >= HANGUL_FIRST && c <= HANGUL_LAST)
		add_hangul(c, out);
	else if (block)
		buf_add_cstr(out, slug_texts + slug_blocks[block - 1][c & 0xFF]);
}

/* Append the word for a character that is substituted before the transliteration. */
static bool add_word(uint32_t c, struct buf *out)
{
	switch (c) {
	case '&':
		buf_add_cstr(out, "and");
		return true;
	case '@':
		buf_add_cstr(out, "at");
		return true;
	case '"':
	case '\'':
	case 0x2019: /* ’ */
		return true;
	case 0x2012: /* dashes */
	case 0x2013:
	case 0x2014:
	case 0x2015:
		buf_add_byte(out, '-');
		return true;
	default:
		return false;
	}
}

/* Reduce the text to lower-case letters, digits, '_' and single dashes. */
static void reduce(struct buf *text)
{
	size_t n = 0;

	for (size_t i = 0; i < text->n; i++) {
		char c = text->p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c | 0x20);
		if (!(c >= 'a' && c <= 'z') && !ascii_is_digit(c) && c != '_')
			c = '-';
		if (c != '-' || n == 0 || text->p[n - 1] != '-')
			text->p[n++] = c;
	}
	buf_truncate(text, n);
}

void slug_make(str s, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(out->max);
	size_t width;
	str slug;

	for (s = unicode_trim(s); s.n > 0; s = str_sub(s, width, s.n)) {
		uint32_t c = utf8_decode(s, &width);

		if (!add_word(c, &text))
			add_latin(c, &text);
	}
	if (text.error) {
		out->error = out->error ? out->error : text.error;
		return;
	}
	reduce(&text);
	slug = buf_str(&text);
	while (slug.n > 0 && (slug.p[0] == '-' || slug.p[0] == '_'))
		slug = str_sub(slug, 1, slug.n);
	while (slug.n > 0 && (slug.p[slug.n - 1] == '-' || slug.p[slug.n - 1] == '_'))
		slug.n--;
	buf_add_str(out, slug);
}
