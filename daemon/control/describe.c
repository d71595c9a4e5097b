/* Prints a description with headings, in a fixed order. */
#include "daemon/control/control_internal.h"

#include "base/printable.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"

#define INDENT "  "

static void add_member(struct buf *out, const char *heading, val x, const char *name)
{
	control_line(out, heading, control_text(x, name));
}

/* Append the object, "shop/web" or "web", or whatever else the finding is about. */
static void add_object(struct buf *out, val x)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
	str resource = control_text(x, "resource"), namespace = control_text(x, "namespace");

	buf_add_str(&name, resource.n ? resource : control_text(x, "kind"));
	buf_printf(&name, " %.*s%s%.*s", STR_ARG(namespace), namespace.n ? "/" : "", STR_ARG(control_text(x, "name")));
	if (name.n > 1)
		control_line(out, "Object:", buf_str(&name));
	add_member(out, "API version:", x, "apiVersion");
	add_member(out, "UID:", x, "uid");
	if (!control_text(x, "component").n)
		return;
	buf_clear(&name);
	buf_printf(&name, "%.*s/%.*s", STR_ARG(control_text(x, "part")), STR_ARG(control_text(x, "component")));
	control_line(out, "Component:", buf_str(&name));
}

static void add_since(struct buf *out, val x, int64_t now)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(256);
	char age[32];

	age_text(control_age(control_text(x, "since"), now), age);
	buf_printf(&text, "%.*s (%s)", STR_ARG(control_text(x, "since")), age);
	control_line(out, "Since:", buf_str(&text));
	if (val_exists(VAL_GET(x, "held")))
		control_line(out, "State:", STR("held: it has not lasted long enough to be reported"));
	else if (val_exists(VAL_GET(x, "flaps")))
		control_line(out, "State:", STR("flapping: its changes are counted, not reported"));
	else if (val_exists(VAL_GET(x, "unconfirmed")))
		control_line(out,
			     "State:", STR("unconfirmed: known from before a restart or reload, not seen again yet"));
}

static void add_writer(struct buf *out, val x)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	val w = VAL_GET(x, "writer");
	str subresource = control_text(w, "subresource");

	if (val_exists(w))
		buf_printf(&text, "%.*s (%.*s%s%.*s) at %.*s", STR_ARG(control_text(w, "manager")),
			   STR_ARG(control_text(w, "operation")), subresource.n ? ", " : "", STR_ARG(subresource),
			   STR_ARG(control_text(w, "time")));
	else
		buf_add_str(&text, control_text(x, "manager"));
	control_line(out, "Written by:", buf_str(&text));
}

static void add_rule(struct buf *out, val x)
{
	val events = VAL_GET(x, "ruleEvents");

	for (uint32_t i = 0; i < val_count(events); i++)
		control_line(out, i ? "" : "Event rules:", val_str(val_at(events, i)));
	add_member(out, "Rule:", x, "rule");
	add_member(out, "Rule at:", x, "rulePath");
	add_member(out, "Rule from:", x, "ruleSource");
	add_member(out, "Phase:", x, "phase");
	add_member(out, "Reason:", x, "reason");
	add_member(out, "Acceptance:", x, "acceptance");
	add_member(out, "Accepted by:", x, "owner");
	add_member(out, "Until:", x, "until");
	add_member(out, "It says:", x, "ruleMessage");
	add_member(out, "Old value:", x, "old");
}

/* ---- what differs ---- */

static void add_indented(struct buf *out, const char *before, str text)
{
	buf_add_cstr(out, before);
	printable_add(out, text, "\n" INDENT INDENT "          ");
	buf_add_byte(out, '\n');
}

static void add_change(struct buf *out, val change)
{
	buf_add_cstr(out, INDENT);
	printable_add(out, control_text(change, "path"), "\\n");
	buf_add_byte(out, '\n');
	add_indented(out, INDENT INDENT "expected  ", control_text(change, "expected"));
	add_indented(out, INDENT INDENT "found     ", control_text(change, "found"));
}

static void add_fields(struct buf *out, val x)
{
	val changes = VAL_GET(x, "changes"), paths = VAL_GET(x, "paths"), total = VAL_GET(x, "pathCount");
	bool valued = val_exists(changes);
	uint32_t n = val_count(valued ? changes : paths);

	if (n)
		buf_add_cstr(out, "\nFields:\n");
	for (uint32_t i = 0; i < n && valued; i++)
		add_change(out, val_at(changes, i));
	for (uint32_t i = 0; i < n && !valued; i++)
		add_indented(out, INDENT, val_str(val_at(paths, i)));
	if (total.kind == VAL_INT && total.i > n)
		buf_printf(out, INDENT "and %lld more\n", (long long)(total.i - n));
}

static void add_diff(struct buf *out, val x)
{
	str rest = control_text(x, "diff"), line;

	if (rest.n)
		buf_add_cstr(out, "\nDiff:\n");
	while (rest.n && str_next_part(&rest, '\n', &line))
		add_indented(out, INDENT, line);
}

static void add_history(struct buf *out, val x)
{
	val lines = VAL_GET(x, "history");

	if (val_count(lines))
		buf_add_cstr(out, "\nHistory:\n");
	for (uint32_t i = 0; i < val_count(lines); i++) {
		val line = val_at(lines, i);

		buf_printf(out, INDENT "%.*s  %-8.*s ", STR_ARG(control_text(line, "time")),
			   STR_ARG(control_text(line, "severity")));
		printable_add(out, control_text(line, control_text(line, "message").n ? "message" : "event"), "\\n");
		buf_add_byte(out, '\n');
	}
}

void describe_finding(val x, int64_t now, struct buf *out)
{
	add_member(out, "ID:", x, "id");
	add_member(out, "Type:", x, "type");
	add_member(out, "Severity:", x, "severity");
	add_since(out, x, now);
	add_member(out, "Cluster:", x, "cluster");
	add_object(out, x);
	add_member(out, "Reference:", x, "reference");
	add_member(out, "Template:", x, "template");
	add_writer(out, x);
	add_rule(out, x);
	add_member(out, "Message:", x, "message");
	add_member(out, "Not known:", x, "missing");
	add_fields(out, x);
	add_diff(out, x);
	add_history(out, x);
}
