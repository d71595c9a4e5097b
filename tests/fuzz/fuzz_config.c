/* Any text as driftd.yaml: it loads, or every mistake is told. What loads can be asked for all that the daemon asks. */
#include "config/cfg.h"

#include "base/hash.h"
#include "base/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct limits limits = LIMITS_DEFAULT;

static char dir[] = "/tmp/fuzz-config-XXXXXX", path[sizeof(dir) + 16];

static void remove_dir(void)
{
	unlink(path);
	rmdir(dir);
}

/* A configuration is read from a file, which stands alone in its folder: the names in it lead nowhere. */
static void write_file(const uint8_t *data, size_t size)
{
	FILE *f;

	if (!*path) {
		if (!mkdtemp(dir) || atexit(remove_dir) != 0)
			abort();
		snprintf(path, sizeof(path), "%s/driftd.yaml", dir);
	}
	f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
}

static void ask(const struct cfg *cfg)
{
	for (size_t i = 0; i < cfg->n_clusters; i++)
		(void)cfg_cluster_hash(cfg, &cfg->clusters[i], hash_seed());
	for (size_t i = 0; i < cfg->n_references; i++)
		(void)cfg_severity(&cfg->references[i], STR("component"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct key_table *keys = key_table_new();
	struct problems problems = { 0 };
	const char *file = path;
	struct err err;
	int r;

	write_file(data, size);
	r = cfg_load(&file, 1, &limits, keys, &cfg, &problems, &err);
	if ((r == 0) != (cfg != NULL) || (r == 0) == problems_any(&problems))
		abort();
	if (cfg)
		ask(cfg);
	problems_done(&problems);
	cfg_unref(TAKE(cfg));
	key_table_free(keys);
	return 0;
}
