/* driftd compare: files or a live cluster against a reference, once. */
#include "daemon/compare/command.h"

#include "base/file.h"
#include "base/key.h"
#include "compare/correlate.h"
#include "config/part.h"
#include "daemon/compare/applied_live.h"
#include "daemon/compare/generate.h"
#include "daemon/compare/helm.h"
#include "daemon/compare/idle.h"
#include "daemon/compare/input.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/live.h"
#include "daemon/compare/manifest_live.h"
#include "daemon/compare/manifests.h"
#include "daemon/compare/options.h"
#include "daemon/compare/pipeline.h"
#include "daemon/compare/reference.h"
#include "daemon/compare/report.h"
#include "daemon/compare/run.h"
#include "daemon/compare/scratch.h"
#include "go/path_error.h"
#include "go/zoneinfo.h"
#include "mask/credentials.h"
#include "reference/go_decode.h"
#include "value/yaml.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXIT_DIFFERENCES 1
#define EXIT_TROUBLE 2
#define HEAP_STEP (4 << 20)
#define HEAP_FIRST (16 << 20) /* asked for at once; what is not used is never touched */
#define LARGE_PAGE (2 << 20)
#define OUTPUT_MAX ((size_t)2 << 30)
#define PATH_TEXT_MAX (1u << 20)

#define OVERLAPPING                                                                                                    \
	"The reference contains overlapping object definitions which may result in unexpected correlation results. "   \
	"Re-run with "                                                                                                 \
	"'--verbose' output enabled to view a detailed description of the issues"
#define MORE_THAN_ONE                                                                                                  \
	"More than one template with same %.*s. By Default for each Cluster CR that is correlated to one of these "    \
	"templates the "                                                                                               \
	"template with the least number of diffs will be used. To use a different template for a specific CR specify " \
	"it in the "                                                                                                   \
	"diff-config (-c flag) Template names are: %.*s"

/* Everything that one run holds. */
struct session {
	struct compare_options options;
	struct limits limits;
	struct key_table *keys;
	enum compare_format format;
	struct compare_source source;
	struct reference *reference;
	struct matcher *matcher;
	struct overrides *overrides;
	struct compare_rules *rules;
	struct compare_accepted *accepted;
	struct compare_inspection *inspection;
	struct doc *config_doc;
	val config; /* the configuration of the pairs, from that document */
	struct strmap manual;
	struct live *live;
	struct compare_input input;
	struct compare_run run;
	bool judged;                        /* the objects are judged while they are read */
	struct compare_manifests manifests; /* instead of a reference */
	struct compare_helm helm;           /* where they come from */
};

static void session_done(struct session *s)
{
	live_close(s->live);
	compare_source_close(&s->source);
	compare_run_done(&s->run);
	compare_manifests_done(&s->manifests);
	compare_helm_done(&s->helm);
	if (HAS_INSPECTION)
		compare_inspection_free(s->inspection);
	compare_input_done(&s->input);
	strmap_done(&s->manual);
	doc_unref(s->config_doc);
	overrides_free(s->overrides);
	compare_rules_free(s->rules);
	compare_accepted_free(s->accepted);
	matcher_free(s->matcher);
	reference_unref(s->reference);
	key_table_free(s->keys);
	compare_options_done(&s->options);
}

/* ---- messages ---- */

static int trouble(const char *text)
{
	size_t n = strlen(text);

	fprintf(stderr, "error: %s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
	return EXIT_TROUBLE;
}

static int usage_error(const char *text)
{
	fprintf(stderr, "error: %s\nSee 'cluster-compare -h' for help and examples\n", text);
	return EXIT_TROUBLE;
}

/* ---- the reference ---- */

static void reference_warning(void *ctx, const char *text)
{
	(void)ctx;
	klog_warning("%s", text);
}

/* "shop/metadata.yaml:7:13: …", with the folder as it was given. */
static void reference_mistake(void *ctx, const struct ref_mistake *m)
{
	const struct session *s = ctx;
	CLEANUP(buf_done) struct buf place = BUF_INIT(PATH_TEXT_MAX);
	ptrdiff_t slash = str_rfind(str_from(s->options.reference), STR("/"));

	if (!m->warning)
		return; /* stands in the error */
	buf_add_str(&place, str_sub(str_from(s->options.reference), 0, (size_t)(slash + 1)));
	buf_add_str(&place, m->file);
	if (m->line)
		buf_printf(&place, ":%zu", m->line);
	if (m->line && m->column)
		buf_printf(&place, ":%zu", m->column);
	klog_warning("%.*s: %s", STR_ARG(buf_str(&place)), m->text);
}

static void reference_progress(void *ctx, str path)
{
	const struct session *s = ctx;

	if (s->options.verbose)
		klog_info("Pre-processing template %.*s with empty data", STR_ARG(path));
}

static int early_lookup(void *ctx, const struct tmpl_lookup *q, const val **ret, size_t *n, struct err *err)
{
	const struct session *s = ctx;

	(void)err;
	if (s->options.verbose)
		klog_info("pre-init lookupCRs \"%.*s\" \"%.*s\" \"%.*s\" \"%.*s\" located 0 objects",
			  STR_ARG(q->api_version), STR_ARG(q->kind), STR_ARG(q->namespace), STR_ARG(q->name));
	*ret = NULL;
	*n = 0;
	return 0;
}

static int load_reference(struct session *s)
{
	struct problems problems = { 0 };
	struct ref_options o = { .limits = &s->limits,
				 .keys = s->keys,
				 .name = str_from(s->options.reference),
				 .warning = reference_warning,
				 .progress = reference_progress,
				 .mistake = reference_mistake,
				 .lookup = early_lookup,
				 .ctx = s,
				 .zones = &go_zoneinfo };
	struct ref_source files;
	struct err err;
	int r = compare_source_open(s->options.reference, &s->limits, &s->source, &err);

	if (r < 0)
		return trouble(err.msg);
	files = compare_source_files(&s->source);
	o.metadata_path = str_from(s->source.metadata);
	r = reference_load(&files, &o, &s->reference, &problems, &err);
	if (r < 0) {
		CLEANUP(freep) char *text = problems_any(&problems) ? problems_text(&problems) : NULL;

		trouble(text ? text : err.msg);
	}
	problems_done(&problems);
	return r < 0 ? EXIT_TROUBLE : 0;
}

/* ---- manual pairs ---- */

static const struct go_type pairs_type = { .kind = GO_MAP, .name = "map[string]string", .elem = &go_string };
static const struct go_field manual_fields[] = { { .name = "correlationPairs", .type = &pairs_type } };
static const struct go_type manual_type = {
	.kind = GO_STRUCT, .name = "compare.ManualCorrelation", .label = "ManualCorrelation", GO_FIELDS(manual_fields)
};
static const struct go_field settings_fields[] = { { .name = "manualCorrelation", .type = &manual_type } };
static const struct go_type settings_type = { .kind = GO_STRUCT,
					      .name = "compare.CorrelationSettings",
					      .label = "CorrelationSettings",
					      GO_FIELDS(settings_fields) };
static const struct go_field config_fields[] = { { .name = "correlationSettings", .type = &settings_type } };
static const struct go_type config_type = {
	.kind = GO_STRUCT, .name = "compare.UserConfig", .label = "UserConfig", GO_FIELDS(config_fields)
};

static const struct ref_template *find_template(const struct reference *ref, str path)
{
	const struct ref_template *found = NULL;

	for (size_t i = 0; i < ref->n_templates; i++) {
		if (str_eq(ref->templates[i]->path, path))
			found = ref->templates[i]; /* the last of several listings counts */
	}
	return found;
}

static int find_pairs(struct session *s)
{
	val pairs = val_dig(s->config, "correlationSettings", "manualCorrelation", "correlationPairs", NULL);

	for (uint32_t i = 0; i < val_count(pairs); i++) {
		str path = val_str(pairs.members[i].value);
		const struct ref_template *t = find_template(s->reference, path);
		CLEANUP(freep) char *text = NULL;

		if (!t) {
			if (asprintf(&text,
				     "error in template manual matching for resource: %.*s no template in the name of "
				     "%.*s",
				     STR_ARG(key_str(pairs.members[i].key)), STR_ARG(path)) < 0)
				return trouble("out of memory");
			return trouble(text);
		}
		if (!strmap_put(&s->manual, key_str(pairs.members[i].key), (void *)(uintptr_t)t, NULL))
			return trouble("out of memory");
	}
	return 0;
}

static int config_trouble(const char *what, const char *why)
{
	fprintf(stderr, "error: %s%s\n", what, why);
	return EXIT_TROUBLE;
}

/* Append the elements of @path, each behind a slash; ".." takes one away. */
static void add_elements(struct buf *out, str path)
{
	str element;

	while (str_next_part(&path, '/', &element)) {
		if (str_eq(element, STR(".."))) {
			while (out->n && out->p[out->n - 1] != '/')
				buf_truncate(out, out->n - 1);
			if (out->n)
				buf_truncate(out, out->n - 1);
		} else if (element.n && !str_eq(element, STR("."))) {
			buf_add_byte(out, '/');
			buf_add_str(out, element);
		}
	}
}

/* Make a path absolute by its text alone, as Go's filepath.Abs does: symbolic links are not followed. */
static char *absolute_path(const char *name)
{
	CLEANUP(freep) char *folder = *name == '/' ? NULL : getcwd(NULL, 0);
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_TEXT_MAX);

	if (folder)
		add_elements(&path, str_from(folder));
	add_elements(&path, str_from(name));
	if (!path.n)
		buf_add_byte(&path, '/');
	return buf_steal(&path);
}

static int read_diff_config(const char *name, size_t max, char **text, size_t *len)
{
	CLEANUP(freep) char *full = absolute_path(name);
	struct err err;
	int r;

	if (!full)
		return trouble("out of memory");
	r = file_read(full, max, text, len, &err);
	if (r == 0)
		return 0;
	if (r != -ENOMEM && r != -E2BIG)
		go_path_error(&err, -r, r == -EISDIR ? "read" : "open", full + 1);
	return config_trouble("User Config File not found. error: ", err.msg);
}

static int load_diff_config(struct session *s)
{
	static const char bad[] = "User config file isn't in correct format. error: ";
	static const struct go_decode_options options = { .strict = true, .from_yaml = true };
	struct yaml_options o = { .limits = &s->limits, .strict = true };
	CLEANUP(freep) char *text = NULL;
	size_t len = 0;
	struct err err;
	int r;

	if (!s->options.diff_config || !*s->options.diff_config)
		return 0;
	if (read_diff_config(s->options.diff_config, s->limits.file_bytes, &text, &len))
		return EXIT_TROUBLE;
	r = yaml_decode((str){ text, len }, &o, &s->config_doc, &err);
	if (r < 0) {
		err_wrap(&err, "error converting YAML to JSON");
		return config_trouble(bad, err.msg);
	}
	r = go_decode(s->config_doc->root, &config_type, &options, &s->config_doc->arena, &s->config, NULL, &err);
	if (r < 0) {
		err_wrap(&err, "error unmarshaling JSON: while decoding JSON");
		return config_trouble(bad, err.msg);
	}
	return 0;
}

/* ---- overrides ---- */

static int load_overrides(struct session *s)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(buf_done) struct buf message = BUF_INIT(1 << 20);
	const char *name = s->options.overrides;
	size_t len = 0;
	struct err err;
	int r;

	if (!name || !*name)
		return 0;
	r = file_read(name, s->limits.file_bytes, &text, &len, &err);
	if (r < 0) {
		if (r != -ENOMEM && r != -E2BIG)
			go_path_error(&err, -r, r == -EISDIR ? "read" : "open", name);
		return config_trouble("failed to load user overrides: ", err.msg);
	}
	r = overrides_load((str){ text, len }, &s->limits, &s->overrides, &message, &err);
	return r < 0 ? config_trouble("failed to load user overrides: ", message.n ? message.p : err.msg) : 0;
}

static int load_rules(struct session *s)
{
	CLEANUP(freep) char *mistakes = NULL;
	struct err err;

	if (!s->options.rules.v.n)
		return 0;
	if (compare_rules_load(&s->options.rules, &s->limits, &s->rules, &mistakes, &err) < 0)
		return trouble(mistakes ? mistakes : err.msg);
	return 0;
}

static int load_accepted(struct session *s)
{
	CLEANUP(freep) char *mistakes = NULL;
	struct err err;

	if (!s->options.accepted)
		return 0;
	if (compare_accepted_load(s->options.accepted, &s->limits, s->keys, (int64_t)time(NULL) * 1000000, &s->accepted,
				  &mistakes, &err) < 0)
		return trouble(mistakes ? mistakes : err.msg);
	return 0;
}

static int load_inspection(struct session *s)
{
	CLEANUP(freep) char *mistakes = NULL;
	struct err err;

	if (!HAS_INSPECTION || !s->options.inspection_rules.v.n)
		return 0;
	if (compare_inspection_load(&s->options, &s->limits, s->keys, &s->inspection, &mistakes, &err) < 0)
		return trouble(mistakes ? mistakes : err.msg);
	return 0;
}

/* ---- collisions ---- */

struct overlap {
	bool verbose;
	unsigned fields;  /* the fields of the lines so far */
	struct buf lines; /* the lines about one group of fields */
};

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

static void flush(struct overlap *o)
{
	if (!o->fields)
		return;
	if (o->verbose)
		klog_warning("%.*s", STR_ARG(buf_str(&o->lines)));
	else
		klog_warning("%s", OVERLAPPING);
	buf_clear(&o->lines);
	o->fields = 0;
}

static void add_overlap(struct overlap *o, unsigned fields, str *names, size_t n)
{
	CLEANUP(buf_done) struct buf field_text = BUF_INIT(256);
	CLEANUP(buf_done) struct buf list = BUF_INIT(1 << 20);

	if (fields != o->fields)
		flush(o);
	qsort(names, n, sizeof(*names), by_bytes);
	for (size_t i = 0; i < n; i++) {
		buf_add_cstr(&list, i ? ", " : "");
		buf_add_str(&list, names[i]);
	}
	correlate_fields_text(fields, &field_text);
	buf_add_cstr(&o->lines, o->fields ? "\n" : "");
	buf_printf(&o->lines, MORE_THAN_ONE, STR_ARG(buf_str(&field_text)), STR_ARG(buf_str(&list)));
	o->fields = fields;
}

static void templates_overlap(void *ctx, unsigned fields, const struct ref_template *const *templates, size_t n)
{
	CLEANUP(freep) str *names = calloc(n, sizeof(*names));

	for (size_t i = 0; names && i < n; i++)
		names[i] = templates[i]->path;
	if (names)
		add_overlap(ctx, fields, names, n);
}

/* An override has no name of its own: all its fields, as fmt prints a struct. */
static str override_name(const struct override *o, struct arena *a)
{
	return arena_printf(a, "{%.*s %.*s %.*s %.*s %.*s %.*s %.*s %.*s %.*s}", STR_ARG(o->identity.name),
			    STR_ARG(o->identity.api_version), STR_ARG(o->identity.kind), STR_ARG(o->identity.namespace),
			    STR_ARG(o->exact_match), STR_ARG(o->reason), STR_ARG(o->type), STR_ARG(o->patch),
			    STR_ARG(o->template_path));
}

static void overrides_overlap(void *ctx, unsigned fields, const struct override *const *list, size_t n)
{
	CLEANUP(freep) str *names = calloc(n, sizeof(*names));
	struct arena a;

	arena_init(&a, 0, 0);
	for (size_t i = 0; names && i < n; i++)
		names[i] = override_name(list[i], &a);
	if (names)
		add_overlap(ctx, fields, names, n);
	arena_done(&a);
}

static int prepare_correlation(struct session *s)
{
	struct overlap o = { .verbose = s->options.verbose, .lines = BUF_INIT(16 << 20) };
	struct err err;
	int r = matcher_new(s->reference, &s->matcher, &err);

	if (r < 0)
		return trouble(err.msg);
	matcher_collisions(s->matcher, templates_overlap, &o);
	flush(&o);
	if (s->overrides)
		overrides_collisions(s->overrides, overrides_overlap, &o);
	flush(&o);
	buf_done(&o.lines);
	return 0;
}

/* ---- objects ---- */

/* A list of problems may be longer than an error. */
static int input_trouble(const struct session *s, const struct err *err)
{
	return trouble(s->input.refusal.n ? s->input.refusal.p : err->msg);
}

/* What has manifests in place of a reference with templates, as the option that says so; NULL: it has none. */
static const char *manifests_option(const struct compare_options *o)
{
	if (o->helm)
		return "--helm";
	if (o->last_applied)
		return "--last-applied";
	return o->manifests && *o->manifests ? "--manifests" : NULL;
}

/* One that is not there may be in what could not be read. */
static int open_releases(struct session *s, struct err *err)
{
	int r = compare_helm_open(&s->helm, &s->manifests, &s->input, err);

	if (r == -ENOENT && problems_any(&s->input.problems))
		return compare_input_refuse(&s->input, COMPARE_UNREAD, &s->input.problems, err);
	return r;
}

static int load_live_manifests(struct session *s, struct err *err)
{
	int r = 0;

	if (s->options.last_applied)
		return applied_live_load(s->live, &s->options.kinds, s->manifests.only, &s->input, err);
	if (s->options.helm)
		r = compare_helm_list(&s->helm, s->live, &s->input, err);
	if (r == 0 && s->options.helm)
		r = open_releases(s, err);
	return r < 0 ? r : manifest_live_load(s->live, &s->manifests, &s->input, err);
}

static int load_live(struct session *s)
{
	struct err err;
	int r = compare_live_open(&s->options, &s->limits, s->keys, &s->live, &err);

	if (r == 0 && manifests_option(&s->options))
		return load_live_manifests(s, &err) < 0 ? input_trouble(s, &err) : 0;
	if (r == 0)
		r = compare_live_load(s->live, s->reference, s->options.all || s->manual.n, &s->input, &err);
	if (r == 0 && compare_run_reads_schemas(&s->run))
		r = compare_live_define(s->live, s->reference, &s->input, &err);
	return r < 0 ? input_trouble(s, &err) : 0;
}

static void say_loaded(const struct compare_input *in)
{
	for (size_t i = 0; i < in->names.n; i++)
		klog_info("Loading object %.*s", STR_ARG(in->names.p[i]));
}

static unsigned thread_count(int64_t asked)
{
	return asked < 1 ? 1 : asked > 1000 ? 1000 : (unsigned)asked;
}

/* Whether each object can be judged alone, and forgotten: where no other is asked for, nor what definitions say, no
 * patch is made of it, and no program runs for one that might be there twice. Inspection rules look at dependents. */
static bool judges_one_by_one(const struct session *s)
{
	return !s->inspection && !s->run.external && !s->options.generate_for.v.n && !compare_run_looks_up(&s->run) &&
	       !compare_run_reads_schemas(&s->run);
}

static int load_files(struct session *s)
{
	CLEANUP(compare_sources_done) struct compare_sources sources = { 0 };
	struct err err;
	int r = compare_sources_find(&s->options, &s->input, &sources, &err);

	s->judged = !manifests_option(&s->options) && judges_one_by_one(s);
	if (r == 0)
		r = compare_pipeline(&sources, &s->input, s->judged ? &s->run : NULL,
				     thread_count(s->options.concurrency), &err);
	/* One file of many that cannot be read is reported beside the results of the others. Without a whole source all
	 * that it holds would be reported as missing. */
	if (r == 0 && (!s->input.any_read || s->input.lost))
		r = compare_input_refuse(&s->input, COMPARE_UNREAD, &s->input.problems, &err);
	if (r == 0 && s->options.helm)
		r = compare_helm_find(&s->helm, &s->input, &err);
	if (r == 0 && s->options.helm)
		r = open_releases(s, &err);
	return r < 0 ? input_trouble(s, &err) : 0;
}

static bool has_files(const struct compare_options *o)
{
	return o->files.v.n || (o->kustomize && *o->kustomize);
}

/* From files, objects are judged on the way where that is possible. */
static int load_objects(struct session *s)
{
	int status;

	compare_input_init(&s->input, &s->limits, s->keys);
	status = has_files(&s->options) ? load_files(s) : load_live(s);
	if (!status && s->options.verbose)
		say_loaded(&s->input);
	return status;
}

/* ---- judging and reporting ---- */

static int prepare_run(struct session *s)
{
	static const struct mask_fields usual;
	const char *external = getenv("KUBECTL_EXTERNAL_DIFF");

	s->run = (struct compare_run){
		.matcher = s->matcher,
		.input = &s->input,
		.limits = &s->limits,
		.overrides = s->overrides,
		.review = compare_rules_review(s->rules),
		.accepted = s->accepted,
		.inspection = s->inspection,
		.manual = s->manual.n ? &s->manual : NULL,
		.managed_fields = s->options.managed_fields,
		.mask = s->options.mask == SWITCH_ON ? &usual : NULL,
		.verbose = s->options.verbose,
		.progress = isatty(STDERR_FILENO) && !s->options.verbose,
		.generate_for = &s->options.generate_for,
		.external = external && *external ? external : NULL,
	};
	return 0;
}

static int judge_all(struct session *s)
{
	unsigned threads;
	struct err err;

	if (s->judged)
		return 0;
	threads = s->inspection ? 1 : thread_count(s->options.concurrency);
	return compare_run_all(&s->run, threads, &err) < 0 ? trouble(err.msg) : 0;
}

static int write_trouble(int code)
{
	struct err err;

	go_path_error(&err, code, "write", "/dev/stdout");
	err_wrap(&err, "error occurred when writing output");
	return trouble(err.msg);
}

/* 0, or the exit status. A reader that has seen enough needs no explanation. */
static int print(str text)
{
	CLEANUP(buf_done) struct buf space = BUF_INIT(SIZE_MAX);
	str shown = credentials_shown(text, &space);
	int r = space.error ? space.error : file_write_all(STDOUT_FILENO, shown);

	if (r == 0)
		return 0;
	return r == -EPIPE ? EXIT_TROUBLE : write_trouble(-r);
}

/* There was nothing to compare, and that is not what the reference asks for. */
static bool is_empty(const struct session *s)
{
	return !s->input.objects.n && !problems_any(&s->input.problems) &&
	       !(s->input.known && compare_only_forbids(s->reference));
}

static struct compare_report_options report_options(const struct session *s)
{
	return (struct compare_report_options){
		.format = s->format,
		.all = s->options.all,
		.verbose = s->options.verbose,
		.colour = s->format == FORMAT_TEXT && compare_wants_colour(&s->run),
		.overrides_file = s->options.overrides,
		.reason = s->options.reason,
		.now = time(NULL),
	};
}

/* The report, and the errors behind it: an object that could not be compared does not keep the others from being
 * reported. */
static int print_results(const struct session *s, int found, const struct buf *out, const struct buf *errors)
{
	if (print(buf_str(out)))
		return EXIT_TROUBLE;
	if (errors->n)
		return trouble(errors->p);
	return found && s->format != FORMAT_PATCHES ? EXIT_DIFFERENCES : 0;
}

static int report(struct session *s)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);
	CLEANUP(buf_done) struct buf errors = BUF_INIT(OUTPUT_MAX);
	struct compare_report_options o = report_options(s);
	struct err err;
	int found = compare_report(&s->run, &o, &out, &errors, &err);

	if (found < 0)
		return trouble(err.msg);
	if (!found && is_empty(s))
		return trouble(s->input.known ? "the cluster has no object that a template is for: nothing was compared"
					      : "there is no object in the input: nothing was compared");
	compare_warn_idle(&s->run);
	return print_results(s, found, &out, &errors);
}

/* ---- manifests ---- */

static int manifests_trouble(int r, const char *mistakes, const struct err *err)
{
	return r < 0 ? trouble(mistakes ? mistakes : err->msg) : 0;
}

static int load_manifests(struct session *s)
{
	CLEANUP(freep) char *mistakes = NULL;
	const char *part = manifests_option(&s->options) + strlen("--");
	struct err err;
	int r = compare_manifests_init(&s->options, &s->limits, s->keys, part, &s->manifests, &err);

	s->manifests.apart = s->options.helm;
	s->manifests.applied = s->options.last_applied;
	s->manifests.only = str_from(s->options.namespace);
	if (r == 0 && s->options.helm)
		r = compare_helm_init(&s->options, &s->limits, s->keys, &s->helm, &err);
	else if (r == 0 && !s->options.last_applied)
		r = compare_manifests_load(&s->options, &s->manifests, &mistakes, &err);
	s->manifests.review = compare_rules_review(s->rules);
	s->manifests.inspection = s->inspection;
	return manifests_trouble(r, mistakes, &err);
}

static int finish_manifests(struct session *s)
{
	CLEANUP(freep) char *mistakes = NULL;
	struct err err;
	int r = compare_manifests_finish(&s->manifests, &s->input, &mistakes, &err);

	return manifests_trouble(r, mistakes, &err);
}

static int report_manifests(struct session *s)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);
	CLEANUP(buf_done) struct buf errors = BUF_INIT(OUTPUT_MAX);
	struct compare_report_options o = report_options(s);
	struct err err;
	int found = compare_manifests_report(&s->manifests, &s->input, &o, &out, &errors, &err);

	return found < 0 ? trouble(err.msg) : print_results(s, found, &out, &errors);
}

/* ---- the command ---- */

static int show_functions(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1 << 20);

	compare_functions_text(&out);
	return print(buf_str(&out));
}

static enum compare_format find_format(const char *name)
{
	static const char *const names[] = { [FORMAT_JSON] = "json",
					     [FORMAT_YAML] = "yaml",
					     [FORMAT_JUNIT] = "junit",
					     [FORMAT_PATCHES] = "generate-patches" };

	for (size_t i = FORMAT_JSON; name && i < ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return (enum compare_format)i;
	}
	return FORMAT_TEXT;
}

static bool is_format(const char *name)
{
	return !name || !*name || strcmp(name, "text") == 0 || find_format(name) != FORMAT_TEXT;
}

static int check_format(struct session *s)
{
	char text[256];

	s->format = find_format(s->options.output);
	if (is_format(s->options.output))
		return 0;
	snprintf(text, sizeof(text),
		 "unknown output format \"%.100s\", expected one of: json, yaml, generate-patches, junit",
		 s->options.output);
	return usage_error(text);
}

static int cannot_both(const char *one, const char *other)
{
	char text[256];

	snprintf(text, sizeof(text), "cannot use %s and %s together", one, other);
	return usage_error(text);
}

/* Inspection rules may edit what is compared, and what they find is no override. */
static int check_inspection(struct session *s)
{
	const struct compare_options *o = &s->options;
	static const char option[] = "--inspection-rules";

	if (!o->inspection_rules.v.n)
		return o->inspection_scope ? usage_error("--inspection-scope goes with --inspection-rules") : 0;
	if (!HAS_INSPECTION)
		return trouble(NOT_BUILT("inspection", "DRIFTD_INSPECTION"));
	if (o->generate && *o->generate)
		return cannot_both(option, "-g");
	if (o->generate_for.v.n || s->format == FORMAT_PATCHES)
		return cannot_both(option, "--generate-override-for or -o generate-patches");
	return o->managed_fields ? cannot_both(option, "--show-managed-fields") : 0;
}

/* What is only for references of templates, and cannot be meant. */
static int check_manifest_options(struct session *s)
{
	const struct compare_options *o = &s->options;
	const char *option = manifests_option(o);
	int status = check_format(s);

	if (status)
		return status;
	if ((o->helm || o->last_applied) && o->manifests && *o->manifests)
		return cannot_both("--manifests", option);
	if (o->helm && o->last_applied)
		return cannot_both("--last-applied", option);
	if (o->reference && *o->reference)
		return cannot_both("-r", option);
	if (o->generate && *o->generate)
		return cannot_both("-g", option);
	if (o->accepted)
		return cannot_both("--accepted", option);
	if (o->overrides || o->diff_config || o->generate_for.v.n || s->format == FORMAT_PATCHES)
		return cannot_both("-p, -c, --generate-override-for or -o generate-patches, which are for templates,",
				   option);
	if ((o->helm || o->last_applied) && (o->include.v.n || o->exclude.v.n))
		return cannot_both("--include or --exclude", option);
	if (!o->helm && o->helm_driver)
		return usage_error("--helm-driver goes with --helm");
	if (!o->last_applied && o->kinds.v.n)
		return usage_error("--kinds goes with --last-applied");
	if (o->last_applied && !o->kinds.v.n == !has_files(o))
		return usage_error("--last-applied takes objects from -f, or those of --kinds from a cluster");
	for (size_t i = 0; i < o->files.v.n && o->manifests && *o->manifests; i++) {
		if (strcmp(o->files.v.p[i], "-") == 0 && strcmp(o->manifests, "-") == 0)
			return usage_error("standard input cannot be both the manifests and the objects");
	}
	return 0;
}

/* What the original checks before it reads anything. */
static int check_options(struct session *s)
{
	const struct compare_options *o = &s->options;
	int status = check_format(s);

	if (status)
		return status;
	if (o->additions || o->include.v.n || o->exclude.v.n || o->helm_driver || o->kinds.v.n)
		return usage_error("--additions, --include, --exclude, --helm-driver and --kinds go with manifests");
	if (s->format == FORMAT_PATCHES && !o->generate_for.v.n)
		return usage_error("Requested user override generation but no entires for which template to generate "
				   "overrides for");
	if (s->format == FORMAT_PATCHES && !(o->reason && *o->reason))
		return usage_error("Reason required when generating overrides");
	if (o->mask == SWITCH_ON && o->generate_for.v.n)
		return usage_error("--mask hides values, and overrides are made of them: give only one of the two");
	if (!o->reference || !*o->reference)
		return usage_error("\"Reference config file is required\"");
	return 0;
}

static int check_arguments(struct session *s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	if (!s->options.args.v.n || s->options.helm) /* there they are releases */
		return 0;
	buf_add_cstr(&text, "Unexpected args: [");
	for (size_t i = 0; i < s->options.args.v.n; i++)
		buf_printf(&text, "%s%s", i ? " " : "", s->options.args.v.p[i]);
	buf_add_byte(&text, ']');
	return usage_error(text.p ? text.p : "");
}

static int check_generate(struct session *s)
{
	const struct compare_options *o = &s->options;
	int status;

	if (o->reference && *o->reference)
		return usage_error("cannot use -r and -g together; use -r for compare or -g for generate");
	status = check_arguments(s);
	if (status)
		return status;
	if (o->kustomize && *o->kustomize)
		return usage_error("cannot use -k with -g; use -f with a must-gather directory path, or omit -f for a "
				   "live cluster");
	if (o->files.v.n + (o->must_gather != NULL) > 1)
		return usage_error("with -g, specify at most one must-gather path with -f (or omit -f to use the live "
				   "cluster)");
	if (o->mask == SWITCH_ON)
		return usage_error("--mask hides values, and a reference is made of them: give only one of the two");
	if (o->accepted)
		return cannot_both("--accepted", "-g");
	return check_inspection(s);
}

static int generate(struct session *s)
{
	int status = check_generate(s);

	return status ? status : compare_generate(&s->options, &s->limits, s->keys);
}

/* Compare each manifest with its object. */
static int compare_manifests(struct session *s)
{
	static int (*const steps[])(
		struct session *) = { check_manifest_options, check_inspection, check_arguments, load_rules,
				      load_inspection,        load_manifests,   load_objects,    finish_manifests };
	int status = 0;

	for (size_t i = 0; i < ARRAY_LEN(steps) && !status; i++)
		status = steps[i](s);
	return status ? status : report_manifests(s);
}

static int compare(struct session *s)
{
	static int (*const steps[])(struct session *) = { check_inspection, load_reference, load_diff_config,
							  load_overrides,   load_rules,     load_accepted,
							  load_inspection,  find_pairs,     prepare_correlation,
							  prepare_run };
	int status = check_options(s);

	for (size_t i = 0; i < ARRAY_LEN(steps) && !status; i++)
		status = steps[i](s);
	if (!status)
		status = check_arguments(s);
	if (!status)
		status = load_objects(s);
	if (!status)
		status = judge_all(s);
	return status ? status : report(s);
}

static int show_help(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64 << 10);

	if (compare_reveal())
		return 0;
	compare_usage(&out);
	return print(buf_str(&out));
}

static int show_version(void)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(256);

	buf_printf(&out, "cluster-compare version driftd-%s (%s)\n", DRIFTD_VERSION, DRIFTD_REVISION);
	return print(buf_str(&out));
}

/* One run that ends soon: growing in large steps and giving nothing back spares the system calls, and large pages, for
 * which the kernel is asked, most of the faults. */
static void prepare_heap(void)
{
	uintptr_t from;
	char *p;

	mallopt(M_TOP_PAD, HEAP_STEP);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_MMAP_THRESHOLD, HEAP_FIRST * 2);
	p = malloc(HEAP_FIRST);
	from = ((uintptr_t)p + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (p) /* nothing is lost without */
		(void)madvise((void *)from, HEAP_FIRST - LARGE_PAGE, MADV_HUGEPAGE);
	free(p);
}

int cmd_compare(int argc, char **argv)
{
	CLEANUP(session_done) struct session s = { .limits = LIMITS_DEFAULT };
	struct err err;

	signal(SIGPIPE, SIG_IGN);
	prepare_heap();
	if (compare_options_parse(&s.options, argc, argv, &err) < 0)
		return usage_error(err.msg);
	if (s.options.help)
		return show_help();
	if (s.options.version)
		return show_version();
	if (s.options.show_functions)
		return show_functions();
	if (scratch_begin(&err) < 0)
		return trouble(err.msg);
	s.keys = key_table_new();
	if (!s.keys)
		return trouble("out of memory");
	if (manifests_option(&s.options))
		return compare_manifests(&s);
	return s.options.generate && *s.options.generate ? generate(&s) : compare(&s);
}
