/* Calendar, layouts, RFC 3339 and durations against Go's package time. */
#include "go/duration.h"
#include "go/layout.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Every day of eight centuries there and back. */
static void test_calendar(void **state)
{
	(void)state;
	for (int64_t day = -146097; day < 146097; day++) {
		struct go_civil c = go_civil_of_unix(day * 86400 + 3661);

		assert_int_equal(go_unix_of_civil(c.year, c.month, c.day, c.hour, c.min, c.sec), day * 86400 + 3661);
		assert_int_equal(c.weekday, ((day + 4) % 7 + 7) % 7);
	}
	assert_int_equal(go_unix_of_civil(2024, 14, 0, 25, -1, 61), go_unix_of_civil(2025, 2, 1, 1, 0, 1));
}

static void test_formats(void **state)
{
	static const struct {
		const char *layout, *text;
	} cases[] = {
		{ "2006-01-02T15:04:05Z07:00", "2023-04-05T16:07:08+05:30" },
		{ "Mon Jan _2 3:04PM 06", "Wed Apr  5 4:07PM 23" },
		{ "Monday, 02 January __2 002", "Wednesday, 05 April  95 095" },
		{ "15h4m5.000s .999 ,999999", "16h7m8.012s .012 ,012345" },
		{ "-07 -0700 -07:00:00 MST", "+05 +0530 +05:30:00 IST" },
		{ "Janet pm", "Janet pm" },
	};
	const struct go_location ist = { .fixed = true, .always = { .name = { "IST", 3 }, .offset = 19800 } };
	struct go_time t = go_time_date(2023, 4, 5, 16, 7, 8, 12345000, &ist);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);

		go_time_format(&t, str_from(cases[i].layout), &out);
		assert_string_equal(out.p, cases[i].text);
	}
}

static void test_parse(void **state)
{
	static const struct {
		const char *layout, *value;
		int64_t sec;
		const char *why;
	} cases[] = {
		{ "2006-01-02", "2023-04-05", 1680652800, NULL },
		{ "Jan _2 2006 3:04PM", "apr  5 2023 4:07PM", 1680710820, NULL },
		{ "2006 002", "2024 366", 1735603200, NULL },
		{ "15:04:05 MST 2006-01-02", "00:00:01 CET 1970-01-01", 1, NULL },
		{ "2006-01-02", "2023-02-29", 0, "parsing time \"2023-02-29\": day out of range" },
		{ "2006-01-02", "2023-13-01", 0, "parsing time \"2023-13-01\": month out of range" },
		{ "2006-01-02", "x", 0, "parsing time \"x\" as \"2006-01-02\": cannot parse \"x\" as \"2006\"" },
		{ "2006", "2023x", 0, "parsing time \"2023x\": extra text: \"x\"" },
		{ "2006-01-02T15:04:05Z07:00", "2023-04-05T06:07:08+25:00", 0,
		  "parsing time \"2023-04-05T06:07:08+25:00\": time zone offset hour out of range" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		CLEANUP(buf_done) struct buf why = BUF_INIT(200);
		struct go_time t;
		int r = go_time_parse(str_from(cases[i].layout), str_from(cases[i].value), &a, &t, &why);

		assert_int_equal(r, cases[i].why ? -EBADMSG : 0);
		assert_string_equal(buf_str(&why).p, cases[i].why ? cases[i].why : "");
		if (r == 0)
			assert_int_equal(go_time_to_unix(&t), cases[i].sec);
	}
}

static void test_rfc3339(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t sec;
		int32_t nsec, offset;
		const char *again; /* NULL: the text */
	} cases[] = {
		{ "1970-01-01T00:00:00Z", true, 0, 0, 0, NULL },
		{ "2023-04-05T16:07:08.012345+05:30", true, 1680691028, 12345000, 19800, NULL },
		{ "2023-04-05T16:07:08.1234567899-08:00", true, 1680739628, 123456789, -28800,
		  "2023-04-05T16:07:08.123456789-08:00" },
		{ "0000-02-29T00:00:00Z", true, -62162121600, 0, 0, NULL },
		/* What Go reads beyond the letter of it. */
		{ "2023-04-05T6:07:08Z", true, 1680674828, 0, 0, "2023-04-05T06:07:08Z" },
		{ "2023-04-05T06:07:08,5Z", true, 1680674828, 500000000, 0, "2023-04-05T06:07:08.5Z" },
		{ "2023-04-05T06:07:08+24:00", true, 1680588428, 0, 86400, NULL },
		{ "2023-04-05t06:07:08z", false, 0, 0, 0, NULL },
		{ "2023-02-29T00:00:00Z", false, 0, 0, 0, NULL },
		{ "2023-04-05T24:00:00Z", false, 0, 0, 0, NULL },
		{ "2023-04-05T06:07:60Z", false, 0, 0, 0, NULL },
		{ "2023-04-05T06:07:08", false, 0, 0, 0, NULL },
		{ "2023-04-05T06:07:08.Z", false, 0, 0, 0, NULL },
		{ "2023-04-05T06:07:08Z ", false, 0, 0, 0, NULL },
		{ "", false, 0, 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);
		struct go_stamp t;

		assert_int_equal(go_rfc3339_parse(str_from(cases[i].text), &t, NULL), cases[i].ok);
		if (!cases[i].ok)
			continue;
		assert_int_equal(t.sec, cases[i].sec);
		assert_int_equal(t.nsec, cases[i].nsec);
		assert_int_equal(t.offset, cases[i].offset);
		go_rfc3339_format(t.sec, t.nsec, t.offset, &out);
		assert_string_equal(out.p, cases[i].again ? cases[i].again : cases[i].text);
	}
}

static void test_arithmetic(void **state)
{
	struct go_time a = go_time_unix(100, 999999999, NULL), b = go_time_add(a, 2),
		       far = go_time_unix(INT64_MAX / 2, 0, NULL);

	(void)state;
	assert_int_equal(b.nsec, 1);
	assert_int_equal(go_time_to_unix(&b), 101);
	assert_int_equal(go_time_sub(&b, &a), 2);
	assert_true(go_time_sub(&far, &a) == INT64_MAX && go_time_sub(&a, &far) == INT64_MIN);
	assert_true(go_time_cmp(&a, &b) < 0);
	b = go_time_round(a, GO_SECOND);
	assert_int_equal(go_time_to_unix(&b), 101);
	b = go_time_truncate(a, GO_MINUTE);
	assert_int_equal(go_time_to_unix(&b), 60);
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t ns;
		const char *again; /* or the error */
	} cases[] = {
		{ "0", true, 0, "0s" },
		{ "1h15m30.918s", true, 4530918000000, "1h15m30.918s" },
		{ "-1.5h", true, -5400000000000, "-1h30m0s" },
		{ ".5ms", true, 500000, "500\xc2\xb5s" },
		{ "3\xce\xbcs", true, 3000, "3\xc2\xb5s" },
		{ "1ns", true, 1, "1ns" },
		{ "-9223372036854775808ns", true, INT64_MIN, "-2562047h47m16.854775808s" },
		{ "9223372036854775808ns", false, 0, "time: invalid duration \"9223372036854775808ns\"" },
		{ "", false, 0, "time: invalid duration \"\"" },
		{ "1", false, 0, "time: missing unit in duration \"1\"" },
		{ "1d", false, 0, "time: unknown unit \"d\" in duration \"1d\"" },
		{ ".s", false, 0, "time: invalid duration \".s\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);
		int64_t ns = 99, ignored;

		assert_int_equal(go_duration_parse(str_from(cases[i].text), &ns, &out), cases[i].ok);
		assert_int_equal(go_duration_parse(str_from(cases[i].text), &ignored, NULL), cases[i].ok);
		if (cases[i].ok) {
			assert_true(ns == cases[i].ns);
			go_duration_string(ns, &out);
		}
		assert_string_equal(buf_str(&out).p, cases[i].again);
	}
	assert_int_equal(go_duration_round(1500000000, GO_SECOND), 2 * GO_SECOND);
	assert_int_equal(go_duration_round(-1500000000, GO_SECOND), -2 * GO_SECOND);
	assert_true(go_duration_round(INT64_MAX, GO_HOUR) == INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calendar), cmocka_unit_test(test_formats),    cmocka_unit_test(test_parse),
		cmocka_unit_test(test_rfc3339),  cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_durations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
