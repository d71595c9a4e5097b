/* Keys, certificates and PEM, shared by the crypto files. */
#ifndef TEMPLATE_FN_CRYPTO_H
#define TEMPLATE_FN_CRYPTO_H

#include "template/fn/fn.h"

#include <openssl/evp.h>
#include <openssl/x509.h>

DEFINE_CLEANUP(EVP_PKEY *, EVP_PKEY_free)
DEFINE_CLEANUP(EVP_PKEY_CTX *, EVP_PKEY_CTX_free)
DEFINE_CLEANUP(X509 *, X509_free)

/* ---- crypto_pem.c ---- */

/* Decode padded base64 text with go_base64_decode into the arena, and count the steps. 0; 1 when it is malformed;
 * negative when the call failed. */
CHECKED int tmpl_base64_decode(struct tmpl_call *c, str s, str *ret, size_t *bad);

struct pem {
	str type;
	str der; /* the content, in the arena */
};
/* pem.Decode: the first block of @s. 0, 1 when there is none, or -ENOMEM. */
CHECKED int tmpl_pem_decode(struct tmpl_call *c, str s, struct pem *ret);
void tmpl_pem_encode(struct buf *out, const char *type, str der);

/* ---- crypto_key.c ---- */

enum key_type {
	KEY_RSA,
	KEY_DSA,
	KEY_EC,
	KEY_ED25519,
};

/* Generate a key. @bits: the size of an RSA key. Fails as the call does. */
CHECKED int tmpl_key_generate(struct tmpl_call *c, enum key_type type, int bits, EVP_PKEY **ret);
/* Sprig's parsePrivateKeyPEM: 0; 1 with Go's error in @why; negative when the call failed. */
CHECKED int tmpl_key_parse(struct tmpl_call *c, str text, EVP_PKEY **ret, struct buf *why);
/* The PEM block that Sprig writes for a key. */
CHECKED int tmpl_key_write(struct tmpl_call *c, const EVP_PKEY *key, struct buf *out);

/* ---- crypto_cert.c: run functions of rows ---- */

tmpl_fn_run run_build_custom_cert, run_gen_ca, run_gen_ca_with_key, run_gen_self_signed, run_gen_self_signed_with_key,
	run_gen_signed, run_gen_signed_with_key;
extern const struct ttype tt_certificate;

#endif
