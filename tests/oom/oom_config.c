/* The configuration without memory. */
#include "oom.h"

#include "config/cfg.h"
#include "value/node.h"

#include <errno.h>

static struct limits limits;

static int run_node_parse(struct err *err)
{
	static const char text[] = "a: {b: [1, 2, 3, 4, 5, 6], c: \"d\"}\ne: |\n  text\nf:\n- g\n- h: i\n  j: k\n";
	CLEANUP(arena_done) struct arena a;
	struct problems problems = { 0 };
	struct node *root = NULL;
	int r;

	arena_init(&a, 64, 0);
	oom_arm();
	r = node_parse(STR(text), "file", &limits, &a, &root, &problems, err);
	oom_disarm();
	problems_done(&problems);
	return (r == 0) == (root != NULL) ? r : OOM_WRONG;
}

static int run_cfg_load(struct err *err)
{
	static const char *const files[] = { TEST_DATA "/config/good/driftd.yaml",
					     TEST_DATA "/config/good/conf.d/10-lab.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct problems problems = { 0 };
	int r;

	oom_arm();
	r = cfg_load(files, ARRAY_LEN(files), &limits, NULL, &cfg, &problems, err);
	oom_disarm();
	problems_done(&problems);
	return (r == 0) == (cfg != NULL) ? r : OOM_WRONG;
}

static void accept_cluster(const struct cfg_cluster *c, struct problems *problems)
{
	(void)c;
	(void)problems;
}

/* With the built-in rules. */
static int run_cfg_check(struct err *err)
{
	static const char *const files[] = { TEST_DATA "/config/good/driftd.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct problems problems = { 0 };
	int r;

	oom_arm();
	r = cfg_load_checked(files, ARRAY_LEN(files), &limits, NULL, accept_cluster, NULL, &cfg, &problems, err);
	oom_disarm();
	problems_done(&problems);
	return (r == 0) == (cfg != NULL) ? r : OOM_WRONG;
}

static int run_cfg_files(struct err *err)
{
	CLEANUP(arena_done) struct arena a;
	const char *const *files = NULL;
	size_t n = 0;
	int r;

	arena_init(&a, 64, 0);
	oom_arm();
	r = cfg_files(TEST_DATA "/config/good/driftd.yaml", &a, &files, &n, err);
	oom_disarm();
	return (r == 0) == (files != NULL) && (r < 0 || n == 3) ? r : OOM_WRONG;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "node_parse", run_node_parse, false },
		{ "cfg_load", run_cfg_load, false },
		{ "cfg_check", run_cfg_check, false },
		{ "cfg_files", run_cfg_files, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
