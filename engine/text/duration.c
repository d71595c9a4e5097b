/* Reading durations. */
#include "text/duration.h"

static bool take_unit(str *s, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },       { "us", 1000 },      { "\xC2\xB5s", 1000 }, { "\xCE\xBCs", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 },  { "h", 3600000000000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (str_has_prefix(*s, str_from(units[i].name))) {
			*s = str_sub(*s, strlen(units[i].name), s->n);
			*ns = units[i].ns;
			return s->n == 0 || (s->p[0] >= '0' && s->p[0] <= '9') || s->p[0] == '.';
		}
	}
	return false;
}

/* One "12.5m" of a duration, added to *total. */
static bool take_part(str *s, uint64_t *total)
{
	uint64_t whole = 0, unit, part;
	double fraction = 0, scale = 1;
	bool digits = false;

	for (; s->n && s->p[0] >= '0' && s->p[0] <= '9'; *s = str_sub(*s, 1, s->n), digits = true) {
		if (__builtin_mul_overflow(whole, 10, &whole) || whole > INT64_MAX)
			return false;
		whole += (uint64_t)(s->p[0] - '0');
	}
	if (s->n && s->p[0] == '.') {
		*s = str_sub(*s, 1, s->n);
		for (; s->n && s->p[0] >= '0' && s->p[0] <= '9'; *s = str_sub(*s, 1, s->n), digits = true) {
			if (scale < 1e18) {
				fraction = fraction * 10 + (s->p[0] - '0');
				scale *= 10;
			}
		}
	}
	if (!digits || !take_unit(s, &unit) || __builtin_mul_overflow(whole, unit, &part))
		return false;
	part += (uint64_t)(fraction * ((double)unit / scale));
	return !__builtin_add_overflow(*total, part, total) && *total <= (uint64_t)INT64_MAX + 1;
}

bool duration_parse(str s, int64_t *ns)
{
	uint64_t total = 0;
	bool negative = s.n && s.p[0] == '-';

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = str_sub(s, 1, s.n);
	if (str_eq(s, STR("0"))) {
		*ns = 0;
		return true;
	}
	if (s.n == 0)
		return false;
	while (s.n) {
		if (!take_part(&s, &total))
			return false;
	}
	if (!negative && total > INT64_MAX)
		return false;
	*ns = negative ? (int64_t)(0 - total) : (int64_t)total;
	return true;
}
