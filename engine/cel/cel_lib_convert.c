/* Conversions between types.   CEL langdef, Standard Definitions */
#include "cel/cel_func.h"

#include "base/number.h"
#include "base/utf8.h"
#include "cel/cel_net.h"
#include "cel/cel_time.h"
#include "go/strconv.h"
#include "value/json.h"

#include <errno.h>
#include <math.h>

/* ---- shared ---- */

cv cel_nomem(struct cel_ctx *c)
{
	(void)c;
	return cv_error(&cel_error_memory);
}

cv cel_string_copy(struct cel_ctx *c, str s)
{
	str copy = arena_str(c->arena, s);

	return copy.p ? cv_string(copy) : cel_nomem(c);
}

cv cel_string_take(struct cel_ctx *c, struct buf *b)
{
	cv v = b->error ? cel_nomem(c) : cel_string_copy(c, buf_str(b));

	buf_done(b);
	return v;
}

cv *cel_list_new(struct cel_ctx *c, uint32_t n)
{
	return arena_array(c->arena, n, sizeof(cv));
}

cv cel_to_string(struct cel_ctx *c, cv v)
{
	struct buf b = BUF_INIT(4096);

	switch (v.kind) {
	case CV_STRING:
		return v;
	case CV_BYTES:
		return utf8_valid(cv_str(v)) ? cv_string(cv_str(v))
					     : cel_fail(c, "invalid UTF-8 in bytes, cannot convert to string");
	case CV_BOOL:
		return cv_string(v.b ? STR("true") : STR("false"));
	case CV_INT:
		buf_printf(&b, "%lld", (long long)v.i);
		break;
	case CV_UINT:
		buf_printf(&b, "%llu", (unsigned long long)v.u);
		break;
	case CV_DOUBLE:
		go_format_float(&b, v.d, 'g', -1);
		break;
	case CV_TIMESTAMP:
		cel_timestamp_format(v, &b);
		break;
	case CV_DURATION:
		cel_duration_format(v.i, &b);
		break;
	case CV_IP:
		cel_ip_format(v.ip, &b);
		break;
	case CV_CIDR:
		cel_cidr_format(v.cidr, &b);
		break;
	default:
		return cv_no_overload();
	}
	return cel_string_take(c, &b);
}

/* ---- functions ---- */

static cv same(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return a[0];
}

static cv type_of(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_type(cv_type_name(a[0]));
}

static cv to_string(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cel_to_string(c, a[0]);
}

static cv to_bytes(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bytes(cv_str(a[0]));
}

static cv conversion_error(struct cel_ctx *c, const char *type)
{
	return cel_fail(c, "type conversion error from 'string' to '%s'", type);
}

static cv to_bool(struct cel_ctx *c, const cv *a, uint32_t n)
{
	static const char *const yes[] = { "true", "1", "t", "T", "TRUE", "True" };
	static const char *const no[] = { "false", "0", "f", "F", "FALSE", "False" };

	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (str_eq(cv_str(a[0]), str_from(yes[i])))
			return cv_bool(true);
		if (str_eq(cv_str(a[0]), str_from(no[i])))
			return cv_bool(false);
	}
	return conversion_error(c, "bool");
}

/* Fail because a number is out of range. @what is the text of cel-go; the specification demands the word "range"
 * too. */
static cv range_error(struct cel_ctx *c, const char *what)
{
	return cel_fail(c, "%s%s", c->kubernetes ? "" : "range error: ", what);
}

static cv to_int(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t i;

	(void)n;
	switch (a[0].kind) {
	case CV_UINT:
		return a[0].u > INT64_MAX ? range_error(c, "integer overflow") : cv_int((int64_t)a[0].u);
	case CV_DOUBLE:
		if (!(a[0].d > -9223372036854775808.0 && a[0].d < 9223372036854775808.0))
			return range_error(c, "integer overflow");
		return cv_int((int64_t)a[0].d);
	case CV_TIMESTAMP:
	case CV_DURATION:
		return cv_int(a[0].i);
	default:
		return int64_parse(cv_str(a[0]), &i) ? cv_int(i) : conversion_error(c, "int");
	}
}

static cv to_uint(struct cel_ctx *c, const cv *a, uint32_t n)
{
	uint64_t u = 0;
	str s;

	(void)n;
	switch (a[0].kind) {
	case CV_INT:
		return a[0].i < 0 ? range_error(c, "unsigned integer overflow") : cv_uint((uint64_t)a[0].i);
	case CV_DOUBLE:
		if (!(a[0].d >= 0 && a[0].d < 18446744073709551616.0))
			return range_error(c, "unsigned integer overflow");
		return cv_uint((uint64_t)a[0].d);
	default:
		s = cv_str(a[0]);
		for (size_t i = 0; i < s.n; i++) {
			if (s.p[i] < '0' || s.p[i] > '9' || __builtin_mul_overflow(u, 10, &u) ||
			    __builtin_add_overflow(u, (uint64_t)(s.p[i] - '0'), &u))
				return conversion_error(c, "uint");
		}
		return s.n ? cv_uint(u) : conversion_error(c, "uint");
	}
}

static cv to_double(struct cel_ctx *c, const cv *a, uint32_t n)
{
	double d;
	int r;

	(void)n;
	if (a[0].kind == CV_INT)
		return cv_double((double)a[0].i);
	if (a[0].kind == CV_UINT)
		return cv_double((double)a[0].u);
	r = go_parse_float(cv_str(a[0]), &d);
	if (r == -ENOMEM)
		return cel_nomem(c);
	return r < 0 ? conversion_error(c, "double") : cv_double(d);
}

static cv to_timestamp(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	if (a[0].kind == CV_STRING)
		return cel_parse_timestamp(c, cv_str(a[0]));
	if (a[0].i < CEL_TIMESTAMP_MIN || a[0].i > CEL_TIMESTAMP_MAX)
		return range_error(c, "timestamp overflow");
	return cv_timestamp(a[0].i, 0);
}

static cv to_duration(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return cel_parse_duration(c, cv_str(a[0]));
}

static const struct cel_overload overloads[] = {
	CEL_GLOBAL("dyn", "to_dyn", "A:*", same, COST_ONE, "hides the type from the checker"),
	CEL_GLOBAL("type", "type", "A:TA", type_of, COST_ONE, "the type of a value"),
	CEL_GLOBAL("bool", "bool_to_bool", "b:b", same, COST_ONE, "itself"),
	CEL_GLOBAL("bool", "string_to_bool", "s:b", to_bool, COST_ONE, "from text"),
	CEL_GLOBAL("bytes", "bytes_to_bytes", "y:y", same, COST_ONE, "itself"),
	CEL_GLOBAL("bytes", "string_to_bytes", "s:y", to_bytes, COST_FIRST, "the UTF-8 of a text"),
	CEL_GLOBAL("double", "double_to_double", "d:d", same, COST_ONE, "itself"),
	CEL_GLOBAL("double", "int64_to_double", "i:d", to_double, COST_ONE, "from an integer"),
	CEL_GLOBAL("double", "uint64_to_double", "u:d", to_double, COST_ONE, "from an unsigned integer"),
	CEL_GLOBAL("double", "string_to_double", "s:d", to_double, COST_ONE, "from text"),
	CEL_GLOBAL("duration", "duration_to_duration", "D:D", same, COST_ONE, "itself"),
	CEL_GLOBAL("duration", "string_to_duration", "s:D", to_duration, COST_ONE, "from text such as 1h30m"),
	CEL_GLOBAL("int", "int64_to_int64", "i:i", same, COST_ONE, "itself"),
	CEL_GLOBAL("int", "uint64_to_int64", "u:i", to_int, COST_ONE, "from an unsigned integer"),
	CEL_GLOBAL("int", "double_to_int64", "d:i", to_int, COST_ONE, "towards zero"),
	CEL_GLOBAL("int", "string_to_int64", "s:i", to_int, COST_ONE, "from text"),
	CEL_GLOBAL("int", "timestamp_to_int64", "t:i", to_int, COST_ONE, "seconds since 1970"),
	CEL_GLOBAL("int", "duration_to_int64", "D:i", to_int, COST_ONE, "nanoseconds"),
	CEL_GLOBAL("string", "string_to_string", "s:s", same, COST_ONE, "itself"),
	CEL_GLOBAL("string", "bool_to_string", "b:s", to_string, COST_ONE, "true or false"),
	CEL_GLOBAL("string", "bytes_to_string", "y:s", to_string, COST_FIRST, "bytes that are UTF-8"),
	CEL_GLOBAL("string", "double_to_string", "d:s", to_string, COST_ONE, "shortest digits"),
	CEL_GLOBAL("string", "duration_to_string", "D:s", to_string, COST_ONE, "in seconds"),
	CEL_GLOBAL("string", "int64_to_string", "i:s", to_string, COST_ONE, "decimal"),
	CEL_GLOBAL("string", "timestamp_to_string", "t:s", to_string, COST_ONE, "RFC 3339"),
	CEL_GLOBAL("string", "uint64_to_string", "u:s", to_string, COST_ONE, "decimal"),
	CEL_GLOBAL("timestamp", "timestamp_to_timestamp", "t:t", same, COST_ONE, "itself"),
	CEL_GLOBAL("timestamp", "string_to_timestamp", "s:t", to_timestamp, COST_ONE, "from RFC 3339"),
	CEL_GLOBAL("timestamp", "int64_to_timestamp", "i:t", to_timestamp, COST_ONE, "from seconds since 1970"),
	CEL_GLOBAL("uint", "uint64_to_uint64", "u:u", same, COST_ONE, "itself"),
	CEL_GLOBAL("uint", "int64_to_uint64", "i:u", to_uint, COST_ONE, "from an integer"),
	CEL_GLOBAL("uint", "double_to_uint64", "d:u", to_uint, COST_ONE, "towards zero"),
	CEL_GLOBAL("uint", "string_to_uint64", "s:u", to_uint, COST_ONE, "from text"),
};

const struct cel_library cel_lib_convert = { overloads, ARRAY_LEN(overloads) };
