/* Checks that PEM text is complete: a file may be read while it is being written, or when only one of two related
 * files was replaced. */
#ifndef KUBECLIENT_KC_PEM_H
#define KUBECLIENT_KC_PEM_H

#include "base/err.h"
#include "base/str.h"

/* Check that there is at least one certificate, and that nothing is cut off. Fails: EINVAL, ENOMEM. Messages never
 * quote the text. */
CHECKED int kc_pem_check_authorities(str pem, struct err *err);

/* Check that there is a certificate, and the private key that belongs to it, without a password. Fails: EINVAL,
 * ENOMEM. */
CHECKED int kc_pem_check_pair(str cert, str key, struct err *err);

/* When certificates end, in Unix seconds: the first and the last of them. */
struct kc_pem_ends {
	int64_t first, last;
};
/* Reads when the certificates in @pem end. False: no certificate can be read, or there is no memory. */
bool kc_pem_ends(str pem, struct kc_pem_ends *ret);

#endif
