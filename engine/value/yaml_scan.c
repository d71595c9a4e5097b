/* Makes the queue of tokens: indentation, flow levels, simple keys. */
#include "value/yaml_scan.h"

#include "base/assert.h"

#include <errno.h>

#define FLOW_LEVELS_MOST 10000
#define INDENTS_MOST 10000

#define WORD (YAML_C_WORD | YAML_C_URI)
#define URI YAML_C_URI
#define INDICATOR YAML_C_INDICATOR

const uint8_t yaml_class[256] = {
	['\0'] = YAML_C_END,
	[' '] = YAML_C_BLANK,
	['\t'] = YAML_C_BLANK,
	['\n'] = YAML_C_BREAK,
	['\r'] = YAML_C_BREAK,
	[0xC2] = YAML_C_BREAK,
	[0xE2] = YAML_C_BREAK,
	['0' ... '9'] = WORD,
	['A' ... 'Z'] = WORD,
	['a' ... 'z'] = WORD,
	['_'] = WORD,
	['-'] = WORD,
	[';'] = URI,
	['/'] = URI,
	['='] = URI,
	['+'] = URI,
	['$'] = URI,
	['.'] = URI,
	['~'] = URI,
	['('] = URI,
	[')'] = URI,
	[':'] = URI | YAML_C_COLON,
	['?'] = URI | YAML_C_FLOW,
	[','] = URI | YAML_C_FLOW | INDICATOR,
	['['] = URI | YAML_C_FLOW | INDICATOR,
	[']'] = URI | YAML_C_FLOW | INDICATOR,
	['{'] = YAML_C_FLOW | INDICATOR,
	['}'] = YAML_C_FLOW | INDICATOR,
	['@'] = URI | INDICATOR,
	['&'] = URI | INDICATOR,
	['!'] = URI | INDICATOR,
	['*'] = URI | INDICATOR,
	['\''] = URI | INDICATOR,
	['%'] = URI | INDICATOR,
	['#'] = INDICATOR,
	['|'] = INDICATOR,
	['>'] = INDICATOR,
	['"'] = INDICATOR,
	['`'] = INDICATOR,
};

/* ---- errors ---- */

int yaml_problem(struct err *err, enum yaml_problem_kind kind, uint32_t line, const char *problem)
{
	if (kind == YAML_PROBLEM_READER || line == 0)
		return err_set(err, EBADMSG, "yaml: %s", problem);
	if (kind == YAML_PROBLEM_SCANNER)
		line++;
	return err_set(err, EBADMSG, "yaml: line %u: %s", line, problem);
}

int yaml_reader_problem(struct yaml_scanner *s)
{
	return yaml_problem(s->err, YAML_PROBLEM_READER, 0, s->in.problem);
}

int yaml_scan_error(struct yaml_scanner *s, const char *problem)
{
	return yaml_problem(s->err, YAML_PROBLEM_SCANNER, s->line, problem);
}

/* ---- places ---- */

static void count_to(struct yaml_scanner *s, const char *to)
{
	for (; s->counted_to < to; s->counted_to++)
		s->continued += ((unsigned char)*s->counted_to & 0xC0) == 0x80;
}

size_t yaml_column_slow(struct yaml_scanner *s)
{
	count_to(s, s->at);
	return (size_t)(s->at - s->line_start) - (s->continued - s->continued_before_line);
}

/* The number of characters before s->at. */
static size_t char_index(struct yaml_scanner *s)
{
	if (!s->in.ascii)
		count_to(s, s->at);
	return (size_t)(s->at - s->in.text) - s->continued;
}

void yaml_count_line(struct yaml_scanner *s)
{
	count_to(s, s->at);
	s->continued_before_line = s->continued;
}

/* ---- the queue ---- */

/* Insert @t before the token that is @before places behind the head; at the end when @before is negative. */
static int insert(struct yaml_scanner *s, ptrdiff_t before, struct yaml_token t)
{
	struct yaml_token *place;

	if (s->head == s->tokens.n)
		s->head = s->tokens.n = 0;
	if (!vec_push(&s->tokens, t))
		return err_nomem(s->err);
	if (before < 0)
		return 0;
	place = &s->tokens.p[s->head + (size_t)before];
	memmove(place + 1, place, (s->tokens.n - 1 - s->head - (size_t)before) * sizeof(*place));
	*place = t;
	return 0;
}

static int append(struct yaml_scanner *s, enum yaml_token_type type, uint32_t line)
{
	return insert(s, -1, (struct yaml_token){ .type = (uint8_t)type, .line = line });
}

static size_t next_number(const struct yaml_scanner *s)
{
	return s->taken + (s->tokens.n - s->head);
}

/* ---- keys without "?" ---- */

static struct yaml_simple_key *top_key(struct yaml_scanner *s)
{
	return &s->keys.p[s->keys.n - 1];
}

/* Whether @k can still be a key: it is on one line and not too long. */
static int key_is_valid(struct yaml_scanner *s, struct yaml_simple_key *k, bool *valid)
{
	*valid = k->possible;
	if (!k->possible || (k->line == s->line && k->index + YAML_KEY_LONGEST >= char_index(s)))
		return 0;
	if (k->required)
		return yaml_scan_error(s, "could not find expected ':'");
	*valid = k->possible = false;
	return 0;
}

static int drop_key(struct yaml_scanner *s)
{
	struct yaml_simple_key *k = top_key(s);

	if (!k->possible)
		return 0;
	if (k->required)
		return yaml_scan_error(s, "could not find expected ':'");
	k->possible = k->listed = false;
	return 0;
}

static int save_key(struct yaml_scanner *s)
{
	size_t column;
	int r;

	if (!s->key_allowed)
		return 0;
	r = drop_key(s);
	if (r < 0)
		return r;
	column = yaml_column(s);
	*top_key(s) = (struct yaml_simple_key){
		.possible = true,
		.listed = true,
		.required = s->flow_level == 0 && s->indent == (ptrdiff_t)column,
		.line = s->line,
		.token = next_number(s),
		.index = char_index(s),
		.column = column,
	};
	return 0;
}

/* The listed key whose token is at the head of the queue. Numbers grow along the stack; a level that has not had a
 * key yet has the number of its bracket, so two neighbours may be equal. */
static struct yaml_simple_key *key_at_head(struct yaml_scanner *s)
{
	size_t low = 0, high = s->keys.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->keys.p[mid].token < s->taken)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < s->keys.n && s->keys.p[low].token == s->taken; low++) {
		if (s->keys.p[low].listed)
			return &s->keys.p[low];
	}
	return NULL;
}

/* ---- indentation and flow levels ---- */

/* Open a block collection at @column when that is deeper; its token goes before token @number, or at the end (-1). */
static int roll_indent(struct yaml_scanner *s, size_t column, ptrdiff_t number, enum yaml_token_type type,
		       uint32_t line)
{
	if (s->flow_level > 0 || s->indent >= (ptrdiff_t)column)
		return 0;
	if (!vec_push(&s->indents, s->indent))
		return err_nomem(s->err);
	s->indent = (ptrdiff_t)column;
	if (s->indents.n > INDENTS_MOST)
		return yaml_scan_error(s, "exceeded max depth of 10000");
	return insert(s, number < 0 ? -1 : number - (ptrdiff_t)s->taken,
		      (struct yaml_token){ .type = (uint8_t)type, .line = line });
}

static int unroll_indent(struct yaml_scanner *s, ptrdiff_t column)
{
	int r = 0;

	if (s->flow_level > 0)
		return 0;
	while (r == 0 && s->indent > column) {
		r = append(s, YAML_TOKEN_BLOCK_END, s->line);
		ASSERT(s->indents.n > 0);
		s->indent = s->indents.p[--s->indents.n];
	}
	return r;
}

static int enter_flow(struct yaml_scanner *s)
{
	struct yaml_simple_key k = { .token = next_number(s), .line = s->line };

	if (!vec_push(&s->keys, k))
		return err_nomem(s->err);
	if (++s->flow_level > FLOW_LEVELS_MOST)
		return yaml_scan_error(s, "exceeded max depth of 10000");
	return 0;
}

/* Leave a flow collection. An empty one takes the key that its own bracket may be off the list (the two share a
 * number), so "{}: x" is not recognised in time. The original does that, and users see its error. */
static void leave_flow(struct yaml_scanner *s)
{
	size_t number;

	if (s->flow_level == 0)
		return;
	s->flow_level--;
	ASSERT(s->keys.n > 0);
	number = s->keys.p[--s->keys.n].token;
	if (top_key(s)->token == number)
		top_key(s)->listed = false;
}

/* ---- fetching ---- */

/* End every block collection and every possible key. */
static int reset_block(struct yaml_scanner *s)
{
	int r = unroll_indent(s, -1);

	if (r == 0)
		r = drop_key(s);
	s->key_allowed = false;
	return r;
}

static int fetch_stream_end(struct yaml_scanner *s)
{
	int r;

	if (yaml_column(s) != 0)
		yaml_start_line(s);
	r = reset_block(s);
	return r < 0 ? r : append(s, YAML_TOKEN_STREAM_END, s->line);
}

static int fetch_directive(struct yaml_scanner *s)
{
	struct yaml_token t = { 0 };
	int r = reset_block(s);

	if (r == 0)
		r = yaml_scan_directive(s, &t);
	return r < 0 ? r : insert(s, -1, t);
}

static int fetch_document_mark(struct yaml_scanner *s)
{
	bool start = *s->at == '-';
	int r = reset_block(s);

	s->at += 3;
	return r < 0 ? r : append(s, start ? YAML_TOKEN_DOCUMENT_START : YAML_TOKEN_DOCUMENT_END, s->line);
}

static int fetch_flow_start(struct yaml_scanner *s, enum yaml_token_type type)
{
	int r = save_key(s);

	if (r == 0)
		r = enter_flow(s);
	s->key_allowed = true;
	s->at++;
	return r < 0 ? r : append(s, type, s->line);
}

static int fetch_flow_end(struct yaml_scanner *s, enum yaml_token_type type)
{
	int r = drop_key(s);

	leave_flow(s);
	s->key_allowed = false;
	s->at++;
	return r < 0 ? r : append(s, type, s->line);
}

/* Open a collection at "-" or "?" in block context. */
static int open_block(struct yaml_scanner *s, enum yaml_token_type type, const char *problem)
{
	if (s->flow_level > 0)
		return 0; /* the parser refuses it, with a better message */
	if (!s->key_allowed)
		return yaml_scan_error(s, problem);
	return roll_indent(s, yaml_column(s), -1, type, s->line);
}

static int fetch_indicator(struct yaml_scanner *s, enum yaml_token_type type, bool key_allowed)
{
	int r = drop_key(s);

	s->key_allowed = key_allowed;
	s->at++;
	return r < 0 ? r : append(s, type, s->line);
}

static int fetch_block_entry(struct yaml_scanner *s)
{
	int r = open_block(s, YAML_TOKEN_BLOCK_SEQUENCE_START,
			   "block sequence entries are not allowed in this context");

	return r < 0 ? r : fetch_indicator(s, YAML_TOKEN_BLOCK_ENTRY, true);
}

static int fetch_key(struct yaml_scanner *s)
{
	int r = open_block(s, YAML_TOKEN_BLOCK_MAPPING_START, "mapping keys are not allowed in this context");

	return r < 0 ? r : fetch_indicator(s, YAML_TOKEN_KEY, s->flow_level == 0);
}

static int fetch_value(struct yaml_scanner *s)
{
	struct yaml_simple_key *k = top_key(s);
	bool valid;
	int r = key_is_valid(s, k, &valid);

	if (r < 0)
		return r;
	if (valid) {
		ptrdiff_t before = (ptrdiff_t)k->token - (ptrdiff_t)s->taken;

		r = insert(s, before, (struct yaml_token){ .type = YAML_TOKEN_KEY, .line = k->line });
		if (r == 0)
			r = roll_indent(s, k->column, (ptrdiff_t)k->token, YAML_TOKEN_BLOCK_MAPPING_START, k->line);
		k->possible = k->listed = false;
		s->key_allowed = false;
	} else {
		r = open_block(s, YAML_TOKEN_BLOCK_MAPPING_START, "mapping values are not allowed in this context");
		s->key_allowed = s->flow_level == 0;
	}
	s->at++;
	return r < 0 ? r : append(s, YAML_TOKEN_VALUE, s->line);
}

/* Read an anchor, a tag or a scalar. It may begin a key; no key may follow it on the same line. */
static int fetch_content(struct yaml_scanner *s, int (*scan)(struct yaml_scanner *s, struct yaml_token *t))
{
	struct yaml_token t = { 0 };
	int r = save_key(s);

	s->key_allowed = false;
	if (r == 0)
		r = scan(s, &t);
	return r < 0 ? r : insert(s, -1, t);
}

static int scan_single(struct yaml_scanner *s, struct yaml_token *t)
{
	return yaml_scan_quoted(s, true, t);
}

static int scan_double(struct yaml_scanner *s, struct yaml_token *t)
{
	return yaml_scan_quoted(s, false, t);
}

static int fetch_block_scalar(struct yaml_scanner *s, bool literal)
{
	struct yaml_token t = { 0 };
	int r = drop_key(s);

	s->key_allowed = true;
	if (r == 0)
		r = yaml_scan_block(s, literal, &t);
	return r < 0 ? r : insert(s, -1, t);
}

static bool is_at_byte_order_mark(const struct yaml_scanner *s)
{
	return s->in.mark_until && (size_t)(s->at - s->in.text) < s->in.mark_until && *s->at;
}

static void skip_char(struct yaml_scanner *s)
{
	do
		s->at++;
	while (((unsigned char)*s->at & 0xC0) == 0x80);
}

void yaml_scan_space(struct yaml_scanner *s)
{
	for (;;) {
		size_t width;

		if (s->at == s->line_start && is_at_byte_order_mark(s))
			skip_char(s);
		while (*s->at == ' ' || (*s->at == '\t' && (s->flow_level > 0 || !s->key_allowed)))
			s->at++;
		if (*s->at == '#') {
			while (!yaml_is_breakz(s->at))
				s->at++;
		}
		width = yaml_break_width(s->at);
		if (!width)
			return;
		yaml_next_line(s, width);
		if (s->flow_level == 0)
			s->key_allowed = true;
	}
}

/* Read the token that the first character announces. The switch makes this longer than most functions. */
static int fetch_by_character(struct yaml_scanner *s)
{
	bool in_flow = s->flow_level > 0;

	switch (*s->at) {
	case '[':
		return fetch_flow_start(s, YAML_TOKEN_FLOW_SEQUENCE_START);
	case '{':
		return fetch_flow_start(s, YAML_TOKEN_FLOW_MAPPING_START);
	case ']':
		return fetch_flow_end(s, YAML_TOKEN_FLOW_SEQUENCE_END);
	case '}':
		return fetch_flow_end(s, YAML_TOKEN_FLOW_MAPPING_END);
	case ',':
		return fetch_indicator(s, YAML_TOKEN_FLOW_ENTRY, true);
	case '-':
		if (yaml_is_blankz(s->at + 1))
			return fetch_block_entry(s);
		break;
	case '?':
		if (in_flow || yaml_is_blankz(s->at + 1))
			return fetch_key(s);
		break;
	case ':':
		if (in_flow || yaml_is_blankz(s->at + 1))
			return fetch_value(s);
		break;
	case '*':
	case '&':
		return fetch_content(s, yaml_scan_anchor);
	case '!':
		return fetch_content(s, yaml_scan_tag);
	case '\'':
		return fetch_content(s, scan_single);
	case '"':
		return fetch_content(s, scan_double);
	case '|':
	case '>':
		if (in_flow)
			return yaml_scan_error(s, "found character that cannot start any token");
		return fetch_block_scalar(s, *s->at == '|');
	case '\t':
	case '#':
	case '%':
	case '@':
	case '`':
		return yaml_scan_error(s, "found character that cannot start any token");
	default:
		break;
	}
	return fetch_content(s, yaml_scan_plain);
}

static int fetch_next(struct yaml_scanner *s)
{
	size_t column;
	int r;

	yaml_scan_space(s);
	if (*s->at == '\0' && s->in.problem)
		return yaml_reader_problem(s);
	column = yaml_column(s);
	r = unroll_indent(s, (ptrdiff_t)column);
	if (r == 0)
		r = yaml_need(s, 4);
	if (r < 0)
		return r;
	if (*s->at == '\0')
		return fetch_stream_end(s);
	if (column == 0 && *s->at == '%')
		return fetch_directive(s);
	if (column == 0 && yaml_is_document_mark(s->at))
		return fetch_document_mark(s);
	return fetch_by_character(s);
}

/* Scan until the head of the queue is decided. Behind the end of the stream there is nothing to scan. */
int yaml_scanner_fill(struct yaml_scanner *s)
{
	for (;;) {
		int r;

		if (s->head < s->tokens.n) {
			struct yaml_simple_key *k = key_at_head(s);
			bool valid = false;

			r = k ? key_is_valid(s, k, &valid) : 0;
			if (r < 0)
				return r;
			if (!valid)
				break;
		}
		r = fetch_next(s);
		if (r < 0)
			return r;
	}
	s->ready = true;
	return 0;
}

void yaml_scanner_rewind(struct yaml_scanner *s)
{
	struct yaml_simple_key none = { 0 };

	s->at = s->line_start = s->counted_to = s->in.text;
	s->line = 0;
	s->continued = s->continued_before_line = 0;
	s->head = s->tokens.n = s->taken = 0;
	s->ready = false;
	s->indent = -1;
	s->indents.n = s->flow_level = 0;
	s->keys.n = 1;
	s->keys.p[0] = none;
	s->key_allowed = true;
}

int yaml_scanner_init(struct yaml_scanner *s, str raw, struct arena *a, struct buf *scratch, struct err *err)
{
	struct yaml_simple_key none = { 0 };
	int r;

	*s = (struct yaml_scanner){ .arena = a, .scratch = scratch, .err = err };
	r = yaml_input_load(&s->in, raw, a, err);
	if (r < 0)
		return r;
	if (!vec_push(&s->keys, none))
		return err_nomem(err);
	s->end = s->in.text + s->in.n;
	yaml_scanner_rewind(s);
	return 0;
}

void yaml_scanner_done(struct yaml_scanner *s)
{
	vec_done(&s->tokens);
	vec_done(&s->indents);
	vec_done(&s->keys);
}
