/* Any text as driftd.yaml: it loads, or every mistake is told. What loads can be asked for all that the daemon asks;
 * its acceptances are the same as JSON. Where the file was parsed ahead, it says the same. */
#include "config/cfg_loaded.h"

#include "base/hash.h"
#include "base/key.h"
#include "value/json.h"

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

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* What the state database keeps of it is the same acceptance. */
static void keep(const struct accepted_change *x)
{
	static const struct change whole = { 0 };
	const struct json_options o = { .limits = &limits };
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 24);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	char id[ACCEPTANCE_ID_SIZE];
	struct acceptance again;
	struct err err;

	acceptance_to_json(&x->says, &json);
	check(json_decode(buf_str(&json), &o, &d, &err) == 0 && acceptance_from_json(d->root, &again, &err) == 0);
	check(acceptance_same(&again, &x->says) && acceptance_id(&again, id) && strcmp(id, x->id) == 0);
	check(acceptance_check(&again, &err) == 0);
	(void)acceptance_takes(x, &whole);
}

static void ask(const struct cfg *cfg)
{
	for (size_t i = 0; i < cfg->n_accepted; i++)
		keep(&cfg->accepted[i]);

	for (size_t i = 0; i < cfg->n_clusters; i++)
		(void)cfg_cluster_hash(cfg, &cfg->clusters[i], hash_seed());
	for (size_t i = 0; i < cfg->n_references; i++)
		(void)cfg_severity(&cfg->references[i], STR("component"));
}

/* The same from a file that was parsed ahead. */
static void load_ahead(const char *file, const struct cfg *cfg, const struct problems *problems)
{
	struct cfg_cache cache = { .parsed = cfg_parsed_new(file, &limits) };
	CLEANUP(cfg_unrefp) struct cfg *again = NULL;
	struct problems others = { 0 };
	struct err err;
	int r = cfg_load_cached(&file, 1, &limits, NULL, NULL, NULL, &cache, &again, &others, &err);

	check((r == 0) == (cfg != NULL) && others.list.n == problems->list.n);
	for (size_t i = 0; i < others.list.n; i++)
		check(strcmp(others.list.p[i], problems->list.p[i]) == 0);
	check(!cfg || (again->n_accepted == cfg->n_accepted && again->n_warnings == cfg->n_warnings));
	for (size_t i = 0; cfg && i < cfg->n_accepted; i++)
		check(acceptance_same(&again->accepted[i].says, &cfg->accepted[i].says));
	problems_done(&others);
	cfg_cache_done(&cache);
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
	load_ahead(file, cfg, &problems);
	problems_done(&problems);
	cfg_unref(TAKE(cfg));
	key_table_free(keys);
	return 0;
}
