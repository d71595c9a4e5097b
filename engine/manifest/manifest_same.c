/* Compares scalars by their types: some are written differently, but mean the same. */
#include "go/base64.h"
#include "go/layout.h"
#include "manifest/manifest_internal.h"
#include "text/spelled.h"

static bool same_time(val m, val l)
{
	struct go_stamp x, y;

	return val_is_string(m) && val_is_string(l) && go_rfc3339_parse(val_str(m), &x, NULL) &&
	       go_rfc3339_parse(val_str(l), &y, NULL) && x.sec == y.sec && x.nsec == y.nsec;
}

static bool same_bytes(struct walk *w, val m, val l)
{
	str x, y;

	return val_is_string(m) && val_is_string(l) &&
	       go_base64_decode(&go_base64_std, val_str(m), w->arena, &x, NULL) == 0 &&
	       go_base64_decode(&go_base64_std, val_str(l), w->arena, &y, NULL) == 0 && str_eq(x, y);
}

bool manifest_same(struct walk *w, const struct place *p, val m, val l)
{
	if (val_same(m, l))
		return true;
	switch (topo_value(&p->type)) {
	case TOPO_QUANTITY:
		return spelled_quantities_same(m, l, w->arena);
	case TOPO_TIME:
		return same_time(m, l);
	case TOPO_BYTES:
		return same_bytes(w, m, l);
	default:
		return false;
	}
}
