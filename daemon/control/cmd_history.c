/* driftd history: shows what began and ended, when, who did it and how long it lasted, from the history of the
 * running driftd. */
#include "base/severity.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/last_look.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "daemon/events/event_time.h"
#include "go/layout.h"
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define REQUEST_MAX ((size_t)64 << 10)
#define ROWS_MAX "1000" /* rows of one answer of the daemon */
#define NIGHT_BEGINS 22 /* hours in local time */
#define NIGHT_ENDS 7
#define USEC INT64_C(1000000)

struct history_command {
	const char *socket;
	enum control_form form;
	bool no_headers, story, last_night, since_last_look;
	int64_t since_usec, until_usec;
	const char *deploy;
	str namespace, cluster;
	struct buf filters;
};

static int take_filter(const struct given *g, void *to)
{
	struct history_command *c = to;

	kc_url_query(&c->filters, strcmp(g->option->name, "by") == 0 ? "manager" : g->option->name, str_from(g->value));
	return COMMAND_GOES_ON;
}

static const struct option_word forms[] = {
	{ "table", FORM_TABLE }, { "wide", FORM_WIDE }, { "json", FORM_JSON }, { "yaml", FORM_YAML }, { 0 },
};

#define AT(member) offsetof(struct history_command, member)

static const struct command_option option_table[] = {
	{ "since", 'S', "TIME", event_time_take, AT(since_usec),
	  .help = "not before, not after: times as of 'driftd events' (yesterday, 06:00, -1h)" },
	{ "until", 'U', "TIME", event_time_take, AT(until_usec), .help = "" },
	{ "last-night", 0, NULL, option_truth, AT(last_night),
	  .help = "from 22:00 yesterday to 07:00 today, local time, or up to now" },
	{ "since-last-look", 0, NULL, option_truth, AT(since_last_look),
	  .help = "since you used this option before; the first time: the last day" },
	{ "since-deploy", 0, "KIND/NAME", option_text, AT(deploy),
	  .help = "since that object was last written, but for its status; release/NAME: since\n"
		  "the last revision of a release of Helm was deployed" },
	{ .help = "" },
	{ "namespace", 'n', "NS", option_str, AT(namespace), .help = "of the object" },
	{ "all-namespaces", 'A', NULL, option_habit, 0, .help = "as without --namespace" },
	{ "cluster", 0, "NAME", option_str, AT(cluster), .help = "" },
	{ "reference", 0, "NAME", take_filter, 0, .help = "" },
	{ "type", 0, "TYPE", take_filter, 0,
	  .help = "drift, component, error, gap, validation, inspection or accepted; may\n"
		  "be given several times" },
	{ "severity", 0, "S", take_filter, 0,
	  .help = "as bad as this, or worse: critical, error, warning, notice, info" },
	{ "by", 0, "MANAGER", take_filter, 0, .help = "who wrote it; '*' stands for any text" },
	{ "story", 0, NULL, option_truth, AT(story), .help = "of one object: each record of it" },
	{ .help = "" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "wide, json or yaml", .words = forms },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "neither sums nor a first line" },
	CONTROL_SOCKET_OPTION(struct history_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd history",
	.synopsis = "Usage: driftd history [KIND [NAME] | KIND/NAME] [options]\n"
		    "What began and ended on the driftd of this machine, the newest first, without a time within the "
		    "last day.\n\n",
	.notes = "\nKIND is a kind, a resource or a short name, as in 'driftd drift list'. In NAME '*' stands for any "
		 "text.\n\n"
		 "Exit status: 0 something began or ended then, 1 nothing did, 2 driftd cannot be asked, or wrong "
		 "usage. 'driftd events'\nreads the journal, also where no driftd runs.\n",
	OPTIONS(option_table),
	.column = 29,
	.arguments_most = 2,
};

/* ---- times ---- */

static int64_t now_usec(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * USEC + t.tv_nsec / 1000;
}

/* The time of that hour on the day @days from today. The calendar knows whether a day has 23 hours. */
static int64_t at_hour(int64_t now, int days, int hour)
{
	time_t sec = now / USEC;
	struct tm tm;

	(void)localtime_r(&sec, &tm);
	tm.tm_mday += days;
	tm.tm_hour = hour;
	tm.tm_min = tm.tm_sec = 0;
	tm.tm_isdst = -1;
	return (int64_t)mktime(&tm) * USEC;
}

static void take_night(struct history_command *c, int64_t now)
{
	int64_t morning = at_hour(now, 0, NIGHT_ENDS);

	c->since_usec = at_hour(now, -1, NIGHT_BEGINS);
	c->until_usec = now < morning ? now : morning;
}

/* Find the time in the member @when of the only item of the list at @path, which includes the query. */
static int find_when(const struct history_command *c, struct buf *path, const char *when, int64_t *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct go_stamp stamp;
	int r = control_get_built(control_socket(c->socket), path, &d, err);
	val items;

	if (r < 0)
		return r;
	items = VAL_GET(d->root, "items");
	if (val_count(items) != 1)
		return err_set(err, EINVAL, "--since-deploy '%.60s': %u are called so%s", c->deploy, val_count(items),
			       val_count(items) ? ": --namespace and --cluster say which" : "");
	if (!go_rfc3339_parse(control_text(val_at(items, 0), when), &stamp, NULL))
		return err_set(err, EINVAL, "--since-deploy '%.60s': nobody knows when", c->deploy);
	*ret = (stamp.sec - stamp.offset) * USEC;
	return 0;
}

/* Find when the release was last deployed, according to Helm, or when the object was last written. */
static int find_deploy(struct history_command *c, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	str all = str_from(c->deploy), kind, name;
	ptrdiff_t slash = str_find_byte(all, '/');
	bool release;

	if (slash <= 0 || (size_t)slash + 1 == all.n)
		return err_set(err, EINVAL, "--since-deploy '%.60s': KIND/NAME or release/NAME is expected", c->deploy);
	kind = str_sub(all, 0, (size_t)slash);
	name = str_sub(all, (size_t)slash + 1, all.n);
	release = str_eq(kind, STR("release"));
	buf_add_cstr(&path, release ? "/api/v1/releases" : "/api/v1/objects");
	kc_url_query(&path, "kind", release ? STR("") : kind);
	kc_url_query(&path, "name", name);
	kc_url_query(&path, "namespace", c->namespace);
	kc_url_query(&path, "cluster", c->cluster);
	return find_when(c, &path, release ? "changed" : "lastWritten", &c->since_usec, err);
}

static int find_time(struct history_command *c, int64_t now, struct err *err)
{
	int given = !!(c->since_usec || c->until_usec) + c->last_night + c->since_last_look + !!c->deploy;

	if (given > 1)
		return err_set(
			err, EINVAL,
			"--since or --until, --last-night, --since-last-look and --since-deploy exclude each other");
	if (c->until_usec && c->since_usec >= c->until_usec)
		return err_set(err, EINVAL, "--since is not before --until");
	if (c->last_night)
		take_night(c, now);
	if (c->since_last_look)
		return last_look_read(&c->since_usec, err);
	return c->deploy ? find_deploy(c, err) : 0;
}

/* ---- the request ---- */

static void add_time(struct buf *path, const char *name, int64_t usec)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);

	if (!usec)
		return;
	go_rfc3339_format(usec / USEC, (int32_t)(usec % USEC * 1000), 0, &text);
	kc_url_query(path, name, buf_str(&text));
}

/* Add the object to the request: KIND NAME, or KIND/NAME. */
static int add_object(struct history_command *c, const struct arguments *about, struct buf *path, struct err *err)
{
	str kind = about->n ? str_from(about->p[0]) : STR(""), name = about->n > 1 ? str_from(about->p[1]) : STR("");
	ptrdiff_t slash = str_find_byte(kind, '/');

	if (slash >= 0 && about->n > 1)
		return err_set(err, EINVAL, "unexpected argument '%.60s'", about->p[1]);
	if (slash >= 0) {
		name = str_sub(kind, (size_t)slash + 1, kind.n);
		kind = str_sub(kind, 0, (size_t)slash);
	}
	if (c->story && (!kind.n || !name.n))
		return err_set(err, EINVAL, "--story is of one object: KIND/NAME is expected");
	kc_url_query(path, "kind", kind);
	kc_url_query(path, "name", name);
	kc_url_query(path, "story", str_from(c->story ? "true" : ""));
	return 0;
}

static int make_path(struct history_command *c, const struct arguments *about, struct buf *path, struct err *err)
{
	int r;

	buf_add_cstr(path, "/api/v1/history?limit=" ROWS_MAX);
	add_time(path, "since", c->since_usec);
	add_time(path, "until", c->until_usec);
	kc_url_query(path, "namespace", c->namespace);
	kc_url_query(path, "cluster", c->cluster);
	r = add_object(c, about, path, err);
	/* take_filter has written a query of its own, with a question mark */
	if (r == 0 && c->filters.n)
		buf_printf(path, "&%.*s", (int)c->filters.n - 1, c->filters.p + 1);
	if (r == 0)
		r = buf_error(path, "request", err);
	return r;
}

/* ---- the answer ---- */

static void local_time(str rfc3339, char ret[32])
{
	struct go_stamp stamp;
	struct tm tm;
	time_t sec;

	ret[0] = '\0';
	if (!go_rfc3339_parse(rfc3339, &stamp, NULL))
		return;
	sec = stamp.sec - stamp.offset;
	(void)localtime_r(&sec, &tm);
	(void)strftime(ret, 32, "%Y-%m-%d %H:%M:%S", &tm);
}

static void add_time_cell(struct table *t, val x, const char *name)
{
	char text[32];

	local_time(control_text(x, name), text);
	table_add(t, str_from(text));
}

static void add_row(const struct history_command *c, val x, bool clusters, struct table *t)
{
	str what = control_text(x, "resource"), namespace = control_text(x, "namespace");
	val lasted = VAL_GET(x, "lastedSeconds");
	char age[32] = "";

	if (val_exists(lasted))
		age_text(val_int_or(lasted, 0), age);
	if (c->story)
		add_time_cell(t, x, "time");
	else
		add_time_cell(t, x, "began");
	if (c->story)
		table_add(t, control_text(x, "event"));
	else
		add_time_cell(t, x, "ended");
	table_add(t, str_from(age));
	table_add(t, control_text(x, "severity"));
	if (clusters)
		table_add(t, control_text(x, "cluster"));
	what = what.n ? what : control_text(x, "kind");
	table_addf(t, "%.*s %.*s%s%.*s", STR_ARG(what), STR_ARG(namespace), namespace.n ? "/" : "",
		   STR_ARG(control_text(x, "name")));
	table_add(t, control_text(x, "type"));
	table_add(t, control_text(x, "manager"));
	if (c->form != FORM_WIDE && !c->story)
		return;
	table_add(t, control_text(x, "endedBy"));
	table_add(t, control_text(x, "endReason"));
	table_add(t, control_text(x, "reference"));
	table_add(t, control_text(x, "message"));
}

static int print_rows(const struct history_command *c, val items, struct buf *out, struct err *err)
{
	static const char *const all[] = { "SEVERITY", "CLUSTER", "OBJECT", "TYPE", "BY" };
	static const char *const more[] = { "ENDED BY", "REASON", "REFERENCE", "MESSAGE" };
	bool clusters = control_several_clusters(items), wide = c->form == FORM_WIDE || c->story;
	const char *headings[TABLE_COLUMNS_MAX];
	size_t n = 0;
	struct table t;
	int r;

	headings[n++] = c->story ? "TIME" : "BEGAN";
	headings[n++] = c->story ? "EVENT" : "ENDED";
	headings[n++] = "LASTED";
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (clusters || strcmp(all[i], "CLUSTER") != 0)
			headings[n++] = all[i];
	}
	for (size_t i = 0; wide && i < ARRAY_LEN(more); i++)
		headings[n++] = more[i];
	table_init(&t, headings, n);
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(c, val_at(items, i), clusters, &t);
	r = table_print(&t, !c->no_headers, out, err);
	table_done(&t);
	return r;
}

static int64_t sum_of(val clusters, const char *name)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < val_count(clusters); i++)
		n += val_int_or(val_get(val_at(clusters, i), str_from(name)), 0);
	return n;
}

static int64_t open_of(val clusters)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < val_count(clusters); i++) {
		val open = VAL_GET(val_at(clusters, i), "open");

		for (uint32_t k = 0; val_is_map(open) && k < open.n; k++)
			n += val_int_or(open.members[k].value, 0);
	}
	return n;
}

/* Print "2026-11-27 22:00:00 to 2026-11-28 07:00:00: 3 began, 2 ended, 1 open in the end", and for how long it is
 * unknown. */
static void print_sums(val answer, struct buf *out)
{
	val clusters = VAL_GET(answer, "clusters");
	char since[32], until[32], blind[32];

	local_time(control_text(answer, "since"), since);
	local_time(control_text(answer, "until"), until);
	buf_printf(out, "%s to %s: %" PRId64 " began, %" PRId64 " ended, %" PRId64 " open in the end\n", since, until,
		   sum_of(clusters, "began"), sum_of(clusters, "ended"), open_of(clusters));
	for (uint32_t i = 0; i < val_count(clusters); i++) {
		int64_t seconds = val_int_or(VAL_GET(val_at(clusters, i), "blindSeconds"), 0);

		if (seconds <= 0)
			continue;
		age_text(seconds, blind);
		control_line(out, "Not synced", control_text(val_at(clusters, i), "cluster"));
		out->n--; /* take the line end back */
		buf_printf(out, ", for %s\n", blind);
	}
}

static int print(const struct history_command *c, const struct doc *d, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	val items = VAL_GET(d->root, "items");
	int r = 0;

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	if (!c->no_headers)
		print_sums(d->root, &out);
	if (val_count(items) && !c->no_headers)
		buf_add_byte(&out, '\n');
	if (val_count(items))
		r = print_rows(c, items, &out, err);
	if (r == 0)
		r = control_print(&out, err);
	if (control_text(d->root, "next").n)
		fputs("driftd history: there is more before that: --until\n", stderr);
	return r;
}

static int fail(struct err *err)
{
	int status = command_line_failed(&line, err);

	if (err->code == ENOENT || err->code == ECONNREFUSED)
		fputs("driftd history: 'driftd events' reads the records in the journal\n", stderr);
	return status;
}

static int run(struct history_command *c, const struct arguments *about)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int64_t now = now_usec();
	struct err err;

	if (buf_error(&c->filters, "filters", &err) < 0 || find_time(c, now, &err) < 0 ||
	    make_path(c, about, &path, &err) < 0)
		return fail(&err);
	if (control_get(control_socket(c->socket), path.p, &d, &err) < 0)
		return fail(&err);
	if (print(c, d, &err) < 0)
		return command_line_failed(&line, &err);
	if (c->since_last_look && last_look_write(now, &err) < 0)
		return command_line_failed(&line, &err);
	return val_count(VAL_GET(d->root, "items")) ? 0 : 1;
}

int cmd_history(int argc, char **argv)
{
	struct history_command c = { .filters = BUF_INIT(REQUEST_MAX) };
	struct arguments about;
	int status = command_line_read(&line, argc, argv, &c, &about);

	if (status == COMMAND_GOES_ON)
		status = run(&c, &about);
	buf_done(&c.filters);
	return status;
}
