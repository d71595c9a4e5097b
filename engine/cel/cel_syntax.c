/* A second, slower reading of a text that the parser has refused. It makes no tree: it follows the grammar rule by rule
 * as the generated parser does, and its way of going on behind a mistake:
 *
 *   the token that must come is not there
 *     the one behind it is the right one        "extraneous input", it is left out
 *     what may follow the right one is there    "missing", it is taken as read
 *     else                                      "mismatched input": the rule is over, and all is left out up to a token
 *                                               that a rule around it can go on with
 *   no form of a rule begins so                 "no viable alternative", the rule is over as well
 *
 * After a message there is none until a token is taken again. */
#include "cel/cel_syntax.h"

#include "base/vec.h"
#include "cel/cel_lex.h"

/* the recoveries after which the server gives up; it also does so after CEL_ISSUES_MAX messages */
#define RECOVERIES_MAX 30
#define NESTING_MAX 250
#define SHOWN_MAX 200

/* A set of tokens, a bit for each kind. */
typedef uint64_t set;

#define BIT(kind) ((set)1 << (kind))
#define END_OF_RULE ((set)1 << 63) /* the rule may end here */

#define NUMBERS (BIT(TOK_INT) | BIT(TOK_DOUBLE))
#define LITERALS                                                                                                       \
	(NUMBERS | BIT(TOK_UINT) | BIT(TOK_STRING) | BIT(TOK_BYTES) | BIT(TOK_TRUE) | BIT(TOK_FALSE) | BIT(TOK_NULL))
#define MEMBER                                                                                                         \
	(LITERALS | BIT(TOK_LBRACKET) | BIT(TOK_LBRACE) | BIT(TOK_LPAREN) | BIT(TOK_DOT) | BIT(TOK_MINUS) |            \
	 BIT(TOK_IDENT))
#define OPERAND (MEMBER | BIT(TOK_NOT))
#define OPTIONAL (OPERAND | BIT(TOK_QUESTION))
#define NAME (BIT(TOK_IDENT) | BIT(TOK_ESCAPED_IDENT))
#define FIELD (NAME | BIT(TOK_QUESTION))
#define PRODUCT (BIT(TOK_STAR) | BIT(TOK_SLASH) | BIT(TOK_PERCENT))
#define SUM (BIT(TOK_PLUS) | BIT(TOK_MINUS))
#define RELATION (BIT(TOK_EQ) | BIT(TOK_NE) | BIT(TOK_IN) | BIT(TOK_LT) | BIT(TOK_LE) | BIT(TOK_GE) | BIT(TOK_GT))

_Static_assert(TOK_PERCENT < 63, "a set has a bit for each token");

/* A rule that is being followed, with the tokens that may follow it in the rule around it. */
struct frame {
	set behind;
	const struct frame *outer;
};

enum mistake { FINE, MISMATCHED, NOT_VIABLE };

struct reader {
	struct cel_issues *is;
	VEC(struct cel_token) tokens; /* the last one is the end */
	VEC(struct cel_token) bad;    /* texts that are no tokens */
	size_t at;
	const struct frame *frame;
	enum mistake mistake; /* the mistake that ends the current rule */
	set expected;         /* MISMATCHED: the tokens that were expected */
	size_t from, culprit; /* NOT_VIABLE: the tokens that were tried */
	bool silent;          /* true from a message to the next token that is taken */
	size_t left_at;       /* the place where a rule was last left */
	set left_for;         /* the set for which it was left; 0 once a token is taken */
	unsigned recoveries, nesting;
	bool given_up;
	bool nameless; /* the name that had to be last is missing */
};

typedef void (*rule_fn)(struct reader *r);

static void expr(struct reader *r);

/* ---- tokens ---- */

static const struct cel_token *token_at(const struct reader *r, size_t i)
{
	return &r->tokens.p[i < r->tokens.n ? i : r->tokens.n - 1];
}

static set next(const struct reader *r, size_t ahead)
{
	return BIT(token_at(r, r->at + ahead)->kind);
}

static void skip(struct reader *r)
{
	if (r->at + 1 < r->tokens.n)
		r->at++;
}

/* Take a token: messages may be reported again. */
static void go_on(struct reader *r)
{
	r->silent = false;
	r->left_for = 0;
}

static set around(const struct reader *r)
{
	set tokens = 0;

	for (const struct frame *f = r->frame; f; f = f->outer)
		tokens |= f->behind;
	return tokens & ~END_OF_RULE;
}

/* The tokens that may follow when @here may follow in the current rule. */
static set possible(const struct reader *r, set here)
{
	for (const struct frame *f = r->frame; f && here & END_OF_RULE; f = f->outer)
		here = (here & ~END_OF_RULE) | f->behind;
	return here & END_OF_RULE ? (here & ~END_OF_RULE) | BIT(TOK_END) : here;
}

/* ---- messages ---- */

/* The names of tokens in the server's grammar, in its order. */
static const struct {
	uint8_t kind;
	const char *name;
} names[] = {
	{ TOK_END, "<EOF>" },     { TOK_EQ, "'=='" },          { TOK_NE, "'!='" },
	{ TOK_IN, "'in'" },       { TOK_LT, "'<'" },           { TOK_LE, "'<='" },
	{ TOK_GE, "'>='" },       { TOK_GT, "'>'" },           { TOK_AND, "'&&'" },
	{ TOK_OR, "'||'" },       { TOK_LBRACKET, "'['" },     { TOK_RBRACKET, "']'" },
	{ TOK_LBRACE, "'{'" },    { TOK_RBRACE, "'}'" },       { TOK_LPAREN, "'('" },
	{ TOK_RPAREN, "')'" },    { TOK_DOT, "'.'" },          { TOK_COMMA, "','" },
	{ TOK_MINUS, "'-'" },     { TOK_NOT, "'!'" },          { TOK_QUESTION, "'?'" },
	{ TOK_COLON, "':'" },     { TOK_PLUS, "'+'" },         { TOK_STAR, "'*'" },
	{ TOK_SLASH, "'/'" },     { TOK_PERCENT, "'%'" },      { TOK_TRUE, "'true'" },
	{ TOK_FALSE, "'false'" }, { TOK_NULL, "'null'" },      { TOK_DOUBLE, "NUM_FLOAT" },
	{ TOK_INT, "NUM_INT" },   { TOK_UINT, "NUM_UINT" },    { TOK_STRING, "STRING" },
	{ TOK_BYTES, "BYTES" },   { TOK_IDENT, "IDENTIFIER" }, { TOK_ESCAPED_IDENT, "ESC_IDENTIFIER" },
};

static void add_set(set tokens, struct buf *out)
{
	bool several = (tokens & (tokens - 1)) != 0, first = true;

	buf_add_cstr(out, several ? "{" : "");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!(tokens & BIT(names[i].kind)))
			continue;
		buf_add_cstr(out, first ? "" : ", ");
		buf_add_cstr(out, names[i].name);
		first = false;
	}
	buf_add_cstr(out, several ? "}" : "");
}

/* Append text of the source in quotes, with escapes for line breaks and tabs. */
static void add_text(str text, struct buf *out)
{
	buf_add_byte(out, '\'');
	for (size_t i = 0; i < text.n && i < SHOWN_MAX; i++) {
		const char *escaped = text.p[i] == '\n'   ? "\\n"
				      : text.p[i] == '\r' ? "\\r"
				      : text.p[i] == '\t' ? "\\t"
							  : NULL;

		if (escaped)
			buf_add_cstr(out, escaped);
		else
			buf_add_byte(out, text.p[i]);
	}
	buf_add_byte(out, '\'');
}

static void add_token(const struct cel_token *t, struct buf *out)
{
	if (t->kind == TOK_END)
		buf_add_cstr(out, "'<EOF>'");
	else
		add_text(t->text, out);
}

static void report(struct reader *r, uint32_t at, struct buf *text)
{
	if (text->error)
		r->is->no_memory = true;
	else
		cel_issue_add(r->is, at, "Syntax error: %.*s", STR_ARG(buf_str(text)));
	if (r->is->n == CEL_ISSUES_MAX || r->is->no_memory)
		r->given_up = true;
}

/* Report "extraneous input 'x' expecting …" and the like for the next token; nothing while the reader is silent. */
static void report_expected(struct reader *r, const char *what, set expected)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	if (r->silent)
		return;
	r->silent = true;
	buf_printf(&text, "%s ", what);
	add_token(token_at(r, r->at), &text);
	buf_add_cstr(&text, " expecting ");
	add_set(expected, &text);
	report(r, token_at(r, r->at)->at, &text);
}

static void report_missing(struct reader *r, set token)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	if (r->silent)
		return;
	r->silent = true;
	buf_add_cstr(&text, "missing ");
	add_set(token, &text);
	buf_add_cstr(&text, " at ");
	add_token(token_at(r, r->at), &text);
	report(r, token_at(r, r->at)->at, &text);
}

/* The tokens with which no rule begins, and the space between them, but without texts that are no tokens; as much as
 * is shown. */
static str not_viable_text(const struct reader *r, char *text, size_t size)
{
	uint32_t at = token_at(r, r->from)->at, end = token_at(r, r->culprit)->at;
	size_t n = 0, bad = 0;

	end += (uint32_t)token_at(r, r->culprit)->text.n;
	while (at < end && n < size) {
		while (bad < r->bad.n && r->bad.p[bad].at < at)
			bad++;
		if (bad < r->bad.n && r->bad.p[bad].at == at)
			at += (uint32_t)r->bad.p[bad].text.n;
		else
			text[n++] = r->is->source.p[at++];
	}
	return (str){ text, n };
}

/* Whether @text is a keyword: one in the place of a name is reported as a keyword. */
static bool is_word(str text)
{
	str word = str_sub(text, 1, text.n);

	return str_eq(word, STR("true")) || str_eq(word, STR("false")) || str_eq(word, STR("null"));
}

static void report_not_viable(struct reader *r)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	char input[SHOWN_MAX];
	str shown = not_viable_text(r, input, sizeof(input));

	if (r->silent)
		return;
	r->silent = true;
	if (is_word(shown)) {
		buf_printf(&text, "mismatched input '%.*s' expecting IDENTIFIER", STR_ARG(str_sub(shown, 1, shown.n)));
	} else {
		buf_add_cstr(&text, "no viable alternative at input ");
		if (token_at(r, r->from)->kind == TOK_END)
			add_token(token_at(r, r->from), &text);
		else
			add_text(shown, &text);
	}
	report(r, token_at(r, r->culprit)->at, &text);
}

/* ---- going on behind a mistake ---- */

static bool may_recover(struct reader *r)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	if (r->given_up)
		return false;
	if (r->recoveries++ < RECOVERIES_MAX)
		return true;
	buf_printf(&text, "error recovery attempt limit exceeded: %d", RECOVERIES_MAX);
	report(r, token_at(r, r->at)->at, &text);
	r->given_up = true;
	return false;
}

static void skip_to(struct reader *r, set tokens)
{
	while (!(next(r, 0) & (tokens | BIT(TOK_END))))
		skip(r);
}

/* End a rule because of a mistake: report it, and skip tokens with which no enclosing rule can continue. */
static void leave(struct reader *r)
{
	set reason = r->mistake == MISMATCHED ? r->expected : END_OF_RULE;

	if (r->mistake == MISMATCHED)
		report_expected(r, "mismatched input", r->expected);
	else
		report_not_viable(r);
	r->mistake = FINE;
	if (!may_recover(r))
		return;
	if (r->left_for == reason && r->left_at == r->at)
		skip(r);
	r->left_at = r->at;
	r->left_for = reason;
	skip_to(r, around(r));
}

static void mismatched(struct reader *r, set expected)
{
	r->mistake = MISMATCHED;
	r->expected = expected;
}

/* Note that no form of the rule begins with the next tokens, of which the last is @ahead behind the first. */
static void not_viable(struct reader *r, size_t ahead)
{
	r->mistake = NOT_VIABLE;
	r->expected = 0;
	r->from = r->at;
	r->culprit = r->at + ahead < r->tokens.n ? r->at + ahead : r->tokens.n - 1;
}

/* Leave out the next token if the one behind it is right. */
static bool drop_one(struct reader *r, set expected)
{
	if (!(next(r, 1) & expected))
		return false;
	report_expected(r, "extraneous input", expected);
	skip(r);
	go_on(r);
	return true;
}

/* Check, before an optional part or one of several, that one of @here follows. */
static void check(struct reader *r, set here)
{
	if (r->mistake || r->given_up || r->silent || here & (END_OF_RULE | next(r, 0)))
		return;
	if (may_recover(r) && !drop_one(r, possible(r, here)))
		mismatched(r, possible(r, here));
}

/* As check, before a part is repeated. */
static void check_again(struct reader *r, set here)
{
	if (r->mistake || r->given_up || r->silent || here & (END_OF_RULE | next(r, 0)) || !may_recover(r))
		return;
	report_expected(r, "extraneous input", possible(r, here));
	skip_to(r, possible(r, here) | around(r));
}

/* Take a token, which @behind may follow in this rule. */
static void take(struct reader *r, uint8_t kind, set behind)
{
	if (r->mistake || r->given_up)
		return;
	if (next(r, 0) == BIT(kind)) {
		go_on(r);
		skip(r);
		return;
	}
	if (!may_recover(r))
		return;
	if (drop_one(r, BIT(kind)))
		skip(r);
	else if (next(r, 0) & possible(r, behind))
		report_missing(r, BIT(kind));
	else
		mismatched(r, BIT(kind));
}

/* Parse a rule, which @behind may follow in the current rule. */
static void follow(struct reader *r, rule_fn rule, set behind)
{
	struct frame frame = { behind, r->frame };

	if (r->mistake || r->given_up)
		return;
	r->frame = &frame;
	rule(r);
	if (r->mistake)
		leave(r);
	r->frame = frame.outer;
}

static bool comes(const struct reader *r, set tokens)
{
	return !r->mistake && !r->given_up && next(r, 0) & tokens;
}

/* ---- the grammar ---- */

/* optExpr: ["?"] expr */
static void optional_expr(struct reader *r)
{
	check(r, OPTIONAL);
	if (comes(r, BIT(TOK_QUESTION)))
		take(r, TOK_QUESTION, OPERAND);
	follow(r, expr, END_OF_RULE);
}

static void escaped_name(struct reader *r)
{
	check(r, NAME);
	r->nameless = r->mistake != FINE;
	take(r, comes(r, BIT(TOK_ESCAPED_IDENT)) ? TOK_ESCAPED_IDENT : TOK_IDENT, END_OF_RULE);
}

/* Parse a name. When it is missing, the server reports one more mistake, for the place @at. */
static void follow_name(struct reader *r, size_t at, set behind)
{
	r->nameless = false;
	follow(r, escaped_name, behind);
	if (r->nameless && !r->given_up)
		cel_issue_add(r->is, token_at(r, at)->at, "unsupported ident kind");
}

/* optField: ["?"] escapeIdent */
static void optional_field(struct reader *r)
{
	size_t at;

	check(r, FIELD);
	at = r->at;
	if (comes(r, BIT(TOK_QUESTION)))
		take(r, TOK_QUESTION, NAME);
	follow_name(r, at, END_OF_RULE);
}

#define MORE (BIT(TOK_COMMA) | END_OF_RULE)

static void arguments(struct reader *r)
{
	follow(r, expr, MORE);
	while (comes(r, BIT(TOK_COMMA))) {
		take(r, TOK_COMMA, OPERAND);
		follow(r, expr, MORE);
	}
}

/* Whether more elements come. A comma that nothing follows belongs to the rule around the list. */
static bool comes_more(const struct reader *r, set first)
{
	return comes(r, BIT(TOK_COMMA)) && next(r, 1) & first;
}

static void items(struct reader *r)
{
	follow(r, optional_expr, MORE);
	while (comes_more(r, OPTIONAL)) {
		take(r, TOK_COMMA, OPTIONAL);
		follow(r, optional_expr, MORE);
	}
}

static void entry(struct reader *r, rule_fn key)
{
	follow(r, key, BIT(TOK_COLON));
	take(r, TOK_COLON, OPERAND);
	follow(r, expr, MORE);
}

static void entries(struct reader *r)
{
	entry(r, optional_expr);
	while (comes_more(r, OPTIONAL)) {
		take(r, TOK_COMMA, OPTIONAL);
		entry(r, optional_expr);
	}
}

static void fields(struct reader *r)
{
	entry(r, optional_field);
	while (comes_more(r, FIELD)) {
		take(r, TOK_COMMA, FIELD);
		entry(r, optional_field);
	}
}

/* @open [list] [","] @close, where a list begins with @first. */
static void enclosed(struct reader *r, uint8_t open, rule_fn list, set first, uint8_t close)
{
	set end = BIT(TOK_COMMA) | BIT(close);

	take(r, open, first | end);
	check(r, first | end);
	if (comes(r, first))
		follow(r, list, end);
	check(r, end);
	if (comes(r, BIT(TOK_COMMA)))
		take(r, TOK_COMMA, BIT(close));
	take(r, close, END_OF_RULE);
}

/* Parse "(" [arguments] ")", which @behind may follow. */
static void call(struct reader *r, set behind)
{
	take(r, TOK_LPAREN, OPERAND | BIT(TOK_RPAREN));
	check(r, OPERAND | BIT(TOK_RPAREN));
	if (comes(r, OPERAND))
		follow(r, arguments, BIT(TOK_RPAREN));
	take(r, TOK_RPAREN, behind);
}

/* ["."] name {"." name} "{" … "}" */
static void message(struct reader *r)
{
	set behind = BIT(TOK_DOT) | BIT(TOK_LBRACE);

	if (comes(r, BIT(TOK_DOT)))
		take(r, TOK_DOT, BIT(TOK_IDENT));
	take(r, TOK_IDENT, behind);
	while (comes(r, BIT(TOK_DOT))) {
		take(r, TOK_DOT, BIT(TOK_IDENT));
		take(r, TOK_IDENT, behind);
	}
	enclosed(r, TOK_LBRACE, fields, FIELD, TOK_RBRACE);
}

/* The number of tokens in ["."] name {"." name}. */
static size_t dotted(const struct reader *r)
{
	size_t n = next(r, 0) & BIT(TOK_DOT) ? 2 : 1;

	while (next(r, n) & BIT(TOK_DOT) && next(r, n + 1) & BIT(TOK_IDENT))
		n += 2;
	return n;
}

/* A name, a call or a message. */
static void named(struct reader *r)
{
	bool absolute = next(r, 0) & BIT(TOK_DOT);

	if (absolute && !(next(r, 1) & BIT(TOK_IDENT))) {
		not_viable(r, 1);
	} else if (next(r, dotted(r)) & BIT(TOK_LBRACE)) {
		message(r);
	} else {
		if (absolute)
			take(r, TOK_DOT, BIT(TOK_IDENT));
		if (cel_is_reserved(token_at(r, r->at)->text))
			cel_issue_add(r->is, token_at(r, r->at)->at, "reserved identifier: %.*s",
				      STR_ARG(token_at(r, r->at)->text));
		take(r, TOK_IDENT, END_OF_RULE | BIT(TOK_LPAREN));
		if (comes(r, BIT(TOK_LPAREN)))
			call(r, END_OF_RULE);
	}
}

static void primary(struct reader *r)
{
	check(r, MEMBER);
	if (comes(r, BIT(TOK_LPAREN))) {
		take(r, TOK_LPAREN, OPERAND);
		follow(r, expr, BIT(TOK_RPAREN));
		take(r, TOK_RPAREN, END_OF_RULE);
	} else if (comes(r, BIT(TOK_LBRACKET))) {
		enclosed(r, TOK_LBRACKET, items, OPTIONAL, TOK_RBRACKET);
	} else if (comes(r, BIT(TOK_LBRACE))) {
		enclosed(r, TOK_LBRACE, entries, OPTIONAL, TOK_RBRACE);
	} else if (comes(r, BIT(TOK_DOT) | BIT(TOK_IDENT))) {
		named(r);
	} else if (comes(r, BIT(TOK_MINUS)) && !(next(r, 1) & NUMBERS)) {
		not_viable(r, 1);
	} else if (comes(r, LITERALS | BIT(TOK_MINUS))) {
		if (comes(r, BIT(TOK_MINUS)))
			take(r, TOK_MINUS, NUMBERS);
		take(r, token_at(r, r->at)->kind, END_OF_RULE);
	} else if (!r->mistake) {
		not_viable(r, 0);
	}
}

#define MORE_MEMBER (BIT(TOK_DOT) | BIT(TOK_LBRACKET) | END_OF_RULE)

static void part_of_member(struct reader *r)
{
	if (!(next(r, 1) & FIELD)) {
		not_viable(r, 1);
	} else if (next(r, 1) & BIT(TOK_IDENT) && next(r, 2) & BIT(TOK_LPAREN)) {
		take(r, TOK_DOT, BIT(TOK_IDENT));
		take(r, TOK_IDENT, BIT(TOK_LPAREN));
		call(r, MORE_MEMBER);
	} else {
		take(r, TOK_DOT, FIELD);
		if (comes(r, BIT(TOK_QUESTION)))
			take(r, TOK_QUESTION, NAME);
		follow_name(r, r->at, MORE_MEMBER);
	}
}

static void member(struct reader *r)
{
	follow(r, primary, MORE_MEMBER);
	while (comes(r, BIT(TOK_DOT) | BIT(TOK_LBRACKET))) {
		if (comes(r, BIT(TOK_DOT))) {
			part_of_member(r);
			continue;
		}
		take(r, TOK_LBRACKET, OPTIONAL);
		check(r, OPTIONAL);
		if (comes(r, BIT(TOK_QUESTION)))
			take(r, TOK_QUESTION, OPERAND);
		follow(r, expr, BIT(TOK_RBRACKET));
		take(r, TOK_RBRACKET, MORE_MEMBER);
	}
}

/* member, or one behind "!" or "-"; a "-" before a number is its sign. */
static void unary(struct reader *r)
{
	check(r, OPERAND);
	if (comes(r, BIT(TOK_NOT))) {
		while (comes(r, BIT(TOK_NOT))) {
			take(r, TOK_NOT, OPERAND);
			check_again(r, OPERAND);
		}
	} else if (comes(r, BIT(TOK_MINUS)) && !(next(r, 1) & NUMBERS)) {
		while (comes(r, BIT(TOK_MINUS))) {
			if (!(next(r, 1) & MEMBER)) {
				not_viable(r, 1);
				return;
			}
			take(r, TOK_MINUS, MEMBER);
		}
	}
	follow(r, member, END_OF_RULE);
}

/* Parse sums and products: which of them binds closer makes no difference to what may follow. */
static void calculation(struct reader *r)
{
	follow(r, unary, PRODUCT | SUM | END_OF_RULE);
	while (comes(r, PRODUCT | SUM)) {
		take(r, token_at(r, r->at)->kind, OPERAND);
		follow(r, unary, PRODUCT | SUM | END_OF_RULE);
	}
}

static void relation(struct reader *r)
{
	follow(r, calculation, RELATION | END_OF_RULE);
	while (comes(r, RELATION)) {
		take(r, token_at(r, r->at)->kind, OPERAND);
		follow(r, calculation, RELATION | END_OF_RULE);
	}
}

static void conjunction(struct reader *r)
{
	follow(r, relation, BIT(TOK_AND) | END_OF_RULE);
	while (comes(r, BIT(TOK_AND))) {
		take(r, TOK_AND, OPERAND);
		follow(r, relation, BIT(TOK_AND) | END_OF_RULE);
	}
}

static void disjunction(struct reader *r)
{
	follow(r, conjunction, BIT(TOK_OR) | END_OF_RULE);
	while (comes(r, BIT(TOK_OR))) {
		take(r, TOK_OR, OPERAND);
		follow(r, conjunction, BIT(TOK_OR) | END_OF_RULE);
	}
}

static void expr(struct reader *r)
{
	if (++r->nesting > NESTING_MAX)
		r->given_up = true;
	follow(r, disjunction, BIT(TOK_QUESTION) | END_OF_RULE);
	if (comes(r, BIT(TOK_QUESTION))) {
		take(r, TOK_QUESTION, OPERAND);
		follow(r, disjunction, BIT(TOK_COLON));
		take(r, TOK_COLON, OPERAND);
		follow(r, expr, END_OF_RULE);
	}
	r->nesting--;
}

static void start(struct reader *r)
{
	follow(r, expr, BIT(TOK_END));
	take(r, TOK_END, END_OF_RULE);
}

/* ---- the text ---- */

static void report_no_token(struct reader *r, const struct cel_token *t)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	buf_add_cstr(&text, "token recognition error at: ");
	add_text(t->text, &text);
	report(r, t->at, &text);
}

static bool read_tokens(struct reader *r)
{
	struct cel_lexer lexer = { r->is->source, 0 };
	struct cel_token t;

	do {
		t = cel_lex(&lexer);
		if (t.kind == TOK_BAD)
			report_no_token(r, &t);
		if (t.kind == TOK_BAD ? !vec_push(&r->bad, t) : !vec_push(&r->tokens, t))
			r->is->no_memory = true;
	} while (t.kind != TOK_END && !r->is->no_memory);
	return !r->is->no_memory;
}

void cel_syntax_report(struct cel_issues *is)
{
	struct reader r = { .is = is };

	if (read_tokens(&r)) {
		start(&r);
		if (r.mistake)
			leave(&r);
	}
	vec_done(&r.tokens);
	vec_done(&r.bad);
}
