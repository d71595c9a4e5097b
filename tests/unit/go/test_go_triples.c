/* Go's standard library by examples: tests/data/go/triples. */
#include "support/triples.h"

#include "go/layout.h"

/* The program is a layout, the input a time. */
static int run_parse_time(const struct triple *t, struct arena *a, struct buf *out)
{
	struct go_time time;
	int r = go_time_parse(t->program, t->input, a, &time, out);

	if (r == 0)
		go_time_format(&time, STR("2006-01-02 15:04:05.999999999 -07:00:00 MST"), out);
	return r;
}

static const struct triple_file files[] = {
	{ "parse_time", run_parse_time },
};

int main(void)
{
	return triples_main(TEST_DATA "/go/triples", files, ARRAY_LEN(files));
}
