/* Label selectors as text, against labels. */
#include "value/json.h"
#include "value/label_selector.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LABELS "{\"app\":\"web\",\"tier\":\"front\",\"empty\":\"\",\"example.com/x\":\"1\"}"

static const struct {
	const char *selector;
	bool matches;
} good[] = {
	{ "", true },
	{ "app", true },
	{ "!app", false },
	{ "none", false },
	{ "!none", true },
	{ "app=web", true },
	{ "app==web", true },
	{ "app = web", true },
	{ "app=db", false },
	{ "app!=db", true },
	{ "none!=db", true },
	{ "app!=web", false },
	{ "empty=", true },
	{ "app=", false },
	{ "example.com/x=1", true },
	{ "app in (db, web)", true },
	{ "app in (db)", false },
	{ "app notin (db)", true },
	{ "none notin (db)", true },
	{ "app notin (db,web)", false },
	{ "app=web,tier in (front,back),!none", true },
	{ "app=web,tier=back", false },
};

static const char *const bad[] = {
	"=web",           "app in", "app in web", "app in (web", "app=web tier=front", "app!web", "(a)",
	"app within (a)", "!",      "team>5",     "app=\"web\"", "\"app\"=web",        "a\x01b",  "app=we b",
};

static void test_parse(void **state)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	(void)state;
	assert_int_equal(json_decode(STR(LABELS), JSON_DEFAULTS, &d, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct label_selector s;

		if (label_selector_parse(str_from(good[i].selector), &a, &s, &err) < 0)
			fail_msg("'%s': %s", good[i].selector, err.msg);
		if (label_selector_matches(&s, d->root) != good[i].matches)
			fail_msg("'%s' says otherwise", good[i].selector);
	}
}

static void test_mistakes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct label_selector s;
		struct err err;

		if (label_selector_parse(str_from(bad[i]), &a, &s, &err) != -EINVAL)
			fail_msg("'%s' is no mistake", bad[i]);
		assert_non_null(strstr(err.msg, "is no label selector"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_mistakes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
