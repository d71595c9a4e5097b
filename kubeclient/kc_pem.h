/* Whether PEM text is whole: a file may be read while somebody still writes it, or between two that belong together. */
#ifndef KUBECLIENT_KC_PEM_H
#define KUBECLIENT_KC_PEM_H

#include "base/err.h"
#include "base/str.h"

/* At least one certificate, and nothing cut off. Fails: EINVAL, ENOMEM. Messages never quote the text. */
CHECKED int kc_pem_check_authorities(str pem, struct err *err);

/* A certificate, and the private key that belongs to it, without a password. Fails: EINVAL, ENOMEM. */
CHECKED int kc_pem_check_pair(str cert, str key, struct err *err);

/* When certificates end, in Unix seconds: the first and the last of them. */
struct kc_pem_ends {
	int64_t first, last;
};
/* Reads when the certificates in @pem end. False: no certificate can be read, or there is no memory. */
bool kc_pem_ends(str pem, struct kc_pem_ends *ret);

#endif
