/* driftd helm: lists the releases with which the running driftd compares objects. */
#include "base/severity.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "kubeclient/kc_url.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define EXIT_UNKNOWN 3
#define REQUEST_MAX ((size_t)64 << 10)

struct helm_command {
	const char *socket;
	enum control_form form;
	bool no_headers;
	str cluster, namespace;
};

static const struct option_word forms[] = {
	{ "table", FORM_TABLE }, { "wide", FORM_WIDE }, { "json", FORM_JSON }, { "yaml", FORM_YAML }, { 0 },
};

#define AT(member) offsetof(struct helm_command, member)

static const struct command_option option_table[] = {
	{ "namespace", 'n', "NS", option_str, AT(namespace), .help = "in which the release lives (default: any)" },
	{ "cluster", 0, "NAME", option_str, AT(cluster), .help = "(default: each)" },
	{ "output", 'o', "FORM", option_word_take, AT(form), .help = "wide (of list), json or yaml", .words = forms },
	{ "no-headers", 0, NULL, option_truth, AT(no_headers), .help = "of list: no first line" },
	CONTROL_SOCKET_OPTION(struct helm_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd helm",
	.synopsis = "Usage: driftd helm list [options]\n"
		    "       driftd helm show [NAMESPACE/]RELEASE [options]\n"
		    "The releases of Helm that the driftd of this machine knows by helm_releases of its references: "
		    "how each\n"
		    "stands, which revision its objects are compared with, and what is open.\n\n",
	.notes = "\nExit status of list: 0 nothing is open of any, 1 something is, 3 nothing is, but not all is known; "
		 "of "
		 "show: 0 there is\nsuch a release, 1 there is none; 2 driftd cannot be asked, or wrong usage.\n",
	OPTIONS(option_table),
	.column = 23,
	.arguments_most = ARGUMENTS_ANY,
};

/* ---- one release ---- */

static int64_t sum_of(val numbers)
{
	int64_t total = 0;

	for (uint32_t i = 0; val_is_map(numbers) && i < numbers.n; i++)
		total += val_int_or(numbers.members[i].value, 0);
	return total;
}

static int64_t open_of(val x)
{
	return sum_of(VAL_GET(x, "open"));
}

/* The highest severity of the open findings; empty: there are none. */
static str worst_of(val x)
{
	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		str name = str_from(severity_name((enum severity)s));

		if (val_exists(val_get(VAL_GET(x, "open"), name)))
			return name;
	}
	return (str){ 0 };
}

/* Add "in force: 3" or, for a release that is not in force, the reason. */
static void add_state(val x, struct table *t)
{
	val in_force = VAL_GET(x, "inForce");

	if (val_exists(in_force))
		table_addf(t, "%.*s: %" PRId64, STR_ARG(control_text(x, "state")), val_int_or(in_force, 0));
	else
		table_add(t, control_text(x, "state"));
}

static void add_row(val x, bool clusters, bool wide, int64_t now, struct table *t)
{
	str changed = control_text(x, "changed");
	char age[32] = "";

	if (changed.n)
		age_text(control_age(changed, now), age);
	if (clusters)
		table_add(t, control_text(x, "cluster"));
	table_add(t, control_text(x, "namespace"));
	table_add(t, control_text(x, "name"));
	table_addf(t, "%" PRId64, val_int_or(VAL_GET(x, "revision"), 0));
	table_add(t, control_text(x, "status"));
	table_add(t, str_from(age));
	add_state(x, t);
	table_addf(t, "%" PRId64, val_int_or(VAL_GET(x, "objects"), 0));
	table_addf(t, "%" PRId64, open_of(x));
	table_add(t, worst_of(x));
	if (!wide)
		return;
	table_addf(t, "%" PRId64, sum_of(VAL_GET(x, "leftOut")));
	table_add(t, control_text(x, "reference"));
	table_add(t, control_text(x, "problem"));
}

/* ---- list ---- */

static int print_table(const struct helm_command *c, val items, struct buf *out, struct err *err)
{
	static const char *const all[] = { "NAMESPACE", "NAME",    "REVISION", "STATUS", "AGE",
					   "JUDGED BY", "OBJECTS", "OPEN",     "WORST" };
	static const char *const more[] = { "LEFT OUT", "REFERENCE", "PROBLEM" };
	const char *headings[TABLE_COLUMNS_MAX];
	bool clusters = control_several_clusters(items), wide = c->form == FORM_WIDE;
	int64_t now = (int64_t)time(NULL);
	size_t n = 0;
	struct table t;
	int r;

	if (clusters)
		headings[n++] = "CLUSTER";
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		headings[n++] = all[i];
	for (size_t i = 0; wide && i < ARRAY_LEN(more); i++)
		headings[n++] = more[i];
	table_init(&t, headings, n);
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(val_at(items, i), clusters, wide, now, &t);
	r = table_print(&t, !c->no_headers, out, err);
	table_done(&t);
	return r;
}

static bool any_open(val items)
{
	for (uint32_t i = 0; i < val_count(items); i++) {
		if (open_of(val_at(items, i)))
			return true;
	}
	return false;
}

static int list_status(val list)
{
	if (any_open(VAL_GET(list, "items")))
		return 1;
	return val_is_true(VAL_GET(list, "complete")) ? 0 : EXIT_UNKNOWN;
}

/* ---- show ---- */

static void add_left_out(val x, struct buf *out)
{
	static const struct {
		const char *name, *text;
	} why[] = {
		{ "kinds", "of kinds that are not watched" },
		{ "places", "outside its namespace, for which it may not speak" },
		{ "hooks", "hooks" },
		{ "unnamed", "without a name of their own" },
	};
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	for (size_t i = 0; i < ARRAY_LEN(why); i++) {
		int64_t n = val_int_or(val_get(VAL_GET(x, "leftOut"), str_from(why[i].name)), 0);

		if (n)
			buf_printf(&text, "%s%" PRId64 " %s", text.n ? ", " : "", n, why[i].text);
	}
	control_line(out, "Left out:", buf_str(&text));
}

static void add_full_name(val x, struct buf *out)
{
	buf_printf(out, "%.*s/%.*s", STR_ARG(control_text(x, "namespace")), STR_ARG(control_text(x, "name")));
}

static void add_head(val x, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	val in_force = VAL_GET(x, "inForce");

	add_full_name(x, &text);
	control_line(out, "Release:", buf_str(&text));
	control_line(out, "Cluster:", control_text(x, "cluster"));
	control_line(out, "Reference:", control_text(x, "reference"));
	buf_clear(&text);
	buf_printf(&text, "%" PRId64 ", %.*s since %.*s", val_int_or(VAL_GET(x, "revision"), 0),
		   STR_ARG(control_text(x, "status")), STR_ARG(control_text(x, "changed")));
	control_line(out, "Revision:", buf_str(&text));
	buf_clear(&text);
	buf_add_str(&text, control_text(x, "state"));
	if (val_exists(in_force))
		buf_printf(&text, ": objects are compared with revision %" PRId64, val_int_or(in_force, 0));
	control_line(out, "State:", buf_str(&text));
	control_line(out, "Problem:", control_text(x, "problem"));
	add_left_out(x, out);
}

static int add_objects(val x, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "  KIND", "API VERSION", "NAMESPACE", "NAME", "STATE" };
	val objects = VAL_GET(x, "manifests");
	struct table t;
	int r;

	if (!val_count(objects))
		return 0;
	buf_add_cstr(out, "\nObjects:\n");
	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(objects); i++) {
		val o = val_at(objects, i);

		table_addf(&t, "  %.*s", STR_ARG(control_text(o, "kind")));
		table_add(&t, control_text(o, "apiVersion"));
		table_add(&t, control_text(o, "namespace"));
		table_add(&t, control_text(o, "name"));
		table_add(&t, control_text(o, "state"));
	}
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

static int add_revisions(val x, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "  REVISION", "STATUS", "CHANGED" };
	val revisions = VAL_GET(x, "revisions");
	struct table t;
	int r;

	buf_add_cstr(out, "\nRevisions:\n");
	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(revisions); i++) {
		val o = val_at(revisions, i);

		table_addf(&t, "  %" PRId64, val_int_or(VAL_GET(o, "revision"), 0));
		table_add(&t, control_text(o, "status"));
		table_add(&t, control_text(o, "changed"));
	}
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

static int get_findings(const struct helm_command *c, val x, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX), component = BUF_INIT(REQUEST_MAX);

	add_full_name(x, &component);
	buf_add_cstr(&path, "/api/v1/findings");
	kc_url_query(&path, "cluster", control_text(x, "cluster"));
	kc_url_query(&path, "reference", control_text(x, "reference"));
	kc_url_query(&path, "component", buf_str(&component));
	return control_get_built(control_socket(c->socket), &path, ret, err);
}

static int add_findings(const struct helm_command *c, val x, struct buf *out, struct err *err)
{
	static const struct findings_table how = { 0 };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	val findings;

	if (!open_of(x))
		return 0;
	if (get_findings(c, x, &d, err) < 0)
		return -err->code;
	findings = VAL_GET(d->root, "items");
	if (!val_count(findings))
		return 0;
	buf_add_cstr(out, "\nFindings:\n");
	return print_findings(&how, findings, out, err);
}

static int print_releases(const struct helm_command *c, val items, struct buf *out, struct err *err)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < val_count(items); i++) {
		val x = val_at(items, i);

		if (i)
			buf_add_byte(out, '\n');
		add_head(x, out);
		r = add_objects(x, out, err);
		if (r == 0)
			r = add_revisions(x, out, err);
		if (r == 0)
			r = add_findings(c, x, out, err);
	}
	return r;
}

/* ---- the command line ---- */

static int get(const struct helm_command *c, str name, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(REQUEST_MAX);

	buf_add_cstr(&path, "/api/v1/releases");
	kc_url_query(&path, "cluster", c->cluster);
	kc_url_query(&path, "namespace", c->namespace);
	kc_url_query(&path, "name", name);
	return control_get_built(control_socket(c->socket), &path, ret, err);
}

static int print(const struct helm_command *c, const struct doc *d, bool whole, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	val items = VAL_GET(d->root, "items");
	int r = 0;

	if (c->form == FORM_JSON || c->form == FORM_YAML)
		return control_print_doc(d, c->form, err);
	if (whole)
		r = print_releases(c, items, &out, err);
	else if (val_count(items))
		r = print_table(c, items, &out, err);
	return r < 0 ? r : control_print(&out, err);
}

static int run(struct helm_command *c, bool whole, str name)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	if (get(c, name, &d, &err) < 0 || print(c, d, whole, &err) < 0)
		return command_line_failed(&line, &err);
	control_print_notes("driftd helm", d->root);
	if (whole)
		return val_count(VAL_GET(d->root, "items")) ? 0 : 1;
	return list_status(d->root);
}

int cmd_helm(int argc, char **argv)
{
	struct helm_command c = { 0 };
	struct arguments words;
	int status = command_line_read(&line, argc, argv, &c, &words);
	const char *verb;
	str name;

	if (status != COMMAND_GOES_ON)
		return status;
	verb = words.n ? words.p[0] : "";
	if (strcmp(verb, "list") == 0 && words.n == 1)
		return run(&c, false, STR(""));
	if (strcmp(verb, "list") == 0)
		return command_line_wrong(&line, "unexpected argument", words.p[1]);
	if (strcmp(verb, "show") != 0)
		return words.n ? command_line_wrong(&line, "unknown command", verb)
			       : command_line_wrong(&line, "'list' or 'show' is expected behind", "helm");
	if (words.n != 2 || !*words.p[1])
		return command_line_wrong(&line, "one RELEASE is expected behind", "show");
	name = control_split_name(str_from(words.p[1]), &c.namespace);
	return run(&c, true, name);
}
