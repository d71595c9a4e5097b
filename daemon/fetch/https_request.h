/* Requests for the files of a source over HTTPS: over plain HTTP only where the source allows it. */
#ifndef DAEMON_FETCH_HTTPS_REQUEST_H
#define DAEMON_FETCH_HTTPS_REQUEST_H

#include "base/arena.h"
#include "daemon/fetch/engines.h"
#include "kubeclient/kc_perform.h"

struct https_requests {
	const struct fetch_job *job;
	struct kc_perform *net;
	struct curl_slist *headers; /* the credentials; NULL: none */
	const char *ca, *proxy;
};

/* Texts live in @a. Fails: EINVAL, the source; EPERM, a file that it names; EIO, ENOMEM. */
CHECKED int https_begin(struct https_requests *q, const struct fetch_job *job, struct arena *a, struct err *err);
void https_end(struct https_requests *q);

/* What is at @url comes to @body, in place of what was there. At most 5 redirects are followed, never from https://
 * to http://, and credentials stay with the host that the source names (libcurl: its port and scheme count too). Fails:
 * ENOENT, there is nothing; EACCES, we may not have it; EBADMSG, it is a page for people; ETIMEDOUT, E2BIG, ENOMEM;
 * others, there is no answer or none of use. The message does not name it. */
CHECKED int https_get(struct https_requests *q, const char *url, struct buf *body, struct err *err);

#endif
