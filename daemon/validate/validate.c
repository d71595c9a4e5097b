/* driftd validate: objects of files or of a cluster against the rules of files and definitions. */
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

static void usage(FILE *to)
{
	fputs("Usage: driftd validate -f PATH... [--rules PATH...] [--old PATH] [options]\n"
	      "       driftd validate [--rules PATH...] [-f PATH...] --kubeconfig FILE [--context NAME] [options]\n"
	      "Validate objects against CEL rules: those of CustomResourceDefinitions, and those of rule files.\n\n"
	      "  -f, --filename PATH  definitions, rules or objects (YAML or JSON, several documents): a file, a "
	      "folder,\n"
	      "                       a pattern, - for standard input; may be given several times\n"
	      "  -R, --recursive      enter the folders in those of -f, too\n"
	      "      --rules PATH     rule files: a file, a folder, a pattern such as 'rules/*.yaml'; may be given\n"
	      "                       several times\n"
	      "      --old PATH       the objects before: for rules with oldSelf; what has not changed is only warned\n"
	      "                       of\n"
	      "  -o, --output FORM    text (default) or json\n"
	      "      --no-mask        show what messages say of passwords, tokens and the like, too\n"
	      "  -h, --help           this text\n\n"
	      "A live cluster, with --kubeconfig, --context, or when no -f is given:\n"
	      "      --kubeconfig FILE       kubeconfig file; else as kubectl finds it\n"
	      "      --context NAME          context of the kubeconfig\n"
	      "  -n, --namespace NAME        only objects of this namespace\n"
	      "      --no-crds               not by the definitions of the cluster itself\n"
	      "      --request-timeout TIME  time limit of one list, such as 30s\n\n"
	      "Of a cluster the kinds are listed that rules are about; nothing is written to it. Definitions of files\n"
	      "stand for those of the cluster. Objects of files that no rule is for are named on standard error; they\n"
	      "pass when others were judged.\n\n"
	      "Exit status: 0 all objects pass, 1 rules are violated, 2 wrong usage, files or kinds that cannot be "
	      "read,\n"
	      "rules that do not compile, nothing to judge: no rule, no object, no object that a rule is for, or that "
	      "the\n"
	      "rules of some file are for (without -n), a namespace or a kind of a rule that the cluster does not "
	      "have.\n",
	      to);
}

/* ---- messages ---- */

/* Some of it comes from a cluster: what follows a line break is indented, and no line of ours. */
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

static void tell_unjudged(const struct document *d, enum rules_fit fit)
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
			tell_unjudged(&job->objects.list.p[i], fit);
	}
	return r;
}

/* What was found before the cluster was lost is told too. */
static int validate_cluster(struct validate_job *job, struct err *err)
{
	int r = validate_live(job, err);

	if (r < 0 && r != -ENOMEM)
		validate_unread(job, "%s", err->msg);
	return r == -ENOMEM ? r : 0;
}

/* Without a cluster, all that there will be has been read. */
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
	if (job->options->json)
		buf_add_cstr(&job->out, "{\"failures\":[");
	if (r == 0)
		r = validate_idle_begin(job, err);
	if (r == 0)
		r = validate_files(job, err);
	if (r == 0 && job->options->live)
		r = validate_cluster(job, err);
	if (r == 0)
		validate_idle_tell(job);
	if (job->options->json)
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
		fputs("driftd validate: nothing was judged: no rule could be held against any object\n", stderr);
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

static bool set_output(struct validate_options *o, const char *name)
{
	o->json = strcmp(name, "json") == 0;
	if (!o->json && strcmp(name, "text") != 0) {
		fprintf(stderr, "driftd validate: '%s' is no output: text or json\n", name);
		return false;
	}
	return true;
}

static bool add(struct string_list *l, const char *path)
{
	if (string_list_add(l, str_from(path)))
		return true;
	fputs("driftd validate: out of memory\n", stderr);
	return false;
}

enum { OLD = 256, NO_MASK, RULES, KUBECONFIG, CONTEXT, NO_CRDS, REQUEST_TIMEOUT };

static bool set_option(struct validate_options *o, int c, char *value)
{
	switch (c) {
	case 'f':
		return add(&o->files, value);
	case RULES:
		return add(&o->rules, value);
	case OLD:
		return add(&o->old, value);
	case 'o':
		return set_output(o, value);
	case 'R':
		o->recursive = true;
		return true;
	case 'n':
		o->namespace = value;
		return true;
	case NO_MASK:
		o->unmasked = true;
		return true;
	case NO_CRDS:
		o->no_crds = true;
		return true;
	case KUBECONFIG:
		o->flags.kubeconfig = value;
		return true;
	case CONTEXT:
		o->flags.context = value;
		return true;
	case REQUEST_TIMEOUT:
		o->flags.request_timeout = value;
		return true;
	default:
		(void)command_line_see_help("driftd validate");
		return false;
	}
}

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
	static const struct option options[] = {
		{ "filename", required_argument, NULL, 'f' },
		{ "recursive", no_argument, NULL, 'R' },
		{ "rules", required_argument, NULL, RULES },
		{ "old", required_argument, NULL, OLD },
		{ "no-mask", no_argument, NULL, NO_MASK },
		{ "output", required_argument, NULL, 'o' },
		{ "kubeconfig", required_argument, NULL, KUBECONFIG },
		{ "context", required_argument, NULL, CONTEXT },
		{ "namespace", required_argument, NULL, 'n' },
		{ "no-crds", no_argument, NULL, NO_CRDS },
		{ "request-timeout", required_argument, NULL, REQUEST_TIMEOUT },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct validate_options o = { 0 };
	int c, status = -1;

	while (status < 0 && (c = command_line_next("driftd validate", argc, argv, "f:Rn:o:h", options, NULL)) != -1) {
		if (c == 'h') {
			usage(stdout);
			status = 0;
		} else if (!set_option(&o, c, optarg)) {
			status = EXIT_USAGE;
		}
	}
	if (status < 0)
		status = check_and_run(&o, optind < argc);
	string_list_done(&o.files);
	string_list_done(&o.rules);
	string_list_done(&o.old);
	return status;
}
