/* A published revision that was loaded once counts again, for as long as its entry and its id say the same. */
#include "config/cfg_loaded.h"

#include "config/source_choice.h"
#include "config/source_files.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define ENTRY                                                                                                          \
	"clusters: [{name: c}]\n"                                                                                      \
	"references: [{name: r, source: {git: 'https://git.example.com/r.git'}, manifests: .,\n"                       \
	"  orphans: {labels: 'a=b,c in (d)'}, %s}]\n"                                                                  \
	"sources_dir: %s\nstate_dir: %s/state\n"
#define MANIFEST "{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: ns}, data: {a: '1'}}\n"
#define TWICE "{apiVersion: v1, kind: ConfigMap, metadata: {name: twice, namespace: ns}, data: {a: '1', a: '2'}}\n"

static char folder[] = "/tmp/driftd-loaded-XXXXXX";
static char config[64];
static struct limits limits = LIMITS_DEFAULT;

static void run(const char *format, ...) PRINTF(1, 2);
static void run(const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	assert_int_equal(system(line), 0);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void configure(const char *more)
{
	char text[1024];

	(void)snprintf(text, sizeof(text), ENTRY, more, folder, folder);
	put(config, text);
}

/* One file of manifests. */
static void put_revision(const char *manifests, char id[SOURCE_ID_SIZE])
{
	const struct source_file file = { STR("a.yaml"), str_from(manifests) };
	char path[256];

	assert_true(source_files_id(STR("{}"), &file, 1, id));
	run("mkdir -p %s/revisions/%s/files", folder, id);
	(void)snprintf(path, sizeof(path), "%s/revisions/%s/revision.json", folder, id);
	put(path, "{}");
	(void)snprintf(path, sizeof(path), "%s/revisions/%s/files/a.yaml", folder, id);
	put(path, manifests);
}

static void lose_revisions(void)
{
	run("rm -r %s/revisions", folder);
}

static void be_in_force(const char *id)
{
	struct source_choice c = { .n_before = 0 };
	char state[64];
	struct err err;

	memcpy(c.in_force, id, SOURCE_ID_SIZE);
	(void)snprintf(state, sizeof(state), "%s/state", folder);
	run("mkdir -p %s/references", state);
	assert_int_equal(source_choice_save(state, STR("r"), &c, &err), 0);
}

static int begin(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/driftd-loaded-XXXXXX");
	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(config, sizeof(config), "%s/driftd.yaml", folder);
	configure("");
	return 0;
}

static int end(void **state)
{
	(void)state;
	run("rm -rf %s", folder);
	return 0;
}

/* NULL: @mistakes, for free(), has the mistakes. */
static struct cfg *load(struct cfg_cache *cache, const char *candidate, char **mistakes)
{
	const struct cfg_candidate c = { STR("r"), str_from(candidate ? candidate : "") };
	const char *const files[] = { config };
	struct problems problems = { 0 };
	struct cfg *cfg = NULL;
	struct err err;

	if (cfg_load_cached(files, 1, &limits, NULL, NULL, candidate ? &c : NULL, cache, &cfg, &problems, &err) < 0) {
		char *text = problems_text(&problems);

		if (!mistakes)
			fail_msg("%s", text);
		*mistakes = text;
	}
	problems_done(&problems);
	return cfg;
}

static struct reference *absent_or_loaded(const struct cfg *cfg)
{
	return cfg->references[0].reference;
}

static struct reference *loaded(const struct cfg *cfg)
{
	const struct cfg_reference *r = &cfg->references[0];

	if (!r->reference)
		fail_msg("%.*s", STR_ARG(r->published.why_absent));
	return r->reference;
}

struct job {
	const struct cfg *cfg;
	const char *id;
	struct cfg_loaded *got;
};

static void *look(void *ctx)
{
	struct job *j = ctx;

	j->got = cfg_loaded_new(j->cfg->sources_dir, &j->cfg->references[0], str_from(j->id), &limits, NULL);
	return NULL;
}

static void load_aside(struct cfg_cache *cache, const struct cfg *cfg, const char *id)
{
	struct job j = { .cfg = cfg, .id = id };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, look, &j), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_non_null(j.got);
	assert_true(cfg_cache_take(cache, j.got));
}

/* ---- the same ---- */

static void test_what_is_in_force_is_not_read_again(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *first = NULL, *second = NULL, *third = NULL;
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST, id);
	be_in_force(id);
	first = load(&cache, NULL, NULL);
	assert_non_null(loaded(first));
	cfg_cache_keep(&cache, first);
	lose_revisions();
	second = load(&cache, NULL, NULL);
	assert_ptr_equal(loaded(second), loaded(first));
	assert_int_equal(second->references[0].content, first->references[0].content);
	assert_int_equal(second->n_warnings, first->n_warnings);
	assert_string_equal(second->references[0].published.id, id);
	cfg_cache_keep(&cache, NULL);
	third = load(&cache, NULL, NULL);
	assert_null(absent_or_loaded(third));
	assert_true(third->references[0].published.why_absent.n > 0);
	cfg_cache_done(&cache);
}

static void test_what_was_lost_may_be_there_again(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *first = NULL, *second = NULL, *third = NULL;
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST, id);
	be_in_force(id);
	lose_revisions();
	first = load(&cache, NULL, NULL);
	assert_null(absent_or_loaded(first));
	assert_int_equal(cache.list.n, 0);
	load_aside(&cache, first, id);
	put_revision(MANIFEST, id);
	load_aside(&cache, first, id);
	lose_revisions();
	second = load(&cache, id, NULL);
	assert_non_null(loaded(second));
	third = load(&cache, NULL, NULL);
	assert_ptr_equal(loaded(third), loaded(second));
	cfg_cache_done(&cache);
}

static void test_warnings_are_reported_again(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *first = NULL, *second = NULL;
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST "---\n" TWICE, id);
	be_in_force(id);
	first = load(&cache, NULL, NULL);
	second = load(&cache, NULL, NULL);
	assert_ptr_equal(loaded(second), loaded(first));
	assert_true(first->n_warnings > 0);
	assert_int_equal(second->n_warnings, first->n_warnings);
	for (size_t i = 0; i < first->n_warnings; i++)
		assert_true(str_eq(second->warnings[i], first->warnings[i]));
	cfg_cache_done(&cache);
}

/* Which objects may be orphans is the entry's, whose configuration goes first. */
static void test_it_outlives_the_configuration(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *next = NULL;
	struct cfg_cache cache = { 0 };
	struct cfg *first;
	const struct ref_template *orphans;
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST, id);
	be_in_force(id);
	first = load(&cache, NULL, NULL);
	assert_non_null(loaded(first));
	next = load(&cache, NULL, NULL);
	cfg_unref(first);
	orphans = loaded(next)->templates[loaded(next)->n_templates - 1];
	assert_int_equal(orphans->use, REF_ORPHANS);
	assert_int_equal(orphans->choice->labels.n, 2);
	assert_true(str_eq(orphans->choice->labels.requirements[1].key, STR("c")));
	assert_true(str_eq(orphans->choice->labels.requirements[1].values[0], STR("d")));
	cfg_cache_done(&cache);
}

/* ---- another ---- */

static void test_another_entry_is_loaded(void **state)
{
	static const char *const entries[] = { "include: ['*.yaml']", "exclude: ['*.json']", "namespace: other",
					       "additions: ignore" };
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST, id);
	be_in_force(id);
	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		CLEANUP(cfg_unrefp) struct cfg *first = NULL, *second = NULL;

		configure("");
		first = load(&cache, NULL, NULL);
		configure(entries[i]);
		second = load(&cache, NULL, NULL);
		assert_non_null(loaded(second));
		assert_ptr_not_equal(loaded(second), loaded(first));
	}
	cfg_cache_done(&cache);
}

static void test_another_revision_is_loaded(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *first = NULL, *second = NULL;
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE], other[SOURCE_ID_SIZE];

	(void)state;
	put_revision(MANIFEST, id);
	put_revision(MANIFEST "# another\n", other);
	be_in_force(id);
	first = load(&cache, NULL, NULL);
	second = load(&cache, other, NULL);
	assert_ptr_not_equal(loaded(second), loaded(first));
	assert_string_equal(second->references[0].published.id, other);
	cfg_cache_done(&cache);
}

/* ---- in a thread ---- */

static void test_a_candidate_is_loaded_before(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *first = load(NULL, NULL, NULL), *next = NULL;
	struct cfg_cache cache = { 0 };
	char id[SOURCE_ID_SIZE];

	(void)state;
	assert_null(absent_or_loaded(first));
	put_revision(MANIFEST, id);
	load_aside(&cache, first, id);
	lose_revisions();
	next = load(&cache, id, NULL);
	assert_non_null(loaded(next));
	assert_int_equal(loaded(next)->n_templates, 2);
	cfg_cache_keep(&cache, next);
	assert_int_equal(cache.list.n, 1);
	cfg_cache_keep(&cache, first);
	assert_int_equal(cache.list.n, 0);
	cfg_cache_done(&cache);
}

/* The same words as if it had been loaded where the configuration was read. */
static void test_its_mistakes_are_the_same(void **state)
{
	static const char *const revisions[] = { "a: [\n", "{}\n", "# nothing\n", MANIFEST MANIFEST };
	CLEANUP(cfg_unrefp) struct cfg *first = load(NULL, NULL, NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(revisions); i++) {
		CLEANUP(freep) char *here = NULL;
		CLEANUP(freep) char *aside = NULL;
		struct cfg_cache cache = { 0 };
		char id[SOURCE_ID_SIZE];

		put_revision(revisions[i], id);
		load_aside(&cache, first, id);
		assert_null(load(NULL, id, &here));
		lose_revisions();
		assert_null(load(&cache, id, &aside));
		assert_string_equal(aside, here);
		cfg_cache_keep(&cache, first);
		assert_int_equal(cache.list.n, 0);
		cfg_cache_done(&cache);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_in_force_is_not_read_again, begin, end),
		cmocka_unit_test_setup_teardown(test_what_was_lost_may_be_there_again, begin, end),
		cmocka_unit_test_setup_teardown(test_warnings_are_reported_again, begin, end),
		cmocka_unit_test_setup_teardown(test_it_outlives_the_configuration, begin, end),
		cmocka_unit_test_setup_teardown(test_another_entry_is_loaded, begin, end),
		cmocka_unit_test_setup_teardown(test_another_revision_is_loaded, begin, end),
		cmocka_unit_test_setup_teardown(test_a_candidate_is_loaded_before, begin, end),
		cmocka_unit_test_setup_teardown(test_its_mistakes_are_the_same, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
