/* Words for kinds, as users of kubectl know them: what means which kind, and the short names that clusters know. */
#include "daemon/view/kind_words.h"

#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct kc_resource deployments = {
	.group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments", .short_names = "deploy,dep"
};
static const struct kc_resource older = {
	.group = "apps", .version = "v1beta1", .kind = "Deployment", .plural = "deployments", .short_names = "deploy"
};
static const struct kc_resource pods = {
	.group = "", .version = "v1", .kind = "Pod", .plural = "pods", .short_names = "po"
};
static const struct kc_resource policies = {
	.group = "e.x", .version = "v1", .kind = "Policy", .plural = "policies", .short_names = "po"
};
static const struct kc_resource nameless = { .group = "e.x", .version = "v1", .kind = "Widget", .plural = "widgets" };

static void test_one_word(void **state)
{
	static const struct {
		const char *word;
		const struct kc_resource *r;
		bool is_short, means;
	} cases[] = {
		{ "deploy", &deployments, true, true },
		{ "DEP", &deployments, true, true },
		{ "deployment", &deployments, false, true },
		{ "deployments", &deployments, false, true },
		{ "Deployments.Apps", &deployments, false, true },
		{ "deployments.e.x", &deployments, false, false },
		{ "depl", &deployments, false, false },
		{ "deploy,dep", &deployments, false, false },
		{ "pods", &pods, false, true },
		{ "pods.", &pods, false, false },
		{ "widget", &nameless, false, true },
		{ "widgets.e.x", &nameless, false, true },
		{ "", &nameless, false, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (kind_word_is_short(str_from(cases[i].word), cases[i].r) != cases[i].is_short ||
		    kind_word_means_resource(str_from(cases[i].word), cases[i].r) != cases[i].means)
			fail_msg("%s", cases[i].word);
	}
}

static void test_resolved(void **state)
{
	static const struct {
		const char *cluster, *words, *expected; /* @cluster NULL: any */
	} cases[] = {
		{ NULL, "deploy", "deployments.apps" },
		{ NULL, "po", "pods,policies.e.x" },
		{ NULL, "po,dep,secret", "pods,policies.e.x,deployments.apps,secret" },
		{ NULL, "unknown", "unknown" },
		{ "c", "dep", "deployments.apps" },
		{ "other", "dep", "dep" },
	};
	static const struct kc_resource *const offers[] = { &deployments, &older, &pods, &policies, &nameless };
	struct cluster *clusters[1];
	struct metrics_view view = { .clusters = clusters, .n_clusters = 1 };
	struct watched w;

	(void)state;
	watched_start(&w, TEST_DATA "/watch/any.yaml");
	clusters[0] = w.cluster;
	for (size_t i = 0; i < ARRAY_LEN(offers); i++)
		assert_true(vec_push(&fake_client->offers, offers[i]));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(1024);
		const struct finding_filter f = { .cluster = cases[i].cluster ? str_from(cases[i].cluster)
									      : (str){ NULL, 0 },
						  .kind = str_from(cases[i].words) };

		assert_true(str_eq(kind_words_filter(&view, &f, &out).kind, str_from(cases[i].expected)));
	}
	{
		CLEANUP(buf_done) struct buf out = BUF_INIT(1024);

		assert_null(kind_words_filter(&view, &(struct finding_filter){ 0 }, &out).kind.p);
	}
	watched_stop(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_word), cmocka_unit_test(test_resolved) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
