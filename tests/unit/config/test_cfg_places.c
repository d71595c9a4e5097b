/* Which names count as changed between two lists of places. */
#include "config/cfg_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Each list: "cluster PLACE NAME" in short: "cA name", "rB name"; a place is its letter 64 times. */
struct example {
	const char *what, *was, *is, *renames;
};

static const struct example examples[] = {
	{ "nothing changes", "ca one|rb two", "ca one|rb two", "" },
	{ "a cluster", "ca one|rb two", "ca new|rb two", "one>new" },
	{ "a reference", "ca one|rb two", "ca one|rb new", "two>new" },
	{ "both", "ca one|rb two", "ca x|rb y", "one>x two>y" },
	{ "with another place it is another", "ca one", "cb new", "" },
	{ "a name that goes on at another place", "ca one", "cb one|ca new", "" },
	{ "a name that was there", "ca one|cb two", "ca two", "" },
	{ "two that change their names for each other", "ca one|cb two", "ca two|cb one", "" },
	{ "two at one place before", "ca one|ca two", "ca one|ca new", "" },
	{ "two at one place now", "ca one", "ca x|ca y", "" },
	{ "one of two at one place goes", "ca one|ca two", "ca new", "" },
	{ "a reference is no cluster", "ca one", "ra new", "" },
	{ "the same name of either kind", "ca one|rb one", "ca one|rb new", "one>new" },
	{ "one that comes", "ca one", "ca one|cb new", "" },
	{ "one that goes", "ca one|cb two", "ca one", "" },
	{ "a name with spaces", "ca a b", "ca c d", "a b>c d" },
};

/* The text that cfg_places_write would write. */
static void write_places(const char *brief, struct buf *out)
{
	str rest = str_from(brief), one;

	while (str_next_part(&rest, '|', &one)) {
		buf_add_cstr(out, one.p[0] == 'c' ? "cluster " : "reference ");
		for (int i = 0; i < 64; i++)
			buf_add_byte(out, one.p[1]);
		buf_printf(out, " %.*s\n", STR_ARG(str_sub(one, 3, one.n)));
	}
}

static void read_places(const char *brief, struct cfg_places *ret)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16), again = BUF_INIT(1u << 16);
	struct err err;

	write_places(brief, &text);
	assert_int_equal(cfg_places_read(buf_str(&text), ret, &err), 0);
	cfg_places_write(ret, &again);
	assert_true(str_eq(buf_str(&text), buf_str(&again)));
}

static void check(const struct example *x)
{
	CLEANUP(buf_done) struct buf got = BUF_INIT(1u << 16);
	struct cfg_places was, is;
	struct cfg_renames renames;
	struct err err;

	read_places(x->was, &was);
	read_places(x->is, &is);
	assert_int_equal(cfg_renames_find(&was, &is, &renames, &err), 0);
	for (size_t i = 0; i < renames.list.n; i++) {
		const struct cfg_rename *y = &renames.list.p[i];

		buf_printf(&got, "%s%.*s>%.*s", i ? " " : "", STR_ARG(y->was), STR_ARG(y->is));
		assert_true(str_eq(*cfg_renames_get(&renames, y->kind, y->was), y->is));
		assert_true(str_eq(*cfg_renames_before(&renames, y->kind, y->is), y->was));
		assert_null(cfg_renames_get(&renames, y->kind, y->is));
	}
	if (!str_eq(buf_str(&got), str_from(x->renames)))
		fail_msg("%s: %.*s", x->what, STR_ARG(buf_str(&got)));
	cfg_renames_done(&renames);
	cfg_places_done(&was);
	cfg_places_done(&is);
}

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(examples); i++)
		check(&examples[i]);
}

static void what_nobody_wrote(void **state)
{
	static const char *const lines[] = { "", "\n\n", "cluster", "cluster abc name", "cluster  name\n", "x y z\n" };
	struct cfg_places p;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		assert_int_equal(cfg_places_read(str_from(lines[i]), &p, &err), 0);
		assert_int_equal(p.list.n, 0);
		cfg_places_done(&p);
	}
}

/* ---- places of a configuration ---- */

static const struct cfg_cluster clusters[] = {
	{ .name = STR("a"), .kubeconfig = STR("k") },
	{ .name = STR("a"), .kubeconfig = STR("k"), .context = STR("c") },
	{ .name = STR("a"), .context = STR("kc") },
	{ .name = STR("a") },
};
static const str words[] = { STR("x"), STR("y") };
static const struct cfg_reference references[] = {
	{ .name = STR("a"), .path = STR("p") },
	{ .name = STR("a"), .manifests = { .path = STR("p") } },
	{ .name = STR("a"), .manifests = { .path = STR("p"), .namespace = STR("n") } },
	{ .name = STR("a"), .manifests = { .path = STR("p"), .include = { words, 1 } } },
	{ .name = STR("a"), .manifests = { .path = STR("p"), .exclude = { words, 1 } } },
	{ .name = STR("a"), .applied = { .kinds = { .texts = { words, 2 } } } },
	{ .name = STR("a"), .applied = { .kinds = { .texts = { words, 1 } } } },
	{ .name = STR("a"), .applied = { .kinds = { .texts = { words, 1 } }, .namespaces = { words, 1 } } },
	{ .name = STR("a"), .helm = { .given = true } },
	{ .name = STR("a"), .helm = { .given = true, .names = { words, 1 } } },
	{ .name = STR("a"), .helm = { .given = true, .namespaces = { words, 1 } } },
	{ .name = STR("a"), .path = STR("p"), .published.source = { .kind = SOURCE_GIT, .url = STR("u") } },
	{ .name = STR("a"), .path = STR("p"), .published.source = { .kind = SOURCE_GIT, .url = STR("v") } },
};

static void places(void **state)
{
	const struct cfg cfg = { .clusters = clusters,
				 .n_clusters = ARRAY_LEN(clusters),
				 .references = references,
				 .n_references = ARRAY_LEN(references) };
	struct cfg_places p, again;
	struct err err;

	(void)state;
	assert_int_equal(cfg_places_of(&cfg, &p, &err), 0);
	assert_int_equal(cfg_places_of(&cfg, &again, &err), 0);
	assert_int_equal(p.list.n, cfg.n_clusters + cfg.n_references);
	for (size_t i = 0; i < p.list.n; i++) {
		assert_true(str_eq(p.list.p[i].place, again.list.p[i].place));
		for (size_t j = 0; j < i; j++) {
			if (p.list.p[i].kind == p.list.p[j].kind && str_eq(p.list.p[i].place, p.list.p[j].place))
				fail_msg("%zu and %zu are one place", j, i);
		}
	}
	cfg_places_done(&p);
	cfg_places_done(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(what_nobody_wrote),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
