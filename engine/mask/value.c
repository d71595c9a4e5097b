/* Classifies what follows a name: nothing, a reference, a map with names of its own, or a value. What is unclear
 * counts as a value. */
#include "mask/lexer.h"

#define WORDS_OF_NAME 3

#define CHARS(text) STR(text)

static bool is_one_of(char c, str set)
{
	return str_find_byte(set, c) >= 0;
}

/* Whether the character ends an unquoted value. */
static bool ends_value(char c)
{
	switch (c) {
	case ',':
	case ';':
	case '&':
	case '}':
	case ']':
	case ')':
		return true;
	default:
		return is_gap(c) || is_end(c);
	}
}

/* ---- references ---- */

/* The end of what begins at @i and is closed by @close on the same line; 0: it is not closed. */
static size_t closed(const struct lexer *l, size_t i, str close)
{
	str rest = str_sub(l->text, i, i + LOOK_MOST);
	ptrdiff_t found = str_find(rest, close);

	if (found < 0 || str_find_byte(str_sub(rest, 0, (size_t)found), '\n') >= 0)
		return 0;
	return i + (size_t)found + close.n;
}

static bool is_variable_char(char c)
{
	return ascii_is_alnum(c) || is_one_of(c, CHARS("_.-/[]"));
}

/* Whether a name is that of a source of values, as "env" is in "${env:NAME}". A colon behind any other name begins a
 * default. */
static bool is_provider(str name)
{
	static const str providers[] = { { "env", 3 },
					 { "ENV", 3 },
					 { "file", 4 },
					 { "vault", 5 },
					 { "sys", 3 },
					 { "secret", 6 },
					 { "secrets", 7 },
					 { "directory", 9 },
					 { "ssm", 3 },
					 { "configmap", 9 },
					 { "secretsmanager", 14 },
					 { "dir", 3 },
					 { "config", 6 },
					 { "base64", 6 } };

	for (size_t i = 0; i < ARRAY_LEN(providers); i++) {
		if (str_eq(name, providers[i]))
			return true;
	}
	return false;
}

/* The end of the default at @i, if it is nothing, or one more variable without a default; 0: it is a value. */
static size_t empty_default(const struct lexer *l, size_t i)
{
	char open = lexer_at(l, i + 1), close = open == '{' ? '}' : open == '(' ? ')' : 0;
	size_t from = i + 1 + (close != 0), end = lexer_skip(l, from, is_variable_char);

	if (lexer_at(l, i) == '}')
		return i + 1;
	if (lexer_at(l, i) != '$' || end == from || (close && lexer_at(l, end) != close))
		return 0;
	if (close)
		end++;
	return lexer_at(l, end) == '}' ? end + 1 : 0;
}

/* The end of a variable's name. A dash behind capitals begins a default. */
static size_t variable_end(const struct lexer *l, size_t i)
{
	size_t from = i;

	while (ascii_is_upper(lexer_at(l, i)) || ascii_is_digit(lexer_at(l, i)) || lexer_at(l, i) == '_')
		i++;
	return i > from && lexer_at(l, i) == '-' ? i : lexer_skip(l, from, is_variable_char);
}

/* The end of what is inside of "${": a name, and what may follow it. *given: a default with a value. */
static size_t braced(const struct lexer *l, size_t from, bool *given)
{
	size_t i = variable_end(l, from), end = closed(l, i, STR("}"));
	char c, then;

	if (i == from || !end)
		return 0;
	if (lexer_at(l, i) == ':' && is_provider(str_sub(l->text, from, i)) &&
	    str_find(str_sub(l->text, i, end), STR(":-")) < 0)
		return end;
	if (lexer_at(l, i) == ':' && is_provider(str_sub(l->text, from, i)))
		i = lexer_skip(l, i + 1, is_variable_char);
	c = lexer_at(l, i);
	then = lexer_at(l, i + 1);
	if (c == '}')
		return i + 1;
	if (c == '?' || (c == ':' && then == '?')) /* a message follows */
		return end;
	i += c == ':' && (then == '-' || then == '=' || then == '+') ? 2 : 1;
	if (c != ':' && c != '=' && c != '+' && c != '-' && c != '|')
		return 0;
	end = empty_default(l, i);
	*given = !end;
	return end;
}

/* Whether a text within a template is a value: a default or the only text, but no name, format or message. */
static bool template_gives(const struct lexer *l, size_t from, size_t end)
{
	static const str givers[] = { { "default", 7 }, { "coalesce", 8 }, { "or", 2 },   { "ternary", 7 },
				      { "print", 5 },   { "b64enc", 6 },   { "quote", 5 } };
	bool gives = true;

	for (size_t i = from; i + 2 < end;) {
		size_t word = i;
		char c = l->text.p[i];

		if (ascii_is_alnum(c) || c == '.') {
			i = lexer_skip(l, i, is_name);
			gives = gives && word > from;
			for (size_t k = 0; k < ARRAY_LEN(givers); k++)
				gives = gives || str_eq(str_sub(l->text, word, i), givers[k]);
			continue;
		}
		gives = gives && c != '|';
		if (gives && (c == '"' || c == '`' || c == '\'') && !is_gap(lexer_at(l, i + 1)))
			return true;
		i++;
	}
	return false;
}

static size_t template(const struct lexer *l, size_t i, bool *given)
{
	size_t end = closed(l, i, STR("}}")), from = i + 2;

	if (!end)
		return 0;
	while (from < end && (is_space(l->text.p[from]) || l->text.p[from] == '-'))
		from++;
	*given = template_gives(l, from, end);
	return *given ? 0 : end;
}

/* The end of a variable such as "$NAME", which has capitals, or a name that hides, or is one of nginx; 0: the text
 * is a value. */
static size_t bare_variable(const struct lexer *l, size_t i)
{
	static const str prefixes[] = { { "http_", 5 }, { "arg_", 4 }, { "cookie_", 7 }, { "upstream_", 9 } };
	size_t end = i + 1;
	bool capitals = true;
	str name;

	while (end < l->text.n && (ascii_is_alnum(l->text.p[end]) || l->text.p[end] == '_'))
		capitals = !ascii_is_lower(l->text.p[end++]) && capitals;
	name = str_sub(l->text, i + 1, end);
	if (name.n == 0 || ascii_is_digit(name.p[0]) ||
	    !(ends_value(lexer_at(l, end)) || is_one_of(lexer_at(l, end), CHARS("$:@/"))))
		return 0;
	for (size_t k = 0; k < ARRAY_LEN(prefixes); k++)
		capitals = capitals || str_has_prefix(name, prefixes[k]);
	return capitals || mask_name(l->fields, name) >= NAME_TEXTS ? end : 0;
}

static size_t variable(const struct lexer *l, size_t i, bool *given)
{
	size_t end;

	i += lexer_at(l, i + 1) == '$';
	switch (lexer_at(l, i + 1)) {
	case '(':
		end = lexer_skip(l, i + 2, is_variable_char);
		return end > i + 2 && lexer_at(l, end) == ')' ? end + 1 : 0;
	case '{':
		return lexer_at(l, i + 2) == '{' ? template(l, i + 1, given) : braced(l, i + 2, given);
	default:
		return bare_variable(l, i);
	}
}

static size_t reference(const struct lexer *l, size_t i, bool *given)
{
	size_t end = i;

	switch (lexer_at(l, i)) {
	case '$':
		return variable(l, i, given);
	case '{':
		return lexer_at(l, i + 1) == '{' ? template(l, i, given) : 0;
	case '(':
		return lexer_at(l, i + 1) == '(' ? closed(l, i, STR("))")) : 0;
	case '#':
		return lexer_starts(l, i, STR("#{ENV")) ? closed(l, i, STR("}")) : 0;
	case '<':
		return lexer_starts(l, i, STR("<%=")) ? closed(l, i, STR("%>")) : 0;
	case '%':
		if (lexer_at(l, i + 1) == '(')
			return closed(l, i, STR(")s"));
		while (ascii_is_upper(lexer_at(l, end + 1)) || lexer_at(l, end + 1) == '_')
			end++;
		return end > i && lexer_at(l, end + 1) == '%' ? end + 2 : 0;
	default:
		return 0;
	}
}

size_t value_reference(const struct lexer *l, size_t i)
{
	bool given = false;

	return reference(l, i, &given);
}

bool value_has_default(const struct lexer *l, size_t i)
{
	bool given = false;

	(void)reference(l, i, &given);
	return given;
}

/* ---- what stands there ---- */

/* Whether a value is empty, masked, or no secret whatever its name is. */
static bool is_nothing(str value)
{
	static const str nothing[] = { { "", 0 },       { "null", 4 },       { "~", 1 },         { "true", 4 },
				       { "false", 5 },  { "True", 4 },       { "False", 5 },     { "None", 4 },
				       { "nil", 3 },    { "NULL", 4 },       { "undefined", 9 }, { "<nil>", 5 },
				       { "<none>", 6 }, { "<redacted>", 10 } };
	size_t stars = 0;

	for (size_t i = 0; i < ARRAY_LEN(nothing); i++) {
		if (str_eq(value, nothing[i]))
			return true;
	}
	while (stars < value.n && value.p[stars] == '*')
		stars++;
	return stars == value.n;
}

static bool is_number(str value)
{
	size_t i = 0;

	while (i < value.n && (ascii_is_digit(value.p[i]) || value.p[i] == '.'))
		i++;
	return value.n > 0 && i == value.n;
}

/* Whether a word is a scheme such as "Bearer" or "Basic", which a credential follows. */
static bool is_scheme(str word)
{
	static const str schemes[] = { { "Bearer", 6 }, { "Basic", 5 },  { "Token", 5 }, { "Digest", 6 },
				       { "ApiKey", 6 }, { "Splunk", 6 }, { "bearer", 6 } };

	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		if (str_eq(word, schemes[i]))
			return true;
	}
	return false;
}

/* Whether [@i, @end) consists of references, and of nothing else that could be a value. */
static bool is_references(const struct lexer *l, size_t i, size_t end)
{
	size_t n = 0;

	while (i < end) {
		size_t next = value_reference(l, i);

		if (next && next <= end) {
			i = next;
			n++;
		} else if (is_one_of(l->text.p[i], CHARS(":/@ -_"))) {
			i++;
		} else {
			return false;
		}
	}
	return n > 0;
}

static size_t cut(const struct lexer *l, size_t from)
{
	return l->text.n - from < LOOK_MOST ? l->text.n : from + LOOK_MOST;
}

/* The end of the text that is quoted by the character at @quote with @slashes before it. */
static size_t quoted_end(const struct lexer *l, size_t quote, size_t slashes)
{
	size_t n = 0, most = cut(l, quote);

	for (size_t i = quote + 1; i < most; i++) {
		char c = l->text.p[i];

		if (c == l->text.p[quote] && n == slashes)
			return i - slashes;
		n = c == '\\' ? n + 1 : 0;
	}
	return most;
}

static bool is_backslash(char c)
{
	return c == '\\';
}

/* Find the quote, behind backslashes, that opens a quoted text at @i. False: the text is not quoted. */
static bool opens(const struct lexer *l, size_t i, size_t *quote)
{
	*quote = lexer_skip(l, i, is_backslash);
	return is_one_of(lexer_at(l, *quote), CHARS("\"'`"));
}

static size_t unquoted_end(const struct lexer *l, size_t i)
{
	size_t most = cut(l, i);

	while (i < most && !ends_value(l->text.p[i]))
		i++;
	return i;
}

str value_text(const struct lexer *l, size_t i)
{
	size_t quote;

	i = lexer_skip(l, i, is_space);
	if (opens(l, i, &quote))
		return str_sub(l->text, quote + 1, quoted_end(l, quote, quote - i));
	return str_sub(l->text, i, unquoted_end(l, i));
}

/* Classify the text of a value, between its quotes or the ends of an unquoted one. */
static enum value text_is(const struct lexer *l, size_t from, size_t end)
{
	str text = str_sub(l->text, from, end);
	size_t word = from;

	if (is_nothing(str_trim(text)) || is_references(l, from, end))
		return VALUE_NONE;
	while (word < end && ascii_is_alnum(l->text.p[word]))
		word++;
	if (is_scheme(str_sub(l->text, from, word)) &&
	    (word == end || (l->text.p[word] == ' ' && is_references(l, word, end))))
		return VALUE_NONE;
	return is_number(text) ? VALUE_COUNT : VALUE_TEXT;
}

static enum value quoted(const struct lexer *l, size_t i, size_t quote)
{
	size_t end = quoted_end(l, quote, quote - i), triple = quote + 1;

	if (end == quote + 1 && lexer_at(l, triple) == l->text.p[quote] && lexer_at(l, triple + 1) == l->text.p[quote])
		return lexer_at(l, triple + 2) == l->text.p[quote] ? VALUE_NONE : VALUE_TEXT;
	triple = end + (quote - i) + 1;
	if (triple < l->text.n && ascii_is_alnum(l->text.p[triple])) /* ""x in a shell */
		return VALUE_TEXT;
	return text_is(l, quote + 1, end);
}

bool value_is_next_name(const struct lexer *l, size_t i)
{
	size_t end = lexer_skip(l, i, is_gap), from = end, words = 0;

	for (; words < WORDS_OF_NAME && is_name(lexer_at(l, end)); words++) {
		from = lexer_skip(l, end, is_name);
		end = lexer_skip(l, from, is_gap);
	}
	return words > 0 &&
	       (lexer_at(l, end) == '=' || (lexer_at(l, end) == ':' && (end > from || is_gap(lexer_at(l, end + 1)) ||
									is_end(lexer_at(l, end + 1)))));
}

static bool is_terminator(char c)
{
	return ends_value(c) && !is_end(c);
}

/* Classify an unquoted value that begins with a character that ends others: "password=;User=x" has no value,
 * "password: ,x" has one. */
static enum value terminated(const struct lexer *l, size_t i)
{
	i = lexer_skip(l, i, is_terminator);
	if (is_end(lexer_at(l, i)) || lexer_at(l, i) == '{' || value_is_next_name(l, i))
		return VALUE_NONE;
	return VALUE_TEXT;
}

static enum value value_here(const struct lexer *l, size_t i, enum op op);

/* Whether a quoted text is a name: "any text": x */
static bool is_quoted_name(const struct lexer *l, size_t i)
{
	size_t quote, end;

	if (!opens(l, i, &quote))
		return false;
	end = lexer_skip(l, quoted_end(l, quote, quote - i), is_gap);
	return lexer_at(l, end) == ':' || lexer_at(l, end) == '=';
}

static enum value in_braces(const struct lexer *l, size_t i, enum op op)
{
	size_t next = lexer_skip(l, i + 1, is_blank);

	if (lexer_at(l, i + 1) == '{' && op != OP_EQUALS && closed(l, i, STR("}}")))
		return text_is(l, i, unquoted_end(l, closed(l, i, STR("}}"))));
	if (next == l->text.n)
		return VALUE_MAP;
	if (lexer_at(l, next) == '}')
		return terminated(l, next);
	return value_is_next_name(l, next) || is_end(lexer_at(l, i + 1)) || is_quoted_name(l, next) ? VALUE_MAP
												    : VALUE_TEXT;
}

static bool is_list_blank(char c)
{
	return is_blank(c) || c == '[';
}

static enum value in_brackets(const struct lexer *l, size_t i, enum op op)
{
	i = lexer_skip(l, i + 1, is_list_blank);
	if (lexer_at(l, i) == ']' || i == l->text.n)
		return i == l->text.n ? VALUE_TEXT : terminated(l, i);
	return value_here(l, i, op);
}

static enum value in_tag(const struct lexer *l, size_t i)
{
	size_t end;

	i = lexer_skip(l, i, is_blank);
	if (lexer_at(l, i) == '<')
		return lexer_at(l, i + 1) == '/' ? VALUE_NONE : lexer_at(l, i + 1) == '!' ? VALUE_TEXT : VALUE_MAP;
	for (end = i; end < cut(l, i) && l->text.p[end] != '<';)
		end++;
	return text_is(l, i, end);
}

/* Whether a value is a member with the name of a secret, such as "self.token": code that passes it on under its own
 * name. */
static bool is_same_member(const struct lexer *l, str value)
{
	ptrdiff_t dot = str_rfind(value, STR("."));

	return dot > 0 &&
	       lexer_skip(l, (size_t)(value.p - l->text.p), is_name) == (size_t)(value.p - l->text.p) + value.n &&
	       !ascii_is_digit(value.p[0]) &&
	       mask_name(l->fields, str_sub(value, (size_t)dot + 1, value.n)) >= NAME_TEXTS;
}

static enum value unquoted(const struct lexer *l, size_t i, enum op op)
{
	size_t end = i, next;
	str value;

	while ((next = value_reference(l, end)) > 0)
		end = next;
	end = unquoted_end(l, end);
	value = str_sub(l->text, i, end);
	if (is_same_member(l, value))
		return VALUE_NONE;
	if (is_scheme(value) && lexer_at(l, end) == ' ') {
		next = lexer_skip(l, end, is_space);
		return value_reference(l, next) || is_end(lexer_at(l, next)) ? VALUE_NONE : VALUE_TEXT;
	}
	next = lexer_skip(l, end, is_space);
	if (op == OP_COLON && next > end && ascii_is_alnum(lexer_at(l, next)) && is_nothing(value) &&
	    !value_is_next_name(l, next))
		return VALUE_TEXT; /* in YAML this is one text of several words */
	return text_is(l, i, end);
}

static enum value value_here(const struct lexer *l, size_t i, enum op op)
{
	char c = lexer_at(l, i), next = lexer_at(l, i + 1);
	size_t quote;

	if ((c == 'b' || c == 'r' || c == 'f' || c == 'u') && (next == '"' || next == '\''))
		i++;
	if (opens(l, i, &quote))
		return quoted(l, i, quote);
	if (value_has_default(l, i))
		return VALUE_TEXT;
	if (c == '{')
		return in_braces(l, i, op);
	if (c == '[')
		return in_brackets(l, i, op);
	if (is_one_of(c, CHARS(",;&}])")))
		return op == OP_COLON && c == '&' ? VALUE_TEXT : terminated(l, i);
	return unquoted(l, i, op);
}

/* ---- the next line ---- */

static bool is_comment(const struct lexer *l, size_t i)
{
	return lexer_at(l, i) == '#' && (is_space(lexer_at(l, i + 1)) || is_end(lexer_at(l, i + 1)));
}

static size_t line_end(const struct lexer *l, size_t i)
{
	size_t most = cut(l, i);

	while (i < most && !is_end(l->text.p[i]))
		i++;
	return i;
}

/* Skip the dashes in front of list items. */
static size_t behind_dashes(const struct lexer *l, size_t i)
{
	while (lexer_at(l, i) == '-' && is_space(lexer_at(l, i + 1)))
		i = lexer_skip(l, i + 1, is_space);
	return i;
}

/* Whether a line begins with "name:" or "name=". */
static bool is_entry(const struct lexer *l, size_t i, bool *assigned)
{
	size_t from = lexer_skip(l, i, is_quote), end = lexer_skip(l, from, is_name);
	size_t op = lexer_skip(l, end, is_gap);

	*assigned = lexer_at(l, op) == '=';
	return end > from && (*assigned || (lexer_at(l, op) == ':' && (is_blank(lexer_at(l, op + 1)) || op > end)));
}

static bool is_section(const struct lexer *l, size_t i)
{
	size_t end = line_end(l, i);

	return lexer_at(l, i) == '[' && end > i + 1 && l->text.p[end - 1] == ']' && l->text.p[i + 1] != '"' &&
	       l->text.p[i + 1] != '\'';
}

static size_t indent_of(const struct lexer *l, size_t i)
{
	size_t n = 0;

	while (i > 0 && is_space(l->text.p[i - 1]) && n < LOOK_MOST)
		i--, n++;
	return n;
}

/* Classify the line at @i, which follows a name at the end of its line. */
static enum value line_is(const struct lexer *l, size_t i, enum op op)
{
	size_t from = behind_dashes(l, i);
	bool assigned = false;

	if (from == l->text.n || is_end(lexer_at(l, from)) || is_section(l, from) || lexer_starts(l, from, STR("---")))
		return VALUE_NONE;
	if (is_one_of(lexer_at(l, from), CHARS("}])")))
		return VALUE_NONE;
	if (lexer_at(l, from) == '<')
		return lexer_at(l, from + 1) == '/' ? VALUE_NONE : VALUE_TEXT;
	if (is_entry(l, from, &assigned))
		return !assigned                                                       ? VALUE_MAP
		       : op == OP_COLON && indent_of(l, i) > indent_of(l, l->line) + 1 ? VALUE_TEXT
										       : VALUE_NONE;
	return value_here(l, from, op == OP_OPTION ? op : OP_COLON);
}

static size_t next_line(const struct lexer *l, size_t i)
{
	i = line_end(l, i);
	if (lexer_at(l, i) == '\r' && lexer_at(l, i + 1) == '\n')
		i++;
	return i < l->text.n ? i + 1 : i;
}

static enum value value_below(const struct lexer *l, size_t i, enum op op)
{
	size_t from = i;

	for (i = next_line(l, i); i < l->text.n && i - from < LOOK_MOST; i = next_line(l, i)) {
		size_t text = lexer_skip(l, i, is_space);

		if (!is_end(lexer_at(l, text)) && !is_comment(l, text))
			return line_is(l, text, op);
		if (op != OP_COLON)
			return VALUE_NONE;
	}
	return VALUE_NONE;
}

/* Whether the rest of the line consists of "|", ">-", "&anchor" or "!tag". */
static bool is_yaml_mark(const struct lexer *l, size_t i)
{
	char c = lexer_at(l, i);
	size_t end = unquoted_end(l, i + 1);

	return (c == '|' || c == '>' || c == '&' || c == '!') && is_end(lexer_at(l, lexer_skip(l, end, is_space))) &&
	       (c == '&' || c == '!' || end - i <= 3);
}

enum value value_behind(const struct lexer *l, size_t i, enum op op)
{
	enum value below;

	if (op == OP_TAG)
		return in_tag(l, i);
	i = lexer_skip(l, i, is_space);
	if (lexer_at(l, i) == '\\' && is_end(lexer_at(l, i + 1)))
		return value_below(l, i, op == OP_OPTION ? OP_OPTION : OP_ASSIGN);
	if (is_end(lexer_at(l, i)) || (is_comment(l, i) && op != OP_TIGHT))
		return value_below(l, i, op);
	if (op == OP_COLON && is_yaml_mark(l, i)) {
		below = value_below(l, i, op);
		if (lexer_at(l, i) == '&' || lexer_at(l, i) == '!')
			return below == VALUE_MAP ? VALUE_MAP : VALUE_TEXT;
		return below == VALUE_MAP ? VALUE_TEXT : below;
	}
	return value_here(l, i, op);
}
