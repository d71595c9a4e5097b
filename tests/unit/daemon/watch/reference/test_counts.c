/* What an object of others counts for: of which identities, because of what it names, and whether that stays when it
 * changes. A cluster of tests/data/watch/told that is as it should be. */
#include "daemon/watch/reference/reference_judge.h"

#include "daemon/watch/reference/reference_judge_internal.h"
#include "support/story.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct story story;
static struct buf reported;

static void begin(const char *program)
{
	reported = BUF_INIT(1u << 20);
	story_begin(&story, TEST_DATA "/watch/told", str_from(program), &reported);
	story_happens(&story, STR("as in well"));
	story_apply(&story);
}

static void end(void)
{
	story_end(&story);
	buf_done(&reported);
}

static const struct reference_judge *judge(void)
{
	size_t n;

	return cluster_judges(story.watched.cluster, &n);
}

#define BINDING(subjects)                                                                                              \
	"{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":{\"name\":\"robots\"," \
	"\"namespace\":\"ns\"},\"subjects\":[" subjects "]}"
#define SUBJECT(name) "{\"kind\":\"ServiceAccount\",\"name\":\"" name "\",\"namespace\":\"ns\"}"

static void as_before(void **state)
{
	static const struct {
		const char *api_version, *kind, *key, *changed;
		bool is;
	} cases[] = {
		{ "e.x/v1", "Widget", "ns/good", "{}", true },
		{ "v1", "ConfigMap", "ns/settings", "{\"data\":{\"mode\":\"off\"}}", true },
		{ "e.x/v1", "Engine", "/main", "{}", false }, /* it may be one too many */
		{ "e.x/v1", "Gizmo", "/g", "{}", false },     /* it may be at fault */
		{ "e.x/v1", "Copy", "ns/same", "{}", false }, /* it depends on others */
		{ "rbac.authorization.k8s.io/v1", "RoleBinding", "ns/robots", BINDING(SUBJECT("robot")), true },
		{ "rbac.authorization.k8s.io/v1", "RoleBinding", "ns/robots", BINDING(SUBJECT("other")), false },
		{ "rbac.authorization.k8s.io/v1", "RoleBinding", "ns/robots", BINDING(""), false },
		{ "rbac.authorization.k8s.io/v1", "RoleBinding", "ns/robots",
		  BINDING(SUBJECT("other") "," SUBJECT("robot")), true },
		{ "rbac.authorization.k8s.io/v1", "RoleBinding", "ns/robots",
		  BINDING(SUBJECT("robot") "," SUBJECT("robot")), false },
		{ "e.x/v1", "Widget", "ns/good", BINDING(SUBJECT("robot")), false },
	};

	(void)state;
	begin("all");
	story_happens(&story,
		      STR("added {\"apiVersion\":\"e.x/v1\",\"kind\":\"Gizmo\",\"metadata\":{\"name\":\"g\"}}"));
	story_apply(&story);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(doc_unrefp) struct doc *d = story_json(&story, str_from(cases[i].changed));
		const struct kind *k = snapshot_find_kind(&story.watched.cluster->snapshot,
							  str_from(cases[i].api_version), str_from(cases[i].kind));
		struct object *o = k ? snapshot_find(k, str_from(cases[i].key)) : NULL;

		assert_non_null(o);
		if (reference_judge_counts_as_before(judge(), o, d->root) != cases[i].is)
			fail_msg("case %zu", i);
		o->judged[0].known = false; /* it was never judged */
		assert_false(reference_judge_counts_as_before(judge(), o, d->root));
		o->judged[0].known = true;
		o->judged[0].waits = true;
		assert_false(reference_judge_counts_as_before(judge(), o, d->root));
		o->judged[0].waits = false;
	}
	end();
}

static void by_identity(void **state)
{
	static const struct {
		struct identity id;
		bool counts;
	} cases[] = {
		{ { { "e.x/v1", 6 }, { "Widget", 6 }, { "ns", 2 }, { "w", 1 } }, true },
		{ { { "e.x/v1", 6 }, { "Widget", 6 }, { "ns", 2 }, { "lock-1", 6 } }, false }, /* excluded */
		{ { { "e.x/v1", 6 }, { "Engine", 6 }, { "", 0 }, { "main", 4 } }, true },
		{ { { "e.x/v1", 6 }, { "Engine", 6 }, { "", 0 }, { "other", 5 } }, false },
		{ { { "v1", 2 }, { "Pod", 3 }, { "ns", 2 }, { "p", 1 } }, false },
	};

	(void)state;
	begin("all");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (reference_judges_count(judge(), 1, &cases[i].id) != cases[i].counts)
			fail_msg("case %zu", i);
		assert_false(reference_judges_count(judge(), 0, &cases[i].id));
	}
	end();
}

static void by_name(void **state)
{
	static const struct {
		const char *object;
		bool counts;
	} cases[] = { { BINDING(SUBJECT("robot")), true },
		      { BINDING(SUBJECT("other")), false },
		      { BINDING(SUBJECT("other") "," SUBJECT("robot")), true },
		      { BINDING(""), false },
		      { "{}", false } };

	(void)state;
	begin("all");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(doc_unrefp) struct doc *d = story_json(&story, str_from(cases[i].object));

		if (reference_judge_counts_named(judge(), d->root) != cases[i].counts)
			fail_msg("case %zu", i);
	}
	end();
}

/* Two processes tell of all components, each of its own. */
static void shared_out(void **state)
{
	bool counts[2][32], compares[2];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(i == 0 ? "all 0/2" : "all 1/2");
		n = judge()->reference->reference->n_templates;
		for (size_t t = 0; t < n; t++)
			counts[i][t] = judge()->counts[t];
		assert_false(judge()->counts[n]);
		compares[i] = reference_judge_compares(judge());
		end();
	}
	for (size_t t = 0; t < n; t++)
		assert_true(counts[0][t] != counts[1][t]);
	assert_true(compares[0] != compares[1]); /* the one that tells of copies, which look others up */
	begin("all");
	for (size_t t = 0; t < n; t++)
		assert_true(judge()->counts[t]);
	assert_true(judge()->names && reference_judge_compares(judge()));
	end();
}

static void what_it_is_for(void **state)
{
	static const struct {
		const char *json, *kind, *key;
		bool is;
	} cases[] = { { "\"metadata\":{\"name\":\"w\",\"namespace\":\"ns\"}", "Widget", "ns/w", true },
		      { "\"metadata\":{\"name\":\"lock-2\",\"namespace\":\"ns\"}", "Widget", "ns/lock-2", false },
		      { "\"metadata\":{\"name\":\"third\"}", "Engine", "/third", false },
		      { "\"metadata\":{\"name\":\"main\"}", "Engine", "/main", true } };

	(void)state;
	begin("all");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char line[256];
		const struct object *o;

		(void)snprintf(line, sizeof(line), "added {\"apiVersion\":\"e.x/v1\",\"kind\":\"%s\",%s}",
			       cases[i].kind, cases[i].json);
		story_happens(&story, str_from(line));
		story_apply(&story);
		o = snapshot_find(
			snapshot_find_kind(&story.watched.cluster->snapshot, STR("e.x/v1"), str_from(cases[i].kind)),
			str_from(cases[i].key));
		assert_non_null(o);
		if (reference_judge_is_for(judge(), o) != cases[i].is)
			fail_msg("case %zu", i);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(as_before), cmocka_unit_test(by_identity),
					    cmocka_unit_test(by_name), cmocka_unit_test(shared_out),
					    cmocka_unit_test(what_it_is_for) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
