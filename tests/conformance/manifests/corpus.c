/* driftd-manifests CORPUS: each case of the corpus of manifests, and each object that nobody changed, through the
 * engine.
 *
 * For both ways of "additions" the verdict and the paths must be those of the corpus. Where the specification deviates
 * on purpose (its section 4), it decides: the order of keyed elements counts for initContainers and for env with "$("
 * only, and under "drift" keyed lists of a pod template that the manifest lacks count as empty. */
#include "base/file.h"
#include "base/vec.h"
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"
#include "value/identity.h"
#include "value/json.h"

#include <inttypes.h>
#include <stdio.h>

#define PATH_LISTS 2 /* what kubectl shows, and what the corpus' evaluator says where it says otherwise */

struct set {
	char *name;
	struct manifest_set manifests;
	struct crd_table definitions;
	struct doc *document; /* of the live objects */
	VEC(val) live;
	unsigned changes, missed, falsely, elsewhere; /* of changes, each asked in both ways */
	unsigned untouched, untouched_differ;
	unsigned mistakes;
};

struct corpus {
	const char *folder;
	struct limits limits;
	VEC(struct set *) sets;
};

/* One case under one of both ways. */
struct question {
	const struct set *set;
	val line, manifest, live;
	enum manifest_additions additions;
	struct arena *arena;
};

typedef VEC(str) str_list;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "driftd-manifests: %s: %s\n", what, why);
	exit(2);
}

static void *needed(void *p)
{
	if (!p)
		die("out of memory", "");
	return p;
}

/* ---- the sets ---- */

static char *read_file(const struct corpus *c, const struct set *s, const char *file, size_t *n)
{
	CLEANUP(freep) char *path = NULL;
	char *text = NULL;
	struct err err;

	if (asprintf(&path, "%s/%s/%s", c->folder, s->name, file) < 0)
		die(file, "out of memory");
	if (file_read(path, c->limits.file_bytes, &text, n, &err) < 0)
		die(path, err.msg);
	return text;
}

static void read_live(const struct corpus *c, struct set *s)
{
	struct json_options o = { .limits = &c->limits };
	size_t n = 0;
	CLEANUP(freep) char *text = read_file(c, s, "live.json", &n);
	struct err err;
	val items;

	if (json_decode((str){ text, n }, &o, &s->document, &err) < 0)
		die(s->name, err.msg);
	items = VAL_GET(s->document->root, "items");
	for (uint32_t i = 0; i < val_count(items); i++) {
		if (!vec_push(&s->live, items.items[i]) || crd_table_add(&s->definitions, items.items[i], &err) < 0)
			die(s->name, "out of memory");
	}
}

static void read_manifests(const struct corpus *c, struct set *s)
{
	size_t n = 0;
	CLEANUP(freep) char *text = read_file(c, s, "manifests.yaml", &n);
	struct err err;

	manifest_set_init(&s->manifests, &c->limits, NULL);
	if (manifest_set_add(&s->manifests, str_from("manifests.yaml"), (str){ text, n }, &err) < 0)
		die(s->name, err.msg);
	if (manifest_set_finish(&s->manifests, &s->definitions, STR("default"), &err) < 0)
		die(s->name, err.msg);
	for (size_t i = 0; i < s->manifests.mistakes.list.n; i++)
		printf("FAIL %s/mistake: %s\n", s->name, s->manifests.mistakes.list.p[i]);
	s->mistakes = (unsigned)s->manifests.mistakes.list.n;
}

static struct set *set_of(struct corpus *c, str name)
{
	struct set *s;

	for (size_t i = 0; i < c->sets.n; i++) {
		if (str_eq(name, str_from(c->sets.p[i]->name)))
			return c->sets.p[i];
	}
	s = needed(calloc(1, sizeof(*s)));
	s->name = needed(str_dup(name));
	crd_table_init(&s->definitions);
	read_live(c, s);
	read_manifests(c, s);
	if (!vec_push(&c->sets, s))
		die(s->name, "out of memory");
	return s;
}

static void set_free(struct set *s)
{
	manifest_set_done(&s->manifests);
	crd_table_done(&s->definitions);
	doc_unref(s->document);
	vec_done(&s->live);
	free(s->name);
	free(s);
}

static val schema_of(const struct set *s, val manifest)
{
	struct identity id = identity_of(manifest);

	return crd_table_schema(&s->definitions, id.api_version, id.kind);
}

/* VAL_ABSENT: there is none. */
static val manifest_of(const struct set *s, const struct identity *id)
{
	size_t i = manifest_set_find(&s->manifests, id);

	return i == SIZE_MAX ? (val){ 0 } : s->manifests.list.p[i].object;
}

/* ---- paths ---- */

/* The corpus writes keys without quotes: [name=web] for [name="web"]. */
static str corpus_path(str path, struct arena *a)
{
	char *out = needed(arena_alloc(a, path.n + 1));
	bool quoted = false, keys = false;
	size_t n = 0;

	for (size_t i = 0; i < path.n; i++) {
		char c = path.p[i];

		if (!quoted && c == '[')
			keys = i + 1 < path.n && path.p[i + 1] != '"';
		if (c == '"' && (i == 0 || path.p[i - 1] != '\\'))
			quoted = !quoted;
		if (c != '"' || !keys)
			out[n++] = c;
	}
	return (str){ out, n };
}

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

static void sort(str_list *l)
{
	if (l->n)
		qsort(l->p, l->n, sizeof(*l->p), by_bytes);
}

static void add(str_list *l, str s)
{
	if (!vec_push(l, s))
		die("paths", "out of memory");
}

static bool same(const str_list *a, const str_list *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++) {
		if (!str_eq(a->p[i], b->p[i]))
			return false;
	}
	return a->n == b->n;
}

static void show(const char *what, const str_list *l)
{
	printf(" %s {", what);
	for (size_t i = 0; i < l->n; i++)
		printf("%s%.*s", i ? ", " : "", STR_ARG(l->p[i]));
	printf("}");
}

/* ---- what the corpus says, as the specification reads it ---- */

/* The env of the container that is called so, anywhere in @v. */
static val env_of(val v, str name)
{
	val found = { 0 };

	if (val_is_map(v) && str_eq(val_str(VAL_GET(v, "name")), name) && val_is_list(VAL_GET(v, "env")))
		return VAL_GET(v, "env");
	for (uint32_t i = 0; !val_exists(found) && i < val_count(v); i++)
		found = env_of(val_is_map(v) ? v.members[i].value : v.items[i], name);
	return found;
}

/* Whether the list at @path of the corpus has an order that counts. */
static bool order_counts(const struct question *q, str path)
{
	ptrdiff_t from = str_rfind(path, STR("[name="));
	bool counts = str_has_suffix(path, STR("initContainers"));
	val env;

	if (from < 0 || !str_has_suffix(path, STR("].env")))
		return counts;
	env = env_of(q->manifest, str_sub(path, (size_t)from + 6, path.n - 5));
	for (uint32_t i = 0; i < val_count(env); i++)
		counts |= str_find(val_str(VAL_GET(env.items[i], "value")), STR("$(")) >= 0;
	return counts;
}

static bool is_order(const struct question *q, str path)
{
	bool keyed = false;

	for (uint32_t i = 0; i < val_count(VAL_GET(q->line, "why")); i++)
		keyed |= str_eq(val_str(val_at(VAL_GET(q->line, "why"), i)), STR("order"));
	return keyed && !str_has_suffix(path, STR("]")) &&
	       (str_has_suffix(path, STR(".env")) || str_has_suffix(path, STR(".ports")) ||
		str_has_suffix(path, STR("olumes")) || str_has_suffix(path, STR("ontainers")) ||
		str_has_suffix(path, STR(".groups")) || str_has_suffix(path, STR(".endpoints")));
}

static void add_paths(const struct question *q, val paths, str_list *ret)
{
	for (uint32_t i = 0; i < val_count(paths); i++) {
		str path = val_str(val_at(paths, i));

		if (!is_order(q, path) || order_counts(q, path))
			add(ret, path);
	}
}

/* Lists that the manifest lacks count as empty in a pod template, but for these two. */
static void add_lists(const struct question *q, str_list *ret)
{
	val paths = VAL_GET(q->line, "paths_lists_not_in_manifest");

	for (uint32_t i = 0; q->additions == MANIFEST_DRIFT && i < val_count(paths); i++) {
		str path = val_str(val_at(paths, i));

		if (str_find(path, STR("template.")) >= 0 && str_find(path, STR("finalizers")) < 0 &&
		    str_find(path, STR("ownerReferences")) < 0)
			add(ret, path);
	}
}

/* Those that @beyond has and @others lack. */
static void add_beyond(val beyond, val others, str_list *ret)
{
	for (uint32_t i = 0; i < val_count(beyond); i++) {
		bool known = false;

		for (uint32_t k = 0; k < val_count(others); k++)
			known |= val_equal(beyond.items[i], others.items[k]);
		if (!known)
			add(ret, val_str(beyond.items[i]));
	}
}

static void expected_paths(const struct question *q, str_list ret[PATH_LISTS])
{
	val ignore = VAL_GET(q->line, "paths_ignore"), drift = VAL_GET(q->line, "paths_drift");
	val evaluator = VAL_GET(q->line, "paths_by_evaluator");

	add_paths(q, q->additions == MANIFEST_IGNORE ? ignore : drift, &ret[0]);
	add_paths(q, val_is_list(evaluator) ? evaluator : q->additions == MANIFEST_IGNORE ? ignore : drift, &ret[1]);
	if (val_is_list(evaluator) && q->additions == MANIFEST_DRIFT)
		add_beyond(drift, ignore, &ret[1]);
	for (size_t i = 0; i < PATH_LISTS; i++) {
		add_lists(q, &ret[i]);
		sort(&ret[i]);
	}
}

/* ---- asking ---- */

static void found_paths(const struct corpus *c, const struct question *q, str_list *ret)
{
	val live = q->live;
	struct manifest_env env = { .limits = &c->limits,
				    .schema = schema_of(q->set, q->manifest),
				    .managers = manifest_managers_of,
				    .ctx = &live,
				    .additions = q->additions };
	struct manifest_difference d, again;
	struct err err;

	if (!val_is_map(q->live)) {
		add(ret, STR(""));
		return;
	}
	if (manifest_compare(q->manifest, q->live, &env, q->arena, &d, &err) < 0 ||
	    manifest_compare(q->manifest, d.expected, &env, q->arena, &again, &err) < 0)
		die(q->set->name, err.msg);
	if (again.changes.total)
		die(q->set->name, "what an apply leaves differs from what was applied");
	for (size_t i = 0; i < d.changes.n; i++) {
		struct path path = d.changes.p[i].path;

		/* The evaluator does not see the second of one key. */
		if (path.n == 0 || path.segments[path.n - 1].again == 0)
			add(ret, corpus_path(path_text(path, q->arena), q->arena));
	}
	sort(ret);
}

/* One of both lists should be what was found. */
static void judge(struct set *s, const struct question *q, const str_list expected[PATH_LISTS], const str_list *found)
{
	const char *what = NULL;

	if (expected[0].n && !found->n) {
		s->missed++;
		what = "missed";
	} else if (!expected[0].n && found->n) {
		s->falsely++;
		what = "false";
	} else if (!same(&expected[0], found) && !same(&expected[1], found)) {
		s->elsewhere++;
		what = "elsewhere";
	}
	if (!what)
		return;
	printf("FAIL %.*s/%s: %s, expected", STR_ARG(val_str(VAL_GET(q->line, "id"))),
	       q->additions == MANIFEST_IGNORE ? "ignore" : "drift", what);
	show("", &expected[0]);
	if (!same(&expected[0], &expected[1]))
		show("or", &expected[1]);
	show("found", found);
	printf(" %.*s\n", STR_ARG(val_str(VAL_GET(q->line, "description"))));
}

static void ask(const struct corpus *c, struct set *s, struct question *q)
{
	str_list expected[PATH_LISTS] = { { 0 } }, found = { 0 };

	expected_paths(q, expected);
	found_paths(c, q, &found);
	judge(s, q, expected, &found);
	for (size_t i = 0; i < PATH_LISTS; i++)
		vec_done(&expected[i]);
	vec_done(&found);
}

static val manifest_of_case(const struct set *s, val line)
{
	val object = VAL_GET(line, "object");
	struct identity id = { .api_version = val_str(VAL_GET(object, "apiVersion")),
			       .kind = val_str(VAL_GET(object, "kind")),
			       .namespace = val_str(VAL_GET(object, "namespace")),
			       .name = val_str(VAL_GET(object, "name")) };
	val manifest = manifest_of(s, &id);

	if (!val_exists(manifest) && !id.namespace.n) { /* the corpus leaves it out where the manifest does */
		id.namespace = STR("default");
		manifest = manifest_of(s, &id);
	}
	if (!val_exists(manifest))
		die(s->name, "a case is for an object that is not in its set");
	return manifest;
}

static void ask_case(struct corpus *c, str text)
{
	struct json_options o = { .limits = &c->limits };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct question q = { .arena = &a };
	struct set *s;
	struct err err;

	if (json_decode_value(text, &o, &a, &q.line, NULL, &err) < 0)
		die("cases.jsonl", err.msg);
	s = set_of(c, val_str(VAL_GET(q.line, "set")));
	q.set = s;
	q.manifest = VAL_GET(q.line, "manifest");
	if (!val_is_map(q.manifest))
		q.manifest = manifest_of_case(s, q.line);
	q.live = VAL_GET(q.line, "live");
	q.additions = MANIFEST_IGNORE;
	ask(c, s, &q);
	q.additions = MANIFEST_DRIFT;
	ask(c, s, &q);
	s->changes++;
}

/* What nobody changed does not differ from what it was made of. */
static void ask_untouched(const struct corpus *c, struct set *s, val live)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct identity id = identity_of(live);
	struct question q = {
		.set = s, .manifest = manifest_of(s, &id), .live = live, .additions = MANIFEST_IGNORE, .arena = &a
	};
	str_list found = { 0 };

	if (!val_exists(q.manifest))
		return;
	s->untouched++;
	found_paths(c, &q, &found);
	if (found.n) {
		s->untouched_differ++;
		printf("FAIL %s/%.*s/%.*s: nobody changed it, expected {}", s->name, STR_ARG(id.kind),
		       STR_ARG(id.name));
		show("found", &found);
		printf("\n");
	}
	vec_done(&found);
}

/* ---- the table ---- */

static int report(const struct corpus *c)
{
	unsigned asked = 0, wrong = 0;

	printf("%-28s %7s %7s %7s %7s %9s %9s\n", "set", "objects", "changes", "false", "missed", "elsewhere",
	       "untouched");
	for (size_t i = 0; i < c->sets.n; i++) {
		const struct set *s = c->sets.p[i];

		printf("%-28s %7zu %7u %7u %7u %9u %9u\n", s->name, s->manifests.list.n, s->changes, s->falsely,
		       s->missed, s->elsewhere, s->untouched_differ);
		asked += 2 * s->changes + s->untouched + s->mistakes;
		wrong += s->falsely + s->missed + s->elsewhere + s->untouched_differ + s->mistakes;
	}
	printf("%u passed, %u failed\n", asked - wrong, wrong);
	return asked && !wrong ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct corpus c = { .folder = argc == 2 ? argv[1] : "", .limits = LIMITS_DEFAULT };
	CLEANUP(freep) char *path = NULL, *text = NULL;
	size_t n = 0;
	struct err err;
	str rest, line;
	int status;

	if (asprintf(&path, "%s/cases.jsonl", c.folder) < 0)
		die("cases", "out of memory");
	if (file_read(path, (size_t)1 << 30, &text, &n, &err) < 0)
		die(path, err.msg);
	rest = (str){ text, n };
	while (str_next_part(&rest, '\n', &line)) {
		if (line.n)
			ask_case(&c, line);
	}
	for (size_t i = 0; i < c.sets.n; i++) {
		for (size_t k = 0; k < c.sets.p[i]->live.n; k++)
			ask_untouched(&c, c.sets.p[i], c.sets.p[i]->live.p[k]);
	}
	status = report(&c);
	for (size_t i = 0; i < c.sets.n; i++)
		set_free(c.sets.p[i]);
	vec_done(&c.sets);
	return status;
}
