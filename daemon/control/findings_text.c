/* Findings of the control API as a table, for people. */
#include "daemon/control/control_internal.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"

#include <time.h>

#define SHORT_ID 8

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

/* The field, and how many more there are; of an inspection, which is about none, the rule. */
static void add_field(val x, struct table *t)
{
	val paths = VAL_GET(x, "paths");
	str other = control_text(x, is_type(x, "inspection") ? "rule" : "rulePath");
	str first = val_count(paths) ? val_str(val_at(paths, 0)) : other;

	if (val_count(paths) > 1)
		table_addf(t, "%.*s (+%u)", STR_ARG(str_sub(first, 0, first.n < 100 ? first.n : 100)),
			   val_count(paths) - 1);
	else
		table_add(t, first);
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
	add_field(x, t);
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
	static const char *const all[] = { "RESOURCE", "NAMESPACE", "NAME", "FIELD", "BY", "AGE" };
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
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(val_at(items, i), how->hosts, clusters, how->wide, now, &t);
	r = table_print(&t, !how->no_headers, out, err);
	table_done(&t);
	return r;
}
