/* Whom events are believed, and what words choose. */
#include "daemon/events/event_filter.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_believed(void **state)
{
	static const struct {
		const char *fields[4];
		bool believed;
	} cases[] = {
		{ { NULL }, false },
		{ { "_UID=0" }, true },
		{ { "_UID=00" }, false },
		{ { "_UID=" }, false },
		{ { "_UID=1000", "_MACHINE_ID=here" }, true },
		{ { "_UID=990", "_MACHINE_ID=here" }, true },
		{ { "_UID=1000", "_MACHINE_ID=there" }, false },
		{ { "_UID=990" }, false },
		{ { "_UID=1001", "_MACHINE_ID=here" }, false },
		{ { "UID=0", "SYSTEMD_UNIT=driftd.service" }, false },
		{ { "_UID=500", "_SYSTEMD_UNIT=driftd.service", "_MACHINE_ID=there" }, true },
		{ { "_UID=500", "_SYSTEMD_UNIT=driftd@lab.service" }, true },
		{ { "_UID=500", "_SYSTEMD_UNIT=driftd-x.service" }, false },
		{ { "_UID=500", "_SYSTEMD_UNIT=user@500.service", "_SYSTEMD_USER_UNIT=driftd.service" }, false },
		{ { "_UID=500", "_SYSTEMD_UNIT=driftd@lab.scope" }, false },
	};
	struct event_filter f = { .machine = "here", .self = "1000", .user = "990" };
	struct event e;

	(void)state;
	event_init(&e);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		event_clear(&e);
		for (size_t k = 0; k < 4 && cases[i].fields[k]; k++)
			event_add(&e, str_from(cases[i].fields[k]));
		if (event_filter_believes(&f, &e) != cases[i].believed)
			fail_msg("case %zu", i);
		f.any_user = true;
		assert_true(event_filter_believes(&f, &e));
		f.any_user = false;
	}
	event_done(&e);
}

/* Neither the machine nor driftd's user is known: then an entry that names none is not theirs. */
static void test_nothing_known(void **state)
{
	struct event_filter f = { .self = "1000" };
	struct event e;

	(void)state;
	event_init(&e);
	event_add(&e, STR("_UID="));
	event_add(&e, STR("_MACHINE_ID="));
	assert_false(event_filter_believes(&f, &e));
	event_done(&e);
}

static void test_words(void **state)
{
	static const struct {
		const char *word;
		uint64_t messages;
	} cases[] = {
		{ "gap-begin", 1u << MESSAGE_GAP_BEGIN },
		{ "gap", 1u << MESSAGE_GAP_BEGIN | 1u << MESSAGE_GAP_CHANGE | 1u << MESSAGE_GAP_END },
		{ "end", 1u << MESSAGE_DRIFT_END | 1u << MESSAGE_COMPONENT_END | 1u << MESSAGE_ERROR_END |
				 1u << MESSAGE_GAP_END | 1u << MESSAGE_VALIDATION_END | 1u << MESSAGE_ACCEPTED_END |
				 1u << MESSAGE_INSPECTION_END },
		{ "storm", 1u << MESSAGE_STORM },
		{ "reload-failed", 1u << MESSAGE_RELOAD_FAILED },
		{ "begi", 0 },
		{ "-begin", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct event_filter f = { 0 };
		struct err err;
		int r = event_filter_add_word(&f, cases[i].word, &err);

		if (f.messages != cases[i].messages || (r < 0) != (cases[i].messages == 0))
			fail_msg("%s", cases[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_believed),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
