/* The findings that a list is asked for: the parameters of GET /api/v1/findings (docs/api.md). */
#ifndef DAEMON_VIEW_FINDING_FILTER_H
#define DAEMON_VIEW_FINDING_FILTER_H

#include "daemon/findings/finding.h"
#include "daemon/serve/http.h"

/* What comes first; of equal ones the worst, and then the oldest. ORDER orders[] */
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

/* Texts of the request; {NULL, 0}: any. */
struct finding_filter {
	str cluster, namespace, reference, component, action;
	str name, manager;   /* patterns (base/pattern.h) */
	str field;           /* a path, for it and all below it, or a pattern of paths */
	str kind;            /* of the object: words, for kind_words_mean */
	str labels;          /* a label selector (value/label_selector.h) for the object */
	unsigned types;      /* 1u << enum finding_kind; 0: any */
	enum severity worst; /* as bad as this, or worse; 0: any */
	unsigned severities; /* just these: 1u << enum severity; 0: any */
	int64_t since_usec;  /* Unix time: it began then, or later; 0: any */
	str cause;           /* an id (daemon/findings/cause.h), or the beginning of one */
	enum findings_order order;
	bool grouped;   /* by their cause */
	uint64_t known; /* findings_generation of what the client has: nothing is listed while that stays; 0: none */
};

/* From the parameters cluster, namespace, name, kind, labels, reference, component, action, field, manager, cause, type
 * (may be repeated), severity, severity_is (may be repeated), since (RFC 3339), sort, group and after; others are a
 * mistake. Fails: EINVAL. */
CHECKED int finding_filter_parse(const struct http_request *q, struct finding_filter *ret, struct err *err);
/* One of these parameters. Fails: EINVAL. */
CHECKED int finding_filter_add(struct finding_filter *f, const char *name, const char *value, struct err *err);
/* The same with texts in @a. False without memory. */
bool finding_filter_copy(const struct finding_filter *from, struct arena *a, struct finding_filter *ret);
/* Whether anything is filtered by; order and groups are nothing of the kind. */
bool finding_filter_is_set(const struct finding_filter *f);

/* Append the parameters to a path: what is parsed from them is @f again. */
void finding_filter_address(const struct finding_filter *f, struct buf *out);

/* All but the cause, which a list looks at (findings_list.c), and the labels, which nobody knows without the object
 * (daemon/api/findings_answer.c). */
bool finding_filter_passes(const struct finding_filter *f, const struct finding *x);

/* The text by which @x is sorted; empty where that is none. */
str findings_order_text(enum findings_order order, const struct finding *x);
const char *findings_order_name(enum findings_order order);

#endif
