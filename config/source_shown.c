/* Shows sources and revisions to people. */
#include "config/source_shown.h"

#include "mask/credentials.h"

#define URL_MAX ((size_t)64 << 10)
#define DIGITS_SHOWN 12

void source_show_url(const struct source *s, struct buf *out)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(URL_MAX);
	ptrdiff_t query;

	credentials_show_url(s->url, &shown);
	query = str_find_byte(buf_str(&shown), '?');
	if (query < 0) {
		buf_add_str(out, buf_str(&shown));
		return;
	}
	buf_add_str(out, str_sub(buf_str(&shown), 0, (size_t)query));
	buf_add_cstr(out, "?***");
}

void source_show_ref(const struct source *s, struct buf *out)
{
	const struct {
		const char *what;
		str is;
	} refs[] = {
		{ "branch", s->branch },
		{ "tag", s->tag },
		{ "commit", s->commit },
		{ "digest", s->digest },
	};

	const char *before = "";

	for (size_t i = 0; i < ARRAY_LEN(refs); i++) {
		if (!refs[i].is.n)
			continue;
		buf_printf(out, "%s%s %.*s", before, refs[i].what, STR_ARG(refs[i].is));
		before = ", ";
	}
}

void source_show_revision(str revision, struct buf *out)
{
	ptrdiff_t colon = str_find_byte(revision, ':');

	buf_add_str(out, str_sub(revision, 0, (size_t)(colon + 1) + DIGITS_SHOWN));
}
