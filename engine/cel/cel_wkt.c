/* The well-known types of protocol buffers. */
#include "cel/cel_wkt.h"

static const struct cel_wkt messages[] = {
	{ "google.protobuf.BoolValue", MSG_BOOL, "b" },      { "google.protobuf.Int32Value", MSG_INT32, "i" },
	{ "google.protobuf.Int64Value", MSG_INT64, "i" },    { "google.protobuf.UInt32Value", MSG_UINT32, "u" },
	{ "google.protobuf.UInt64Value", MSG_UINT64, "u" },  { "google.protobuf.FloatValue", MSG_FLOAT, "d" },
	{ "google.protobuf.DoubleValue", MSG_DOUBLE, "d" },  { "google.protobuf.StringValue", MSG_STRING, "s" },
	{ "google.protobuf.BytesValue", MSG_BYTES, "y" },    { "google.protobuf.Struct", MSG_STRUCT, "Ms*" },
	{ "google.protobuf.Value", MSG_VALUE, "*" },         { "google.protobuf.ListValue", MSG_LIST, "L*" },
	{ "google.protobuf.Timestamp", MSG_TIMESTAMP, "t" }, { "google.protobuf.Duration", MSG_DURATION, "D" },
};

static const struct {
	uint8_t message;
	const char *field;
	const char *type;
} fields_of[] = {
	{ MSG_STRUCT, "fields", "Ms*" },      { MSG_LIST, "values", "L*" },       { MSG_VALUE, "null_value", "*" },
	{ MSG_VALUE, "number_value", "d" },   { MSG_VALUE, "string_value", "s" }, { MSG_VALUE, "bool_value", "b" },
	{ MSG_VALUE, "struct_value", "Ms*" }, { MSG_VALUE, "list_value", "L*" },  { MSG_TIMESTAMP, "seconds", "i" },
	{ MSG_TIMESTAMP, "nanos", "i" },      { MSG_DURATION, "seconds", "i" },   { MSG_DURATION, "nanos", "i" },
};

const struct cel_wkt *cel_wkt_find(str name)
{
	for (size_t i = 0; i < ARRAY_LEN(messages); i++) {
		if (str_eq(name, str_from(messages[i].name)))
			return &messages[i];
	}
	return NULL;
}

const struct cel_type *cel_wkt_field(struct arena *a, const struct cel_wkt *w, str field)
{
	const char *at;

	if (w->message <= MSG_BYTES) {
		at = w->type;
		return str_eq(field, STR("value")) ? cel_type_read(a, &at) : NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(fields_of); i++) {
		at = fields_of[i].type;
		if (fields_of[i].message == w->message && str_eq(field, str_from(fields_of[i].field)))
			return cel_type_read(a, &at);
	}
	return NULL;
}

const struct cel_type *cel_wkt_type(struct arena *a, const struct cel_wkt *w)
{
	const char *at = w->type;
	const struct cel_type *t = cel_type_read(a, &at);

	return w->message <= MSG_BYTES ? cel_type_wrapper(a, t) : t;
}

static cv zero_of(struct arena *a, uint32_t message)
{
	struct cv_map *empty;

	switch (message) {
	case MSG_BOOL:
		return cv_bool(false);
	case MSG_INT32:
	case MSG_INT64:
		return cv_int(0);
	case MSG_UINT32:
	case MSG_UINT64:
		return cv_uint(0);
	case MSG_FLOAT:
	case MSG_DOUBLE:
		return cv_double(0);
	case MSG_STRING:
		return cv_string(STR(""));
	case MSG_BYTES:
		return cv_bytes(STR(""));
	case MSG_STRUCT:
		empty = cv_map_new(a, 0);
		return empty ? cv_from_map(empty) : cv_error(&cel_error_memory);
	case MSG_LIST:
		return cv_list(NULL, 0);
	default:
		return cv_null();
	}
}

static cv time_value(struct arena *a, uint32_t message, const str *fields, const cv *values, uint32_t n)
{
	int64_t seconds = 0, nanos = 0, total;

	for (uint32_t i = 0; i < n; i++) {
		if (values[i].kind != CV_INT)
			return cv_no_overload();
		if (fields[i].n == 7)
			seconds = values[i].i;
		else
			nanos = values[i].i;
	}
	if (message == MSG_TIMESTAMP) {
		if (nanos < 0 || nanos > 999999999 || seconds < -62135596800 || seconds > 253402300799)
			return cv_errorf(a, "timestamp overflow");
		return cv_timestamp(seconds, (uint32_t)nanos);
	}
	if (__builtin_mul_overflow(seconds, 1000000000, &total) || __builtin_add_overflow(total, nanos, &total))
		return cv_errorf(a, "duration overflow");
	return cv_duration(total);
}

cv cel_wkt_make(struct arena *a, uint32_t message, const str *fields, const cv *values, uint32_t n)
{
	cv v;

	if (message == MSG_TIMESTAMP || message == MSG_DURATION)
		return time_value(a, message, fields, values, n);
	if (n == 0)
		return zero_of(a, message);
	v = values[n - 1];
	if ((message == MSG_INT32 && v.kind == CV_INT && (v.i < INT32_MIN || v.i > INT32_MAX)) ||
	    (message == MSG_UINT32 && v.kind == CV_UINT && v.u > UINT32_MAX))
		return cv_errorf(a, "range error");
	if (message == MSG_FLOAT && v.kind == CV_DOUBLE)
		return cv_double((double)(float)v.d);
	if (message == MSG_VALUE && str_eq(fields[n - 1], STR("null_value")))
		return cv_null();
	return v;
}
