/* The open findings, filtered and in order, as a stream of parts. */
#ifndef DAEMON_VIEW_FINDINGS_LIST_H
#define DAEMON_VIEW_FINDINGS_LIST_H

#include "daemon/findings/findings.h"
#include "daemon/serve/http.h"

/* Texts of the request; {NULL, 0}: any. */
struct finding_filter {
	str cluster, namespace, name, reference, component, action;
	str kind;            /* of the object: its kind or its resource, any case, with or without the group */
	unsigned types;      /* 1u << enum finding_kind; 0: any */
	enum severity worst; /* as bad as this, or worse; 0: any */
};

/* From the parameters cluster, namespace, name, kind, reference, component, action, type (may be repeated) and
 * severity; others are a mistake. Fails: EINVAL. */
CHECKED int finding_filter_parse(const struct http_request *q, struct finding_filter *ret, struct err *err);
/* One of these parameters. Fails: EINVAL. */
CHECKED int finding_filter_add(struct finding_filter *f, const char *name, const char *value, struct err *err);

/* What of the findings passes now, the worst and then the oldest first. */
struct findings_cursor;

/* Fails: ENOMEM. */
CHECKED int findings_cursor_new(const struct findings *f, const struct finding_filter *filter,
				struct findings_cursor **ret, struct err *err);
/* The same, but only @n of them are given, those behind the first @first: that costs less than all. */
CHECKED int findings_cursor_page(const struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
				 struct findings_cursor **ret, struct err *err);
void findings_cursor_free(struct findings_cursor *c);
size_t findings_cursor_count(const struct findings_cursor *c); /* of all that passed */
/* The next one that is still open, as it is now; NULL: none is left. */
const struct finding *findings_cursor_next(struct findings_cursor *c);
bool findings_cursor_is_first(const struct findings_cursor *c); /* what came last was the first one */

#endif
