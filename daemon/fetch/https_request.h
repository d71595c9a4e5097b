/* Requests for the files of a source over HTTPS: over plain HTTP only where the source allows it. */
#ifndef DAEMON_FETCH_HTTPS_REQUEST_H
#define DAEMON_FETCH_HTTPS_REQUEST_H

#include "base/arena.h"
#include "daemon/fetch/engines.h"
#include "kubeclient/kc_perform.h"

struct https_requests {
	const struct fetch_job *job;
	struct kc_perform *net;
	struct curl_slist *headers; /* with the credentials; NULL: none */
	const char *ca, *proxy;
};

/* Prepare requests for @job. Texts live in @a. Fails: EINVAL, a mistake in the source; EPERM, in a file that it
 * names; EIO, ENOMEM. */
CHECKED int https_begin(struct https_requests *q, const struct fetch_job *job, struct arena *a, struct err *err);
void https_end(struct https_requests *q);

/* Replace @body by what is at @url. At most 5 redirects are followed, never from https:// to http://, and
 * credentials are only sent to the host that the source names (for libcurl, port and scheme must be the same too).
 * Fails: ENOENT, there is nothing; EACCES, access is denied; EBADMSG, it is a page for people; ETIMEDOUT, E2BIG,
 * ENOMEM; other codes, there is no usable answer. The message does not name the URL. */
CHECKED int https_get(struct https_requests *q, const char *url, struct buf *body, struct err *err);

#endif
