/* Recordings as they are, cut short, and as nobody would write them. */
#include "daemon/recording/replay.h"

#include "support/capture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HEADER "{\"e\":\"header\",\"t\":10000000000,\"w\":1700000010000000,\"format\":1,\"clusters\":[\"prod\"]}\n"
#define AT(t, event, members)                                                                                          \
	"{\"e\":\"" event "\",\"t\":" #t "000000000,\"w\":17000000" #t "000000,\"c\":0" members "}\n"
#define WATCH(t, id, kind)                                                                                             \
	AT(t, "watch", ",\"id\":" #id ",\"apiVersion\":\"v1\",\"kind\":\"" kind "\",\"namespace\":\"\",\"name\":\"\"")
#define SYNCED(t, id)                                                                                                  \
	AT(t, "synced", ",\"id\":" #id ",\"reason\":0,\"count\":0")                                                    \
	AT(t, "state", ",\"id\":" #id ",\"state\":\"watching\",\"resource\":\"things\",\"failures\":0,\"heard\":0")
#define MAP(t, event, data)                                                                                            \
	AT(t, "object",                                                                                                \
	   ",\"id\":0,\"event\":\"" event "\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{" \
	   "\"name\":\"m\",\"namespace\":\"d\",\"uid\":\"1\"},\"data\":{" data "}}")
#define SERVICE(t, type)                                                                                               \
	AT(t, "object",                                                                                                \
	   ",\"id\":1,\"event\":\"modified\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{"    \
	   "\"name\":\"s\",\"namespace\":\"d\",\"uid\":\"2\"},\"spec\":{\"type\":\"" type "\"}}")
#define BEGINNING                                                                                                      \
	HEADER WATCH(10, 0, "ConfigMap") WATCH(10, 1, "Service")                                                       \
		AT(10, "connection", ",\"up\":true,\"discovered\":true") SYNCED(11, 0) SYNCED(11, 1)

static struct limits limits;
static struct key_table *keys;
static struct cfg *cfg;

static int setup(void **state)
{
	static const char *const file = TEST_DATA "/recording/driftd.yaml";
	struct problems problems = { 0 };
	struct err err;

	(void)state;
	limits = limits_of_a_loop();
	keys = key_table_new();
	if (cfg_load(&file, 1, &limits, keys, &cfg, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cfg_unref(cfg);
	key_table_free(keys);
	return 0;
}

/* Records of the recording @text go nowhere: what was told is counted. */
static int replay(const char *text, size_t n, struct replay_summary *s, struct err *err)
{
	FILE *from = fmemopen((void *)(uintptr_t)text, n, "r");
	int r;

	assert_non_null(from);
	r = replay_run(from, cfg, &limits, keys, NULL, CFG_OUTPUT_JSON, s, err);
	(void)fclose(from);
	return r;
}

static struct replay_summary reported(const char *text)
{
	struct replay_summary s;
	struct err err;

	if (replay(text, strlen(text), &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static void test_begins_and_ends(void **state)
{
	struct replay_summary s = reported(BEGINNING MAP(12, "added", "\"bad\":\"1\"") MAP(13, "modified", "") MAP(
		14, "modified", "\"bad\":\"1\"") MAP(15, "deleted", "") AT(16, "end", ""));

	(void)state;
	assert_int_equal(s.damage.code, 0);
	assert_int_equal(s.reported.begins, 2);
	assert_int_equal(s.reported.ends, 2);
	assert_int_equal(s.unrecorded, 0);
}

static void test_holds_by_the_time_of_the_recording(void **state)
{
	(void)state;
	assert_int_equal(
		reported(BEGINNING SERVICE(12, "NodePort") SERVICE(15, "ClusterIP") AT(40, "end", "")).reported.begins,
		0);
	assert_int_equal(reported(BEGINNING SERVICE(12, "NodePort") AT(14, "end", "")).reported.begins, 0);
	assert_int_equal(reported(BEGINNING SERVICE(12, "NodePort") AT(19, "end", "")).reported.begins, 1);
	assert_int_equal(
		reported(BEGINNING SERVICE(12, "NodePort") SERVICE(18, "ClusterIP") AT(19, "end", "")).reported.ends,
		1);
}

/* The events of the records, one letter each; in upper case those with a time between which it happened. */
static void events_of(const char *text, char ret[16])
{
	struct capture c;
	struct doc *d;
	size_t n = 0;

	assert_true(capture_begin(&c));
	(void)reported(text);
	while ((d = capture_next(&c))) {
		char letter = val_str(VAL_GET(d->root, "DRIFTD_EVENT")).p[0];

		assert_true(n < 15);
		ret[n++] = val_exists(VAL_GET(d->root, "DRIFTD_NOT_BEFORE_USEC")) ? (char)(letter - 32) : letter;
		doc_unref(d);
	}
	ret[n] = '\0';
	capture_end(&c);
}

#define STATE(t, state, members)                                                                                       \
	AT(t, "state", ",\"id\":0,\"state\":\"" state "\",\"resource\":\"things\",\"failures\":0,\"heard\":1" members)
#define FAILS(t, members) STATE(t, "backoff", ",\"code\":5,\"why\":\"no\"" members)

/* What was missed while a watch failed, until the recording says that the watch has caught up. Older recordings do not
 * say so; driftd then took two seconds for it, as it does in their replay. */
static void test_missed_events(void **state)
{
	char events[16];

	(void)state;
	events_of(BEGINNING FAILS(20, ",\"proved\":1") STATE(30, "watching", ",\"proved\":1") MAP(
			  31, "added", "\"bad\":\"1\"") MAP(40, "modified", "")
			  AT(41, "state", ",\"id\":0,\"state\":\"watching\",\"proved\":1,\"caught_up\":40500000000")
				  MAP(42, "modified", "\"bad\":\"1\"") AT(43, "end", ""),
		  events);
	assert_string_equal(events, "BEb");
	events_of(BEGINNING FAILS(20, "") STATE(30, "watching", "") MAP(31, "added", "\"bad\":\"1\"")
			  MAP(40, "modified", "") MAP(42, "modified", "\"bad\":\"1\"") AT(43, "end", ""),
		  events);
	assert_string_equal(events, "Beb");
}

static void test_unrecorded_is_unknown(void **state)
{
	struct replay_summary s =
		reported(HEADER WATCH(10, 0, "ConfigMap") AT(10, "connection", ",\"up\":true,\"discovered\":true")
				 SYNCED(11, 0) MAP(12, "added", "\"bad\":\"1\"") AT(20, "end", ""));

	(void)state;
	assert_int_equal(s.unrecorded, 1);
	assert_int_equal(s.reported.begins, 2); /* the gap, and what is known all the same */
}

/* A watch that another one soon takes the place of is not missing. */
static void test_watched_anew(void **state)
{
	struct replay_summary s = reported(BEGINNING AT(20, "unwatch", ",\"id\":1") WATCH(23, 2, "Service")
						   SYNCED(23, 2) AT(40, "end", ""));

	(void)state;
	assert_int_equal(s.damage.code, 0);
	assert_int_equal(s.unrecorded, 0);
	assert_int_equal(s.reported.begins, 0);
	s = reported(BEGINNING AT(20, "unwatch", ",\"id\":1") WATCH(27, 2, "Service") SYNCED(27, 2) AT(40, "end", ""));
	assert_int_equal(s.unrecorded, 1);
	s = reported(BEGINNING AT(20, "unwatch", ",\"id\":1") AT(90, "end", ""));
	assert_int_equal(s.reported.begins, 1);
	assert_int_equal(s.reported.ends, 0);
}

static void test_cut_short_anywhere(void **state)
{
	static const char whole[] = BEGINNING MAP(12, "added", "\"bad\":\"1\"") AT(13, "end", "");
	struct replay_summary s;
	struct err err;

	(void)state;
	for (size_t n = sizeof(HEADER) - 1; n < sizeof(whole) - 2; n++) {
		assert_int_equal(replay(whole, n, &s, &err), 0);
		assert_int_equal(s.damage.code, EBADMSG);
	}
	s = reported(BEGINNING MAP(12, "added", "\"bad\":\"1\"") "{\"e\":\"obj");
	assert_int_equal(s.damage.code, EBADMSG);
	assert_int_equal(s.reported.begins, 1); /* up to the last whole line */
}

static void test_no_recording(void **state)
{
	static const char *const texts[] = { "\n",
					     "{}\n",
					     "[1]\n",
					     "{\"e\":\"state\",\"t\":1,\"w\":1}\n",
					     "{\"e\":\"header\",\"t\":1,\"w\":1,\"format\":2,\"clusters\":[]}\n",
					     "{\"e\":\"header\",\"t\":0,\"w\":1,\"format\":1,\"clusters\":[]}\n" };
	struct replay_summary s;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(replay(texts[i], strlen(texts[i]), &s, &err), -EINVAL);
}

static void test_hostile_lines_are_damage(void **state)
{
	static const char *const lines[] = {
		AT(12, "nonsense", ""),
		AT(12, "object", ",\"id\":7"),
		AT(12, "object", ",\"id\":0"),
		AT(12, "object", ",\"id\":0,\"event\":\"added\",\"object\":[1]"),
		AT(12, "object", ",\"id\":0,\"event\":\"added\",\"object\":{\"metadata\":{\"name\":7}}"),
		AT(12, "state", ",\"id\":0,\"state\":\"asleep\""),
		AT(10, "alive", ""),
		"{\"e\":\"alive\",\"t\":1e300,\"w\":1}\n",
		"{\"e\":\"alive\",\"t\":12000000000,\"w\":9223372036854775807}\n",
		"{\"e\":\"state\",\"t\":12000000000,\"w\":1,\"c\":9}\n",
		"{\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		char text[8192];
		struct replay_summary s;

		(void)snprintf(text, sizeof(text), "%s%s%s", BEGINNING, lines[i], AT(13, "end", ""));
		s = reported(text);
		if (!s.damage.code)
			fail_msg("taken: %s", lines[i]);
	}
}

static void test_a_leap_of_years_is_no_hang(void **state)
{
	struct replay_summary s =
		reported(BEGINNING "{\"e\":\"alive\",\"t\":9000000000000000000,\"w\":1700000012000000}\n"
				   "{\"e\":\"end\",\"t\":9000000000000000001,\"w\":1700000012000000}\n");

	(void)state;
	assert_int_equal(s.damage.code, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_and_ends),
		cmocka_unit_test(test_holds_by_the_time_of_the_recording),
		cmocka_unit_test(test_missed_events),
		cmocka_unit_test(test_unrecorded_is_unknown),
		cmocka_unit_test(test_watched_anew),
		cmocka_unit_test(test_cut_short_anywhere),
		cmocka_unit_test(test_no_recording),
		cmocka_unit_test(test_hostile_lines_are_damage),
		cmocka_unit_test(test_a_leap_of_years_is_no_hang),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
