/* driftd reload: the configuration of the running driftd is read again, or what that would change is said. */
#include "base/printable.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"

struct reload_command {
	const char *socket;
	enum control_form form;
	bool dry_run;
};

#define AT(member) offsetof(struct reload_command, member)

static const struct command_option option_table[] = {
	{ "dry-run", 0, NULL, option_truth, AT(dry_run),
	  .help = "change nothing: say which findings would begin, change and end, judged over what\n"
		  "driftd knows now; of kinds that it does not watch yet nothing can be said" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "json or yaml (with --dry-run)",
	  .words = control_doc_words },
	CONTROL_SOCKET_OPTION(struct reload_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd reload",
	.synopsis = "Usage: driftd reload [--dry-run] [options]\n"
		    "Have the driftd of this machine read its configuration again. What came of it is in 'driftd "
		    "status'.\n\n",
	.notes =
		"\nExit status: 0 it is asked for, or nothing would change; 1 something would, or is not known; 2 the\n"
		"configuration has mistakes, driftd cannot be asked, or wrong usage.\n",
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

static int run(const struct reload_command *c)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	const char *path = c->dry_run ? "/api/v1/reload?dryRun=All" : "/api/v1/reload";
	struct err err;

	if (control_post(control_socket(c->socket), path, &d, &err) < 0 || (c->dry_run && print(c, d, &err) < 0))
		return command_line_failed(&line, &err);
	return c->dry_run && changes_something(d->root);
}

int cmd_reload(int argc, char **argv)
{
	struct reload_command c = { 0 };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &c, &none);

	return status == COMMAND_GOES_ON ? run(&c) : status;
}
