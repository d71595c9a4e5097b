/* A configuration whose files were parsed ahead, in a thread, says the same as one that is parsed when it is read. */
#include "config/cfg_loaded.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define CLUSTERS "clusters: [{name: c}]\nwatch: [{apiVersion: v1, kind: ConfigMap}]\n"
#define ACCEPTED(more) CLUSTERS "accepted:\n  - {kind: Widget, name: a, reason: one, owner: me}\n" more

static char folder[] = "/tmp/driftd-parsed-XXXXXX";
static const struct limits limits = LIMITS_DEFAULT;

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void *in_thread(void *path)
{
	return cfg_parsed_new(path, &limits);
}

/* What a load says: mistakes, or ids and texts of acceptances, and warnings. */
static char *load(const char *path, struct cfg_cache *cache)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	struct problems problems = { 0 };
	struct buf out = BUF_INIT(1 << 20);
	struct err err;

	if (cfg_load_cached(&path, 1, &limits, NULL, NULL, NULL, cache, &cfg, &problems, &err) < 0) {
		char *text = problems_text(&problems);

		problems_done(&problems);
		buf_done(&out);
		return text;
	}
	for (size_t i = 0; i < cfg->n_accepted; i++) {
		const struct accepted_change *x = &cfg->accepted[i];

		buf_printf(&out, "%s %.*s %.*s %.*s %zu\n", x->id, STR_ARG(x->says.name), STR_ARG(x->says.reason),
			   STR_ARG(x->says.owner), x->path.n);
	}
	for (size_t i = 0; i < cfg->n_warnings; i++)
		buf_printf(&out, "%.*s\n", STR_ARG(cfg->warnings[i]));
	buf_add_byte(&out, '\0');
	return buf_steal(&out);
}

static const struct {
	const char *ahead, *then; /* NULL: the same */
	const char *says;         /* a part of it */
} cases[] = {
	{ CLUSTERS, NULL, "" },
	{ ACCEPTED("  - {kind: Widget, name: b, path: spec.size, reason: two, until: '2099-01-01'}\n"), NULL,
	  " b two " },
	{ ACCEPTED("  - {kind: Widget, name: a, reason: again}\n"), NULL, "the same is accepted twice" },
	{ ACCEPTED("  - {kind: Widget, name: b}\n"), NULL, "it gives no reason" },
	{ ACCEPTED("  - {kind: Widget, name: b, reason: r, until: soon}\n"), NULL, "'soon' is neither a day" },
	{ ACCEPTED("  - {kind: Widget, name: b, reason: r, cluster: other}\n"), NULL, "no cluster is called 'other'" },
	{ ACCEPTED("  - text\n"), NULL, "" },
	{ CLUSTERS "accepted: none\n", NULL, "a list of accepted deviations" },
	{ CLUSTERS "accepted: []\naccepted: []\n", NULL, "" },
	{ CLUSTERS "accepted: [\n", NULL, "" },
	{ ACCEPTED(""), CLUSTERS, "" },
	{ ACCEPTED(""), ACCEPTED("  - {kind: Widget, name: c, reason: three}\n"), " c three " },
	{ ACCEPTED("  - {kind: Widget, name: b}\n"), ACCEPTED(""), " a one me" },
	{ ACCEPTED(""), "a: [", "" },
	{ "a: [", ACCEPTED(""), " a one me" },
	{ CLUSTERS "nothing: 'https://u:secret@example.com/'\n", NULL, "unknown key" },
};

static void test_cases(void **state)
{
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", folder);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(freep) char *plain = NULL;
		CLEANUP(freep) char *ahead = NULL;
		struct cfg_cache cache = { 0 };
		pthread_t thread;

		put(path, cases[i].ahead);
		assert_int_equal(pthread_create(&thread, NULL, in_thread, path), 0);
		assert_int_equal(pthread_join(thread, (void **)&cache.parsed), 0);
		assert_non_null(cache.parsed);
		if (cases[i].then)
			put(path, cases[i].then);
		plain = load(path, NULL);
		ahead = load(path, &cache);
		assert_null(cache.parsed); /* it counts once */
		assert_string_equal(ahead, plain);
		if (!strstr(plain, cases[i].says))
			fail_msg("case %zu: %s", i, plain);
		cfg_cache_done(&cache);
	}
}

/* What nobody takes over is freed with the cache. */
static void test_not_taken(void **state)
{
	struct cfg_cache cache = { .parsed = cfg_parsed_new("/tmp/there-is-no-such-driftd.yaml", &limits) };

	(void)state;
	assert_non_null(cache.parsed);
	cfg_cache_done(&cache);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state)
{
	char path[64];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", folder);
	(void)unlink(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_not_taken),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
