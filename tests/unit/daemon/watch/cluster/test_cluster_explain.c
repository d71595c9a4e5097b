/* Answers about objects of a cluster: which there are, who wrote them last, what is said of one, and who accepts it. */
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/cluster/cluster.h"
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct {
	struct capture capture;
	struct watched w;
	struct arena arena;
} x;

/* A Widget with these managedFields; NULL: none. */
static void widget(const char *namespace, const char *name, unsigned size, const char *managed)
{
	struct json_options o = { .limits = &x.w.limits, .keys = x.w.keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	char json[512];
	struct err err;

	(void)snprintf(
		json, sizeof(json),
		"{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{%s%s%s\"name\":\"%s\",\"uid\":\"%s-%s\"},"
		"\"spec\":{\"size\":%u}}",
		*namespace ? "\"labels\":{\"app\":\"web\"},\"namespace\":\"" : "", namespace, *namespace ? "\"," : "",
		name, namespace, name, size);
	watched_must(json_decode(str_from(json), &o, &doc, &err), &err);
	fake_event_managed(fake_watch("Widget"), KC_ADDED, doc, managed ? str_from(managed) : STR(""));
	watched_work(&x.w);
}

static int setup(void **state)
{
	(void)state;
	x.arena = ARENA_INIT(0);
	if (!capture_begin(&x.capture))
		return -1;
	watched_start(&x.w, TEST_DATA "/watch/any.yaml");
	watched_settle(&x.w);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&x.w);
	capture_end(&x.capture);
	arena_done(&x.arena);
	return 0;
}

static const struct object *find(const char *namespace, const char *name)
{
	return cluster_find_object(x.w.cluster, STR("e.x/v1"), STR("Widget"), str_from(namespace), str_from(name));
}

static void note(void *ctx, const struct object *o)
{
	buf_printf(ctx, "%.*s ", STR_ARG(object_uid(o)));
}

static int by_kind(const struct cluster_kind *k)
{
	return str_eq(k->kind->name, STR("Widget"));
}

static void test_which_there_are(void **state)
{
	CLEANUP(buf_done) struct buf called = BUF_INIT(1024);
	struct cluster_kind *const *kinds;
	size_t n, i = 0;
	val labels;
	struct err err;

	(void)state;
	widget("a", "web", 1, NULL);
	widget("b", "web", 1, NULL);
	widget("b", "db", 1, NULL);
	assert_null(find("a", "db"));
	assert_null(cluster_find_object(x.w.cluster, STR("e.x/v2"), STR("Widget"), STR("a"), STR("web")));
	assert_null(cluster_find_object(x.w.cluster, STR("e.x/v1"), STR("Pod"), STR("a"), STR("web")));
	assert_true(str_eq(object_uid(find("b", "db")), STR("b-db")));
	assert_int_equal(cluster_object_labels(x.w.cluster, find("b", "db"), &x.arena, &labels, &err), 0);
	assert_true(str_eq(val_str(VAL_GET(labels, "app")), STR("web")));
	kinds = cluster_kinds(x.w.cluster, &n);
	while (i < n && !by_kind(kinds[i]))
		i++;
	assert_true(i < n);
	cluster_objects_called(kinds[i], STR("b"), STR("web"), note, &called);
	assert_string_equal(called.p, "b-web ");
	cluster_objects_called(kinds[i], STR(""), STR("web"), note, &called);
	assert_int_equal(called.n, 3 * sizeof("b-web"));
	assert_non_null(strstr(called.p, "a-web "));
	cluster_objects_called(kinds[i], STR("a"), STR("db"), note, &called);
	assert_int_equal(called.n, 3 * sizeof("b-web"));
	assert_ptr_equal(cluster_object(kinds[i], STR("a"), STR("web")), find("a", "web"));
	assert_null(cluster_object(kinds[i], STR("c"), STR("web")));
}

#define WRITER(manager, more) "{\"manager\":\"" manager "\"" more ",\"fieldsV1\":{\"f:spec\":{\"f:size\":{}}}}"

static void test_who_wrote_it_last(void **state)
{
	static const struct {
		const char *managed, *manager, *time; /* NULL: nobody knows */
	} cases[] = {
		{ "[" WRITER("a", ",\"time\":\"2026-05-01T10:00:00Z\"") "," WRITER(
			  "b", ",\"time\":\"2026-05-02T10:00:00Z\"") "]",
		  "b", "2026-05-02T10:00:00Z" },
		{ "[" WRITER("b", ",\"time\":\"2026-05-02T10:00:00Z\"") "," WRITER(
			  "a", ",\"time\":\"2026-05-01T10:00:00Z\"") "]",
		  "b", "2026-05-02T10:00:00Z" },
		{ "[" WRITER("a", ",\"time\":\"2026-05-01T10:00:00Z\"") "," WRITER(
			  "s", ",\"subresource\":\"status\",\"time\":\"2026-05-02T10:00:00Z\"") "]",
		  "a", "2026-05-01T10:00:00Z" },
		{ "[" WRITER("a", "") "]", NULL, NULL },
		{ NULL, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct blame latest;
		char name[16];

		(void)snprintf(name, sizeof(name), "w%zu", i);
		widget("a", name, 2, cases[i].managed);
		if (cluster_object_written(x.w.cluster, find("a", name), &x.arena, &latest) !=
		    (cases[i].manager != NULL))
			fail_msg("%zu", i);
		if (!cases[i].manager)
			continue;
		assert_true(str_eq(latest.manager, str_from(cases[i].manager)));
		assert_true(str_eq(latest.time, str_from(cases[i].time)));
	}
}

/* Nothing is reported, however often it is asked for. */
static void test_what_is_said_of_one(void **state)
{
	static const struct acceptance accepts = { .kind = { "Widget", 6 },
						   .name = { "known", 5 },
						   .reason = { "why", 3 } };
	struct err err;
	size_t before;

	(void)state;
	widget("", "good", 1, NULL);
	widget("", "bad", 2, NULL);
	before = watched_count(&x.w, FINDING_DRIFT);
	watched_must(acceptances_put(x.w.acceptances, &accepts, false, &err), &err);
	for (unsigned i = 0; i < 4; i++) {
		const struct object *o = find("", i % 2 ? "bad" : "good");
		CLEANUP(doc_unrefp) struct doc *edited = NULL;
		struct verdict v = { 0 };
		bool waits = true;

		assert_int_equal(cluster_explain(x.w.cluster, 0, o, &v, &edited, &waits, &err), 0);
		assert_false(waits);
		assert_int_equal(v.state, i % 2 ? VERDICT_DRIFTED : VERDICT_COMPLIANT);
		assert_int_equal(v.changes.n, i % 2);
		if (i % 2)
			assert_null(cluster_accepted_by(x.w.cluster, 0, o, &v.changes.p[0]));
		verdict_done(&v);
	}
	assert_int_equal(watched_count(&x.w, FINDING_DRIFT), before);
	accepted_apply(x.w.acceptances, x.w.findings, &x.w.cluster, 1);
	widget("", "known", 3, NULL);
	{
		CLEANUP(doc_unrefp) struct doc *edited = NULL;
		struct verdict v = { 0 };
		bool waits;

		assert_int_equal(cluster_explain(x.w.cluster, 0, find("", "known"), &v, &edited, &waits, &err), 0);
		assert_non_null(cluster_accepted_by(x.w.cluster, 0, find("", "known"), &v.changes.p[0]));
		verdict_done(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_which_there_are, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who_wrote_it_last, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_said_of_one, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
