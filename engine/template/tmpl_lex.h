/* Template text to tokens, one at a time. Trim markers and comments end here: the parser never sees them. */
#ifndef TEMPLATE_TMPL_LEX_H
#define TEMPLATE_TMPL_LEX_H

#include "base/buf.h"
#include "base/str.h"

enum tok_type {
	TOK_ERROR, /* val is the message */
	TOK_BOOL,
	TOK_CHAR, /* a printable ASCII character without another meaning */
	TOK_CHAR_CONSTANT,
	TOK_COMPLEX,
	TOK_ASSIGN,
	TOK_DECLARE,
	TOK_EOF,
	TOK_FIELD,
	TOK_IDENTIFIER,
	TOK_LEFT_DELIM,
	TOK_LEFT_PAREN,
	TOK_NUMBER,
	TOK_PIPE,
	TOK_RAW_STRING,
	TOK_RIGHT_DELIM,
	TOK_RIGHT_PAREN,
	TOK_SPACE,
	TOK_STRING,
	TOK_TEXT,
	TOK_VARIABLE,
	TOK_KEYWORD, /* no token: the keywords come after it */
	TOK_BLOCK,
	TOK_BREAK,
	TOK_CONTINUE,
	TOK_DOT,
	TOK_DEFINE,
	TOK_ELSE,
	TOK_END,
	TOK_IF,
	TOK_NIL,
	TOK_RANGE,
	TOK_TEMPLATE,
	TOK_WITH,
};

struct token {
	enum tok_type type;
	size_t pos;  /* byte offset */
	size_t line; /* from 1 */
	str val;
};

struct tmpl_lexer {
	str input;
	size_t pos;
	size_t start; /* where the token that is being read begins */
	size_t line;
	size_t start_line;
	int paren_depth;
	bool at_eof;
	bool inside;  /* inside an action */
	bool stopped; /* after an error: only TOK_EOF follows */
	struct token token;
	char message[512]; /* the text of a TOK_ERROR; long quoted texts are cut */
};

void tmpl_lex_init(struct tmpl_lexer *l, str input);
struct token tmpl_lex_next(struct tmpl_lexer *l);

/* A token as messages show it: EOF, <if>, "text", "long text "... */
void tmpl_token_print(const struct token *t, struct buf *out);

#endif
