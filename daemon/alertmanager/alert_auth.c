/* Reads files of credentials and certificates. */
#include "daemon/alertmanager/alert_auth.h"

#include "base/file.h"
#include "go/base64.h"
#include "mask/credentials.h"

#include <errno.h>

void alert_auth_init(struct alert_auth *a, const struct cfg_alertmanager *from)
{
	*a = (struct alert_auth){ .from = from };
}

void alert_auth_done(struct alert_auth *a)
{
	for (size_t i = 0; i < ALERT_FILES; i++)
		free(a->texts[i]);
	free(a->password_line);
	*a = (struct alert_auth){ 0 };
}

static str path_of(const struct alert_auth *a, size_t i)
{
	const str paths[ALERT_FILES] = {
		[ALERT_CA] = a->from->ca_file,
		[ALERT_CERT] = a->from->cert_file,
		[ALERT_KEY] = a->from->key_file,
		[ALERT_PASSWORD] = a->from->password_file,
		[ALERT_TOKEN] = a->from->bearer_token_file,
	};

	return paths[i];
}

static bool is_secret(size_t i)
{
	return i == ALERT_KEY || i == ALERT_PASSWORD || i == ALERT_TOKEN;
}

static int read_file(struct alert_auth *a, size_t i, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(path_of(a, i));
	CLEANUP(freep) char *text = NULL;
	uint64_t state;
	size_t n;
	int r;

	if (!path)
		return err_nomem(err);
	state = file_state(path);
	if (!*path || (a->texts[i] && state == a->states[i]))
		return 0;
	r = file_read_regular(path, CFG_ALERTMANAGER_FILE_MAX, &text, &n, err);
	if (r < 0)
		return a->texts[i] && r != -ENOMEM ? 0 : r;
	while ((i == ALERT_PASSWORD || i == ALERT_TOKEN) && n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		text[--n] = '\0';
	if (is_secret(i))
		credentials_add((str){ text, n });
	free(a->texts[i]);
	a->texts[i] = TAKE(text);
	a->states[i] = state;
	return 1;
}

/* Make the credentials of basic authentication, also in the form in which a server may repeat them. */
static int make_basic(struct alert_auth *a, struct err *err)
{
	CLEANUP(buf_done)
	struct buf pair = BUF_INIT(CFG_ALERTMANAGER_FILE_MAX * 2), line = BUF_INIT(CFG_ALERTMANAGER_FILE_MAX * 4);
	int r;

	buf_printf(&pair, "%.*s:%s", STR_ARG(a->from->username), a->texts[ALERT_PASSWORD]);
	buf_add_cstr(&line, "Basic ");
	go_base64_encode(&line, buf_str(&pair));
	r = buf_error(&pair, "the password", err);
	if (r == 0)
		r = buf_error(&line, "the password", err);
	if (r < 0)
		return r;
	credentials_add(str_sub(buf_str(&line), sizeof("Basic ") - 1, line.n));
	free(a->password_line);
	a->password_line = buf_steal(&line);
	return 0;
}

static int make_bearer(struct alert_auth *a, struct err *err)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(CFG_ALERTMANAGER_FILE_MAX * 2);
	int r;

	buf_printf(&line, "Bearer %s", a->texts[ALERT_TOKEN]);
	r = buf_error(&line, "the token", err);
	if (r < 0)
		return r;
	free(a->password_line);
	a->password_line = buf_steal(&line);
	return 0;
}

int alert_auth_read(struct alert_auth *a, struct err *err)
{
	bool changed = false;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ALERT_FILES; i++) {
		r = read_file(a, i, err);
		changed |= r > 0;
	}
	if (r < 0)
		return r;
	if (changed && a->texts[ALERT_TOKEN])
		return make_bearer(a, err);
	return changed && a->texts[ALERT_PASSWORD] ? make_basic(a, err) : 0;
}

struct kc_trust alert_auth_trust(const struct alert_auth *a)
{
	return (struct kc_trust){ .ca = a->texts[ALERT_CA], .cert = a->texts[ALERT_CERT], .key = a->texts[ALERT_KEY] };
}

int alert_auth_add(const struct alert_auth *a, struct curl_slist **headers, struct err *err)
{
	int r = a->password_line ? kc_header_add(headers, STR("Authorization"), str_from(a->password_line)) : 0;

	if (r == -EINVAL)
		return err_set(err, EINVAL, "a credential that no header can hold");
	return r < 0 ? err_nomem(err) : 0;
}
