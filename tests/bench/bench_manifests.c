/* bench_manifests MANIFEST [COUNT]: a folder of COUNT (2000) copies of the manifest, each under its own name, as a
 * reference; and beside it the same objects as templates that ignore what they do not name. Printed are the time that
 * loading takes, the memory of the reference for each byte of text, and how many objects are judged in a second of
 * processor time, each with the ratio of the one to the other. The objects are the manifests themselves with what a
 * server adds to metadata. The best of several rounds counts. */
#include "base/file.h"
#include "config/cfg.h"
#include "manifest/manifest_reference.h"
#include "value/yaml.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 7
#define COUNT_DEFAULT 2000
#define NAME "name: "

static double cpu_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "bench_manifests: %s\n", what);
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		die(path);
}

/* ---- what is loaded ---- */

struct sample {
	char folder[64];
	char *text; /* of the manifest */
	size_t n, bytes;
	VEC(struct doc *) objects;
};

/* The manifest as the one of number @i: its first "name: " gets another value, and a namespace. */
static char *copy_of(const struct sample *s, size_t i)
{
	const char *at = strstr(s->text, NAME), *end = at ? strchr(at, '\n') : NULL;
	char *out = NULL;

	if (!end ||
	    asprintf(&out, "%.*s" NAME "object-%zu\n  namespace: shop%s", (int)(at - s->text), s->text, i, end) < 0)
		die("the manifest has no name");
	return out;
}

static void add_object(struct sample *s, const char *text, const struct limits *limits, struct key_table *keys)
{
	struct yaml_options o = { .limits = limits, .keys = keys };
	struct doc *doc;
	struct err err;

	if (yaml_decode(str_from(text), &o, &doc, &err) < 0 || !vec_push(&s->objects, doc))
		die("the manifest cannot be read");
}

static void write_all(struct sample *s, const struct limits *limits, struct key_table *keys)
{
	char path[128], meta[160];
	FILE *metadata;

	(void)snprintf(s->folder, sizeof(s->folder), "/tmp/bench_manifests.XXXXXX");
	if (!mkdtemp(s->folder))
		die("no folder");
	(void)snprintf(path, sizeof(path), "%s/m", s->folder);
	(void)mkdir(path, 0700);
	(void)snprintf(meta, sizeof(meta), "%s/metadata.yaml", s->folder);
	metadata = fopen(meta, "w");
	if (!metadata)
		die(meta);
	fputs("apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n", metadata);
	for (size_t i = 0; i < s->n; i++) {
		char *text = copy_of(s, i);

		(void)snprintf(path, sizeof(path), "%s/m/%05zu.yaml", s->folder, i);
		write_file(path, text);
		fprintf(metadata, "    - {path: m/%05zu.yaml, config: {ignore-unspecified-fields: true}}\n", i);
		s->bytes += strlen(text);
		add_object(s, text, limits, keys);
		free(text);
	}
	if (fclose(metadata) != 0)
		die(meta);
}

/* ---- measuring ---- */

static struct cfg *load(const char *config, const struct limits *limits, struct key_table *keys, double *took)
{
	struct problems problems = { 0 };
	struct cfg *cfg = NULL;
	struct err err;
	double from = cpu_now_s();

	if (cfg_load(&config, 1, limits, keys, &cfg, &problems, &err) < 0)
		die(problems.list.n ? problems.list.p[0] : err.msg);
	*took = cpu_now_s() - from;
	return cfg;
}

/* Objects for each second of processor time. */
static double judge_all(const struct sample *s, const struct matcher *m, const struct limits *limits,
			struct key_table *keys)
{
	struct compare_env env = { .limits = limits, .keys = keys };
	double from = cpu_now_s();

	for (size_t i = 0; i < s->objects.n; i++) {
		struct verdict v;
		struct err err;

		if (verdict_reach_of(matcher_reference(m))(m, s->objects.p[i]->root, &env, &v, &err) < 0 ||
		    v.state != VERDICT_COMPLIANT)
			die("an object is not compliant");
		verdict_done(&v);
	}
	return (double)s->objects.n / (cpu_now_s() - from);
}

struct figures {
	double load_s, bytes, judged;
};

static void measure(const struct sample *s, const char *entry, const struct limits *limits, struct key_table *keys,
		    struct figures *best)
{
	char config[128], text[256];
	struct figures f;

	(void)snprintf(config, sizeof(config), "%s/driftd.yaml", s->folder);
	(void)snprintf(text, sizeof(text), "references: [{name: r, %s}]\n", entry);
	write_file(config, text);
	for (int i = 0; i < ROUNDS; i++) {
		struct cfg *cfg = load(config, limits, keys, &f.load_s);
		struct matcher *m;
		struct err err;

		if (matcher_new(cfg->references[0].reference, &m, &err) < 0)
			die(err.msg);
		f.bytes = (double)cfg->references[0].reference->arena.used / (double)s->bytes;
		f.judged = judge_all(s, m, limits, keys);
		if (i == 0 || f.load_s < best->load_s)
			best->load_s = f.load_s;
		if (i == 0 || f.judged > best->judged)
			best->judged = f.judged;
		best->bytes = f.bytes;
		matcher_free(m);
		cfg_unref(cfg);
	}
}

static void remove_all(const struct sample *s)
{
	char command[128];

	(void)snprintf(command, sizeof(command), "rm -r '%s'", s->folder);
	if (system(command) != 0)
		die(s->folder);
}

int main(int argc, char **argv)
{
	struct limits limits = limits_of_a_loop();
	struct key_table *keys = key_table_new();
	struct figures manifests, templates;
	struct sample s = { .n = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : COUNT_DEFAULT };
	struct err err;
	size_t len;

	if (argc < 2 || !keys || file_read(argv[1], limits.file_bytes, &s.text, &len, &err) < 0)
		die("usage: bench_manifests MANIFEST [COUNT]");
	write_all(&s, &limits, keys);
	measure(&s, "manifests: m", &limits, keys, &manifests);
	measure(&s, "path: metadata.yaml", &limits, keys, &templates);
	printf("%zu objects, %zu bytes of text      manifests  templates  ratio\n", s.n, s.bytes);
	printf("loading, CPU s                     %9.3f  %9.3f  %5.2f\n", manifests.load_s, templates.load_s,
	       manifests.load_s / templates.load_s);
	printf("memory of the reference ÷ text     %9.2f\n", manifests.bytes);
	printf("judged in a CPU s                  %9.0f  %9.0f  %5.2f\n", manifests.judged, templates.judged,
	       manifests.judged / templates.judged);
	for (size_t i = 0; i < s.objects.n; i++)
		doc_unref(s.objects.p[i]);
	vec_done(&s.objects);
	key_table_free(keys);
	free(s.text);
	remove_all(&s);
	return 0;
}
