/* Kubernetes' named formats.   apiserver/pkg/cel/library/format.go, apimachinery/pkg/util/validation */
#include "cel/cel_eval.h"

#include "base/ascii.h"
#include "cel/cel_time.h"
#include "go/base64.h"
#include "go/url.h"

#include <errno.h>

struct checker {
	struct cel_ctx *c;
	struct cv_builder *problems;
	bool no_memory;
};

struct cel_format {
	const char *name;
	void (*check)(struct checker *k, str s);
	uint64_t pattern_size; /* the length of the format's expression for the cost model */
};

static void complain(struct checker *k, const char *prefix, const char *text)
{
	str s = arena_printf(k->c->arena, "%s%s", prefix, text);

	if (!s.p || !cv_builder_add(k->c->arena, k->problems, cv_string(s)))
		k->no_memory = true;
}

static bool is_lower_alnum(char c)
{
	return ascii_is_lower(c) || ascii_is_digit(c);
}
/* [a-z0-9]([-a-z0-9]*[a-z0-9])? */
static bool is_label(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!is_lower_alnum(s.p[i]) && s.p[i] != '-')
			return false;
	}
	return s.n > 0 && s.p[0] != '-' && s.p[s.n - 1] != '-';
}

static bool is_subdomain(str s)
{
	str part;
	bool good = s.n > 0;

	while (good && str_next_part(&s, '.', &part))
		good = is_label(part);
	return good;
}

static void check_label(struct checker *k, str s)
{
	if (s.n > 63)
		complain(k, "", "must be no more than 63 characters");
	if (is_label(s))
		return;
	if (is_subdomain(s))
		complain(k, "", "must not contain dots");
	else
		complain(k, "",
			 "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
			 "must start "
			 "and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
			 "validation is "
			 "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
}

static void check_subdomain_as(struct checker *k, const char *prefix, str s)
{
	if (s.n > 253)
		complain(k, prefix,
			 prefix[0] ? "must be no more than 253 bytes" : "must be no more than 253 characters");
	if (!is_subdomain(s))
		complain(k, prefix,
			 "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
			 "'.', and "
			 "must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
			 "validation is "
			 "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
}

static void check_subdomain(struct checker *k, str s)
{
	check_subdomain_as(k, "", s);
}

static void check_dns1035(struct checker *k, str s)
{
	if (s.n > 63)
		complain(k, "", "must be no more than 63 characters");
	if (!is_label(s) || !ascii_is_lower(s.p[0]))
		complain(k, "",
			 "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
			 "alphabetic "
			 "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used "
			 "for "
			 "validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
}

/* Check a prefix, which may end in "-", because more follows it. */
static void check_prefix(struct checker *k, str s, void (*check)(struct checker *k, str s))
{
	char *p;

	if (s.n < 2 || s.p[s.n - 1] != '-') {
		check(k, s);
		return;
	}
	p = arena_alloc(k->c->arena, s.n);
	if (!p) {
		k->no_memory = true;
		return;
	}
	memcpy(p, s.p, s.n - 2);
	p[s.n - 2] = 'a';
	check(k, (str){ p, s.n - 1 });
}

static void check_label_prefix(struct checker *k, str s)
{
	check_prefix(k, s, check_label);
}
static void check_subdomain_prefix(struct checker *k, str s)
{
	check_prefix(k, s, check_subdomain);
}
static void check_dns1035_prefix(struct checker *k, str s)
{
	check_prefix(k, s, check_dns1035);
}

/* ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9] */
static bool is_name(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_alnum(s.p[i]) && s.p[i] != '-' && s.p[i] != '_' && s.p[i] != '.')
			return false;
	}
	return s.n > 0 && ascii_is_alnum(s.p[0]) && ascii_is_alnum(s.p[s.n - 1]);
}

#define NAME_TEXT                                                                                                      \
	"must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "       \
	"character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "                        \
	"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

static void check_qualified(struct checker *k, str s)
{
	ptrdiff_t slash = str_find_byte(s, '/');

	if (slash != str_rfind(s, STR("/"))) {
		complain(k, "a valid label key ",
			 NAME_TEXT " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
		return;
	}
	if (slash == 0)
		complain(k, "prefix part ", "must be non-empty");
	else if (slash > 0)
		check_subdomain_as(k, "prefix part ", str_sub(s, 0, (size_t)slash));
	s = str_sub(s, (size_t)(slash + 1), s.n);
	if (s.n == 0)
		complain(k, "name part ", "must be non-empty");
	else if (s.n > 63)
		complain(k, "name part ", "must be no more than 63 bytes");
	if (!is_name(s))
		complain(k, "name part ", NAME_TEXT);
}

static void check_label_value(struct checker *k, str s)
{
	if (s.n > 63)
		complain(k, "", "must be no more than 63 bytes");
	if (s.n && !is_name(s))
		complain(k, "",
			 "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
			 "'.', and must "
			 "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
			 "regex used "
			 "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
}

static void check_uri(struct checker *k, str s)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(k->c->limits->arena_bytes);
	struct go_url u;
	int r = go_url_parse_request(s, k->c->arena, &u, &why);

	if (r == -ENOMEM || why.error)
		k->no_memory = true;
	else if (r < 0)
		complain(k, "", why.p);
}

/* Check for eight, four, four, four and twelve hexadecimal digits, with "-" between them or without. */
static void check_uuid(struct checker *k, str s)
{
	static const uint8_t groups[] = { 8, 4, 4, 4, 12 };
	size_t at = 0;
	bool good = true;

	for (size_t g = 0; good && g < ARRAY_LEN(groups); g++) {
		if (g && at < s.n && s.p[at] == '-')
			at++;
		for (unsigned i = 0; good && i < groups[g]; i++, at++)
			good = at < s.n && ascii_is_hex(s.p[at]);
	}
	if (!good || at != s.n)
		complain(k, "", "does not match the UUID format");
}

/* Check base64. Line ends, which the decoder skips, do not match the pattern of this format. */
static void check_byte(struct checker *k, str s)
{
	str bytes;
	int r = go_base64_decode(&go_base64_std, s, k->c->arena, &bytes, NULL);

	if (r == -ENOMEM)
		k->no_memory = true;
	else if (r < 0 || s.n == 0 || str_find_byte(s, '\n') >= 0 || str_find_byte(s, '\r') >= 0)
		complain(k, "", "invalid base64");
}

static void check_date(struct checker *k, str s)
{
	int64_t seconds;

	if (!cel_date_parse(s, &seconds))
		complain(k, "", "invalid date");
}

static void check_datetime(struct checker *k, str s)
{
	cv t;

	if (!cel_timestamp_parse(s, &t))
		complain(k, "", "invalid datetime");
}

static const struct cel_format formats[] = {
	{ "dns1123Label", check_label, 30 },
	{ "dns1123Subdomain", check_subdomain, 60 },
	{ "dns1035Label", check_dns1035, 30 },
	{ "qualifiedName", check_qualified, 60 },
	{ "dns1123LabelPrefix", check_label_prefix, 30 },
	{ "dns1123SubdomainPrefix", check_subdomain_prefix, 60 },
	{ "dns1035LabelPrefix", check_dns1035_prefix, 30 },
	{ "labelValue", check_label_value, 40 },
	{ "uri", check_uri, 1000 },
	{ "uuid", check_uuid, 74 },
	{ "byte", check_byte, 94 },
	{ "date", check_date, 72 },
	{ "datetime", check_datetime, 72 },
};

uint64_t cel_format_pattern_size(const struct cel_format *f)
{
	return f->pattern_size;
}

static cv format_value(const struct cel_format *f)
{
	return (cv){ .kind = CV_FORMAT, .format = f };
}

#define NAMED(name, i)                                                                                                 \
	static cv name(struct cel_ctx *c, const cv *a, uint32_t n)                                                     \
	{                                                                                                              \
		(void)c;                                                                                               \
		(void)a;                                                                                               \
		(void)n;                                                                                               \
		return format_value(&formats[i]);                                                                      \
	}

NAMED(f0, 0)
NAMED(f1, 1)
NAMED(f2, 2)
NAMED(f3, 3)
NAMED(f4, 4)
NAMED(f5, 5)
NAMED(f6, 6)
NAMED(f7, 7)
NAMED(f8, 8)
NAMED(f9, 9)
NAMED(f10, 10)
NAMED(f11, 11)
NAMED(f12, 12)

static cv named(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (str_eq(cv_str(a[0]), str_from(formats[i].name)))
			return cv_some(c->arena, format_value(&formats[i]));
	}
	return cv_none();
}

static cv validate(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct cv_builder b = { 0 };
	struct checker k = { c, &b, false };

	(void)n;
	a[0].format->check(&k, cv_str(a[1]));
	if (k.no_memory)
		return cel_nomem(c);
	return b.n ? cv_some(c->arena, cv_list(b.items, b.n)) : cv_none();
}

#define FORMAT(name, fn) CEL_GLOBAL("format." name, "format_" name, ":F", fn, COST_ONE, "the format " name)

static const struct cel_overload overloads[] = {
	FORMAT("dns1123Label", f0),
	FORMAT("dns1123Subdomain", f1),
	FORMAT("dns1035Label", f2),
	FORMAT("qualifiedName", f3),
	FORMAT("dns1123LabelPrefix", f4),
	FORMAT("dns1123SubdomainPrefix", f5),
	FORMAT("dns1035LabelPrefix", f6),
	FORMAT("labelValue", f7),
	FORMAT("uri", f8),
	FORMAT("uuid", f9),
	FORMAT("byte", f10),
	FORMAT("date", f11),
	FORMAT("datetime", f12),
	CEL_GLOBAL("format.named", "format_named", "s:OF", named, COST_ONE, "a format by its name"),
	CEL_MEMBER("validate", "format_validate", "Fs:OLs", validate, COST_K_VALIDATE,
		   "what is wrong with a text, if anything"),
};

const struct cel_library cel_lib_named = { overloads, ARRAY_LEN(overloads) };
