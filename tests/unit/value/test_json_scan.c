/* Walking many bytes at a time comes where walking byte by byte does. */
#include "value/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *slow_plain_end(const char *p, const char *end)
{
	while (p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80)
		p++;
	return p;
}

static const char *slow_brackets_end(const char *p, const char *end)
{
	bool in = false, escaped = false;
	size_t depth = 0;

	for (; p < end; p++) {
		bool quote = *p == '"' && !escaped;

		escaped = *p == '\\' && !escaped;
		in ^= quote;
		if (in || quote)
			continue;
		if (*p == '{' || *p == '[')
			depth++;
		else if ((*p == '}' || *p == ']') && --depth == 0)
			return p + 1;
	}
	return NULL;
}

static const char *slow_plain_brackets_end(const char *p, const char *end)
{
	const char *close = slow_brackets_end(p, end);

	for (; close && p < close; p++) {
		if (*p == '\\' || (unsigned char)*p < 0x20 || (unsigned char)*p >= 0x80)
			return NULL;
	}
	return close;
}

/* A text of what matters and some that does not, in a piece of memory of its own size. */
static char *draw(unsigned *seed, size_t n)
{
	static const char often[] = "{}[]\"\\\\\"ab :,\n\x7f\x80\xc3\x1f{[;";
	char *text = malloc(n ? n : 1);

	assert_non_null(text);
	for (size_t i = 0; i < n; i++) {
		unsigned r = (*seed = *seed * 1103515245 + 12345) >> 8;

		text[i] = often[r % (sizeof(often) - 1)];
		if (r % 7 == 0)
			text[i] = 'x';
	}
	return text;
}

static void test_drawn(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (size_t round = 0; round < 20000; round++) {
		size_t n = round % 300;
		char *text = draw(&seed, n);

		for (size_t i = 0; round % 2 && i < n; i++) { /* else hardly any is plain for long */
			if (text[i] == '\\' || (unsigned char)text[i] < 0x20 || (unsigned char)text[i] >= 0x80)
				text[i] = "{}"[i % 2];
		}
		assert_ptr_equal(json_plain_end(text, text + n), slow_plain_end(text, text + n));
		if (n) {
			text[0] = '{';
			assert_ptr_equal(json_brackets_end(text, text + n), slow_brackets_end(text, text + n));
			assert_ptr_equal(json_plain_brackets_end(text, text + n, n),
					 slow_plain_brackets_end(text, text + n));
		}
		free(text);
	}
}

/* Brackets far apart, strings and runs of backslashes across the ends of blocks. */
static void test_edges(void **state)
{
	(void)state;
	for (size_t fill = 0; fill < 200; fill++) {
		for (size_t run = 0; run < 70; run++) {
			char *text = malloc(fill + run + 16), *end = text;

			assert_non_null(text);
			end = stpcpy(end, "[\"");
			memset(end, 'x', fill);
			memset(end + fill, '\\', run);
			end = stpcpy(end + fill + run, "\"]}\",{}]");
			text = realloc(text, (size_t)(end - text));
			end = text + fill + run + 10;
			assert_ptr_equal(json_brackets_end(text, end), slow_brackets_end(text, end));
			assert_ptr_equal(json_plain_end(text + 2, end), slow_plain_end(text + 2, end));
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_drawn), cmocka_unit_test(test_edges) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
