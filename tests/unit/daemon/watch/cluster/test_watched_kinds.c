/* Kinds that only the setting "watch" names, of tests/data/watch/watched.yaml: their objects are kept, nothing is said
 * of them, and a kind that the server does not have is told, once. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct watched w;
static struct capture out;

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&out))
		return -1;
	watched_start(&w, TEST_DATA "/watch/watched.yaml");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&w);
	capture_end(&out);
	return 0;
}

static const struct cluster_kind *kind_called(const char *name)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(w.cluster, &n);

	for (size_t i = 0; i < n; i++) {
		if (str_eq(kinds[i]->kind->name, str_from(name)))
			return kinds[i];
	}
	return NULL;
}

/* How many records say so. */
static size_t reported(const char *text)
{
	struct doc *d;
	size_t n = 0;

	while ((d = capture_next(&out))) {
		n += str_find(val_str(VAL_GET(d->root, "MESSAGE")), str_from(text)) >= 0;
		doc_unref(d);
	}
	return n;
}

static void settle(void)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *x = fake_client->watches.p[i];

		if (strcmp(x->spec.kind, "Servise") == 0)
			fake_state(x, KC_ABSENT);
		else
			fake_synced(x);
	}
	cluster_tick(w.cluster);
	watched_work(&w);
}

static void test_objects_are_kept(void **state)
{
	const struct cluster_kind *k = kind_called("Service");

	(void)state;
	assert_non_null(k);
	assert_int_equal(k->n_watches, 2);
	assert_string_equal(fake_watch("Service")->spec.namespace, "pay");
	watched_event(&w, KC_LISTED,
		      "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"a\",\"namespace\":\"pay\","
		      "\"uid\":\"1\"}}");
	settle();
	assert_true(cluster_synced(w.cluster));
	assert_true(k->kept);
	assert_non_null(snapshot_find(k->kind, STR("pay/a")));
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	assert_int_equal(watched_count(&w, FINDING_ERROR), 0);
}

static void test_a_missing_kind_is_reported_once(void **state)
{
	(void)state;
	settle();
	assert_true(cluster_kind_missing(kind_called("Servise")));
	assert_true(cluster_synced(w.cluster));
	assert_int_equal(reported("the server does not have what the configuration is about: Servise of v1"), 1);
	settle();
	assert_int_equal(reported("does not have"), 0);
}

static struct feed_watch *watch_of_services(const char *namespace)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *x = fake_client->watches.p[i];

		if (strcmp(x->spec.kind, "Service") == 0 && strcmp(x->spec.namespace, namespace) == 0)
			return x;
	}
	fail_msg("no watch of services in %s", namespace);
	return NULL;
}

static void send_service(struct feed_watch *x, str key, uint32_t list)
{
	struct kc_object o = { .event = KC_LISTED,
			       .key = key,
			       .uid = STR("u"),
			       .resource_version = STR("7"),
			       .managed_fields = STR(""),
			       .list = list,
			       .received_ns = 1 };
	struct json_options options = { .limits = &w.limits, .keys = w.keys };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct err err;

	identity_local_split(key, &o.namespace, &o.name);
	assert_int_equal(json_decode(arena_printf(&a,
						  "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{"
						  "\"namespace\":\"%.*s\",\"name\":\"%.*s\",\"uid\":\"u\"}}",
						  STR_ARG(o.namespace), STR_ARG(o.name)),
				     &options, &d, &err),
			 0);
	o.doc = d;
	x->handler.object(x->ctx, &o);
}

/* What the reflector of a part finds absent is within that part, and was not in its list, nor came since. */
static void test_the_store_answers_for_each_part(void **state)
{
	static const struct {
		const char *key;
		uint32_t list;
	} objects[] = { { "pay/old", 1 }, { "pay/listed", 3 }, { "pay/later", 4 }, { "shop/old", 2 } };
	struct feed_watch *pay = watch_of_services("pay"), *shop = watch_of_services("shop");
	struct kc_knowns absent = { 0 };
	struct kc_known known;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++)
		send_service(objects[i].key[0] == 'p' ? pay : shop, str_from(objects[i].key), objects[i].list);
	assert_true(pay->handler.find(pay->ctx, STR("pay/old"), &known));
	assert_true(str_eq(known.uid, STR("u")) && str_eq(known.resource_version, STR("7")));
	assert_false(pay->handler.find(pay->ctx, STR("pay/new"), &known));
	assert_int_equal(pay->handler.absent(pay->ctx, 3, &absent, &err), 0);
	assert_int_equal(absent.n, 1);
	assert_true(str_eq(absent.p[0].key, STR("pay/old")));
	assert_ptr_equal(absent.p[0].object, snapshot_find(kind_called("Service")->kind, STR("pay/old")));
	vec_done(&absent);
	assert_int_equal(shop->handler.absent(shop->ctx, 2, &absent, &err), 0);
	assert_int_equal(absent.n, 0);
	send_service(pay, STR("pay/old"), 5); /* the same again: it is there */
	assert_int_equal(pay->handler.absent(pay->ctx, 3, &absent, &err), 0);
	assert_int_equal(absent.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_objects_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_store_answers_for_each_part, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_missing_kind_is_reported_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
