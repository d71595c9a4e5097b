/* Writing a reference: one template and one entry of metadata.yaml for each captured object. */
#include "daemon/compare/generate.h"

#include "base/file.h"
#include "compare/compare.h"
#include "config/paths.h"
#include "daemon/compare/input.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/live.h"
#include "reference/go_decode.h"
#include "text/template_escape.h"
#include "value/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)
#define WALK_FILES_MAX 1000000

/* ---- configuration ---- */

static const struct go_field spec_fields[] = {
	{ .name = "kind", .type = &go_string },        { .name = "apiVersion", .type = &go_string },
	{ .name = "required", .type = &go_bool },      { .name = "namespace", .type = &go_string },
	{ .name = "names", .type = &go_string_slice },
};
static const struct go_type spec_type = {
	.kind = GO_STRUCT, .name = "generate.ResourceSpec", .label = "ResourceSpec", GO_FIELDS(spec_fields)
};
static const struct go_type specs_type = { .kind = GO_SLICE, .name = "[]generate.ResourceSpec", .elem = &spec_type };
static const struct go_field config_fields[] = {
	{ .name = "apiVersion", .type = &go_string },
	{ .name = "outputDir", .type = &go_string },
	{ .name = "omitAnnotations", .type = &go_string_slice },
	{ .name = "omitLabels", .type = &go_string_slice },
	{ .name = "resources", .type = &specs_type },
};
static const struct go_type config_type = {
	.kind = GO_STRUCT, .name = "generate.RefgenConfig", .label = "RefgenConfig", GO_FIELDS(config_fields)
};

struct generator {
	const struct compare_options *o;
	const struct limits *limits;
	struct key_table *keys;
	struct doc *doc; /* of the configuration */
	val config;
	const char *dir;
	struct live *live;
	struct compare_input gathered; /* all objects of a must-gather folder */
	struct arena arena;
	VEC(struct part {
		str kind;
		bool required;
		VEC(char *) paths;
	})
	parts;
	struct strmap used;     /* paths written */
	struct strmap captured; /* objects written: identity_text */
	size_t n_captured, n_types;
	struct buf missing;
	struct err err;
};

static void generator_done(struct generator *g)
{
	for (size_t i = 0; i < g->parts.n; i++) {
		for (size_t k = 0; k < g->parts.p[i].paths.n; k++)
			free(g->parts.p[i].paths.p[k]);
		vec_done(&g->parts.p[i].paths);
	}
	vec_done(&g->parts);
	strmap_done(&g->used);
	strmap_done(&g->captured);
	if (g->gathered.limits)
		compare_input_done(&g->gathered);
	live_close(g->live);
	buf_done(&g->missing);
	arena_done(&g->arena);
	doc_unref(g->doc);
}

/* Keys of annotations and labels that a running cluster writes by itself. */
static const char *const runtime_annotations[] = {
	"kubectl.kubernetes.io/last-applied-configuration",
	"deployment.kubernetes.io/revision",
	"olm.providedAPIs",
	"openshift.io/sa.scc.mcs",
	"openshift.io/sa.scc.supplemental-groups",
	"openshift.io/sa.scc.uid-range",
};
static const char *const runtime_labels[] = { "kubernetes.io/metadata.name", "olm.operatorgroup.uid" };

static const char *const runtime_metadata[] = {
	"resourceVersion", "uid",      "creationTimestamp", "generation",
	"managedFields",   "selfLink", "ownerReferences",   "finalizers",
};

static int check_keys(struct generator *g, const char *field)
{
	val list = val_get(g->config, str_from(field));

	for (uint32_t i = 0; i < val_count(list); i++) {
		str key = val_str(val_at(list, i));

		if (!key.n)
			return err_set(&g->err, EINVAL, "%s[%u]: key must not be empty", field, i);
		if (str_find_byte(key, '"') >= 0)
			return err_set(&g->err, EINVAL, "%s[%u]: key must not contain double quotes", field, i);
	}
	return 0;
}

static int load_config(struct generator *g)
{
	static const struct go_decode_options options = { .strict = true, .from_yaml = true };
	struct yaml_options yaml = { .limits = g->limits, .strict = true };
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	str dir;
	int r = file_read(g->o->generate, g->limits->file_bytes, &text, &len, &g->err);

	if (r == -ENOENT)
		return err_set(&g->err, ENOENT, "configuration file not found: %s", g->o->generate);
	if (r < 0)
		return err_wrap(&g->err, "failed to read configuration");
	r = yaml_decode((str){ text, len }, &yaml, &g->doc, &g->err);
	if (r == 0)
		r = go_decode(g->doc->root, &config_type, &options, &g->arena, &g->config, NULL, &g->err);
	if (r < 0)
		return err_wrap(&g->err, "invalid YAML in configuration file");
	if (!val_count(VAL_GET(g->config, "resources")))
		return err_set(&g->err, EINVAL, "configuration must specify at least one resource");
	dir = val_str(VAL_GET(g->config, "outputDir"));
	g->dir = arena_str(&g->arena, dir.n ? dir : STR("./generated-reference")).p;
	if (g->o->output_dir && *g->o->output_dir)
		g->dir = g->o->output_dir;
	if (!g->dir)
		return err_nomem(&g->err);
	r = check_keys(g, "omitAnnotations");
	return r < 0 ? r : check_keys(g, "omitLabels");
}

/* ---- must-gather folders ---- */

static bool below_data(const char *path)
{
	return strstr(path, "/cluster-scoped-resources/") || strstr(path, "/namespaces/");
}

static int gather_file(void *ctx, const char *path, struct err *err)
{
	struct generator *g = ctx;
	CLEANUP(freep) char *text = NULL;
	size_t len = 0, n = strlen(path);
	struct err ignored;

	if (n < 5 || strcmp(path + n - 5, ".yaml") != 0 || !below_data(path))
		return 0;
	if (file_read(path, g->limits->file_bytes, &text, &len, &ignored) < 0)
		return 0;
	return compare_input_text(&g->gathered, path, (str){ text, len }, err);
}

static int gather(struct generator *g)
{
	const char *root = g->o->must_gather;
	CLEANUP(freep) char *full = realpath(root, NULL); /* a path that says below which folders it lies */
	struct stat st;
	int r;

	compare_input_init(&g->gathered, g->limits, g->keys);
	g->gathered.quiet = true;
	if (stat(root, &st) < 0)
		return err_set(&g->err, errno, "must-gather directory does not exist: %s", root);
	if (!S_ISDIR(st.st_mode))
		return err_set(&g->err, ENOTDIR, "must-gather path is not a directory: %s", root);
	r = paths_walk(full ? full : root, true, gather_file, g, &g->err);
	if (r == 0 && !g->gathered.objects.n)
		r = err_set(&g->err, ENOENT,
			    "no must-gather data found under %s (expected cluster-scoped-resources/ or namespaces/)",
			    root);
	return r;
}

/* ---- objects of one entry ---- */

static bool is_named(val spec, str name)
{
	val names = VAL_GET(spec, "names");

	for (uint32_t i = 0; i < val_count(names); i++) {
		if (str_eq(val_str(val_at(names, i)), name))
			return true;
	}
	return val_count(names) == 0;
}

static bool is_wanted(val spec, val object)
{
	struct identity id = identity_of(object);
	str namespace = val_str(VAL_GET(spec, "namespace"));

	return str_eq(id.kind, val_str(VAL_GET(spec, "kind"))) &&
	       str_eq(id.api_version, val_str(VAL_GET(spec, "apiVersion"))) &&
	       (!namespace.n || str_eq(namespace, id.namespace)) && is_named(spec, id.name);
}

/* ---- what is written ---- */

static val without_keys(struct arena *a, val map, const char *const *keys, size_t n, val more)
{
	for (size_t i = 0; i < n && val_exists(map); i++)
		map = val_map_without(a, map, str_from(keys[i]));
	for (uint32_t i = 0; i < val_count(more) && val_exists(map); i++)
		map = val_map_without(a, map, val_str(val_at(more, i)));
	return map;
}

/* @metadata with the map @name cut down to what a person would write. */
static val clean_map(struct generator *g, val metadata, const char *name, const char *const *keys, size_t n,
		     const char *config)
{
	val map = val_get(metadata, str_from(name));
	const struct key *key = key_make(NULL, &g->arena, str_from(name));

	if (!val_is_map(map) || !key)
		return key ? metadata : (val){ 0 };
	map = without_keys(&g->arena, map, keys, n, val_get(g->config, str_from(config)));
	if (!val_exists(map))
		return map;
	return map.n ? val_map_with(&g->arena, metadata, key, map)
		     : val_map_without(&g->arena, metadata, str_from(name));
}

static val clean_object(struct generator *g, val object)
{
	val metadata = VAL_GET(object, "metadata");
	const struct key *key = key_make(NULL, &g->arena, STR("metadata"));

	if (!key)
		return (val){ 0 };
	if (val_is_map(metadata)) {
		metadata = without_keys(&g->arena, metadata, runtime_metadata, ARRAY_LEN(runtime_metadata), (val){ 0 });
		if (val_exists(metadata))
			metadata = clean_map(g, metadata, "annotations", runtime_annotations,
					     ARRAY_LEN(runtime_annotations), "omitAnnotations");
		if (val_exists(metadata))
			metadata = clean_map(g, metadata, "labels", runtime_labels, ARRAY_LEN(runtime_labels),
					     "omitLabels");
		if (!val_exists(metadata))
			return metadata;
		object = val_map_with(&g->arena, object, key, metadata);
	}
	return val_exists(object) ? val_map_without(&g->arena, object, STR("status")) : object;
}

/* A name that is one part of a path: what is no word character, "-" or "." becomes "-". */
static void safe_name(str name, struct buf *out)
{
	size_t before = out->n;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
			    c == '.';

		if (word)
			buf_add_byte(out, c);
		else if (out->n > before && out->p[out->n - 1] != '-')
			buf_add_byte(out, '-');
	}
	while (out->n > before && (out->p[out->n - 1] == '-' || out->p[out->n - 1] == '.'))
		buf_truncate(out, out->n - 1);
	if (out->n > before && out->p[before] == '.')
		out->p[before] = '_';
	if (out->n == before)
		buf_add_cstr(out, "unnamed");
}

static int write_file(struct generator *g, const char *path, mode_t mode, str text)
{
	CLEANUP(freep) char *full = NULL;
	int fd, r;

	if (asprintf(&full, "%s/%s", g->dir, path) < 0)
		return err_nomem(&g->err);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	if (fd < 0)
		return err_set(&g->err, errno, "failed to write %s: %s", full, strerror(errno));
	r = file_write_all(fd, text);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r < 0)
		return err_set(&g->err, -r, "failed to write %s: %s", full, strerror(-r));
	return 0;
}

/* A path that no other object has: "Kind/name.yaml", "Kind/name-1.yaml", … */
static int free_path(struct generator *g, val object, char **ret)
{
	struct identity id = identity_of(object);
	CLEANUP(buf_done) struct buf base = BUF_INIT(4096);

	safe_name(id.kind, &base);
	buf_add_byte(&base, '/');
	safe_name(id.name, &base);
	if (base.error)
		return err_set(&g->err, E2BIG, "a name of %s is too long", val_str(VAL_GET(object, "kind")).p);
	for (unsigned i = 0; i < WALK_FILES_MAX; i++) {
		char *path = NULL;

		if ((i ? asprintf(&path, "%s-%u.yaml", base.p, i) : asprintf(&path, "%s.yaml", base.p)) < 0)
			return err_nomem(&g->err);
		if (!strmap_has(&g->used, str_from(path))) {
			*ret = path;
			return strmap_put(&g->used, str_from(path), g, NULL) ? 0 : err_nomem(&g->err);
		}
		free(path);
	}
	return err_set(&g->err, E2BIG, "too many objects called %s", base.p);
}

static struct part *find_part(struct generator *g, val spec)
{
	str kind = val_str(VAL_GET(spec, "kind"));
	bool required = VAL_GET(spec, "required").b;

	for (size_t i = 0; i < g->parts.n; i++) {
		if (str_eq(g->parts.p[i].kind, kind) && g->parts.p[i].required == required)
			return &g->parts.p[i];
	}
	return vec_push(&g->parts, (struct part){ .kind = kind, .required = required }) ? &g->parts.p[g->parts.n - 1]
											: NULL;
}

static bool is_secret(val object)
{
	struct identity id = identity_of(object);

	return str_eq(id.api_version, STR("v1")) && str_eq(id.kind, STR("Secret"));
}

static int write_object(struct generator *g, struct part *part, val object)
{
	CLEANUP(buf_done) struct buf yaml = BUF_INIT(TEXT_MAX);
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	CLEANUP(freep) char *path = NULL, *folder = NULL;
	val clean = clean_object(g, object);
	int r;

	if (!val_exists(clean))
		return err_nomem(&g->err);
	r = yaml_encode(clean, &yaml, &g->err);
	if (r < 0)
		return err_wrap(&g->err, "failed to marshal %.*s", STR_ARG(identity_of(object).name));
	template_escape(buf_str(&yaml), &text);
	r = free_path(g, object, &path);
	if (r < 0)
		return r;
	if (asprintf(&folder, "%s/%.*s", g->dir, (int)(strchr(path, '/') - path), path) < 0)
		return err_nomem(&g->err);
	r = file_make_folders(folder, &g->err);
	if (r == 0)
		r = write_file(g, path, is_secret(object) ? 0600 : 0644, buf_str(&text));
	if (r == 0 && !vec_push(&part->paths, path))
		r = err_nomem(&g->err);
	if (r == 0)
		path = NULL;
	return r;
}

static void note_missing(struct generator *g, val spec)
{
	str namespace = val_str(VAL_GET(spec, "namespace"));
	val names = VAL_GET(spec, "names");

	buf_printf(&g->missing, "  - %.*s (%.*s)", STR_ARG(val_str(VAL_GET(spec, "kind"))),
		   STR_ARG(val_str(VAL_GET(spec, "apiVersion"))));
	if (namespace.n)
		buf_printf(&g->missing, " in namespace %.*s", STR_ARG(namespace));
	for (uint32_t i = 0; i < val_count(names); i++)
		buf_printf(&g->missing, "%s%.*s%s", i ? " " : " with names [", STR_ARG(val_str(val_at(names, i))),
			   i + 1 == names.n ? "]" : "");
	buf_add_byte(&g->missing, '\n');
}

/* Two templates for one object would stand in each other's way: the first entry that names it has it. */
static int capture_object(struct generator *g, val spec, val object, str name)
{
	struct part *part;

	if (strmap_has(&g->captured, name))
		return 0;
	part = find_part(g, spec);
	if (!part || !strmap_put(&g->captured, name, g, NULL))
		return err_nomem(&g->err);
	g->n_captured++;
	return write_object(g, part, object);
}

static int write_all(struct generator *g, val spec, const struct compare_input *in)
{
	bool found = false;

	for (size_t i = 0; i < in->objects.n; i++) {
		int r;

		if (!is_wanted(spec, in->objects.p[i]))
			continue;
		found = true;
		r = capture_object(g, spec, in->objects.p[i], in->names.p[i]);
		if (r < 0)
			return r;
	}
	g->n_types += found;
	if (!found)
		note_missing(g, spec);
	return 0;
}

static int capture(struct generator *g, val spec)
{
	struct compare_input in;
	int r;

	if (g->o->verbose)
		klog_info("Fetching %.*s (%.*s)...", STR_ARG(val_str(VAL_GET(spec, "kind"))),
			  STR_ARG(val_str(VAL_GET(spec, "apiVersion"))));
	if (g->o->must_gather)
		return write_all(g, spec, &g->gathered);
	compare_input_init(&in, g->limits, g->keys);
	r = compare_live_list(g->live, val_str(VAL_GET(spec, "apiVersion")), val_str(VAL_GET(spec, "kind")),
			      val_str(VAL_GET(spec, "namespace")), &in, &g->err);
	if (r < 0)
		r = err_wrap(&g->err, "failed to fetch %.*s", STR_ARG(val_str(VAL_GET(spec, "kind"))));
	else
		r = write_all(g, spec, &in);
	compare_input_done(&in);
	return r;
}

/* ---- metadata.yaml ---- */

static void add_omitted(struct buf *out, const char *map, const char *const *keys, size_t n, val more)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "    - pathToKey: metadata.%s.\"%s\"\n", map, keys[i]);
	for (uint32_t i = 0; i < val_count(more); i++)
		buf_printf(out, "    - pathToKey: metadata.%s.\"%.*s\"\n", map, STR_ARG(val_str(val_at(more, i))));
}

static void add_lower(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_add_byte(out, s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + ('a' - 'A')) : s.p[i]);
}

/* Kinds and paths consist of safe characters only: nothing needs quotes, but a kind is what the user wrote. */
static void add_part(struct buf *out, const struct part *p)
{
	CLEANUP(buf_done) struct buf kind = BUF_INIT(4096);

	safe_name(p->kind, &kind);
	buf_printf(out, "- name: %s-", p->required ? "required" : "optional");
	add_lower(out, buf_str(&kind));
	buf_printf(out, "\n  description: %s %.*s resources\n  components:\n  - name: ",
		   p->required ? "Required" : "Optional", STR_ARG(buf_str(&kind)));
	add_lower(out, buf_str(&kind));
	buf_printf(out, "\n    %s:\n", p->required ? "allOf" : "anyOf");
	for (size_t i = 0; i < p->paths.n; i++)
		buf_printf(out, "    - path: \"%s\"\n", p->paths.p[i]);
}

static int write_metadata(struct generator *g)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(TEXT_MAX);

	buf_add_cstr(&out, "apiVersion: v2\nfieldsToOmit:\n  defaultOmitRef: all\n  items:\n    all:\n"
			   "    - include: cluster-compare-built-in\n    - pathToKey: metadata.ownerReferences\n");
	add_omitted(&out, "annotations", runtime_annotations, ARRAY_LEN(runtime_annotations),
		    VAL_GET(g->config, "omitAnnotations"));
	add_omitted(&out, "labels", runtime_labels, ARRAY_LEN(runtime_labels), VAL_GET(g->config, "omitLabels"));
	buf_add_cstr(&out, g->parts.n ? "parts:\n" : "parts: []\n");
	for (size_t i = 0; i < g->parts.n; i++)
		add_part(&out, &g->parts.p[i]);
	return out.error ? err_nomem(&g->err) : write_file(g, "metadata.yaml", 0644, buf_str(&out));
}

static int say_done(const struct generator *g)
{
	CLEANUP(freep) char *full = realpath(g->dir, NULL);
	bool said = printf("Generated reference at: %s\n  Total resources captured: %zu\n  Resource types: %zu\n",
			   full ? full : g->dir, g->n_captured, g->n_types) > 0 &&
		    fflush(stdout) == 0;

	if (g->missing.n)
		fprintf(stderr, "Warning: No resources found for:\n%.*s", STR_ARG(buf_str(&g->missing)));
	if (!said)
		fputs("error: error occurred when writing output\n", stderr);
	return said ? 0 : 2;
}

static int generate(struct generator *g)
{
	val specs;
	int r = load_config(g);

	if (r == 0)
		r = g->o->must_gather ? gather(g) : compare_live_open(g->o, g->limits, g->keys, &g->live, &g->err);
	if (r == 0)
		r = file_make_folders(g->dir, &g->err);
	specs = VAL_GET(g->config, "resources");
	for (uint32_t i = 0; i < val_count(specs) && r == 0; i++)
		r = capture(g, val_at(specs, i));
	return r < 0 ? r : write_metadata(g);
}

int compare_generate(const struct compare_options *o, const struct limits *limits, struct key_table *keys)
{
	CLEANUP(generator_done)
	struct generator g = { .o = o, .limits = limits, .keys = keys, .missing = BUF_INIT(1 << 20) };

	arena_init(&g.arena, 0, 0);
	if (generate(&g) < 0) {
		fprintf(stderr, "error: %s\n", g.err.msg);
		return 2;
	}
	return say_done(&g);
}
