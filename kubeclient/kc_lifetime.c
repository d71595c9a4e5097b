/* Reads the times out of certificates and tokens. */
#include "kubeclient/kc_lifetime.h"

#include "base/assert.h"
#include "go/base64.h"
#include "kubeclient/kc_pem.h"
#include "value/json.h"

#define TOKEN_MAX 65536

/* Translate base64url: "-" and "_" become "+" and "/".   RFC 4648, 5 */
static str decode_url(str encoded, struct arena *a)
{
	char *text = arena_alloc(a, encoded.n + 1);
	str ret = { 0 };
	size_t bad;

	if (!text)
		return ret;
	for (size_t i = 0; i < encoded.n; i++)
		text[i] = encoded.p[i] == '-' ? '+' : encoded.p[i] == '_' ? '/' : encoded.p[i];
	if (go_base64_decode(&go_base64_raw, (str){ text, encoded.n }, a, &ret, &bad) < 0)
		ret = (str){ 0 };
	return ret;
}

static int64_t ends_of_claims(str claims)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	val exp;

	if (!claims.n || json_decode(claims, JSON_DEFAULTS, &d, &ignored) < 0)
		return 0;
	exp = VAL_GET(d->root, "exp");
	if (exp.kind == VAL_INT)
		return exp.i > 0 ? exp.i : 0;
	return exp.kind == VAL_DOUBLE && exp.d > 0 && exp.d < 1e15 ? (int64_t)exp.d : 0;
}

int64_t kc_token_ends(str token)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(TOKEN_MAX * 4);
	str part[3] = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		if (!str_next_part(&token, '.', &part[i]))
			return 0;
	}
	return token.n || part[1].n > TOKEN_MAX ? 0 : ends_of_claims(decode_url(part[1], &a));
}

static void add(struct kc_lifetime *ret, size_t *n, enum kc_credential_kind what, const char *from, int64_t ends)
{
	ASSERT(*n < KC_LIFETIMES_MAX);
	ret[(*n)++] = (struct kc_lifetime){ what, from, ends };
}

size_t kc_lifetimes(const struct kc_auth *a, struct kc_lifetime ret[KC_LIFETIMES_MAX])
{
	const struct kube_user *u = a->target->user;
	const char *plugin = u->exec ? u->exec->command : NULL;
	struct kc_pem_ends ends;
	size_t n = 0;

	if (a->plain)
		return 0;
	if (a->ca && kc_pem_ends(str_from(a->ca), &ends))
		add(ret, &n, KC_AUTHORITIES, a->target->cluster->ca_file, ends.last);
	if (a->cert && kc_pem_ends(str_from(a->cert), &ends))
		add(ret, &n, KC_CERTIFICATE, plugin ? plugin : u->cert_file, ends.first);
	if (plugin)
		add(ret, &n, KC_PLUGIN, plugin, a->exec_expires);
	else if (a->token)
		add(ret, &n, KC_TOKEN, u->token_file, kc_token_ends(str_from(a->token)));
	else if (u->username || u->password)
		add(ret, &n, KC_PASSWORD, NULL, 0);
	return n;
}

const char *kc_credential_name(enum kc_credential_kind c)
{
	static const char *const names[] = {
		[KC_AUTHORITIES] = "certificate authority",
		[KC_CERTIFICATE] = "client certificate",
		[KC_TOKEN] = "token",
		[KC_PASSWORD] = "password",
		[KC_PLUGIN] = "credential plugin",
	};

	ASSERT(c < ARRAY_LEN(names));
	return names[c];
}
