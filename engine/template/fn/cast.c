/* Converts values to numbers as Sprig does. */
#include "template/fn/cast.h"

#include "go/strconv.h"
#include "template/fn/fn.h"

#include <errno.h>

/* Cut a fraction of zeros: "5.00" is the integer 5. A point without digits stays. */
static str trim_zero_fraction(str s)
{
	bool zero = false;

	for (size_t i = s.n; i > 0; i--) {
		if (s.p[i - 1] == '.')
			return zero ? str_sub(s, 0, i - 1) : s;
		if (s.p[i - 1] != '0')
			return s;
		zero = true;
	}
	return s;
}

/* Whether cast knows the type: Go's basic types and time's two enumerations. A named type of another package is not
 * a number. */
static bool is_basic(tval v)
{
	return v.type == &tt_int || v.type == &tt_int32 || v.type == &tt_int64 || v.type == &tt_uint ||
	       v.type == &tt_uint8 || v.type == &tt_uint32 || v.type == &tt_uint64 ||
	       strcmp(v.type->name, "time.Month") == 0 || strcmp(v.type->name, "time.Weekday") == 0;
}

int64_t cast_int64(tval v)
{
	int64_t i;

	if (!v.type)
		return 0;
	if (v.type == &tt_bool)
		return v.b;
	if (v.type == &tt_float64)
		return go_float_to_int64(v.d);
	if (v.type == &tt_string)
		return go_parse_int(trim_zero_fraction(v.s), 0, &i) ? i : 0;
	if (!is_basic(v))
		return 0;
	return tkind_is_uint(v.type->kind) ? (int64_t)v.u : v.i;
}

int cast_float64(struct tmpl_call *c, tval v, double *ret)
{
	double d = 0;

	if (!v.type)
		d = 0;
	else if (v.type == &tt_bool)
		d = v.b;
	else if (v.type == &tt_float64)
		d = v.d;
	else if (v.type == &tt_string && go_parse_float(v.s, &d) == -ENOMEM)
		return tmpl_nomem(c);
	else if (is_basic(v))
		d = tkind_is_uint(v.type->kind) ? (double)v.u : (double)v.i;
	*ret = d;
	return 0;
}
