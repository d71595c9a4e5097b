/* The same stories as of the verdicts, for the room that comes to them: tests/data/watch/stories. */
#include "daemon/watch/reference/reference_judge.h"

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
