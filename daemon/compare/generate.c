/* Writes a reference: one template and one entry of metadata.yaml for each captured object. */
#include "daemon/compare/generate.h"

#include "base/ascii.h"
#include "base/file.h"
#include "base/utf8.h"
#include "compare/compare.h"
#include "config/paths.h"
#include "daemon/compare/generate_omit.h"
#include "daemon/compare/generate_output.h"
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
#define API_VERSION "refgen/v1"

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
	{ .name = "manifests", .type = &go_bool },
	{ .name = "resources", .type = &specs_type },
};
static const struct go_type config_type = {
	.kind = GO_STRUCT, .name = "generate.RefgenConfig", .label = "RefgenConfig", GO_FIELDS(config_fields)
};

struct generator {
	const struct compare_options *o;
	const struct limits *limits;
	struct key_table *keys;
	struct doc *doc; /* the document of the configuration */
	val config;
	const char *dir;
	struct generate_output output;
	const char *must_gather; /* NULL: a live cluster */
	struct live *live;
	struct compare_input gathered; /* all objects of a must-gather folder */
	struct arena arena;
	VEC(struct part {
		str kind;
		bool required;
		VEC(char *) paths;
	})
	parts;
	struct strmap used;     /* the paths that are written */
	struct strmap numbers;  /* path without number -> the first number that may be free */
	struct strmap captured; /* the objects that are written: identity_text */
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
	generate_output_done(&g->output);
	strmap_done(&g->used);
	strmap_done(&g->numbers);
	strmap_done(&g->captured);
	if (g->gathered.limits)
		compare_input_done(&g->gathered);
	live_close(g->live);
	buf_done(&g->missing);
	arena_done(&g->arena);
	doc_unref(g->doc);
}

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

static int check_resources(struct generator *g)
{
	static const char *const fields[] = { "kind", "apiVersion" };
	val list = VAL_GET(g->config, "resources");

	if (!val_count(list))
		return err_set(&g->err, EINVAL, "configuration must specify at least one resource");
	for (uint32_t i = 0; i < val_count(list); i++) {
		for (size_t f = 0; f < ARRAY_LEN(fields); f++) {
			if (!val_str(val_get(val_at(list, i), str_from(fields[f]))).n)
				return err_set(&g->err, EINVAL, "resources[%u]: %s must not be empty", i, fields[f]);
		}
	}
	return 0;
}

/* Check the version of the configuration. Without an apiVersion it is the only version that exists. */
static int check_version(struct generator *g)
{
	str version = val_str(VAL_GET(g->config, "apiVersion"));

	if (!version.n || str_eq(version, STR(API_VERSION)))
		return 0;
	return err_set(&g->err, EINVAL, "unknown apiVersion '%.*s' of the configuration: it must be " API_VERSION,
		       STR_ARG(utf8_cut(version, 100)));
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
	r = check_version(g);
	if (r == 0)
		r = check_resources(g);
	if (r < 0)
		return r;
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
	bool yaml = n >= 5 && strcmp(path + n - 5, ".yaml") == 0;
	struct err why;
	int r;

	/* A path without that suffix that cannot be read may be a folder of objects. */
	if (yaml ? !below_data(path) : access(path, R_OK) == 0)
		return 0;
	r = file_read(path, g->limits->file_bytes, &text, &len, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0) {
		problems_add(&g->gathered.problems, "%s", why.msg);
		return 0;
	}
	return compare_input_text(&g->gathered, path, (str){ text, len }, err);
}

/* A must-gather folder contains many files that are not objects, so that an unreadable one is no error. But if it
 * was an object, the reference lacks it: warn. */
static void warn_unread(const struct problems *p)
{
	for (size_t i = 0; i < p->list.n; i++)
		klog_warning("not captured: %s", p->list.p[i]);
	if (p->dropped)
		klog_warning("not captured: %zu more", p->dropped);
}

static int gather(struct generator *g)
{
	const char *root = g->must_gather;
	CLEANUP(freep) char *full = realpath(root, NULL); /* the absolute path, which says in which folders it lies */
	struct stat st;
	int r;

	compare_input_init(&g->gathered, g->limits, g->keys);
	g->gathered.quiet = true;
	if (stat(root, &st) < 0)
		return err_set(&g->err, errno, "must-gather directory does not exist: %s", root);
	if (!S_ISDIR(st.st_mode))
		return err_set(&g->err, ENOTDIR, "must-gather path is not a directory: %s", root);
	r = paths_walk(full ? full : root, true, gather_file, g, &g->err);
	warn_unread(&g->gathered.problems);
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

/* A name that is one part of a path: what is not a word character, "-" or "." becomes "-". */
static void safe_name(str name, struct buf *out)
{
	size_t before = out->n;

	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		bool word = ascii_is_alnum(c) || c == '_' || c == '.';

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

/* The number at which the search for a free name for @base begins: lower ones are taken. */
static unsigned first_number(const struct generator *g, const char *base)
{
	return (unsigned)(uintptr_t)strmap_get(&g->numbers, str_from(base));
}

static bool take_number(struct generator *g, const char *base, const char *path, unsigned number)
{
	return strmap_put(&g->used, str_from(path), g, NULL) &&
	       strmap_put(&g->numbers, str_from(base), (void *)(uintptr_t)(number + 1), NULL);
}

/* Write @text where no other object is: "Kind/name.yaml", "Kind/name-1.yaml", … An existing file is kept, because it
 * may have been edited since it was generated; a file with this very text is used as it is. */
static int write_free(struct generator *g, const char *base, mode_t mode, str text, char **ret)
{
	for (unsigned i = first_number(g, base); i < WALK_FILES_MAX; i++) {
		CLEANUP(freep) char *path = NULL;
		enum generate_place place;

		if ((i ? asprintf(&path, "%s-%u.yaml", base, i) : asprintf(&path, "%s.yaml", base)) < 0) {
			path = NULL;
			return err_nomem(&g->err);
		}
		if (strmap_has(&g->used, str_from(path)))
			continue;
		place = generate_output_look(&g->output, path, text);
		if (place == GENERATE_TAKEN)
			continue;
		if (place == GENERATE_FREE && generate_output_write(&g->output, path, mode, text, &g->err) < 0)
			return -g->err.code;
		if (!take_number(g, base, path, i))
			return err_nomem(&g->err);
		*ret = TAKE(path);
		return 0;
	}
	return err_set(&g->err, E2BIG, "too many objects called %s", base);
}

/* Append "Kind/name" in safe characters. */
static int path_base(struct generator *g, val object, struct buf *base)
{
	struct identity id = identity_of(object);

	safe_name(id.kind, base);
	buf_add_byte(base, '/');
	safe_name(id.name, base);
	if (base->error)
		return err_set(&g->err, E2BIG, "a name of %.*s is too long", STR_ARG(id.kind));
	return 0;
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

/* Whether manifests are written instead of templates and metadata.yaml. */
static bool writes_manifests(const struct generator *g)
{
	return val_is_true(VAL_GET(g->config, "manifests"));
}

static int write_object(struct generator *g, struct part *part, val object)
{
	CLEANUP(buf_done) struct buf yaml = BUF_INIT(TEXT_MAX);
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	CLEANUP(buf_done) struct buf base = BUF_INIT(4096);
	CLEANUP(freep) char *path = NULL;
	val clean = generate_clean(&g->arena, object, g->config);
	int r;

	if (!val_exists(clean))
		return err_nomem(&g->err);
	r = yaml_encode_exact(clean, &yaml, &g->err);
	if (r < 0)
		return err_wrap(&g->err, "failed to marshal %.*s", STR_ARG(identity_of(object).name));
	if (writes_manifests(g))
		buf_add_str(&text, buf_str(&yaml));
	else
		template_escape(buf_str(&yaml), &text);
	r = buf_error(&text, "a template", &g->err);
	if (r == 0)
		r = path_base(g, object, &base);
	if (r == 0)
		r = write_free(g, base.p, is_secret(object) ? 0600 : 0644, buf_str(&text), &path);
	if (r < 0)
		return r;
	if (!vec_push(&part->paths, path))
		return err_nomem(&g->err);
	path = NULL;
	return 0;
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

/* Capture an object for the first entry that names it, and only for that one: two templates for one object would
 * compete. */
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

static void say_fetching(val spec)
{
	str namespace = val_str(VAL_GET(spec, "namespace"));

	klog_info("Fetching %.*s (%.*s)%s%.*s...", STR_ARG(val_str(VAL_GET(spec, "kind"))),
		  STR_ARG(val_str(VAL_GET(spec, "apiVersion"))), namespace.n ? " in namespace " : "",
		  STR_ARG(namespace));
}

/* Whether an object may be missing now because it may be missing when the reference is compared: its kind may not be
 * listed by the account, or the cluster does not have it. A kind of which that is unknown does not count. */
static bool may_be_missing(const struct generator *g, val spec, int failure)
{
	const char *why;

	if (VAL_GET(spec, "required").b)
		return false;
	return failure == -EACCES ||
	       (failure == -ENOENT && live_serves(g->live, val_str(VAL_GET(spec, "apiVersion")),
						  val_str(VAL_GET(spec, "kind")), &why) == LIVE_ABSENT);
}

static int capture_listed(struct generator *g, val spec)
{
	const struct live_collection what = { .api_version = val_str(VAL_GET(spec, "apiVersion")),
					      .kind = val_str(VAL_GET(spec, "kind")),
					      .namespace = val_str(VAL_GET(spec, "namespace")),
					      .name = STR("") };
	struct compare_input in;
	int r;

	compare_input_init(&in, g->limits, g->keys);
	r = compare_live_list(g->live, &what, &in, &g->err);
	if (r < 0)
		(void)err_wrap(&g->err, "failed to fetch %.*s", STR_ARG(val_str(VAL_GET(spec, "kind"))));
	warn_unread(&in.problems);
	if (r == 0) {
		r = write_all(g, spec, &in);
	} else if (may_be_missing(g, spec, r)) {
		klog_warning("%s: it is not required, and the reference is written without it", g->err.msg);
		r = 0;
	}
	compare_input_done(&in);
	return r;
}

static int capture(struct generator *g, val spec)
{
	size_t before = g->n_captured;
	int r;

	if (g->o->verbose)
		say_fetching(spec);
	r = g->must_gather ? write_all(g, spec, &g->gathered) : capture_listed(g, spec);
	if (r == 0 && g->o->verbose)
		klog_info("  Found %zu resource(s)", g->n_captured - before);
	return r;
}

/* ---- metadata.yaml ---- */

static void add_lower(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_add_byte(out, s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] + ('a' - 'A')) : s.p[i]);
}

/* Append a part. Kinds and paths consist of safe characters and need no quotes; the kind is made safe first, because
 * it is what the user wrote. */
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
			   "    - include: cluster-compare-built-in\n");
	generate_omitted(&out, g->config);
	buf_add_cstr(&out, g->parts.n ? "parts:\n" : "parts: []\n");
	for (size_t i = 0; i < g->parts.n; i++)
		add_part(&out, &g->parts.p[i]);
	if (out.error)
		return err_nomem(&g->err);
	return generate_output_write(&g->output, GENERATE_METADATA, 0644, buf_str(&out), &g->err);
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

static int open_source(struct generator *g)
{
	int r;

	if (g->must_gather) {
		if (g->o->verbose)
			klog_info("Using must-gather directory: %s", g->must_gather);
		return gather(g);
	}
	r = compare_live_open(g->o, g->limits, g->keys, &g->live, &g->err);
	if (r == 0 && g->o->verbose)
		klog_info("Connected to Kubernetes cluster");
	return r;
}

static int generate(struct generator *g)
{
	val specs;
	int r = load_config(g);

	specs = VAL_GET(g->config, "resources");
	if (r == 0 && g->o->verbose) {
		klog_info("Loaded configuration from %s", g->o->generate);
		klog_info("  Resources to capture: %u", val_count(specs));
	}
	if (r == 0)
		r = open_source(g);
	if (r == 0)
		r = generate_output_begin(&g->output, g->dir, &g->err);
	if (r == 0 && writes_manifests(g) && !g->output.missing) /* the files in it may be the same objects */
		r = err_set(&g->err, EEXIST, "%s is there already: manifests are written to a folder of their own",
			    g->dir);
	for (uint32_t i = 0; i < val_count(specs) && r == 0; i++)
		r = capture(g, val_at(specs, i));
	if (r == 0 && !writes_manifests(g))
		r = write_metadata(g);
	return r < 0 ? r : generate_output_commit(&g->output, &g->err);
}

/* The folder that -f names, or --must-gather. */
static const char *must_gather_of(const struct compare_options *o)
{
	return o->files.v.n ? o->files.v.p[0] : o->must_gather;
}

int compare_generate(const struct compare_options *o, const struct limits *limits, struct key_table *keys)
{
	CLEANUP(generator_done)
	struct generator g = {
		.o = o, .limits = limits, .keys = keys, .must_gather = must_gather_of(o), .missing = BUF_INIT(1 << 20)
	};

	arena_init(&g.arena, 0, 0);
	if (generate(&g) < 0) {
		fprintf(stderr, "error: %s\n", g.err.msg);
		return 1;
	}
	return say_done(&g);
}
