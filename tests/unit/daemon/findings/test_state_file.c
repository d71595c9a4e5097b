/* The state file: what survives, what is set aside. */
#include "daemon/findings/state_file.h"

#include "base/file.h"
#include "support/capture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

struct fixture {
	char dir[64], path[96], bad[96];
	struct capture capture;
	struct sink *sink;
	struct findings *findings, *again;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct err err;

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/driftd-state-XXXXXX");
	if (!mkdtemp(x->dir) || !capture_begin(&x->capture) || sink_new(CFG_OUTPUT_JSON, &x->sink, &err) < 0)
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/state.json", x->dir);
	(void)snprintf(x->bad, sizeof(x->bad), "%s/state.json.bad", x->dir);
	return findings_new(x->sink, NULL, &x->findings, &err) < 0 || findings_new(x->sink, NULL, &x->again, &err) < 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	findings_free(x->findings);
	findings_free(x->again);
	sink_free(x->sink);
	capture_end(&x->capture);
	unlink(x->path);
	unlink(x->bad);
	rmdir(x->dir);
	free(x);
	return 0;
}

static void report(struct findings *f, enum finding_kind kind, const char *name, const char *path)
{
	const struct finding_path paths[] = { { str_from(path), STR("secret-1"), STR("secret-2") },
					      { STR("b[\"x y\"]"), STR("1"), STR("2") } };
	struct finding_report r = {
		.kind = kind,
		.severity = SEVERITY_ERROR,
		.subject = { .cluster = STR("prod \"x\""),
			     .reference = STR("base"),
			     .part = STR("p"),
			     .component = str_from(name),
			     .template_path = STR("t.yaml"),
			     .api_version = STR("v1"),
			     .kind = STR("ConfigMap"),
			     .namespace = STR("n"),
			     .name = str_from(name),
			     .uid = STR("u-1"),
			     .resource = STR("configmaps") },
		.what = STR("w"),
		.state = STR("state"),
		.paths = paths,
		.n_paths = 2,
		.n_paths_total = 2,
	};
	struct err err;

	assert_int_equal(findings_report(f, &r, &err), 0);
}

static const struct finding *find(const struct findings *f, enum finding_kind kind, str name)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(f, &at))) {
		if (x->kind == kind && str_eq(x->subject.name, name))
			return x;
	}
	return NULL;
}

static size_t count(const struct findings *f)
{
	size_t at = 0, n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static void write_state(const struct fixture *x, const char *text)
{
	FILE *f = fopen(x->path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void test_there_and_back(void **state)
{
	struct fixture *x = *state;
	const struct finding *f;
	struct err err;
	size_t at = 0;

	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		report(x->findings, (enum finding_kind)kind, "one", "metadata.labels[\"a\"]");
		report(x->findings, (enum finding_kind)kind, "\xC3\xA9", "spec");
	}
	assert_int_equal(state_file_save(x->dir, x->findings, &err), 0);
	assert_int_equal(state_file_load(x->dir, x->again, &err), 0);
	assert_int_equal(count(x->again), 2 * FINDING_KINDS);
	while ((f = findings_each(x->findings, &at))) {
		const struct finding *g = find(x->again, f->kind, f->subject.name);

		assert_non_null(g);
		assert_int_equal(g->severity, f->severity);
		assert_string_equal(g->id, f->id);
		assert_string_equal(g->state_hash, f->state_hash);
		assert_int_equal(g->first_seen_usec, f->first_seen_usec);
		assert_true(g->announced && !g->confirmed);
		assert_true(str_eq(g->paths, f->paths));
		assert_true(str_eq(g->subject.cluster, f->subject.cluster));
		assert_true(str_eq(g->subject.component, f->subject.component));
		assert_true(str_eq(g->subject.uid, f->subject.uid));
		assert_true(str_eq(g->subject.resource, f->subject.resource));
		assert_true(str_eq(g->subject.template_path, f->subject.template_path));
	}
	(void)capture_count(&x->capture);
	report(x->again, FINDING_DRIFT, "one", "metadata.labels[\"a\"]");
	assert_int_equal(capture_count(&x->capture), 0); /* known: no record */
}

static void test_the_file_is_private_and_holds_no_values(void **state)
{
	struct fixture *x = *state;
	CLEANUP(freep) char *text = NULL;
	struct stat st;
	struct err err;
	size_t n;

	report(x->findings, FINDING_DRIFT, "one", "data.password");
	assert_int_equal(state_file_save(x->dir, x->findings, &err), 0);
	assert_int_equal(stat(x->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(file_read(x->path, 1u << 20, &text, &n, &err), 0);
	assert_non_null(strstr(text, "data.password"));
	assert_null(strstr(text, "secret-"));
	assert_int_equal(state_file_save(x->dir, x->again, &err), 0); /* replaced, not appended to */
	assert_int_equal(state_file_load(x->dir, x->findings, &err), 0);
	assert_int_equal(count(x->findings), 1);
}

static void test_no_file_is_an_empty_state(void **state)
{
	struct fixture *x = *state;
	struct err err;

	assert_int_equal(state_file_load(x->dir, x->again, &err), 0);
	assert_int_equal(count(x->again), 0);
	assert_int_equal(state_file_load("/nowhere/at/all", x->again, &err), 0);
	assert_int_equal(state_file_save("/nowhere/at/all", x->again, &err), -ENOENT);
}

#define ID "0123456789abcdef0123456789abcdef"
#define GOOD                                                                                                           \
	"{\"finding\":0,\"severity\":3,\"id\":\"" ID "\",\"state\":\"" ID                                              \
	"\",\"firstSeenUsec\":1,\"announced\":true,\"name\":\"a\"}"

static void test_an_unreadable_state_is_set_aside(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{}",
		"{\"version\":2,\"findings\":[]}",
		"{\"version\":1}",
		"{\"version\":1,\"findings\":{}}",
		"{\"version\":1,\"findings\":[" GOOD ",1]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":9,\"severity\":3,\"id\":\"" ID "\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":0,\"severity\":7,\"id\":\"" ID "\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD ",{\"finding\":0,\"severity\":3,\"id\":\"short\",\"state\":\"" ID
		"\"}]}",
		"{\"version\":1,\"findings\":[" GOOD "]} x",
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err err = { 0 };

		write_state(x, texts[i]);
		assert_int_equal(state_file_load(x->dir, x->again, &err), -EBADMSG);
		assert_non_null(strstr(err.msg, "is set aside as"));
		assert_int_equal(count(x->again), 0); /* nothing of it stays */
		assert_int_equal(access(x->path, F_OK), -1);
		assert_int_equal(access(x->bad, F_OK), 0);
	}
	write_state(x, "{\"version\":1,\"findings\":[" GOOD "]}");
	assert_int_equal(state_file_load(x->dir, x->again, &(struct err){ 0 }), 0);
	assert_int_equal(count(x->again), 1);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_there_and_back),
		TEST(test_the_file_is_private_and_holds_no_values),
		TEST(test_no_file_is_an_empty_state),
		TEST(test_an_unreadable_state_is_set_aside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
