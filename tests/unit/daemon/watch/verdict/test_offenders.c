/* Objects that a component forbids: each that comes or goes is told, and the record says which are there. */
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GIZMO(name, uid, more)                                                                                         \
	"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Gizmo\",\"metadata\":{\"name\":\"" name "\",\"uid\":\"" uid "\"}" more  \
	"}"
#define FIRST GIZMO("first", "u1", "")
#define SECOND GIZMO("second", "u2", "")

struct fixture {
	struct capture capture;
	struct watched watched;
	char id[FINDING_ID_SIZE]; /* of the finding that began last */
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x || !capture_begin(&x->capture))
		return -1;
	watched_start(&x->watched, TEST_DATA "/watch/any.yaml");
	watched_event(&x->watched, KC_LISTED,
		      "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\"},"
		      "\"spec\":{\"size\":1}}");
	watched_settle(&x->watched);
	assert_int_equal(capture_count(&x->capture), 0);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	watched_stop(&x->watched);
	capture_end(&x->capture);
	free(x);
	return 0;
}

/* What a record must say; an object of its own only where one alone is at fault. */
static void expect(struct fixture *x, const char *event, const char *name, const char *uid)
{
	CLEANUP(doc_unrefp) struct doc *d = capture_next(&x->capture);
	str id;

	assert_non_null(d);
	id = val_str(VAL_GET(d->root, "DRIFTD_DRIFT_ID"));
	if (strcmp(event, "begin") == 0)
		(void)snprintf(x->id, sizeof(x->id), "%.*s", STR_ARG(id));
	if (!str_eq(id, str_from(x->id)) || !str_eq(val_str(VAL_GET(d->root, "DRIFTD_COMPONENT")), STR("none")) ||
	    !str_eq(val_str(VAL_GET(d->root, "DRIFTD_EVENT")), str_from(event)) ||
	    !str_eq(val_str(VAL_GET(d->root, "DRIFTD_NAME")), str_from(name)) ||
	    !str_eq(val_str(VAL_GET(d->root, "DRIFTD_UID")), str_from(uid)))
		fail_msg("%s of '%s' (%s) is not what is said: %.*s", event, name, uid,
			 STR_ARG(val_str(VAL_GET(d->root, "MESSAGE"))));
}

static void expect_nothing(struct fixture *x)
{
	assert_int_equal(capture_count(&x->capture), 0);
}

static void say(struct fixture *x, enum kc_event event, const char *json)
{
	watched_event(&x->watched, event, json);
	watched_work(&x->watched);
}

static void test_a_second_one_is_reported(void **state)
{
	struct fixture *x = *state;

	say(x, KC_ADDED, FIRST);
	expect(x, "begin", "first", "u1");
	say(x, KC_ADDED, SECOND);
	expect(x, "change", "", "");
	expect_nothing(x);
}

static void test_the_end_names_the_last_one(void **state)
{
	struct fixture *x = *state;

	say(x, KC_ADDED, FIRST);
	expect(x, "begin", "first", "u1");
	say(x, KC_ADDED, SECOND);
	expect(x, "change", "", "");
	say(x, KC_DELETED, FIRST);
	expect(x, "change", "second", "u2");
	say(x, KC_DELETED, SECOND);
	expect(x, "end", "second", "u2");
	expect_nothing(x);
}

/* One that comes in the place of another, between two judgements. */
static void test_an_exchange_is_reported(void **state)
{
	struct fixture *x = *state;

	say(x, KC_ADDED, FIRST);
	expect(x, "begin", "first", "u1");
	watched_event(&x->watched, KC_DELETED, FIRST);
	say(x, KC_ADDED, SECOND);
	expect(x, "change", "second", "u2");
	watched_event(&x->watched, KC_DELETED, SECOND);
	say(x, KC_ADDED, GIZMO("second", "u3", ""));
	expect(x, "change", "second", "u3");
	expect_nothing(x);
}

/* The fields are for one object; the text for people has them all. */
static void test_the_text_names_all(void **state)
{
	struct fixture *x = *state;
	char text[4096];
	size_t n;

	say(x, KC_ADDED, FIRST);
	expect(x, "begin", "first", "u1");
	output_set(direct_output, CFG_OUTPUT_TEXT);
	say(x, KC_ADDED, SECOND);
	fseek(x->capture.file, x->capture.read, SEEK_SET);
	n = fread(text, 1, sizeof(text) - 1, x->capture.file);
	text[n] = '\0';
	assert_non_null(strstr(text, "component unsatisfied changes: p/none"));
	assert_non_null(strstr(text, "found Gizmos first"));
	assert_non_null(strstr(text, "found Gizmos second"));
}

/* Of several that go at once none is more to blame than the others. */
static void test_an_end_of_several_names_none(void **state)
{
	struct fixture *x = *state;

	watched_event(&x->watched, KC_ADDED, FIRST);
	say(x, KC_ADDED, SECOND);
	expect(x, "begin", "", "");
	watched_event(&x->watched, KC_DELETED, FIRST);
	say(x, KC_DELETED, SECOND);
	expect(x, "end", "", "");
	expect_nothing(x);
}

static void test_another_write_is_no_news(void **state)
{
	struct fixture *x = *state;

	say(x, KC_ADDED, FIRST);
	expect(x, "begin", "first", "u1");
	say(x, KC_MODIFIED, GIZMO("first", "u1", ",\"status\":{\"ready\":true}"));
	expect_nothing(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_second_one_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_end_names_the_last_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_exchange_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_text_names_all, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_end_of_several_names_none, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_write_is_no_news, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
