/* Prints references that are published elsewhere, for people. */
#include "daemon/control/control_internal.h"

#include "base/printable.h"
#include "config/source_shown.h"
#include "daemon/control/output.h"
#include "daemon/control/table.h"

#include <inttypes.h>

#define LINE_MAX_BYTES ((size_t)64 << 10)

/* Append the revision, such as "3f2a9c1d0b12", or the name of its folder if nothing is known about it. */
static void add_revision_name(val revision, struct buf *out)
{
	str name = control_text(revision, "revision");

	source_show_revision(name.n ? name : control_text(revision, "id"), out);
}

static void add_problems(val x, const char *between, struct buf *out)
{
	val problems = VAL_GET(x, "problems");

	for (uint32_t i = 0; i < val_count(problems); i++)
		buf_printf(out, "%s%.*s", i ? between : "", STR_ARG(val_str(val_at(problems, i))));
}

static void add_age(val x, const char *name, int64_t now, char ret[32])
{
	str at = control_text(x, name);

	ret[0] = '\0';
	if (at.n)
		age_text(control_age(at, now), ret);
}

/* ---- the list ---- */

static void add_cell(val x, void (*add)(val x, struct buf *out), struct table *t)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LINE_MAX_BYTES);

	add(x, &text);
	table_add(t, buf_str(&text));
}

static void add_source(val x, struct buf *out)
{
	val s = VAL_GET(x, "source");

	buf_printf(out, "%.*s %.*s", STR_ARG(control_text(s, "kind")), STR_ARG(control_text(s, "url")));
}

static void add_problem_line(val x, struct buf *out)
{
	add_problems(x, "; ", out);
}

static void add_row(val x, bool wide, int64_t now, struct table *t)
{
	char age[32];

	add_age(x, "lastSuccess", now, age);
	table_add(t, control_text(x, "name"));
	table_add(t, control_text(x, "standing"));
	add_cell(VAL_GET(x, "inForce"), add_revision_name, t);
	table_add(t, str_from(age));
	add_cell(x, add_source, t);
	if (!wide)
		return;
	add_cell(VAL_GET(x, "next"), add_revision_name, t);
	add_cell(x, add_problem_line, t);
}

int references_table(const struct references_table *how, val items, int64_t now, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "NAME", "STANDING", "REVISION", "AGE", "SOURCE", "NEXT", "PROBLEM" };
	struct table t;
	int r;

	table_init(&t, headings, how->wide ? ARRAY_LEN(headings) : ARRAY_LEN(headings) - 2);
	for (uint32_t i = 0; i < val_count(items); i++)
		add_row(val_at(items, i), how->wide, now, &t);
	r = table_print(&t, !how->no_headers, out, err);
	table_done(&t);
	return r;
}

/* ---- one of them ---- */

static void add_line(const char *heading, val x, void (*add)(val x, struct buf *out), struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LINE_MAX_BYTES);

	add(x, &text);
	control_line(out, heading, buf_str(&text));
}

/* Append texts of @x, each with its own prefix, except empty ones. */
static void add_texts(val x, const char *const (*texts)[2], size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		str text = control_text(x, texts[i][1]);

		if (text.n)
			buf_printf(out, "%s%.*s", texts[i][0], STR_ARG(text));
	}
}

static void add_whole_source(val x, struct buf *out)
{
	static const char *const texts[][2] = {
		{ "", "kind" }, { " ", "url" }, { ", ", "ref" }, { ", folder ", "path" }
	};
	val s = VAL_GET(x, "source");
	int64_t interval = val_int_or(VAL_GET(s, "intervalSeconds"), 0);

	add_texts(s, texts, ARRAY_LEN(texts), out);
	if (interval)
		buf_printf(out, "\nlooked at every %" PRId64 " s; ", interval);
	else
		buf_add_cstr(out, "\nnever fetched, but imported; ");
	buf_add_cstr(out,
		     val_is_true(VAL_GET(s, "verified")) ? "what is not verified is refused" : "nothing verifies it");
}

static void add_state(val x, struct buf *out)
{
	static const char *const texts[][2] = { { "", "standing" }, { " since ", "since" } };

	add_texts(x, texts, ARRAY_LEN(texts), out);
}

static void add_revision(val r, struct buf *out)
{
	static const char *const name[][2] = { { "", "revision" }, { " ", "title" } };
	static const char *const by[][2] = { { "\n", "subject" },
					     { "\nby ", "author" },
					     { "\nof ", "time" },
					     { "\nsigned by ", "signer" },
					     { "\nid ", "id" } };
	int64_t files = val_int_or(VAL_GET(r, "files"), 0), left_out = val_int_or(VAL_GET(r, "leftOut"), 0);

	if (!val_is_map(r))
		return;
	if (!control_text(r, "revision").n) {
		buf_printf(out, "%.*s\nof which nothing is known", STR_ARG(control_text(r, "id")));
		return;
	}
	add_texts(r, name, ARRAY_LEN(name), out);
	if (val_is_true(VAL_GET(r, "rewritten")))
		buf_add_cstr(out,
			     "\nwhich the source has rewritten: what was fetched before is not among what led to it");
	add_texts(r, by, ARRAY_LEN(by), out);
	buf_printf(out, "\n%" PRId64 " file%s, %" PRId64 " bytes", files, plural_s((size_t)files),
		   val_int_or(VAL_GET(r, "bytes"), 0));
	if (left_out)
		buf_printf(out, "; %" PRId64 " left out: links, submodules, devices", left_out);
}

static void add_attempt(val x, struct buf *out)
{
	static const char *const texts[][2] = { { "", "lastSuccess" }, { "\nlast tried ", "lastAttempt" } };

	if (!control_text(x, "lastSuccess").n)
		buf_add_cstr(out, "never");
	add_texts(x, texts, ARRAY_LEN(texts), out);
	if (val_is_true(VAL_GET(x, "waits")))
		buf_add_cstr(out, "\nis to be fetched now");
}

static void add_failures(val x, struct buf *out)
{
	val failures = VAL_GET(x, "failures");

	for (uint32_t i = 0; val_is_map(failures) && i < failures.n; i++)
		buf_printf(out, "%s%" PRId64 " %.*s", i ? ", " : "", val_int_or(failures.members[i].value, 0),
			   STR_ARG(key_str(failures.members[i].key)));
}

static void add_problem_lines(val x, struct buf *out)
{
	add_problems(x, "\n", out);
}

static void add_earlier(val x, struct buf *out)
{
	val ids = VAL_GET(x, "earlier");

	for (uint32_t i = 0; i < val_count(ids); i++)
		buf_printf(out, "%s%.*s", i ? "\n" : "", STR_ARG(val_str(val_at(ids, i))));
}

/* Add the commits that came since the revision in force. */
static int add_commits(val next, struct buf *out, struct err *err)
{
	static const char *const headings[] = { "  COMMIT", "TIME", "AUTHOR", "SUBJECT" };
	val commits = VAL_GET(next, "commits");
	struct table t;
	int r;

	if (!val_count(commits))
		return 0;
	buf_add_cstr(out, val_is_true(VAL_GET(next, "leadsOn"))
				  ? "\nCommits since the revision in force:\n"
				  : "\nThe last commits, of which the revision in force is none:\n");
	table_init(&t, headings, ARRAY_LEN(headings));
	for (uint32_t i = 0; i < val_count(commits); i++) {
		val c = val_at(commits, i);

		table_addf(&t, "  %.*s", STR_ARG(str_sub(control_text(c, "id"), 0, 12)));
		table_add(&t, control_text(c, "time"));
		table_add(&t, control_text(c, "author"));
		table_add(&t, control_text(c, "subject"));
	}
	r = table_print(&t, true, out, err);
	table_done(&t);
	return r;
}

int reference_describe(val x, struct buf *out, struct err *err)
{
	control_line(out, "Reference:", control_text(x, "name"));
	add_line("State:", x, add_state, out);
	add_line("Problems:", x, add_problem_lines, out);
	add_line("Source:", x, add_whole_source, out);
	add_line("Fetched:", x, add_attempt, out);
	add_line("Failures:", x, add_failures, out);
	add_line("In force:", VAL_GET(x, "inForce"), add_revision, out);
	add_line("Next:", VAL_GET(x, "next"), add_revision, out);
	control_line(out, "Changes:", control_text(x, "changes"));
	add_line("Before:", x, add_earlier, out);
	return add_commits(VAL_GET(x, "next"), out, err);
}

static void add_lines(str name, val lines, const char *before, struct buf *text)
{
	for (uint32_t i = 0; i < val_count(lines); i++)
		buf_printf(text, "\n%.*s: %s%.*s", STR_ARG(name), before, STR_ARG(val_str(val_at(lines, i))));
}

void reference_outcome(val x, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(LINE_MAX_BYTES);
	str name = control_text(x, "name"), standing = control_text(x, "standing");

	buf_printf(&text, "%.*s: %.*s", STR_ARG(name), STR_ARG(standing));
	if (val_is_map(VAL_GET(x, "inForce"))) {
		buf_add_cstr(&text, ", in force is ");
		add_revision_name(VAL_GET(x, "inForce"), &text);
	}
	add_lines(name, VAL_GET(x, "problems"), "", &text);
	if (!str_eq(standing, STR("broken"))) /* the problems of a broken reference say so */
		add_lines(name, VAL_GET(x, "notDone"), "what was asked for is not in force: ", &text);
	printable_add(out, buf_str(&text), "\n");
	buf_add_byte(out, '\n');
}
