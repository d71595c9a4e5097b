/* Go's standard library by examples: tests/data/go/triples. */
#include "support/triples.h"

#include "base/assert.h"
#include "go/duration.h"
#include "go/layout.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "go/zone.h"

#include <errno.h>

/* The program is a layout, the input a time. */
static int run_parse_time(const struct triple *t, struct arena *a, struct buf *out)
{
	struct go_time time;
	int r = go_time_parse(t->program, t->input, a, &time, out);

	if (r == 0)
		go_time_format(&time, STR("2006-01-02 15:04:05.999999999 -07:00:00 MST"), out);
	return r;
}

static int run_unquote(const struct triple *t, struct arena *a, struct buf *out)
{
	str text;
	int r = go_unquote(t->program, a, &text);

	if (r < 0)
		buf_add_cstr(out, "invalid");
	else
		buf_add_str(out, text);
	return r;
}

static int run_quote(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	go_quote(out, t->program);
	buf_add_byte(out, ' ');
	go_quote_ascii(out, t->program);
	buf_add_cstr(out, go_can_backquote(t->program) ? " true" : " false");
	return 0;
}

static int run_quote_rune(const struct triple *t, struct arena *a, struct buf *out)
{
	uint64_t c = 0;

	(void)a;
	if (!go_parse_uint(t->program, 10, &c))
		return -EINVAL;
	go_quote_rune(out, (uint32_t)c, false);
	buf_add_byte(out, ' ');
	go_quote_rune(out, (uint32_t)c, true);
	return 0;
}

static int run_duration(const struct triple *t, struct arena *a, struct buf *out)
{
	int64_t ns;

	(void)a;
	if (!go_duration_parse(t->program, &ns, out))
		return -EBADMSG;
	buf_printf(out, "%lld ", (long long)ns);
	go_duration_string(ns, out);
	return 0;
}

static void print_integers(str text, unsigned base, struct buf *out)
{
	uint64_t u;
	int64_t i;

	if (go_parse_int(text, base, &i))
		buf_printf(out, "%lld", (long long)i);
	else
		buf_add_cstr(out, "no");
	if (go_parse_uint(text, base, &u))
		buf_printf(out, " %llu", (unsigned long long)u);
	else
		buf_add_cstr(out, " no");
}

static int run_parse_int(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	print_integers(t->program, 10, out);
	return 0;
}

static int run_parse_literal(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	print_integers(t->program, 0, out);
	return 0;
}

/* The next of several numbers with blanks behind them. */
static int64_t take_number(str *rest)
{
	str part = { 0 };
	int64_t n = 0;

	(void)str_next_part(rest, ' ', &part);
	ASSERT(go_parse_int(part, 10, &n));
	return n;
}

static int run_format_time(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = t->program;
	int64_t sec = take_number(&rest), nsec = take_number(&rest), offset = take_number(&rest);
	const struct go_location *loc = offset ? go_zone_fixed(a, STR("ZZZ"), (int32_t)offset) : &go_utc;
	struct go_time time = go_time_unix(sec, (int32_t)nsec, loc);

	go_time_format(&time, rest, out);
	return 0;
}

static int run_zone_rule(const struct triple *t, struct arena *a, struct buf *out)
{
	str rule = t->program;
	int64_t sec = take_number(&rule);
	struct go_zone zone;

	(void)a;
	if (!go_zone_rule_at(rule, sec, &zone)) {
		buf_add_cstr(out, "invalid");
		return -EINVAL;
	}
	buf_printf(out, "%.*s %d %s", STR_ARG(zone.name), (int)zone.offset, zone.dst ? "true" : "false");
	return 0;
}

static int run_parse_float(const struct triple *t, struct arena *a, struct buf *out)
{
	double d;
	int r = go_parse_float(t->program, &d);

	(void)a;
	if (r < 0) {
		buf_add_cstr(out, r == -ERANGE ? "range" : "syntax");
		return r;
	}
	go_format_float(out, d, 'x', -1);
	buf_add_byte(out, ' ');
	go_format_float(out, d, 'g', -1);
	return 0;
}

static int run_format_float(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = str_sub(t->program, 2, t->program.n);
	int64_t precision = take_number(&rest);
	double d;

	(void)a;
	ASSERT(go_parse_float(rest, &d) == 0);
	go_format_float(out, d, t->program.p[0], (int)precision);
	return 0;
}

static void print_time(struct go_time t, struct buf *out)
{
	buf_printf(out, "%lld.%09d", (long long)go_time_to_unix(&t), (int)t.nsec);
}

static int run_round_time(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = t->program;
	int64_t sec = take_number(&rest), nsec = take_number(&rest), unit = take_number(&rest);
	struct go_time time = go_time_unix(sec, (int32_t)nsec, NULL);

	(void)a;
	print_time(go_time_truncate(time, unit), out);
	buf_add_byte(out, ' ');
	print_time(go_time_round(time, unit), out);
	return 0;
}

static const struct triple_file files[] = {
	{ "round_time", run_round_time },     { "parse_float", run_parse_float },
	{ "format_float", run_format_float }, { "parse_time", run_parse_time },
	{ "unquote", run_unquote },           { "quote", run_quote },
	{ "quote_rune", run_quote_rune },     { "duration", run_duration },
	{ "parse_int", run_parse_int },       { "parse_literal", run_parse_literal },
	{ "format_time", run_format_time },   { "zone_rule", run_zone_rule },
};

int main(void)
{
	return triples_main(TEST_DATA "/go/triples", files, ARRAY_LEN(files));
}
