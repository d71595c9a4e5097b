/* driftd drift: lists what is wrong now. */
#include "config/command_line.h"
#include "config/exit_status.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "daemon/events/event_time.h"
#include "daemon/events/open_journal.h"
#include "go/layout.h"
#include "go/url.h"
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define EXIT_UNKNOWN 3
#define FINDINGS "/api/v1/findings"
#define REQUEST_MAX ((size_t)64 << 10)

struct drift_command {
	const char *socket;
	enum control_form form;
	bool no_headers, grouped, watch;
	bool daemon_only;           /* an option was given for which journals have no answer */
	struct buf filters, path;   /* parts of the request */
	struct journal_place place; /* with a directory: journals are read instead of asking the daemon */
	struct event_filter who;
	struct open_filter open;
	struct err mistake; /* the error of an option for journals */
};

/* ---- options ---- */

/* Take a filter option: for the daemon, whose parameter has the name of the option, and for journals. */
static int take_filter(const struct given *g, void *to)
{
	struct drift_command *c = g->command;

	kc_url_query(&c->filters, g->option->name, str_from(g->value));
	return option_text(g, to);
}

/* Check a filter for journals. The daemon checks its filters itself. */
static int take_type(const struct given *g, void *to)
{
	struct drift_command *c = to;
	enum finding_kind kind;

	kc_url_query(&c->filters, "type", str_from(g->value));
	if (finding_type_parse(str_from(g->value), &kind))
		c->open.types |= 1u << kind;
	else
		(void)err_set(&c->mistake, EINVAL, "unknown type '%.40s'", g->value);
	return COMMAND_GOES_ON;
}

static int take_severity(const struct given *g, void *to)
{
	struct drift_command *c = to;

	kc_url_query(&c->filters, "severity", str_from(g->value));
	if (!severity_parse(str_from(g->value), &c->open.worst))
		(void)err_set(&c->mistake, EINVAL, "unknown severity '%.40s'", g->value);
	return COMMAND_GOES_ON;
}

/* Take an option that only the daemon knows. */
static int take_of_daemon(const struct given *g, void *to)
{
	struct drift_command *c = to;

	c->daemon_only = true;
	kc_url_query(&c->filters, g->option->name, str_from(g->value));
	return COMMAND_GOES_ON;
}

/* --by is the parameter manager, --sort-by is sort, --selector is labels. */
static int take_manager(const struct given *g, void *to)
{
	struct drift_command *c = to;

	kc_url_query(&c->filters, "manager", str_from(g->value));
	c->open.manager = g->value;
	return COMMAND_GOES_ON;
}

static int take_order(const struct given *g, void *to)
{
	struct drift_command *c = to;

	c->daemon_only = true;
	kc_url_query(&c->filters, "sort", str_from(g->value));
	return COMMAND_GOES_ON;
}

static int take_labels(const struct given *g, void *to)
{
	struct drift_command *c = to;

	c->daemon_only = true;
	kc_url_query(&c->filters, "labels", str_from(g->value));
	return COMMAND_GOES_ON;
}

static int take_watch(const struct given *g, void *to)
{
	struct drift_command *c = to;

	(void)g;
	c->daemon_only = c->watch = true;
	return COMMAND_GOES_ON;
}

static int take_group(const struct given *g, void *to)
{
	struct drift_command *c = to;

	(void)g;
	c->daemon_only = c->grouped = true;
	kc_url_query(&c->filters, "group", STR("cause"));
	return COMMAND_GOES_ON;
}

static const struct option_word forms[] = {
	{ "table", FORM_TABLE }, { "wide", FORM_WIDE }, { "name", FORM_NAME },
	{ "json", FORM_JSON },   { "yaml", FORM_YAML }, { 0 },
};

#define AT(member) offsetof(struct drift_command, member)

static const struct command_option option_table[] = {
	{ "namespace", 'n', "NS", take_filter, AT(open.namespace), .help = "of the object" },
	{ "all-namespaces", 'A', NULL, option_habit, 0, .help = "as without --namespace" },
	{ "selector", 'l', "LABELS", take_labels, 0, .help = "labels that the object has now: a=b,c!=d,e in (f,g),!h" },
	{ "cluster", 0, "NAME", take_filter, AT(open.cluster), .help = "" },
	{ "reference", 0, "NAME", take_filter, AT(open.reference), .help = "" },
	{ "component", 0, "NAME", take_filter, AT(open.component),
	  .help = "of the reference; of Helm NAMESPACE/RELEASE" },
	{ "type", 0, "TYPE", take_type, 0,
	  .help = "drift, component, error, gap, validation, inspection or accepted; may\n"
		  "be given several times" },
	{ "severity", 0, "S", take_severity, 0,
	  .help = "as bad as this, or worse: critical, error, warning, notice, info" },
	{ "field", 0, "PATH", take_filter, AT(open.field),
	  .help = "that differs, or what is below it; '*' stands for any text" },
	{ "by", 0, "MANAGER", take_manager, 0, .help = "who wrote it; '*' stands for any text" },
	{ "action", 0, "WORD", take_filter, AT(open.action), .help = "an event rule for it has this action" },
	{ "since", 'S', "TIME", event_time_take, AT(who.since_usec),
	  .help = "began not before (times as of 'driftd events'); of journals: records not before" },
	{ "group", 0, NULL, take_group, 0, .help = "a row for each cause: what is alike, and how often it is there" },
	{ "cause", 0, "ID", take_of_daemon, 0, .help = "one of these; of the ID the beginning is enough" },
	{ "sort-by", 0, "WHAT", take_order, 0,
	  .help = "severity (default), since, cluster, namespace, kind, name, field,\n"
		  "manager or reference" },
	{ "watch", 'w', NULL, take_watch, 0,
	  .help = "go on and print what begins, changes and ends, until you stop it" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "wide, name, json or yaml", .words = forms },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "no first line" },
	{ "directory", 'D', "DIR", option_text, AT(place.directory),
	  .help = "list what is open according to the journals in a folder, such as\n"
		  "systemd-journal-remote(8) gathers, from all hosts and shards" },
	{ "until", 'U', "TIME", event_time_take, AT(who.until_usec),
	  .help = "of the journals: records not after: what was open then" },
	{ "any-user", 0, NULL, option_truth, AT(who.any_user),
	  .help = "also what others wrote than 'driftd events' believes" },
	CONTROL_SOCKET_OPTION(struct drift_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd drift",
	.synopsis =
		"Usage: driftd drift list [KIND[,KIND...] [NAME] | KIND/NAME] [options]\n"
		"       driftd drift show ID [options]\n"
		"What is open on the driftd of this machine, or, with -D, according to journals, the worst and then "
		"the oldest first.\n\n",
	.notes = "\nKIND is a kind, a resource or a short name (Deployment, deployments, deployments.apps, deploy). In "
		 "NAME "
		 "'*' stands\nfor any text. Of an ID the beginning is enough.\n\n"
		 "Exit status: 0 nothing is open but what is accepted, 1 something is, 3 nothing is, but not every "
		 "cluster is watched and judged,\nnothing of a reference is in force yet, a filter names what nothing "
		 "that is watched has, or the journals may lack what is;\n2 driftd cannot be asked, wrong usage, or "
		 "nobody knows such a kind, cluster or reference. 'show' ends with 0 when there\nis such a finding.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = ARGUMENTS_ANY,
};

/* ---- lists ---- */

static void print_ids(val items, const char *member, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(items); i++)
		buf_printf(out, "%.*s\n", STR_ARG(control_text(val_at(items, i), member)));
}

/* Print what the journals have no answer for. */
static void print_notes(val list)
{
	val strange = VAL_GET(list, "strange"), partial = VAL_GET(list, "partial");

	control_print_notes("driftd drift", list);
	if (strange.kind == VAL_INT && strange.i)
		fprintf(stderr, "driftd drift: %" PRId64 " records that others wrote do not count (--any-user)\n",
			strange.i);
	if (val_is_true(partial))
		fputs("driftd drift: a part of the journal may not be read; members of the group systemd-journal may\n",
		      stderr);
}

/* Warn about what the list cannot cover. */
static void warn_unknown(val list)
{
	int64_t unlabelled = val_int_or(VAL_GET(list, "unknownLabels"), 0);
	val unknown = VAL_GET(list, "unknown"), filters = VAL_GET(list, "unknownFilters");
	val absent = VAL_GET(list, "absent");
	str nothing = control_text(list, "nothing");

	if (nothing.n)
		fprintf(stderr, "driftd drift: %.*s\n", STR_ARG(nothing));
	for (uint32_t i = 0; i < val_count(filters); i++)
		fprintf(stderr, "driftd drift: %.*s\n", STR_ARG(val_str(val_at(filters, i))));
	for (uint32_t i = 0; i < val_count(absent); i++)
		fprintf(stderr, "driftd drift: nothing of reference %.*s is in force yet\n",
			STR_ARG(val_str(val_at(absent, i))));
	if (unlabelled)
		fprintf(stderr,
			"driftd drift: %" PRId64
			" more are about objects that are not known now, nor are their labels\n",
			unlabelled);
	for (uint32_t i = 0; i < val_count(unknown); i++) {
		str name = control_text(val_at(unknown, i), "cluster"),
		    why = control_text(val_at(unknown, i), "waitsFor");

		fprintf(stderr, "driftd drift: cluster %.*s is not synced: %s%.*s\n", STR_ARG(name),
			why.n ? "it waits for " : "it is being judged, or cannot be reached", STR_ARG(why));
	}
}

static int print_list(const struct drift_command *c, const struct doc *d, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	const struct findings_table table = { .hosts = c->place.directory != NULL,
					      .wide = c->form == FORM_WIDE,
					      .groups = c->grouped,
					      .no_headers = c->no_headers };
	val items = VAL_GET(d->root, "items"), mistaken = VAL_GET(d->root, "mistaken");
	int r = 0;

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	if (c->form == FORM_NAME)
		print_ids(items, c->grouped ? "cause" : "id", &out);
	else if (val_count(items))
		r = print_findings(&table, items, &out, err);
	else
		fputs(val_is_true(mistaken) ? "" : "nothing is open\n", stderr);
	return r < 0 ? r : control_print(&out, err);
}

/* Whether anything is wrong. Accepted findings are not. */
static bool any_wrong(val items)
{
	for (uint32_t i = 0; i < val_count(items); i++) {
		if (!str_eq(control_text(val_at(items, i), "type"), STR("accepted")))
			return true;
	}
	return false;
}

static int ask(struct drift_command *c, struct doc **ret, struct err *err)
{
	if (c->place.directory)
		return open_journal(&c->place, &c->who, &c->open, ret, err);
	return control_get(control_socket(c->socket), c->path.p, ret, err);
}

/* Print the list that was requested, and then all changes until a signal comes. */
static int watch(const struct drift_command *c, struct doc *list)
{
	const struct drift_watch w = {
		.socket = control_socket(c->socket),
		.path = buf_str(&c->path),
		.form = c->form,
		.table = { .wide = c->form == FORM_WIDE, .no_headers = c->no_headers, .groups = c->grouped },
	};
	val mistaken = VAL_GET(list->root, "mistaken");
	struct err err;

	warn_unknown(list->root);
	print_notes(list->root);
	if (val_is_true(mistaken))
		return EXIT_USAGE;
	(void)!drift_watch(&w, list, &err);
	return command_line_failed(&line, &err);
}

static int list(struct drift_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	val complete, partial, mistaken;
	struct err err;

	if (c->watch)
		return ask(c, &d, &err) < 0 ? command_line_failed(&line, &err) : watch(c, d);
	if (ask(c, &d, &err) < 0 || print_list(c, d, &err) < 0)
		return command_line_failed(&line, &err);
	warn_unknown(d->root);
	print_notes(d->root);
	complete = VAL_GET(d->root, "complete");
	partial = VAL_GET(d->root, "partial");
	mistaken = VAL_GET(d->root, "mistaken");
	if (val_is_true(mistaken))
		return EXIT_USAGE;
	if (any_wrong(VAL_GET(d->root, "items")))
		return 1;
	if (val_int_or(VAL_GET(d->root, "unknownLabels"), 0))
		return EXIT_UNKNOWN;
	return val_is_true(complete) && !val_is_true(partial) ? 0 : EXIT_UNKNOWN;
}

/* ---- show ---- */

static int print_one(const struct drift_command *c, const struct doc *d, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	describe_finding(d->root, (int64_t)time(NULL), &out);
	return control_print(&out, err);
}

static int show(struct drift_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (control_get(control_socket(c->socket), c->path.p, &d, &err) < 0 || print_one(c, d, &err) < 0)
		return command_line_failed(&line, &err);
	return 0;
}

/* ---- the command line ---- */

/* Add the parameter "since" to the request. When journals are read, the time selects records instead. */
static void add_since(struct drift_command *c)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);

	if (!c->who.since_usec || c->place.directory)
		return;
	go_rfc3339_format(c->who.since_usec / 1000000, 0, 0, &text);
	kc_url_query(&c->path, "since", buf_str(&text));
}

/* Make the path of the request in c->path from KIND NAME or KIND/NAME. 0, or the exit status. */
static int list_path(struct drift_command *c, char **arguments, int n)
{
	char *slash = n > 0 ? strchr(arguments[0], '/') : NULL;

	if (n > 2 || (slash && n > 1))
		return command_line_wrong(&line, "unexpected argument", arguments[n - 1]);
	if (slash)
		*slash = '\0';
	c->open.kind = n > 0 ? arguments[0] : NULL;
	c->open.name = slash ? slash + 1 : n > 1 ? arguments[1] : NULL;
	buf_add_cstr(&c->path, FINDINGS);
	buf_add_str(&c->path, buf_str(&c->filters));
	kc_url_query(&c->path, "kind", str_from(c->open.kind ? c->open.kind : ""));
	kc_url_query(&c->path, "name", str_from(c->open.name ? c->open.name : ""));
	add_since(c);
	return 0;
}

static int show_path(struct drift_command *c, char **arguments, int n)
{
	if (n != 1)
		return command_line_wrong(&line, "one ID is expected behind", "show");
	if (c->filters.n || c->watch)
		return command_line_wrong(&line, "filters are of no use to", "show");
	buf_add_cstr(&c->path, FINDINGS "/");
	go_url_escape(&c->path, str_from(arguments[0]), GO_URL_PATH_SEGMENT);
	return 0;
}

static int run(struct drift_command *c, char **arguments, int n)
{
	const char *verb = n > 0 ? arguments[0] : "";
	bool lists = strcmp(verb, "list") == 0;
	struct err err;
	int r;

	if (!lists && strcmp(verb, "show") != 0)
		return n > 0 ? command_line_wrong(&line, "unknown command", verb)
			     : command_line_wrong(&line, "'list' or 'show' is expected behind", "drift");
	if (!c->place.directory && (c->who.until_usec || c->who.any_user))
		return command_line_wrong(&line,
					  "of use only with --directory:", c->who.any_user ? "--any-user" : "--until");
	if (c->place.directory && !lists)
		return command_line_wrong(&line, "of no use to show:", "--directory");
	if (c->place.directory && c->daemon_only)
		return command_line_wrong(
			&line, "of no use with --directory:", "--selector, --group, --cause, --sort-by, --watch");
	if (c->place.directory && c->mistake.code)
		return command_line_failed(&line, &c->mistake);
	r = lists ? list_path(c, arguments + 1, n - 1) : show_path(c, arguments + 1, n - 1);
	if (r != 0)
		return r;
	if (buf_error(&c->filters, "filters", &err) < 0 || buf_error(&c->path, "request", &err) < 0)
		return command_line_failed(&line, &err);
	return lists ? list(c) : show(c);
}

static void drift_command_done(struct drift_command *c)
{
	buf_done(&c->filters);
	buf_done(&c->path);
}

int cmd_drift(int argc, char **argv)
{
	CLEANUP(drift_command_done)
	struct drift_command c = { .filters = BUF_INIT(REQUEST_MAX), .path = BUF_INIT(REQUEST_MAX) };
	struct arguments words;
	int status;

	event_filter_init(&c.who);
	status = command_line_read(&line, argc, argv, &c, &words);
	return status == COMMAND_GOES_ON ? run(&c, words.p, (int)words.n) : status;
}
