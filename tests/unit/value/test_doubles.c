/* Doubles as texts, against what Go wrote of the same ones. */
#include "go/strconv.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define FILE_NAME TEST_DATA "/value/doubles/doubles.txt"

struct row {
	uint64_t bits;
	char json[400], g[64], e[64];
};

static bool read_row(FILE *file, struct row *ret)
{
	char line[1024];

	do {
		if (!fgets(line, sizeof(line), file))
			return false;
	} while (line[0] == '#');
	ret->bits = strtoull(line, NULL, 16);
	assert_int_equal(sscanf(line, "%*s %399s %63s %63s", ret->json, ret->g, ret->e), 3);
	return true;
}

static void assert_text(struct buf *out, const char *text)
{
	if (!str_eq(buf_str(out), str_from(text)))
		fail_msg("%.*s, which Go writes as %s", STR_ARG(buf_str(out)), text);
	buf_truncate(out, 0);
}

static void test_go_writes_the_same(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1024);
	FILE *file = fopen(FILE_NAME, "r");
	struct row row;
	size_t rows = 0;

	(void)state;
	assert_non_null(file);
	for (; read_row(file, &row); rows++) {
		double d;

		memcpy(&d, &row.bits, sizeof(d));
		json_encode_double(d, &out);
		assert_text(&out, row.json);
		go_format_float(&out, d, 'g', -1);
		assert_text(&out, row.g);
		go_format_float(&out, d, 'e', -1);
		assert_text(&out, row.e);
	}
	(void)fclose(file);
	assert_true(rows > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_go_writes_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
