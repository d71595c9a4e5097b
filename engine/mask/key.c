/* Recognizes names with values: the operators between them, and what the members of a map mean together. */
#include "mask/lexer.h"

#define NAME_LEAST 2
#define NAME_MOST 128         /* bytes of a name */
#define GAP_MOST 4096         /* bytes between a name and its operator */
#define SUBSCRIPT_MOST 32     /* bytes of "[0]" behind a name */
#define PREFIX_MOST 32        /* bytes of a namespace of XML */
#define ASSIGNMENTS_MAX 10000 /* in one text; a text with more of them is hidden without further checks */

static const char rule_named[] = "a name that hides has a value";

/* Whether the name at @begin is that of a tag, "<name" or "<x:name". */
static bool opens_tag(const struct lexer *l, size_t begin)
{
	size_t i = begin;

	if (i > 0 && l->text.p[i - 1] == ':') {
		for (i--; i > 0 && begin - i < PREFIX_MOST && ascii_is_alnum(l->text.p[i - 1]);)
			i--;
	}
	return i > 0 && l->text.p[i - 1] == '<';
}

/* ---- operators ---- */

static bool is_bracket_gap(char c)
{
	return is_gap(c) || c == ']' || c == '[' || ascii_is_digit(c);
}

/* Skip blanks, quotes and subscripts behind the name: password[0] =, $p["password"] =, @p{password} =. */
static size_t behind_name(const struct lexer *l, size_t begin, size_t end)
{
	size_t i = lexer_skip(l, end, is_gap), from = begin;
	char before;

	while (from > 0 && is_quote(l->text.p[from - 1]))
		from--;
	before = from > 0 ? l->text.p[from - 1] : ' ';
	if (lexer_at(l, i) == '[' || (lexer_at(l, i) == ']' && before == '[')) {
		for (from = i; i - from < SUBSCRIPT_MOST && is_bracket_gap(lexer_at(l, i));)
			i++;
		return i;
	}
	if (lexer_at(l, i) == '}' && before == '{' && from > 1 && l->text.p[from - 2] != '$')
		return lexer_skip(l, i + 1, is_gap);
	if (lexer_at(l, i) == '&' && lexer_starts(l, i, STR("&quot;")))
		return i + 6;
	return i;
}

/* Skip to an operator alone on the next line, as JSON may have its colon. */
static size_t over_lines(const struct lexer *l, size_t i)
{
	size_t next = i;

	while (is_end(lexer_at(l, next)) && next < l->text.n && next - i < GAP_MOST)
		next = lexer_skip(l, next + 1, is_space);
	return lexer_at(l, next) == ':' || (lexer_at(l, next) == '=' && lexer_at(l, next + 1) != '=') ? next : i;
}

static enum op colon(const struct lexer *l, size_t begin, size_t end, size_t i, size_t *ret)
{
	char after = lexer_at(l, i + 1), before = begin ? l->text.p[begin - 1] : ' ';

	*ret = i + 1;
	if (after == '=') {
		*ret = i + 2;
		return OP_ASSIGN;
	}
	if (after == ':') { /* in LDIF: base64; in code: a scope */
		bool assigns = lexer_at(l, i + 2) == '=';

		*ret = i + 2 + assigns;
		return assigns || is_space(lexer_at(l, i + 2)) ? OP_COLON : OP_NONE;
	}
	if (is_space(after) || is_end(after) || is_quote(l->text.p[i - 1]) || i > end)
		return OP_COLON;
	if (before == '/' && begin > 1 && is_space(l->text.p[begin - 2])) /* an option of Windows: /password:x */
		return OP_TIGHT;
	if (before == ':' || before == '/' || before == '@' || before == '{' || before == '$' || after == '/')
		return OP_NONE;
	return OP_TIGHT;
}

static enum op equals(const struct lexer *l, size_t i, size_t *ret)
{
	char after = lexer_at(l, i + 1);

	*ret = i + 1;
	if (after == '=') {
		*ret = i + 2 + (lexer_at(l, i + 2) == '=');
		return OP_EQUALS;
	}
	if (after == '~')
		return OP_NONE;
	*ret += after == '>';
	return OP_ASSIGN;
}

/* Recognize "?=", "+=", "||=", ".=", "?:", "<-". */
static enum op compound(const struct lexer *l, size_t i, size_t *ret)
{
	char c = lexer_at(l, i), after = lexer_at(l, i + 1);

	if (c == '-') {
		*ret = i + 2;
		return after == '>' ? OP_ASSIGN : OP_NONE;
	}
	if (c == '<' || c == '!' || c == '>') {
		*ret = i + 2;
		return c == '<' && after == '-' ? OP_ASSIGN : c == '!' && after == ':' ? OP_COLON : OP_NONE;
	}
	i += after == c;
	*ret = i + 2;
	if (after == c && (c == '|' || c == '?') && is_quote(lexer_at(l, lexer_skip(l, i + 1, is_space)))) {
		*ret = i + 1; /* the value where there is none: token || "x" */
		return OP_CALL;
	}
	after = lexer_at(l, i + 1);
	return after == '=' ? OP_ASSIGN : after == ':' && c == '?' ? OP_COLON : OP_NONE;
}

/* Recognize name("x"), ("name", "x"), {name, <<"x">>}. */
static enum op call(const struct lexer *l, size_t begin, size_t end, size_t i, size_t *ret)
{
	size_t from = begin, value = lexer_skip(l, i + 1, is_space);

	*ret = i + 1;
	if (l->text.p[i] == '(')
		return i == end && is_quote(lexer_at(l, value)) ? OP_CALL : OP_NONE;
	while (from > 0 && is_gap(l->text.p[from - 1]) && begin - from < LOOK_MOST)
		from--;
	if (from == 0 || (l->text.p[from - 1] != '(' && l->text.p[from - 1] != '{'))
		return OP_NONE;
	return is_quote(lexer_at(l, value)) || lexer_starts(l, value, STR("<<\"")) ? OP_CALL : OP_NONE;
}

/* Skip "string" of Go: var password string = "x". */
static size_t over_type(const struct lexer *l, size_t i)
{
	static const str types[] = { { "string", 6 }, { "[]byte", 6 }, { "String", 6 }, { "str", 3 } };

	for (size_t k = 0; k < ARRAY_LEN(types); k++) {
		size_t end = lexer_skip(l, i + types[k].n, is_space);

		if (lexer_starts(l, i, types[k]) && lexer_at(l, end) == '=')
			return end;
	}
	return i;
}

/* The operator behind the name [@begin, @end), and the place where the value begins. */
static enum op operator_behind(const struct lexer *l, size_t begin, size_t end, size_t *ret)
{
	size_t i = behind_name(l, begin, end);

	if (is_end(lexer_at(l, i)))
		i = over_lines(l, i);
	else if (i > end && (lower(lexer_at(l, i)) == 's' || lexer_at(l, i) == '['))
		i = over_type(l, i);
	switch (i < l->text.n ? l->text.p[i] : '\n') {
	case ':':
		return colon(l, begin, end, i, ret);
	case '=':
		return equals(l, i, ret);
	case '-':
	case '+':
	case '?':
	case '|':
	case '.':
	case '&':
	case '<':
	case '!':
		return compound(l, i, ret);
	case '(':
	case ',':
		return call(l, begin, end, i, ret);
	case '>':
		*ret = i + 1;
		return opens_tag(l, begin) ? OP_TAG : OP_NONE;
	default:
		return OP_NONE;
	}
}

/* The end of a tag, behind its attributes: <password type="x">y. 0: it has none, or no content. */
static size_t tag_end(const struct lexer *l, size_t begin, size_t end)
{
	size_t i = end;

	if (!opens_tag(l, begin) || !(is_space(lexer_at(l, end)) || is_end(lexer_at(l, end))))
		return 0;
	while (i < l->text.n && i - end < LOOK_MOST && l->text.p[i] != '>' && l->text.p[i] != '<')
		i++;
	return lexer_at(l, i) == '>' && l->text.p[i - 1] != '/' ? i + 1 : 0;
}

/* ---- the members of a map ---- */

/* Remember the map that @begin is in. It ends at a line that begins left of its column, or with its brace. */
static void place_pair(struct lexer *l, size_t begin, bool below)
{
	bool own_line = l->words <= 1 && !opens_tag(l, begin);

	l->pair.column = own_line && !l->depth ? begin - l->line + below : 0;
	l->pair.depth = l->depth + below;
}

static void found_name(struct lexer *l, size_t at, size_t end)
{
	lexer_found_name(l, rule_named, at, end);
}

/* The content of a tag, up to the next tag or the end of the line: what follows that says nothing about it. */
static str element_text(const struct lexer *l, size_t i)
{
	size_t begin = lexer_skip(l, i, is_gap), end = begin;

	while (end < l->text.n && end - begin < NAME_MOST && l->text.p[end] != '<' && !is_end(l->text.p[end]))
		end++;
	return str_sub(l->text, begin, end);
}

static void label(struct lexer *l, size_t begin, size_t end, size_t i, enum op op)
{
	str name = op == OP_TAG ? element_text(l, i) : value_text(l, i);

	l->pair.named = mask_name(l->fields, name) >= NAME_TEXTS;
	if (l->pair.named && l->pair.valued)
		found_name(l, begin, end);
	l->pair.valued = false;
	l->named_tag = l->pair.named && op == OP_ASSIGN;
	if (l->pair.named)
		place_pair(l, begin, false);
}

static void holder(struct lexer *l, size_t begin, size_t end, size_t i, enum op op)
{
	enum value v = value_behind(l, i, op);

	if (v == VALUE_NONE || v == VALUE_MAP)
		return;
	if (l->pair.named)
		found_name(l, begin, end);
	l->pair.valued = true;
	if (!l->pair.named)
		place_pair(l, begin, false);
}

void key_named_tag(struct lexer *l, size_t i)
{
	if (l->named_tag && l->text.p[i - 1] != '/' && value_behind(l, i + 1, OP_TAG) >= VALUE_COUNT &&
	    value_behind(l, i + 1, OP_TAG) != VALUE_MAP)
		lexer_found(l, SHAPE_NAMES, rule_named, i, i + 1);
	l->named_tag = false;
}

/* ---- names ---- */

static void manifest(struct lexer *l, size_t begin, size_t end, bool kind, size_t i)
{
	str value = value_text(l, i);

	l->is_secret = l->is_secret || (kind && (str_eq(value, STR("Secret")) || str_eq(value, STR("SecretList"))));
	l->has_data = l->has_data || !kind;
	if (l->is_secret && l->has_data)
		lexer_found(l, SHAPE_SECRET, "the manifest of a Secret", begin, end);
}

/* Whether a name without a blank behind its colon has a value, and is no image such as "token:1.2" and no word of an
 * address. */
static bool is_tight_value(const struct lexer *l, size_t begin, size_t i)
{
	char c = lexer_at(l, i);
	bool begins = begin == l->line || is_gap(l->text.p[begin - 1]) || l->text.p[begin - 1] == ',' ||
		      l->text.p[begin - 1] == '{' || l->text.p[begin - 1] == '/' || l->text.p[begin - 1] == ';' ||
		      l->text.p[begin - 1] == '-';
	str value = value_text(l, i);

	if (!begins || c == '/' || value.n == 0)
		return false;
	return !str_eq(value, STR("latest")) && !((ascii_is_digit(c) || c == 'v') && str_find_byte(value, '.') > 0) &&
	       str_find_byte(value, '/') < 0;
}

/* Whether a name is that of the data of a Secret. */
static bool is_data(str name)
{
	return str_eq(name, STR("data")) || str_eq(name, STR("stringData"));
}

static void judged(struct lexer *l, size_t begin, size_t end, enum mask_name name, size_t i, enum op op)
{
	enum value v = value_behind(l, i, op);

	if (v == VALUE_TEXT || (v == VALUE_COUNT && name != NAME_TEXTS)) {
		if (op != OP_TIGHT || is_tight_value(l, begin, i))
			found_name(l, begin, end);
	} else if (v == VALUE_MAP && name >= NAME_SCALARS) {
		l->pair = (struct pair){ .named = true };
		place_pair(l, begin, true);
		/* the lines that chpasswd reads are names and passwords */
		if (mask_same_name(str_sub(l->text, begin, end), STR("chpasswd")))
			found_name(l, begin, end);
	}
}

/* Judge a name with an operator behind it. */
static void key(struct lexer *l, size_t begin, size_t end, size_t i, enum op op)
{
	str word = str_sub(l->text, begin, end);
	bool kind = str_eq_nocase(word, STR("kind"));
	enum mask_name name;

	if (++l->n_assignments > ASSIGNMENTS_MAX) {
		lexer_found(l, SHAPE_SECRET, "more names with values than are looked at", begin, end);
		return;
	}
	if (kind || is_data(word))
		manifest(l, begin, end, kind, i);
	if (str_eq(word, STR("stringData")) && value_behind(l, i, op) != VALUE_NONE)
		lexer_found(l, SHAPE_SECRET, "stringData of a Secret", begin, end);
	if (op != OP_EQUALS && mask_is_label(word) && lexer_name(l, begin, end) < NAME_TEXTS) {
		label(l, begin, end, i, op);
		return;
	}
	name = lexer_name(l, begin, end);
	if (name == NAME_HOLDER || (name == NAME_PLAIN && mask_is_value_name(word)))
		holder(l, begin, end, i, op);
	else if (name >= NAME_TEXTS)
		judged(l, begin, end, name, i, op);
}

void key_word(struct lexer *l, size_t at, size_t end)
{
	size_t value = 0, tag;
	enum op op;

	if (end - at < NAME_LEAST)
		return;
	if (end - at > NAME_MOST)
		at = end - NAME_MOST;
	l->looks++;
	op = operator_behind(l, at, end, &value);
	tag = op == OP_NONE ? tag_end(l, at, end) : 0;
	if (op != OP_NONE)
		key(l, at, end, value, op);
	else if (tag)
		key(l, at, end, tag, OP_TAG);
}
