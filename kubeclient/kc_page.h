/* One page of a list: its objects are handed to the report, those of a first list through threads (kc_ahead.h). */
#ifndef KUBECLIENT_KC_PAGE_H
#define KUBECLIENT_KC_PAGE_H

#include "kubeclient/kc_report.h"

#include <uv.h>

/* Any part of it may have been reported. */
struct kc_page;

/* Takes @body. @received_ns: uv_hrtime() of its last byte. @loop: its thread pool processes objects before they are
 * reported (kc_ahead.h); NULL: no thread does. Returns NULL without memory. */
struct kc_page *kc_page_new(const struct kc_report *rep, uv_loop_t *loop, struct buf *body, uint64_t received_ns);
void kc_page_free(struct kc_page *p);
DEFINE_CLEANUP(struct kc_page *, kc_page_free)
str kc_page_text(const struct kc_page *p);

/* Report the objects of the page that were not yet, until uv_hrtime() is @until_ns, but at least one. 1: there are
 * more. 0: that was all; *next is the continue token from malloc, or NULL after the last page, whose version is the
 * report's from now on. After 0 or a failure the page is of no use, but after EPROTO: it is a list by another name than
 * the kind's, nothing of it was reported, and with rep->list_kind set it may be tried again. Fails: EBADMSG (also what
 * is no list, kc_list_answer.h), EPROTO, E2BIG, ENOMEM; ECANCELED when stopped. */
CHECKED int kc_page_report(struct kc_report *rep, struct kc_page *p, uint64_t until_ns, char **next, struct err *err);

#endif
