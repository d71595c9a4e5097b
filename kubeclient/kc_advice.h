/* What a person can do about a failure, said behind its name in parentheses. */
#ifndef KUBECLIENT_KC_ADVICE_H
#define KUBECLIENT_KC_ADVICE_H

#include "base/buf.h"
#include "mask/foreign.h"

/* Whether the URL has the wrong scheme: @error is what broke the transfer, @body the answer; either may be empty. @tls:
 * the URL begins with https://. " (it …)", or "". */
const char *kc_advice_scheme(bool tls, struct foreign error, struct foreign body);

/* What an account needs so that @verb on the API's @path, with or without a query, is not forbidden: " (needs …)". */
void kc_advice_grant(const char *verb, const char *path, struct buf *out);

#endif
