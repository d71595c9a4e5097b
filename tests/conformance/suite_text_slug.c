/* text/slug: names out of any text. */
#include "suite_text.h"

#include "text/slug.h"

void judge_slug(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	slug_make(val_str(line_text(line, "text", v)), &out);
	verdict_text(v, val_str(line_text(line, "slug", v)), buf_str(&out));
}
