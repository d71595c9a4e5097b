/* Recognizes a wrong scheme of a URL and missing rights, and words the advice. */
#include "kubeclient/kc_advice.h"
#include "mask/foreign.h"

#include <string.h>

#define PART_MAX 80 /* bytes of a group, a namespace or a resource in a message */

static bool has_any(struct foreign text, const char *const *needles, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (foreign_holds(text, str_from(needles[i])))
			return true;
	}
	return false;
}

/* The advice when the scheme of the URL seems to be wrong. It recognizes OpenSSL's words for something that is no
 * TLS record, libcurl's for an answer that is no HTTP, and those of the HTTP servers of Go and nginx behind TLS. */
const char *kc_advice_scheme(bool tls, struct foreign error, struct foreign body)
{
	static const char *const no_tls[] = { "wrong version number", "packet length too long", "http request" };
	static const char *const is_tls[] = { "HTTP request to an HTTPS server",
					      "plain HTTP request was sent to HTTPS" };
	static const char *const no_http[] = { "HTTP/0.9" };

	if (tls)
		return has_any(error, no_tls, ARRAY_LEN(no_tls))
			       ? " (it does not speak TLS: is the port right, or should it be http://?)"
			       : "";
	return has_any(body, is_tls, ARRAY_LEN(is_tls)) || has_any(error, no_http, ARRAY_LEN(no_http))
		       ? " (it speaks TLS: should it be https://?)"
		       : "";
}

/* "/api/v1/…" or "/apis/GROUP/VERSION/…", with a namespace or without. */
struct collection {
	str group, namespace, resource;
};

static bool next_part(str *path, str *ret)
{
	return str_next_part(path, '/', ret) && ret->n > 0;
}

static bool read_path(str path, struct collection *c)
{
	str part, version;

	*c = (struct collection){ 0 };
	if (!str_next_part(&path, '/', &part) || part.n || !next_part(&path, &part))
		return false;
	if (str_eq(part, STR("apis")) ? !next_part(&path, &c->group) : !str_eq(part, STR("api")))
		return false;
	if (!next_part(&path, &version) || !next_part(&path, &c->resource))
		return false;
	if (!str_eq(c->resource, STR("namespaces")) || !next_part(&path, &part))
		return true;
	if (!next_part(&path, &c->resource)) {
		c->resource = STR("namespaces"); /* one namespace, by its name */
		return true;
	}
	c->namespace = part;
	return true;
}

static void add_part(struct buf *out, const char *before, str part)
{
	if (!part.n)
		return;
	buf_add_cstr(out, before);
	foreign_quote(foreign_bytes(part), PART_MAX, out);
}

void kc_advice_grant(const char *verb, const char *path, struct buf *out)
{
	str p = { path, strcspn(path, "?") };
	struct collection c;

	buf_printf(out, " (needs %s", verb);
	if (read_path(p, &c)) {
		add_part(out, " on ", c.resource);
		add_part(out, " of ", c.group);
		add_part(out, " in namespace ", c.namespace);
	} else {
		add_part(out, " on the URL ", p);
	}
	buf_add_cstr(out, "; driftd rbac prints what to grant)");
}
