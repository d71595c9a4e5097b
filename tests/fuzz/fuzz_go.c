/* A byte that says what the rest is: base64, a number, a quoted text, a URL, a layout and a time, zone data, a
 * duration. What is written reads back as the same. */
#include "go/base64.h"
#include "go/duration.h"
#include "go/layout.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "go/url.h"

#include <errno.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_base64(str s, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);
	str back;
	size_t bad = 0;

	go_base64_encode(&out, s);
	check(go_base64_decode(&go_base64_std, buf_str(&out), a, &back, NULL) == 0 && str_eq(back, s));
	check(go_base64_decode(&go_base64_std, s, a, &back, &bad) == 0 || bad <= s.n);
	(void)!go_base64_decode(&go_base64_raw, s, a, &back, NULL);
}

static void check_number(str s)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(2000);
	static const char formats[] = "eEfgGxXb";
	double d, again;
	uint64_t u;
	int64_t i;

	for (unsigned base = 0; base <= 10; base += base ? 2 : 8) {
		(void)go_parse_int(s, base, &i);
		(void)go_parse_uint(s, base, &u);
	}
	if (go_parse_float(s, &d) < 0)
		return;
	(void)go_float_to_int64(d);
	(void)go_float_to_uint64(d);
	go_format_float32(&out, d);
	for (size_t f = 0; formats[f]; f++) {
		buf_clear(&out);
		go_format_float(&out, d, formats[f], -1);
		if (formats[f] != 'b')
			check(go_parse_float(buf_str(&out), &again) == 0 && (again == d || isnan(d)));
	}
}

static void check_quote(str s, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);
	str back;

	(void)!go_unquote(s, a, &back);
	go_quote(&out, s);
	check(go_unquote(buf_str(&out), a, &back) == 0 && str_eq(back, s));
	buf_clear(&out);
	go_quote_ascii(&out, s);
	check(go_unquote(buf_str(&out), a, &back) == 0 && str_eq(back, s));
}

/* The text of a URL is one itself, and reads back to the same text. It does not where a path alone begins with two
 * slashes, because Go writes such a path as it is and then reads a host. */
static void check_url(str s, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2), again = BUF_INIT(SIZE_MAX / 2);
	struct go_url u, v;
	str path;

	(void)!go_url_parse_request(s, a, &u, NULL);
	if (go_url_parse(s, a, &u, NULL) < 0)
		return;
	(void)go_url_hostname(&u);
	(void)go_url_port(&u);
	check(go_url_escaped_path(&u, a, &path) == 0);
	go_url_string(&u, &out);
	if (str_has_prefix(buf_str(&out), STR("//")) && !u.host.n && !u.has_user)
		return;
	if (go_url_parse(buf_str(&out), a, &v, NULL) < 0)
		return;
	go_url_string(&v, &again);
	check(str_eq(buf_str(&out), buf_str(&again)));
}

static void check_time(str s, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);
	struct go_stamp strict, loose;
	struct go_time t;
	str layout;

	if (go_rfc3339_parse(s, &strict, NULL)) {
		check(go_stamp_parse(GO_RFC3339, s, &loose, NULL));
		check(strict.sec == loose.sec && strict.nsec == loose.nsec && strict.offset == loose.offset &&
		      strict.utc == loose.utc);
	}
	if (str_next_part(&s, '\n', &layout) && go_time_parse(layout, s, a, &t, &out) == 0)
		go_time_format(&t, layout, &out);
}

static void check_zone(str s)
{
	static const int64_t times[] = { INT64_MIN, -5000000000, 0, 1700000000, 5000000000, INT64_MAX };
	struct go_location loc;
	struct go_zone zone;

	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		(void)go_zone_rule_at(s, times[i], &zone);
		if (go_zone_parse(s, &loc))
			(void)go_zone_at(&loc, times[i]);
	}
}

static void check_duration(str s)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	int64_t d, again;

	if (!go_duration_parse(s, &d, NULL))
		return;
	go_duration_string(d, &out);
	check(go_duration_parse(buf_str(&out), &again, NULL) && again == d);
	(void)go_duration_round(d, GO_SECOND);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT((size_t)64 << 20);
	str s = { (const char *)data + 1, size - 1 };

	if (size == 0 || size > 4096)
		return 0;
	switch (data[0]) {
	case 'b':
		check_base64(s, &a);
		break;
	case 'n':
		check_number(s);
		break;
	case 'q':
		check_quote(s, &a);
		break;
	case 'u':
		check_url(s, &a);
		break;
	case 't':
		check_time(s, &a);
		break;
	case 'z':
		check_zone(s);
		break;
	case 'd':
		check_duration(s);
		break;
	default:
		break;
	}
	return 0;
}
