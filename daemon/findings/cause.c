/* The parts of a cause, each with an end, so that two causes cannot look alike. */
#include "daemon/findings/cause.h"

#define PART_END '\x1f'

void finding_cause(const struct finding *x, struct buf *out)
{
	const struct finding_subject *s = &x->subject;
	const str parts[] = { str_from(finding_type(x->kind)),
			      s->reference,
			      s->template_path,
			      s->rule,
			      s->acceptance,
			      x->summary.n ? x->summary : x->paths, /* an older driftd kept no summary */
			      x->manager };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		buf_add_str(out, parts[i]);
		buf_add_byte(out, PART_END);
	}
}
