/* The shapes of credentials, and texts as one line. */
#include "kubeclient/kc_quote.h"

#include "base/utf8.h"

#define QUOTE_MAX 200
/* Shorter words are part of everyday messages; the tokens of Kubernetes, clouds and OAuth are longer. */
#define TOKEN_LEAST 20

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '+' || c == '=';
}

static bool has_long_word(str line)
{
	size_t n = 0;
	bool letter = false, digit = false;

	for (size_t i = 0; i < line.n; i++) {
		if (!is_word(line.p[i])) {
			n = 0;
			letter = digit = false;
			continue;
		}
		n++;
		letter = letter || is_letter(line.p[i]);
		digit = digit || is_digit(line.p[i]);
		if (n >= TOKEN_LEAST && letter && digit)
			return true;
	}
	return false;
}

/* {" in base64url, which every JSON Web Token begins with. */
bool kc_quote_is_secret(str line)
{
	return str_find(line, STR("-----")) >= 0 || str_find(line, STR("eyJ")) >= 0 || has_long_word(line);
}

static str last_line(str text)
{
	ptrdiff_t at;

	text = str_trim(text);
	at = str_rfind(text, STR("\n"));
	return str_trim(str_sub(text, (size_t)(at + 1), text.n));
}

void kc_quote_line(str text, size_t max, struct buf *out)
{
	size_t used;

	for (size_t at = 0; at < text.n && at < max; at += used) {
		uint32_t c = utf8_decode(str_sub(text, at, text.n), &used);

		if (c == UTF8_REPLACEMENT || c < 0x20 || (c >= 0x7F && c < 0xA0))
			buf_add_byte(out, ' ');
		else
			buf_add(out, text.p + at, used);
	}
}

void kc_quote_last_line(str text, bool (*is_known)(const void *ctx, str line), const void *ctx, struct buf *out)
{
	str line = last_line(text);

	if (kc_quote_is_secret(line) || (is_known && is_known(ctx, line)))
		buf_add_cstr(out, "(what it said is not shown, it could hold a secret)");
	else
		kc_quote_line(line, QUOTE_MAX, out);
}
