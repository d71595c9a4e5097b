/* text/k8s_print: both sides of a comparison as text. */
#include "suite_text.h"

#include "text/k8s_print.h"

/* What a template renders reaches the comparison with every number as a double. */
static val with_doubles(val v, struct arena *a)
{
	if (v.kind == VAL_INT)
		return val_double((double)v.i);
	if (v.kind == VAL_UINT)
		return val_double((double)v.u);
	if (val_is_list(v)) {
		val *items = arena_array(a, v.n, sizeof(*items));

		for (uint32_t i = 0; items && i < v.n; i++)
			items[i] = with_doubles(v.items[i], a);
		v.items = items;
	} else if (val_is_map(v)) {
		struct member *members = arena_array(a, v.n, sizeof(*members));

		for (uint32_t i = 0; members && i < v.n; i++)
			members[i] = (struct member){ v.members[i].key, with_doubles(v.members[i].value, a) };
		v.members = members;
	}
	return v;
}

void judge_k8s_print(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf merged_text = BUF_INIT(16u << 20);
	CLEANUP(buf_done) struct buf live_text = BUF_INIT(16u << 20);
	bool pair = str_eq(val_str(VAL_GET(line, "op")), STR("pair")), panics = val_exists(VAL_GET(line, "panic"));
	val live = val_get(line, str_from(pair ? "live" : "json")), error = VAL_GET(line, "error");
	val merged = pair ? with_doubles(VAL_GET(line, "merged"), v->arena) : live;
	bool show = VAL_GET(line, "show_managed_fields").b;
	struct err err;
	int r = k8s_print(merged, live, show, v->arena, &merged_text, &live_text, &err);

	if (val_exists(error) || panics) {
		if (r == 0)
			verdict_fail(v, panics ? STR("an error") : val_str(error), buf_str(&live_text));
		else if (!panics)
			verdict_error_text(v, val_str(error), str_from(err.msg));
		return;
	}
	if (r < 0) {
		verdict_fail(v, STR("two texts"), str_from(err.msg));
		return;
	}
	verdict_text(v, val_str(line_text(line, pair ? "live_text" : "text", v)), buf_str(&live_text));
	if (pair && v->outcome == PASSED)
		verdict_text(v, val_str(line_text(line, "merged_text", v)), buf_str(&merged_text));
}
