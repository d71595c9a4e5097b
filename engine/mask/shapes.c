/* Reading a text for what looks like a secret, without parsing it as anything. */
#include "mask/shapes.h"

#define NAME_LEAST 2  /* letters of a name */
#define NAME_MOST 128 /* bytes of a name */
#define GAP_MOST 8    /* quotes, backslashes and spaces between a name and its separator */
#define JWT_PART 8    /* characters of a part of a JSON Web Token, at least */
#define BEARER_LEAST 16
#define VALUE_LOOKED_AT 64    /* bytes of a value: whether it is one shows early */
#define ASSIGNMENTS_MAX 10000 /* of a text; one with more is not looked through, but hidden */
#define STEPS_A_TEXT 2
#define BYTES_A_STEP 4
#define STEPS_AT_ONCE 256

struct scanner {
	const struct mask_fields *fields;
	str text;
	unsigned n_assignments;
	size_t looks; /* at places where something may begin: a step each, not spent yet */
	bool named;   /* the last "name:" was that of a secret: "value:" may follow */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_end(char c)
{
	return c == '\n' || c == '\r';
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'' || c == '\\' || c == '`';
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_base64url(char c)
{
	return is_alnum(c) || c == '-' || c == '_';
}

static bool is_name(char c)
{
	return is_base64url(c) || c == '.' || (unsigned char)c >= 0x80;
}

static char at(const struct scanner *s, size_t i)
{
	return i < s->text.n ? s->text.p[i] : '\n';
}

static bool starts(const struct scanner *s, size_t i, str with)
{
	return str_has_prefix(str_sub(s->text, i, s->text.n), with);
}

static bool begins_word(const struct scanner *s, size_t i)
{
	return i == 0 || !is_base64url(s->text.p[i - 1]);
}

static size_t skip(const struct scanner *s, size_t i, bool (*is)(char c))
{
	while (i < s->text.n && is(s->text.p[i]))
		i++;
	return i;
}

static bool is_gap(char c)
{
	return is_space(c) || is_quote(c);
}

/* ---- secrets that look like nothing else ---- */

static bool is_private_pem(const struct scanner *s, size_t i)
{
	static const str begin = { "-----BEGIN ", 11 };
	ptrdiff_t end;
	str label;

	if (!starts(s, i, begin))
		return false;
	label = str_sub(s->text, i + begin.n, i + begin.n + 64);
	end = str_find(label, STR("-----"));
	return str_find(end < 0 ? label : str_sub(label, 0, (size_t)end), STR("PRIVATE")) >= 0;
}

/* "-----BEGIN" in base64 that goes on neither with " CERT" nor with " PUBL". */
static bool is_private_base64(const struct scanner *s, size_t i)
{
	static const str begin = { "LS0tLS1CRUdJTi", 14 };

	return starts(s, i, begin) && !starts(s, i + begin.n, STR("BDRVJU")) && !starts(s, i + begin.n, STR("BQVUJM"));
}

static bool is_jwt(const struct scanner *s, size_t i)
{
	size_t head, payload;

	if (!starts(s, i, STR("eyJ")) || !begins_word(s, i))
		return false;
	head = skip(s, i, is_base64url);
	if (head - i < JWT_PART || at(s, head) != '.')
		return false;
	payload = skip(s, head + 1, is_base64url);
	return payload - head > JWT_PART && at(s, payload) == '.';
}

static const struct {
	str prefix;
	size_t least; /* characters behind it */
} issued[] = {
	{ { "ghp_", 4 }, 30 },         { { "gho_", 4 }, 30 },
	{ { "ghu_", 4 }, 30 },         { { "ghs_", 4 }, 30 },
	{ { "github_pat_", 11 }, 20 }, { { "glpat-", 6 }, 16 },
	{ { "xoxb-", 5 }, 16 },        { { "xoxp-", 5 }, 16 },
	{ { "xapp-", 5 }, 16 },        { { "hvs.", 4 }, 20 },
	{ { "sk_live_", 8 }, 16 },     { { "sha256~", 7 }, 30 },
	{ { "AIza", 4 }, 30 },         { { "npm_", 4 }, 30 },
	{ { "dckr_pat_", 9 }, 16 },    { { MASK_DIGEST_PREFIX, sizeof(MASK_DIGEST_PREFIX) - 1 }, 32 },
};

static bool is_issued(struct scanner *s, size_t i)
{
	if (!begins_word(s, i))
		return false;
	s->looks++;
	for (size_t k = 0; k < ARRAY_LEN(issued); k++) {
		size_t from = i + issued[k].prefix.n;

		if (issued[k].prefix.p[0] == s->text.p[i] && starts(s, i, issued[k].prefix))
			return skip(s, from, is_base64url) - from >= issued[k].least;
	}
	return false;
}

/* "Bearer " and "Basic " with a long word behind. */
static bool is_scheme(struct scanner *s, size_t i)
{
	size_t from;

	if (!begins_word(s, i))
		return false;
	s->looks++;
	if (starts(s, i, STR("Bearer ")))
		from = i + 7;
	else if (starts(s, i, STR("Basic ")))
		from = i + 6;
	else
		return false;
	return skip(s, from, is_base64url) - from >= BEARER_LEAST;
}

static bool ends_authority(char c)
{
	return c == '/' || c == '?' || c == '#' || is_space(c) || is_end(c) || c == '"' || c == '\'' || c == '<' ||
	       c == '>' || c == ',';
}

/* "://user:password@"; what stands alone before the "@" is a name for ssh and a token for HTTP. */
static bool is_url_password(const struct scanner *s, size_t colon)
{
	size_t from = colon + 3, i = from, last = 0, pass = 0;
	bool http;

	if (!starts(s, colon, STR("://")))
		return false;
	http = colon >= 4 && (starts(s, colon - 4, STR("http")) || starts(s, colon - 4, STR("ttps")));
	for (; i < s->text.n && !ends_authority(s->text.p[i]); i++) {
		if (s->text.p[i] == ':' && !pass)
			pass = i;
		if (s->text.p[i] == '@')
			last = i;
	}
	if (!last)
		return false;
	return pass && pass < last ? pass + 1 < last : http && last > from;
}

static bool is_secret_at(struct scanner *s, size_t i)
{
	switch (s->text.p[i]) {
	case '-':
		return is_private_pem(s, i);
	case 'P':
		return starts(s, i, STR("PuTTY-User-Key-File"));
	case 'L':
		return is_private_base64(s, i);
	case 'e':
		return is_jwt(s, i);
	case 'B':
		return is_scheme(s, i);
	case ':':
		return is_url_password(s, i);
	case 'g':
	case 'x':
	case 'h':
	case 's':
	case 'A':
	case 'n':
	case 'd':
		return is_issued(s, i);
	default:
		return false;
	}
}

/* ---- names with values ---- */

static bool hides(const struct mask_fields *fields, str name)
{
	return mask_name(fields, name) >= NAME_TEXTS;
}

/* The name before a separator: "name", with quotes and spaces between them. */
static str name_before(const struct scanner *s, size_t separator)
{
	size_t end = separator, begin;

	while (end > 0 && separator - end < GAP_MOST && is_gap(s->text.p[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && end - begin < NAME_MOST && is_name(s->text.p[begin - 1]))
		begin--;
	return str_sub(s->text, begin, end);
}

static bool is_separator(const struct scanner *s, size_t i)
{
	char before = i ? s->text.p[i - 1] : ' ', after = at(s, i + 1);

	if (s->text.p[i] == ':') /* of YAML and JSON: others are in addresses, times and names of images */
		return is_space(after) || is_end(after) || is_quote(before);
	return after != '=' && before != '=' && before != '!' && before != '<' && before != '>';
}

static bool ends_value(char c)
{
	return is_gap(c) || is_end(c) || c == ',' || c == ';' || c == '&' || c == '}' || c == ']' || c == ')';
}

static str value_at(const struct scanner *s, size_t i)
{
	size_t end = i;

	while (end < s->text.n && end - i < VALUE_LOOKED_AT && !ends_value(s->text.p[end]))
		end++;
	return str_sub(s->text, i, end);
}

/* Empty, masked, or no secret whatever its name. */
static bool is_nothing(str value)
{
	static const char *const nothing[] = { "", "null", "~", "true", "false", "***" };

	for (size_t i = 0; i < ARRAY_LEN(nothing); i++) {
		if (str_eq(value, str_from(nothing[i])))
			return true;
	}
	return false;
}

/* "$(NAME)", "${NAME}" or "$NAME" */
static bool is_variable(const struct scanner *s, size_t i)
{
	char open = at(s, i + 1), close = open == '(' ? ')' : open == '{' ? '}' : 0;
	size_t end = skip(s, i + 1 + (close != 0), is_base64url);

	return at(s, i) == '$' && end > i + 1 && (close ? at(s, end) == close : ends_value(at(s, end)));
}

/* A name that ends its line: a map or a list may follow, or a text of its own line. */
static bool has_value_below(const struct scanner *s, size_t i)
{
	size_t end;

	while (i < s->text.n && (is_space(s->text.p[i]) || is_end(s->text.p[i])))
		i++;
	for (end = i; end < s->text.n && !is_end(s->text.p[end]); end++) {
		if (s->text.p[end] == ':' || s->text.p[end] == '=')
			return false;
	}
	return end > i;
}

static bool has_value(const struct scanner *s, size_t separator)
{
	size_t i = skip(s, separator + 1, is_space);

	if (s->text.p[separator] == ':' && (i == s->text.n || is_end(s->text.p[i])))
		return has_value_below(s, i);
	if (at(s, i) == '{')
		return false;
	i = skip(s, i, is_gap);
	if (is_variable(s, i))
		return false;
	if (at(s, i) == '[') {
		i = skip(s, i + 1, is_gap);
		return at(s, i) != '{' && at(s, i) != ']' && !is_end(at(s, i));
	}
	return !is_nothing(value_at(s, i));
}

static str value_text(const struct scanner *s, size_t separator)
{
	return value_at(s, skip(s, separator + 1, is_gap));
}

static enum mask_shape assignment(struct scanner *s, size_t separator)
{
	str name = name_before(s, separator);
	bool was_named = s->named;

	if (name.n < NAME_LEAST || !is_separator(s, separator))
		return SHAPE_PLAIN;
	if (++s->n_assignments > ASSIGNMENTS_MAX)
		return SHAPE_SECRET;
	if (str_eq_nocase(name, STR("kind")) && str_eq(value_text(s, separator), STR("Secret")))
		return SHAPE_SECRET;
	if (str_eq_nocase(name, STR("name"))) {
		s->named = hides(s->fields, value_text(s, separator));
		return SHAPE_PLAIN;
	}
	if (str_eq_nocase(name, STR("value"))) {
		s->named = false;
		return was_named && has_value(s, separator) ? SHAPE_NAMES : SHAPE_PLAIN;
	}
	return hides(s->fields, name) && has_value(s, separator) ? SHAPE_NAMES : SHAPE_PLAIN;
}

static bool is_dash(char c)
{
	return c == '-';
}

/* "--password x" within a text. */
static bool is_option_at(const struct scanner *s, size_t i)
{
	size_t from, end;
	str name;

	if (i > 0 && !is_gap(s->text.p[i - 1]))
		return false;
	end = from = skip(s, i, is_dash);
	while (end < s->text.n && end - from < NAME_MOST && is_name(s->text.p[end]))
		end++;
	name = str_sub(s->text, from, end);
	return name.n > NAME_LEAST && is_space(at(s, end)) && hides(s->fields, name) &&
	       !is_dash(at(s, skip(s, end, is_gap))) && !is_variable(s, skip(s, end, is_gap)) &&
	       !is_nothing(value_at(s, skip(s, end, is_gap)));
}

bool mask_is_option(const struct mask_fields *fields, str text)
{
	struct scanner s = { .fields = fields, .text = text };
	size_t from = skip(&s, 0, is_dash);

	return from > 0 && from < text.n && skip(&s, from, is_name) == text.n &&
	       hides(fields, str_sub(text, from, text.n));
}

static bool spend_looks(struct scanner *s)
{
	size_t n = s->looks;

	if (n < STEPS_AT_ONCE)
		return true;
	s->looks = 0;
	return mask_spend(s->fields, n);
}

enum mask_shape mask_shape(const struct mask_fields *fields, str text)
{
	struct scanner s = { .fields = fields, .text = text };
	enum mask_shape found = SHAPE_PLAIN;

	if (!mask_spend(fields, STEPS_A_TEXT + text.n / BYTES_A_STEP))
		return SHAPE_SECRET;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (is_secret_at(&s, i) || !spend_looks(&s))
			return SHAPE_SECRET;
		s.looks += c == '-' || c == ':' || c == '=';
		if (c == ':' || c == '=') {
			enum mask_shape shape = assignment(&s, i);

			found = shape > found ? shape : found;
		} else if (c == '-' && found == SHAPE_PLAIN && is_option_at(&s, i)) {
			found = SHAPE_NAMES;
		}
		if (found == SHAPE_SECRET)
			return found;
	}
	return found;
}
