/* Requests that rules make, and that the configuration allows. See spec/inspection-rules.md, section 12. */
#ifndef RULES_INSPECTION_CALL_H
#define RULES_INSPECTION_CALL_H

#include "rules/inspection/insp_work.h"

/* A GET request. Redirects are not followed, and the body is ignored. */
struct insp_call {
	str url;
	val headers, proxies; /* maps of texts, or VAL_ABSENT */
	double timeout;       /* the time for each try, in seconds, above 0 */
	uint32_t retries;     /* tries after the first */
	/* In seconds: the first retry follows at once, twice this time passes before the second one, and the time
	 * doubles before each further one. */
	double backoff_factor;
	bool secret; /* the URL was made of something that may not be shown */
};

#define INSP_TIMEOUT_MAX 300.0
#define INSP_RETRIES_MAX 10

/* Whether @url is below one of @prefixes: it has the same scheme, host and port, and its path begins with all
 * segments of the prefix. Never below a prefix is a URL with a user, a fragment or a dot segment (also an escaped
 * one, or "..;"), or with anything that programs read differently (escaped slashes and backslashes, control bytes,
 * bytes that are escaped twice). Returns 1 or 0. Fails: ENOMEM. */
CHECKED int insp_url_allowed(str url, const str *prefixes, size_t n, struct arena *a, struct err *err);
/* Whether @prefix may be used as a prefix: http or https with a host, without a query or anything that
 * insp_url_allowed refuses. Returns 1 or 0. Fails: ENOMEM. */
CHECKED int insp_url_prefix_valid(str prefix, struct arena *a, struct err *err);

/* Make the request from the arguments of api-call, which are in the order of its parameters. Fails: EINVAL with what
 * is wrong; E2BIG, ENOMEM. */
CHECKED int insp_call_read(struct insp_work *w, const val *args, const bool *given, struct insp_call *ret,
			   struct err *err);

#endif
