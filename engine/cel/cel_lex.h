/* The lexer: turns text into tokens.   CEL langdef, Syntax */
#ifndef CEL_LEX_H
#define CEL_LEX_H

#include "base/arena.h"
#include "base/buf.h"

enum cel_token_kind {
	TOK_END,
	TOK_BAD, /* text that is no token: reported, and skipped by the parser */
	TOK_IDENT,
	TOK_ESCAPED_IDENT, /* `a-b` */
	TOK_INT,
	TOK_UINT,
	TOK_DOUBLE,
	TOK_STRING,
	TOK_BYTES,
	TOK_TRUE,
	TOK_FALSE,
	TOK_NULL,
	TOK_IN,
	TOK_EQ,
	TOK_NE,
	TOK_LT,
	TOK_LE,
	TOK_GT,
	TOK_GE,
	TOK_AND,
	TOK_OR,
	TOK_LBRACKET,
	TOK_RBRACKET,
	TOK_LBRACE,
	TOK_RBRACE,
	TOK_LPAREN,
	TOK_RPAREN,
	TOK_DOT,
	TOK_COMMA,
	TOK_MINUS,
	TOK_NOT,
	TOK_QUESTION,
	TOK_COLON,
	TOK_PLUS,
	TOK_STAR,
	TOK_SLASH,
	TOK_PERCENT,
};

struct cel_token {
	uint8_t kind;
	uint32_t at; /* byte offset */
	str text;    /* the text as it is written */
};

struct cel_lexer {
	str source;
	uint32_t at;
};

/* The next token. TOK_BAD covers text that is no token: up to and with the character at which it cannot become one. */
struct cel_token cel_lex(struct cel_lexer *l);

/* Whether the language reserves @name. */
bool cel_is_reserved(str name);

/* The value of a string or bytes token (prefix and quotes included in @t->text) in @a. Returns NULL, or the mistake
 * in it. */
const char *cel_unquote(const struct cel_token *t, struct arena *a, str *ret);

#endif
