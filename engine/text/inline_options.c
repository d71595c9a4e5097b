/* Leaves lines out of a reference's value before an inline diff. */
#include "base/unicode.h"
#include "text/inline_diff.h"

static const struct {
	str name;
	unsigned bit;
	str mark; /* the text with which such a line begins, after white space */
} options[] = {
	{ { "ignoreReferenceHashCommentLines", 31 }, INLINE_IGNORE_HASH_LINES, { "#", 1 } },
	{ { "ignoreReferenceSlashCommentLines", 32 }, INLINE_IGNORE_SLASH_LINES, { "//", 2 } },
};

str inline_option_name(size_t i)
{
	return i < ARRAY_LEN(options) ? options[i].name : (str){ 0 };
}

unsigned inline_option_find(str name)
{
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if (str_eq(options[i].name, name))
			return options[i].bit;
	}
	return 0;
}

static bool is_left_out(str line, unsigned which)
{
	line = unicode_trim(line);
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((which & options[i].bit) && str_has_prefix(line, options[i].mark))
			return true;
	}
	return false;
}

void inline_leave_out(str value, unsigned which, struct buf *out)
{
	bool ended = str_has_suffix(value, STR("\n"));
	size_t before = out->n;

	while (value.n) {
		ptrdiff_t newline = str_find_byte(value, '\n');
		size_t n = newline < 0 ? value.n : (size_t)newline + 1;

		if (!is_left_out(str_sub(value, 0, n), which))
			buf_add(out, value.p, n);
		value = str_sub(value, n, value.n);
	}
	/* When the last line of a text had no end, the line that is the last one now gets none either. */
	if (ended || out->n == before || out->p[out->n - 1] != '\n')
		return;
	buf_truncate(out, out->n - 1);
	if (out->n > before && out->p[out->n - 1] == '\r')
		buf_truncate(out, out->n - 1);
}
