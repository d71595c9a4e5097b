/* Prints an explanation with headings, in a fixed order. */
#include "daemon/control/control_internal.h"

#include "base/printable.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"

#define PATHS_MAX 20 /* paths of each list; JSON has all of them */

static void add_printable(struct buf *out, str s)
{
	printable_add(out, s, "\\n");
}

/* Append a line with a heading. */
static void add_line(struct buf *out, const char *heading, str value)
{
	if (!value.n)
		return;
	buf_printf(out, "  %-12s", heading);
	add_printable(out, value);
	buf_add_byte(out, '\n');
}

void explain_object(val x, struct buf *out)
{
	val findings = VAL_GET(x, "findings");
	str namespace = control_text(x, "namespace");

	add_printable(out, control_text(x, "resource"));
	buf_add_byte(out, ' ');
	add_printable(out, namespace);
	buf_add_cstr(out, namespace.n ? "/" : "");
	add_printable(out, control_text(x, "name"));
	buf_add_cstr(out, " in cluster ");
	add_printable(out, control_text(x, "cluster"));
	buf_add_byte(out, '\n');
	add_line(out, "unreadable", control_text(x, "unreadable"));
	if (val_is_true(VAL_GET(x, "pending")))
		add_line(out, "pending", STR("it has changed, and is judged in a moment"));
	if (!val_count(VAL_GET(x, "references")))
		add_line(out, "references", STR("none is for this cluster"));
	for (uint32_t i = 0; i < val_count(findings); i++)
		add_line(out, i ? "" : "open", val_str(val_at(findings, i)));
}

/* ---- one reference ---- */

static void add_paths(struct buf *out, const char *heading, val x, const char *name)
{
	val paths = val_get(x, str_from(name));
	uint32_t n = val_count(paths);

	for (uint32_t i = 0; i < n && i < PATHS_MAX; i++)
		add_line(out, i ? "" : heading, val_str(val_at(paths, i)));
	if (n > PATHS_MAX)
		buf_printf(out, "  %-12sand more: -o json has them\n", "");
}

static str joined(val list, struct buf *space)
{
	buf_clear(space);
	for (uint32_t i = 0; i < val_count(list); i++)
		buf_printf(space, "%s%.*s", i ? " " : "", STR_ARG(val_str(val_at(list, i))));
	return buf_str(space);
}

static void add_candidate(struct table *t, val x, struct buf *space)
{
	val score = VAL_GET(x, "score");

	table_add(t, val_is_true(VAL_GET(x, "chosen")) ? STR("  *") : STR("  "));
	table_add(t, control_text(x, "template"));
	table_add(t, joined(VAL_GET(x, "fixes"), space));
	table_add(t, control_text(x, "outcome"));
	if (score.kind == VAL_INT)
		table_addf(t, "%lld", (long long)score.i);
	else
		table_add(t, STR(""));
	table_add(t, control_text(x, "says"));
}

static int add_candidates(struct buf *out, val x, struct err *err)
{
	static const char *const headings[] = { "   ", "CANDIDATE", "FIXES", "OUTCOME", "SCORE", "SAYS" };
	CLEANUP(buf_done) struct buf space = BUF_INIT(1u << 20);
	val all = VAL_GET(x, "candidates");
	struct table t;
	int r;

	if (!val_count(all))
		return 0;
	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(all); i++)
		add_candidate(&t, val_at(all, i), &space);
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

/* Append "web.yaml wants metadata.name web". */
static void add_nearest(struct buf *out, val x)
{
	val all = VAL_GET(x, "nearest");

	for (uint32_t i = 0; i < val_count(all); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
		val one = val_at(all, i), wants = VAL_GET(one, "wants");

		buf_printf(&text, "%.*s wants", STR_ARG(control_text(one, "template")));
		for (uint32_t k = 0; k < val_count(wants); k++)
			buf_printf(&text, "%s %.*s %.*s", k ? "," : "", STR_ARG(key_str(wants.members[k].key)),
				   STR_ARG(val_str(wants.members[k].value)));
		add_line(out, i ? "" : "nearest", buf_str(&text));
	}
}

static void add_accepted(struct buf *out, val x)
{
	val all = VAL_GET(x, "accepted");

	for (uint32_t i = 0; i < val_count(all); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
		val one = val_at(all, i);

		buf_printf(&text, "%.*s: %.*s", STR_ARG(control_text(one, "path")),
			   STR_ARG(control_text(one, "reason")));
		add_line(out, i ? "" : "accepted", buf_str(&text));
	}
}

static void add_lookups(struct buf *out, val x)
{
	val all = VAL_GET(x, "lookups");

	for (uint32_t i = 0; i < val_count(all); i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 16);
		val one = val_at(all, i);
		str namespace = control_text(one, "namespace"), name = control_text(one, "name");

		buf_printf(&text, "%.*s of %.*s: %.*s%s%.*s", STR_ARG(control_text(one, "kind")),
			   STR_ARG(control_text(one, "apiVersion")), STR_ARG(namespace), namespace.n ? "/" : "",
			   STR_ARG(name.n ? name : STR("*")));
		add_line(out, i ? "" : "looks up", buf_str(&text));
	}
}

int explain_reference(val x, struct buf *out, struct err *err)
{
	val differing = VAL_GET(x, "differing");

	buf_add_cstr(out, "\nreference ");
	add_printable(out, control_text(x, "reference"));
	buf_add_cstr(out, ": ");
	add_printable(out, control_text(x, "state"));
	buf_add_byte(out, '\n');
	add_line(out, "template", control_text(x, "template"));
	add_line(out, "because", control_text(x, "why"));
	add_line(out, "last update", control_text(VAL_GET(x, "arrived"), "reason"));
	if (differing.kind == VAL_INT)
		buf_printf(out, "  %-12s%lld field%s\n", "differing", (long long)differing.i,
			   differing.i == 1 ? "" : "s");
	if (val_is_true(VAL_GET(x, "ignoreUnspecified")))
		add_line(out, "compared", STR("the fields that the template has (ignore-unspecified-fields)"));
	add_paths(out, "omitted", x, "omitted");
	add_paths(out, "masked", x, "masked");
	add_nearest(out, x);
	add_accepted(out, x);
	add_lookups(out, x);
	return add_candidates(out, x, err);
}
