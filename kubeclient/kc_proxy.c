/* Applies Go's rules for proxies of the environment, and makes proxy URLs as libcurl needs them. */
#include "kubeclient/kc_proxy.h"

#include "go/ip.h"
#include "mask/credentials.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>

static void curl_freep(char **p)
{
	curl_free(*p);
}

static void url_cleanupp(CURLU **u)
{
	curl_url_cleanup(*u);
}

/* ---- addresses ---- */

static bool is_loopback(const struct go_ip *ip)
{
	static const struct go_ip one = { 16, { [15] = 1 } };

	return ip->n == 4 ? ip->b[0] == 127 : go_ip_equal(ip, &one);
}

/* Parse a network such as "10.0.0.0/8". */
static bool parse_net(str text, struct go_ip *net, unsigned *bits)
{
	ptrdiff_t slash = str_find_byte(text, '/');

	return slash >= 0 && go_ip_parse_unmapped(str_sub(text, 0, (size_t)slash), net) &&
	       go_ip_parse_bits(str_sub(text, (size_t)slash + 1, text.n), bits) && *bits <= net->n * 8u;
}

/* ---- exceptions ---- */

/* Split as Go's net.SplitHostPort does: false when there is no port, or the colons could be those of an IPv6
 * address. */
static bool split_port(str text, str *host, str *port)
{
	ptrdiff_t colon;

	if (text.n && text.p[0] == '[') {
		ptrdiff_t end = str_find_byte(text, ']');

		if (end < 0 || (size_t)end + 1 >= text.n || text.p[end + 1] != ':')
			return false;
		*host = str_sub(text, 1, (size_t)end);
		*port = str_sub(text, (size_t)end + 2, text.n);
		return true;
	}
	colon = str_find_byte(text, ':');
	if (colon < 0 || str_find_byte(str_sub(text, (size_t)colon + 1, text.n), ':') >= 0)
		return false;
	*host = str_sub(text, 0, (size_t)colon);
	*port = str_sub(text, (size_t)colon + 1, text.n);
	return true;
}

struct server {
	str host, port; /* without brackets */
	bool is_ip;
	struct go_ip ip;
};

/* Whether a name of NO_PROXY fits the server. A name covers itself and its subdomains; with a dot or "*." before it
 * only the subdomains. */
static bool name_fits(const struct server *s, str name)
{
	str below;

	if (str_has_prefix(name, STR("*.")))
		name = str_sub(name, 1, name.n);
	if (name.n && name.p[0] != '.' && str_eq_nocase(s->host, name))
		return true;
	below = name.n && name.p[0] == '.' ? str_sub(name, 1, name.n) : name;
	return s->host.n > below.n && s->host.p[s->host.n - below.n - 1] == '.' &&
	       str_eq_nocase(str_sub(s->host, s->host.n - below.n, s->host.n), below);
}

/* Whether one entry of NO_PROXY fits the server. */
static bool entry_fits(const struct server *s, str entry)
{
	str host = entry, port = { NULL, 0 };
	struct go_ip ip;
	unsigned bits;

	if (str_eq(entry, STR("*")))
		return true;
	if (parse_net(entry, &ip, &bits))
		return s->is_ip && go_ip_in_net(&s->ip, &ip, bits);
	if (split_port(entry, &host, &port) && host.n == 0)
		return false; /* malformed */
	if (port.n && !str_eq(port, s->port))
		return false;
	if (go_ip_parse_unmapped(host, &ip))
		return s->is_ip && go_ip_equal(&s->ip, &ip);
	return name_fits(s, host);
}

static bool is_exempt(const struct server *s, const char *none)
{
	str rest = str_from(none), entry;

	if (str_eq_nocase(s->host, STR("localhost")) || (s->is_ip && is_loopback(&s->ip)))
		return true;
	while (none && str_next_part(&rest, ',', &entry)) {
		entry = str_trim(entry);
		if (entry.n && entry_fits(s, entry))
			return true;
	}
	return false;
}

/* Whether the environment's proxy is not for this server. */
static int check_exempt(const char *url, const char *none, bool *ret, struct err *err)
{
	CLEANUP(url_cleanupp) CURLU *u = curl_url();
	CLEANUP(curl_freep) char *host = NULL;
	CLEANUP(curl_freep) char *port = NULL;
	struct server s = { 0 };

	if (!u)
		return err_nomem(err);
	if (curl_url_set(u, CURLUPART_URL, url, 0) || curl_url_get(u, CURLUPART_HOST, &host, 0) ||
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT))
		return err_set(err, EINVAL, "server: not a URL");
	s.host = str_from(host);
	s.port = str_from(port);
	if (s.host.n > 1 && s.host.p[0] == '[')
		s.host = str_sub(s.host, 1, s.host.n - 1);
	s.is_ip = go_ip_parse_unmapped(s.host, &s.ip);
	*ret = is_exempt(&s, none);
	return 0;
}

/* ---- the URL of a proxy ---- */

static const struct scheme {
	const char *name;
	const char *for_curl; /* socks5h: the proxy resolves names, as Go's dialer does with socks5 */
	const char *port;     /* Go's default; libcurl would use 1080 for HTTP */
} schemes[] = {
	{ "http", "http", "80" },
	{ "https", "https", "443" },
	{ "socks5", "socks5h", "1080" },
	{ "socks5h", "socks5h", "1080" },
};

static const struct scheme *scheme_of(str url)
{
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		size_t n = strlen(schemes[i].name);

		if (str_eq_nocase(str_sub(url, 0, n), str_from(schemes[i].name)) &&
		    str_has_prefix(str_sub(url, n, url.n), STR("://")))
			return &schemes[i];
	}
	return NULL;
}

/* Take the URL apart and put it together again: parts that a proxy's URL does not have (a path) are dropped. */
static int take_apart(struct kc_proxy *p, CURLU *u, const char *url, const struct scheme *scheme, struct err *err)
{
	CLEANUP(curl_freep) char *host = NULL;
	CLEANUP(curl_freep) char *port = NULL;
	CLEANUP(curl_freep) char *user = NULL;
	CLEANUP(curl_freep) char *password = NULL;

	if (curl_url_get(u, CURLUPART_HOST, &host, 0) || !*host)
		return err_set(err, EINVAL, "it has no host");
	/* the port, the user and the password stay NULL when the URL has none */
	(void)curl_url_get(u, CURLUPART_PORT, &port, 0);
	(void)curl_url_get(u, CURLUPART_USER, &user, 0);
	(void)curl_url_get(u, CURLUPART_PASSWORD, &password, 0);
	if (user || password)
		credentials_add_url(str_from(url));
	if (asprintf(&p->shown, "%s://%s:%s", scheme->name, host, port ? port : scheme->port) < 0) {
		p->shown = NULL;
		return err_nomem(err);
	}
	if (asprintf(&p->url, "%s://%s%s%s%s%s:%s", scheme->for_curl, user ? user : "", password ? ":" : "",
		     password ? password : "", user || password ? "@" : "", host, port ? port : scheme->port) < 0) {
		p->url = NULL;
		return err_nomem(err);
	}
	return 0;
}

static int set_url(struct kc_proxy *p, const char *url, struct err *err)
{
	CLEANUP(url_cleanupp) CURLU *u = curl_url();
	const struct scheme *scheme = scheme_of(str_from(url));
	CURLUcode code;

	if (!u)
		return err_nomem(err);
	if (!scheme)
		return err_set(err, EINVAL, "must begin with http://, https:// or socks5://");
	code = curl_url_set(u, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
	if (code == CURLUE_OUT_OF_MEMORY)
		return err_nomem(err);
	return code ? err_set(err, EINVAL, "not a URL") : take_apart(p, u, url, scheme, err);
}

/* Set the proxy of the environment. Like Go, take a value without a scheme for the host of an HTTP proxy. */
static int set_environment(struct kc_proxy *p, const char *value, struct err *err)
{
	CLEANUP(freep) char *longer = NULL;

	if (strstr(value, "://"))
		return set_url(p, value, err);
	if (asprintf(&longer, "http://%s", value) < 0) {
		longer = NULL;
		return err_nomem(err);
	}
	return set_url(p, longer, err);
}

static int choose(struct kc_proxy *p, const char *server, const char *configured, const struct kc_proxy_env *env,
		  struct err *err)
{
	bool tls = strncmp(server, "https://", 8) == 0, exempt = true;
	const char *value = tls ? env->https : env->http;
	int r = 0;

	if (configured) {
		r = set_url(p, configured, err);
		return r < 0 ? err_wrap(err, "proxy-url") : 0;
	}
	if (value && *value)
		r = check_exempt(server, env->none, &exempt, err);
	if (r < 0)
		return r;
	if (exempt) {
		p->url = strdup("");
		return p->url ? 0 : err_nomem(err);
	}
	r = set_environment(p, value, err);
	return r < 0 ? err_wrap(err, "$%s", tls ? "HTTPS_PROXY" : "HTTP_PROXY") : 0;
}

int kc_proxy_init(struct kc_proxy *p, const char *server, const char *configured, const struct kc_proxy_env *env,
		  struct err *err)
{
	int r;

	*p = (struct kc_proxy){ 0 };
	r = choose(p, server, configured, env, err);
	if (r < 0)
		kc_proxy_done(p);
	return r;
}

void kc_proxy_done(struct kc_proxy *p)
{
	if (p->url)
		explicit_bzero(p->url, strlen(p->url));
	free(p->url);
	free(p->shown);
	*p = (struct kc_proxy){ 0 };
}

/* The first of two variables that is set and not empty. */
static const char *either(const char *upper, const char *lower)
{
	const char *value = getenv(upper);

	return value && *value ? value : getenv(lower);
}

void kc_proxy_env_read(struct kc_proxy_env *ret)
{
	*ret = (struct kc_proxy_env){
		.http = either("HTTP_PROXY", "http_proxy"),
		.https = either("HTTPS_PROXY", "https_proxy"),
		.none = either("NO_PROXY", "no_proxy"),
	};
}
