/* Makes the unified diff of a verdict, with masks in the place of what may not be shown. */
#include "compare/compare.h"
#include "mask/mask.h"
#include "text/unified_diff.h"
#include "value/yaml.h"

#include <errno.h>

static int print_sides(const struct verdict *v, uint64_t steps, struct arena *a, struct buf *from, struct buf *to,
		       struct err *err)
{
	struct mask_fields mask = v->mask ? *v->mask : (struct mask_fields){ 0 };
	val expected, actual;

	mask.steps = &steps;
	if (!mask_sides(&mask, v->expected, v->actual, v->sensitive, a, &expected, &actual))
		return err_nomem(err);
	if (!steps)
		return err_set(err, E2BIG, "out of steps");
	return yaml_encode_both(expected, actual, from, to, err);
}

int verdict_diff(const struct verdict *v, const char *from, const char *to, const struct limits *limits,
		 struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf left = BUF_INIT(limits->diff_bytes);
	CLEANUP(buf_done) struct buf right = BUF_INIT(limits->diff_bytes);
	uint64_t steps = limits->evaluation_steps > v->steps ? limits->evaluation_steps - v->steps : 0;
	struct arena a;
	size_t before;
	int r;

	if (v->state != VERDICT_DRIFTED)
		return 0;
	arena_init(&a, 0, limits->arena_bytes);
	r = print_sides(v, steps, &a, &left, &right, err);
	arena_done(&a);
	if (r < 0)
		return r;
	before = out->n;
	buf_printf(out, "--- %s\n+++ %s\n", from ? from : "reference", to ? to : "cluster");
	r = unified_diff(buf_str(&left), buf_str(&right), limits, out, err);
	if (r < 0)
		buf_truncate(out, before);
	return r;
}
