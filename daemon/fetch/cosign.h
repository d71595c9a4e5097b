/* Signatures of images as cosign makes them with a key: a JSON text ("simple signing") that names the digest of a
 * manifest, and a signature of that text. The transparency log is not used, since the owner of the key is trusted.
 * Cosign 3 makes such signatures with --new-bundle-format=false (and --use-signing-config=false); its bundles are
 * not supported. */
#ifndef DAEMON_FETCH_COSIGN_H
#define DAEMON_FETCH_COSIGN_H

#include "base/err.h"
#include "base/str.h"

#define COSIGN_KEY_MAX ((size_t)64 << 10)
#define COSIGN_PAYLOAD_MAX ((size_t)64 << 10)
#define COSIGN_SIGNATURE_MAX ((size_t)8 << 10)

struct cosign_key;

/* Read the public key @pem: ECDSA on P-256 or P-384, RSA of 2048 bits or more, or Ed25519. Fails: EINVAL, with the
 * reason; ENOMEM. */
CHECKED int cosign_key_read(str pem, struct cosign_key **ret, struct err *err);
void cosign_key_free(struct cosign_key *k);
DEFINE_CLEANUP(struct cosign_key *, cosign_key_free)

/* "sha256:" and the hex digits of the key's hash, as other tools show it. */
str cosign_key_name(const struct cosign_key *k);

/* Check that @signature, in base64, is one of @payload by @key, and that @payload names the manifest @digest. Fails:
 * EKEYREJECTED, it is not; ENOMEM. */
CHECKED int cosign_check(const struct cosign_key *key, str payload, str signature, str digest, struct err *err);

#endif
