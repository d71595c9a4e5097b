/* driftd validate: objects of files against the rules of files. */
#include "config/command_line.h"
#include "daemon/validate/commands.h"

#include "base/severity.h"
#include "cel/cel.h"
#include "config/exit_status.h"
#include "daemon/validate/files.h"
#include "go/zoneinfo.h"
#include "rules/crd_schema.h"
#include "rules/failure_text.h"
#include "rules/kind_rules.h"
#include "rules/rule_path.h"
#include "value/identity.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

#define FILES_MAX 256
#define OUTPUT_MAX (256u << 20)

static void usage(FILE *to)
{
	fputs("Usage: driftd validate -f FILE -f FILE... [--old FILE] [options]\n"
	      "Validate objects against CEL rules: those of CustomResourceDefinitions, and those of rule files.\n\n"
	      "  -f, --filename FILE  definition, rule file or object (YAML or JSON, several documents, - for standard "
	      "input);\n"
	      "                       may be given several times\n"
	      "      --old FILE       the objects before: for rules with oldSelf; what has not changed is only warned "
	      "of\n"
	      "  -o, --output FORM    text (default) or json\n"
	      "      --no-mask        show what messages say of passwords, tokens and the like, too\n"
	      "  -h, --help           this text\n\n"
	      "Objects that no rule is for are named on standard error; they pass when others were judged.\n\n"
	      "Exit status: 0 all objects pass, 1 rules are violated, 2 wrong usage, files that cannot be read, rules "
	      "that do not\n"
	      "compile, nothing to judge: no rule, no object, or no object that a rule is for.\n",
	      to);
}

/* The rules of one kind, and the file that its definition is from. */
struct kind {
	struct kind_rules rules;
	const char *crd_path;
};

struct validate_command {
	const char *files[FILES_MAX];
	size_t n_files;
	const char *old;
	bool json;
	bool unmasked;
	struct limits limits;
	struct key_table *keys;
	struct documents crds, objects, olds;
	VEC(struct rule_file *) rule_files;
	VEC(struct kind *) kinds;
	struct arena scratch; /* of one object */
	struct buf out;
	size_t n_failures, n_warnings, n_bad_rules;
	size_t n_judged; /* objects that a rule was held against */
};

/* ---- reading ---- */

/* A rule file: its first entry has rules, and is no object (a Role has rules too). */
static bool holds_rules(const struct documents *d)
{
	val first = d->list.n ? d->list.p[0].root : (val){ 0 };

	if (val_is_list(first))
		first = val_at(first, 0);
	return val_is_list(VAL_GET(first, "rules")) && !val_exists(VAL_GET(first, "metadata"));
}

static int read_rule_file(struct validate_command *c, str text, const char *path, struct err *err)
{
	struct problems problems = { 0 };
	struct rule_file *f = NULL;
	int r = rule_file_parse(text, path, &c->limits, c->keys, &f, &problems, err);

	if (problems_any(&problems)) {
		CLEANUP(freep) char *list = problems_text(&problems);

		fprintf(stderr, "%s\n", list ? list : "out of memory");
		c->n_bad_rules++;
		r = r == -ENOMEM ? r : 0;
	}
	problems_done(&problems);
	if (!f)
		return r;
	if (!vec_push(&c->rule_files, f)) {
		rule_file_free(f);
		return err_nomem(err);
	}
	return 0;
}

static int take_documents(struct validate_command *c, struct documents *found, struct err *err)
{
	for (size_t i = 0; i < found->list.n; i++) {
		struct document d = found->list.p[i];
		struct documents *to = document_is_crd(d.root) ? &c->crds : &c->objects;

		if (!vec_push(&to->list, d))
			return err_nomem(err);
		(void)doc_ref(d.doc);
	}
	return 0;
}

static int read_input(struct validate_command *c, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(documents_done) struct documents found = { 0 };
	size_t n;
	int r = document_text(path, &c->limits, &text, &n, err);

	if (r == 0)
		r = documents_parse((str){ text, n }, path, &c->limits, c->keys, &found, err);
	if (r < 0)
		return r;
	return holds_rules(&found) ? read_rule_file(c, (str){ text, n }, path, err) : take_documents(c, &found, err);
}

/* ---- rules for a kind ---- */

static const char *path_of(const struct kind *k, const struct compiled_rules *rules)
{
	return rules->file ? rules->file->path : k->crd_path;
}

/* The mistakes of rules that stay as their file has them were told when it was read. */
static void report_refused(struct validate_command *c, const struct kind *k, const struct compiled_rules *rules)
{
	for (size_t i = 0; rules->owned && i < cel_rules_count(rules->rules); i++) {
		const struct cel_rule *r = cel_rules_at(rules->rules, i);
		str why = r->error.p ? r->error : r->message_error;

		if (!why.p)
			continue;
		fprintf(stderr, "%s: %s of %.*s: %.*s\n", path_of(k, rules), r->error.p ? "rule" : "messageExpression",
			STR_ARG(r->where), STR_ARG(why));
		c->n_bad_rules++;
	}
}

/* The definition of the kind; of several the last that serves it. */
static const struct document *definition_of(const struct validate_command *c, str api_version, str kind)
{
	const struct document *found = NULL;

	for (size_t i = 0; i < c->crds.list.n; i++) {
		if (val_is_map(crd_schema(c->crds.list.p[i].root, api_version, kind)))
			found = &c->crds.list.p[i];
	}
	return found;
}

static int compile_kind(struct validate_command *c, str api_version, str kind, struct kind **ret, struct err *err)
{
	const struct document *crd = definition_of(c, api_version, kind);
	struct rule_sources from = {
		.crd = crd ? crd->doc : NULL,
		.definition = crd ? crd->root : (val){ 0 },
		.files = c->rule_files.p,
		.n_files = c->rule_files.n,
		.limits = &c->limits,
		.keys = c->keys,
	};
	struct kind *k = calloc(1, sizeof(*k));

	if (!k)
		return err_nomem(err);
	k->crd_path = crd ? crd->path : "";
	if (kind_rules_init(&k->rules, api_version, kind, &from, err) < 0) {
		free(k);
		return -err->code;
	}
	if (!vec_push(&c->kinds, k)) {
		kind_rules_done(&k->rules);
		free(k);
		return err_nomem(err);
	}
	if (k->rules.refused.code) {
		fprintf(stderr, "%s: %s\n", k->crd_path, k->rules.refused.msg);
		c->n_bad_rules++;
	}
	for (size_t i = 0; i < k->rules.sets.n; i++)
		report_refused(c, k, &k->rules.sets.p[i]);
	*ret = k;
	return 0;
}

static int kind_of(struct validate_command *c, val object, struct kind **ret, struct err *err)
{
	str api_version = val_str(VAL_GET(object, "apiVersion")), kind = val_str(VAL_GET(object, "kind"));

	for (size_t i = 0; i < c->kinds.n; i++) {
		const struct kind_rules *k = &c->kinds.p[i]->rules;

		if (str_eq(k->api_version, api_version) && str_eq(k->kind, kind)) {
			*ret = c->kinds.p[i];
			return 0;
		}
	}
	return compile_kind(c, api_version, kind, ret, err);
}

/* ---- output ---- */

static str text_at(val object, const char *name)
{
	return val_str(val_dig(object, "metadata", name, NULL));
}

static void add_text(struct validate_command *c, val object, const struct cel_failure *x, str path, str message)
{
	str ns = text_at(object, "namespace"), name = text_at(object, "name"), kind = val_str(VAL_GET(object, "kind"));

	buf_printf(&c->out, "%s%.*s %.*s%s%.*s: %.*s: %.*s", x->warning ? "warning: " : "", STR_ARG(kind), STR_ARG(ns),
		   ns.n ? "/" : "", STR_ARG(name), STR_ARG(path.n ? path : STR(".")), STR_ARG(message));
	if (x->kind == CEL_FAILED)
		buf_printf(&c->out, " (%s)", cel_reason_name((enum cel_reason)x->reason));
	buf_add_byte(&c->out, '\n');
}

static void add_member(struct buf *out, const char *name, str value)
{
	buf_printf(out, ",\"%s\":", name);
	json_encode_string(value, JSON_PLAIN, out);
}

/* One object held against one set of rules. */
struct visit {
	struct validate_command *c;
	const struct document *d;
	const struct kind *k;
	const struct compiled_rules *rules;
};

static void add_json(struct visit *v, const struct cel_failure *x, str path, str message)
{
	static const char *const kinds[] = {
		[CEL_FAILED] = "failed", [CEL_RUNTIME] = "error", [CEL_COMPILE] = "compile", [CEL_COST] = "cost"
	};
	struct validate_command *c = v->c;
	int severity = compiled_rules_severity(v->rules, x->rule);
	val root = v->d->root;

	buf_printf(&c->out, "%s{\"warning\":%s", c->n_failures + c->n_warnings ? "," : "",
		   x->warning ? "true" : "false");
	add_member(&c->out, "file", str_from(v->d->path));
	add_member(&c->out, "apiVersion", val_str(VAL_GET(root, "apiVersion")));
	add_member(&c->out, "kind", val_str(VAL_GET(root, "kind")));
	add_member(&c->out, "namespace", text_at(root, "namespace"));
	add_member(&c->out, "name", text_at(root, "name"));
	add_member(&c->out, "path", path);
	add_member(&c->out, "message", message);
	add_member(&c->out, "type", str_from(kinds[x->kind]));
	add_member(&c->out, "reason", str_from(cel_reason_name((enum cel_reason)x->reason)));
	add_member(&c->out, "rule", x->rule ? x->rule->rule : STR(""));
	add_member(&c->out, "source", str_from(path_of(v->k, v->rules)));
	add_member(&c->out, "severity", str_from(severity_name(severity ? (enum severity)severity : SEVERITY_WARNING)));
	buf_add_byte(&c->out, '}');
}

/* ---- validating ---- */

static bool is_hidden(const struct visit *v, const struct cel_failure *x, struct arena *scratch)
{
	return failure_hides(NULL, v->d->root, rule_path(x->path, v->d->root, scratch), x);
}

static int add_failure(void *ctx, const struct cel_failure *x, struct err *err)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct visit *v = ctx;
	str path = x->path, message = x->message;

	if (!v->c->unmasked) {
		path = failure_path(NULL, v->d->root, x, &scratch);
		message = failure_message(x, is_hidden(v, x, &scratch), &scratch);
	}
	if (!path.p || !message.p)
		return err_nomem(err);
	if (v->c->json)
		add_json(v, x, path, message);
	else
		add_text(v->c, v->d->root, x, path, message);
	if (x->warning)
		v->c->n_warnings++;
	else
		v->c->n_failures++;
	return 0;
}

static val old_of(const struct validate_command *c, val object)
{
	struct identity id = identity_of(object);

	for (size_t i = 0; i < c->olds.list.n; i++) {
		struct identity old = identity_of(c->olds.list.p[i].root);

		if (identity_eq(&old, &id))
			return c->olds.list.p[i].root;
	}
	return (val){ 0 };
}

static void count_judged(struct validate_command *c, const struct document *d, const struct kind *k, bool has_old)
{
	str ns = text_at(d->root, "namespace"), name = text_at(d->root, "name");
	enum rules_fit fit = kind_rules_fit(&k->rules, d->root, has_old);

	if (fit == RULES_FIT)
		c->n_judged++;
	else
		fprintf(stderr, "%s: %s for %.*s %.*s %.*s%s%.*s\n", d->path,
			fit == RULES_NONE ? "no rule is" : "only rules with oldSelf are", STR_ARG(k->rules.api_version),
			STR_ARG(k->rules.kind), STR_ARG(ns), ns.n ? "/" : "", STR_ARG(name));
}

static int validate_object(struct validate_command *c, const struct document *d, struct err *err)
{
	struct visit v = { .c = c, .d = d };
	struct rules_run run = {
		.object = d->root,
		.old = old_of(c, d->root),
		.ratchet = true,
		.arena = &c->scratch,
		.limits = &c->limits,
		.zones = &go_zoneinfo,
		.failed = add_failure,
		.ctx = &v,
	};
	struct kind *k = NULL;
	int r = kind_of(c, d->root, &k, err);

	if (r < 0)
		return r;
	v.k = k;
	for (size_t i = 0; r == 0 && i < k->rules.sets.n; i++) {
		v.rules = &k->rules.sets.p[i];
		r = compiled_rules_run(v.rules, &run, err);
		arena_reset(&c->scratch);
	}
	if (r == 0)
		count_judged(c, d, k, val_exists(run.old));
	return r;
}

static int validate_all(struct validate_command *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < c->n_files; i++)
		r = read_input(c, c->files[i], err);
	if (r == 0 && c->old)
		r = documents_read(c->old, &c->limits, c->keys, &c->olds, err);
	if (r < 0)
		return r;
	if (c->crds.list.n == 0 && c->rule_files.n == 0 && c->n_bad_rules == 0)
		return err_set(err, EINVAL, "no file holds rules: a CustomResourceDefinition or a rule file is needed");
	if (c->objects.list.n == 0)
		return err_set(err, EINVAL, "no file holds an object to validate");
	if (c->json)
		buf_add_cstr(&c->out, "{\"failures\":[");
	for (size_t i = 0; r == 0 && i < c->objects.list.n; i++)
		r = validate_object(c, &c->objects.list.p[i], err);
	if (c->json)
		buf_printf(&c->out, "],\"valid\":%s,\"objects\":%zu,\"judged\":%zu,\"rulesInvalid\":%zu}\n",
			   c->n_failures || !c->n_judged ? "false" : "true", c->objects.list.n, c->n_judged,
			   c->n_bad_rules);
	return r < 0 ? r : buf_error(&c->out, "the output", err);
}

static void release(struct validate_command *c)
{
	for (size_t i = 0; i < c->kinds.n; i++) {
		kind_rules_done(&c->kinds.p[i]->rules);
		free(c->kinds.p[i]);
	}
	for (size_t i = 0; i < c->rule_files.n; i++)
		rule_file_free(c->rule_files.p[i]);
	vec_done(&c->kinds);
	vec_done(&c->rule_files);
	documents_done(&c->crds);
	documents_done(&c->objects);
	documents_done(&c->olds);
	arena_done(&c->scratch);
	buf_done(&c->out);
	key_table_free(c->keys);
}

static int run(struct validate_command *c)
{
	struct err err;
	int status;

	c->limits = LIMITS_DEFAULT;
	c->keys = key_table_new();
	arena_init(&c->scratch, 0, c->limits.arena_bytes);
	c->out = BUF_INIT(OUTPUT_MAX);
	if (!c->keys || validate_all(c, &err) < 0) {
		fprintf(stderr, "driftd validate: %s\n", c->keys ? err.msg : "out of memory");
		status = EXIT_USAGE;
	} else {
		if (c->out.n)
			(void)fwrite(c->out.p, 1, c->out.n, stdout);
		if (!c->n_judged)
			fputs("driftd validate: nothing was judged: no rule could be held against any object\n",
			      stderr);
		status = c->n_bad_rules || !c->n_judged ? EXIT_USAGE : c->n_failures ? 1 : 0;
	}
	release(c);
	return status;
}

static bool add_file(struct validate_command *c, const char *path)
{
	if (c->n_files == FILES_MAX) {
		fprintf(stderr, "driftd validate: at most %d files\n", FILES_MAX);
		return false;
	}
	c->files[c->n_files++] = path;
	return true;
}

static bool set_output(struct validate_command *c, const char *name)
{
	c->json = strcmp(name, "json") == 0;
	if (!c->json && strcmp(name, "text") != 0) {
		fprintf(stderr, "driftd validate: '%s' is no output: text or json\n", name);
		return false;
	}
	return true;
}

int cmd_validate(int argc, char **argv)
{
	enum { OLD = 256, NO_MASK };
	static const struct option options[] = {
		{ "filename", required_argument, NULL, 'f' }, { "old", required_argument, NULL, OLD },
		{ "no-mask", no_argument, NULL, NO_MASK },    { "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },           { 0 },
	};
	struct validate_command command = { 0 };
	bool ok = true;
	int c;

	while (ok && (c = command_line_next("driftd validate", argc, argv, "f:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			ok = add_file(&command, optarg);
			break;
		case OLD:
			command.old = optarg;
			break;
		case NO_MASK:
			command.unmasked = true;
			break;
		case 'o':
			ok = set_output(&command, optarg);
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return EXIT_USAGE;
		}
	}
	if (!ok)
		return EXIT_USAGE;
	if (optind < argc || command.n_files == 0) {
		fputs(optind < argc ? "driftd validate: unexpected argument; files are given with -f\n"
				    : "driftd validate: no files given; see --help\n",
		      stderr);
		return EXIT_USAGE;
	}
	return run(&command);
}
