/* Reads a header: a list of codings, each with parameters behind semicolons. */
#include "daemon/serve/accept.h"

/* Whether a weight is 0 (q=0, q=0.0, ...). A text that is no number counts as a weight above 0. */
static bool is_zero(str q)
{
	size_t digits = 0;

	for (size_t i = 0; i < q.n; i++) {
		if (q.p[i] != '0' && q.p[i] != '.')
			return false;
		digits += q.p[i] == '0';
	}
	return digits > 0;
}

static bool is_refused(str parameters)
{
	str part;

	while (str_next_part(&parameters, ';', &part)) {
		str p = str_trim(part);

		if (p.n > 2 && (p.p[0] == 'q' || p.p[0] == 'Q') && p.p[1] == '=')
			return is_zero(str_sub(p, 2, p.n));
	}
	return false;
}

bool accepts_coding(const char *header, const char *coding)
{
	str rest = str_from(header ? header : ""), item;
	bool any = false;

	while (str_next_part(&rest, ',', &item)) {
		str parameters = item, name;
		bool named, taken;

		(void)str_next_part(&parameters, ';', &name);
		named = str_eq_nocase(str_trim(name), str_from(coding));
		taken = !parameters.p || !is_refused(parameters);
		if (named)
			return taken;
		if (str_eq(str_trim(name), STR("*")))
			any = taken;
	}
	return any;
}
