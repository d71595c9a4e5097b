/* The sizes of a schema. */
#include "cel/cel_schema_size.h"

#define REQUEST_BYTES (3 * 1024 * 1024)
#define BRACKETS 2          /* or quotes */
#define LONGEST_TIME 32     /* also of a duration, in quotes */
#define DATE_BYTES 12       /* in quotes */
#define BYTES_OF_A_POINT 4  /* maxLength counts code points */
#define BESIDE_A_PROPERTY 4 /* quotes, colon and comma */
#define BESIDE_AN_ENTRY 6   /* these, and a key of two bytes */

/* A keyword that limits something, or @otherwise where it is not given. */
static uint64_t limit_of(val v, uint64_t otherwise)
{
	if (v.kind == VAL_INT)
		return v.i < 0 ? 0 : (uint64_t)v.i;
	if (v.kind == VAL_DOUBLE && v.d >= 0 && v.d < 0x1p63)
		return (uint64_t)v.d;
	return otherwise;
}

static uint64_t longest_of(val list)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < val_count(list); i++) {
		str s = val_str(val_at(list, i));

		longest = s.n > longest ? s.n : longest;
	}
	return longest;
}

static void measure_text(struct cel_schema *s, val v)
{
	static const uint8_t shortest[] = { [CEL_PLAIN] = BRACKETS,
					    [CEL_DURATION] = 3,
					    [CEL_DATE] = DATE_BYTES,
					    [CEL_DATE_TIME] = 21,
					    [CEL_BYTE] = BRACKETS };
	val length = VAL_GET(v, "maxLength"), values = VAL_GET(v, "enum");
	uint64_t any = REQUEST_BYTES - BRACKETS;

	_Static_assert(ARRAY_LEN(shortest) == CEL_STRING_FORMATS, "ORDER cel_string_format");
	s->min_bytes = shortest[s->format];
	if (s->format == CEL_DURATION || s->format == CEL_DATE_TIME)
		s->max_size = LONGEST_TIME;
	else if (s->format == CEL_DATE)
		s->max_size = DATE_BYTES;
	else if (s->format == CEL_BYTE)
		s->max_size = limit_of(length, any);
	else if (val_exists(length))
		s->max_size = limit_of(length, any / BYTES_OF_A_POINT) * BYTES_OF_A_POINT;
	else
		s->max_size = val_count(values) ? longest_of(values) : any;
}

static bool is_listed(val list, str name)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		if (str_eq(val_str(val_at(list, i)), name))
			return true;
	}
	return false;
}

/* Braces, and what must be there: a default need not be sent. */
static uint64_t shortest_object(const struct cel_schema *s, val v)
{
	val required = VAL_GET(v, "required"), given = VAL_GET(v, "properties");
	uint64_t bytes = BRACKETS;

	for (uint32_t i = 0; i < s->n_properties; i++) {
		str name = key_str(s->properties[i].name);
		const struct cel_schema *sub = s->properties[i].schema;

		if (sub->type && is_listed(required, name) && !val_exists(VAL_GET(val_get(given, name), "default")))
			bytes += name.n + sub->min_bytes + BESIDE_A_PROPERTY;
	}
	return bytes;
}

static void measure_object(struct cel_schema *s, val v)
{
	val most = VAL_GET(v, "maxProperties");

	s->max_children = val_exists(VAL_GET(v, "additionalProperties")) ? limit_of(most, UINT64_MAX) : 1;
	s->min_bytes = BRACKETS;
	if (s->type && s->type->kind == CT_MAP)
		s->max_size = limit_of(most, (REQUEST_BYTES - BRACKETS) / (s->additional->min_bytes + BESIDE_AN_ENTRY));
	else
		s->min_bytes = shortest_object(s, v);
}

static void measure_list(struct cel_schema *s, val v)
{
	val most = VAL_GET(v, "maxItems");

	s->max_children = limit_of(most, UINT64_MAX);
	s->min_bytes = BRACKETS;
	if (s->items)
		s->max_size = limit_of(most, (REQUEST_BYTES - BRACKETS) / (s->items->min_bytes + 1));
}

void cel_schema_measure(struct cel_schema *s, val v)
{
	s->max_children = 1;
	if (s->int_or_string) {
		s->min_bytes = 1;
		s->max_size = limit_of(VAL_GET(v, "maxLength"), UINT64_MAX);
		s->max_size = s->max_size == UINT64_MAX ? REQUEST_BYTES - BRACKETS : s->max_size * BYTES_OF_A_POINT;
		return;
	}
	switch ((enum cel_schema_kind)s->kind) {
	case CEL_SCHEMA_STRING:
		measure_text(s, v);
		break;
	case CEL_SCHEMA_OBJECT:
		measure_object(s, v);
		break;
	case CEL_SCHEMA_ARRAY:
		measure_list(s, v);
		break;
	case CEL_SCHEMA_BOOLEAN:
		s->min_bytes = sizeof("true") - 1;
		break;
	default:
		s->min_bytes = 1;
	}
}

uint64_t cel_schema_most(const struct cel_schema *s)
{
	return REQUEST_BYTES / (s->min_bytes + 1);
}
