/* text/jsonpatch: merge patches and RFC 6902 patches. */
#include "suite_text.h"

#include "text/json_patch.h"

void judge_jsonpatch(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64u << 20);
	str op = val_str(VAL_GET(line, "op")), doc = val_str(line_text(line, "doc", v));
	str patch = val_str(line_text(line, "patch", v));
	val want = line_text(line, "out", v), error = VAL_GET(line, "error"), decode = VAL_GET(line, "decode_error");
	struct err err;
	int r;

	if (str_eq(op, STR("merge")))
		r = json_merge_patch(doc, patch, v->limits, &out, &err);
	else if (str_eq(op, STR("create")))
		r = json_create_merge_patch(doc, patch, v->limits, &out, &err);
	else if (val_exists(decode))
		r = json_patch_check(patch, v->limits, &err);
	else
		r = json_patch_apply(patch, doc, v->limits, &out, &err);
	if (val_exists(want)) {
		verdict_text(v, val_str(want), r < 0 ? str_from(err.msg) : buf_str(&out));
	} else if (r == 0) {
		verdict_fail(v, STR("an error"), buf_str(&out));
	} else if (!val_exists(VAL_GET(line, "panic"))) {
		verdict_text(v, val_str(val_exists(decode) ? decode : error), str_from(err.msg));
	}
}
