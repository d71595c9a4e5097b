/* A request that is waited for, in a thread or a command of its own: as curl_easy_perform(3), but a server that never
 * comes to an end, or sends what is for nobody, is let go as by every other client of ours (kc_pump.h). */
#ifndef KUBECLIENT_KC_PERFORM_H
#define KUBECLIENT_KC_PERFORM_H

#include "base/err.h"

#include <curl/curl.h>
#include <stdatomic.h>

struct kc_perform;

/* Fails: ENOMEM, EIO. */
CHECKED int kc_perform_new(struct kc_perform **ret, struct err *err);
void kc_perform_free(struct kc_perform *p); /* with its connections; NULL is fine */
DEFINE_CLEANUP(struct kc_perform *, kc_perform_free)

#define KC_PERFORM_LOOK_MS 50 /* between two looks at *stop */

/* Connections stay for the next request. CURLE_ABORTED_BY_CALLBACK: *@stop (may be NULL) was or became true. The time
 * that it may take is the caller's to set. */
CURLcode kc_perform(struct kc_perform *p, CURL *easy, const atomic_bool *stop);

/* From the write function of a request: bytes of an answer were taken. */
void kc_perform_useful(struct kc_perform *p);

#endif
