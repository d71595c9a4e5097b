/* Prints events as lines for people. */
#include "daemon/events/event_print.h"

#include "base/number.h"
#include "base/printable.h"
#include "daemon/findings/output.h"

#include <inttypes.h>
#include <time.h>

#define INDENT "\n    "

const struct option_word event_form_words[] = {
	{ "short", EVENT_SHORT }, { "wide", EVENT_WIDE }, { "json", EVENT_JSON }, { "yaml", EVENT_YAML }, { 0 },
};

/* ---- the line ---- */

static void add_time(int64_t usec, bool utc, struct buf *out)
{
	time_t sec = (time_t)(usec / 1000000);
	char text[64];
	struct tm tm;
	size_t n = 0;

	if (utc ? gmtime_r(&sec, &tm) : localtime_r(&sec, &tm))
		n = strftime(text, sizeof(text), utc ? "%Y-%m-%d %H:%M:%SZ" : "%Y-%m-%d %H:%M:%S", &tm);
	if (n)
		buf_add(out, text, n);
	else
		buf_printf(out, "@%" PRId64, usec / 1000000);
}

/* Append a text as one line, even if it has several. */
static void add_text(str s, struct buf *out)
{
	printable_add(out, s, "\\n");
}

static void add_line(const struct event *e, const struct event_style *style, struct buf *out)
{
	enum message m = event_message(e);

	add_time(e->usec, style->utc, out);
	buf_add_byte(out, ' ');
	if (style->host) {
		add_text(event_get(e, "_HOSTNAME"), out);
		buf_add_byte(out, ' ');
	}
	if (style->colour)
		buf_add_cstr(out, output_colour(event_priority(e)));
	buf_printf(out, "%-8s %-17s ", severity_name(event_severity(e)), m < MESSAGES ? message_name(m) : "?");
	add_text(event_get(e, "MESSAGE"), out);
	if (style->colour)
		buf_add_cstr(out, "\033[0m");
}

/* ---- what differs ---- */

/* Append "before VALUE" when the event has the field. */
static void add_value(const struct event *e, const char *before, const char *name, struct buf *out)
{
	str value = event_get(e, name);

	if (value.n) {
		buf_add_cstr(out, before);
		add_text(value, out);
	}
}

static void add_each(const struct event *e, const char *name, struct buf *out)
{
	for (size_t i = 0; i < e->fields.n; i++) {
		if (str_eq(e->fields.p[i].name, str_from(name))) {
			buf_add_cstr(out, INDENT);
			add_text(e->fields.p[i].value, out);
		}
	}
}

static void add_paths(const struct event *e, struct buf *out)
{
	size_t n = event_count(e, "DRIFTD_PATH"), changes = event_count(e, "DRIFTD_CHANGE");
	int64_t total;

	if (changes) {
		add_each(e, "DRIFTD_CHANGE", out);
		n = changes;
	} else if (n == 1) {
		add_value(e, INDENT, "DRIFTD_PATH", out);
		add_value(e, ": expected ", "DRIFTD_EXPECTED", out);
		add_value(e, event_count(e, "DRIFTD_EXPECTED") ? ", found " : ": found ", "DRIFTD_ACTUAL", out);
	} else {
		add_each(e, "DRIFTD_PATH", out);
	}
	if (int64_parse(event_get(e, "DRIFTD_PATH_COUNT"), &total) && total > 0 && (uint64_t)total > n)
		buf_printf(out, INDENT "… and %" PRIu64 " more", (uint64_t)total - n);
}

static void add_writer(const struct event *e, struct buf *out)
{
	if (!event_get(e, "DRIFTD_MANAGER").n)
		return;
	add_value(e, INDENT "by ", "DRIFTD_MANAGER", out);
	add_value(e, " (", "DRIFTD_MANAGER_OPERATION", out);
	if (event_get(e, "DRIFTD_MANAGER_OPERATION").n) {
		add_value(e, ", ", "DRIFTD_MANAGER_SUBRESOURCE", out);
		buf_add_byte(out, ')');
	}
	add_value(e, " at ", "DRIFTD_MANAGER_TIME", out);
}

static void add_details(const struct event *e, struct buf *out)
{
	str diff = str_trim(event_get(e, "DRIFTD_DIFF"));

	add_paths(e, out);
	add_writer(e, out);
	add_value(e, INDENT "rule ", "DRIFTD_RULE", out);
	add_value(e, INDENT "component ", "DRIFTD_PART", out);
	add_value(e, event_get(e, "DRIFTD_PART").n ? "/" : INDENT "component ", "DRIFTD_COMPONENT", out);
	add_value(e, INDENT "template ", "DRIFTD_TEMPLATE", out);
	add_value(e, INDENT "reference ", "DRIFTD_REFERENCE", out);
	add_value(e, INDENT "cluster ", "DRIFTD_CLUSTER", out);
	add_value(e, INDENT "id ", "DRIFTD_DRIFT_ID", out);
	if (diff.n) {
		buf_add_cstr(out, INDENT "  ");
		printable_add(out, diff, INDENT "  ");
	}
}

void event_print(const struct event *e, const struct event_style *style, struct buf *out)
{
	if (style->form == EVENT_JSON || style->form == EVENT_YAML) {
		event_document(e, style->form == EVENT_YAML, out);
		return;
	}
	add_line(e, style, out);
	if (style->form == EVENT_WIDE)
		add_details(e, out);
	buf_add_byte(out, '\n');
}
