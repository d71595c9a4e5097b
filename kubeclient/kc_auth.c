/* Reading credentials, renewing them, and writing them into a request. */
#include "kubeclient/kc_auth.h"

#include "base/file.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <time.h>

#define CREDENTIAL_FILE_MAX ((size_t)1 << 20)
/* A plugin is asked again this long before its answer expires. */
#define EXEC_EARLY_S 30
/* A plugin that fails at once, or whose answers are refused, must not be started in a tight loop. */
#define EXEC_RETRY_MS 10000
/* A 401 within this time after a renewal may belong to the credentials before. */
#define RENEWED_MS 10000

static void secret_free(char **p)
{
	if (*p)
		OPENSSL_cleanse(*p, strlen(*p));
	free(*p);
	*p = NULL;
}

static void secret_replace(char **p, char **with)
{
	secret_free(p);
	*p = TAKE(*with);
}

static bool is_header_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7F)
			return false;
	return true;
}

static uint64_t now_of(const struct kc_auth *a)
{
	return uv_now(a->exec.loop);
}

static int read_token(struct kc_auth *a, struct err *err)
{
	CLEANUP(secret_free) char *text = NULL;
	CLEANUP(secret_free) char *token = NULL;
	size_t n = 0;
	int r = file_read(a->target->user->token_file, CREDENTIAL_FILE_MAX, &text, &n, err);

	if (r < 0)
		return err_wrap(err, "token file");
	str trimmed = str_trim((str){ text, n });

	token = str_dup(trimmed);
	if (!token)
		return err_nomem(err);
	if (trimmed.n == 0 || strlen(token) != trimmed.n || !is_header_text(token))
		return err_set(err, EINVAL, "token file '%s': %s", a->target->user->token_file,
			       trimmed.n == 0 ? "it is empty" : "it holds control characters");
	if (!a->token || strcmp(a->token, token) != 0)
		a->renewed_ms = now_of(a);
	secret_replace(&a->token, &token);
	return 0;
}

static int read_pem(const char *path, str data, const char *what, char **ret, struct err *err)
{
	CLEANUP(secret_free) char *text = NULL;
	size_t n = 0;
	int r;

	if (!path && !data.p)
		return 0;
	if (path) {
		r = file_read(path, CREDENTIAL_FILE_MAX, &text, &n, err);
		if (r < 0)
			return err_wrap(err, "%s", what);
		if (str_find((str){ text, n }, STR("-----BEGIN ")) < 0)
			return err_set(err, EINVAL, "%s '%s': no PEM text in it", what, path);
	} else {
		text = str_dup(data);
		if (!text)
			return err_nomem(err);
	}
	secret_replace(ret, &text);
	return 0;
}

/* Certificate and key change together or not at all. */
static int read_certificates(struct kc_auth *a, struct err *err)
{
	const struct kube_user *u = a->target->user;
	const struct kube_cluster *c = a->target->cluster;
	CLEANUP(secret_free) char *ca = NULL;
	CLEANUP(secret_free) char *cert = NULL;
	CLEANUP(secret_free) char *key = NULL;
	int r;

	if ((r = read_pem(c->ca_file, c->ca_data, "certificate-authority", &ca, err)) < 0 ||
	    (r = read_pem(u->cert_file, u->cert_data, "client-certificate", &cert, err)) < 0 ||
	    (r = read_pem(u->key_file, u->key_data, "client-key", &key, err)) < 0)
		return r;
	secret_replace(&a->ca, &ca);
	if (cert && key) {
		secret_replace(&a->cert, &cert);
		secret_replace(&a->key, &key);
	}
	return 0;
}

static void take_credential(struct kc_auth *a, struct kc_credential *c)
{
	a->exec_error.code = 0;
	secret_replace(&a->token, &c->token);
	if (c->cert) {
		secret_replace(&a->cert, &c->cert);
		secret_replace(&a->key, &c->key);
	}
	a->exec_due_ms = UINT64_MAX;
	if (c->expires) {
		int64_t left = c->expires - (int64_t)time(NULL) - EXEC_EARLY_S;

		a->exec_due_ms = now_of(a) + (left > 1 ? (uint64_t)left * 1000 : 1000);
	}
}

static void on_exec_done(void *ctx, struct kc_credential *c, const struct err *err)
{
	struct kc_auth *a = ctx;

	a->renewed_ms = now_of(a);
	if (c) {
		take_credential(a, c);
	} else {
		a->exec_error = *err;
		a->exec_due_ms = now_of(a) + EXEC_RETRY_MS;
		a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err->msg);
	}
	a->changed(a->ctx);
}

int kc_auth_init(struct kc_auth *a, uv_loop_t *loop, const struct kube_target *target, const struct kc_tuning *tuning,
		 struct err *err)
{
	int r = 0;

	a->target = target;
	a->tuning = tuning;
	a->exec = (struct kc_exec){
		.loop = loop,
		.config = target->user->exec,
		.cluster = target->cluster,
		.limit_ms = tuning->exec_ms,
		.done = on_exec_done,
		.ctx = a,
	};
	if (target->user->token_file) {
		r = read_token(a, err);
	} else if (target->user->token) {
		a->token = strdup(target->user->token);
		if (!a->token)
			r = err_nomem(err);
		else if (!is_header_text(a->token))
			r = err_set(err, EINVAL, "%s: user '%s': the token holds control characters",
				    target->user->where, target->user->name);
	}
	if (r == 0)
		r = read_certificates(a, err);
	if (r < 0) {
		kc_auth_done(a);
		return r;
	}
	a->renewed_ms = 0; /* the first reading is no renewal */
	a->token_due_ms = uv_now(loop) + tuning->token_ms;
	a->certificates_due_ms = uv_now(loop) + tuning->certificate_ms;
	return 0;
}

void kc_auth_done(struct kc_auth *a)
{
	secret_free(&a->token);
	secret_free(&a->ca);
	secret_free(&a->cert);
	secret_free(&a->key);
}

static void start_exec(struct kc_auth *a)
{
	struct err err;

	if (a->exec.running)
		return;
	if (kc_exec_start(&a->exec, &err) == 0)
		return;
	a->exec_error = err;
	a->renewed_ms = now_of(a);
	a->exec_due_ms = now_of(a) + EXEC_RETRY_MS;
	a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err.msg);
}

bool kc_auth_ready(struct kc_auth *a, uint64_t now_ms)
{
	struct err err;

	if (a->target->user->token_file && now_ms >= a->token_due_ms) {
		a->token_due_ms = now_ms + a->tuning->token_ms;
		if (read_token(a, &err) < 0)
			a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err.msg);
	}
	if (now_ms >= a->certificates_due_ms) {
		a->certificates_due_ms = now_ms + a->tuning->certificate_ms;
		if (read_certificates(a, &err) < 0)
			a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err.msg);
	}
	if (a->target->user->exec && now_ms >= a->exec_due_ms)
		start_exec(a);
	return !a->exec.running;
}

bool kc_auth_refused(struct kc_auth *a, uint64_t now_ms)
{
	bool just_renewed = a->renewed_ms && now_ms - a->renewed_ms < RENEWED_MS;
	struct err err;

	if (a->target->user->exec) {
		if (!just_renewed && !a->exec.running)
			a->exec_due_ms = now_ms;
		return a->exec_error.code == 0;
	}
	if (!a->target->user->token_file)
		return false;
	if (read_token(a, &err) < 0)
		a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err.msg);
	/* Also when another request's refusal made it be read: this one was sent with the old one. */
	return a->renewed_ms && now_of(a) - a->renewed_ms < RENEWED_MS;
}

static bool add_header(struct curl_slist **headers, struct buf *line)
{
	struct curl_slist *longer = line->error ? NULL : curl_slist_append(*headers, line->p);
	bool ok = longer != NULL && is_header_text(line->p);

	if (line->p)
		OPENSSL_cleanse(line->p, line->n);
	if (longer)
		*headers = longer;
	buf_clear(line);
	return ok;
}

static void add_basic(const struct kube_user *u, struct buf *line)
{
	CLEANUP(secret_free) char *pair = NULL;
	int n = asprintf(&pair, "%s:%s", u->username ? u->username : "", u->password ? u->password : "");

	if (n < 0) {
		pair = NULL;
		line->error = ENOMEM;
		return;
	}
	buf_add_cstr(line, "Authorization: Basic ");
	char *at = buf_reserve(line, (size_t)n / 3 * 4 + 8);

	if (at)
		buf_commit(line, (size_t)EVP_EncodeBlock((unsigned char *)at, (unsigned char *)pair, n));
}

/* Keys are header names: lower case, and what a header name cannot hold is percent-encoded (also '%').  client-go,
 * transport */
static void add_extra_key(struct buf *line, const char *key)
{
	for (; *key; key++) {
		unsigned char c = (unsigned char)*key;

		if (c >= 'A' && c <= 'Z')
			buf_add_byte(line, (char)(c | 0x20));
		else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c && strchr("!#$&'*+-.^_`|~", c)))
			buf_add_byte(line, (char)c);
		else
			buf_printf(line, "%%%02X", c);
	}
}

static bool add_impersonation(const struct kube_user *u, struct buf *line, struct curl_slist **headers)
{
	if (u->as) {
		buf_printf(line, "Impersonate-User: %s", u->as);
		if (!add_header(headers, line))
			return false;
	}
	if (u->as_uid) {
		buf_printf(line, "Impersonate-Uid: %s", u->as_uid);
		if (!add_header(headers, line))
			return false;
	}
	for (const char *const *g = u->as_groups; g && *g; g++) {
		buf_printf(line, "Impersonate-Group: %s", *g);
		if (!add_header(headers, line))
			return false;
	}
	for (size_t i = 0; i < u->n_as_extra; i++) {
		buf_add_cstr(line, "Impersonate-Extra-");
		add_extra_key(line, u->as_extra[i].key);
		buf_printf(line, ": %s", u->as_extra[i].value);
		if (!add_header(headers, line))
			return false;
	}
	return true;
}

static bool set_blob(CURL *easy, CURLoption option, char *pem)
{
	struct curl_blob blob = { .data = pem, .len = strlen(pem), .flags = CURL_BLOB_COPY };

	return curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

static bool apply_tls(const struct kc_auth *a, CURL *easy)
{
	bool ok = true;

	/* The compiled-in folder of system authorities would be trusted beside the cluster's own. */
	if (a->ca)
		ok = set_blob(easy, CURLOPT_CAINFO_BLOB, a->ca) && !curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (a->cert && a->key) {
		ok = ok && set_blob(easy, CURLOPT_SSLCERT_BLOB, a->cert) && set_blob(easy, CURLOPT_SSLKEY_BLOB, a->key);
		/* An encrypted key fails instead of asking on the terminal. */
		ok = ok && !curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
	}
	if (a->target->cluster->insecure)
		ok = ok && !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) &&
		     !curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	return ok;
}

int kc_auth_apply(struct kc_auth *a, CURL *easy, struct curl_slist **headers, struct err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(CREDENTIAL_FILE_MAX * 2);
	const struct kube_user *u = a->target->user;
	bool ok = true;

	if (a->exec_error.code) {
		*err = a->exec_error;
		return -err->code;
	}
	if (a->token)
		buf_printf(&line, "Authorization: Bearer %s", a->token);
	else if (u->username || u->password)
		add_basic(u, &line);
	if (line.n || line.error)
		ok = add_header(headers, &line);
	if (!ok || !add_impersonation(u, &line, headers))
		return err_set(err, EINVAL,
			       "%s: user '%s': a credential or impersonation field cannot be sent as a header",
			       u->where, u->name);
	return apply_tls(a, easy) ? 0 : err_nomem(err);
}
