/* Filters of lists of findings: the parameters of GET /api/v1/findings (docs/api.md). */
#ifndef DAEMON_VIEW_FINDING_FILTER_H
#define DAEMON_VIEW_FINDING_FILTER_H

#include "daemon/findings/finding.h"
#include "daemon/serve/http.h"

/* The order of a list. Equal findings are in order of severity, then of age. ORDER orders[] */
enum findings_order {
	ORDER_SEVERITY,
	ORDER_SINCE,
	ORDER_CLUSTER,
	ORDER_NAMESPACE,
	ORDER_KIND,
	ORDER_NAME,
	ORDER_FIELD,
	ORDER_MANAGER,
	ORDER_REFERENCE,
	FINDINGS_ORDERS,
};

/* A filter. Its texts belong to the request; {NULL, 0}: any. */
struct finding_filter {
	str cluster, namespace, reference, component, action;
	str name, manager;   /* patterns (base/pattern.h) */
	str field;           /* a path, which stands for everything below it too, or a pattern of paths */
	str kind;            /* words for kind_words_mean, about the object */
	str labels;          /* a label selector (value/label_selector.h) for the object */
	unsigned types;      /* 1u << enum finding_kind; 0: any */
	enum severity worst; /* findings of this severity, or a worse one; 0: any */
	unsigned severities; /* exactly these severities, as a set of 1u << enum severity; 0: any */
	int64_t since_usec;  /* Unix time from which the finding must have begun; 0: any */
	str cause;           /* an id (daemon/findings/cause.h), or the beginning of one */
	enum findings_order order;
	bool grouped;   /* by their cause */
	uint64_t known; /* the findings_generation that the client has: until it changes nothing is listed; 0: none */
};

/* From the parameters cluster, namespace, name, kind, labels, reference, component, action, field, manager, cause, type
 * (may be repeated), severity, severity_is (may be repeated), since (RFC 3339), sort, group and after; others are a
 * mistake. Fails: EINVAL. */
CHECKED int finding_filter_parse(const struct http_request *q, struct finding_filter *ret, struct err *err);
/* Add one of these parameters. Fails: EINVAL. */
CHECKED int finding_filter_add(struct finding_filter *f, const char *name, const char *value, struct err *err);
/* Copy the filter and its texts into @a. False without memory. */
bool finding_filter_copy(const struct finding_filter *from, struct arena *a, struct finding_filter *ret);
/* Whether anything is filtered; order and grouping do not count. */
bool finding_filter_is_set(const struct finding_filter *f);

/* Append the parameters to a path, so that parsing them gives @f again. */
void finding_filter_address(const struct finding_filter *f, struct buf *out);

/* Whether @x passes the filter, except for the cause, which lists look at (findings_list.c), and the labels, which
 * only the object has (daemon/api/findings_answer.c). */
bool finding_filter_passes(const struct finding_filter *f, const struct finding *x);

/* The text by which @x is sorted; empty if the order has no text. */
str findings_order_text(enum findings_order order, const struct finding *x);
const char *findings_order_name(enum findings_order order);

#endif
