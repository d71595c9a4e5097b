/* driftd validate: checks objects of files or of a cluster by the rules of files and definitions. */
#include "config/command_line.h"
#include "daemon/validate/commands.h"

#include "base/printable.h"
#include "config/exit_status.h"
#include "daemon/validate/validate_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define OUTPUT_MAX (256u << 20)
#define NOTE_MAX (64u << 10)

/* ---- messages ---- */

/* Print a text. Parts of it come from a cluster: what follows a line break is indented, so that it cannot look like
 * a line of driftd. */
static void print(const char *fmt, va_list ap)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * NOTE_MAX);
	CLEANUP(freep) char *text = NULL;

	if (vasprintf(&text, fmt, ap) < 0) {
		text = NULL;
		return;
	}
	printable_add(&shown, str_from(text), "\n    ");
	fprintf(stderr, "%.*s\n", STR_ARG(buf_str(&shown)));
}

void validate_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
}

void validate_unread(struct validate_job *job, const char *fmt, ...)
{
	va_list ap;

	job->n_unread++;
	fputs("driftd validate: ", stderr);
	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
}

/* ---- running ---- */

static void report_unjudged(const struct document *d, enum rules_fit fit)
{
	str ns = val_str(val_dig(d->root, "metadata", "namespace", NULL));
	str name = val_str(val_dig(d->root, "metadata", "name", NULL));

	if (fit != RULES_FIT)
		validate_note("%s: %s for %.*s %.*s %.*s%s%.*s", d->path,
			      fit == RULES_NONE ? "no rule is" : "only rules with oldSelf are",
			      STR_ARG(val_str(VAL_GET(d->root, "apiVersion"))),
			      STR_ARG(val_str(VAL_GET(d->root, "kind"))), STR_ARG(ns), ns.n ? "/" : "", STR_ARG(name));
}

static int validate_files(struct validate_job *job, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < job->objects.list.n; i++) {
		enum rules_fit fit = RULES_NONE;

		r = validate_object(job, &job->objects.list.p[i], &fit, err);
		if (r == 0)
			report_unjudged(&job->objects.list.p[i], fit);
	}
	return r;
}

/* Judge the cluster. Verdicts from before the connection was lost are reported too. */
static int validate_cluster(struct validate_job *job, struct err *err)
{
	int r = validate_live(job, err);

	if (r < 0 && r != -ENOMEM)
		validate_unread(job, "%s", err->msg);
	return r == -ENOMEM ? r : 0;
}

/* Check that files name an object and a rule: without a cluster, nothing more will be read. */
static int check_files(const struct validate_job *job, struct err *err)
{
	if (job->options->live || job->n_unread)
		return 0;
	if (job->crds.list.n == 0 && job->rule_files.n == 0 && job->n_bad_rules == 0)
		return err_set(err, EINVAL, "no file holds rules: a CustomResourceDefinition or a rule file is needed");
	if (job->objects.list.n == 0)
		return err_set(err, EINVAL, "no file holds an object to validate");
	return 0;
}

static bool is_valid(const struct validate_job *job)
{
	return job->n_judged && !job->n_failures && !job->n_unread && !job->n_idle;
}

static int validate_all(struct validate_job *job, struct err *err)
{
	int r = validate_read(job, err);

	if (r == 0)
		r = check_files(job, err);
	if (job->options->form == OUTPUT_JSON)
		buf_add_cstr(&job->out, "{\"failures\":[");
	if (r == 0)
		r = validate_idle_begin(job, err);
	if (r == 0)
		r = validate_files(job, err);
	if (r == 0 && job->options->live)
		r = validate_cluster(job, err);
	if (r == 0)
		validate_idle_report(job);
	if (job->options->form == OUTPUT_JSON)
		buf_printf(&job->out,
			   "],\"valid\":%s,\"objects\":%zu,\"judged\":%zu,\"rulesInvalid\":%zu,\"unread\":%zu}\n",
			   is_valid(job) ? "true" : "false", job->n_objects, job->n_judged, job->n_bad_rules,
			   job->n_unread);
	return r < 0 ? r : buf_error(&job->out, "the output", err);
}

static void release(struct validate_job *job)
{
	for (size_t i = 0; i < job->kinds.n; i++) {
		kind_rules_done(&job->kinds.p[i]->rules);
		free(job->kinds.p[i]);
	}
	for (size_t i = 0; i < job->rule_files.n; i++)
		rule_file_free(job->rule_files.p[i]);
	vec_done(&job->kinds);
	vec_done(&job->rule_files);
	vec_done(&job->idle);
	strmap_done(&job->old_by_name);
	documents_done(&job->crds);
	documents_done(&job->live_crds);
	documents_done(&job->objects);
	documents_done(&job->old);
	arena_done(&job->names);
	arena_done(&job->scratch);
	buf_done(&job->out);
	key_table_free(job->keys);
}

static int status_of(const struct validate_job *job)
{
	if (!job->n_judged)
		fputs("driftd validate: nothing was judged: no rule could be checked against any object\n", stderr);
	if (job->n_bad_rules || job->n_unread || !job->n_judged)
		return EXIT_USAGE;
	if (job->n_failures)
		return 1;
	return job->n_idle ? EXIT_USAGE : 0;
}

static int run(const struct validate_options *options)
{
	struct validate_job job = { .options = options, .limits = LIMITS_DEFAULT };
	struct err err;
	int status = EXIT_USAGE;

	job.keys = key_table_new();
	arena_init(&job.names, 0, 0);
	arena_init(&job.scratch, 0, job.limits.arena_bytes);
	job.out = BUF_INIT(OUTPUT_MAX);
	if (!job.keys) {
		fputs("driftd validate: out of memory\n", stderr);
	} else if (validate_all(&job, &err) < 0) {
		validate_unread(&job, "%s", err.msg);
	} else {
		if (job.out.n)
			(void)fwrite(job.out.p, 1, job.out.n, stdout);
		status = status_of(&job);
	}
	release(&job);
	return status;
}

/* ---- options ---- */

static int add_path(const struct given *g, void *to)
{
	if (string_list_add(to, str_from(g->value)))
		return COMMAND_GOES_ON;
	fputs("driftd validate: out of memory\n", stderr);
	return EXIT_USAGE;
}

#define AT(member) offsetof(struct validate_options, member)

static const struct option_word forms[] = { { "text", OUTPUT_TEXT }, { "json", OUTPUT_JSON }, { 0 } };

static const struct command_option option_table[] = {
	{ "filename", 'f', "PATH", add_path, AT(files),
	  .help = "definitions, rules or objects (YAML or JSON, several documents): a file, a folder,\n"
		  "a pattern, - for standard input; may be given several times" },
	{ "recursive", 'R', NULL, option_truth, AT(recursive), .help = "enter the folders in those of -f, too" },
	{ "rules", 0, "PATH", add_path, AT(rules),
	  .help = "rule files: a file, a folder, a pattern such as 'rules/*.yaml'; may be given\n"
		  "several times" },
	{ "old", 0, "PATH", add_path, AT(old),
	  .help = "the objects before: for rules with oldSelf; what has not changed is only warned\n"
		  "of" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "text (default) or json", .words = forms },
	{ "no-mask", 0, NULL, option_truth, AT(unmasked),
	  .help = "show what messages say of passwords, tokens and the like, too" },
	OPTION_HELP,
	{ .help = "\nA live cluster, with --kubeconfig, --context, or when no -f is given:", .column = 30 },
	{ "kubeconfig", 0, "FILE", option_text, AT(flags.kubeconfig),
	  .help = "kubeconfig file; else as kubectl finds it" },
	{ "context", 0, "NAME", option_text, AT(flags.context), .help = "context of the kubeconfig" },
	{ "namespace", 'n', "NAME", option_text, AT(namespace), .help = "only objects of this namespace" },
	{ "no-crds", 0, NULL, option_truth, AT(no_crds), .help = "not by the definitions of the cluster itself" },
	{ "request-timeout", 0, "TIME", option_text, AT(flags.request_timeout),
	  .help = "time limit of one list, such as 30s" },
};

static const struct command_line line = {
	.program = "driftd validate",
	.synopsis =
		"Usage: driftd validate -f PATH... [--rules PATH...] [--old PATH] [options]\n"
		"       driftd validate [--rules PATH...] [-f PATH...] --kubeconfig FILE [--context NAME] [options]\n"
		"Validate objects against CEL rules: those of CustomResourceDefinitions, and those of rule "
		"files.\n\n",
	.notes = "\nOf a cluster the kinds are listed that rules are about; nothing is written to it. Definitions of "
		 "files\n"
		 "stand for those of the cluster. Objects of files that no rule is for are named on standard error; "
		 "they\n"
		 "pass when others were judged.\n\n"
		 "Exit status: 0 all objects pass, 1 rules are violated, 2 wrong usage, files or kinds that cannot be "
		 "read,\n"
		 "rules that do not compile, nothing to judge: no rule, no object, no object that a rule is for, or "
		 "that "
		 "the\n"
		 "rules of some file are for (without -n), a namespace or a kind of a rule that the cluster does not "
		 "have.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = ARGUMENTS_ANY,
};

/* An option that has no effect is a mistake in what was meant. */
static const char *mistake_of(const struct validate_options *o)
{
	if (!o->files.v.n && !o->rules.v.n && !o->live)
		return "no files given; see --help";
	if (!o->live && (o->namespace || o->no_crds || o->flags.request_timeout))
		return "-n, --no-crds and --request-timeout are for a cluster: --kubeconfig or --context name one";
	if (o->namespace && !*o->namespace)
		return "-n needs the name of a namespace";
	return NULL;
}

static int check_and_run(struct validate_options *o, bool more)
{
	const char *mistake;

	o->live = o->flags.kubeconfig || o->flags.context || (o->rules.v.n && !o->files.v.n);
	mistake = more ? "unexpected argument; files are given with -f" : mistake_of(o);
	if (!mistake)
		return run(o);
	fprintf(stderr, "driftd validate: %s\n", mistake);
	return EXIT_USAGE;
}

int cmd_validate(int argc, char **argv)
{
	struct validate_options o = { 0 };
	struct arguments more;
	int status = command_line_read(&line, argc, argv, &o, &more);

	if (status == COMMAND_GOES_ON)
		status = check_and_run(&o, more.n > 0);
	string_list_done(&o.files);
	string_list_done(&o.rules);
	string_list_done(&o.old);
	return status;
}
