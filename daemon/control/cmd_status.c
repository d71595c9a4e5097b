/* driftd status: shows what is watched, how well, and what is open. */
#include "base/printable.h"
#include "config/command_line.h"
#include "daemon/control/client.h"
#include "daemon/control/commands.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"

#include <inttypes.h>
#include <time.h>

struct status_command {
	const char *socket;
	enum control_form form;
};

static const struct option_word forms[] = {
	{ "table", FORM_TABLE }, { "wide", FORM_WIDE }, { "json", FORM_JSON }, { "yaml", FORM_YAML }, { 0 },
};

static const struct command_option option_table[] = {
	{ "output", 'o', "FORM", option_word_take, offsetof(struct status_command, form),
	  .help = "wide (watches too), json or yaml", .words = forms },
	CONTROL_SOCKET_OPTION(struct status_command),
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd status",
	.synopsis = "Usage: driftd status [options]\n"
		    "Say how the driftd of this machine is: clusters, watches, what is open, the last reload, "
		    "references.\n\n",
	.notes = "\nExit status: 0 every cluster is watched and judged, 1 some is not, nothing of a reference is in "
		 "force yet,\nor the last reload was refused, 2 driftd cannot be asked, or wrong usage.\n",
	OPTIONS(option_table),
	.column = 21,
};

/* ---- clusters ---- */

static int64_t open_of(val cluster, const char *type)
{
	val by_severity = val_get(VAL_GET(cluster, "open"), str_from(type));
	int64_t total = 0;

	for (uint32_t i = 0; val_is_map(by_severity) && i < by_severity.n; i++)
		total += by_severity.members[i].value.kind == VAL_INT ? by_severity.members[i].value.i : 0;
	return total;
}

static void add_clusters(val clusters, struct table *t)
{
	static const char *const types[] = { "drift", "component", "validation", "inspection",
					     "error", "gap",       "accepted" };

	for (uint32_t i = 0; i < val_count(clusters); i++) {
		val c = val_at(clusters, i);
		bool synced = str_eq(val_str(VAL_GET(c, "state")), STR("synced"));

		table_add(t, val_str(VAL_GET(c, "name")));
		table_add(t, val_str(VAL_GET(c, "state")));
		table_addf(t, "%" PRId64, val_int_or(VAL_GET(c, "objects"), 0));
		for (size_t k = 0; k < ARRAY_LEN(types); k++)
			table_addf(t, "%" PRId64, open_of(c, types[k]));
		table_addf(t, "%" PRId64, val_int_or(VAL_GET(c, "flapping"), 0));
		table_addf(t, "%" PRId64, val_int_or(VAL_GET(c, "queue"), 0));
		/* A cluster that is synced needs no explanation. */
		table_add(t, synced ? (str){ 0 } : val_str(VAL_GET(c, "why")));
	}
}

static int print_clusters(val status, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "CLUSTER",    "STATE",      "OBJECTS", "DRIFT", "COMPONENT",
						"VALIDATION", "INSPECTION", "ERROR",   "GAP",   "ACCEPTED",
						"FLAPPING",   "QUEUE",      "WHY" };
	struct table t;
	int r;

	table_init(&t, headings, ARRAY_LEN(headings));
	add_clusters(VAL_GET(status, "clusters"), &t);
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

/* ---- watches ---- */

static void add_watches(val cluster, int64_t now, struct table *t)
{
	val watches = VAL_GET(cluster, "watches");

	for (uint32_t i = 0; i < val_count(watches); i++) {
		val w = val_at(watches, i);
		str heard = val_str(VAL_GET(w, "lastHeard"));
		char age[32] = "never";

		if (heard.n)
			age_text(control_age(heard, now), age);
		table_add(t, val_str(VAL_GET(cluster, "name")));
		table_add(t, val_str(VAL_GET(w, "resource")));
		table_add(t, val_str(VAL_GET(w, "namespace")));
		table_add(t, val_str(VAL_GET(w, "name")));
		table_add(t, val_str(VAL_GET(w, "state")));
		table_addf(t, "%" PRId64, val_int_or(VAL_GET(w, "events"), 0));
		table_add(t, str_from(age));
		table_add(t, val_str(VAL_GET(w, "why")));
	}
}

static int print_watches(val status, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "CLUSTER", "RESOURCE", "NAMESPACE", "NAME",
						"STATE",   "EVENTS",   "HEARD",     "WHY" };
	val clusters = VAL_GET(status, "clusters");
	int64_t now = (int64_t)time(NULL);
	struct table t;
	int r;

	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(clusters); i++)
		add_watches(val_at(clusters, i), now, &t);
	buf_add_byte(out, '\n');
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

/* ---- the process ---- */

/* Add "this host, a, follows; b leads"; nothing if there is only one host. */
static void add_leader(val leader, struct buf *out)
{
	str error = val_str(VAL_GET(leader, "error")), holder = val_str(VAL_GET(leader, "leader"));

	if (!val_is_map(leader))
		return;
	if (val_is_true(VAL_GET(leader, "tells")))
		buf_printf(out, "leader election: this host, %.*s, is the leader\n",
			   STR_ARG(val_str(VAL_GET(leader, "name"))));
	else
		buf_printf(out, "leader election: this host, %.*s, is not the leader; the leader is %.*s\n",
			   STR_ARG(val_str(VAL_GET(leader, "name"))), STR_ARG(holder.n ? holder : STR("not known")));
	if (error.n)
		buf_printf(out, "leader election: %.*s\n", STR_ARG(error));
}

/* Whether the newest revision of the reference is not in force and waits for somebody. One failed attempt is not
 * enough. */
static bool is_reported(val reference)
{
	str standing = val_str(VAL_GET(reference, "standing"));

	return val_is_true(VAL_GET(reference, "late")) || str_eq(standing, STR("absent")) ||
	       str_eq(standing, STR("held")) || str_eq(standing, STR("broken"));
}

static void add_references(val references, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(references); i++) {
		val r = val_at(references, i), problems = VAL_GET(r, "problems");

		for (uint32_t k = 0; is_reported(r) && k < val_count(problems); k++) {
			buf_printf(out, "reference %.*s, %.*s: ", STR_ARG(val_str(VAL_GET(r, "name"))),
				   STR_ARG(val_str(VAL_GET(r, "standing"))));
			printable_add(out, val_str(val_at(problems, k)), "\n");
			buf_add_byte(out, '\n');
		}
	}
}

/* Add the Alertmanagers. On a host that does not lead they are left out, because it posts nothing, as leader
 * election says already. */
static void add_alertmanagers(val list, struct buf *out)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		val x = val_at(list, i);
		str error = val_str(VAL_GET(x, "error"));

		if (str_eq(val_str(VAL_GET(x, "state")), STR("off")))
			continue;
		buf_printf(out, "Alertmanager %.*s: ", STR_ARG(val_str(VAL_GET(x, "url"))));
		if (error.n)
			buf_printf(out, "CANNOT BE POSTED TO: %.*s; ", STR_ARG(error));
		buf_printf(out, "has %" PRId64 " alerts, %" PRId64 " undelivered\n",
			   val_int_or(VAL_GET(x, "alerts"), 0), val_int_or(VAL_GET(x, "undelivered"), 0));
	}
}

static void add_process(val status, struct buf *out)
{
	val config = VAL_GET(status, "configuration"), mistakes = VAL_GET(config, "mistakes");
	val records = VAL_GET(status, "records"), shard = VAL_GET(status, "shard");
	str trouble[] = { val_str(VAL_GET(records, "commitError")), val_str(VAL_GET(records, "outputError")),
			  val_str(VAL_GET(records, "agreementError")) };
	int64_t now = (int64_t)time(NULL);
	char age[32], loaded[32];

	age_text(control_age(val_str(VAL_GET(status, "startedAt")), now), age);
	age_text(control_age(val_str(VAL_GET(config, "loadedAt")), now), loaded);
	buf_printf(out, "driftd %.*s", STR_ARG(val_str(VAL_GET(status, "version"))));
	if (val_exists(shard))
		buf_printf(out, ", shard %" PRId64 " of %" PRId64, val_int_or(VAL_GET(shard, "ordinal"), 0),
			   val_int_or(VAL_GET(shard, "total"), 0));
	buf_printf(out, ", up for %s; configuration loaded %s ago\n", age, loaded);
	if (!val_is_true(VAL_GET(config, "lastReloadSuccessful")))
		buf_add_cstr(out, "THE LAST RELOAD WAS REFUSED, the configuration before it stays in force:\n");
	for (uint32_t i = 0; i < val_count(mistakes); i++)
		buf_printf(out, "  %.*s\n", STR_ARG(val_str(val_at(mistakes, i))));
	for (size_t i = 0; i < ARRAY_LEN(trouble); i++) {
		if (trouble[i].n)
			buf_printf(out, "records wait: %.*s\n", STR_ARG(trouble[i]));
	}
	if (val_int_or(VAL_GET(records, "deferred"), 0))
		buf_printf(out, "%" PRId64 " records of a flood are deferred\n",
			   val_int_or(VAL_GET(records, "deferred"), 0));
	add_leader(VAL_GET(status, "leaderElection"), out);
	add_alertmanagers(VAL_GET(status, "alertmanagers"), out);
	add_references(VAL_GET(status, "references"), out);
	if (val_str(VAL_GET(status, "nothing")).n)
		buf_printf(out, "%.*s\n%.*s", STR_ARG(val_str(VAL_GET(status, "nothing"))),
			   STR_ARG(val_str(VAL_GET(status, "beginning"))));
	buf_add_byte(out, '\n');
}

static int print_status(val status, bool wide, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTROL_OUTPUT_MAX);
	int r;

	add_process(status, &out);
	r = print_clusters(status, &out, err);
	if (r == 0 && wide)
		r = print_watches(status, &out, err);
	return r < 0 ? r : control_print(&out, err);
}

int cmd_status(int argc, char **argv)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct status_command c = { 0 };
	struct arguments none;
	struct err err;
	int r, status = command_line_read(&line, argc, argv, &c, &none);

	if (status != COMMAND_GOES_ON)
		return status;
	r = control_get(control_socket(c.socket), "/api/v1/status", &d, &err);
	if (r == 0)
		r = c.form == FORM_JSON || c.form == FORM_YAML ? control_print_doc(d, c.form, &err)
							       : print_status(d->root, c.form == FORM_WIDE, &err);
	if (r < 0)
		return command_line_failed(&line, &err);
	return val_is_true(VAL_GET(d->root, "complete")) &&
			       val_is_true(VAL_GET(VAL_GET(d->root, "configuration"), "lastReloadSuccessful"))
		       ? 0
		       : 1;
}
