/* Findings of the control API as a table, for people. */
#include "base/utf8.h"
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"
#include "daemon/findings/finding.h"

#include <inttypes.h>
#include <time.h>

#define SHORT_ID 8
#define FIELD_BYTES 100
#define SUMMARY_BYTES 120

/* ---- one finding ---- */

static bool is_type(val x, const char *type)
{
	return str_eq(control_text(x, "type"), str_from(type));
}

/* "deployments.apps", or what else it is about. */
static str resource_of(val x)
{
	str resource = control_text(x, "resource");

	return resource.n ? resource : control_text(x, "kind");
}

static void add_name(val x, struct table *t)
{
	if (is_type(x, "component") || (is_type(x, "accepted") && !control_text(x, "kind").n))
		table_addf(t, "%.*s/%.*s", STR_ARG(control_text(x, "part")), STR_ARG(control_text(x, "component")));
	else
		table_add(t, control_text(x, "name"));
}

/* The first field, and how many more there are: of what an older driftd told. */
static void add_field(val x, struct table *t)
{
	val paths = VAL_GET(x, "paths");
	str first = val_count(paths) ? val_str(val_at(paths, 0)) : control_text(x, "rulePath");

	if (val_count(paths) > 1)
		table_addf(t, "%.*s (+%u)", STR_ARG(utf8_cut(first, FIELD_BYTES)), val_count(paths) - 1);
	else
		table_add(t, first);
}

/* What is wrong, in as many words as the line has room for. */
static void add_summary(val x, bool wide, struct table *t)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(FINDING_SUMMARY_MAX + 1);
	str summary = control_text(x, "summary");

	if (!summary.n)
		add_field(x, t);
	else
		finding_add_cut(&shown, summary, wide ? FINDING_SUMMARY_MAX : SUMMARY_BYTES);
	if (summary.n)
		table_add(t, buf_str(&shown));
}

static void add_state(val x, struct table *t)
{
	val held = VAL_GET(x, "held");

	if (val_is_true(held))
		table_add(t, STR("held"));
	else if (val_exists(VAL_GET(x, "flaps")))
		table_add(t, STR("flapping"));
	else
		table_add(t, val_exists(VAL_GET(x, "unconfirmed")) ? STR("unconfirmed") : STR("open"));
}

static void add_row(val x, bool hosts, bool clusters, bool wide, int64_t now, struct table *t)
{
	char age[32];

	age_text(control_age(control_text(x, "since"), now), age);
	table_add(t, control_text(x, "severity"));
	table_add(t, control_text(x, "type"));
	if (hosts)
		table_add(t, control_text(x, "host"));
	if (clusters)
		table_add(t, control_text(x, "cluster"));
	table_add(t, resource_of(x));
	table_add(t, control_text(x, "namespace"));
	add_name(x, t);
	add_summary(x, wide, t);
	table_add(t, control_text(x, "manager"));
	table_add(t, str_from(age));
	if (wide) {
		add_state(x, t);
		table_add(t, control_text(x, "reference"));
		table_add(t, control_text(x, "template").n ? control_text(x, "template") : control_text(x, "rule"));
		table_add(t, control_text(x, "id"));
	} else {
		table_add(t, str_sub(control_text(x, "id"), 0, SHORT_ID));
	}
}

/* ---- all of them ---- */

int print_findings(const struct findings_table *how, val items, struct buf *out, struct err *err)
{
	const char *headings[TABLE_COLUMNS_MAX] = { "SEVERITY", "TYPE" };
	bool clusters = control_several_clusters(items);
	static const char *const all[] = { "RESOURCE", "NAMESPACE", "NAME", "WHAT", "BY", "AGE" };
	static const char *const more[] = { "STATE", "REFERENCE", "TEMPLATE OR RULE" };
	int64_t now = (int64_t)time(NULL);
	size_t n = 2;
	struct table t;
	int r;

	if (how->hosts)
		headings[n++] = "HOST";
	if (clusters)
		headings[n++] = "CLUSTER";
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		headings[n++] = all[i];
	for (size_t i = 0; how->wide && i < ARRAY_LEN(more); i++)
		headings[n++] = more[i];
	headings[n++] = "ID";
	table_init(&t, headings, n);
	t.cell_max = FINDING_SUMMARY_MAX;
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(val_at(items, i), how->hosts, clusters, how->wide, now, &t);
	r = table_print(&t, !how->no_headers, out, err);
	table_done(&t);
	return r;
}

/* ---- by their cause ---- */

static void add_group(val g, bool wide, int64_t now, struct table *t)
{
	val count = VAL_GET(g, "count"), first = VAL_GET(g, "first");
	str namespace = control_text(first, "namespace");
	char age[32];

	age_text(control_age(control_text(g, "since"), now), age);
	table_add(t, control_text(g, "severity"));
	table_add(t, control_text(g, "type"));
	table_addf(t, "%" PRId64, val_int_or(count, 0));
	table_add(t, resource_of(first));
	table_addf(t, "%.*s%s%.*s", STR_ARG(namespace), namespace.n ? "/" : "", STR_ARG(control_text(first, "name")));
	add_summary(g, wide, t);
	table_add(t, control_text(g, "manager"));
	table_add(t, str_from(age));
	table_add(t, str_sub(control_text(g, "cause"), 0, wide ? SIZE_MAX : SHORT_ID));
}

int print_findings_groups(const struct findings_table *how, val items, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "SEVERITY", "TYPE", "COUNT", "RESOURCE", "FIRST",
						"WHAT",     "BY",   "AGE",   "CAUSE" };
	int64_t now = (int64_t)time(NULL);
	struct table t;
	int r;

	table_init(&t, headings, ARRAY_LEN(headings));
	t.cell_max = FINDING_SUMMARY_MAX;
	for (uint32_t i = 0; i < val_count(items); i++)
		add_group(val_at(items, i), how->wide, now, &t);
	r = table_print(&t, !how->no_headers, out, err);
	table_done(&t);
	return r;
}
