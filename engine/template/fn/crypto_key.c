/* Makes, reads and writes private keys. */
#include "template/fn/crypto.h"

#include <openssl/dsa.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/* The steps of limits.template_steps that generating a key counts, because it takes up to seconds. */
#define STEPS_RSA 400000
#define STEPS_RSA_LARGE 2000000
#define STEPS_DSA 1000000
#define STEPS_CURVE 1000

DEFINE_CLEANUP(PKCS8_PRIV_KEY_INFO *, PKCS8_PRIV_KEY_INFO_free)

static int library_failure(struct tmpl_call *c, const char *what)
{
	ERR_clear_error();
	return tmpl_fail(c, "%s", what);
}

static EVP_PKEY *generate(EVP_PKEY_CTX *ctx)
{
	EVP_PKEY *key = NULL;

	return EVP_PKEY_keygen(ctx, &key) > 0 ? key : NULL;
}

static EVP_PKEY *generate_rsa(int bits)
{
	CLEANUP(EVP_PKEY_CTX_freep) EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, NULL);

	if (!ctx || EVP_PKEY_keygen_init(ctx) <= 0 || EVP_PKEY_CTX_set_rsa_keygen_bits(ctx, bits) <= 0)
		return NULL;
	return generate(ctx);
}

static EVP_PKEY *generate_dsa(void)
{
	CLEANUP(EVP_PKEY_CTX_freep) EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_DSA, NULL);
	CLEANUP(EVP_PKEY_CTX_freep) EVP_PKEY_CTX *key_ctx = NULL;
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *params = NULL;

	if (!ctx || EVP_PKEY_paramgen_init(ctx) <= 0 || EVP_PKEY_CTX_set_dsa_paramgen_bits(ctx, 2048) <= 0 ||
	    EVP_PKEY_CTX_set_dsa_paramgen_q_bits(ctx, 256) <= 0 || EVP_PKEY_paramgen(ctx, &params) <= 0)
		return NULL;
	key_ctx = EVP_PKEY_CTX_new(params, NULL);
	if (!key_ctx || EVP_PKEY_keygen_init(key_ctx) <= 0)
		return NULL;
	return generate(key_ctx);
}

static EVP_PKEY *generate_curve(int id)
{
	CLEANUP(EVP_PKEY_CTX_freep) EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_id(id, NULL);

	if (!ctx || EVP_PKEY_keygen_init(ctx) <= 0)
		return NULL;
	if (id == EVP_PKEY_EC && EVP_PKEY_CTX_set_ec_paramgen_curve_nid(ctx, NID_X9_62_prime256v1) <= 0)
		return NULL;
	return generate(ctx);
}

int tmpl_key_generate(struct tmpl_call *c, enum key_type type, int bits, EVP_PKEY **ret)
{
	uint64_t steps = type == KEY_DSA   ? STEPS_DSA
			 : type != KEY_RSA ? STEPS_CURVE
			 : bits > 2048     ? STEPS_RSA_LARGE
					   : STEPS_RSA;
	EVP_PKEY *key = NULL;
	int r = tmpl_spend(c, steps);

	if (r < 0)
		return r;
	switch (type) {
	case KEY_RSA:
		key = generate_rsa(bits);
		break;
	case KEY_DSA:
		key = generate_dsa();
		break;
	case KEY_EC:
		key = generate_curve(EVP_PKEY_EC);
		break;
	case KEY_ED25519:
		key = generate_curve(EVP_PKEY_ED25519);
		break;
	}
	if (!key)
		return library_failure(c, "failed to generate private key");
	*ret = key;
	return 0;
}

/* ---- writing ---- */

static void openssl_freep(unsigned char **p)
{
	OPENSSL_clear_free(*p, 0);
}

int tmpl_key_write(struct tmpl_call *c, const EVP_PKEY *key, struct buf *out)
{
	CLEANUP(openssl_freep) unsigned char *der = NULL;
	CLEANUP(PKCS8_PRIV_KEY_INFO_freep) PKCS8_PRIV_KEY_INFO *info = NULL;
	const char *type = "PRIVATE KEY";
	int n;

	switch (EVP_PKEY_get_base_id(key)) {
	case EVP_PKEY_RSA:
		type = "RSA PRIVATE KEY";
		n = i2d_PrivateKey(key, &der);
		break;
	case EVP_PKEY_DSA:
		type = "DSA PRIVATE KEY";
		n = i2d_PrivateKey(key, &der);
		break;
	case EVP_PKEY_EC:
		type = "EC PRIVATE KEY";
		n = i2d_PrivateKey(key, &der);
		break;
	default:
		info = EVP_PKEY2PKCS8(key);
		n = info ? i2d_PKCS8_PRIV_KEY_INFO(info, &der) : -1;
	}
	if (n <= 0)
		return library_failure(c, "private key cannot be written");
	tmpl_pem_encode(out, type, (str){ (char *)der, (size_t)n });
	OPENSSL_cleanse(der, (size_t)n);
	return 0;
}

/* ---- reading ---- */

#define PARAMS                                                                                                         \
	"{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 "    \
	"timeType:0 set:false omitEmpty:false}"

/* Read an element's header: its length goes to *at, that of its content to *length. Returns NULL, or the error of
 * encoding/asn1. */
static const char *asn1_header(str der, size_t *at, size_t *length)
{
	size_t n;

	if ((der.p[0] & 0x1f) == 0x1f)
		return "syntax error: truncated base 128 integer";
	if (der.n < 2)
		return "syntax error: truncated tag or length";
	*at = 2;
	*length = (unsigned char)der.p[1];
	if (!(*length & 0x80))
		return NULL;
	n = *length & 0x7f;
	if (n == 0)
		return "syntax error: indefinite length found (not DER)";
	for (*length = 0; n > 0; n--, ++*at) {
		if (*at >= der.n)
			return "syntax error: truncated tag or length";
		if (*length >= 1u << 23)
			return "structure error: length too large";
		*length = *length << 8 | (unsigned char)der.p[*at];
		if (*length == 0)
			return "structure error: superfluous leading zeros in length";
	}
	return *length < 0x80 ? "structure error: non-minimal length" : NULL;
}

/* Append the error of encoding/asn1 for bytes that should begin with an element of @tag for the Go type @name; false
 * when they do, with the content in *content. */
static bool asn1_error(str der, unsigned tag, const char *name, str *content, struct buf *why)
{
	const char *wrong = der.n ? NULL : "syntax error: sequence truncated";
	size_t length = 0;
	size_t at = 0;
	unsigned have;

	if (!wrong)
		wrong = asn1_header(der, &at, &length);
	if (wrong) {
		buf_printf(why, "asn1: %s", wrong);
		return true;
	}
	have = (unsigned char)der.p[0];
	if (have != tag) {
		buf_printf(why,
			   "asn1: structure error: tags don't match (%u vs {class:%u tag:%u length:%zu "
			   "isCompound:%s}) " PARAMS " %s @%zu",
			   tag & 0x1f, have >> 6, have & 0x1f, length, have & 0x20 ? "true" : "false", name, at);
		return true;
	}
	if (length > der.n - at) {
		buf_add_cstr(why, "asn1: syntax error: data truncated");
		return true;
	}
	*content = str_sub(der, at, at + length);
	return false;
}

static EVP_PKEY *read_as(int type, str der)
{
	const unsigned char *at = (const unsigned char *)der.p;
	EVP_PKEY *key = NULL;

	if (der.n > LONG_MAX)
		return NULL;
	key = d2i_PrivateKey(type, NULL, &at, (long)der.n);
	if (!key)
		ERR_clear_error();
	return key;
}

static EVP_PKEY *read_pkcs8(str der)
{
	const unsigned char *at = (const unsigned char *)der.p;
	CLEANUP(PKCS8_PRIV_KEY_INFO_freep) PKCS8_PRIV_KEY_INFO *info = NULL;
	EVP_PKEY *key = NULL;

	if (der.n <= LONG_MAX)
		info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)der.n);
	if (info)
		key = EVP_PKCS82PKEY(info);
	if (!key)
		ERR_clear_error();
	return key;
}

/* A form of key: how it is read, and Go's error for another form in its place. */
struct key_form {
	const char *pem; /* the PEM type before " PRIVATE KEY", "" for PKCS #8 */
	int evp;
	const char *go_type; /* the name of the key's type in errors */
	const char *what;    /* the beginning of errors: "parsing X: " */
	const char *parser;  /* Go's function that an error suggests */
};
static const struct key_form forms[] = {
	{ "", 0, "pkcs8", "decoding PEM as PKCS#8: ", "ParsePKCS8PrivateKey" },
	{ "RSA", EVP_PKEY_RSA, "pkcs1PrivateKey", "parsing RSA private key from PEM: ", "ParsePKCS1PrivateKey" },
	{ "EC", EVP_PKEY_EC, "ecPrivateKey", "parsing EC private key from PEM: ", "ParseECPrivateKey" },
	{ "DSA", EVP_PKEY_DSA, "DSAKeyFormat", "parsing DSA private key from PEM: ", NULL },
};

/* Recognizes PKCS #8 by its structure, because d2i_PrivateKey would accept it under every type. */
static bool is_pkcs8(str der)
{
	const unsigned char *at = (const unsigned char *)der.p;
	CLEANUP(PKCS8_PRIV_KEY_INFO_freep) PKCS8_PRIV_KEY_INFO *info = NULL;

	if (der.n <= LONG_MAX)
		info = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, (long)der.n);
	ERR_clear_error();
	return info;
}

static EVP_PKEY *read_form(const struct key_form *form, str der)
{
	EVP_PKEY *key;

	if (!form->evp)
		return read_pkcs8(der);
	if (is_pkcs8(der))
		return NULL;
	key = read_as(form->evp, der);
	if (key && EVP_PKEY_get_base_id(key) != form->evp) {
		EVP_PKEY_free(key);
		return NULL;
	}
	return key;
}

static void explain(const struct key_form *form, str der, struct buf *why)
{
	str content;

	buf_add_cstr(why, form->what);
	if (form->parser) {
		for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
			EVP_PKEY *other = &forms[i] != form && forms[i].parser ? read_form(&forms[i], der) : NULL;

			if (!other)
				continue;
			EVP_PKEY_free(other);
			buf_printf(why, "x509: failed to parse private key (use %s instead for this key format)",
				   forms[i].parser);
			return;
		}
	}
	if (form->evp == EVP_PKEY_EC)
		buf_add_cstr(why, "x509: failed to parse EC private key: ");
	if (!asn1_error(der, 0x30, form->go_type, &content, why) && !asn1_error(content, 0x02, "int", &content, why))
		buf_add_cstr(why, "asn1: structure error: the key is malformed");
}

int tmpl_key_parse(struct tmpl_call *c, str text, EVP_PKEY **ret, struct buf *why)
{
	str suffix = STR(" PRIVATE KEY");
	struct pem block;
	int r = tmpl_pem_decode(c, text, &block);

	if (r > 0)
		buf_add_cstr(why, "no PEM data in input");
	if (r != 0)
		return r;
	if (!str_eq(block.type, STR("PRIVATE KEY")) && !str_has_suffix(block.type, suffix)) {
		buf_add_cstr(why, "no private key data in PEM block of type ");
		buf_add_str(why, block.type);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		str want = i == 0 ? STR("PRIVATE KEY") : str_from(forms[i].pem);
		str have = i == 0 ? block.type
				  : str_sub(block.type, 0, block.type.n < suffix.n ? 0 : block.type.n - suffix.n);
		EVP_PKEY *key;

		if (!str_eq(want, have))
			continue;
		key = read_form(&forms[i], block.der);
		if (!key) {
			explain(&forms[i], block.der, why);
			return 1;
		}
		*ret = key;
		return 0;
	}
	buf_add_cstr(why, "invalid private key type ");
	buf_add_str(why, block.type);
	return 1;
}
