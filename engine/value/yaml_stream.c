/* Splits a stream of documents at its marks. */
#include "base/bytes16.h"
#include "value/yaml.h"

static bool is_separator(str line)
{
	return str_has_prefix(line, STR("---"));
}

/* Whether more than white space and a comment follows the "---". */
static bool is_bad_separator(str line)
{
	str behind = str_trim(str_sub(line, 3, line.n));

	return behind.n > 0 && behind.p[0] != '#';
}

/* The start of the next line that is a separator; s.n: there is none. Most texts are one document: sixteen places
 * are checked at once. */
static size_t find_separator(str s)
{
	size_t i = 0;

	if (is_separator(s))
		return 0;
	for (; s.n - i >= 32; i += 16) {
		bytes16 hit = (bytes16)(bytes16_load(s.p + i) == '\n') & (bytes16)(bytes16_load(s.p + i + 1) == '-') &
			      (bytes16)(bytes16_load(s.p + i + 2) == '-') & (bytes16)(bytes16_load(s.p + i + 3) == '-');

		if (bytes16_any(hit))
			break;
	}
	for (; s.n - i >= 4; i++) {
		if (memcmp(s.p + i, "\n---", 4) == 0)
			return i + 1;
	}
	return s.n;
}

/* Count line ends, in the sixteen columns of as many blocks as a byte can count. */
static size_t count_lines(str s)
{
	size_t n = 0, i = 0;

	while (s.n - i >= 16) {
		size_t blocks = (s.n - i) / 16 < UINT8_MAX ? (s.n - i) / 16 : UINT8_MAX;
		bytes16 columns = { 0 };

		for (; blocks; blocks--, i += 16)
			columns -= (bytes16)(bytes16_load(s.p + i) == '\n');
		for (size_t k = 0; k < 16; k++)
			n += columns[k];
	}
	for (; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

bool yaml_next_part(str *rest, size_t *line, struct yaml_part *part)
{
	size_t at, end;
	const char *nl;

	if (!rest->p)
		return false;
	at = find_separator(*rest);
	*part = (struct yaml_part){ .text = str_sub(*rest, 0, at), .line = *line };
	*line += count_lines(part->text);
	if (at == rest->n) {
		*rest = (str){ NULL, 0 };
		return true;
	}
	nl = memchr(rest->p + at, '\n', rest->n - at);
	end = nl ? (size_t)(nl - rest->p) : rest->n;
	part->bad_separator = is_bad_separator(str_sub(*rest, at, end));
	*rest = nl ? str_sub(*rest, end + 1, rest->n) : (str){ "", 0 };
	(*line)++;
	return true;
}
