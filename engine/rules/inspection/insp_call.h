/* Requests that rules ask for, and which the configuration allows.   spec/inspection-rules.md, section 12 */
#ifndef RULES_INSPECTION_CALL_H
#define RULES_INSPECTION_CALL_H

#include "rules/inspection/insp_work.h"

/* GET; redirects are not followed, the body is ignored. */
struct insp_call {
	str url;
	val headers, proxies; /* maps of texts, or VAL_ABSENT */
	double timeout;       /* seconds, above 0, of each try */
	uint32_t retries;     /* tries after the first */
	/* Seconds: twice as many pass before the second of them, and twice as many again before each further one; the
	 * first follows at once. */
	double backoff_factor;
	bool secret; /* the URL was made of what may not be shown */
};

#define INSP_TIMEOUT_MAX 300.0
#define INSP_RETRIES_MAX 10

/* Whether @url is below one of @prefixes: of the same scheme, host and port, its path beginning with all of the
 * prefix's segments. URLs with users, fragments, dot segments (escaped ones, and "..;", too) or anything that readers
 * of URLs disagree about (slashes and backslashes that are escaped, control bytes, what is escaped twice) are below
 * none. -ENOMEM. 1 or 0. */
CHECKED int insp_url_allowed(str url, const str *prefixes, size_t n, struct arena *a, struct err *err);
/* Whether @prefix can be one: http or https with a host, and nothing of the above, nor a query. -ENOMEM. 1 or 0. */
CHECKED int insp_url_prefix_valid(str prefix, struct arena *a, struct err *err);

/* The request that the arguments of api-call are, by the order of its parameters. Fails: EINVAL with what is wrong;
 * E2BIG, ENOMEM. */
CHECKED int insp_call_read(struct insp_work *w, const val *args, const bool *given, struct insp_call *ret,
			   struct err *err);

#endif
