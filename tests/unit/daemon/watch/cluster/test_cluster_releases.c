/* Releases of Helm in a cluster: what is in force follows their Secrets, and what is wrong with one is reported. */
#include "daemon/findings/clock.h"
#include "go/base64.h"
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)
#define START_USEC (INT64_C(1800000000) * 1000000)

static struct {
	struct capture capture;
	struct watched w;
	uint64_t ns;
} x;

static void pass(uint64_t ns)
{
	x.ns += ns;
	clock_set(START_USEC + (int64_t)(x.ns / 1000), x.ns);
	cluster_tick(x.w.cluster);
	watched_work(&x.w);
}

static int setup(void **state)
{
	(void)state;
	x.ns = 1000 * S;
	clock_set(START_USEC + (int64_t)(x.ns / 1000), x.ns);
	if (!capture_begin(&x.capture))
		return -1;
	watched_start(&x.w, TEST_DATA "/watch/releases.yaml");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&x.w);
	capture_end(&x.capture);
	return 0;
}

/* The Secret of a revision of the release shop/web, which deploys the ConfigMap "settings"; with @mode NULL it holds
 * nothing. */
static void secret(enum kc_event event, unsigned revision, const char *status, const char *mode)
{
	CLEANUP(buf_done)
	struct buf release = BUF_INIT(1 << 16), once = BUF_INIT(1 << 18), twice = BUF_INIT(1 << 18),
		   json = BUF_INIT(1 << 19);

	buf_printf(&release,
		   "{\"name\":\"web\",\"namespace\":\"shop\",\"version\":%u,\"info\":{\"status\":\"%s\"},\"manifest\":"
		   "\"apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: settings}\\ndata: {mode: '%s'}\\n\"}",
		   revision, status, mode ? mode : "");
	go_base64_encode(&once, buf_str(&release));
	go_base64_encode(&twice, buf_str(&once));
	buf_printf(&json,
		   "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"helm.sh/"
		   "release.v1\",\"metadata\":{\"namespace\":"
		   "\"shop\",\"name\":\"sh.helm.release.v1.web.v%u\",\"uid\":\"s%u\",\"labels\":{\"owner\":\"helm\","
		   "\"name\":\"web\",\"version\":\"%u\",\"status\":\"%s\",\"modifiedAt\":\"1799990000\"}},"
		   "\"data\":{\"release\":\"%s\"}}",
		   revision, revision, revision, status, mode ? buf_str(&twice).p : "");
	watched_event(&x.w, event, buf_str(&json).p);
	watched_work(&x.w);
}

static void settings(enum kc_event event, const char *mode)
{
	char json[256];

	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":\"shop\",\"name\":"
		       "\"settings\",\"uid\":\"c\"},\"data\":{\"mode\":\"%s\"}}",
		       mode);
	watched_event(&x.w, event, json);
	watched_work(&x.w);
}

static void expect(size_t drifts, size_t components, size_t errors, size_t gaps)
{
	assert_int_equal(watched_count(&x.w, FINDING_DRIFT), drifts);
	assert_int_equal(watched_count(&x.w, FINDING_COMPONENT), components);
	assert_int_equal(watched_count(&x.w, FINDING_ERROR), errors);
	assert_int_equal(watched_count(&x.w, FINDING_GAP), gaps);
}

static void begin(const char *mode)
{
	secret(KC_LISTED, 1, "deployed", "on");
	settings(KC_LISTED, mode);
	expect(0, 0, 0, 0); /* not before all are known */
	watched_settle(&x.w);
	pass(S);
}

static void test_in_force(void **state)
{
	(void)state;
	begin("off");
	expect(1, 0, 0, 0);
	settings(KC_MODIFIED, "on");
	expect(0, 0, 0, 0);
	settings(KC_DELETED, "on");
	pass(60 * S);
	expect(0, 1, 0, 0); /* it is missing */
	settings(KC_ADDED, "on");
	expect(0, 0, 0, 0);
	secret(KC_DELETED, 1, "deployed", "on");
	settings(KC_MODIFIED, "off"); /* nobody wants anything of it */
	pass(60 * S);
	expect(0, 0, 0, 0);
}

static void test_upgrade(void **state)
{
	(void)state;
	begin("on");
	expect(0, 0, 0, 0);
	secret(KC_ADDED, 2, "pending-upgrade", "new");
	settings(KC_MODIFIED, "new"); /* Helm is at it */
	pass(60 * S);
	expect(0, 0, 0, 0);
	secret(KC_MODIFIED, 1, "superseded", "on");
	secret(KC_MODIFIED, 2, "deployed", "new");
	pass(10 * S);
	expect(0, 0, 0, 0);
	settings(KC_MODIFIED, "on");
	pass(10 * S);
	expect(1, 0, 0, 0);
}

static void test_stuck(void **state)
{
	(void)state;
	begin("on");
	secret(KC_ADDED, 2, "pending-upgrade", "new");
	pass(14 * 60 * S);
	expect(0, 0, 0, 0);
	pass(70 * S);
	expect(0, 0, 0, 1);
	secret(KC_DELETED, 2, "pending-upgrade", "new");
	pass(10 * S);
	expect(0, 0, 0, 0);
}

static void test_unreadable(void **state)
{
	(void)state;
	begin("on");
	secret(KC_MODIFIED, 1, "superseded", "on");
	secret(KC_ADDED, 2, "deployed", NULL);
	pass(10 * S);
	expect(0, 0, 1, 0);
	secret(KC_DELETED, 2, "deployed", NULL);
	secret(KC_DELETED, 1, "superseded", NULL);
	pass(10 * S);
	expect(0, 0, 0, 0); /* there is no such release */
}

/* ---- a look ahead ---- */

static void note_unknown(void *ctx, str reference)
{
	assert_true(str_eq(reference, STR("helm")));
	++*(size_t *)ctx;
}

/* One takes over what is in force where the settings are the same; else it is unknown what would be. */
static void test_adopted(void **state)
{
	static const char *const files[] = { TEST_DATA "/watch/releases.yaml", TEST_DATA "/watch/releases-other.yaml" };
	size_t n;
	const struct reference *in_force;

	(void)state;
	begin("on");
	in_force = cluster_judges(x.w.cluster, &n)->in_force;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct watched ahead;
		size_t unknown = 0;
		struct err err;

		watched_start(&ahead, files[i]);
		watched_must(cluster_adopt_releases(ahead.cluster, x.w.cluster, note_unknown, &unknown, &err), &err);
		assert_int_equal(unknown, i);
		assert_int_equal(cluster_judges(ahead.cluster, &n)->in_force == in_force, i == 0);
		watched_stop(&ahead);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_in_force, setup, teardown),
		cmocka_unit_test_setup_teardown(test_upgrade, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stuck, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unreadable, setup, teardown),
		cmocka_unit_test_setup_teardown(test_adopted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
