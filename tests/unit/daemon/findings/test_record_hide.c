/* A credential in any text of a record is hidden, and only there; names of what the record is about stay. */
#include "daemon/findings/record_hide.h"

#include "mask/credentials.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SECRET "correct-horse-battery"
#define TEXT "before " SECRET " behind"

static void test_each_text(void **state)
{
	static const struct {
		const char *text, *what, *details, *field, *name;
		bool hidden;
	} rows[] = {
		{ "x", "x", "x", "x", "x", false },    { TEXT, "x", "x", "x", "x", true },
		{ "x", TEXT, "x", "x", "x", true },    { "x", "x", TEXT, "x", "x", true },
		{ "x", "x", "x", TEXT, "x", true },    { "x", "x", "x", "x", SECRET, false },
		{ TEXT, TEXT, TEXT, TEXT, "x", true },
	};

	(void)state;
	credentials_add(STR(SECRET));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf bytes = BUF_INIT(1u << 20);
		const struct record *shown;
		struct record r, space;

		record_init(&r, MESSAGE_DRIFT_BEGIN, 3);
		r.text = str_from(rows[i].text);
		r.what = str_from(rows[i].what);
		r.details = str_from(rows[i].details);
		record_add(&r, "DRIFTD_REASON", str_from(rows[i].field));
		record_add(&r, "DRIFTD_NAME", str_from(rows[i].name));
		shown = record_hide(&r, &space);
		if ((shown != &r) != rows[i].hidden)
			fail_msg("row %zu", i);
		record_encode(shown, &bytes);
		buf_add_str(&bytes, shown->what);
		if (rows[i].hidden)
			assert_true(str_find(buf_str(&bytes), STR(SECRET)) < 0);
		assert_true(str_eq(record_get(shown, "DRIFTD_NAME"), str_from(rows[i].name)));
		assert_true(str_has_prefix(shown->text, str_from(rows[i].hidden && rows[i].text[1] ? "before " : "x")));
		arena_done(&space.arena);
		record_done(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_text) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
