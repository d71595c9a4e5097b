/* Writing the Prometheus text format (0.0.4) or OpenMetrics (1.0.0).
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 * https://prometheus.io/docs/specs/om/open_metrics_spec/ */
#ifndef DAEMON_SERVE_EXPOSITION_H
#define DAEMON_SERVE_EXPOSITION_H

#include "base/buf.h"
#include "daemon/findings/histogram.h"

enum metric_type { METRIC_GAUGE, METRIC_COUNTER, METRIC_INFO, METRIC_HISTOGRAM };

struct exposition {
	struct buf *out;
	bool openmetrics;
	const char *name; /* name of the current family, as its samples write it */
};

struct label {
	const char *name;
	str value;
};

/* Begin a family. @name is the name in its samples: counters end in _total, info gauges in _info. */
void exposition_family(struct exposition *e, const char *name, enum metric_type type, const char *help);
/* Write one sample with its labels, whose values are escaped. Whole numbers have no exponent. */
void exposition_sample(struct exposition *e, double value, const struct label *labels, size_t n);
/* Write a family of one sample without labels. */
void exposition_single(struct exposition *e, const char *name, enum metric_type type, const char *help, double value);
/* The samples of @h, in a family of METRIC_HISTOGRAM. */
void exposition_histogram(struct exposition *e, const struct histogram *h);
/* The end of the text. */
void exposition_end(struct exposition *e);

#define LABELS(...)                                                                                                    \
	(const struct label[]){ __VA_ARGS__ }, sizeof((const struct label[]){ __VA_ARGS__ }) / sizeof(struct label)

#endif
