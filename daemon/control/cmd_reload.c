/* driftd reload: lets the running driftd read its configuration again, or shows what that would change. */
#include "base/printable.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"
#include "go/duration.h"

#include <errno.h>
#include <stdio.h>

#define TIMEOUT_TEXT "60s" /* less than the default timeout of systemd */
#define TIMEOUT_NS (60 * GO_SECOND)
#define NS_PER_MS 1000000
#define EXIT_REFUSED 1

struct reload_command {
	const char *socket;
	enum control_form form;
	bool dry_run, no_wait;
	int64_t timeout_ns; /* 0: not given */
};

#define AT(member) offsetof(struct reload_command, member)

static const struct command_option option_table[] = {
	{ "dry-run", 0, NULL, option_truth, AT(dry_run),
	  .help = "change nothing: say which findings would begin, change and end, judged over what\n"
		  "driftd knows now; of kinds that it does not watch yet nothing can be said" },
	{ "no-wait", 0, NULL, option_truth, AT(no_wait),
	  .help = "ask for it, and leave what comes of it to 'driftd status'" },
	{ "timeout", 0, "TIME", control_take_time, AT(timeout_ns),
	  .help = "wait for that long at most (default: " TIMEOUT_TEXT ")" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "json or yaml (with --dry-run)",
	  .words = control_doc_words },
	CONTROL_SOCKET_OPTION(struct reload_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd reload",
	.synopsis = "Usage: driftd reload [--timeout TIME | --no-wait | --dry-run] [options]\n"
		    "Have the driftd of this machine read its configuration again, and wait until that is in force or "
		    "refused; the\nmistakes of one that is refused are printed, and the old one stays in force.\n\n",
	.notes =
		"\nExit status: 0 it is in force (with --no-wait: it is asked for); 1 it is refused; 2 what came of it "
		"is not known\nin time, driftd cannot be asked, or wrong usage. With --dry-run: 0 nothing would "
		"change; 1 "
		"something would, or is\nnot known; 2 the configuration has mistakes, or as above.\n",
	OPTIONS(option_table),
	.column = 23,
};

static void add_line(struct buf *out, str text)
{
	printable_add(out, text, "\\n");
	buf_add_byte(out, '\n');
}

static void describe(val x, struct buf *out)
{
	val unknown = VAL_GET(x, "unknown"), items = VAL_GET(x, "items"), complete = VAL_GET(x, "complete");

	for (uint32_t i = 0; i < val_count(items); i++)
		add_line(out, val_str(VAL_GET(val_at(items, i), "message")));
	for (uint32_t i = 0; i < val_count(unknown); i++) {
		buf_add_cstr(out, "not known: ");
		add_line(out, val_str(val_at(unknown, i)));
	}
	buf_printf(out, "%lld begin, %lld change, %lld end, %u not known%s\n",
		   (long long)val_int_or(VAL_GET(x, "begin"), 0), (long long)val_int_or(VAL_GET(x, "change"), 0),
		   (long long)val_int_or(VAL_GET(x, "end"), 0), val_count(unknown),
		   val_is_true(complete) ? "" : ", or more: it takes long to find out");
}

static int print(const struct reload_command *c, const struct doc *d, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	describe(d->root, &out);
	return control_print(&out, err);
}

static bool changes_something(val x)
{
	val complete = VAL_GET(x, "complete");

	return val_int_or(VAL_GET(x, "begin"), 0) || val_int_or(VAL_GET(x, "change"), 0) ||
	       val_int_or(VAL_GET(x, "end"), 0) || val_count(VAL_GET(x, "unknown")) || complete.kind != VAL_BOOL ||
	       !complete.b;
}

/* ---- what is asked for ---- */

static int dry_run(const struct reload_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (control_post(control_socket(c->socket), "/api/v1/reload?dryRun=All", &d, &err) < 0 || print(c, d, &err) < 0)
		return command_line_failed(&line, &err);
	return changes_something(d->root);
}

static int ask(const struct reload_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	return control_post(control_socket(c->socket), "/api/v1/reload", &d, &err) < 0
		       ? command_line_failed(&line, &err)
		       : 0;
}

static int report_refused(val answer)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	val mistakes = VAL_GET(answer, "mistakes");

	buf_printf(&out, "%s: ", line.program);
	add_line(&out, val_str(VAL_GET(answer, "message")));
	for (uint32_t i = 0; i < val_count(mistakes); i++)
		add_line(&out, val_str(val_at(mistakes, i)));
	fwrite(out.p, 1, out.n, stderr);
	return EXIT_REFUSED;
}

/* A daemon that is older than this command answers only that it was asked to reload, not that the configuration is in
 * force. */
static int check_in_force(val answer, struct err *err)
{
	if (val_is_true(VAL_GET(answer, "inForce")))
		return 0;
	return err_set(err, EPROTO, "the driftd that runs is older than this command, and does not say it");
}

static int ask_and_wait(const struct reload_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	CLEANUP(doc_unrefp) struct doc *refused = NULL;
	int64_t ns = c->timeout_ns ? c->timeout_ns : TIMEOUT_NS;
	struct err err;
	int r = control_post_patiently(control_socket(c->socket), "/api/v1/reload?wait=true",
				       (uint64_t)(ns / NS_PER_MS + (ns % NS_PER_MS > 0)), &refused, &d, &err);

	if (refused)
		return report_refused(refused->root);
	if (r == 0)
		r = check_in_force(d->root, &err);
	if (r == -ETIMEDOUT || r == -EPROTO)
		(void)!err_wrap(&err, "whether the configuration is in force is not known ('driftd status' may say)");
	return r < 0 ? command_line_failed(&line, &err) : 0;
}

static int check(const struct reload_command *c)
{
	if (c->dry_run && (c->no_wait || c->timeout_ns))
		return command_line_wrong(&line, "a dry run does not go with", c->no_wait ? "--no-wait" : "--timeout");
	if (c->no_wait && c->timeout_ns)
		return command_line_wrong(&line, "who does not wait has no use for", "--timeout");
	return COMMAND_GOES_ON;
}

int cmd_reload(int argc, char **argv)
{
	struct reload_command c = { 0 };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &c, &none);

	if (status == COMMAND_GOES_ON)
		status = check(&c);
	if (status != COMMAND_GOES_ON)
		return status;
	return c.dry_run ? dry_run(&c) : c.no_wait ? ask(&c) : ask_and_wait(&c);
}
