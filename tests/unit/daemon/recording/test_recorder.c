/* What is written of what a watcher receives, what is passed on, and that a replay of it reports what there was. The
 * real source is a feed: CMakeLists.txt wraps it. */
#include "daemon/findings/clock.h"
#include "daemon/recording/recorder.h"
#include "daemon/recording/replay.h"
#include "support/fake_client.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

extern const struct source_maker __wrap_kube_source;
const struct source_maker __wrap_kube_source = { .open = fake_open };

static struct {
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	struct recorder *recorder;
	struct watch_source *source;
	int fd;
	off_t at;         /* in the recording, behind what was looked at */
	struct buf calls; /* what the watcher was told */
} x;

/* ---- a watcher ---- */

static void on_notice(void *ctx, const struct kc_notice *n)
{
	buf_printf(ctx, "notice %s ", n->message);
}

static void on_discovered(void *ctx)
{
	buf_add_cstr(ctx, "discovered ");
}

static void on_object(void *ctx, const struct kc_object *o)
{
	buf_printf(ctx, "object %.*s ", STR_ARG(o->name));
}

static void on_synced(void *ctx, enum kc_list_reason reason)
{
	buf_printf(ctx, "synced %d ", (int)reason);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	buf_printf(ctx, "%s%s ", kc_state_name(state), why ? "!" : "");
}

static void on_access(void *ctx, unsigned denied)
{
	buf_printf(ctx, "denied %u ", denied);
}

static const struct kc_handler watcher = {
	.object = on_object, .synced = on_synced, .state = on_state, .access = on_access
};

static struct source_watch *watch(const char *kind)
{
	const struct kc_watch_spec spec = { .api_version = "v1",
					    .kind = kind,
					    .namespace = "",
					    .name = "",
					    .label_selector = "",
					    .field_selector = "" };
	struct source_watch *w;
	struct err err;

	assert_int_equal(x.source->does->watch_add(x.source, &spec, &watcher, &x.calls, &w, &err), 0);
	return w;
}

static void expect_calls(const char *calls)
{
	assert_string_equal(buf_str(&x.calls).p, calls);
	buf_clear(&x.calls);
}

/* ---- the recording ---- */

/* A part of the next line, which begins with @event. */
static void expect_line(const char *event, const char *part)
{
	char text[4096], begin[64];
	ssize_t n = pread(x.fd, text, sizeof(text) - 1, x.at);
	char *end;

	text[n > 0 ? n : 0] = '\0';
	end = strchr(text, '\n');
	if (!end)
		fail_msg("no line %s", event);
	x.at += end + 1 - text;
	*end = '\0';
	(void)snprintf(begin, sizeof(begin), "{\"e\":\"%s\",\"t\":1000000000000,\"w\":1800000000000000", event);
	if (strncmp(text, begin, strlen(begin)) != 0 || !strstr(text, part) || end[-1] != '}')
		fail_msg("'%s' instead of %s with %s", text, event, part);
}

static void expect_no_line(void)
{
	char byte;

	assert_int_equal(pread(x.fd, &byte, 1, x.at), 0);
}

static int begin(bool raw)
{
	static const char *const file = TEST_DATA "/recording/driftd.yaml";
	struct problems problems = { 0 };
	struct recorder_options o = { .raw = raw, .version = "v7" };
	struct source_options of = {
		.loop = fake_loop(), .notice = on_notice, .discovered = on_discovered, .ctx = &x.calls
	};
	struct err err;

	clock_set(INT64_C(1800000000) * 1000000, 1000 * S);
	x.limits = limits_of_a_loop();
	x.keys = key_table_new();
	x.calls = BUF_INIT(1 << 16);
	x.at = 0;
	x.fd = o.fd = memfd_create("recording", MFD_CLOEXEC);
	if (x.fd < 0 || cfg_load(&file, 1, &x.limits, x.keys, &x.cfg, &problems, &err) < 0)
		return -1;
	o.cfg = x.cfg;
	of.config = x.cfg->clusters;
	of.limits = &x.limits;
	return recorder_new(&o, &x.recorder, &err) < 0 ||
	       recorder_source(x.recorder)->open(recorder_source(x.recorder)->ctx, &of, &x.source, &err) < 0;
}

static int setup_raw(void **state)
{
	(void)state;
	return begin(true);
}

static int setup(void **state)
{
	(void)state;
	return begin(false);
}

static void note_closed(void *ctx)
{
	buf_add_cstr(ctx, "closed ");
}

static int teardown(void **state)
{
	(void)state;
	x.source->does->close(x.source, note_closed, &x.calls);
	fake_run();
	assert_true(str_has_suffix(buf_str(&x.calls), STR("closed ")));
	recorder_free(x.recorder);
	cfg_unref(x.cfg);
	key_table_free(x.keys);
	buf_done(&x.calls);
	return close(x.fd);
}

/* ---- objects ---- */

static void put(const char *kind, enum kc_event event, const char *json, const char *managed)
{
	struct json_options o = { .limits = &x.limits, .keys = x.keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;

	assert_int_equal(json_decode(str_from(json), &o, &doc, &err), 0);
	fake_event_managed(fake_watch(kind), event, doc, managed ? str_from(managed) : STR(""));
}

#define MAP(data)                                                                                                      \
	"{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\",\"namespace\":\"d\",\"uid\":"      \
	"\"1\"},"                                                                                                      \
	"\"data\":{" data "}}"

static void test_lines(void **state)
{
	static const struct kc_resource maps = { .group = "",
						 .version = "v1",
						 .kind = "ConfigMap",
						 .plural = "configmaps",
						 .namespaced = true,
						 .can_list = true,
						 .can_watch = true,
						 .rank = 2 },
					other = { .group = "e.x", .version = "v2", .kind = "W", .plural = "ws" };
	const struct feed_unknown doubt = { "y/v1", "mute" };
	const struct kc_notice notice = { .kind = KC_NOTICE_BAD_DATA, .resource = "r", .message = "bad" };
	struct source_watch *w;
	struct feed_watch *f;

	(void)state;
	expect_line("header", ",\"format\":1,\"driftd\":\"v7\",\"raw\":true,\"clusters\":[\"prod\"]}");
	assert_true(vec_push(&fake_client->offers, &maps) && vec_push(&fake_client->offers, &other));
	assert_true(vec_push(&fake_client->unknown_versions, doubt));
	fake_client->discovered(fake_client->ctx);
	expect_line("connection", ",\"c\":0,\"up\":true,\"discovered\":true,\"server\":\"");
	expect_line("discovery",
		    ",\"c\":0,\"kinds\":[{\"group\":\"\",\"version\":\"v1\",\"kind\":\"ConfigMap\",\"plural\":"
		    "\"configmaps\",\"namespaced\":true,\"watch\":true,\"rank\":2},{\"group\":\"e.x\",\"version\":"
		    "\"v2\",\"kind\":\"W\",\"plural\":\"ws\",\"namespaced\":false,\"watch\":false,\"rank\":0}],"
		    "\"doubts\":[{\"apiVersion\":\"y/v1\",\"why\":\"mute\"}]}");
	fake_client->notice(fake_client->ctx, &notice);
	expect_line("notice", ",\"resource\":\"r\",\"message\":\"bad\"}");
	expect_calls("discovered notice bad ");
	w = watch("ConfigMap");
	expect_line("watch",
		    ",\"c\":0,\"id\":0,\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"namespace\":\"\",\"name\":\"\"}");
	f = fake_watch("ConfigMap");
	f->counters.failures = 3;
	f->counters.last_heard_ns = 5;
	f->counters.proved_ns = 4;
	fake_state(f, KC_BACKOFF);
	expect_line(
		"state",
		",\"id\":0,\"state\":\"backoff\",\"resource\":\"ConfigMaps\",\"failures\":3,\"heard\":5,\"proved\":4,"
		"\"code\":5,\"why\":\"as the test wants it\"}");
	put("ConfigMap", KC_LISTED, MAP("\"a\":\"1\""), "[{\"manager\":\"k\"}]");
	expect_line("object", ",\"id\":0,\"event\":\"listed\",\"unchanged\":false,\"age\":");
	fake_synced(f);
	expect_line("synced", ",\"id\":0,\"reason\":0}");
	expect_line("state", ",\"state\":\"watching\",");
	f->counters.caught_up_ns = 7;
	put("ConfigMap", KC_MODIFIED, MAP("\"a\":\"1\""), NULL);
	expect_line("object", ",\"caught_up\":7,\"object\":");
	put("ConfigMap", KC_DELETED, MAP("\"a\":\"1\""), NULL);
	expect_line("object", ",\"event\":\"deleted\",\"unchanged\":false,");
	f->handler.access(f->ctx, 6);
	expect_line("access", ",\"id\":0,\"denied\":6}");
	expect_calls("backoff! synced 0 watching denied 6 "); /* no objects: nobody stores them */
	assert_string_equal(x.source->does->watch_resource(x.source, w), "ConfigMaps");
	assert_int_equal(x.source->does->watch_counters(x.source, w)->failures, 3);
	x.source->does->watch_remove(x.source, w);
	expect_line("unwatch", ",\"id\":0}");
	assert_null(fake_watch("ConfigMap"));
	(void)watch("Pod");
	expect_line("watch", ",\"id\":1,");
	expect_no_line();
}

static void test_time(void **state)
{
	uint64_t lines;

	(void)state;
	expect_line("header", "\"raw\":false");
	recorder_tick(x.recorder);
	expect_line("connection", "\"up\":true");
	recorder_tick(x.recorder);
	expect_no_line();
	fake_client->down = true;
	recorder_tick(x.recorder);
	expect_line("connection", "\"up\":false");
	lines = recorder_lines(x.recorder);
	assert_int_equal(lines, 3);
	clock_set(INT64_C(1800000000) * 1000000, 1010 * S - 1);
	recorder_tick(x.recorder);
	assert_int_equal(recorder_lines(x.recorder), lines);
	clock_set(INT64_C(1800000000) * 1000000, 1010 * S);
	recorder_tick(x.recorder);
	assert_int_equal(recorder_lines(x.recorder), lines + 1);
	recorder_end(x.recorder);
	assert_int_equal(recorder_lines(x.recorder), lines + 2);
	recorder_tick(x.recorder);
	fake_client->down = false;
	recorder_tick(x.recorder); /* nothing is behind the end */
	assert_int_equal(recorder_lines(x.recorder), lines + 2);
	assert_null(recorder_error(x.recorder));
}

/* An object that a definition defines makes discovery look again, and no other. */
static void test_definitions(void **state)
{
	(void)state;
	(void)watch("CustomResourceDefinition");
	(void)watch("ConfigMap");
	put("CustomResourceDefinition", KC_ADDED,
	    "{\"kind\":\"CustomResourceDefinition\",\"metadata\":{\"name\":\"ws.e.x\"}}", NULL);
	assert_int_equal(fake_client->rediscoveries, 1);
	put("ConfigMap", KC_ADDED, MAP(""), NULL);
	assert_int_equal(fake_client->rediscoveries, 1);
}

/* What the keys are for: a list that lacks an object is a deletion. */
static void test_known(void **state)
{
	struct kc_known known;
	struct feed_watch *f;

	(void)state;
	(void)watch("ConfigMap");
	f = fake_watch("ConfigMap");
	assert_false(f->handler.find(f->ctx, STR("d/m"), &known));
	put("ConfigMap", KC_ADDED, MAP(""), NULL);
	assert_true(f->handler.find(f->ctx, STR("d/m"), &known));
	fake_state(f, KC_ABSENT);
	assert_false(f->handler.find(f->ctx, STR("d/m"), &known));
}

static void test_values_are_hidden(void **state)
{
	char text[8192];
	ssize_t n;

	(void)state;
	(void)watch("Secret");
	put("Secret", KC_ADDED,
	    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"namespace\":\"d\"},"
	    "\"data\":{\"k\":\"aHVudGVyMg==\"}}",
	    "[{\"manager\":\"k\",\"fieldsV1\":{\"f:data\":{\"v:\\\"hunter2\\\"\":{}}}}]");
	n = pread(x.fd, text, sizeof(text) - 1, 0);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, "\"k\":\""));
	assert_null(strstr(text, "aHVudGVyMg"));
	assert_null(strstr(text, "hunter2"));
}

/* It cannot be written any more: that is said, and nothing follows. */
static void test_full(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	struct recorder_options o = { .fd = fd, .cfg = x.cfg, .version = "v7" };
	struct recorder *r = NULL;
	struct err err;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(recorder_new(&o, &r, &err), -ENOSPC);
	assert_null(r);
	close(fd);
}

static void test_replayed(void **state)
{
	struct replay_summary s;
	struct err err;
	FILE *from;

	(void)state;
	fake_client->discovered(fake_client->ctx);
	(void)watch("ConfigMap");
	(void)watch("Service");
	put("ConfigMap", KC_LISTED, MAP("\"bad\":\"1\""), NULL);
	fake_synced(fake_watch("ConfigMap"));
	fake_synced(fake_watch("Service"));
	clock_set(INT64_C(1800000003) * 1000000, 1003 * S);
	put("ConfigMap", KC_DELETED, MAP(""), NULL);
	recorder_end(x.recorder);
	from = fdopen(dup(x.fd), "r");
	assert_non_null(from);
	rewind(from);
	assert_int_equal(replay_run(from, x.cfg, &x.limits, x.keys, NULL, CFG_OUTPUT_JSON, &s, &err), 0);
	(void)fclose(from);
	assert_int_equal(s.damage.code, 0);
	assert_int_equal(s.unrecorded, 0);
	assert_int_equal(s.reported.begins, 1);
	assert_int_equal(s.reported.ends, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines, setup_raw, teardown),
		cmocka_unit_test_setup_teardown(test_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_definitions, setup_raw, teardown),
		cmocka_unit_test_setup_teardown(test_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values_are_hidden, setup, teardown),
		cmocka_unit_test_setup_teardown(test_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replayed, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
