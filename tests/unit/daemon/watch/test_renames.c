/* Where findings and acceptances of old names are under the new ones. The configuration of now is
 * tests/data/watch/renames: the cluster "c", the reference "ref", and "texts" of manifests, of which first.yaml has the
 * ConfigMap shop/one. */
#include "daemon/watch/renames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define MANY 5000

struct fixture {
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	struct acceptances *set;
	struct renames renames;
	char kept[4096]; /* what was accepted and what was not any more, by name */
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	const char *file = TEST_DATA "/watch/renames.yaml";
	struct problems problems = { 0 };
	struct err err;

	*state = x;
	if (!x || !(x->keys = key_table_new()))
		return -1;
	x->limits = limits_of_a_loop();
	if (cfg_load(&file, 1, &x->limits, x->keys, &x->cfg, &problems, &err) != 0)
		return -1;
	return acceptances_new(&x->set, &err);
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	renames_done(&x->renames);
	acceptances_free(x->set);
	cfg_unref(x->cfg);
	key_table_free(x->keys);
	free(x);
	return 0;
}

/* The cluster and the references were called so. */
static void begin(struct fixture *x, const char *cluster, const char *ref, const char *texts)
{
	struct cfg_places was;
	struct err err;

	assert_int_equal(cfg_places_of(x->cfg, &was, &err), 0);
	for (size_t i = 0; i < was.list.n; i++) {
		str *name = &was.list.p[i].name;

		*name = str_from(str_eq(*name, STR("c")) ? cluster : str_eq(*name, STR("ref")) ? ref : texts);
	}
	assert_int_equal(renames_begin(&x->renames, &was, x->cfg, (struct shard){ 0, 1 }, &err), 0);
	assert_int_equal(was.list.n, 0);
}

/* ---- findings ---- */

struct example {
	const char *what;
	enum finding_kind kind;
	struct finding_subject was, is; /* is: the cluster, reference, part, component and template that it has then */
	bool moves;
};

#define S(lit)                                                                                                         \
	{                                                                                                              \
		(lit), sizeof(lit) - 1                                                                                 \
	}
#define OF(c, r) .cluster = S(c), .reference = S(r)
#define WIDGET .api_version = S("e.x/v1"), .kind = S("Widget"), .name = S("w")
#define THE_MAP .api_version = S("v1"), .kind = S("ConfigMap"), .namespace = S("shop"), .name = S("one")
#define ANOTHER_MAP .api_version = S("v1"), .kind = S("ConfigMap"), .namespace = S("shop"), .name = S("two")

static const struct example examples[] = {
	{ "an object, with the cluster", FINDING_DRIFT, { OF("old", "ref"), WIDGET }, { OF("c", "ref") }, true },
	{ "with the reference", FINDING_DRIFT, { OF("c", "before"), WIDGET }, { OF("c", "ref") }, true },
	{ "with both", FINDING_DRIFT, { OF("old", "before"), WIDGET }, { OF("c", "ref") }, true },
	{ "of another cluster", FINDING_DRIFT, { OF("other", "before"), WIDGET }, { OF("other", "ref") }, true },
	{ "of neither", FINDING_DRIFT, { OF("other", "some"), WIDGET }, { OF("other", "some") }, false },
	{ "of the new names", FINDING_DRIFT, { OF("c", "ref"), WIDGET }, { OF("c", "ref") }, false },
	{ "a gap", FINDING_GAP, { OF("old", "") }, { OF("c", "") }, true },
	{ "the name of a cluster as a reference",
	  FINDING_DRIFT,
	  { OF("c", "old"), WIDGET },
	  { OF("c", "old") },
	  false },
	{ "a component of templates",
	  FINDING_COMPONENT,
	  { OF("c", "before"), .part = S("p"), .component = S("some") },
	  { OF("c", "ref"), .part = S("p"), .component = S("some") },
	  true },
	{ "a part of manifests is called as its reference",
	  FINDING_COMPONENT,
	  { OF("c", "papers"), .part = S("papers"), .component = S("first.yaml"), THE_MAP },
	  { OF("c", "texts"), .part = S("texts"), .component = S("first.yaml") },
	  true },
	{ "a manifest in another file",
	  FINDING_COMPONENT,
	  { OF("c", "texts"), .part = S("texts"), .component = S("one.yaml"), .template_path = S("one.yaml"), THE_MAP },
	  { OF("c", "texts"), .part = S("texts"), .component = S("first.yaml"), .template_path = S("first.yaml") },
	  true },
	{ "both at once",
	  FINDING_COMPONENT,
	  { OF("old", "papers"), .part = S("papers"), .component = S("one.yaml"), THE_MAP },
	  { OF("c", "texts"), .part = S("texts"), .component = S("first.yaml"), .template_path = S("first.yaml") },
	  true },
	{ "a manifest that is in none",
	  FINDING_COMPONENT,
	  { OF("c", "texts"), .part = S("texts"), .component = S("two.yaml"), ANOTHER_MAP },
	  { OF("c", "texts"), .part = S("texts"), .component = S("two.yaml") },
	  false },
};

static void expect_text(const struct example *x, const char *of, str is, str should)
{
	if (!str_eq(is, should))
		fail_msg("%s: the %s is '%.*s', not '%.*s'", x->what, of, STR_ARG(is), STR_ARG(should));
}

static void findings_move_to_the_new_names(void **state)
{
	struct fixture *x = *state;

	begin(x, "old", "before", "papers");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		struct finding *f = calloc(1, sizeof(*f));

		assert_non_null(f);
		f->kind = e->kind;
		f->subject = e->was;
		if (renames_move(&x->renames, f) != e->moves)
			fail_msg("%s: it %s", e->what, e->moves ? "stays" : "moves");
		expect_text(e, "cluster", f->subject.cluster, e->is.cluster);
		expect_text(e, "reference", f->subject.reference, e->is.reference);
		expect_text(e, "part", f->subject.part, e->is.part);
		expect_text(e, "component", f->subject.component, e->is.component);
		expect_text(e, "template", f->subject.template_path, e->is.template_path);
		expect_text(e, "name", f->subject.name, e->was.name);
		free(f);
	}
	assert_int_equal(x->renames.manifests, 2);
}

static void nothing_moves_where_nothing_was_renamed(void **state)
{
	struct fixture *x = *state;
	struct finding *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	begin(x, "c", "ref", "texts");
	assert_int_equal(x->renames.names.list.n, 0);
	f->subject = (struct finding_subject){ OF("c", "ref"), WIDGET };
	assert_false(renames_move(&x->renames, f));
	free(f);
}

/* ---- acceptances ---- */

static struct acceptance acceptance(const char *cluster, const char *reference, const char *name)
{
	return (struct acceptance){ .cluster = str_from(cluster),
				    .reference = reference ? str_from(reference) : (str){ 0 },
				    .kind = STR("Widget"),
				    .name = str_from(name),
				    .reason = STR("a test"),
				    .owner = STR("o") };
}

static void put(struct fixture *x, struct acceptance a, bool configured)
{
	struct err err;

	assert_int_equal(acceptances_put(x->set, &a, configured, &err), 0);
}

static const struct accepted *find(const struct fixture *x, struct acceptance a)
{
	char id[ACCEPTANCE_ID_SIZE];

	assert_true(acceptance_id(&a, id));
	return acceptances_get(x->set, str_from(id));
}

static void note(void *ctx, const char *id, const struct acceptance *now)
{
	struct fixture *x = ctx;
	size_t n = strlen(x->kept);

	(void)snprintf(x->kept + n, sizeof(x->kept) - n, now ? "+%.*s " : "-%.*s ", now ? (int)now->name.n : 16,
		       now ? now->name.p : id);
}

static void acceptances_are_about_the_new_names(void **state)
{
	struct fixture *x = *state;
	struct finding *f = calloc(1, sizeof(*f));
	char old[ACCEPTANCE_ID_SIZE];
	const struct acceptance was = acceptance("old", "before", "w");
	struct err err;

	assert_non_null(f);
	put(x, was, false);
	put(x, acceptance("other", NULL, "x"), false);
	put(x, acceptance("o*", NULL, "y"), false); /* a pattern means what it matches */
	put(x, acceptance("c", NULL, "z"), true);
	put(x, acceptance("old", NULL, "z"), false); /* the configuration says so too, of now */
	assert_true(acceptance_id(&was, old));
	begin(x, "old", "before", "texts");
	assert_int_equal(renames_acceptances(&x->renames, x->set, note, x, &err), 0);
	assert_null(find(x, was));
	assert_non_null(find(x, acceptance("c", "ref", "w")));
	assert_non_null(find(x, acceptance("other", NULL, "x")));
	assert_non_null(find(x, acceptance("o*", NULL, "y")));
	assert_true(find(x, acceptance("c", NULL, "z"))->configured);
	assert_int_equal(acceptances_count(x->set, false), 3);
	assert_non_null(strstr(x->kept, "+w +z -"));
	assert_non_null(strstr(x->kept, old));

	f->kind = FINDING_ACCEPTED;
	f->subject = (struct finding_subject){ OF("old", "before"), WIDGET };
	f->subject.acceptance = str_from(old);
	assert_true(renames_move(&x->renames, f));
	assert_true(str_eq(f->subject.acceptance, str_from(find(x, acceptance("c", "ref", "w"))->is.id)));
	free(f);
}

/* What the configuration accepts under the new names held findings under the id of the old ones. */
static void configured_acceptances_have_other_ids(void **state)
{
	struct fixture *x = *state;
	const struct acceptance was = acceptance("old", NULL, "w");
	char old[ACCEPTANCE_ID_SIZE];
	struct err err;

	assert_true(acceptance_id(&was, old));
	put(x, acceptance("c", NULL, "w"), true);
	begin(x, "old", "ref", "texts");
	assert_int_equal(renames_acceptances(&x->renames, x->set, NULL, NULL, &err), 0);
	assert_string_equal(strmap_get(&x->renames.acceptances, str_from(old)),
			    find(x, acceptance("c", NULL, "w"))->is.id);
}

/* Each is looked at a few times, however many there are. */
static void thousands_of_acceptances(void **state)
{
	struct fixture *x = *state;
	struct err err;
	char name[32];

	for (int i = 0; i < MANY; i++) {
		(void)snprintf(name, sizeof(name), "w-%d", i);
		put(x, acceptance("old", NULL, name), false);
	}
	begin(x, "old", "ref", "texts");
	acceptances_forget_changes(x->set, acceptances_last_change(x->set));
	assert_int_equal(renames_acceptances(&x->renames, x->set, NULL, NULL, &err), 0);
	assert_int_equal(acceptances_count(x->set, false), MANY);
	assert_non_null(find(x, acceptance("c", NULL, "w-4999")));
	/* each has gone once and come once */
	assert_int_equal(acceptances_last_change(x->set), 3 * MANY);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(findings_move_to_the_new_names),
		CASE(nothing_moves_where_nothing_was_renamed),
		CASE(acceptances_are_about_the_new_names),
		CASE(configured_acceptances_have_other_ids),
		CASE(thousands_of_acceptances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
