/* Reads the web configuration with a table of keys for each map. Messages name keys and files, never a value: it may
 * be a secret at the wrong place. */
#include "config/web_config.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "value/node.h"

#include <errno.h>

#define FILE_BYTES_MAX ((size_t)1 << 20)

struct loader {
	struct web_config *w;
	struct problems *problems;
	const char *path;
	const struct node *tls; /* the map, for messages about missing keys */
	const char *min_version, *max_version;
	bool client_preference; /* whether prefer_server_cipher_suites is false */
	const char *curves;
	bool no_memory;
};

struct entry {
	const char *name;
	void (*set)(struct loader *l, const struct node *n);
	/* instead of @set, for the member at @at */
	void (*set_at)(struct loader *l, const struct node *n, const char **target);
	size_t at; /* offset in struct web_config */
};

static const char *text(struct loader *l, str s)
{
	str copy = arena_str(&l->w->arena, s);

	l->no_memory |= !copy.p;
	return copy.p;
}

static bool expect(struct loader *l, const struct node *n, enum node_kind kind, const char *what)
{
	if (n->kind == kind)
		return true;
	node_problem(n, l->problems, "expected %s", what);
	return false;
}

static void apply(struct loader *l, const struct node *map, const struct entry *table, size_t n_table)
{
	if (!expect(l, map, NODE_MAP, "a map"))
		return;
	for (size_t i = 0; i < map->n; i++) {
		size_t k = 0;

		while (k < n_table && !str_eq(map->keys[i]->text, str_from(table[k].name)))
			k++;
		if (k == n_table)
			node_problem(map->keys[i], l->problems, "unknown key '%.*s'", STR_ARG(map->keys[i]->text));
		else if (!node_is_null(map->values[i]) && table[k].set)
			table[k].set(l, map->values[i]);
		else if (!node_is_null(map->values[i]))
			table[k].set_at(l, map->values[i], (const char **)((char *)l->w + table[k].at));
	}
}

static void report_choices(struct loader *l, const struct node *n, const char *const *choices, size_t n_choices)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(512);

	for (size_t i = 0; i < n_choices; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", choices[i]);
	node_problem(n, l->problems, "expected one of %.*s", STR_ARG(buf_str(&all)));
}

/* The index of @n's text among @choices; n_choices: it is not among them, which is reported. */
static size_t choice(struct loader *l, const struct node *n, const char *const *choices, size_t n_choices)
{
	size_t i;

	if (!expect(l, n, NODE_SCALAR, "a text"))
		return n_choices;
	i = str_index(n->text, choices, n_choices);
	if (i == n_choices)
		report_choices(l, n, choices, n_choices);
	return i;
}

/* Read a boolean: 1 or 0; anything else is reported and gives -1. */
static int truth(struct loader *l, const struct node *n)
{
	static const char *const words[] = { "false", "true" };
	size_t i = choice(l, n, words, ARRAY_LEN(words));

	return i < ARRAY_LEN(words) ? (int)i : -1;
}

/* ---- TLS ---- */

static void set_pem(struct loader *l, const struct node *n, const char **target)
{
	if (*target)
		node_problem(n, l->problems, "it is given twice: in this file and as the name of a file");
	else if (expect(l, n, NODE_SCALAR, "a text in PEM"))
		*target = text(l, n->text);
}

static void set_file(struct loader *l, const struct node *n, const char **target)
{
	const char *slash = strrchr(l->path, '/');
	CLEANUP(freep) char *bytes = NULL;
	struct err err;
	size_t len;
	str path;

	if (!expect(l, n, NODE_SCALAR, "the name of a file"))
		return;
	path = slash && n->text.n && n->text.p[0] != '/'
		       ? arena_printf(&l->w->arena, "%.*s/%.*s", (int)(slash - l->path), l->path, STR_ARG(n->text))
		       : arena_str(&l->w->arena, n->text);
	l->no_memory |= !path.p;
	if (!path.p)
		return;
	if (file_read(path.p, FILE_BYTES_MAX, &bytes, &len, &err) < 0) {
		node_problem(n, l->problems, "%s", err.msg);
	} else {
		struct node as_text = *n;

		l->w->content = hash_bytes(bytes, len, l->w->content);
		as_text.text = (str){ bytes, len };
		set_pem(l, &as_text, target);
	}
}

static void set_client_auth(struct loader *l, const struct node *n)
{
	static const char *const types[] = { "NoClientCert",
					     "RequestClientCert",
					     "RequireAnyClientCert",
					     "VerifyClientCertIfGiven",
					     "RequireAndVerifyClientCert",
					     "RequireClientCert" };
	size_t i = choice(l, n, types, ARRAY_LEN(types));

	if (i < ARRAY_LEN(types)) /* the last element is an older name */
		l->w->client_auth = i == ARRAY_LEN(types) - 1 ? WEB_CLIENT_REQUIRE_ANY : (enum web_client_auth)i;
}

static void set_sans(struct loader *l, const struct node *n)
{
	const char **sans = n->kind == NODE_LIST ? arena_array(&l->w->arena, n->n, sizeof(*sans)) : NULL;
	size_t kept = 0;

	if (!expect(l, n, NODE_LIST, "a list of names"))
		return;
	l->no_memory |= !sans;
	for (size_t i = 0; sans && i < n->n; i++) {
		if (expect(l, n->items[i], NODE_SCALAR, "a name"))
			sans[kept++] = text(l, n->items[i]->text);
	}
	l->w->client_sans = sans;
	l->w->n_client_sans = kept;
}

static const char *version(struct loader *l, const struct node *n)
{
	static const char *const names[] = { "TLS10", "TLS11", "TLS12", "TLS13" };
	static const char *const of_gnutls[] = { "1.0", "1.1", "1.2", "1.3", NULL };

	return of_gnutls[choice(l, n, names, ARRAY_LEN(names))];
}

static void set_min_version(struct loader *l, const struct node *n)
{
	l->min_version = version(l, n);
}

static void set_max_version(struct loader *l, const struct node *n)
{
	l->max_version = version(l, n);
}

static void set_ciphers(struct loader *l, const struct node *n)
{
	if (!expect(l, n, NODE_LIST, "a list") || n->n == 0)
		return;
	node_problem(n, l->problems, "cipher suites cannot be chosen here: GnuTLS has its own for each version of TLS");
}

static void set_preference(struct loader *l, const struct node *n)
{
	l->client_preference = truth(l, n) == 0;
}

static void set_curves(struct loader *l, const struct node *n)
{
	static const char *const names[] = { "CurveP256", "CurveP384", "CurveP521", "X25519" };
	static const char *const of_gnutls[] = { "SECP256R1", "SECP384R1", "SECP521R1", "X25519" };
	str all = STR("");

	if (!expect(l, n, NODE_LIST, "a list of curves"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		size_t c = choice(l, n->items[i], names, ARRAY_LEN(names));

		if (c < ARRAY_LEN(names) && all.p)
			all = arena_printf(&l->w->arena, "%.*s:+GROUP-%s", STR_ARG(all), of_gnutls[c]);
	}
	l->no_memory |= !all.p;
	l->curves = all.n ? all.p : NULL;
}

static void set_tls(struct loader *l, const struct node *n)
{
	static const struct entry keys[] = {
		{ "cert", .set_at = set_pem, .at = offsetof(struct web_config, cert) },
		{ "cert_file", .set_at = set_file, .at = offsetof(struct web_config, cert) },
		{ "key", .set_at = set_pem, .at = offsetof(struct web_config, key) },
		{ "key_file", .set_at = set_file, .at = offsetof(struct web_config, key) },
		{ "client_ca", .set_at = set_pem, .at = offsetof(struct web_config, client_ca) },
		{ "client_ca_file", .set_at = set_file, .at = offsetof(struct web_config, client_ca) },
		{ "client_auth_type", .set = set_client_auth },
		{ "client_allowed_sans", .set = set_sans },
		{ "min_version", .set = set_min_version },
		{ "max_version", .set = set_max_version },
		{ "cipher_suites", .set = set_ciphers },
		{ "prefer_server_cipher_suites", .set = set_preference },
		{ "curve_preferences", .set = set_curves },
	};

	l->tls = n;
	l->w->tls = true;
	apply(l, n, keys, ARRAY_LEN(keys));
}

bool web_config_verifies(const struct web_config *w)
{
	return w->client_auth == WEB_CLIENT_VERIFY_IF_GIVEN || w->client_auth == WEB_CLIENT_REQUIRE_AND_VERIFY;
}

static void check_tls(struct loader *l)
{
	const struct web_config *w = l->w;

	if (!w->cert)
		node_problem(l->tls, l->problems, "one of cert and cert_file is missing");
	if (!w->key)
		node_problem(l->tls, l->problems, "one of key and key_file is missing");
	if (w->client_ca && w->client_auth == WEB_CLIENT_NONE)
		node_problem(l->tls, l->problems, "client_ca is without effect: client_auth_type is missing");
	if (!w->client_ca && web_config_verifies(w))
		node_problem(l->tls, l->problems, "one of client_ca and client_ca_file is missing");
	if (w->client_sans && w->client_auth != WEB_CLIENT_REQUIRE_ANY &&
	    w->client_auth != WEB_CLIENT_REQUIRE_AND_VERIFY)
		node_problem(l->tls, l->problems,
			     "client_allowed_sans needs a client_auth_type that requires a "
			     "certificate");
	if (l->min_version && l->max_version && strcmp(l->min_version, l->max_version) > 0)
		node_problem(l->tls, l->problems, "min_version is above max_version");
}

static void set_priorities(struct loader *l)
{
	static const char *const versions[] = { "1.0", "1.1", "1.2", "1.3" };
	const char *min = l->min_version ? l->min_version : "1.2", *max = l->max_version ? l->max_version : "1.3";
	str p = STR("NORMAL:-VERS-ALL");

	for (size_t i = ARRAY_LEN(versions); i-- > 0 && p.p;) {
		if (strcmp(versions[i], min) >= 0 && strcmp(versions[i], max) <= 0)
			p = arena_printf(&l->w->arena, "%.*s:+VERS-TLS%s", STR_ARG(p), versions[i]);
	}
	if (p.p)
		p = arena_printf(&l->w->arena, "%.*s%s%s%s", STR_ARG(p),
				 l->client_preference ? "" : ":%SERVER_PRECEDENCE", l->curves ? ":-GROUP-ALL" : "",
				 l->curves ? l->curves : "");
	l->no_memory |= !p.p;
	l->w->priorities = p.p;
}

/* ---- HTTP ---- */

static void set_http2(struct loader *l, const struct node *n)
{
	if (truth(l, n) == 1)
		node_problem(n, l->problems, "HTTP/2 is not served: leave it out, or say false");
}

/* The allowed values of a header; NULL: any value. */
static const struct {
	const char *name;
	const char *const *values;
} headers[] = {
	{ "Content-Security-Policy", NULL },
	{ "Strict-Transport-Security", NULL },
	{ "X-XSS-Protection", NULL },
	{ "X-Frame-Options", (const char *const[]){ "deny", "sameorigin", NULL } },
	{ "X-Content-Type-Options", (const char *const[]){ "nosniff", NULL } },
};

static bool is_printable(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < ' ' || s.p[i] > '~')
			return false;
	}
	return true;
}

static bool may_say(const char *const *values, str s)
{
	size_t i = 0;

	while (values && values[i] && !str_eq_nocase(s, str_from(values[i])))
		i++;
	return !values || values[i];
}

static void set_header(struct loader *l, struct web_header *out, const struct node *name, const struct node *value)
{
	size_t i = 0;

	while (i < ARRAY_LEN(headers) && !str_eq_nocase(name->text, str_from(headers[i].name)))
		i++;
	if (i == ARRAY_LEN(headers)) {
		node_problem(name, l->problems, "the header '%.*s' cannot be set", STR_ARG(name->text));
	} else if (expect(l, value, NODE_SCALAR, "a text")) {
		if (!is_printable(value->text) || !may_say(headers[i].values, value->text))
			node_problem(value, l->problems, "no value of the header %s", headers[i].name);
		*out = (struct web_header){ headers[i].name, text(l, value->text) };
	}
}

static void set_headers(struct loader *l, const struct node *n)
{
	struct web_header *all;
	size_t kept = 0;

	if (!expect(l, n, NODE_MAP, "a map of headers"))
		return;
	all = arena_array(&l->w->arena, n->n, sizeof(*all));
	l->no_memory |= !all;
	for (size_t i = 0; all && i < n->n; i++) {
		if (n->values[i]->kind == NODE_SCALAR && n->values[i]->text.n == 0)
			continue; /* an empty value counts as absent */
		all[kept] = (struct web_header){ 0 };
		set_header(l, &all[kept], n->keys[i], n->values[i]);
		kept += all[kept].value != NULL;
	}
	l->w->headers = all;
	l->w->n_headers = kept;
}

static void set_http(struct loader *l, const struct node *n)
{
	static const struct entry keys[] = { { "http2", .set = set_http2 }, { "headers", .set = set_headers } };

	apply(l, n, keys, ARRAY_LEN(keys));
}

static void set_rate_limit(struct loader *l, const struct node *n)
{
	node_problem(n, l->problems,
		     "rate_limit is not supported: connections and the time of a request are limited "
		     "anyway");
}

/* ---- users ---- */

/* Whether @s has the form of "$2y$10$" and 53 characters. */
static bool is_bcrypt(str s)
{
	static const char letters[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	int cost;

	if (s.n != 60 || s.p[0] != '$' || s.p[1] != '2' || !strchr("aby", s.p[2]) || s.p[3] != '$' || s.p[6] != '$')
		return false;
	cost = (s.p[4] - '0') * 10 + s.p[5] - '0';
	for (size_t i = 7; i < s.n; i++) {
		if (!s.p[i] || !strchr(letters, s.p[i]))
			return false;
	}
	return ascii_is_digit(s.p[4]) && ascii_is_digit(s.p[5]) && cost >= 4 && cost <= 31;
}

static void set_users(struct loader *l, const struct node *n)
{
	struct web_user *all;

	if (!expect(l, n, NODE_MAP, "a map from user to hash"))
		return;
	all = arena_array(&l->w->arena, n->n, sizeof(*all));
	l->no_memory |= !all;
	for (size_t i = 0; all && i < n->n; i++) {
		str name = n->keys[i]->text, hash = n->values[i]->text;

		all[i] = (struct web_user){ text(l, name), text(l, hash) };
		if (n->values[i]->kind != NODE_SCALAR || !is_bcrypt(hash))
			node_problem(n->values[i], l->problems, "no bcrypt hash, such as htpasswd -nB gives");
		if (str_find_byte(name, ':') >= 0)
			node_problem(n->keys[i], l->problems, "no client can send a user's name with a colon");
	}
	l->w->users = all;
	l->w->n_users = all ? n->n : 0;
}

/* ---- the file ---- */

static int read_all(struct loader *l, struct err *err)
{
	static const struct entry keys[] = {
		{ "tls_server_config", .set = set_tls },
		{ "http_server_config", .set = set_http },
		{ "basic_auth_users", .set = set_users },
		{ "rate_limit", .set = set_rate_limit },
	};
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	CLEANUP(freep) char *bytes = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct node *root;
	size_t len;
	int r = file_read(l->path, FILE_BYTES_MAX, &bytes, &len, err);

	if (r < 0) {
		problems_add(l->problems, "%s", err->msg);
		return r == -ENOMEM ? r : err_set(err, EINVAL, "the web configuration is refused");
	}
	l->w->content = hash_bytes(bytes, len, hash_seed());
	r = node_parse((str){ bytes, len }, l->path, &limits, &scratch, &root, l->problems, err);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		apply(l, root, keys, ARRAY_LEN(keys));
	if (l->tls)
		check_tls(l);
	set_priorities(l);
	if (l->no_memory)
		return err_nomem(err);
	return problems_any(l->problems) ? err_set(err, EINVAL, "the web configuration is refused") : 0;
}

int web_config_load(const char *path, struct web_config **ret, struct problems *problems, struct err *err)
{
	struct web_config *w = calloc(1, sizeof(*w));
	struct loader l = { .w = w, .path = path, .problems = problems };
	int r;

	if (!w)
		return err_nomem(err);
	w->refs = 1;
	r = read_all(&l, err);
	if (r < 0)
		web_config_unref(w);
	else
		*ret = w;
	return r;
}

struct web_config *web_config_ref(struct web_config *w)
{
	if (w)
		w->refs++;
	return w;
}

void web_config_unref(struct web_config *w)
{
	ASSERT(!w || w->refs > 0);
	if (!w || --w->refs > 0)
		return;
	arena_done(&w->arena);
	free(w);
}

bool web_config_authenticates(const struct web_config *w)
{
	return w->n_users > 0 || (w->tls && w->client_auth == WEB_CLIENT_REQUIRE_AND_VERIFY);
}
