/* Completes options and verbs from the tables of the commands, and values from the running driftd. */
#include "daemon/completion/complete.h"

#include "base/printable.h"
#include "base/vec.h"
#include "config/exit_status.h"
#include "daemon/completion/words.h"
#include "daemon/control/client.h"
#include "daemon/control/output.h"
#include "daemon/findings/finding.h"
#include "daemon/view/finding_filter.h"
#include "go/url.h"
#include "kubeclient/kc_url.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define ANSWER_USEC 800000 /* after that nothing is completed, because a person waits */
#define OUTPUT_MAX ((size_t)8 << 20)
#define REQUEST_MAX ((size_t)60 << 10)
#define ABOUT_MAX 160   /* bytes */
#define OFFERED_MAX 200 /* items of a list of the control API; the same as its maximum of words */

struct completion {
	const char *command; /* "drift" */
	struct command_line line;
	struct words_read words;
	size_t verbs; /* how many of the arguments are verbs */
	bool plain;   /* offer only words without characters that a shell acts on */
	bool files;
	size_t offered;
	struct buf head; /* the beginning of each candidate, before the completed part */
	str begun;
	struct buf out;
};

/* ---- candidates ---- */

static void offer_about(struct completion *c, str word, str about)
{
	CLEANUP(buf_done) struct buf whole = BUF_INIT(REQUEST_MAX);

	if (!str_has_prefix(word, c->begun))
		return;
	buf_add_str(&whole, buf_str(&c->head));
	buf_add_str(&whole, word);
	if (whole.error || !word_is_shown(buf_str(&whole)) || (c->plain && !word_is_plain(buf_str(&whole))))
		return;
	/* An argument that begins with "-" would be taken for an option. */
	if (c->words.wanted == WANTED_ARGUMENT && !c->words.ended && whole.p[0] == '-')
		return;
	buf_add_str(&c->out, buf_str(&whole));
	if (about.n && !c->plain) {
		CLEANUP(buf_done) struct buf shown = BUF_INIT(REQUEST_MAX);

		printable_add(&shown, about, " ");
		buf_add_byte(&c->out, '\t');
		buf_add_str(&c->out, printable_cut(buf_str(&shown), ABOUT_MAX));
	}
	buf_add_byte(&c->out, '\n');
	c->offered++;
}

static void offer(void *ctx, str word)
{
	offer_about(ctx, word, (str){ 0 });
}

/* Offer a verb once, although several lines of a synopsis have it. */
static void offer_verb(void *ctx, str word)
{
	struct completion *c = ctx;
	str rest = buf_str(&c->out), line;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (str_eq(line, word))
			return;
	}
	offer(c, word);
}

/* ---- asking the daemon ---- */

/* The path of the control socket, by the options of the line. */
static const char *socket_of(const struct completion *c)
{
	return control_socket(words_value(&c->line, &c->words, "socket").p);
}

/* Options that narrow lists of findings, with the parameter of the control API. */
static const struct {
	const char *option, *parameter;
} filters[] = {
	{ "cluster", "cluster" },     { "namespace", "namespace" }, { "reference", "reference" },
	{ "component", "component" }, { "type", "type" },           { "severity", "severity" },
	{ "action", "action" },       { "field", "field" },         { "by", "manager" },
	{ "cause", "cause" },
};

/* The parts of the line that narrow the words for one part. */
struct narrowed {
	str kind, namespace;
};

/* Add all given filters, except the one that is being written. */
static void add_filters(const struct completion *c, const struct narrowed *by, struct buf *path)
{
	for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
		const struct command_option *o = c->words.option;
		str value = words_value(&c->line, &c->words, filters[i].option);

		if (o && o->name && strcmp(o->name, filters[i].option) == 0)
			continue;
		if (strcmp(filters[i].option, "namespace") == 0 && by->namespace.n)
			value = by->namespace;
		kc_url_query(path, filters[i].parameter, value);
	}
	kc_url_query(path, "kind", by->kind);
}

static void offer_words(struct completion *c, const char *of, bool objects, const struct narrowed *by)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	val items;

	buf_add_cstr(&path, "/api/v1/words");
	kc_url_query(&path, "of", str_from(of));
	kc_url_query(&path, "among", str_from(objects ? "objects" : ""));
	kc_url_query(&path, "beginning", c->begun);
	add_filters(c, by, &path);
	if (control_get_built(socket_of(c), &path, &d, &err) < 0)
		return;
	items = VAL_GET(d->root, "items");
	for (uint32_t i = 0; i < val_count(items); i++)
		offer_about(c, control_text(val_at(items, i), "word"), control_text(val_at(items, i), "about"));
}

/* Get the items of a list of the control API. */
static val get_items(const struct completion *c, struct buf *path, struct doc **ret)
{
	struct err err;

	if (control_get_built(socket_of(c), path, ret, &err) < 0 || !*ret)
		return (val){ 0 };
	return VAL_GET((*ret)->root, "items");
}

/* ---- sources: each offers what may stand in one place ---- */

typedef void source_fn(struct completion *c, const char *of);

static void offer_found(struct completion *c, const char *of)
{
	str kind = { 0 };

	/* In "drift list KIND --field" too the rest of the line counts. */
	if (c->words.n_arguments > c->verbs && c->verbs < WORDS_ARGUMENTS_MAX)
		kind = c->words.arguments[c->verbs];
	if (str_find_byte(kind, '/') >= 0)
		kind = str_sub(kind, 0, (size_t)str_find_byte(kind, '/'));
	offer_words(c, of, false, &(struct narrowed){ .kind = kind });
}

static void offer_configured(struct completion *c, const char *of)
{
	offer_words(c, of, false, &(struct narrowed){ 0 });
}

static void offer_namespaces(struct completion *c, const char *of)
{
	bool objects = strcmp(c->command, "explain") == 0;

	offer_words(c, of, objects, &(struct narrowed){ 0 });
}

static void offer_files(struct completion *c, const char *of)
{
	(void)of;
	c->files = true;
}

static void offer_types(struct completion *c, const char *of)
{
	(void)of;
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		offer(c, str_from(finding_type((enum finding_kind)kind)));
}

static void offer_severities(struct completion *c, const char *of)
{
	(void)of;
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++)
		offer(c, str_from(severity_name((enum severity)s)));
}

static void offer_orders(struct completion *c, const char *of)
{
	(void)of;
	for (int o = 0; o < FINDINGS_ORDERS; o++)
		offer(c, str_from(findings_order_name((enum findings_order)o)));
}

/* Move the beginning of the completed part @n bytes further in the word. */
static void move_head(struct completion *c, size_t n)
{
	buf_add_str(&c->head, str_sub(c->begun, 0, n));
	c->begun = str_sub(c->begun, n, c->begun.n);
}

/* Offer kinds for "KIND", "KIND,KIND" and "KIND/NAME". @of: the words to offer; NULL: names of resources or, after a
 * capital letter, of kinds. */
static void offer_kinds(struct completion *c, const char *of)
{
	bool objects = strcmp(c->command, "explain") == 0;
	ptrdiff_t slash = str_find_byte(c->begun, '/'), comma = str_rfind(c->begun, STR(","));
	str kind = c->begun;

	if (slash >= 0) {
		kind = str_sub(kind, 0, (size_t)slash);
		move_head(c, (size_t)slash + 1);
		offer_words(c, "name", objects, &(struct narrowed){ .kind = kind });
		return;
	}
	if (comma >= 0)
		move_head(c, (size_t)comma + 1);
	if (!of)
		of = c->begun.n && c->begun.p[0] >= 'A' && c->begun.p[0] <= 'Z' ? "kind" : "resource";
	offer_words(c, of, objects, &(struct narrowed){ 0 });
}

/* Offer names: a NAME after the KIND, or [NAMESPACE/]NAME. */
static void offer_names(struct completion *c, const char *of)
{
	bool objects = strcmp(c->command, "explain") == 0;
	str kind = c->words.arguments[c->words.n_arguments - 1];
	ptrdiff_t slash = str_find_byte(c->begun, '/');
	str namespace = { 0 };

	(void)of;
	if (str_find_byte(kind, '/') >= 0) /* the argument has the name already */
		return;
	if (slash > 0) {
		namespace = str_sub(c->begun, 0, (size_t)slash);
		move_head(c, (size_t)slash + 1);
	}
	offer_words(c, "name", objects, &(struct narrowed){ kind, namespace });
}

/* Offer the deviations that a command has accepted; others have to be changed in the configuration. */
static void offer_acceptances(struct completion *c, const char *of)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	val items;

	(void)of;
	buf_add_cstr(&path, "/api/v1/accepted");
	items = get_items(c, &path, &d);
	for (uint32_t i = 0; i < val_count(items) && c->offered < OFFERED_MAX; i++) {
		CLEANUP(buf_done) struct buf about = BUF_INIT(REQUEST_MAX);
		val x = val_at(items, i), a = VAL_GET(x, "accepted");
		str namespace = control_text(a, "namespace");

		if (!str_eq(control_text(x, "source"), STR("command")))
			continue;
		buf_printf(&about, "%.*s%.*s %.*s%s%.*s: %.*s", STR_ARG(control_text(a, "component")),
			   STR_ARG(control_text(a, "kind")), STR_ARG(namespace), namespace.n ? "/" : "",
			   STR_ARG(control_text(a, "name")), STR_ARG(control_text(a, "reason")));
		offer_about(c, control_text(x, "id"), buf_str(&about));
	}
}

/* Offer the references that are published elsewhere. */
static void offer_published(struct completion *c, const char *of)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	val items;

	(void)of;
	buf_add_cstr(&path, "/api/v1/references");
	items = get_items(c, &path, &d);
	for (uint32_t i = 0; i < val_count(items) && c->offered < OFFERED_MAX; i++)
		offer_about(c, control_text(val_at(items, i), "name"), control_text(val_at(items, i), "standing"));
}

static void offer_revision(struct completion *c, val revision, const char *what)
{
	CLEANUP(buf_done) struct buf about = BUF_INIT(REQUEST_MAX);
	str title = control_text(revision, "title");
	str subject = control_text(revision, "subject");

	buf_printf(&about, "%s %.*s %.*s", what, STR_ARG(title), STR_ARG(subject));
	offer_about(c, control_text(revision, "id"), buf_str(&about));
}

/* Offer the revisions of the named reference that may be put in force. */
static void offer_revisions(struct completion *c, const char *of)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	bool accept = str_eq(c->words.arguments[0], STR("accept")), pin = str_eq(c->words.arguments[0], STR("pin"));
	struct err err;
	val earlier;

	(void)of;
	buf_add_cstr(&path, "/api/v1/references/");
	go_url_escape(&path, c->words.arguments[c->words.n_arguments - 1], GO_URL_PATH_SEGMENT);
	if (control_get_built(socket_of(c), &path, &d, &err) < 0 || !d)
		return;
	if (accept || pin)
		offer_revision(c, VAL_GET(d->root, "next"), "next");
	if (pin)
		offer_revision(c, VAL_GET(d->root, "inForce"), "in force");
	earlier = VAL_GET(d->root, "earlier");
	for (uint32_t i = 0; !accept && i < val_count(earlier); i++)
		offer_about(c, val_str(val_at(earlier, i)), STR("earlier"));
}

/* Offer [NAMESPACE/]RELEASE. @of "NAMESPACE/": the namespace is required. */
static void offer_releases(struct completion *c, const char *of)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	bool whole = of || str_find_byte(c->begun, '/') >= 0;
	val items;

	buf_add_cstr(&path, "/api/v1/releases");
	if (!of) {
		kc_url_query(&path, "cluster", words_value(&c->line, &c->words, "cluster"));
		kc_url_query(&path, "namespace", words_value(&c->line, &c->words, "namespace"));
	}
	items = get_items(c, &path, &d);
	for (uint32_t i = 0; i < val_count(items) && c->offered < OFFERED_MAX; i++) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(REQUEST_MAX);
		val x = val_at(items, i);

		if (whole)
			buf_printf(&name, "%.*s/", STR_ARG(control_text(x, "namespace")));
		buf_add_str(&name, control_text(x, "name"));
		offer_about(c, buf_str(&name), control_text(x, "state"));
	}
}

/* Offer the arguments of compare: releases with --helm, files otherwise. */
static void offer_of_compare(struct completion *c, const char *of)
{
	(void)of;
	if (words_value(&c->line, &c->words, "helm").p)
		offer_releases(c, "NAMESPACE/");
	else
		c->files = true;
}

/* ---- places ---- */

static const struct option_source {
	const char *command; /* NULL: any but compare and validate, whose clusters are those of a kubeconfig */
	const char *option;
	source_fn *offer;
	const char *of;
} option_sources[] = {
	{ "accept", "path", offer_found, "field" },
	{ "accept", "component", NULL, NULL },
	{ "compare", "namespace", offer_configured, "namespace" },
	{ "compare", "kinds", offer_kinds, "resource" },
	{ "events", "id", offer_found, "id" },
	{ NULL, "cluster", offer_configured, "cluster" },
	{ NULL, "reference", offer_configured, "reference" },
	{ NULL, "namespace", offer_namespaces, "namespace" },
	{ NULL, "component", offer_found, "component" },
	{ NULL, "type", offer_types, NULL },
	{ NULL, "severity", offer_severities, NULL },
	{ NULL, "field", offer_found, "field" },
	{ NULL, "by", offer_found, "manager" },
	{ NULL, "action", offer_found, "action" },
	{ NULL, "cause", offer_found, "cause" },
	{ NULL, "sort-by", offer_orders, NULL },
};

/* Whether the value, as --help calls it, may be the name of a file. */
static bool may_be_file(const char *value)
{
	static const char *const others[] = { "EVENT", "FORM", "ID", "JSON", "KIND/NAME", "LABELS", "MANAGER",
					      "N",     "NAME", "NS", "S",    "SPAN",      "TEXT",   "TIME",
					      "TYPE",  "UUID", "V",  "WHO",  "WORD" };

	return str_index(str_from(value), others, ARRAY_LEN(others)) == ARRAY_LEN(others);
}

static bool has_own_clusters(const char *command)
{
	return strcmp(command, "compare") == 0 || strcmp(command, "validate") == 0;
}

static const struct option_source *find_option_source(const struct completion *c, const char *option)
{
	for (size_t i = 0; i < ARRAY_LEN(option_sources); i++) {
		const struct option_source *s = &option_sources[i];

		if (strcmp(s->option, option) == 0 &&
		    (s->command ? strcmp(s->command, c->command) == 0 : !has_own_clusters(c->command)))
			return s;
	}
	return NULL;
}

#define EACH (~0u) /* all arguments from the first one on */

/* The arguments of commands that ask the running driftd. All arguments of other commands may be files. */
static const struct argument_source {
	const char *command, *verb; /* NULL: it has none */
	unsigned at;                /* position after the verb */
	source_fn *offer;
	const char *of;
} argument_sources[] = {
	{ "drift", "list", 0, offer_kinds, NULL },
	{ "drift", "list", 1, offer_names, NULL },
	{ "drift", "show", 0, offer_configured, "id" },
	{ "events", NULL, 0, offer_kinds, NULL },
	{ "events", NULL, 1, offer_names, NULL },
	{ "history", NULL, 0, offer_kinds, NULL },
	{ "history", NULL, 1, offer_names, NULL },
	{ "explain", NULL, 0, offer_kinds, NULL },
	{ "explain", NULL, 1, offer_names, NULL },
	{ "accept", NULL, 0, offer_kinds, "kind" },
	{ "accept", NULL, 1, offer_names, NULL },
	{ "unaccept", NULL, 0, offer_acceptances, NULL },
	{ "helm", "show", 0, offer_releases, NULL },
	{ "reference", "show", 0, offer_published, NULL },
	{ "reference", "update", EACH, offer_published, NULL },
	{ "reference", "accept", 0, offer_published, NULL },
	{ "reference", "accept", 1, offer_revisions, NULL },
	{ "reference", "pin", 0, offer_published, NULL },
	{ "reference", "pin", 1, offer_revisions, NULL },
	{ "reference", "unpin", 0, offer_published, NULL },
	{ "reference", "rollback", 0, offer_published, NULL },
	{ "reference", "rollback", 1, offer_revisions, NULL },
	{ "reference", "export", 0, offer_published, NULL },
	{ "reference", "export", 1, offer_files, NULL },
	{ "reference", "import", 0, offer_published, NULL },
	{ "reference", "import", 1, offer_files, NULL },
	{ "inspection", "import", 0, offer_files, NULL },
	{ "compare", NULL, EACH, offer_of_compare, NULL },
	/* status and reload take no arguments. */
	{ "status", NULL, EACH, NULL, NULL },
	{ "reload", NULL, EACH, NULL, NULL },
};

static bool is_place(const struct completion *c, const struct argument_source *s)
{
	str verb = c->verbs ? c->words.arguments[c->verbs - 1] : (str){ 0 };

	return strcmp(s->command, c->command) == 0 && str_eq(verb, str_from(s->verb ? s->verb : "")) &&
	       (s->at == EACH || s->at == c->words.n_arguments - c->verbs);
}

/* Whether the table has the arguments of the command. */
static bool is_of_table(const char *command)
{
	for (size_t i = 0; i < ARRAY_LEN(argument_sources); i++) {
		if (strcmp(argument_sources[i].command, command) == 0)
			return true;
	}
	return false;
}

static void offer_argument(struct completion *c)
{
	str command = str_from(c->command);
	size_t verbs = c->verbs, n = c->words.n_arguments;

	if (n > WORDS_ARGUMENTS_MAX)
		return;
	if (verbs == n)
		synopsis_next(c->line.synopsis, command, c->words.arguments, n, offer_verb, c);
	for (size_t i = 0; i < ARRAY_LEN(argument_sources); i++) {
		if (is_place(c, &argument_sources[i])) {
			if (argument_sources[i].offer)
				argument_sources[i].offer(c, argument_sources[i].of);
			return;
		}
	}
	c->files |= !is_of_table(c->command) && !c->offered;
}

static void offer_value(struct completion *c)
{
	const struct command_option *o = c->words.option;
	const struct option_source *s = o->name ? find_option_source(c, o->name) : NULL;

	if (s && s->offer) {
		s->offer(c, s->of);
	} else if (o->words) {
		for (const struct option_word *w = o->words; w->name; w++)
			offer(c, str_from(w->name));
	} else {
		c->files = !s && may_be_file(o->value);
	}
}

static void note_verb(void *ctx, str word)
{
	(void)word;
	*(bool *)ctx = true;
}

/* Whether the option may follow. A verb may have only some of the options; before the verb, any may follow. */
static bool may_follow(const struct completion *c, const struct command_option *o, bool known)
{
	return o->take && (!known || !o->group || o->group & c->line.groups);
}

static void offer_option(struct completion *c, const struct command_option *o)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(256);
	str help = str_from(o->help ? o->help : ""), first = help;

	(void)!str_next_part(&help, '\n', &first);
	if (o->name) {
		buf_printf(&name, "--%s", o->name);
		offer_about(c, buf_str(&name), first);
	}
	buf_clear(&name);
	if (o->letter && c->begun.n == 1) {
		buf_printf(&name, "-%c", o->letter);
		offer_about(c, buf_str(&name), first);
	}
}

static void offer_options(struct completion *c)
{
	bool has_verbs = false;

	synopsis_next(c->line.synopsis, str_from(c->command), NULL, 0, note_verb, &has_verbs);
	for (size_t i = 0; i < c->line.n; i++) {
		if (may_follow(c, &c->line.options[i], c->verbs || !has_verbs))
			offer_option(c, &c->line.options[i]);
	}
}

/* ---- the command ---- */

#define PROBED_MAX (WORDS_ARGUMENTS_MAX + 3)

/* Get the table of the command with these verbs, which the command reveals instead of printing its help. */
static void reveal(const struct completed_command *command, struct completion *c)
{
	char name[64], help[] = "--help", verbs[WORDS_ARGUMENTS_MAX][64], *argv[PROBED_MAX] = { name };
	int argc = 1;

	(void)snprintf(name, sizeof(name), "%s", command->name);
	for (size_t i = 0; i < c->verbs; i++) {
		(void)snprintf(verbs[i], sizeof(verbs[i]), "%.*s", STR_ARG(c->words.arguments[i]));
		argv[argc++] = verbs[i];
	}
	argv[argc++] = help;
	(void)command->run(argc, argv);
}

static const struct completed_command *find(const struct completed_command *commands, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (commands[i].run && strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static void offer_commands(const struct completed_command *commands, size_t n, struct completion *c)
{
	for (size_t i = 0; i < n; i++) {
		if (commands[i].run && commands[i].help)
			offer_about(c, str_from(commands[i].name), str_from(commands[i].help));
	}
}

static void complete_command(const struct completed_command *command, char **words, size_t n, struct completion *c)
{
	c->command = command->name;
	command_line_reveal(&c->line);
	reveal(command, c);
	if (!c->line.n)
		return;
	words_read(&c->line, words, n, &c->words);
	if (c->words.n_arguments <= WORDS_ARGUMENTS_MAX)
		c->verbs = synopsis_verbs(c->line.synopsis, str_from(c->command), c->words.arguments,
					  c->words.n_arguments);
	if (c->verbs)
		reveal(command, c);
	c->begun = c->words.begun;
	buf_add_str(&c->head, c->words.head);
	if (c->words.wanted == WANTED_OPTION)
		offer_options(c);
	else if (c->words.wanted == WANTED_VALUE)
		offer_value(c);
	else
		offer_argument(c);
}

/* Complete the line. @words begins with the name of the program. */
static void complete_words(const struct completed_command *commands, size_t n_commands, char **words, size_t n,
			   struct completion *c)
{
	const struct completed_command *command;

	if (n < 2)
		return;
	c->begun = str_from(words[n - 1]);
	command = n > 2 ? find(commands, n_commands, words[1]) : NULL;
	if (n == 2 || (n == 3 && strcmp(words[1], "help") == 0))
		offer_commands(commands, n_commands, c);
	else if (command)
		complete_command(command, words + 2, n - 2, c);
}

/* ---- the process ---- */

static void give_up(int signal)
{
	(void)signal;
	_exit(0);
}

/* Limit the time, for a daemon that does not answer, and for anything else that takes long. */
static void limit_time(void)
{
	const struct itimerval after = { .it_value = { .tv_usec = ANSWER_USEC } };

	(void)signal(SIGALRM, give_up);
	(void)setitimer(ITIMER_REAL, &after, NULL);
}

/* Return a descriptor for the answer, and close standard output to commands that are probed, and to libraries. -1:
 * it is closed. */
static int silence(void)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere >= 0) {
		(void)dup2(nowhere, STDOUT_FILENO);
		(void)dup2(nowhere, STDERR_FILENO);
		close(nowhere);
	}
	return nowhere < 0 ? -1 : out;
}

static void print_all(int fd, const struct buf *out)
{
	for (size_t at = 0; at < out->n;) {
		ssize_t n = write(fd, out->p + at, out->n - at);

		if (n <= 0)
			return;
		at += (size_t)n;
	}
}

int complete_run(const struct completed_command *commands, size_t n, int argc, char **argv)
{
	struct completion c = { .head = BUF_INIT(REQUEST_MAX), .out = BUF_INIT(OUTPUT_MAX) };
	int out = silence(), at = 1;

	limit_time();
	c.plain = at < argc && strcmp(argv[at], "--plain") == 0;
	at += c.plain;
	if (out >= 0 && at < argc && strcmp(argv[at], "--") == 0) {
		complete_words(commands, n, argv + at + 1, (size_t)(argc - at - 1), &c);
		buf_add_cstr(&c.out, c.files ? ":files\n" : ":end\n");
		if (!c.out.error)
			print_all(out, &c.out);
	}
	buf_done(&c.head);
	buf_done(&c.out);
	return 0;
}
