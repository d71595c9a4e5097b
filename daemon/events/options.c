/* Options, and what goes together. */
#include "daemon/events/options.h"

#include "base/number.h"
#include "config/command_line.h"
#include "daemon/events/event_time.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#define LINES_FOLLOWED 10 /* what "tail -f" and "journalctl -f" begin with */

const char *events_usage(void)
{
	return "Usage: driftd events [KIND [NAME]] [options]\n"
	       "What driftd told the journal, the oldest first.\n\n"
	       "  -S, --since TIME     not before, not after: \"2026-02-03 14:05:06\" (local time, unless Z, UTC or "
	       "an\n"
	       "  -U, --until TIME     offset stands behind it), RFC 3339, a date or a time of day alone, now, today,\n"
	       "                       yesterday, tomorrow, -1h, \"10 min ago\", @SECONDS\n"
	       "  -f, --follow         go on with what is told from now on, after the last 10 unless --since or "
	       "--lines\n"
	       "                       says otherwise; until --until, if given, or a signal\n"
	       "      --lines N        the last N\n"
	       "  -r, --reverse        the newest first\n\n"
	       "  -n, --namespace NS   of the object\n"
	       "      --cluster NAME\n"
	       "      --severity S     as bad as this, or worse: critical, error, warning, notice, info\n"
	       "      --event EVENT    begin, change, end; drift, component, error, gap, validation, inspection; both\n"
	       "                       (gap-begin); storm, notice, started, stopped, reloaded, reload-failed,\n"
	       "                       state-unreadable, inspection-log. May be given several times\n"
	       "      --id ID          of the drift; its beginning is enough\n\n"
	       "  -D, --directory DIR  the journals in a folder, such as systemd-journal-remote(8) gathers\n"
	       "      --file FILE      a journal file; may be given several times\n"
	       "      --any-user       also what others wrote. By default: the units driftd and driftd@NAME and root, "
	       "and\n"
	       "                       on this machine the user driftd and who asks. Anybody can write to a journal\n\n"
	       "  -o, --output FORM    short (default), wide (with fields, writers and diffs), json (an object a "
	       "line,\n"
	       "                       the journal's names), yaml\n"
	       "      --utc            times in UTC\n"
	       "  -h, --help           this text\n\n"
	       "KIND is a kind or a resource (Deployment, deployments, deployments.apps). Whoever may read the "
	       "journal\n"
	       "may use this: members of the groups systemd-journal and adm.\n\n"
	       "Exit status: 0 there were some, or a signal ended --follow; 1 there were none; 2 wrong usage, or the\n"
	       "journal cannot be read.\n";
}

enum {
	CLUSTER = 256,
	SEVERITY,
	EVENT,
	ID,
	LINES,
	JOURNAL_FILE,
	ANY_USER,
	UTC,
};

static int64_t now_usec(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

static int take_number(const char *text, int64_t *ret, struct err *err)
{
	int64_t n;

	if (!int64_parse(str_from(text), &n) || n < 0)
		return err_set(err, EINVAL, "--lines: '%.40s' is no number of lines", text);
	*ret = n;
	return 0;
}

static int take_file(struct events_options *o, const char *path, struct err *err)
{
	return vec_push(&o->files, path) ? 0 : err_nomem(err);
}

static int take_option(struct events_options *o, int c, char *value, struct err *err)
{
	switch (c) {
	case 'S':
		return event_time_parse(str_from(value), now_usec(), &o->filter.since_usec, err);
	case 'U':
		return event_time_parse(str_from(value), now_usec(), &o->filter.until_usec, err);
	case 'f':
		o->place.follow = true;
		return 0;
	case 'r':
		o->reverse = true;
		return 0;
	case LINES:
		return take_number(value, &o->lines, err);
	case 'n':
		o->filter.namespace = value;
		return 0;
	case CLUSTER:
		o->filter.cluster = value;
		return 0;
	case SEVERITY:
		return severity_parse(str_from(value), &o->filter.worst)
			       ? 0
			       : err_set(err, EINVAL, "severity '%.40s': critical, error, warning, notice or info",
					 value);
	case EVENT:
		return event_filter_add_word(&o->filter, value, err);
	case ID:
		o->filter.id = value;
		return 0;
	case 'D':
		o->place.directory = value;
		return 0;
	case JOURNAL_FILE:
		return take_file(o, value, err);
	case ANY_USER:
		o->filter.any_user = true;
		return 0;
	case 'o':
		return event_form_parse(value, &o->style.form)
			       ? 0
			       : err_set(err, EINVAL, "unknown form of output '%.40s'", value);
	case UTC:
		o->style.utc = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	default:
		return err_set(err, EINVAL, "see 'driftd events --help'"); /* getopt has said what is wrong */
	}
}

static int take_arguments(struct events_options *o, char **arguments, int n, struct err *err)
{
	if (n > 2)
		return err_set(err, EINVAL, "unexpected argument '%.60s'", arguments[2]);
	o->filter.kind = n > 0 ? arguments[0] : NULL;
	o->filter.name = n > 1 ? arguments[1] : NULL;
	return 0;
}

static int check(struct events_options *o, struct err *err)
{
	if (o->place.follow && o->reverse)
		return err_set(err, EINVAL, "--follow and --reverse exclude each other");
	if (o->place.follow && o->files.n)
		return err_set(err, EINVAL, "--file cannot be followed");
	if (o->place.directory && o->files.n)
		return err_set(err, EINVAL, "--directory and --file exclude each other");
	if (o->filter.until_usec && o->filter.since_usec > o->filter.until_usec)
		return err_set(err, EINVAL, "--since is later than --until");
	if (o->files.n && take_file(o, NULL, err) < 0)
		return -err->code;
	o->place.files = o->files.p;
	if (o->place.follow && o->lines < 0 && !o->filter.since_usec)
		o->lines = LINES_FOLLOWED;
	o->style.host = o->place.directory || o->files.n;
	return 0;
}

int events_options_parse(int argc, char **argv, struct events_options *ret, struct err *err)
{
	static const struct option options[] = {
		{ "since", required_argument, NULL, 'S' },
		{ "until", required_argument, NULL, 'U' },
		{ "follow", no_argument, NULL, 'f' },
		{ "reverse", no_argument, NULL, 'r' },
		{ "lines", required_argument, NULL, LINES },
		{ "namespace", required_argument, NULL, 'n' },
		{ "cluster", required_argument, NULL, CLUSTER },
		{ "severity", required_argument, NULL, SEVERITY },
		{ "event", required_argument, NULL, EVENT },
		{ "id", required_argument, NULL, ID },
		{ "directory", required_argument, NULL, 'D' },
		{ "file", required_argument, NULL, JOURNAL_FILE },
		{ "any-user", no_argument, NULL, ANY_USER },
		{ "output", required_argument, NULL, 'o' },
		{ "utc", no_argument, NULL, UTC },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, r = 0;

	*ret = (struct events_options){ .lines = -1 };
	event_filter_init(&ret->filter);
	ret->style.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
	while (r == 0 && !ret->help &&
	       (c = command_line_next("driftd events", argc, argv, "S:U:frn:D:o:h", options, NULL)) != -1)
		r = take_option(ret, c, optarg, err);
	if (r == 0 && !ret->help)
		r = take_arguments(ret, argv + optind, argc - optind, err);
	return r == 0 && !ret->help ? check(ret, err) : r;
}

void events_options_done(struct events_options *o)
{
	vec_done(&o->files);
}
