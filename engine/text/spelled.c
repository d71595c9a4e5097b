/* Compares scalars by their texts, as quantities. */
#include "text/spelled.h"

#include "text/quantity.h"
#include "value/json.h"

#include <inttypes.h>

static str number_text(double d, struct arena *a)
{
	char space[64]; /* no double needs more, so that the buffer never grows */
	struct buf out = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };

	json_encode_double(d, &out);
	return arena_str(a, buf_str(&out));
}

str spelled_text(val v, struct arena *a)
{
	switch (v.kind) {
	case VAL_STRING:
		return val_str(v);
	case VAL_INT:
		return arena_printf(a, "%" PRId64, v.i);
	case VAL_UINT:
		return arena_printf(a, "%" PRIu64, v.u);
	case VAL_DOUBLE:
		return number_text(v.d, a);
	default:
		return (str){ NULL, 0 };
	}
}

static bool read_quantity(val v, struct arena *a, struct quantity *ret)
{
	str text = spelled_text(v, a);
	struct err err;

	return text.p && quantity_parse(text, a, ret, &err) == 0;
}

bool spelled_quantities_same(val x, val y, struct arena *a)
{
	struct quantity p, q;

	return read_quantity(x, a, &p) && read_quantity(y, a, &q) && quantity_compare(&p, &q) == 0;
}
