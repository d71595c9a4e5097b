/* Checks names and tags of images. */
#include "daemon/fetch/oci_tag.h"

#include "base/ascii.h"
#include "daemon/fetch/digest.h"

#include <errno.h>

#define TAG_MAX 128
#define URL_MAX 512

static bool is_made_of(str s, const char *others)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_alnum(s.p[i]) && (!s.p[i] || !strchr(others, s.p[i])))
			return false;
	}
	return s.n > 0;
}

int oci_check_names(const struct source *s, struct err *err)
{
	if (s->url.n > URL_MAX || !is_made_of(s->url, "./:_-[]") || s->url.p[0] == '-' ||
	    str_has_suffix(s->url, STR(":")) || str_find(s->url, STR("//")) >= 0)
		return err_set(err, EINVAL, "the url is not of the form HOST[:PORT]/NAME");
	if (s->tag.n && (s->tag.n > TAG_MAX || !is_made_of(s->tag, "._-") || strchr(".-", s->tag.p[0])))
		return err_set(err, EINVAL, "a registry cannot have such a tag");
	if (s->digest.n && !digest_is_good(s->digest))
		return err_set(err, EINVAL, "the digest is not of the form sha256: and 64 hexadecimal digits");
	return 0;
}

bool oci_tag_stays(str tag)
{
	size_t at = tag.n > 0 && tag.p[0] == 'v', numbers = 0;

	for (;;) {
		size_t from = at;

		while (at < tag.n && ascii_is_digit(tag.p[at]))
			at++;
		if (at == from)
			return false;
		if (++numbers == 3)
			break;
		if (at == tag.n || tag.p[at] != '.')
			return false;
		at++;
	}
	return at == tag.n || strchr("-+_.", tag.p[at]);
}
