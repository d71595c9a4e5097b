/* Separates signatures from objects. A commit has its signature in a header, whose further lines begin with a space;
 * the commit without that header is signed. A tag has it behind its message; everything before the last line that
 * begins a signature is signed. Only lines before the first empty line are headers, whatever a message looks like. */
#include "daemon/fetch/git_object.h"

#include "base/hex.h"
#include "base/number.h"

#include <errno.h>

#define YEAR_10000 INT64_C(253402300800)

static const struct {
	enum git_signature_kind kind;
	str begin, end;
} armors[] = {
	{ GIT_SIGNED_SSH, { "-----BEGIN SSH SIGNATURE-----", 29 }, { "-----END SSH SIGNATURE-----", 27 } },
	{ GIT_SIGNED_PGP, { "-----BEGIN PGP SIGNATURE-----", 29 }, { "-----END PGP SIGNATURE-----", 27 } },
};

/* The headers that every object of a kind has, in this order. Optional ones may be missing, others may be repeated. */
struct expected {
	str name;
	bool optional, repeats;
};
static const struct expected of_commits[] = {
	{ { "tree", 4 }, false, false },
	{ { "parent", 6 }, true, true },
	{ { "author", 6 }, false, false },
	{ { "committer", 9 }, false, false },
};
static const struct expected of_tags[] = {
	{ { "object", 6 }, false, false },
	{ { "type", 4 }, false, false },
	{ { "tag", 3 }, false, false },
	{ { "tagger", 6 }, true, false },
};
_Static_assert(ARRAY_LEN(of_commits) == ARRAY_LEN(of_tags), "both are walked alike");

struct reader {
	const struct expected *expected;
	size_t at; /* index of the next expected header */
	bool sha256;
	bool has_signature;
	struct git_object *o;
};

static int bad(const struct git_object *o, const char *why, struct err *err)
{
	return err_set(err, EBADMSG, "the %s %s", o->kind == GIT_COMMIT ? "commit" : "tag", why);
}

/* The seconds of "NAME <MAIL> SECONDS ZONE". */
static int64_t time_of(str who)
{
	ptrdiff_t end = str_rfind(who, STR("> "));
	str rest = str_sub(who, (size_t)(end + 2), who.n), seconds;
	int64_t t;

	if (end < 0 || !str_next_part(&rest, ' ', &seconds) || seconds.n == 0 || seconds.p[0] < '0' ||
	    seconds.p[0] > '9' || !int64_parse(seconds, &t))
		return -1;
	return t < YEAR_10000 ? t : -1;
}

static void take(struct git_object *o, str name, str value)
{
	if (str_eq(name, STR("object")))
		o->target = value;
	else if (str_eq(name, STR("type")))
		o->target_type = value;
	else if (str_eq(name, STR("tag")))
		o->name = value;
	else if (str_eq(name, STR("committer")) || str_eq(name, STR("tagger")))
		o->time = time_of(value);
}

static bool is_one_of_the_expected(const struct reader *x, str name)
{
	for (size_t i = 0; i < ARRAY_LEN(of_commits); i++) {
		if (str_eq(x->expected[i].name, name))
			return true;
	}
	return false;
}

/* Read a header in its place. One that comes twice, or in another place, is refused, because programs differ in how
 * they read that. */
static int read_expected(struct reader *x, str name, str value, struct err *err)
{
	while (x->at < ARRAY_LEN(of_commits) && !str_eq(x->expected[x->at].name, name)) {
		if (!x->expected[x->at].optional)
			return bad(x->o, "lacks a header, or has one in another place", err);
		x->at++;
	}
	if (x->at == ARRAY_LEN(of_commits))
		return is_one_of_the_expected(x, name) ? bad(x->o, "has a header twice", err) : 0;
	take(x->o, name, value);
	if (!x->expected[x->at].repeats)
		x->at++;
	return 0;
}

static void add_line(struct buf *out, str line)
{
	buf_add_str(out, line);
	buf_add_byte(out, '\n');
}

/* Whether the header has a signature. This includes the name for the other hash, which is not signed either; its
 * value is not used. */
static bool is_signature(str name)
{
	return str_eq(name, STR("gpgsig")) || str_eq(name, STR("gpgsig-sha256"));
}

static int read_signature(struct reader *x, str name, str value, str more, struct err *err)
{
	str line;

	if (x->o->kind == GIT_TAG || str_eq(name, STR("gpgsig-sha256")) != x->sha256)
		return 0;
	if (x->has_signature)
		return bad(x->o, "has two headers with signatures", err);
	x->has_signature = true;
	add_line(&x->o->signature, value);
	while (more.n > 0 && str_next_part(&more, '\n', &line))
		add_line(&x->o->signature, str_sub(line, 1, line.n));
	return 0;
}

/* Read a header. @line is its first line, @more are its continuation lines. */
static int read_header(struct reader *x, str line, str more, struct err *err)
{
	ptrdiff_t space = str_find_byte(line, ' ');
	str name = str_sub(line, 0, space < 0 ? line.n : (size_t)space);
	str value = str_sub(line, name.n + 1, line.n);
	int r;

	if (name.n == 0)
		return bad(x->o, "has a header without a name", err);
	if (is_signature(name))
		return x->at < ARRAY_LEN(of_commits) - (x->o->kind == GIT_TAG)
			       ? bad(x->o, "has a signature before its headers", err)
			       : read_signature(x, name, value, more, err);
	r = read_expected(x, name, value, err);
	if (r < 0)
		return r;
	if (more.n > 0 && is_one_of_the_expected(x, name))
		return bad(x->o, "has a header of several lines", err);
	add_line(&x->o->payload, line);
	buf_add_str(&x->o->payload, more);
	return 0;
}

/* The continuation lines from @at on, which begin with a space. */
static str continuation(str raw, size_t at)
{
	size_t from = at;

	while (at < raw.n && raw.p[at] == ' ') {
		ptrdiff_t end = str_find_byte(str_sub(raw, at, raw.n), '\n');

		at = end < 0 ? raw.n : at + (size_t)end + 1;
	}
	return str_sub(raw, from, at);
}

/* Read all headers. *at: then the index of the message, with the empty line before it. */
static int read_headers(struct reader *x, str raw, size_t *at, struct err *err)
{
	int r = 0;

	while (r == 0 && *at < raw.n && raw.p[*at] != '\n') {
		ptrdiff_t end = str_find_byte(str_sub(raw, *at, raw.n), '\n');
		str line, more;

		if (end < 0)
			return bad(x->o, "ends within a header", err);
		line = str_sub(raw, *at, *at + (size_t)end);
		more = continuation(raw, *at + line.n + 1);
		if (more.n > 0 && more.p[more.n - 1] != '\n')
			return bad(x->o, "ends within a header", err);
		if (memchr(line.p, '\0', line.n) || (more.n && memchr(more.p, '\0', more.n)))
			return bad(x->o, "has a NUL in a header", err);
		r = read_header(x, line, more, err);
		*at += line.n + 1 + more.n;
	}
	for (; r == 0 && x->at < ARRAY_LEN(of_commits); x->at++) {
		if (!x->expected[x->at].optional)
			return bad(x->o, "lacks a header", err);
	}
	return r;
}

/* The index of the last line of @message that begins a signature; its length: there is none.   git:
 * parse_signed_buffer */
static size_t find_signature(str message)
{
	size_t at = 0, found = message.n;

	while (at < message.n) {
		str rest = str_sub(message, at, message.n);
		ptrdiff_t end = str_find_byte(rest, '\n');

		for (size_t i = 0; i < ARRAY_LEN(armors); i++) {
			if (str_has_prefix(rest, armors[i].begin))
				found = at;
		}
		at = end < 0 ? message.n : at + (size_t)end + 1;
	}
	return found;
}

/* The kind of @signature, which must be a single complete one with nothing behind it: of two, the programs that
 * verify would only check one. */
static enum git_signature_kind kind_of(str signature)
{
	str trimmed = str_trim(signature);

	if (trimmed.n == 0)
		return GIT_UNSIGNED;
	for (size_t i = 0; i < ARRAY_LEN(armors); i++) {
		if (str_has_prefix(signature, armors[i].begin) && str_has_suffix(trimmed, armors[i].end) &&
		    str_rfind(signature, STR("-----BEGIN ")) == 0 &&
		    str_find(signature, STR("-----END ")) == (ptrdiff_t)(trimmed.n - armors[i].end.n))
			return armors[i].kind;
	}
	return GIT_SIGNED_OTHERWISE;
}

static int check_tag(const struct git_object *o, bool sha256, struct err *err)
{
	if (!hex_is(o->target) || o->target.n != (sha256 ? 64 : 40))
		return bad(o, "names no object", err);
	return 0;
}

int git_object_read(enum git_object_kind kind, str raw, bool sha256, struct git_object *ret, struct err *err)
{
	struct reader x = { .expected = kind == GIT_COMMIT ? of_commits : of_tags, .sha256 = sha256, .o = ret };
	size_t at = 0, n;
	str message;
	int r;

	*ret = (struct git_object){
		.kind = kind, .time = -1, .payload = BUF_INIT(GIT_OBJECT_MAX), .signature = BUF_INIT(GIT_OBJECT_MAX)
	};
	if (raw.n > GIT_OBJECT_MAX)
		return err_set(err, E2BIG, "the %s has more than 1 MiB", kind == GIT_COMMIT ? "commit" : "tag");
	r = read_headers(&x, raw, &at, err);
	if (r == 0 && kind == GIT_TAG)
		r = check_tag(ret, sha256, err);
	if (r < 0)
		return r;
	message = str_sub(raw, at, raw.n);
	n = kind == GIT_TAG ? find_signature(message) : message.n;
	buf_add_str(&ret->payload, str_sub(message, 0, n));
	buf_add_str(&ret->signature, str_sub(message, n, message.n));
	ret->signature_kind = kind_of(buf_str(&ret->signature));
	r = buf_error(&ret->payload, "a signed object", err);
	return r < 0 ? r : buf_error(&ret->signature, "a signature", err);
}

void git_object_done(struct git_object *o)
{
	buf_done(&o->payload);
	buf_done(&o->signature);
}
