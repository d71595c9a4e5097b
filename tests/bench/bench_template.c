/* bench_template REFERENCE_DIR OBJECTS_DIR: what rendering costs.
 *
 * Every template below REFERENCE_DIR that has an object of the same relative path below OBJECTS_DIR is rendered with
 * that object as dot, next to copying the same output and to an empty template; then common functions are called in a
 * loop, next to a loop that only assigns a variable. The ratios are the figures; the rest says what this machine is.
 * Allocations are counted by wrapping malloc, calloc and realloc. */
#include "base/file.h"
#include "base/vec.h"
#include "template/fn/library.h"
#include "template/tmpl.h"
#include "value/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

#define ROUNDS 5
#define ROUND_NS 100000000u
#define CALLS 1000 /* in one execution of a function's loop */
#define PATH_SIZE 4096
#define DEPTH 16

/* ---- counting ---- */

static struct {
	uint64_t calls, bytes;
} counted;

void *__real_malloc(size_t n);
void *__real_calloc(size_t count, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t count, size_t n);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	counted.calls++;
	counted.bytes += n;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t count, size_t n)
{
	counted.calls++;
	counted.bytes += count * n;
	return __real_calloc(count, n);
}

void *__wrap_realloc(void *p, size_t n)
{
	counted.calls++;
	counted.bytes += n;
	return __real_realloc(p, n);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Nanoseconds of one run(), the best of some rounds. */
static double best_of(void (*run)(void *), void *ctx)
{
	double best = 0;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t from = now_ns(), took;
		size_t n = 0;
		double each;

		do {
			run(ctx);
			n++;
			took = now_ns() - from;
		} while (took < ROUND_NS);
		each = (double)took / (double)n;
		best = i == 0 || each < best ? each : best;
	}
	return best;
}

/* ---- a template with its dot ---- */

struct job {
	struct tmpl *t;
	struct doc *doc;
	struct buf out;
};

typedef VEC(struct job) jobs;
static struct limits limits;

static int render(struct job *j, struct err *err)
{
	struct tmpl_env env = { .limits = &limits };

	buf_clear(&j->out);
	return tmpl_execute(j->t, j->doc ? j->doc->root : val_map_sorted(NULL, 0), &env, &j->out, err);
}

static void run_job(void *ctx)
{
	struct err err;

	if (render(ctx, &err) < 0)
		fprintf(stderr, "%s\n", err.msg);
}

static void run_all(void *ctx)
{
	jobs *all = ctx;

	for (size_t i = 0; i < all->n; i++)
		run_job(&all->p[i]);
}

/* What no renderer can do without: the output, put where it goes. */
static void copy_all(void *ctx)
{
	CLEANUP(buf_done) struct buf to = BUF_INIT(64u << 20);
	jobs *all = ctx;

	for (size_t i = 0; i < all->n; i++) {
		buf_clear(&to);
		buf_add_str(&to, buf_str(&all->p[i].out));
	}
}

static bool parse(const char *text, struct job *ret)
{
	struct tmpl_source s = { STR("bench.yaml"), str_from(text) };
	struct err err;

	*ret = (struct job){ .out = BUF_INIT(64u << 20) };
	if (tmpl_parse(&s, 1, &tmpl_library, &limits, &ret->t, NULL, &err) == 0)
		return true;
	fprintf(stderr, "%s\n", err.msg);
	return false;
}

/* ---- the templates of a reference ---- */

struct source {
	char *name;
	char *text;
	size_t n;
};

struct reference {
	const char *root, *objects;
	VEC(struct source) helpers; /* *.tmpl */
	VEC(struct source) templates;
	jobs jobs;
	size_t skipped;
};

static bool add_source(struct reference *r, const char *relative, const char *path)
{
	struct source s = { 0 };
	struct err err;
	bool helper = str_has_suffix(str_from(relative), STR(".tmpl"));

	if (!helper && !str_has_suffix(str_from(relative), STR(".yaml")))
		return true;
	if (file_read(path, limits.file_bytes, &s.text, &s.n, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return false;
	}
	s.name = strdup(relative);
	return helper ? vec_push(&r->helpers, s) : vec_push(&r->templates, s);
}

static bool read_folder(struct reference *r, const char *relative, int depth)
{
	char path[PATH_SIZE], child[PATH_SIZE];
	const struct dirent *e;
	bool ok = true;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s", r->root, relative) >= (int)sizeof(path))
		return false;
	dir = depth < DEPTH ? opendir(path) : NULL;
	if (!dir)
		return add_source(r, relative, path);
	while (ok && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		ok = snprintf(child, sizeof(child), "%s%s%s", relative, *relative ? "/" : "", e->d_name) <
			     (int)sizeof(child) &&
		     read_folder(r, child, depth + 1);
	}
	closedir(dir);
	return ok;
}

/* The template with the helpers, if it has an object and renders. */
static bool add_job(struct reference *r, const struct source *s)
{
	struct job j = { .out = BUF_INIT(64u << 20) };
	struct tmpl_source sources[32] = { { str_from(s->name), { s->text, s->n } } };
	struct yaml_options o = { .limits = &limits };
	CLEANUP(freep) char *text = NULL;
	char path[PATH_SIZE];
	size_t n = 1, size;
	struct err err;

	for (size_t i = 0; i < r->helpers.n && n < ARRAY_LEN(sources); i++)
		sources[n++] = (struct tmpl_source){ str_from(r->helpers.p[i].name),
						     { r->helpers.p[i].text, r->helpers.p[i].n } };
	(void)snprintf(path, sizeof(path), "%s/%s", r->objects, s->name);
	if (file_read(path, limits.object_bytes, &text, &size, &err) == 0 &&
	    yaml_decode((str){ text, size }, &o, &j.doc, &err) == 0 &&
	    tmpl_parse(sources, n, &tmpl_library, &limits, &j.t, NULL, &err) == 0 && render(&j, &err) == 0)
		return vec_push(&r->jobs, j);
	r->skipped++;
	tmpl_free(j.t);
	doc_unref(j.doc);
	buf_done(&j.out);
	return true;
}

static void free_job(struct job *j)
{
	tmpl_free(j->t);
	doc_unref(j->doc);
	buf_done(&j->out);
}

static void free_reference(struct reference *r)
{
	for (size_t i = 0; i < r->jobs.n; i++)
		free_job(&r->jobs.p[i]);
	for (size_t i = 0; i < r->helpers.n; i++) {
		free(r->helpers.p[i].name);
		free(r->helpers.p[i].text);
	}
	for (size_t i = 0; i < r->templates.n; i++) {
		free(r->templates.p[i].name);
		free(r->templates.p[i].text);
	}
	vec_done(&r->helpers);
	vec_done(&r->templates);
	vec_done(&r->jobs);
}

static bool bench_reference(const char *root, const char *objects)
{
	struct reference r = { .root = root, .objects = objects };
	double all, copy, empty;
	size_t bytes = 0;
	struct job nothing;
	bool ok = read_folder(&r, "", 0) && parse("", &nothing);

	for (size_t i = 0; ok && i < r.templates.n; i++)
		ok = add_job(&r, &r.templates.p[i]);
	if (!ok || r.jobs.n == 0) {
		fprintf(stderr, "%s: no templates with objects in %s\n", root, objects);
		return false;
	}
	for (size_t i = 0; i < r.jobs.n; i++)
		bytes += r.jobs.p[i].out.n;
	all = best_of(run_all, &r.jobs) / (double)r.jobs.n;
	copy = best_of(copy_all, &r.jobs) / (double)r.jobs.n;
	empty = best_of(run_job, &nothing);
	counted.calls = counted.bytes = 0;
	run_all(&r.jobs);
	printf("%zu templates (%zu without an object, or not rendering with it), %zu bytes of output on average\n",
	       r.jobs.n, r.skipped, bytes / r.jobs.n);
	printf("render: %.0f a second, %.2f us each; %.1f x an empty template, %.1f x copying the output\n", 1e9 / all,
	       all / 1e3, all / empty, all / copy);
	printf("memory: %.0f bytes in %.1f allocations a render\n", (double)counted.bytes / (double)r.jobs.n,
	       (double)counted.calls / (double)r.jobs.n);
	free_job(&nothing);
	free_reference(&r);
	return true;
}

/* ---- functions ---- */

#define LOOP(before, call) before "{{ range 1000 }}{{ $_ := " call " }}{{ end }}"
#define DATA                                                                                                           \
	"{{ $m := dict \"name\" \"a\" \"labels\" (dict \"app\" \"x\" \"tier\" \"y\") \"ports\" (list 80 443) }}"       \
	"{{ $l := list \"a\" \"b\" \"c\" }}{{ $s := \"one\\ntwo\\nthree\" }}{{ $n := 7 }}"

static const struct {
	const char *name, *text;
} functions[] = {
	{ "eq", LOOP(DATA, "eq $n 7") },
	{ "eq strings", LOOP(DATA, "eq \"a\" \"b\"") },
	{ "and", LOOP(DATA, "and $n $s") },
	{ "not", LOOP(DATA, "not $n") },
	{ "field .a.b", LOOP(DATA, "$m.labels.app") },
	{ "index", LOOP(DATA, "index $m \"labels\" \"app\"") },
	{ "len", LOOP(DATA, "len $l") },
	{ "default", LOOP(DATA, "default \"x\" $s") },
	{ "hasKey", LOOP(DATA, "hasKey $m \"labels\"") },
	{ "get", LOOP(DATA, "get $m \"name\"") },
	{ "dict", LOOP(DATA, "dict \"a\" 1 \"b\" 2") },
	{ "list", LOOP(DATA, "list 1 2 3") },
	{ "has", LOOP(DATA, "has \"c\" $l") },
	{ "append", LOOP(DATA, "append $l \"d\"") },
	{ "printf", LOOP(DATA, "printf \"%s-%d\" \"a\" $n") },
	{ "quote", LOOP(DATA, "quote $s") },
	{ "upper", LOOP(DATA, "upper \"abc\"") },
	{ "trim", LOOP(DATA, "trim \" abc \"") },
	{ "replace", LOOP(DATA, "replace \"o\" \"0\" $s") },
	{ "contains", LOOP(DATA, "contains \"two\" $s") },
	{ "join", LOOP(DATA, "join \",\" $l") },
	{ "splitList", LOOP(DATA, "splitList \",\" \"a,b,c\"") },
	{ "indent", LOOP(DATA, "indent 4 $s") },
	{ "toYaml", LOOP(DATA, "toYaml $m") },
	{ "toYaml | indent", LOOP(DATA, "toYaml $m | nindent 4") },
	{ "fromYaml", LOOP(DATA, "fromYaml \"a: 1\\nb: [x, y]\"") },
	{ "toJson", LOOP(DATA, "toJson $m") },
	{ "fromJson", LOOP(DATA, "fromJson \"{\\\"a\\\":1}\"") },
	{ "int", LOOP(DATA, "int \"12\"") },
	{ "add", LOOP(DATA, "add $n 1") },
	{ "kindOf", LOOP(DATA, "kindOf $m") },
	{ "regexMatch", LOOP(DATA, "regexMatch \"^[a-z]+-[0-9]+$\" \"node-12\"") },
	{ "regexMatch of a variable", LOOP(DATA "{{ $p := \"^[a-z]+-[0-9]+$\" }}", "regexMatch $p \"node-12\"") },
	{ "regexReplaceAll", LOOP(DATA, "regexReplaceAll \"o(.)\" $s \"${1}0\"") },
	{ "semverCompare", LOOP(DATA, "semverCompare \">=1.2\" \"1.3.0\"") },
	{ "sha256sum", LOOP(DATA, "sha256sum $s") },
};

static bool time_loop(const char *text, double *ns, double *bytes)
{
	struct job j;
	bool ok = parse(text, &j);

	if (ok) {
		*ns = best_of(run_job, &j) / CALLS;
		counted.bytes = 0;
		run_job(&j);
		*bytes = (double)counted.bytes / CALLS;
	}
	free_job(&j);
	return ok;
}

static bool bench_functions(void)
{
	double base, base_bytes, ns, bytes;

	if (!time_loop(LOOP(DATA, "$n"), &base, &base_bytes))
		return false;
	printf("one turn of a loop that assigns a variable: %.1f ns\n%-26s %10s %12s %14s\n", base, "function",
	       "ns a call", "x the turn", "bytes a call");
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		if (!time_loop(functions[i].text, &ns, &bytes))
			return false;
		printf("%-26s %10.1f %12.2f %14.0f\n", functions[i].name, ns - base, (ns - base) / base,
		       bytes - base_bytes);
	}
	return true;
}

int main(int argc, char **argv)
{
	limits = LIMITS_DEFAULT;
	if (argc == 3 && !bench_reference(argv[1], argv[2]))
		return 1;
	if (argc != 3 && argc != 1) {
		fprintf(stderr, "usage: %s [REFERENCE_DIR OBJECTS_DIR]\n", argv[0]);
		return 2;
	}
	return bench_functions() ? 0 : 1;
}
