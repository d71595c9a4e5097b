/* Builds URLs, and takes the URL of a server apart. */
#include "kubeclient/kc_url.h"

#include "go/url.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>

void kc_url_collection(struct buf *b, const struct kc_resource *r, const char *namespace)
{
	if (*r->group) {
		buf_add_cstr(b, "/apis/");
		go_url_escape(b, str_from(r->group), GO_URL_PATH_SEGMENT);
		buf_add_byte(b, '/');
	} else {
		buf_add_cstr(b, "/api/");
	}
	go_url_escape(b, str_from(r->version), GO_URL_PATH_SEGMENT);
	if (r->namespaced && namespace && *namespace) {
		buf_add_cstr(b, "/namespaces/");
		go_url_escape(b, str_from(namespace), GO_URL_PATH_SEGMENT);
	}
	buf_add_byte(b, '/');
	go_url_escape(b, str_from(r->plural), GO_URL_PATH_SEGMENT);
}

void kc_url_query(struct buf *b, const char *name, str value)
{
	if (value.n == 0)
		return;
	buf_add_byte(b, str_find_byte(buf_str(b), '?') < 0 ? '?' : '&');
	buf_add_cstr(b, name);
	buf_add_byte(b, '=');
	go_url_escape(b, value, GO_URL_QUERY);
}

void kc_url_number(struct buf *b, const char *name, uint64_t n)
{
	char text[24];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	kc_url_query(b, name, str_from(text));
}

static void curlp(char **p)
{
	curl_free(*p);
}

static void url_cleanupp(CURLU **u)
{
	curl_url_cleanup(*u);
}

static int refuse_part(CURLU *u, CURLUPart part, const char *what, struct err *err)
{
	CLEANUP(curlp) char *text = NULL;

	if (curl_url_get(u, part, &text, 0) != CURLUE_OK)
		return 0;
	return err_set(err, EINVAL, "server: a URL with %s is not supported", what);
}

static int build(struct kc_server *s, CURLU *u, const char *tls_name, struct err *err)
{
	CLEANUP(curlp) char *scheme = NULL;
	CLEANUP(curlp) char *host = NULL;
	CLEANUP(curlp) char *port = NULL;
	CLEANUP(curlp) char *path = NULL;
	size_t n;

	if (curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) || curl_url_get(u, CURLUPART_HOST, &host, 0) ||
	    curl_url_get(u, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) || curl_url_get(u, CURLUPART_PATH, &path, 0))
		return err_set(err, EINVAL, "server: the URL has no host");
	for (n = strlen(path); n > 0 && path[n - 1] == '/';)
		path[--n] = '\0';
	s->tls = strcmp(scheme, "https") == 0;
	if (asprintf(&s->shown, "%s://%s:%s%s", scheme, host, port, path) < 0) {
		s->shown = NULL;
		return err_nomem(err);
	}
	if (!tls_name || !s->tls) {
		s->base = strdup(s->shown);
		return s->base ? 0 : err_nomem(err);
	}
	/* The name to verify and to ask for by SNI is the URL's host; the connection goes to the real one. */
	if (asprintf(&s->base, "%s://%s:%s%s", scheme, tls_name, port, path) < 0) {
		s->base = NULL;
		return err_nomem(err);
	}
	if (asprintf(&s->connect_to, "%s:%s:%s:%s", tls_name, port, host, port) < 0) {
		s->connect_to = NULL;
		return err_nomem(err);
	}
	if (asprintf(&s->host, "%s:%s", host, port) < 0) {
		s->host = NULL;
		return err_nomem(err);
	}
	return 0;
}

static bool is_host_name(const char *name)
{
	for (; *name; name++)
		if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
		      (*name >= '0' && *name <= '9') || strchr("-._*", *name)))
			return false;
	return true;
}

int kc_server_init(struct kc_server *s, const char *server, const char *tls_name, struct err *err)
{
	CLEANUP(url_cleanupp) CURLU *u = curl_url();
	int r;

	*s = (struct kc_server){ 0 };
	if (!u)
		return err_nomem(err);
	if (strncmp(server, "https://", 8) != 0 && strncmp(server, "http://", 7) != 0)
		return err_set(err, EINVAL, "server: must begin with https:// or http://");
	if (curl_url_set(u, CURLUPART_URL, server, 0) != CURLUE_OK)
		return err_set(err, EINVAL, "server: not a URL");
	if (tls_name && !is_host_name(tls_name))
		return err_set(err, EINVAL, "tls-server-name: not a host name");
	if ((r = refuse_part(u, CURLUPART_USER, "a user name", err)) < 0 ||
	    (r = refuse_part(u, CURLUPART_PASSWORD, "a password", err)) < 0 ||
	    (r = refuse_part(u, CURLUPART_QUERY, "a query", err)) < 0 ||
	    (r = refuse_part(u, CURLUPART_FRAGMENT, "a fragment", err)) < 0)
		return r;
	r = build(s, u, tls_name, err);
	if (r < 0)
		kc_server_done(s);
	return r;
}

void kc_server_done(struct kc_server *s)
{
	free(s->base);
	free(s->connect_to);
	free(s->host);
	free(s->shown);
	*s = (struct kc_server){ 0 };
}
