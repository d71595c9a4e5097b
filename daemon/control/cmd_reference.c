/* driftd reference: shows and chooses the revisions of published references that are in force. */
#include "config/command_line.h"
#include "config/source_program.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "go/duration.h"
#include "go/url.h"
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define REFERENCES "/api/v1/references"
#define REQUEST_MAX ((size_t)64 << 10)
#define EXIT_NOT_DONE 1
#define WAIT_NS (300 * GO_SECOND)
#define POLL_NS (GO_SECOND / 2)

struct reference_command {
	const char *verb;
	const char *socket;
	enum control_form form;
	bool no_headers, wait;
	int64_t wait_ns;
	const char *store; /* NULL: the default */
	struct arguments about;
};

#define OF_FORM 1u
#define OF_LIST 2u
#define OF_UPDATE 4u
#define OF_CHANGE 8u
#define OF_CARRY 16u

static const struct option_word forms[] = {
	{ "table", FORM_TABLE }, { "wide", FORM_WIDE }, { "json", FORM_JSON }, { "yaml", FORM_YAML }, { 0 },
};

#define AT(member) offsetof(struct reference_command, member)

static const struct command_option option_table[] = {
	{ "wait", 0, NULL, option_truth, AT(wait),
	  .help = "of update: until it was fetched and checked, and print the outcome", .group = OF_UPDATE },
	{ "timeout", 0, "TIME", control_take_time, AT(wait_ns),
	  .help = "wait for that long at most, with --wait and when a revision is looked at\n(default: 5m)",
	  .group = OF_UPDATE | OF_CHANGE },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "of list and show: wide (of list), json or yaml",
	  .words = forms, .group = OF_FORM },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "of list: no first line", .group = OF_LIST },
	{ "store", 0, "FOLDER", option_text, AT(store),
	  .help = "of export and import: where driftd-fetch keeps what it fetched (default:\n"
		  "$DRIFTD_SOURCES_DIR, else " SOURCES_DIR_DEFAULT ")",
	  .group = OF_CARRY },
	CONTROL_SOCKET_OPTION(struct reference_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd reference",
	.synopsis = "Usage: driftd reference list [options]\n"
		    "       driftd reference show NAME [options]\n"
		    "       driftd reference update [NAME...] [--wait]\n"
		    "       driftd reference accept NAME [REVISION]\n"
		    "       driftd reference pin NAME [REVISION]\n"
		    "       driftd reference unpin NAME\n"
		    "       driftd reference rollback NAME [REVISION]\n"
		    "       driftd reference export|import NAME FILE\n"
		    "The references that are published elsewhere and followed: which revision of each is in force, and "
		    "which waits.\n\n"
		    "  update    fetch them now, all of them without a NAME\n"
		    "  accept    put the revision that is held back in force (with a REVISION: only that one)\n"
		    "  pin       keep a revision in force, whatever is published (default: the one that is)\n"
		    "  unpin     follow what is published again\n"
		    "  rollback  put an earlier revision in force and keep it (default: the one before)\n"
		    "  export    write what was fetched last to FILE, for a host without a network\n"
		    "  import    take FILE as what was fetched last; driftd checks it like a fetched one\n\n"
		    "Of a REVISION the beginning is enough, as 'show' prints it; accept wants 12 digits. What is to be "
		    "in force is\nlooked at first, as what is fetched is.\n\n",
	.notes =
		"\nExit status of list: 0 all is well with every reference, 1 something is not; of the others: 0 done, "
		"1 not done,\nwith --wait also when something is not well with one then; 2 driftd cannot be asked, or "
		"wrong usage.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = ARGUMENTS_ANY,
};

/* Report that driftd refused, or took too long. */
static int failed(const struct err *err)
{
	int status = command_line_failed(&line, err);

	return err->code == EREMOTEIO || err->code == ETIME ? EXIT_NOT_DONE : status;
}

static int failed_of(str name, struct err *err)
{
	(void)!err_wrap(err, "%.*s", STR_ARG(name));
	return failed(err);
}

/* ---- requests ---- */

static void add_path(str name, const char *action, struct buf *path)
{
	buf_add_cstr(path, REFERENCES "/");
	go_url_escape(path, name, GO_URL_PATH_SEGMENT);
	if (action)
		buf_printf(path, "/%s", action);
}

static int get(const struct reference_command *c, str name, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	add_path(name, NULL, &path);
	return control_get_built(control_socket(c->socket), &path, ret, err);
}

/* Request the action that has the name of the verb. @revision may be NULL. */
static int act(const struct reference_command *c, str name, const char *revision, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	add_path(name, c->verb, &path);
	if (revision)
		kc_url_query(&path, "revision", str_from(revision));
	if (buf_error(&path, "request", err) < 0)
		return -err->code;
	return control_post(control_socket(c->socket), path.p, ret, err);
}

static bool is_well(val x)
{
	return val_count(VAL_GET(x, "problems")) == 0;
}

static int print_outcome(val x)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	struct err err;

	reference_outcome(x, &out);
	return control_print(&out, &err) < 0 ? failed(&err) : 0;
}

/* ---- list, show ---- */

static int print_list(const struct reference_command *c, const struct doc *d, struct err *err)
{
	const struct references_table how = { .wide = c->form == FORM_WIDE, .no_headers = c->no_headers };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	val items = VAL_GET(d->root, "items");
	int r = 0;

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	if (val_count(items))
		r = references_table(&how, items, (int64_t)time(NULL), &out, err);
	return r < 0 ? r : control_print(&out, err);
}

static int run_list(struct reference_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	val items;

	if (control_get(control_socket(c->socket), REFERENCES, &d, &err) < 0 || print_list(c, d, &err) < 0)
		return command_line_failed(&line, &err);
	control_print_notes("driftd reference", d->root);
	items = VAL_GET(d->root, "items");
	for (uint32_t i = 0; i < val_count(items); i++) {
		if (!is_well(val_at(items, i)))
			return 1;
	}
	return 0;
}

static int run_show(struct reference_command *c)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	int r = get(c, str_from(c->about.p[0]), &d, &err);

	if (r == 0 && (c->form == FORM_JSON || c->form == FORM_YAML))
		return control_print_doc(d, c->form, &err) < 0 ? failed(&err) : 0;
	if (r == 0)
		r = reference_describe(d->root, &out, &err);
	if (r == 0)
		r = control_print(&out, &err);
	return r < 0 ? failed(&err) : 0;
}

/* ---- waiting ---- */

static int64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * GO_SECOND + t.tv_nsec;
}

/* True when the daemon has decided on the newest revision: one that was fetched a moment ago may still have to be
 * checked. */
static bool is_looked_at(val x)
{
	str standing = control_text(x, "standing");

	if (str_eq(standing, STR("current")) || str_eq(standing, STR("absent")))
		return !val_exists(VAL_GET(x, "next"));
	return !str_eq(standing, STR("checking"));
}

static bool is_decided(val x)
{
	return !val_is_true(VAL_GET(x, "waits")) && is_looked_at(x);
}

/* Ask repeatedly until @is_done. Fails: ETIME; and so on. */
static int await(const struct reference_command *c, str name, bool (*is_done)(val x), int64_t until_ns,
		 struct doc **ret, struct err *err)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	for (;;) {
		CLEANUP(doc_unrefp) struct doc *d = NULL;

		if (get(c, name, &d, err) < 0)
			return -err->code;
		if (is_done(d->root)) {
			*ret = TAKE(d);
			return 0;
		}
		if (now_ns() >= until_ns)
			return err_set(err, ETIME, "%s",
				       is_looked_at(d->root) ? "it was not fetched in time; does driftd-fetch run?"
							     : "it is still being checked");
		(void)nanosleep(&pause, NULL);
	}
}

/* ---- update ---- */

/* Wait for the end of an update. Returns the exit status. */
static int finish_update(const struct reference_command *c, str name, int64_t until_ns)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	int status;

	if (await(c, name, is_decided, until_ns, &d, &err) < 0)
		return failed_of(name, &err);
	status = print_outcome(d->root);
	return status == 0 && !is_well(d->root) ? EXIT_NOT_DONE : status;
}

static int ask_update(const struct reference_command *c, str name)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (act(c, name, NULL, &d, &err) < 0)
		return failed_of(name, &err);
	if (!c->wait)
		printf("%.*s: is to be fetched\n", STR_ARG(name));
	return 0;
}

/* Update references. All are requested before the first is waited for, so that they are fetched in parallel. Returns
 * the exit status. */
static int update(const struct reference_command *c, const str *names, size_t n)
{
	int64_t until_ns = now_ns() + c->wait_ns;
	int status = 0, worst = 0;

	for (size_t i = 0; status == 0 && i < n; i++)
		status = ask_update(c, names[i]);
	for (size_t i = 0; status == 0 && c->wait && i < n; i++) {
		int one = finish_update(c, names[i], until_ns);

		worst = one > worst ? one : worst;
	}
	return status ? status : worst;
}

/* True when the source is fetched; false when revisions of it are imported only. */
static bool is_fetched(val x)
{
	return val_int_or(val_dig(x, "source", "intervalSeconds", NULL), 0) > 0;
}

static int run_update(struct reference_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	CLEANUP(freep) str *names = NULL;
	struct err err;
	size_t n = c->about.n;
	val items;

	if (!n && control_get(control_socket(c->socket), REFERENCES, &d, &err) < 0)
		return failed(&err);
	items = d ? VAL_GET(d->root, "items") : (val){ 0 };
	if (d)
		control_print_notes("driftd reference", d->root);
	names = calloc(n + val_count(items) + 1, sizeof(*names));
	if (!names) {
		(void)!err_nomem(&err);
		return failed(&err);
	}
	for (size_t i = 0; i < n; i++)
		names[i] = str_from(c->about.p[i]);
	for (uint32_t i = 0; i < val_count(items); i++) {
		if (is_fetched(val_at(items, i)))
			names[n++] = control_text(val_at(items, i), "name");
	}
	return update(c, names, n);
}

/* ---- accept, pin, unpin, rollback ---- */

/* Whether something keeps the requested revision from being in force; prints it. */
static bool is_in_the_way(val x)
{
	str standing = control_text(x, "standing");

	return str_eq(standing, STR("held")) || str_eq(standing, STR("broken")) || val_exists(VAL_GET(x, "notDone"));
}

static int run_change(struct reference_command *c)
{
	CLEANUP(doc_unrefp) struct doc *before = NULL;
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	str name = str_from(c->about.p[0]);
	struct err err;
	int status;

	if (act(c, name, c->about.n > 1 ? c->about.p[1] : NULL, &before, &err) < 0 ||
	    await(c, name, is_looked_at, now_ns() + c->wait_ns, &d, &err) < 0)
		return failed_of(name, &err);
	status = print_outcome(d->root);
	return status == 0 && is_in_the_way(d->root) ? EXIT_NOT_DONE : status;
}

/* ---- export, import ---- */

/* Let driftd-fetch do it, because only that writes to the store. */
static int run_carry(struct reference_command *c)
{
	CLEANUP(buf_done) struct buf program = BUF_INIT(REQUEST_MAX);
	const char *store = c->store ? c->store : source_store_usual();
	const char *verb = strcmp(c->verb, "export") == 0 ? "--export" : "--import";
	struct err err;

	source_program(&program);
	if (buf_error(&program, "the path of driftd-fetch", &err) < 0)
		return failed(&err);
	(void)execlp(program.p, program.p, "--store", store, verb, c->about.p[0], c->about.p[1], (char *)NULL);
	(void)err_set(&err, errno, "run '%s': %s", program.p, strerror(errno));
	return failed(&err);
}

/* ---- the command lines ---- */

static const struct verb {
	const char *name;
	int (*run)(struct reference_command *c);
	unsigned options;
	unsigned least, most; /* how many arguments */
} verbs[] = {
	{ "list", run_list, OF_FORM | OF_LIST, 0, 0 },
	{ "show", run_show, OF_FORM, 1, 1 },
	{ "update", run_update, OF_UPDATE, 0, ARGUMENTS_ANY },
	{ "accept", run_change, OF_CHANGE, 1, 2 },
	{ "pin", run_change, OF_CHANGE, 1, 2 },
	{ "unpin", run_change, OF_CHANGE, 1, 1 },
	{ "rollback", run_change, OF_CHANGE, 1, 2 },
	{ "export", run_carry, OF_CARRY, 2, 2 },
	{ "import", run_carry, OF_CARRY, 2, 2 },
};

static int run_verb(const struct verb *v, struct reference_command *c, int argc, char **argv)
{
	struct command_line own = line;
	int status;

	own.groups = v->options;
	own.arguments_most = v->most;
	status = command_line_read(&own, argc, argv, c, &c->about);
	if (status != COMMAND_GOES_ON)
		return status;
	for (size_t i = 0; i < c->about.n; i++) {
		if (!*c->about.p[i])
			return command_line_wrong(&line, "an empty name stands behind", v->name);
	}
	if (c->about.n < v->least)
		return command_line_wrong(&line,
					  v->least > 1 ? "the NAME of a reference and a FILE are expected behind"
						       : "the NAME of a reference is expected behind",
					  v->name);
	return v->run(c);
}

int cmd_reference(int argc, char **argv)
{
	struct reference_command c = { .wait_ns = WAIT_NS };
	const char *word = argc > 1 ? argv[1] : NULL;

	if (word && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)) {
		command_line_help(&line, stdout);
		return 0;
	}
	for (size_t i = 0; word && i < ARRAY_LEN(verbs); i++) {
		if (strcmp(word, verbs[i].name) != 0)
			continue;
		c.verb = word;
		return run_verb(&verbs[i], &c, argc - 1, argv + 1);
	}
	if (word)
		return command_line_wrong(&line, "unknown command", word);
	fputs("driftd reference: a command is expected\n", stderr);
	return command_line_see_help(&line);
}
