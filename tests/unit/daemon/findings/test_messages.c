/* Every MESSAGE_ID has its entry in the catalog, and the catalog has no other. */
#include "daemon/findings/messages.h"

#include "base/file.h"
#include "base/strmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CATALOG TEST_DATA "/../../systemd/driftd.catalog"

static void test_ids_are_distinct_and_well_formed(void **state)
{
	struct strmap seen = { 0 };

	(void)state;
	for (int i = 0; i < MESSAGES; i++) {
		str id = str_from(message_id((enum message)i));

		assert_int_equal(id.n, 32);
		assert_int_equal(strspn(id.p, "0123456789abcdef"), 32);
		assert_false(strmap_has(&seen, id));
		assert_true(strmap_put(&seen, id, NULL, NULL));
		assert_false(strmap_has(&seen, str_from(message_name((enum message)i))));
		assert_true(strmap_put(&seen, str_from(message_name((enum message)i)), NULL, NULL));
	}
	strmap_done(&seen);
}

/* An entry: "-- id", headers up to an empty line with a Subject, and a text. */
static void test_the_catalog_has_these_ids(void **state)
{
	struct strmap entries = { 0 };
	CLEANUP(freep) char *text = NULL;
	bool subject = true;
	struct err err;
	str rest, line;
	size_t n;

	(void)state;
	assert_int_equal(file_read(CATALOG, 1u << 20, &text, &n, &err), 0);
	rest = (str){ text, n };
	while (str_next_part(&rest, '\n', &line)) {
		if (str_has_prefix(line, STR("Subject: ")))
			subject = true;
		if (!str_has_prefix(line, STR("-- ")))
			continue;
		assert_true(subject);
		subject = false;
		line = str_sub(line, 3, line.n);
		assert_int_equal(line.n, 32);
		assert_false(strmap_has(&entries, line));
		assert_true(strmap_put(&entries, line, NULL, NULL));
	}
	assert_true(subject);
	for (int i = 0; i < MESSAGES; i++) {
		if (!strmap_has(&entries, str_from(message_id((enum message)i))))
			fail_msg("%s has no entry", message_name((enum message)i));
	}
	assert_int_equal(entries.n, MESSAGES);
	strmap_done(&entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_are_distinct_and_well_formed),
		cmocka_unit_test(test_the_catalog_has_these_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
