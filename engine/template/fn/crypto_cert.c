/* X.509 certificates as Sprig makes them, and its type certificate with a Cert and a Key. */
#include "template/fn/crypto.h"

#include "base/ascii.h"
#include "go/ip.h"
#include "go/quote.h"
#include "template/fn/date.h"

#include <errno.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#define DAY_NS (INT64_C(86400) * 1000000000)
#define STEPS_SIGN 20000
#define SERIAL_BITS 128

struct certificate {
	str cert, key;
};

static tval field_cert(struct tmem *m, tval v)
{
	(void)m;
	return tval_string(((const struct certificate *)v.p)->cert);
}

static tval field_key(struct tmem *m, tval v)
{
	(void)m;
	return tval_string(((const struct certificate *)v.p)->key);
}

static bool certificate_equal(tval a, tval b)
{
	const struct certificate *x = a.p;
	const struct certificate *y = b.p;

	return str_eq(x->cert, y->cert) && str_eq(x->key, y->key);
}

static const struct tfield fields[] = { { "Cert", true, field_cert }, { "Key", true, field_key } };
const struct ttype tt_certificate = {
	.name = "sprig.certificate",
	.kind = TK_STRUCT,
	.fields = fields,
	.n_fields = ARRAY_LEN(fields),
	.equal = certificate_equal,
};

static int ret_certificate(struct tmpl_call *c, str cert, str key, tval *ret)
{
	struct certificate *v = arena_alloc(&c->mem->arena, sizeof(*v));

	if (!v)
		return tmpl_nomem(c);
	v->cert = cert;
	v->key = key;
	*ret = (tval){ .type = &tt_certificate, .p = v };
	return 0;
}

/* ---- what a certificate is made of ---- */

struct order {
	str common_name;
	tval ips, names; /* []interface {} */
	int64_t days;
	bool ca;
};

static int create_failure(struct tmpl_call *c)
{
	ERR_clear_error();
	return tmpl_fail(c, "error creating certificate: x509: out of memory or invalid contents");
}

static void general_names_freep(GENERAL_NAMES **p)
{
	GENERAL_NAMES_free(*p);
}

static void general_name_freep(GENERAL_NAME **p)
{
	GENERAL_NAME_free(*p);
}

/* Append a name of @type with the bytes of @s. */
static bool add_name(GENERAL_NAMES *list, int type, str s)
{
	CLEANUP(general_name_freep) GENERAL_NAME *name = GENERAL_NAME_new();
	ASN1_STRING *text = type == GEN_IPADD ? ASN1_OCTET_STRING_new() : ASN1_IA5STRING_new();

	if (!name || !text || s.n > INT_MAX || !ASN1_STRING_set(text, s.p, (int)s.n)) {
		ASN1_STRING_free(text);
		return false;
	}
	GENERAL_NAME_set0_value(name, type, text);
	if (!sk_GENERAL_NAME_push(list, name))
		return false;
	name = NULL;
	return true;
}

/* Fail with "WHAT: value is not a string". */
static int not_string(struct tmpl_call *c, const char *what, tval v)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	buf_printf(&text, "%s: ", what);
	tmpl_sprint(c->mem, v, &text);
	buf_add_cstr(&text, " is not a string");
	return tmpl_fail_str(c, buf_str(&text));
}

static int check_ips(struct tmpl_call *c, tval ips)
{
	size_t n = tval_len(c->mem, ips);
	struct go_ip parsed;

	for (size_t i = 0; i < n; i++) {
		tval ip = tval_at(ips, i);

		if (!tval_is_string(ip))
			return not_string(c, "error parsing ip", ip);
		if (!go_ip_parse_unmapped(ip.s, &parsed))
			return tmpl_fail(c, "error parsing ip: %.*s", STR_ARG(ip.s));
	}
	return tmpl_spend(c, n);
}

static int check_names(struct tmpl_call *c, tval names)
{
	size_t n = tval_len(c->mem, names);

	for (size_t i = 0; i < n; i++)
		if (!tval_is_string(tval_at(names, i)))
			return not_string(c, "error processing alternate dns name", tval_at(names, i));
	return tmpl_spend(c, n);
}

/* Check what Sprig checks before it makes anything. */
static int check_order(struct tmpl_call *c, const struct order *o)
{
	int r = check_ips(c, o->ips);

	return r < 0 ? r : check_names(c, o->names);
}

static int not_ia5(struct tmpl_call *c, str name)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	buf_add_cstr(&text, "error creating certificate: x509: ");
	go_quote(&text, name);
	buf_add_cstr(&text, " cannot be encoded as an IA5String");
	return tmpl_fail_str(c, buf_str(&text));
}

static int add_alternatives(struct tmpl_call *c, X509 *x, const struct order *o)
{
	CLEANUP(general_names_freep) GENERAL_NAMES *list = sk_GENERAL_NAME_new_null();
	size_t n_names = tval_len(c->mem, o->names);
	size_t n_ips = tval_len(c->mem, o->ips);

	if (n_names + n_ips == 0)
		return 0;
	for (size_t i = 0; i < n_names; i++) {
		str name = tval_at(o->names, i).s;

		for (size_t k = 0; k < name.n; k++)
			if (name.p[k] & 0x80)
				return not_ia5(c, name);
		if (!list || !add_name(list, GEN_DNS, name))
			return create_failure(c);
	}
	for (size_t i = 0; i < n_ips; i++) {
		struct go_ip ip;

		if (!list || !go_ip_parse_unmapped(tval_at(o->ips, i).s, &ip) ||
		    !add_name(list, GEN_IPADD, (str){ (char *)ip.b, ip.n }))
			return create_failure(c);
	}
	if (!X509_add1_ext_i2d(x, NID_subject_alt_name, list, o->common_name.n == 0, X509V3_ADD_DEFAULT))
		return create_failure(c);
	return 0;
}

static bool is_printable_string(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];

		if (!ascii_is_letter(ch) && !ascii_is_digit(ch) && (!ch || !strchr(" '()+,-./:=?", ch)))
			return false;
	}
	return true;
}

/* Set the common name without OpenSSL's limit of 64 characters, which Go does not have. An empty one is left out. */
static bool set_subject(X509 *x, str name)
{
	int type = is_printable_string(name) ? V_ASN1_PRINTABLESTRING : V_ASN1_UTF8STRING;

	return name.n == 0 || (name.n <= INT_MAX &&
			       X509_NAME_add_entry_by_OBJ(X509_get_subject_name(x), OBJ_nid2obj(NID_commonName), type,
							  (const unsigned char *)name.p, (int)name.n, -1, 0));
}

static bool set_serial(X509 *x)
{
	BIGNUM *serial = BN_new();
	bool ok = serial && BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) &&
		  BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(x));

	BN_free(serial);
	return ok;
}

static bool set_validity(struct tmpl_call *c, X509 *x, int64_t days)
{
	struct go_time now = tmpl_now(c);
	struct go_time end = go_time_add(now, (int64_t)((uint64_t)days * (uint64_t)DAY_NS));

	return ASN1_TIME_set(X509_getm_notBefore(x), (time_t)go_time_to_unix(&now)) &&
	       ASN1_TIME_set(X509_getm_notAfter(x), (time_t)go_time_to_unix(&end));
}

static bool add_extension(X509 *x, X509V3_CTX *ctx, int nid, const char *value)
{
	X509_EXTENSION *ext = X509V3_EXT_conf_nid(NULL, ctx, nid, value);
	bool ok = ext && X509_add_ext(x, ext, -1);

	X509_EXTENSION_free(ext);
	return ok;
}

static bool add_extensions(X509 *x, X509 *parent, bool ca)
{
	X509V3_CTX ctx;

	X509V3_set_ctx(&ctx, parent, x, NULL, NULL, 0);
	return add_extension(x, &ctx, NID_key_usage,
			     ca ? "critical,digitalSignature,keyEncipherment,keyCertSign"
				: "critical,digitalSignature,keyEncipherment") &&
	       add_extension(x, &ctx, NID_ext_key_usage, "serverAuth,clientAuth") &&
	       add_extension(x, &ctx, NID_basic_constraints, ca ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
	       (!ca || add_extension(x, &ctx, NID_subject_key_identifier, "hash")) &&
	       (X509_get0_subject_key_id(parent) == NULL || parent == x ||
		add_extension(x, &ctx, NID_authority_key_identifier, "keyid"));
}

static int write_certificate(struct tmpl_call *c, X509 *x, EVP_PKEY *key, tval *ret)
{
	CLEANUP(buf_done) struct buf cert = tmpl_buf(c);
	CLEANUP(buf_done) struct buf key_text = tmpl_buf(c);
	unsigned char *der = NULL;
	int n = i2d_X509(x, &der);
	str cert_str;
	str key_str;
	int r;

	if (n <= 0)
		return create_failure(c);
	tmpl_pem_encode(&cert, "CERTIFICATE", (str){ (char *)der, (size_t)n });
	OPENSSL_free(der);
	r = tmpl_key_write(c, key, &key_text);
	if (r == 0)
		r = tmpl_buf_str(c, &cert, &cert_str);
	if (r == 0)
		r = tmpl_buf_str(c, &key_text, &key_str);
	return r < 0 ? r : ret_certificate(c, cert_str, key_str, ret);
}

/* Make a certificate for @key, signed with @signer in the name of @parent (NULL: itself). */
static int create(struct tmpl_call *c, const struct order *o, EVP_PKEY *key, X509 *parent, EVP_PKEY *signer, tval *ret)
{
	CLEANUP(X509_freep) X509 *x = X509_new();
	const EVP_MD *digest = EVP_PKEY_get_base_id(signer) == EVP_PKEY_ED25519 ? NULL : EVP_sha256();
	int r = tmpl_spend(c, STEPS_SIGN);

	if (r < 0)
		return r;
	if (EVP_PKEY_get_base_id(signer) == EVP_PKEY_DSA)
		return tmpl_fail(
			c,
			"error creating certificate: x509: certificate private key does not implement crypto.Signer");
	if (EVP_PKEY_get_base_id(key) == EVP_PKEY_DSA)
		return tmpl_fail(c, "error creating certificate: x509: unsupported public key type: *dsa.PublicKey");
	if (parent && X509_check_private_key(parent, signer) != 1) {
		ERR_clear_error();
		return tmpl_fail(
			c, "error creating certificate: x509: provided PrivateKey doesn't match parent's PublicKey");
	}
	if (!x || !X509_set_version(x, X509_VERSION_3) || !set_serial(x) || !set_subject(x, o->common_name) ||
	    !X509_set_issuer_name(x, X509_get_subject_name(parent ? parent : x)) || !set_validity(c, x, o->days) ||
	    !X509_set_pubkey(x, key) || !add_extensions(x, parent ? parent : x, o->ca))
		return create_failure(c);
	r = add_alternatives(c, x, o);
	if (r < 0)
		return r;
	if (X509_sign(x, signer, digest) <= 0)
		return create_failure(c);
	return write_certificate(c, x, key, ret);
}

/* ---- functions ---- */

static int parse_key(struct tmpl_call *c, str text, const char *what, EVP_PKEY **ret)
{
	CLEANUP(buf_done) struct buf why = tmpl_buf(c);
	int r;

	buf_printf(&why, "%s: ", what);
	r = tmpl_key_parse(c, text, ret, &why);
	return r > 0 ? tmpl_fail_str(c, buf_str(&why)) : r;
}

/* Parse the first certificate in @pem; @what names Go's variable in the error. */
static int parse_certificate(struct tmpl_call *c, str pem, const char *what, X509 **ret)
{
	struct pem block;
	const unsigned char *at;
	X509 *x = NULL;
	int r = tmpl_pem_decode(c, pem, &block);

	if (r < 0)
		return r;
	if (r > 0)
		return tmpl_fail(c, "unable to decode certificate");
	at = (const unsigned char *)block.der.p;
	if (block.der.n <= LONG_MAX)
		x = d2i_X509(NULL, &at, (long)block.der.n);
	ERR_clear_error();
	if (!x)
		return tmpl_fail(c, "error parsing certificate: %s: x509: malformed certificate", what);
	if ((size_t)(at - (const unsigned char *)block.der.p) != block.der.n) {
		X509_free(x);
		return tmpl_fail(c, "error parsing certificate: %s: x509: trailing data", what);
	}
	*ret = x;
	return 0;
}

static int self_signed(struct tmpl_call *c, const struct order *o, const str *pem, tval *ret)
{
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = NULL;
	int r = pem ? parse_key(c, *pem, "parsing private key", &key) : tmpl_key_generate(c, KEY_RSA, 2048, &key);

	if (r == 0)
		r = check_order(c, o);
	return r < 0 ? r : create(c, o, key, NULL, key, ret);
}

int run_gen_ca(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct order o = { .common_name = args[0].s, .days = args[1].i, .ca = true };

	(void)n;
	o.ips = o.names = tval_nil_of(&tt_list);
	return self_signed(c, &o, NULL, ret);
}

int run_gen_ca_with_key(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct order o = { .common_name = args[0].s, .days = args[1].i, .ca = true };

	(void)n;
	o.ips = o.names = tval_nil_of(&tt_list);
	return self_signed(c, &o, &args[2].s, ret);
}

static struct order leaf_order(const tval *args)
{
	return (struct order){ .common_name = args[0].s, .ips = args[1], .names = args[2], .days = args[3].i };
}

int run_gen_self_signed(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct order o = leaf_order(args);

	(void)n;
	return self_signed(c, &o, NULL, ret);
}

int run_gen_self_signed_with_key(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct order o = leaf_order(args);

	(void)n;
	return self_signed(c, &o, &args[4].s, ret);
}

static int signed_by(struct tmpl_call *c, const tval *args, const str *pem, tval *ret)
{
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = NULL;
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *signer = NULL;
	CLEANUP(X509_freep) X509 *parent = NULL;
	const struct certificate *ca = args[4].p;
	struct order o = leaf_order(args);
	int r = pem ? parse_key(c, *pem, "parsing private key", &key) : tmpl_key_generate(c, KEY_RSA, 2048, &key);

	if (r == 0)
		r = parse_certificate(c, ca->cert, "decodedSignerCert.Bytes", &parent);
	if (r == 0)
		r = parse_key(c, ca->key, "error parsing private key", &signer);
	if (r == 0)
		r = check_order(c, &o);
	return r < 0 ? r : create(c, &o, key, parent, signer, ret);
}

int run_gen_signed(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return signed_by(c, args, NULL, ret);
}

int run_gen_signed_with_key(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return signed_by(c, args, &args[5].s, ret);
}

static int decode(struct tmpl_call *c, str text, const char *what, str *ret)
{
	int r = tmpl_base64_decode(c, text, ret, NULL);

	return r > 0 ? tmpl_fail(c, "unable to decode base64 %s", what) : r;
}

int run_build_custom_cert(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(EVP_PKEY_freep) EVP_PKEY *key = NULL;
	CLEANUP(X509_freep) X509 *x = NULL;
	str cert = { 0 };
	str key_text = { 0 };
	int r = decode(c, args[0].s, "certificate", &cert);

	(void)n;
	if (r == 0)
		r = decode(c, args[1].s, "private key", &key_text);
	if (r == 0)
		r = parse_certificate(c, cert, "decodedCert.Bytes", &x);
	if (r == 0)
		r = parse_key(c, key_text, "error parsing private key", &key);
	return r < 0 ? r : ret_certificate(c, cert, key_text, ret);
}
