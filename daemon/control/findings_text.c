/* Prints findings of the control API as a table, for people. */
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

/* The resource, such as "deployments.apps", or whatever else the finding is about. */
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

/* Add the first field, and the number of the others, for a record of an older driftd without a summary. */
static void add_field(val x, struct table *t)
{
	val paths = VAL_GET(x, "paths");
	str first = val_count(paths) ? val_str(val_at(paths, 0)) : control_text(x, "rulePath");

	if (val_count(paths) > 1)
		table_addf(t, "%.*s (+%u)", STR_ARG(utf8_cut(first, FIELD_BYTES)), val_count(paths) - 1);
	else
		table_add(t, first);
}

/* Add what is wrong, in as many words as fit in the line. */
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

static void add_finding(const struct findings_table *how, val x, int64_t now, struct table *t)
{
	char age[32];

	age_text(control_age(control_text(x, "since"), now), age);
	table_add(t, control_text(x, "severity"));
	table_add(t, control_text(x, "type"));
	if (how->hosts)
		table_add(t, control_text(x, "host"));
	if (how->clusters)
		table_add(t, control_text(x, "cluster"));
	table_add(t, resource_of(x));
	table_add(t, control_text(x, "namespace"));
	add_name(x, t);
	add_summary(x, how->wide, t);
	table_add(t, control_text(x, "manager"));
	table_add(t, str_from(age));
	if (how->wide) {
		add_state(x, t);
		table_add(t, control_text(x, "reference"));
		table_add(t, control_text(x, "template").n ? control_text(x, "template") : control_text(x, "rule"));
		table_add(t, control_text(x, "id"));
	} else {
		table_add(t, str_sub(control_text(x, "id"), 0, SHORT_ID));
	}
}

static void add_group(const struct findings_table *how, val g, int64_t now, struct table *t)
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
	add_summary(g, how->wide, t);
	table_add(t, control_text(g, "manager"));
	table_add(t, str_from(age));
	table_add(t, str_sub(control_text(g, "cause"), 0, how->wide ? SIZE_MAX : SHORT_ID));
}

/* ---- all of them ---- */

static void add_headings(const struct findings_table *how, struct table *t)
{
	const struct {
		const char *name;
		bool is_there;
	} all[] = {
		{ "EVENT", how->watched },
		{ "SEVERITY", true },
		{ "TYPE", true },
		{ "HOST", how->hosts },
		{ "CLUSTER", how->clusters && !how->groups },
		{ "COUNT", how->groups },
		{ "RESOURCE", true },
		{ "NAMESPACE", !how->groups },
		{ "NAME", !how->groups },
		{ "FIRST", how->groups },
		{ "WHAT", true },
		{ "BY", true },
		{ "AGE", true },
		{ "STATE", how->wide && !how->groups },
		{ "REFERENCE", how->wide && !how->groups },
		{ "TEMPLATE OR RULE", how->wide && !how->groups },
		{ "ID", !how->groups },
		{ "CAUSE", how->groups },
	};
	const char *headings[ARRAY_LEN(all)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (all[i].is_there)
			headings[n++] = all[i].name;
	}
	table_init(t, headings, n);
	t->cell_max = FINDING_SUMMARY_MAX;
}

int print_findings_rows(const struct findings_table *how, const struct findings_row *rows, size_t n, struct buf *out,
			struct err *err)
{
	int64_t now = (int64_t)time(NULL);
	struct table t;
	int r;

	add_headings(how, &t);
	for (size_t i = 0; how->widths && i < t.n_columns; i++)
		t.widths[i] = how->widths[i] > t.widths[i] ? how->widths[i] : t.widths[i];
	for (size_t i = 0; i < n; i++) {
		if (how->watched)
			table_add(&t, str_from(rows[i].event));
		if (how->groups)
			add_group(how, rows[i].x, now, &t);
		else
			add_finding(how, rows[i].x, now, &t);
	}
	r = table_print(&t, !how->no_headers, out, err);
	if (how->widths)
		memcpy(how->widths, t.widths, sizeof(t.widths));
	table_done(&t);
	return r;
}

int print_findings(const struct findings_table *how, val items, struct buf *out, struct err *err)
{
	CLEANUP(freep) struct findings_row *rows = calloc(val_count(items) + 1, sizeof(*rows));
	struct findings_table table = *how;

	if (!rows)
		return err_nomem(err);
	table.clusters |= control_several_clusters(items);
	for (uint32_t i = 0; i < val_count(items); i++)
		rows[i].x = val_at(items, i);
	return print_findings_rows(&table, rows, val_count(items), out, err);
}
