/* Metrics of followed references (support/source_states.h): tests/data/sources/metrics/families.txt. The program names
 * them.
 */
#include "daemon/serve/metrics_internal.h"

#include "support/source_states.h"
#include "support/triples.h"

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	struct source_state views[ARRAY_LEN(all_views)];
	struct exposition e = { .out = out };
	size_t n = str_eq(t->program, STR("none")) ? 0 : views_called(t->program, views);

	(void)a;
	metrics_sources(&e, views, n);
	return 0;
}

static const struct triple_file files[] = {
	{ "families", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/sources/metrics", files, ARRAY_LEN(files));
}
