/* Forms English plurals, as far as kinds need them. */
#include "kubeclient/kc_plural.h"

static void add_lower(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_add_byte(out, (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] | 0x20 : s.p[i]));
}

void kc_plural_guess(str kind, struct buf *out)
{
	if (str_eq(kind, STR("Endpoints"))) {
		buf_add_cstr(out, "endpoints");
	} else if (str_has_suffix(kind, STR("s"))) {
		add_lower(out, kind);
		buf_add_cstr(out, "es");
	} else if (str_has_suffix(kind, STR("y"))) {
		add_lower(out, str_sub(kind, 0, kind.n - 1));
		buf_add_cstr(out, "ies");
	} else {
		add_lower(out, kind);
		buf_add_cstr(out, "s");
	}
}
