/* Reads the options, and checks which of them go together. */
#include "daemon/events/options.h"

#include "base/number.h"
#include "config/command_line.h"
#include "daemon/events/event_time.h"
#include "go/duration.h"

#include <errno.h>
#include <unistd.h>

#define LINES_FOLLOWED 10 /* the number that "tail -f" and "journalctl -f" show first, too */

static int take_lines(const struct given *g, void *to)
{
	int64_t n;
	struct err err;

	if (int64_parse(str_from(g->value), &n) && n >= 0) {
		*(int64_t *)to = n;
		return COMMAND_GOES_ON;
	}
	(void)err_set(&err, EINVAL, "--lines: '%.40s' is not a number of lines", g->value);
	return command_line_failed(g->line, &err);
}

static int take_span(const struct given *g, void *to)
{
	int64_t ns;
	struct err err;

	if (go_duration_parse(str_from(g->value), &ns, NULL) && ns > 0) {
		*(int64_t *)to = ns / 1000;
		return COMMAND_GOES_ON;
	}
	(void)err_set(&err, EINVAL, "--group: '%.40s' is not a time such as 30s", g->value);
	return command_line_failed(g->line, &err);
}

static int take_severity(const struct given *g, void *to)
{
	struct err err;

	if (severity_parse(str_from(g->value), to))
		return COMMAND_GOES_ON;
	(void)err_set(&err, EINVAL, "severity '%.40s': critical, error, warning, notice or info", g->value);
	return command_line_failed(g->line, &err);
}

static int take_event(const struct given *g, void *to)
{
	struct err err;

	return event_filter_add_word(to, g->value, &err) < 0 ? command_line_failed(g->line, &err) : COMMAND_GOES_ON;
}

static int add_file(struct events_options *o, const char *path, struct err *err)
{
	return vec_push(&o->files, path) ? 0 : err_nomem(err);
}

static int take_file(const struct given *g, void *to)
{
	struct err err;

	return add_file(to, g->value, &err) < 0 ? command_line_failed(g->line, &err) : COMMAND_GOES_ON;
}

#define AT(member) offsetof(struct events_options, member)

static const struct command_option option_table[] = {
	{ "since", 'S', "TIME", event_time_take, AT(filter.since_usec),
	  .help = "not before, not after: \"2026-02-03 14:05:06\" (local time, unless Z, UTC or an" },
	{ "until", 'U', "TIME", event_time_take, AT(filter.until_usec),
	  .help = "offset stands behind it), RFC 3339, a date or a time of day alone, now, today,\n"
		  "yesterday, tomorrow, -1h, \"10 min ago\", @SECONDS" },
	{ "follow", 'f', NULL, option_truth, AT(place.follow),
	  .help = "follow new records, after the last 10 unless --since or --lines\n"
		  "says otherwise; until --until, if given, or a signal" },
	{ "lines", 0, "N", take_lines, AT(lines), .help = "the last N" },
	{ "after-cursor", 0, "CURSOR", option_text, AT(after),
	  .help = "what came behind the record whose __CURSOR this is, as 'journalctl' has it" },
	{ "group", 0, "TIME", take_span, AT(group_usec),
	  .help = "what comes of one cause within TIME (30s) is one event: the first, with how many\n"
		  "there were (DRIFTD_GROUP_COUNT)" },
	{ "reverse", 'r', NULL, option_truth, AT(reverse), .help = "the newest first" },
	{ .help = "" },
	{ "namespace", 'n', "NS", option_text, AT(filter.namespace), .help = "of the object" },
	{ "cluster", 0, "NAME", option_text, AT(filter.cluster), .help = "" },
	{ "severity", 0, "S", take_severity, AT(filter.worst),
	  .help = "as bad as this, or worse: critical, error, warning, notice, info" },
	{ "event", 0, "EVENT", take_event, AT(filter),
	  .help = "begin, change, end; drift, component, error, gap, validation, inspection; both\n"
		  "(gap-begin); storm, notice, started, stopped, reloaded, reload-failed,\n"
		  "state-unreadable, inspection-log. May be given several times" },
	{ "id", 0, "ID", option_text, AT(filter.id), .help = "of the drift; its beginning is enough" },
	{ .help = "" },
	{ "directory", 'D', "DIR", option_text, AT(place.directory),
	  .help = "the journals in a folder, such as systemd-journal-remote(8) gathers" },
	{ "file", 0, "FILE", take_file, 0, .help = "a journal file; may be given several times" },
	{ "any-user", 0, NULL, option_truth, AT(filter.any_user),
	  .help = "also what others wrote. By default: the units driftd and driftd@NAME and root, and\n"
		  "on this machine the user driftd and who asks. Anybody can write to a journal" },
	{ .help = "" },
	{ "output", 'o', "FORM", option_word_take, AT(style.form),
	  .help = "short (default), wide (with fields, writers and diffs), json (an object a line,\n"
		  "the journal's names), yaml",
	  .words = event_form_words },
	{ "utc", 0, NULL, option_truth, AT(style.utc), .help = "times in UTC" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd events",
	.synopsis = "Usage: driftd events [KIND [NAME]] [options]\n"
		    "What driftd wrote to the journal, the oldest first.\n\n",
	.notes =
		"\nKIND is a kind or a resource (Deployment, deployments, deployments.apps). Whoever may read the "
		"journal\n"
		"may use this: members of the groups systemd-journal and adm.\n\n"
		"Exit status: 0 there were some, or a signal ended --follow; 1 there were none; 2 wrong usage, or the\n"
		"journal cannot be read.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = 2,
};

static int check(struct events_options *o, struct err *err)
{
	if (o->place.follow && o->reverse)
		return err_set(err, EINVAL, "--follow and --reverse exclude each other");
	if (o->group_usec && o->reverse)
		return err_set(err, EINVAL, "--group and --reverse exclude each other");
	if (o->after && (o->reverse || o->lines >= 0 || o->filter.since_usec))
		return err_set(err, EINVAL, "--after-cursor excludes --since, --lines and --reverse");
	if (o->place.follow && o->files.n)
		return err_set(err, EINVAL, "--file cannot be followed");
	if (o->place.directory && o->files.n)
		return err_set(err, EINVAL, "--directory and --file exclude each other");
	if (o->filter.until_usec && o->filter.since_usec > o->filter.until_usec)
		return err_set(err, EINVAL, "--since is later than --until");
	if (o->files.n && add_file(o, NULL, err) < 0)
		return -err->code;
	o->place.files = o->files.p;
	if (o->place.follow && o->lines < 0 && !o->filter.since_usec && !o->after)
		o->lines = LINES_FOLLOWED;
	o->style.host = o->place.directory || o->files.n;
	return 0;
}

int events_options_read(int argc, char **argv, struct events_options *ret)
{
	struct arguments about;
	struct err err;
	int status;

	*ret = (struct events_options){ .lines = -1 };
	event_filter_init(&ret->filter);
	ret->style.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	status = command_line_read(&line, argc, argv, ret, &about);
	if (status != COMMAND_GOES_ON)
		return status;
	ret->filter.kind = about.n > 0 ? about.p[0] : NULL;
	ret->filter.name = about.n > 1 ? about.p[1] : NULL;
	return check(ret, &err) < 0 ? command_line_failed(&line, &err) : COMMAND_GOES_ON;
}

void events_options_done(struct events_options *o)
{
	vec_done(&o->files);
}
