/* Writes families, samples and labels, escaped. */
#include "daemon/serve/exposition.h"

#include "base/assert.h"
#include "value/json.h"

#include <math.h>
#include <stdio.h>

static void add_escaped(struct buf *out, str s, bool label)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '\n')
			buf_add_cstr(out, "\\n");
		else if (c == '\\' || (label && c == '"'))
			buf_printf(out, "\\%c", c);
		else
			buf_add_byte(out, c);
	}
}

static void add_number(struct buf *out, double v)
{
	if (isnan(v))
		buf_add_cstr(out, "NaN");
	else if (isinf(v))
		buf_add_cstr(out, v > 0 ? "+Inf" : "-Inf");
	else if (floor(v) == v && fabs(v) < 9007199254740992.0)
		buf_printf(out, "%.0f", v);
	else
		json_encode_double(v, out); /* the shortest text, as in Go, in which Prometheus is written */
}

/* OpenMetrics names a family without the suffix that its samples carry. */
static int family_length(const struct exposition *e, enum metric_type type)
{
	size_t n = strlen(e->name);

	if (e->openmetrics && type == METRIC_COUNTER)
		n -= sizeof("_total") - 1;
	if (e->openmetrics && type == METRIC_INFO)
		n -= sizeof("_info") - 1;
	return (int)n;
}

void exposition_family(struct exposition *e, const char *name, enum metric_type type, const char *help)
{
	static const char *const names[] = { [METRIC_GAUGE] = "gauge",
					     [METRIC_COUNTER] = "counter",
					     [METRIC_INFO] = "info",
					     [METRIC_HISTOGRAM] = "histogram" };
	const char *type_name = type == METRIC_INFO && !e->openmetrics ? "gauge" : names[type];
	int n;

	_Static_assert(ARRAY_LEN(names) == METRIC_HISTOGRAM + 1, "ORDER enum metric_type");
	ASSERT(type < ARRAY_LEN(names));
	e->name = name;
	n = family_length(e, type);
	buf_printf(e->out, "# HELP %.*s ", n, name);
	add_escaped(e->out, str_from(help), false);
	buf_printf(e->out, "\n# TYPE %.*s %s\n", n, name, type_name);
}

static void sample(struct exposition *e, const char *suffix, double value, const struct label *labels, size_t n)
{
	buf_printf(e->out, "%s%s", e->name, suffix);
	for (size_t i = 0; i < n; i++) {
		buf_printf(e->out, "%s%s=\"", i ? "," : "{", labels[i].name);
		add_escaped(e->out, labels[i].value, true);
		buf_add_byte(e->out, '"');
	}
	buf_add_cstr(e->out, n ? "} " : " ");
	add_number(e->out, value);
	buf_add_byte(e->out, '\n');
}

void exposition_sample(struct exposition *e, double value, const struct label *labels, size_t n)
{
	sample(e, "", value, labels, n);
}

void exposition_single(struct exposition *e, const char *name, enum metric_type type, const char *help, double value)
{
	exposition_family(e, name, type, help);
	exposition_sample(e, value, NULL, 0);
}

void exposition_histogram(struct exposition *e, const struct histogram *h)
{
	uint64_t count = 0;

	for (int i = 0; i <= HISTOGRAM_BUCKETS; i++) {
		CLEANUP(buf_done) struct buf bound = BUF_INIT(64);

		count += h->buckets[i];
		add_number(&bound, i < HISTOGRAM_BUCKETS ? histogram_bounds[i] : HUGE_VAL);
		if (e->openmetrics && i < HISTOGRAM_BUCKETS && floor(histogram_bounds[i]) == histogram_bounds[i])
			buf_add_cstr(&bound, ".0"); /* OpenMetrics requires a fraction */
		sample(e, "_bucket", (double)count, LABELS({ "le", buf_str(&bound) }));
	}
	sample(e, "_sum", (double)h->sum_ns / 1e9, NULL, 0);
	sample(e, "_count", (double)count, NULL, 0);
}

void exposition_end(struct exposition *e)
{
	if (e->openmetrics)
		buf_add_cstr(e->out, "# EOF\n");
}
