/* Every MESSAGE_ID has its entry in the catalog, and the catalog has no other. */
#include "daemon/findings/messages.h"

#include "base/file.h"
#include "base/strmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* What every record of the message has (finding_record.c): a field that is not there stands in the text as it is. */
static bool is_always_there(enum message m, str field)
{
	static const char *const finding = " DRIFTD_CLUSTER DRIFTD_EVENT DRIFTD_DRIFT_ID DRIFTD_SEVERITY ";
	static const char *const of_message[MESSAGES] = {
		[MESSAGE_DRIFT_BEGIN] = " DRIFTD_REFERENCE DRIFTD_KIND DRIFTD_NAME ",
		[MESSAGE_DRIFT_CHANGE] = " DRIFTD_REFERENCE DRIFTD_KIND DRIFTD_NAME ",
		[MESSAGE_DRIFT_END] = " DRIFTD_REFERENCE DRIFTD_KIND DRIFTD_NAME ",
		[MESSAGE_COMPONENT_BEGIN] = " DRIFTD_REFERENCE DRIFTD_PART DRIFTD_COMPONENT ",
		[MESSAGE_COMPONENT_CHANGE] = " DRIFTD_REFERENCE DRIFTD_PART DRIFTD_COMPONENT ",
		[MESSAGE_COMPONENT_END] = " DRIFTD_REFERENCE DRIFTD_PART DRIFTD_COMPONENT ",
		[MESSAGE_ERROR_BEGIN] = " DRIFTD_KIND ",
		[MESSAGE_ERROR_CHANGE] = " DRIFTD_KIND ",
		[MESSAGE_ERROR_END] = " DRIFTD_KIND ",
		[MESSAGE_VALIDATION_BEGIN] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PATH DRIFTD_REASON ",
		[MESSAGE_VALIDATION_CHANGE] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PATH DRIFTD_REASON ",
		[MESSAGE_VALIDATION_END] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PATH ",
		[MESSAGE_ACCEPTED_BEGIN] = " DRIFTD_ACCEPTANCE DRIFTD_REASON ",
		[MESSAGE_ACCEPTED_CHANGE] = " DRIFTD_ACCEPTANCE DRIFTD_REASON ",
		[MESSAGE_ACCEPTED_END] = " DRIFTD_ACCEPTANCE DRIFTD_REASON ",
		[MESSAGE_ACCEPTED_EXPIRED] = " DRIFTD_ACCEPTANCE DRIFTD_REASON ",
		[MESSAGE_INSPECTION_BEGIN] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PHASE ",
		[MESSAGE_INSPECTION_CHANGE] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PHASE ",
		[MESSAGE_INSPECTION_END] = " DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PHASE ",
		[MESSAGE_INSPECTION_LOG] = " DRIFTD_CLUSTER DRIFTD_KIND DRIFTD_NAME DRIFTD_RULE DRIFTD_PHASE ",
		[MESSAGE_API_CALL_FAILED] = " DRIFTD_CLUSTER DRIFTD_RULE ",
		[MESSAGE_LEADER] = " DRIFTD_LEADER_STATE DRIFTD_LEADER_NAME ",
		[MESSAGE_REFERENCE] = " DRIFTD_REFERENCE DRIFTD_REFERENCE_REVISION DRIFTD_REFERENCE_STANDING ",
	};
	char word[128];

	(void)snprintf(word, sizeof(word), " %.*s ", STR_ARG(field));
	return ((m <= MESSAGE_VALIDATION_END || (m >= MESSAGE_ACCEPTED_BEGIN && m <= MESSAGE_INSPECTION_END)) &&
		strstr(finding, word)) ||
	       (of_message[m] && strstr(of_message[m], word));
}

static enum message message_of(str id)
{
	for (int i = 0; i < MESSAGES; i++) {
		if (str_eq(id, str_from(message_id((enum message)i))))
			return (enum message)i;
	}
	fail_msg("%.*s is no message", STR_ARG(id));
	return MESSAGES;
}

static void test_the_catalog_names_fields_that_are_there(void **state)
{
	CLEANUP(freep) char *text = NULL;
	enum message m = MESSAGES;
	struct err err;
	str rest, line, part;
	size_t n, named = 0;

	(void)state;
	assert_int_equal(file_read(CATALOG, 1u << 20, &text, &n, &err), 0);
	rest = (str){ text, n };
	while (str_next_part(&rest, '\n', &line)) {
		if (str_has_prefix(line, STR("-- ")))
			m = message_of(str_sub(line, 3, line.n));
		for (int i = 0; str_next_part(&line, '@', &part); i++) {
			if (i % 2 == 0)
				continue;
			named++;
			if (!is_always_there(m, part))
				fail_msg("%s names %.*s", message_name(m), STR_ARG(part));
		}
	}
	assert_true(named > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_catalog_names_fields_that_are_there),
		cmocka_unit_test(test_ids_are_distinct_and_well_formed),
		cmocka_unit_test(test_the_catalog_has_these_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
