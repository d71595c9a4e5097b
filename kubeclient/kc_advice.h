/* Advice about a failure, which messages give in parentheses behind its name. */
#ifndef KUBECLIENT_KC_ADVICE_H
#define KUBECLIENT_KC_ADVICE_H

#include "base/buf.h"
#include "mask/foreign.h"

/* Advice if the URL has the wrong scheme: " (it …)", or "". @error is what broke the transfer, @body the answer;
 * either may be empty. @tls: the URL begins with https://. */
const char *kc_advice_scheme(bool tls, struct foreign error, struct foreign body);

/* Append " (needs …)": the permission without which @verb on the API's @path, with or without a query, is forbidden. */
void kc_advice_grant(const char *verb, const char *path, struct buf *out);

#endif
