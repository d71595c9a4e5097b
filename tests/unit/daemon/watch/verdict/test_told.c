/* What is told of objects, components and rules, in full: tests/data/watch/stories. */
#include "support/story.h"

static int run_story(const struct triple *t, struct arena *a, struct buf *out)
{
	return story_run(TEST_DATA "/watch/told", t, a, out);
}

static const struct triple_file files[] = {
	{ "told", run_story },
};

int main(void)
{
	return triples_main(TEST_DATA "/watch/stories", files, ARRAY_LEN(files));
}
