/* Reads a text word by word. */
#include "mask/lexer.h"
#include "mask/issuers.h"

#define ENCODED_MOST 3
#define BEARER_LEAST 16
#define TOKEN_LEAST 12 /* characters of a secret without a name, and of base64 */
#define PEM_DASHES 5
#define LOOKS_AHEAD 8 /* steps of a search for the end of something */
#define STEPS_A_TEXT 2
#define BYTES_A_STEP 2
#define STEPS_AT_ONCE 256

static void take(struct lexer *l, struct mask_found found)
{
	if (found.shape > l->found.shape)
		l->found = found;
	if (l->report)
		l->report(l->ctx, &found);
}

void lexer_found(struct lexer *l, enum mask_shape shape, const char *rule, size_t at, size_t end)
{
	take(l, (struct mask_found){ .shape = shape, .rule = rule, .at = at, .n = end - at });
}

void lexer_found_name(struct lexer *l, const char *rule, size_t at, size_t end)
{
	take(l, (struct mask_found){ .shape = SHAPE_NAMES, .rule = rule, .at = at, .n = end - at, .named = true });
}

/* Whether a word may be the second word of a name, as in "API key". */
static bool is_second_word(str word)
{
	static const str seconds[] = { { "key", 3 },    { "keys", 4 }, { "phrase", 6 },    { "string", 6 },
				       { "code", 4 },   { "word", 4 }, { "id", 2 },        { "material", 8 },
				       { "config", 6 }, { "str", 3 },  { "community", 9 }, { "assertion", 9 } };

	for (size_t i = 0; i < ARRAY_LEN(seconds); i++) {
		if (str_eq_nocase(word, seconds[i]))
			return true;
	}
	return false;
}

enum mask_name lexer_name(struct lexer *l, size_t at, size_t end)
{
	enum mask_name name = mask_name(l->fields, str_sub(l->text, at, end)), both;

	if (name >= NAME_TEXTS || at == 0 || l->text.p[at - 1] != ' ' || l->last.n == 0 ||
	    l->last.p + l->last.n != l->text.p + at - 1 || !is_second_word(str_sub(l->text, at, end)))
		return name;
	both = mask_name(l->fields, str_sub(l->text, at - 1 - l->last.n, end));
	return both >= NAME_TEXTS ? both : name;
}

void lexer_within(struct lexer *l, str text, size_t at, size_t end)
{
	struct lexer inner = { .fields = l->fields, .text = text, .encoded = l->encoded + 1 };

	lexer_run(&inner);
	if (inner.found.shape != SHAPE_PLAIN)
		lexer_found(l, inner.found.shape, inner.found.rule, at, end);
}

/* ---- secrets that look like nothing else ---- */

static void private_pem(struct lexer *l, size_t i)
{
	static const str begin = { "-----BEGIN ", 11 };
	ptrdiff_t end;
	str label;

	if (!lexer_starts(l, i, begin))
		return;
	label = str_sub(l->text, i + begin.n, i + begin.n + 64);
	end = str_find(label, STR("-----"));
	if (str_find(end < 0 ? label : str_sub(label, 0, (size_t)end), STR("PRIVATE")) >= 0)
		lexer_found(l, SHAPE_SECRET, "a private key", i, i + begin.n);
}

static bool ends_authority(char c)
{
	return c == '/' || c == '?' || c == '#' || is_space(c) || is_end(c) || c == '"' || c == '\'' || c == '<' ||
	       c == '>' || c == ',';
}

/* Judge "://user:password@". A single text before the "@" is a name for ssh, but a token for HTTP. */
static void url_password(struct lexer *l, size_t colon)
{
	size_t from = colon + 3, i = from, last = 0, pass = 0;
	bool http;

	if (!lexer_starts(l, colon, STR("://")))
		return;
	http = colon >= 4 && (lexer_starts(l, colon - 4, STR("http")) || lexer_starts(l, colon - 4, STR("ttps")));
	for (; i < l->text.n && !ends_authority(l->text.p[i]); i++) {
		if (l->text.p[i] == ':' && !pass)
			pass = i;
		if (l->text.p[i] == '@')
			last = i;
	}
	if (last && (pass && pass < last ? pass + 1 < last : http && last > from))
		lexer_found(l, SHAPE_SECRET, "a URL with a password", colon, last);
}

/* Judge user:password@tcp(host), and user/password@ of jdbc:oracle:thin. */
static void driver_password(struct lexer *l, size_t at)
{
	size_t i = at;
	char c = 0;

	if (!lexer_starts(l, at + 1, STR("tcp(")) && !lexer_starts(l, at + 1, STR("unix(")) &&
	    !lexer_starts(l, at + 1, STR("tcp6(")))
		return;
	l->looks += LOOKS_AHEAD;
	while (i > 0 && at - i < LOOK_MOST && !is_space(l->text.p[i - 1]) && !is_quote(l->text.p[i - 1]) &&
	       !is_end(l->text.p[i - 1]) && c != ':')
		c = l->text.p[--i];
	if (c == ':' && i + 1 < at && value_reference(l, i + 1) != at)
		lexer_found(l, SHAPE_SECRET, "a data source with a password", i, at);
}

static void oracle_password(struct lexer *l, size_t at, size_t end)
{
	str rest = str_sub(l->text, end, end + LOOK_MOST);
	ptrdiff_t slash = str_find_byte(rest, '/'), to = str_find_byte(rest, '@');

	if (lexer_starts(l, at, STR("thin:")) && slash > 1 && to > slash + 1 &&
	    str_find_byte(str_sub(rest, 0, (size_t)to), '\n') < 0)
		lexer_found(l, SHAPE_SECRET, "a data source with a password", at, end);
}

/* Judge "Bearer " and "Basic " with a long word behind them. */
static void scheme(struct lexer *l, size_t at, size_t end)
{
	size_t from = end + 1;

	if (lexer_at(l, end) != ' ' ||
	    !(end - at == 6 ? lexer_starts(l, at, STR("Bearer")) : lexer_starts(l, at, STR("Basic"))))
		return;
	if (lexer_skip(l, from, is_base64url) - from >= BEARER_LEAST)
		lexer_found(l, SHAPE_SECRET, "a credential of HTTP", at, end);
}

static void issued(struct lexer *l, size_t at, size_t end)
{
	const char *name = mask_issuer_of_word(l->text, at, end);

	l->looks++;
	if (name)
		lexer_found(l, SHAPE_SECRET, name, at, end);
}

/* Compare the word, and each part of it behind a separator, with the issuers' shapes, because each part may be a
 * token. */
static void issued_parts(struct lexer *l, size_t at, size_t end)
{
	issued(l, at, end);
	for (size_t i = at + 1; i + 8 < end; i++) {
		if (!is_base64url(l->text.p[i - 1]) && is_base64url(l->text.p[i]))
			issued(l, i, end);
	}
}

/* ---- going through ---- */

static bool may_be_base64(const struct lexer *l, size_t at, size_t end)
{
	return end - at >= TOKEN_LEAST || lexer_at(l, end) == '+' || lexer_at(l, end) == '/';
}

static void word(struct lexer *l, size_t at, size_t end, size_t dashes)
{
	bool begins = at == dashes || at - dashes == l->line || is_gap(l->text.p[at - dashes - 1]) ||
		      is_end(l->text.p[at - dashes - 1]);

	l->words += begins || l->words == 0;
	if (end - at >= TOKEN_LEAST || !is_blank(lexer_at(l, end)))
		issued_parts(l, at, end);
	if (end - at == 5 || end - at == 6)
		scheme(l, at, end);
	else if (end - at == 4)
		oracle_password(l, at, end);
	if (at >= l->run && l->encoded < ENCODED_MOST && may_be_base64(l, at, end))
		encoded_base64(l, at);
	key_word(l, at, end);
	forms_word(l, at, end, begins ? dashes : 0);
	l->last = str_sub(l->text, at, end);
	if (l->first.n == 0)
		l->first = l->last;
}

static bool is_joint(char c)
{
	return c == '-' || c == '.';
}

/* Read dots and dashes, and the word behind them. Returns where it ends. */
static size_t words_at(struct lexer *l, size_t i)
{
	size_t at = lexer_skip(l, i, is_joint), end = lexer_skip(l, at, is_name), dashes = 0;

	while (dashes < at - i && l->text.p[at - dashes - 1] == '-')
		dashes++;
	if (dashes >= PEM_DASHES)
		private_pem(l, at - PEM_DASHES);
	if (end > at)
		word(l, at, end, dashes);
	return end > i ? end : i + 1;
}

static bool is_variable_name(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '.';
}

/* Judge "${NAME:-x}", whose default is a value. */
static void dollar(struct lexer *l, size_t i)
{
	size_t from = i + 2, end = lexer_skip(l, from, is_variable_name);
	const char *name = mask_issuer(l->text, i);

	if (name)
		lexer_found(l, SHAPE_SECRET, name, i, i + 2);
	if (lexer_at(l, i + 1) != '{' || end == from || lexer_at(l, end) == '}' || end - from > LOOK_MOST)
		return;
	l->looks += LOOKS_AHEAD;
	if (value_has_default(l, i) && lexer_name(l, from, end) >= NAME_TEXTS)
		lexer_found_name(l, "a variable that hides has a default", from, end);
}

/* Judge a template such as {{ .password | default "x" }}, which prints a value for a name that hides. */
static void template_default(struct lexer *l, size_t i)
{
	size_t from = i;

	l->looks += LOOKS_AHEAD;
	if (!value_has_default(l, i))
		return;
	for (i += 2; i < l->text.n && i - from < LOOK_MOST && l->text.p[i] != '}';) {
		size_t end = lexer_skip(l, i, is_name);

		if (end > i && lexer_name(l, i, end) >= NAME_TEXTS) {
			lexer_found_name(l, "a template gives what a name hides", i, end);
			return;
		}
		i = end > i ? end : i + 1;
	}
}

static void mark(struct lexer *l, size_t i)
{
	const char *name = mask_issuer(l->text, i);

	if (name)
		lexer_found(l, SHAPE_SECRET, name, i, i + 2);
}

static void close_brace(struct lexer *l)
{
	l->depth -= l->depth > 0;
	if (l->depth < l->pair.depth)
		l->pair = (struct pair){ 0 };
}

static void punctuation(struct lexer *l, size_t i)
{
	switch (l->text.p[i]) {
	case '\n':
	case '\r':
		forms_line(l, i + 1);
		break;
	case ':':
		l->looks++;
		url_password(l, i);
		break;
	case '$':
		l->looks++;
		dollar(l, i);
		break;
	case '*':
		mark(l, i);
		break;
	case '{':
		mark(l, i);
		if (lexer_at(l, i + 1) == '{')
			template_default(l, i);
		l->depth++;
		break;
	case '}':
		close_brace(l);
		break;
	case '~':
		if (i >= 2 && (l->text.p[i - 1] == 'Q'))
			mark(l, i - 2);
		break;
	case '@':
		driver_password(l, i);
		break;
	case '>':
		key_named_tag(l, i);
		break;
	case '%':
	case '\\':
	case '&':
		if (!l->unescaped && l->encoded < ENCODED_MOST)
			encoded_escapes(l, i);
		break;
	default:
		break;
	}
}

static bool spend_looks(struct lexer *l)
{
	size_t n = l->looks;

	if (n < STEPS_AT_ONCE)
		return true;
	l->looks = 0;
	return mask_spend(l->fields, n);
}

/* Whether the text is one word, as most texts in objects are. Such a text may be a token, but nothing else is
 * checked. */
static bool is_one_word(struct lexer *l)
{
	size_t from = lexer_skip(l, 0, is_joint), n = lexer_skip(l, from, is_name);

	if (n < l->text.n || from >= PEM_DASHES)
		return false;
	if (n - from < TOKEN_LEAST)
		return true;
	issued_parts(l, from, n);
	if (l->encoded < ENCODED_MOST)
		encoded_base64(l, from);
	return true;
}

void lexer_run(struct lexer *l)
{
	size_t i = 0;

	if (!mask_spend(l->fields, STEPS_A_TEXT + l->text.n / BYTES_A_STEP)) {
		lexer_found(l, SHAPE_SECRET, "no time to look at it", 0, l->text.n);
		return;
	}
	if (is_one_word(l))
		return;
	forms_table(l);
	forms_line(l, 0);
	while (i < l->text.n && (l->found.shape != SHAPE_SECRET || l->report)) {
		if (is_name(l->text.p[i]))
			i = words_at(l, i);
		else
			punctuation(l, i++);
		if (!spend_looks(l)) {
			lexer_found(l, SHAPE_SECRET, "no time to look at it", i, l->text.n);
			return;
		}
	}
}
