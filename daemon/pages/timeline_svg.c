/* What was open, drawn: steps, one colour for each severity, above a time axis; hatched where nobody knew.
 *
 * Shapes are stretched to the width that there is, texts and lines are not: they stand in the outer picture at a share
 * of its width. Nothing here is a style, which the page's policy would refuse: classes are, and attributes of SVG. */
#include "daemon/pages/pages_internal.h"

#include "daemon/findings/finding_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define PLOT_HEIGHT 130 /* 130 of 154 pixels; the times are below */
#define TICKS_MAX 5     /* few enough for a phone */
#define SPANS_DRAWN 500
#define SPAN_PERCENT_MIN 0.4 /* narrower spans would be invisible */
#define HOUR INT64_C(3600)

/* ---- times ---- */

/* Seconds between two ticks: the smallest step that does not give too many. */
static int64_t tick_step(int64_t seconds)
{
	static const int64_t steps[] = { 60,       300,       900,       HOUR,      3 * HOUR,
					 6 * HOUR, 12 * HOUR, 24 * HOUR, 48 * HOUR, 7 * 24 * HOUR };

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (seconds / steps[i] <= TICKS_MAX)
			return steps[i];
	}
	return (seconds / TICKS_MAX / (14 * 24 * HOUR) + 1) * 14 * 24 * HOUR;
}

static void tick_text(int64_t sec, int64_t step, char ret[16])
{
	time_t t = (time_t)sec;
	struct tm tm;

	(void)gmtime_r(&t, &tm);
	(void)strftime(ret, 16, step < 24 * HOUR ? "%H:%M" : "%d %b", &tm);
}

static double percent_of(const struct timeline *t, int64_t usec)
{
	return 100.0 * (double)(usec - t->since_usec) / (double)(t->until_usec - t->since_usec);
}

static void add_percent(struct html *h, double from, double to)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.3f%%", from);
	html_attr(h, "x", str_from(text));
	(void)snprintf(text, sizeof(text), "%.3f%%", to - from);
	html_attr(h, "width", str_from(text));
}

static void add_tick(struct html *h, double percent, const char *text)
{
	char x[32];

	(void)snprintf(x, sizeof(x), "%.3f%%", percent);
	html_open_class(h, "line", "tick");
	html_attr(h, "x1", str_from(x));
	html_attr(h, "x2", str_from(x));
	html_attr(h, "y1", STR("0"));
	html_attr(h, "y2", STR("134"));
	html_close(h, "line");
	if (percent < 8 || percent > 92) /* near the edges a text would be cut */
		return;
	html_open_class(h, "text", "when");
	html_attr(h, "x", str_from(x));
	html_attr(h, "y", STR("149"));
	html_attr(h, "text-anchor", STR("middle"));
	html_text(h, str_from(text));
	html_close(h, "text");
}

static void add_ticks(struct html *h, const struct timeline *t)
{
	int64_t step = tick_step((t->until_usec - t->since_usec) / 1000000);

	for (int64_t at = (t->since_usec / 1000000 / step + 1) * step; at * 1000000 < t->until_usec; at += step) {
		char text[16];

		tick_text(at, step, text);
		add_tick(h, percent_of(t, at * 1000000), text);
	}
}

/* ---- shapes ---- */

static size_t stacked(const struct timeline_cluster *c, size_t bucket, int up_to)
{
	size_t n = 0;

	for (int s = SEVERITY_CRITICAL; s <= up_to; s++)
		n += c->most[s] ? c->most[s][bucket] : 0;
	return n;
}

size_t timeline_highest(const struct timeline *t, const struct timeline_cluster *c)
{
	size_t most = 0;

	for (size_t b = 0; b < t->n_buckets; b++) {
		size_t n = stacked(c, b, SEVERITY_INFO);

		most = n > most ? n : most;
	}
	return most;
}

/* Add the steps for the severity @s and all worse ones, over which the worse ones are drawn next. */
static void add_steps(struct html *h, const struct timeline *t, const struct timeline_cluster *c, int s, size_t highest)
{
	static const char *const classes[] = { [SEVERITY_CRITICAL] = "at critical",
					       [SEVERITY_ERROR] = "at error",
					       [SEVERITY_WARNING] = "at warning",
					       [SEVERITY_NOTICE] = "at notice",
					       [SEVERITY_INFO] = "at info" };
	CLEANUP(buf_done) struct buf path = BUF_INIT(1 << 20);
	size_t before = 0;

	buf_printf(&path, "M0 %zu", highest);
	for (size_t b = 0; b < t->n_buckets; b++) {
		size_t n = stacked(c, b, s);

		if (n != before)
			buf_printf(&path, "H%zuV%zu", b, highest - n);
		before = n;
	}
	buf_printf(&path, "H%zuV%zuZ", t->n_buckets, highest);
	html_open(h, "path");
	html_attr(h, "class", str_from(classes[s]));
	html_attr(h, "d", buf_str(&path));
	html_close(h, "path");
}

static void add_shapes(struct html *h, const struct timeline *t, const struct timeline_cluster *c, size_t highest)
{
	char box[64];

	if (!highest)
		return;
	(void)snprintf(box, sizeof(box), "0 0 %zu %zu", t->n_buckets, highest);
	html_open(h, "svg");
	html_attr(h, "viewBox", str_from(box));
	html_attr(h, "preserveAspectRatio", STR("none"));
	html_attr(h, "width", STR("100%"));
	html_attr(h, "height", STR("130"));
	for (int s = SEVERITY_INFO; s >= SEVERITY_CRITICAL; s--) {
		if (c->most[s])
			add_steps(h, t, c, s, highest);
	}
	html_close(h, "svg");
}

static void add_pattern(struct html *h, str id, const char *class, const char *turn)
{
	html_open(h, "pattern");
	html_attr(h, "id", id);
	html_attr(h, "class", str_from(class));
	html_attr(h, "width", STR("6"));
	html_attr(h, "height", STR("6"));
	html_attr(h, "patternUnits", STR("userSpaceOnUse"));
	html_attr(h, "patternTransform", str_from(turn));
	html_open_class(h, "rect", "under");
	html_attr(h, "width", STR("6"));
	html_attr(h, "height", STR("6"));
	html_close(h, "rect");
	html_open_class(h, "rect", "over");
	html_attr(h, "width", STR("2"));
	html_attr(h, "height", STR("6"));
	html_close(h, "rect");
	html_close(h, "pattern");
}

static void add_span(struct html *h, const struct timeline *t, const struct timeline_span *x)
{
	double from = percent_of(t, x->from_usec), to = percent_of(t, x->to_usec);

	if (to - from < SPAN_PERCENT_MIN) {
		from = from + SPAN_PERCENT_MIN > 100 ? 100 - SPAN_PERCENT_MIN : from;
		to = from + SPAN_PERCENT_MIN;
	}
	html_open(h, "rect");
	html_attr(h, "class", x->away ? STR("blind away") : STR("blind gap"));
	add_percent(h, from, to);
	html_attr(h, "y", STR("0"));
	html_attr(h, "height", STR("130"));
	html_attr(h, "fill", x->away ? STR("url(#away)") : STR("url(#gap)"));
	html_close(h, "rect");
}

static void add_blindness(struct html *h, const struct timeline *t, const struct timeline_cluster *c)
{
	for (size_t i = 0; i < c->n_spans && i < SPANS_DRAWN; i++)
		add_span(h, t, &c->spans[i]);
}

/* ---- one picture ---- */

static void add_description(struct html *h, const struct timeline *t, const struct timeline_cluster *c, size_t highest)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

	html_textf(h, "At most %zu open at one time; %" PRIu64 " began, %" PRIu64 " ended. ", highest, c->began,
		   c->ended);
	if (c->blind_usec)
		html_textf(h, "Not synced for %.*s, in %zu times.", STR_ARG(duration_text(&a, c->blind_usec)),
			   c->n_spans);
	else
		html_say(h, "Wholly watched, as far as is known.");
	(void)t;
}

void timeline_svg(struct html *h, const struct timeline *t, size_t which)
{
	const struct timeline_cluster *c = &t->clusters[which];
	size_t highest = timeline_highest(t, c);
	char title[32], desc[32], both[64];

	(void)snprintf(title, sizeof(title), "title-%zu", which);
	(void)snprintf(desc, sizeof(desc), "desc-%zu", which);
	(void)snprintf(both, sizeof(both), "%s %s", title, desc);
	html_open_class(h, "svg", "timeline");
	html_attr(h, "role", STR("img"));
	html_attr(h, "aria-labelledby", str_from(both));
	html_attr(h, "width", STR("100%"));
	html_attr(h, "height", STR("154"));
	html_open(h, "title");
	html_attr(h, "id", str_from(title));
	html_say(h, "Open findings of ");
	html_cut(h, c->name, PAGE_TEXT_MAX);
	html_close(h, "title");
	html_open(h, "desc");
	html_attr(h, "id", str_from(desc));
	add_description(h, t, c, highest);
	html_close(h, "desc");
	add_shapes(h, t, c, highest);
	add_blindness(h, t, c);
	add_ticks(h, t);
	html_open_class(h, "text", "most");
	html_attr(h, "x", STR("6"));
	html_attr(h, "y", STR("15"));
	html_textf(h, highest ? "at most %zu" : "nothing was open", highest);
	html_close(h, "text");
	html_close(h, "svg");
	html_newline(h);
}

/* ---- what the colours mean ---- */

static void add_swatch(struct html *h, const char *class, const char *fill, str text)
{
	html_open(h, "li");
	html_open_class(h, "svg", "swatch");
	html_attr(h, "width", STR("16"));
	html_attr(h, "height", STR("12"));
	html_attr(h, "aria-hidden", STR("true"));
	html_open(h, "rect");
	html_attr(h, "class", str_from(class));
	html_attr(h, "width", STR("16"));
	html_attr(h, "height", STR("12"));
	if (*fill)
		html_attr(h, "fill", str_from(fill));
	html_close(h, "rect");
	html_close(h, "svg");
	html_say(h, " ");
	html_text(h, text);
	html_close(h, "li");
}

/* The legend, with the patterns that the pictures use. */
void timeline_legend(struct html *h)
{
	html_open_class(h, "svg", "patterns");
	html_attr(h, "width", STR("0"));
	html_attr(h, "height", STR("0"));
	html_attr(h, "aria-hidden", STR("true"));
	html_open(h, "defs");
	add_pattern(h, STR("gap"), "hatch", "rotate(45)");
	add_pattern(h, STR("away"), "hatch dark", "rotate(-45)");
	html_close(h, "defs");
	html_close(h, "svg");
	html_open_class(h, "ul", "legend");
	html_attr(h, "aria-label", STR("What the colours mean"));
	add_swatch(h, "at critical", "", STR("critical"));
	add_swatch(h, "at error", "", STR("error"));
	add_swatch(h, "at warning", "", STR("warning"));
	add_swatch(h, "at notice", "", STR("notice"));
	add_swatch(h, "at info", "", STR("info"));
	add_swatch(h, "blind gap", "url(#gap)", STR("a gap: something was not watched"));
	add_swatch(h, "blind away", "url(#away)", STR("driftd did not run: nothing was watched"));
	html_close(h, "ul");
	html_newline(h);
}
