/* PEM text as OpenSSL has it. */
#ifndef KUBECLIENT_KC_PEM_INTERNAL_H
#define KUBECLIENT_KC_PEM_INTERNAL_H

#include "base/str.h"

#include <openssl/x509.h>

/* Everything in @pem, for sk_X509_INFO_pop_free; NULL: it is damaged, or there is no memory. Nothing of it stays in
 * OpenSSL's queue of errors. */
STACK_OF(X509_INFO) * kc_pem_read(str pem);

#endif
