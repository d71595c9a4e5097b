/* Followed references (support/source_states.h) on the page: tests/data/sources/pages/card.txt. The program names them.
 * Each row is a line. */
#include "daemon/pages/pages_internal.h"

#include "support/source_states.h"
#include "support/triples.h"

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	struct source_state views[ARRAY_LEN(all_views)];
	struct metrics_view view = { .sources = views };
	struct html h = HTML_INIT(out);

	(void)a;
	view.n_sources = str_eq(t->program, STR("none")) ? 0 : views_called(t->program, views);
	sources_card(&h, &view, &(struct page_query){ .page = 1 }, clock_usec());
	return 0;
}

static const struct triple_file files[] = {
	{ "card", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/sources/pages", files, ARRAY_LEN(files));
}
