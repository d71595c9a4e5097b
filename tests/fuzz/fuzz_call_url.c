/* The allow-list of api-call against the reader of URLs that sends them: what is allowed is, as libcurl reads it, of
 * the scheme, host and port of the prefix, and below its path, also where dots are removed and where a server unescapes
 * twice.
 *
 * The input is a prefix, the end of a line, and a URL. */
#include "rules/inspection/insp_call.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct parts {
	char *scheme, *host, *port, *path, *user, *fragment;
};

static void check(bool ok)
{
	if (!ok)
		abort();
}

static char *part(CURLU *u, CURLUPart what, unsigned flags)
{
	char *text = NULL;

	return curl_url_get(u, what, &text, flags) == CURLUE_OK ? text : NULL;
}

static void parts_done(struct parts *p)
{
	char *all[] = { p->scheme, p->host, p->port, p->path, p->user, p->fragment };

	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		curl_free(all[i]);
}

/* As a transfer reads it. False: it would not be sent. */
static bool read_parts(str url, unsigned flags, struct parts *ret)
{
	CLEANUP(freep) char *text = str_dup(url);
	CURLU *u = curl_url();
	bool valid;

	check(text && u);
	valid = curl_url_set(u, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME | flags) ==
		CURLUE_OK;
	if (valid)
		*ret = (struct parts){
			part(u, CURLUPART_SCHEME, 0),
			part(u, CURLUPART_HOST, 0),
			part(u, CURLUPART_PORT, CURLU_DEFAULT_PORT),
			part(u, CURLUPART_PATH, CURLU_URLDECODE),
			part(u, CURLUPART_USER, 0),
			part(u, CURLUPART_FRAGMENT, 0),
		};
	curl_url_cleanup(u);
	return valid;
}

/* Whether a server that unescapes once more reads something else. */
static bool has_escape(const char *path)
{
	for (const char *c = path; (c = strchr(c, '%')); c++) {
		if (isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]))
			return true;
	}
	return false;
}

static bool is_below(const char *path, const char *prefix)
{
	size_t n = strlen(prefix);

	while (n && prefix[n - 1] == '/')
		n--;
	return strncmp(path, prefix, n) == 0 && (!path[n] || path[n] == '/');
}

/* @flags: how dots are read. */
static void check_allowed(str prefix, str url, unsigned flags)
{
	struct parts p, u;

	if (!read_parts(prefix, CURLU_PATH_AS_IS, &p))
		return;
	if (read_parts(url, flags | CURLU_DISALLOW_USER, &u)) {
		check(strcmp(u.scheme, p.scheme) == 0 && strcasecmp(u.host, p.host) == 0 &&
		      strcmp(u.port, p.port) == 0);
		check(!u.user && !u.fragment);
		check(u.path && is_below(u.path, p.path));
		check(!strstr(u.path, "/../") && !strstr(u.path, "/..;") && !strchr(u.path, '\\'));
		check(!has_escape(u.path));
		parts_done(&u);
	}
	parts_done(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT((size_t)1 << 20);
	str url = { (const char *)data, size }, prefix;
	struct err err;

	if (size == 0 || size > 4096 || !str_next_part(&url, '\n', &prefix) || !url.p)
		return 0;
	if (insp_url_prefix_valid(prefix, &a, &err) != 1 || insp_url_allowed(url, &prefix, 1, &a, &err) != 1)
		return 0;
	check_allowed(prefix, url, CURLU_PATH_AS_IS);
	check_allowed(prefix, url, 0);
	return 0;
}
