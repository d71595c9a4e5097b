/* Event rules by examples: tests/data/rules/triples. */
#include "support/triples.h"

#include "rules/event_path.h"
#include "value/json.h"

static const struct limits limits = LIMITS_DEFAULT;

static int decode(str text, struct arena *a, val *ret, struct err *err)
{
	struct json_options o = { .limits = &limits };
	size_t used;

	return json_decode_value(text, &o, a, ret, &used, err);
}

/* The program is a path, the input the segments of a change. */
static int run_event_path(const struct triple *t, struct arena *a, struct buf *out)
{
	struct event_path p;
	str segments[8];
	struct err err;
	uint32_t n = 0;
	val list;
	int r = event_path_read(t->program, a, &p, &err);

	if (r == 0)
		r = event_path_check(&p, &err);
	if (r == 0)
		r = decode(t->input, a, &list, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	for (; n < val_count(list) && n < ARRAY_LEN(segments); n++)
		segments[n] = val_str(val_at(list, n));
	buf_printf(out, "matches%s, anchor %zu, %zu segments", event_path_matches(&p, segments, n) ? "" : " not",
		   event_path_anchor(&p, segments, n), p.n);
	return 0;
}

static const struct triple_file files[] = { { "event_path", run_event_path } };

int main(void)
{
	return triples_main(TEST_DATA "/rules/triples", files, ARRAY_LEN(files));
}
