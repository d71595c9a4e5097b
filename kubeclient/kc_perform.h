/* Performs a request and waits for it, in a thread or a one-shot command, as curl_easy_perform(3). But a server that
 * never ends its answer, or sends what belongs to none, is cut off, as by all of driftd's clients (kc_pump.h). */
#ifndef KUBECLIENT_KC_PERFORM_H
#define KUBECLIENT_KC_PERFORM_H

#include "base/buf.h"
#include "kubeclient/kc_transfer.h"

#include <stdatomic.h>

struct kc_perform;

struct kc_answer {
	int status;
	char words[64];     /* the status as the server words it, printable: "404 Not Found" */
	const char *advice; /* what to try instead, where a 400 says that the URL has the wrong scheme; else "" */
	char type[64];      /* the media type of the body, with its parameters, printable; "": it is not said */
};

/* Fails: ENOMEM, EIO. */
CHECKED int kc_perform_new(struct kc_perform **ret, struct err *err);
void kc_perform_free(struct kc_perform *p); /* with its connections; NULL is fine */
DEFINE_CLEANUP(struct kc_perform *, kc_perform_free)

#define KC_PERFORM_LOOK_MS 50 /* between two looks at *stop */

/* Any answer is a success, whatever its status: the body is in @body, in place of what was there. @o without ops and
 * ctx. Connections stay for the next request. Fails: ECANCELED (*@stop, which may be NULL, was or became true), E2BIG
 * (the body has more than @body may hold), and the codes of kc_transfer_why, with the reason as the message. */
CHECKED int kc_perform(struct kc_perform *p, const struct kc_transfer_options *o, const atomic_bool *stop,
		       struct buf *body, struct kc_answer *ret, struct err *err);

#endif
