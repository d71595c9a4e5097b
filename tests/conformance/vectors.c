/* driftd-vectors: run a corpus of expected results through the engine. See README.md. */
#include "suites.h"

#include "base/file.h"
#include "base/strmap.h"
#include "value/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define FILE_MAX (256u << 20)
#define TEXT_MAX (64u << 20)
#define SHOWN_MAX 300

struct run {
	const struct suite *suite;
	bool verbose;
	unsigned passed, failed, skipped, texts_same, texts_other;
	struct strmap reasons; /* skip reason -> count */
	struct arena arena;
	struct key_table *keys;
	struct limits limits;
};

void verdict_fail(struct verdict *v, str expected, str got)
{
	v->outcome = FAILED;
	buf_clear(&v->expected);
	buf_clear(&v->got);
	buf_add_str(&v->expected, expected);
	buf_add_str(&v->got, got);
}

void verdict_failf(struct verdict *v, str expected, const char *got_fmt, ...)
{
	char got[1024];
	va_list ap;

	va_start(ap, got_fmt);
	(void)vsnprintf(got, sizeof(got), got_fmt, ap);
	va_end(ap);
	verdict_fail(v, expected, str_from(got));
}

void verdict_skip(struct verdict *v, const char *reason)
{
	v->outcome = SKIPPED;
	(void)snprintf(v->reason, sizeof(v->reason), "%s", reason);
}

void verdict_text(struct verdict *v, str expected, str got)
{
	if (!str_eq(expected, got))
		verdict_fail(v, expected, got);
}

void verdict_error_text(struct verdict *v, str expected, str got)
{
	if (str_eq(expected, got))
		v->texts_same++;
	else
		v->texts_other++;
}

static int base64_digit(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool base64_decode(str s, struct arena *a, str *ret)
{
	char *out = arena_alloc(a, s.n / 4 * 3 + 3);
	unsigned bits = 0, held = 0;
	size_t n = 0;

	while (s.n > 0 && s.p[s.n - 1] == '=')
		s.n--;
	for (size_t i = 0; i < s.n; i++) {
		int digit = base64_digit(s.p[i]);

		if (digit < 0 || !out)
			return false;
		held = held << 6 | (unsigned)digit;
		bits += 6;
		if (bits >= 8)
			out[n++] = (char)(held >> (bits -= 8));
	}
	*ret = (str){ out, n };
	return out != NULL;
}

val line_text(val line, const char *name, struct verdict *v)
{
	val plain = val_get(line, str_from(name)), encoded;
	str name_b64 = arena_printf(v->arena, "%s_b64", name), bytes;

	if (val_exists(plain))
		return plain;
	encoded = val_get(line, name_b64);
	if (!val_is_string(encoded) || !base64_decode(val_str(encoded), v->arena, &bytes))
		return (val){ 0 };
	return val_string(bytes);
}

static void print_cut(str s, bool whole)
{
	size_t n = whole || s.n <= SHOWN_MAX ? s.n : SHOWN_MAX;

	for (size_t i = 0; i < n; i++) {
		if (s.p[i] == '\n' && !whole)
			fputs("\\n", stdout);
		else
			putchar(s.p[i]);
	}
	if (n < s.n)
		fputs("…", stdout);
}

static void count_reason(struct run *run, const char *reason)
{
	uintptr_t n = (uintptr_t)strmap_get(&run->reasons, str_from(reason));

	if (!strmap_put(&run->reasons, str_from(reason), (void *)(n + 1), NULL))
		abort();
}

static void account(struct run *run, str id, const struct verdict *v)
{
	run->texts_same += v->texts_same;
	run->texts_other += v->texts_other;
	switch (v->outcome) {
	case PASSED:
		run->passed++;
		break;
	case SKIPPED:
		run->skipped++;
		count_reason(run, v->reason);
		break;
	case FAILED:
		run->failed++;
		printf("FAIL %.*s: expected ", STR_ARG(id));
		print_cut(buf_str(&v->expected), run->verbose);
		fputs(", got ", stdout);
		print_cut(buf_str(&v->got), run->verbose);
		putchar('\n');
	}
}

static void judge_line(struct run *run, str text, struct verdict *v)
{
	struct json_options o = { .limits = &run->limits, .keys = run->keys, .nul_in_keys = true };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;
	str id = STR("(unreadable line)");

	if (json_decode(text, &o, &doc, &err) < 0) {
		verdict_fail(v, STR("a JSON object"), str_from(err.msg));
	} else {
		id = val_str(VAL_GET(doc->root, "id"));
		run->suite->judge(doc->root, v);
	}
	account(run, id, v);
}

static void reset(struct run *run, struct verdict *v)
{
	arena_reset(&run->arena);
	buf_clear(&v->expected);
	buf_clear(&v->got);
	v->outcome = PASSED;
	v->texts_same = v->texts_other = 0;
}

/* A file without a case is an error: whoever names one wants something of it judged. */
static int run_file(struct run *run, const char *path, struct verdict *v, struct err *err)
{
	CLEANUP(freep) char *content = NULL;
	size_t len, cases = 0;
	str rest, line;
	int r = file_read(path, FILE_MAX, &content, &len, err);

	if (r < 0)
		return r;
	rest = (str){ content, len };
	while (str_next_part(&rest, '\n', &line)) {
		if (str_trim(line).n == 0)
			continue;
		reset(run, v);
		judge_line(run, line, v);
		cases++;
	}
	return cases > 0 ? 0 : err_set(err, EINVAL, "'%s': no case", path);
}

static int run_path(struct run *run, const char *path, struct verdict *v, struct err *err)
{
	if (!run->suite->judge_dir)
		return run_file(run, path, v, err);
	reset(run, v);
	run->suite->judge_dir(path, v);
	account(run, str_from(path), v);
	return 0;
}

static void summary(const struct run *run)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&run->reasons, &at)))
		printf("skipped, %s: %zu\n", e->key, (size_t)e->value);
	if (run->texts_same || run->texts_other)
		printf("error texts: %u same, %u other\n", run->texts_same, run->texts_other);
	printf("%u passed, %u failed, %u skipped\n", run->passed, run->failed, run->skipped);
}

static const struct suite *find_suite(const char *name)
{
	for (size_t i = 0; i < n_suites; i++) {
		if (strcmp(suites[i].name, name) == 0)
			return &suites[i];
	}
	return NULL;
}

static int usage(void)
{
	fputs("usage: driftd-vectors [-v] SUITE FILE...\nsuites:", stderr);
	for (size_t i = 0; i < n_suites; i++)
		fprintf(stderr, " %s", suites[i].name);
	fputc('\n', stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct run run = { .limits = LIMITS_DEFAULT };
	struct verdict v = { .expected = BUF_INIT(TEXT_MAX), .got = BUF_INIT(TEXT_MAX) };
	struct err err;
	int at = 1, status;

	run.limits.object_bytes = FILE_MAX;
	run.limits.depth = 20000; /* corpora test depth limits of their own */
	run.verbose = argc > at && strcmp(argv[at], "-v") == 0;
	at += run.verbose;
	if (argc < at + 2 || !(run.suite = find_suite(argv[at])))
		return usage();
	run.keys = key_table_new();
	if (!run.keys)
		return 1;
	arena_init(&run.arena, 1u << 16, 0);
	v.arena = &run.arena;
	v.keys = run.keys;
	v.limits = &run.limits;
	for (at++; at < argc; at++) {
		if (run_path(&run, argv[at], &v, &err) < 0) {
			reset(&run, &v);
			verdict_fail(&v, STR("cases"), str_from(err.msg));
			account(&run, str_from(argv[at]), &v);
		}
	}
	if (run.passed + run.failed == 0) {
		printf("FAIL %s: expected cases, got none\n", run.suite->name);
		run.failed++;
	}
	summary(&run);
	status = run.failed > 0;
	buf_done(&v.expected);
	buf_done(&v.got);
	strmap_done(&run.reasons);
	arena_done(&run.arena);
	key_table_free(run.keys);
	return status;
}
