/* bench_json FILE...: throughput of the JSON decoder beside jansson's on the same texts, and their ratio.
 * bench_json --decode FILE: seconds of processor time to decode the objects of lists, one list on each line, as the
 * daemon does: without managedFields.
 *
 * Each text is decoded for about a second by each, in alternation, and the best round counts: the ratio is the figure,
 * the megabytes per second only say what this machine is. */
#include "base/file.h"
#include "value/json.h"
#include "value/object_text.h"

#include <jansson.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 5
#define ROUND_NS 200000000u

static const char *const managed_fields[] = { "metadata", "managedFields", NULL };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void with_jansson(str text, void *ctx)
{
	(void)ctx;
	json_decref(json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL));
}

static void with_driftd(str text, void *ctx)
{
	struct doc *doc = NULL;
	struct err err;

	if (json_decode(text, ctx, &doc, &err) < 0)
		fprintf(stderr, "%s\n", err.msg);
	doc_unref(doc);
}

/* Bytes per second of one round. */
static double round_of(str text, void (*decode)(str, void *), void *ctx)
{
	uint64_t from = now_ns(), took;
	size_t n = 0;

	do {
		decode(text, ctx);
		n++;
		took = now_ns() - from;
	} while (took < ROUND_NS);
	return (double)n * (double)text.n * 1e9 / (double)took;
}

static void compare(const char *path, str text, struct key_table *keys)
{
	struct limits limits = LIMITS_DEFAULT;
	str raw;
	struct json_skip skip = { .path = managed_fields, .raw = &raw };
	struct json_options all = { .limits = &limits, .keys = keys };
	struct json_options kept = { .limits = &limits, .keys = keys, .skips = &skip, .n_skips = 1 };
	double jansson = 0, whole = 0, daemon = 0;

	limits.object_bytes = text.n;
	for (int i = 0; i < ROUNDS; i++) {
		double j = round_of(text, with_jansson, NULL), w = round_of(text, with_driftd, &all),
		       d = round_of(text, with_driftd, &kept);

		jansson = j > jansson ? j : jansson;
		whole = w > whole ? w : whole;
		daemon = d > daemon ? d : daemon;
	}
	printf("%s: %zu bytes: jansson %.1f MB/s, driftd %.1f MB/s (%.1f x), as the daemon decodes %.1f MB/s (%.1f "
	       "x)\n",
	       path, text.n, jansson / 1e6, whole / 1e6, whole / jansson, daemon / 1e6, daemon / jansson);
}

/* ---- lists ---- */

static int decode_list(str text, const struct limits *limits, struct key_table *keys, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct json_options o = { .limits = limits, .keys = keys };
	struct json_list *walk = json_list_new(text, &o, &a);
	str item, managed;
	val rest;
	int r = walk ? 1 : err_nomem(err);

	while (r > 0 && (r = json_list_next(walk, &item, &rest, err)) > 0) {
		struct doc *d = NULL;

		if (object_decode(item, limits, keys, NULL, &d, &managed, err) < 0)
			r = -err->code;
		doc_unref(d);
	}
	json_list_free(walk);
	return r;
}

static int decode_lists(str text, struct key_table *keys)
{
	struct limits limits = LIMITS_DEFAULT;
	struct timespec from, to;
	struct err err;
	str line;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	while (text.n && str_next_part(&text, '\n', &line)) {
		if (line.n && decode_list(line, &limits, keys, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%.3f\n", (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	bool lists = argc == 3 && strcmp(argv[1], "--decode") == 0;
	int r = 0;

	for (int i = 1 + lists; i < argc && keys && r == 0; i++) {
		CLEANUP(freep) char *text = NULL;
		size_t n;
		struct err err;

		if (file_read(argv[i], (size_t)1 << 30, &text, &n, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			return 1;
		}
		if (lists)
			r = decode_lists((str){ text, n }, keys);
		else
			compare(argv[i], (str){ text, n }, keys);
	}
	return r;
}
