/* Writes texts that several pages have in common, so that they look the same everywhere. */
#include "daemon/pages/pages_internal.h"

#include "base/utf8.h"
#include "daemon/findings/finding_record.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- times and numbers ---- */

static void add_age(struct html *h, struct arena *a, int64_t usec)
{
	if (usec < 0)
		html_say(h, "just now"); /* the time is in the future, because a clock was set */
	else if (usec < 60 * INT64_C(1000000))
		html_textf(h, "%" PRId64 " s ago", usec / 1000000);
	else
		html_textf(h, "%.*s ago", STR_ARG(duration_text(a, usec)));
}

void page_time(struct html *h, int64_t usec, int64_t now_usec)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	str stamp;

	if (usec <= 0) {
		html_say(h, "never");
		return;
	}
	stamp = time_text(&a, usec);
	html_open(h, "time");
	html_attr(h, "datetime", stamp);
	add_age(h, &a, now_usec - usec);
	html_say(h, " ");
	html_element_class(h, "span", "stamp", stamp);
	html_close(h, "time");
}

void page_count(struct html *h, size_t n)
{
	char digits[24], text[32];
	int count = snprintf(digits, sizeof(digits), "%zu", n), at = 0;

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	html_text(h, (str){ text, (size_t)at });
}

/* ---- severities ---- */

static void open_severity(struct html *h, enum severity s)
{
	char class[32];

	(void)snprintf(class, sizeof(class), "sev %s", severity_name(s));
	html_open(h, "span");
	html_attr(h, "class", str_from(class));
}

void page_severity(struct html *h, enum severity s)
{
	open_severity(h, s);
	html_text(h, str_from(severity_name(s)));
	html_close(h, "span");
}

/* Add a link to the findings of @q with the severity @s; without accepted ones when @accepted. */
static void add_of_severity(struct html *h, enum severity s, size_t count, const struct page_query *q, bool accepted,
			    str whose)
{
	struct page_query to = *q;

	to.filter.severities = 1u << s;
	if (accepted)
		to.filter.types = ((1u << FINDING_KINDS) - 1) & ~(1u << FINDING_ACCEPTED);
	page_query_link_open(h, &to);
	open_severity(h, s);
	page_count(h, count);
	html_textf(h, " %s", severity_name(s));
	html_close(h, "span");
	page_hidden(h, whose);
	html_close(h, "a");
}

void page_severities(struct html *h, const size_t counts[8], const struct page_query *q, bool accepted, str whose)
{
	bool any = false;

	for (int s = SEVERITY_CRITICAL; s <= SEVERITY_INFO; s++) {
		if (!counts[s])
			continue;
		html_text(h, str_from(any ? " " : ""));
		add_of_severity(h, (enum severity)s, counts[s], q, accepted, whose);
		any = true;
	}
	if (!any)
		html_element_class(h, "span", "quiet", STR("nothing open"));
}

/* ---- texts of others ---- */

void page_code(struct html *h, str s)
{
	html_with(h, "code", html_cut(h, s, PAGE_TEXT_MAX));
}

void page_lines(struct html *h, str s)
{
	str rest = s, line;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		html_text(h, line);
		if (rest.n)
			html_void(h, "br");
	}
}

/* ---- links and sections ---- */

void page_hidden(struct html *h, str text)
{
	if (text.n)
		html_with_class(h, "span", "hidden", html_cut(h, text, PAGE_TEXT_MAX));
}

void page_link_of(struct html *h, str address, str text, str hidden)
{
	html_open(h, "a");
	html_attr(h, "href", address);
	html_text(h, text);
	page_hidden(h, hidden);
	html_close(h, "a");
}

void page_link(struct html *h, str address, str text)
{
	page_link_of(h, address, text, (str){ NULL, 0 });
}

void page_heading(struct html *h, str id, str heading)
{
	html_open(h, "h2");
	html_attr(h, "id", id);
	html_text(h, heading);
	html_close(h, "h2");
}

void page_section_open(struct html *h, str id, str heading)
{
	html_open(h, "section");
	html_attr(h, "aria-labelledby", id);
	page_heading(h, id, heading);
}

void page_section_close(struct html *h)
{
	html_close(h, "section");
	html_newline(h);
}

/* ---- objects ---- */

static str kind_of(const struct finding_subject *s)
{
	return s->kind.n ? s->kind : s->resource;
}

static bool is_of_component(const struct finding *x)
{
	return x->subject.component.n && finding_is_of_component(x->kind, &x->subject);
}

/* Append "shop/web", "part/component", or else the cluster. */
static void name_of(const struct finding *x, struct buf *out)
{
	const struct finding_subject *s = &x->subject;
	const char *slash = s->namespace.n && s->name.n ? "/" : "";

	if (is_of_component(x))
		buf_printf(out, "%.*s/%.*s", STR_ARG(s->part), STR_ARG(s->component));
	else if (s->namespace.n || s->name.n)
		buf_printf(out, "%.*s%s%.*s", STR_ARG(s->namespace), slash, STR_ARG(s->name));
	else if (!kind_of(s).n)
		buf_add_str(out, s->cluster);
}

static str noun_of(const struct finding *x)
{
	if (is_of_component(x))
		return STR("Component");
	return kind_of(&x->subject).n ? kind_of(&x->subject) : STR("Cluster");
}

void page_object(struct html *h, const struct finding *x)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(4096);

	name_of(x, &name);
	html_element_class(h, "span", "kind", utf8_cut(noun_of(x), PAGE_TEXT_MAX));
	if (!name.n)
		return;
	html_say(h, " ");
	page_code(h, buf_str(&name));
}

void page_object_text(const struct finding *x, struct buf *out)
{
	buf_add_str(out, noun_of(x));
	buf_add_byte(out, ' ');
	name_of(x, out);
}

static void mark(struct html *h, str word, str title)
{
	html_say(h, " ");
	html_open_class(h, "span", "mark");
	html_attr(h, "title", title);
	html_text(h, word);
	html_close(h, "span");
}

void page_marks(struct html *h, const struct finding *x, uint64_t now_ns)
{
	if (now_ns < x->reported_from_ns)
		mark(h, STR("held"), STR("it has not lasted long enough to be reported"));
	if (x->flaps)
		mark(h, STR("flapping"), STR("it is flapping: its changes are counted, not reported"));
	if (!x->confirmed)
		mark(h, STR("unconfirmed"), STR("known from before a restart or reload, not seen again yet"));
}
