/* bench_config DRIFTD.YAML: the processor time that reading a configuration takes, references and rules included: that
 * of a reload is read in one turn of the loop. */
#include "config/cfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void read_once(const char *file)
{
	struct problems problems = { 0 };
	struct limits limits = LIMITS_DEFAULT;
	struct key_table *keys = key_table_new();
	size_t templates = 0;
	struct cfg *cfg;
	struct err err;
	double from = now_ms(), took;

	if (!keys || cfg_load(&file, 1, &limits, keys, &cfg, &problems, &err) < 0) {
		fprintf(stderr, "%s\n", problems_text(&problems));
		exit(1);
	}
	took = now_ms() - from;
	for (size_t i = 0; i < cfg->n_references; i++)
		templates += cfg->references[i].reference->n_templates;
	printf("%zu references, %zu templates: %.1f ms\n", cfg->n_references, templates, took);
	cfg_unref(cfg);
	key_table_free(keys);
	problems_done(&problems);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: bench_config DRIFTD.YAML\n");
		return 2;
	}
	for (int i = 0; i < ROUNDS; i++)
		read_once(argv[1]);
	return 0;
}
