/* Reads values of documents as values of the language, according to a schema.   Kubernetes
 * apiserver/pkg/cel/common/values.go */
#include "base/ascii.h"
#include "cel/cel_schema.h"
#include "cel/cel_time.h"
#include "go/base64.h"
#include "go/duration.h"

#include <errno.h>

static cv plain(const val *v)
{
	switch (v->kind) {
	case VAL_BOOL:
		return cv_bool(v->b);
	case VAL_INT:
		return cv_int(v->i);
	case VAL_UINT:
		return cv_uint(v->u);
	case VAL_DOUBLE:
		return cv_double(v->d);
	case VAL_STRING:
		return cv_string(val_str(*v));
	case VAL_LIST:
		return (cv){ .kind = CV_LIST, .rep = CV_VIEW, .n = v->n, .vals = v->items };
	case VAL_MAP:
		return (cv){ .kind = CV_MAP, .rep = CV_VIEW, .n = v->n, .members = v->members };
	default:
		return cv_null();
	}
}

static cv invalid(struct arena *a, const char *expected, val v)
{
	return cv_errorf(a, "invalid data, expected %s, got %s", expected, val_kind_name(v));
}

/* Read a duration of strfmt: Go's, or a number with a longer unit ("2 days"). */
static bool parse_format_duration(str s, int64_t *ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "weeks", 604800000000000 }, { "week", 604800000000000 }, { "days", 86400000000000 },
		      { "day", 86400000000000 },    { "hours", 3600000000000 },  { "hour", 3600000000000 },
		      { "minutes", 60000000000 },   { "minute", 60000000000 },   { "seconds", 1000000000 },
		      { "second", 1000000000 },     { "w", 604800000000000 },    { "d", 86400000000000 } };
	int64_t n = 0, total;
	size_t i = 0;

	if (go_duration_parse(s, ns, NULL))
		return true;
	for (; i < s.n && ascii_is_digit(s.p[i]) && n < 1000000000; i++)
		n = n * 10 + (s.p[i] - '0');
	if (i == 0)
		return false;
	s = str_trim(str_sub(s, i, s.n));
	for (size_t k = 0; k < ARRAY_LEN(units); k++) {
		if (str_eq(s, str_from(units[k].name)) && !__builtin_mul_overflow(n, units[k].ns, &total)) {
			*ns = total;
			return true;
		}
	}
	return false;
}

static cv formatted(struct arena *a, str s, uint8_t format)
{
	int64_t t;
	cv time;
	str bytes;
	int r;

	switch (format) {
	case CEL_DURATION:
		return parse_format_duration(s, &t) ? cv_duration(t)
						    : cv_errorf(a, "invalid duration %.*s", STR_ARG(s));
	case CEL_DATE:
		return cel_date_parse(s, &t) ? cv_timestamp(t, 0)
					     : cv_errorf(a, "invalid date formatted string %.*s", STR_ARG(s));
	case CEL_DATE_TIME:
		return cel_timestamp_parse(s, &time)
			       ? time
			       : cv_errorf(a, "invalid date-time formatted string %.*s", STR_ARG(s));
	case CEL_BYTE:
		r = go_base64_decode(&go_base64_std, s, a, &bytes, NULL);
		if (r == -ENOMEM)
			return cv_error(&cel_error_memory);
		return r < 0 ? cv_errorf(a, "invalid byte formatted string %.*s", STR_ARG(s)) : cv_bytes(bytes);
	default:
		return cv_string(s);
	}
}

static cv by_type(struct arena *a, val v, const struct cel_schema *s)
{
	cv view;

	switch ((enum cel_schema_kind)s->kind) {
	case CEL_SCHEMA_OBJECT:
		if (v.kind != VAL_MAP)
			return cv_errorf(a, "invalid data, expected a map for the provided schema with type=object");
		break;
	case CEL_SCHEMA_ARRAY:
		if (v.kind != VAL_LIST)
			return cv_errorf(a, "invalid data, expected an array for the provided schema with type=array");
		if (!s->items)
			return cv_errorf(a, "invalid array type, expected Items with a non-empty Schema");
		break;
	case CEL_SCHEMA_STRING:
		return v.kind == VAL_STRING ? formatted(a, val_str(v), s->format) : invalid(a, "string", v);
	case CEL_SCHEMA_NUMBER:
		if (v.kind == VAL_INT)
			return cv_double((double)v.i);
		if (v.kind == VAL_UINT)
			return cv_double((double)v.u);
		return v.kind == VAL_DOUBLE ? cv_double(v.d) : invalid(a, "float", v);
	case CEL_SCHEMA_INTEGER:
		return v.kind == VAL_INT ? cv_int(v.i) : invalid(a, "int", v);
	case CEL_SCHEMA_BOOLEAN:
		return v.kind == VAL_BOOL ? cv_bool(v.b) : invalid(a, "bool", v);
	case CEL_SCHEMA_UNKNOWN:
		if (s->preserve) {
			val *copy = arena_alloc(a, sizeof(*copy));

			if (!copy)
				return cv_error(&cel_error_memory);
			*copy = v;
			return (cv){ .kind = CV_OPAQUE, .val = copy };
		}
		return cv_errorf(
			a,
			"invalid type, expected object, array, number, integer, boolean or string, or no type with "
			"x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields set to true, got %.*s",
			STR_ARG(s->type_name));
	}
	view = plain(&v);
	view.schema = s;
	return view;
}

cv cv_from_val(struct arena *a, val v, const struct cel_schema *schema)
{
	if (!schema)
		return plain(&v);
	if (v.kind == VAL_NULL || v.kind == VAL_ABSENT)
		return schema->nullable ? cv_null()
					: cv_errorf(a, "invalid data, got null for schema with nullable=false");
	if (schema->int_or_string) {
		if (v.kind == VAL_STRING || v.kind == VAL_INT)
			return plain(&v);
		return cv_errorf(a, "invalid data, expected XIntOrString value to be either a string or integer");
	}
	return by_type(a, v, schema);
}
