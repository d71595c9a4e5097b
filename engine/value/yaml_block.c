/* The shortcut through block style, without tokens.
 *
 * The output of kubectl and similar tools needs little of YAML: block collections, keys on one line, scalars of all
 * styles. The scanner's functions read the scalars, so their meaning is the same; the queue of tokens and the search
 * for keys are saved. All functions but the tests return false where the text needs more than that, and the grammar
 * over tokens then starts again: nothing is refused here.
 *
 * Places: s->indent is the column of the innermost collection, as in the scanner. Between two values the scanner is
 * at the first character of the next line that holds one; s->key_allowed says that a line break has been passed. */
#include "value/yaml_parser.h"

#include "base/assert.h"

#include <errno.h>

static bool parse_node(struct yaml_parser *p);

/* ---- looking ---- */

static bool is_followed_by_space(const char *p)
{
	return yaml_is_blankz(p + 1);
}

static bool is_entry(const struct yaml_scanner *s)
{
	return *s->at == '-' && is_followed_by_space(s->at);
}

static bool is_colon(const struct yaml_scanner *s)
{
	return *s->at == ':' && is_followed_by_space(s->at);
}

static bool is_at_end(const struct yaml_scanner *s)
{
	return *s->at == '\0' || (s->at == s->line_start && yaml_is_document_mark(s->at));
}

static bool starts_plain(const char *p)
{
	if (*p == '-' || *p == '?' || *p == ':')
		return !is_followed_by_space(p);
	return !(yaml_class_at(p) & (YAML_C_INDICATOR | YAML_C_BLANK | YAML_C_BREAK | YAML_C_END)) || *p == '\xC2' ||
	       *p == '\xE2';
}

/* ---- scalars ---- */

static bool add_scalar(struct yaml_parser *p, const struct yaml_token *t)
{
	const struct yaml_node n = { .kind = YAML_NODE_SCALAR, .implicit = t->plain, .line = t->line, .text = t->text };

	return yaml_add_node(p, n) == 0;
}

/* Read a scalar in one of the flow styles. */
static bool scan_scalar(struct yaml_scanner *s, struct yaml_token *t)
{
	*t = (struct yaml_token){ 0 };
	s->key_allowed = false;
	if (*s->at == '"' || *s->at == '\'')
		return yaml_scan_quoted(s, *s->at == '\'', t) == 0;
	return starts_plain(s->at) && yaml_scan_plain(s, t) == 0;
}

/* Whether the scalar that began at @from and was just read is a key; then the scanner is at its ":". */
static bool is_key(struct yaml_scanner *s, const char *from, const struct yaml_token *t)
{
	if (s->key_allowed || s->line != t->line)
		return false;
	while (*s->at == ' ')
		s->at++;
	return is_colon(s) && s->at - from <= YAML_KEY_LONGEST;
}

static bool parse_block_scalar(struct yaml_parser *p)
{
	struct yaml_token t = { 0 };

	if (yaml_scan_block(&p->s, *p->s.at == '|', &t) < 0)
		return false;
	p->s.key_allowed = true;
	return add_scalar(p, &t);
}

/* Step to the next value; false when anything else follows on the same line. */
static bool finish_line(struct yaml_scanner *s)
{
	yaml_scan_space(s);
	return s->key_allowed || *s->at == '\0';
}

/* ---- collections ---- */

/* Parse a flow collection. A "?" without a key makes the grammar lose the token behind it, and run past the end of
 * the collection: then the scanner is no longer where it should be. */
static bool parse_flow(struct yaml_parser *p)
{
	struct yaml_scanner *s = &p->s;
	size_t depth = s->indents.n;

	s->key_allowed = false;
	return yaml_parse_flow(p) == 0 && s->head == s->tokens.n && s->indents.n == depth && !s->keys.p[0].possible;
}

static bool indent(struct yaml_scanner *s, size_t column)
{
	if (!vec_push(&s->indents, s->indent)) {
		(void)!err_nomem(s->err);
		return false;
	}
	s->indent = (ptrdiff_t)column;
	return true;
}

static void dedent(struct yaml_scanner *s)
{
	ASSERT(s->indents.n > 0);
	s->indent = s->indents.p[--s->indents.n];
}

/* Parse the value behind the ":" of a key, unless it is a scalar in a flow style, on the same line. */
static bool parse_leaf(struct yaml_parser *p)
{
	struct yaml_token t;

	switch (*p->s.at) {
	case '|':
	case '>':
		return parse_block_scalar(p) && finish_line(&p->s);
	case '[':
	case '{':
		return parse_flow(p) && finish_line(&p->s);
	default:
		return !is_entry(&p->s) && scan_scalar(&p->s, &t) && add_scalar(p, &t) && finish_line(&p->s);
	}
}

/* Parse the value of a key, or the entry of a sequence (@entry), whose mark on @line has just been passed; the
 * collection around it is at @column. */
static bool parse_value(struct yaml_parser *p, size_t column, uint32_t line, bool entry)
{
	struct yaml_scanner *s = &p->s;
	size_t next;

	yaml_scan_space(s);
	if (is_at_end(s))
		return yaml_add_empty(p, line) == 0;
	if (s->line == line)
		return entry ? parse_node(p) : parse_leaf(p);
	next = yaml_column(s);
	if (next > column || (next == column && !entry && is_entry(s)))
		return parse_node(p);
	return yaml_add_empty(p, line) == 0;
}

/* Parse the entries of a mapping from its first key @key on; the scanner is at its ":". */
static bool parse_mapping(struct yaml_parser *p, struct yaml_token key, size_t column)
{
	struct yaml_scanner *s = &p->s;
	uint32_t index;

	if (!indent(s, column) ||
	    yaml_open_node(p, (struct yaml_node){ .kind = YAML_NODE_MAPPING, .line = key.line }, &index) < 0)
		return false;
	for (;;) {
		const char *from;

		if (!add_scalar(p, &key))
			return false;
		s->at++;
		if (!parse_value(p, column, s->line, false))
			return false;
		if (is_at_end(s) || yaml_column(s) < column)
			break;
		from = s->at;
		if (yaml_column(s) > column || is_entry(s) || !scan_scalar(s, &key) || !is_key(s, from, &key))
			return false;
	}
	dedent(s);
	yaml_close_node(p, index);
	return true;
}

/* Parse a sequence, at whose first "-" the scanner is. It may begin at the column of the mapping around it; the next
 * key then ends it. */
static bool parse_sequence(struct yaml_parser *p, size_t column)
{
	struct yaml_scanner *s = &p->s;
	bool indentless = s->indent == (ptrdiff_t)column;
	uint32_t index;

	if (!indentless && !indent(s, column))
		return false;
	if (yaml_open_node(p, (struct yaml_node){ .kind = YAML_NODE_SEQUENCE, .line = s->line }, &index) < 0)
		return false;
	do {
		s->at++;
		s->key_allowed = true;
		if (!parse_value(p, column, s->line, true))
			return false;
	} while (!is_at_end(s) && yaml_column(s) == column && is_entry(s));
	if (!is_at_end(s) && (yaml_column(s) > column || (yaml_column(s) == column && !indentless)))
		return false;
	if (!indentless)
		dedent(s);
	yaml_close_node(p, index);
	return true;
}

/* Parse a node where a collection may begin: at the start of a line, or behind "-". */
static bool parse_node(struct yaml_parser *p)
{
	struct yaml_scanner *s = &p->s;
	const char *from = s->at;
	size_t column = yaml_column(s);
	struct yaml_token t;

	if (is_entry(s))
		return parse_sequence(p, column);
	if (!starts_plain(from) && *from != '"' && *from != '\'')
		return parse_leaf(p);
	if (!scan_scalar(s, &t))
		return false;
	if (is_key(s, from, &t))
		return parse_mapping(p, t, column);
	return add_scalar(p, &t) && finish_line(s);
}

/* Parse a document that begins with a line of "---" only, or without such a line. */
static bool parse_document(struct yaml_parser *p)
{
	struct yaml_scanner *s = &p->s;

	if (s->in.problem || s->in.mark_until)
		return false;
	yaml_scan_space(s);
	if (s->at == s->line_start && *s->at == '-' && yaml_is_document_mark(s->at)) {
		s->at += 3;
		s->key_allowed = false;
		if (!finish_line(s))
			return false;
	}
	return !is_at_end(s) && parse_node(p) && is_at_end(s);
}

int yaml_parse_block(struct yaml_parser *p, bool *done)
{
	p->err->code = 0;
	*done = parse_document(p);
	return !*done && p->err->code == ENOMEM ? -ENOMEM : 0;
}
