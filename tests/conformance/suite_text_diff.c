/* text/unified_diff and text/dmp. */
#include "suite_text.h"

#include "text/dmp.h"
#include "text/unified_diff.h"

#define OUT_MAX (64u << 20)

void judge_unified_diff(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	struct err err;

	if (unified_diff(val_str(line_text(line, "a", v)), val_str(line_text(line, "b", v)), v->limits, &out, &err) < 0)
		verdict_fail(v, STR("a diff"), str_from(err.msg));
	else
		verdict_text(v, val_str(line_text(line, "diff", v)), buf_str(&out));
}

void judge_dmp(val line, struct verdict *v)
{
	static const char signs[] = "-=+";
	str a = val_str(line_text(line, "a", v)), b = val_str(line_text(line, "b", v));
	val want = VAL_GET(line, "diffs");
	struct dmp_diffs diffs = { 0 };
	struct err err;
	size_t score;

	if (dmp_diff(a, b, v->limits, &diffs, &err) < 0 || dmp_score(a, b, v->limits, &score, &err) < 0) {
		verdict_fail(v, STR("differences"), str_from(err.msg));
		dmp_diffs_done(&diffs);
		return;
	}
	if (diffs.n != val_count(want))
		verdict_failf(v, STR("the list of the line"), "%zu differences", diffs.n);
	for (size_t i = 0; i < diffs.n && v->outcome == PASSED; i++) {
		CLEANUP(buf_done) struct buf got = BUF_INIT(OUT_MAX);
		CLEANUP(buf_done) struct buf expected = BUF_INIT(OUT_MAX);
		val item = val_at(want, (uint32_t)i);

		buf_add_byte(&got, signs[diffs.p[i].op + 1]);
		dmp_text(&diffs.p[i], &got);
		buf_add_str(&expected, val_str(val_at(item, 0)));
		buf_add_str(&expected, val_str(val_at(item, 1)));
		verdict_text(v, buf_str(&expected), buf_str(&got));
	}
	if (v->outcome == PASSED && score != (size_t)VAL_GET(line, "score").i)
		verdict_failf(v, STR("the score of the line"), "score %zu", score);
	dmp_diffs_done(&diffs);
}
