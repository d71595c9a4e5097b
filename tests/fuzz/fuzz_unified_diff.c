/* Two texts, parted by the first NUL: the first one patched with their diff is the second one. */
#include "text/unified_diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A line with its newline, if it has one. */
static str take_line(str *rest)
{
	ptrdiff_t newline = str_find_byte(*rest, '\n');
	str line = str_sub(*rest, 0, newline < 0 ? rest->n : (size_t)newline + 1);

	*rest = str_sub(*rest, line.n, rest->n);
	return line;
}

/* The line that "@@ -N" names, from 1; an empty range names the line before. */
static size_t first_line(str header)
{
	size_t n = 0, i = 4;
	bool empty;

	for (; i < header.n && header.p[i] >= '0' && header.p[i] <= '9'; i++)
		n = n * 10 + (size_t)(header.p[i] - '0');
	empty = str_has_prefix(str_sub(header, i, header.n), STR(",0 "));
	return empty ? n + 1 : n;
}

static void patch(str a, str diff, struct buf *out)
{
	size_t at = 1;

	while (diff.n > 0) {
		str line = take_line(&diff), body;

		if (line.p[0] == '@') {
			for (size_t from = first_line(line); at < from; at++)
				buf_add_str(out, take_line(&a));
			continue;
		}
		body = str_sub(line, 1, line.n);
		if (diff.n > 0 && diff.p[0] == '\\') {
			body.n--;
			(void)take_line(&diff);
		}
		if (line.p[0] != '+') {
			if (!str_eq(take_line(&a), body))
				abort();
			at++;
		}
		if (line.p[0] != '-')
			buf_add_str(out, body);
	}
	buf_add_str(out, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(buf_done) struct buf diff = BUF_INIT((size_t)64 << 20);
	CLEANUP(buf_done) struct buf patched = BUF_INIT((size_t)64 << 20);
	str input = { (const char *)data, size }, a, b = { "", 0 };
	struct limits lim = LIMITS_DEFAULT;
	ptrdiff_t nul = str_find_byte(input, '\0');
	struct err err;

	a = nul < 0 ? input : str_sub(input, 0, (size_t)nul);
	if (nul >= 0)
		b = str_sub(input, (size_t)nul + 1, size);
	if (unified_diff(a, b, &lim, &diff, &err) < 0)
		return 0;
	patch(a, buf_str(&diff), &patched);
	if (patched.error == 0 && !str_eq(buf_str(&patched), b))
		abort();
	return 0;
}
