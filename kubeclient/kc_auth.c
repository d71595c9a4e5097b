/* Reads credentials, renews them, and writes them into a request. */
#include "kubeclient/kc_auth.h"

#include "base/assert.h"
#include "base/file.h"
#include "go/base64.h"
#include "kubeclient/kc_pem.h"
#include "mask/credentials.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <time.h>

#define CREDENTIAL_FILE_MAX ((size_t)1 << 20)
/* A plugin is asked again this long before its answer expires, or after half its life when that is short. */
#define EXEC_EARLY_MS 30000
/* A plugin that fails at once, or whose answers are refused, must not be started in a tight loop. */
#define EXEC_RETRY_MS 10000
/* An answer that has expired already, if the clocks agree, is used nevertheless, but not for long. */
#define EXEC_LEAST_MS 1000

static void secret_free(char **p)
{
	if (*p)
		OPENSSL_cleanse(*p, strlen(*p));
	free(*p);
	*p = NULL;
}

/* Replace a secret. The new generation shows which requests were sent with the old one. */
static void secret_replace(struct kc_auth *a, char **p, char **with)
{
	if (!*p != !*with || (*p && strcmp(*p, *with) != 0))
		a->generation++;
	secret_free(p);
	*p = TAKE(*with);
}

/* Send a notice of a problem once: the same problem at the next try is no news. */
static void report(struct kc_auth *a, struct err *reported, const struct err *err)
{
	if (reported->code && strcmp(reported->msg, err->msg) == 0)
		return;
	*reported = *err;
	a->notice(a->ctx, KC_NOTICE_CREDENTIALS, err->msg);
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
	if (trimmed.n == 0 || strlen(token) != trimmed.n || !kc_is_header_text(trimmed))
		return err_set(err, EINVAL, "token file '%s': %s", a->target->user->token_file,
			       trimmed.n == 0 ? "it is empty" : "it holds control characters");
	secret_replace(a, &a->token, &token);
	return 0;
}

static int read_pem(const char *path, str data, const char *what, char **ret, struct err *err)
{
	CLEANUP(secret_free) char *text = NULL;
	size_t n = 0;
	int r;

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
	*ret = TAKE(text);
	return 0;
}

static int read_authorities(struct kc_auth *a, struct err *err)
{
	const struct kube_cluster *c = a->target->cluster;
	CLEANUP(secret_free) char *ca = NULL;
	int r;

	if (!c->ca_file && !c->ca_data.p)
		return 0;
	r = read_pem(c->ca_file, c->ca_data, "certificate-authority", &ca, err);
	if (r < 0)
		return r;
	r = kc_pem_check_authorities(str_from(ca), err);
	if (r < 0)
		return err_wrap(err, "certificate-authority '%s'", c->ca_file ? c->ca_file : "(data)");
	secret_replace(a, &a->ca, &ca);
	return 0;
}

static bool has_pair(const struct kube_user *u)
{
	return u->cert_file || u->cert_data.p;
}

/* Read certificate and key. They change together or not at all. */
static int read_pair(struct kc_auth *a, struct err *err)
{
	const struct kube_user *u = a->target->user;
	CLEANUP(secret_free) char *cert = NULL;
	CLEANUP(secret_free) char *key = NULL;
	int r;

	if (!has_pair(u))
		return 0;
	if ((r = read_pem(u->cert_file, u->cert_data, "client-certificate", &cert, err)) < 0 ||
	    (r = read_pem(u->key_file, u->key_data, "client-key", &key, err)) < 0)
		return r;
	r = kc_pem_check_pair(str_from(cert), str_from(key), err);
	if (r < 0)
		return err_wrap(err, "user '%s'", u->name);
	secret_replace(a, &a->cert, &cert);
	secret_replace(a, &a->key, &key);
	return 0;
}

/* Read a file again, and report a problem of it; what was read from it before stays in use. */
static void read_again(struct kc_auth *a, int (*read)(struct kc_auth *a, struct err *err), struct err *reported)
{
	struct err err;

	if (read(a, &err) == 0) {
		reported->code = 0;
		return;
	}
	(void)err_wrap(&err, "the credentials stay as they were");
	report(a, reported, &err);
}

static void read_due(struct kc_auth *a, uint64_t now_ms)
{
	if (now_ms >= a->token_due_ms) {
		a->token_due_ms = now_ms + a->tuning->token_ms;
		if (a->target->user->token_file)
			read_again(a, read_token, &a->token_reported);
	}
	if (now_ms >= a->certificates_due_ms) {
		a->certificates_due_ms = now_ms + a->tuning->certificate_ms;
		read_again(a, read_authorities, &a->ca_reported);
		read_again(a, read_pair, &a->pair_reported);
	}
}

void kc_auth_reread(struct kc_auth *a)
{
	if (a->plain)
		return;
	a->token_due_ms = a->certificates_due_ms = 0;
	read_due(a, now_of(a));
}

static void on_files_changed(void *ctx)
{
	struct kc_auth *a = ctx;
	uint64_t before = a->generation;

	kc_auth_reread(a);
	if (a->generation != before)
		a->changed(a->ctx);
}

/* ---- plugins ---- */

/* Set how long the answer of the plugin may be used, and when to ask the plugin again. */
static void set_life(struct kc_auth *a, int64_t expires)
{
	uint64_t now = now_of(a), life = EXEC_LEAST_MS;
	int64_t left = expires - (int64_t)time(NULL);

	a->exec_due_ms = a->exec_valid_ms = UINT64_MAX;
	if (!expires)
		return;
	if (left > 1)
		life = left > INT32_MAX ? (uint64_t)INT32_MAX * 1000 : (uint64_t)left * 1000;
	a->exec_valid_ms = now + life;
	a->exec_due_ms = a->exec_valid_ms - (life / 2 < EXEC_EARLY_MS ? life / 2 : EXEC_EARLY_MS);
}

/* Take the answer of the plugin as a whole: what the previous answer had and this one lacks is gone. */
static int take_credential(struct kc_auth *a, struct kc_credential *c, struct err *err)
{
	if (c->cert && kc_pem_check_pair(str_from(c->cert), str_from(c->key), err) < 0)
		return err_wrap(err, "credential plugin '%s': its answer", a->exec.config->command);
	a->generation++;
	secret_replace(a, &a->token, &c->token);
	if (c->cert || !has_pair(a->target->user)) {
		secret_replace(a, &a->cert, &c->cert);
		secret_replace(a, &a->key, &c->key);
	}
	a->exec_expires = c->expires;
	set_life(a, c->expires);
	a->exec_error.code = a->exec_reported.code = 0;
	return 0;
}

/* Note that the plugin failed. It is a notice only while an older answer is usable: without one, the requests that
 * fail report it. */
static void exec_failed(struct kc_auth *a, const struct err *err)
{
	a->exec_error = *err;
	a->exec_due_ms = now_of(a) + EXEC_RETRY_MS;
	if (now_of(a) < a->exec_valid_ms)
		report(a, &a->exec_reported, err);
}

static void on_exec_done(void *ctx, struct kc_credential *c, const struct err *err)
{
	struct kc_auth *a = ctx;
	struct err bad;

	if (!c)
		exec_failed(a, err);
	else if (take_credential(a, c, &bad) < 0)
		exec_failed(a, &bad);
	a->changed(a->ctx);
}

static void start_exec(struct kc_auth *a)
{
	struct err err;

	if (kc_exec_start(&a->exec, &err) < 0)
		exec_failed(a, &err);
}

/* ---- life ---- */

static int read_first(struct kc_auth *a, struct err *err)
{
	const struct kube_user *u = a->target->user;
	int r = 0;

	if (u->token_file) {
		r = read_token(a, err);
	} else if (u->token) {
		a->token = strdup(u->token);
		if (!a->token)
			r = err_nomem(err);
		else if (!kc_is_header_text(str_from(a->token)))
			r = err_set(err, EINVAL, "%s: user '%s': the token holds control characters", u->where,
				    u->name);
	}
	if (r == 0)
		r = read_authorities(a, err);
	return r == 0 ? read_pair(a, err) : r;
}

int kc_auth_init(struct kc_auth *a, uv_loop_t *loop, const struct kube_target *target, const struct kc_tuning *tuning,
		 struct err *err)
{
	int r;

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
	r = a->plain ? 0 : read_first(a, err);
	if (r < 0)
		kc_auth_done(a);
	return r;
}

void kc_auth_start(struct kc_auth *a)
{
	const struct kube_user *u = a->target->user;
	const char *paths[] = { u->token_file, u->cert_file, u->key_file, a->target->cluster->ca_file };

	kc_files_init(&a->files, a->exec.loop, on_files_changed, a);
	if (!a->plain)
		kc_files_watch(&a->files, paths, ARRAY_LEN(paths));
	kc_auth_reread(a); /* the files may have changed before they were watched */
}

static void on_part_closed(void *ctx)
{
	struct kc_auth *a = ctx;

	ASSERT(a->n_open > 0);
	if (--a->n_open == 0)
		a->closed(a->ctx);
}

void kc_auth_close(struct kc_auth *a, void (*closed)(void *ctx))
{
	ASSERT(!a->n_open);
	a->closed = closed;
	a->n_open = 2;
	kc_files_close(&a->files, on_part_closed);
	kc_exec_close(&a->exec, on_part_closed);
}

void kc_auth_done(struct kc_auth *a)
{
	secret_free(&a->token);
	secret_free(&a->ca);
	secret_free(&a->cert);
	secret_free(&a->key);
}

/* ---- use ---- */

static void report_plain(struct kc_auth *a)
{
	const struct kube_user *u = a->target->user;

	if (a->plain_reported)
		return;
	a->plain_reported = true;
	if (u->token || u->token_file || has_pair(u) || u->username || u->password || u->exec)
		a->notice(
			a->ctx, KC_NOTICE_INSECURE,
			"the server's URL is http://: the credentials are left out, for anybody on the way could read "
			"them");
}

bool kc_auth_ready(struct kc_auth *a, uint64_t now_ms)
{
	if (a->plain) {
		report_plain(a);
		return true;
	}
	read_due(a, now_ms);
	if (a->target->user->exec && !a->exec.running && now_ms >= a->exec_due_ms)
		start_exec(a);
	return !a->exec.running || now_ms < a->exec_valid_ms;
}

/* Ask the plugin again, unless that was tried just now. Return true when it runs or is about to run. */
static bool ask_again(struct kc_auth *a, uint64_t now_ms)
{
	a->exec_valid_ms = 0;
	if (a->exec.running)
		return true;
	if (a->exec_refused_ms && now_ms - a->exec_refused_ms < EXEC_RETRY_MS)
		return false;
	a->exec_refused_ms = now_ms;
	a->exec_due_ms = 0;
	return true;
}

bool kc_auth_refused(struct kc_auth *a, uint64_t generation, uint64_t now_ms)
{
	if (a->plain)
		return false;
	/* A changed generation means that new credentials are there, perhaps through the refusal of another request. */
	if (a->generation != generation)
		return true;
	if (a->target->user->exec)
		return ask_again(a, now_ms);
	kc_auth_reread(a);
	return a->generation != generation;
}

static void add_basic(const struct kube_user *u, struct buf *line)
{
	CLEANUP(secret_free) char *pair = NULL;
	int n = asprintf(&pair, "%s:%s", u->username ? u->username : "", u->password ? u->password : "");

	if (n < 0) {
		pair = NULL;
		line->error = -ENOMEM;
		return;
	}
	buf_add_cstr(line, "Basic ");
	go_base64_encode(line, (str){ pair, (size_t)n });
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

static int add_impersonation(const struct kube_user *u, struct curl_slist **headers)
{
	int r = u->as ? kc_header_add(headers, STR("Impersonate-User"), str_from(u->as)) : 0;

	if (r == 0 && u->as_uid)
		r = kc_header_add(headers, STR("Impersonate-Uid"), str_from(u->as_uid));
	for (const char *const *g = u->as_groups; r == 0 && g && *g; g++)
		r = kc_header_add(headers, STR("Impersonate-Group"), str_from(*g));
	for (size_t i = 0; r == 0 && i < u->n_as_extra; i++) {
		CLEANUP(buf_done) struct buf name = BUF_INIT(CREDENTIAL_FILE_MAX);

		buf_add_cstr(&name, "Impersonate-Extra-");
		add_extra_key(&name, u->as_extra[i].key);
		r = name.error ? name.error : kc_header_add(headers, buf_str(&name), str_from(u->as_extra[i].value));
	}
	return r;
}

static void add_credential(const struct kc_auth *a, struct buf *line)
{
	const struct kube_user *u = a->target->user;

	if (a->plain)
		return;
	if (a->token)
		buf_printf(line, "Bearer %s", a->token);
	else if (u->username || u->password)
		add_basic(u, line);
}

static void remember(const char *credential)
{
	if (credential)
		credentials_add(str_from(credential));
}

int kc_auth_apply(struct kc_auth *a, struct kc_trust *trust, struct curl_slist **headers, struct err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(CREDENTIAL_FILE_MAX * 2);
	const struct kube_user *u = a->target->user;
	int r = 0;

	/* A failed plugin's previous answer stays good until it expires. */
	if (a->exec_error.code && now_of(a) >= a->exec_valid_ms) {
		*err = a->exec_error;
		return -err->code;
	}
	remember(a->token);
	remember(a->key);
	remember(u->password);
	add_credential(a, &line);
	if (line.n || line.error)
		r = line.error ? line.error : kc_header_add(headers, STR("Authorization"), buf_str(&line));
	if (line.p)
		OPENSSL_cleanse(line.p, line.n);
	if (r == 0)
		r = add_impersonation(u, headers);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return err_set(err, EINVAL,
			       "%s: user '%s': a credential or impersonation field cannot be sent as a header",
			       u->where, u->name);
	if (a->plain)
		return 0;
	trust->ca = a->ca;
	if (a->cert && a->key) {
		trust->cert = a->cert;
		trust->key = a->key;
	}
	return 0;
}
