/* The lexer of texts: finds words, names with values, and what else may be a secret. Only for files in this folder;
 * others use shapes.h.
 *
 * A text is read once, from its begin. The reader may look ahead from any place, over blanks and quotes to what
 * gives a value, or at LOOK_MOST bytes of it; it never continues from there. So steps grow with the length of the
 * text. */
#ifndef MASK_LEXER_H
#define MASK_LEXER_H

#include "mask/chars.h"
#include "mask/found.h"
#include "mask/names.h"

#define LOOK_MOST 512 /* bytes of a value, or of a line, that are looked at */

/* The operator that gives a name a value. */
enum op {
	OP_NONE,
	OP_COLON,  /* name: x, "name":"x" */
	OP_TIGHT,  /* name:x, which may also be an address or an image */
	OP_ASSIGN, /* name=x, name := x, name => x */
	OP_EQUALS, /* name == x */
	OP_TAG,    /* <name>x */
	OP_CALL,   /* name("x"), ("name", "x"), {name, "x"} */
	OP_OPTION, /* --name x, "--name","x" */
	OP_BLANK,  /* name x, where this is the syntax */
};

enum value {
	VALUE_NONE,  /* nothing, or a reference to another place */
	VALUE_COUNT, /* a number */
	VALUE_MAP,   /* a map, with names of its own */
	VALUE_TEXT,  /* a value, or what may be one */
};

/* The columns that INSERT INTO t (…) has listed. */
enum columns { COLUMNS_NONE, COLUMNS_LISTED, COLUMNS_HIDE };

/* The members of a map that belong together: {name: DB_PASSWORD, value: x}, in either order. */
struct pair {
	bool named;    /* the name is that of a secret */
	bool valued;   /* a value came before its name */
	size_t column; /* a line that begins left of it ends the map */
	size_t depth;  /* the map ends below this depth of braces */
};

struct lexer {
	const struct mask_fields *fields;
	str text;
	unsigned encoded;              /* how many times the text was encoded within another one */
	unsigned n_assignments;        /* how many names were judged */
	size_t looks;                  /* places where something may begin; each takes a step, not spent yet */
	size_t line;                   /* where the line begins */
	size_t words;                  /* words of the line so far, as blanks divide it */
	size_t before;                 /* words of the previous line */
	str first, last;               /* the first word of the line, and the word before the present one */
	size_t run;                    /* no base64 begins before this place */
	size_t depth;                  /* how many braces are open */
	const struct command *command; /* the last command of the line */
	bool piped;                    /* an echo came before the command */
	size_t login;                  /* which word of the line is "login" or "machine"; 0: none */
	enum columns columns;
	bool is_secret, has_data; /* the text has "kind: Secret" and "data:" */
	bool named_tag;           /* the name stands in a tag such as <entry key="password" */
	bool unescaped;           /* the text has been read without its escapes */
	struct pair pair;
	struct mask_found found; /* the worst finding so far */
	void (*report)(void *ctx, const struct mask_found *found);
	void *ctx;
};

static inline char lexer_at(const struct lexer *l, size_t i)
{
	return i < l->text.n ? l->text.p[i] : '\n';
}

static inline bool lexer_starts(const struct lexer *l, size_t i, str with)
{
	return str_has_prefix(str_sub(l->text, i, l->text.n), with);
}

static inline size_t lexer_skip(const struct lexer *l, size_t i, bool (*is)(char c))
{
	while (i < l->text.n && is(l->text.p[i]))
		i++;
	return i;
}

/* Report that [@at, @end) is or names a secret, for the reason @rule, which lasts. */
void lexer_found(struct lexer *l, enum mask_shape shape, const char *rule, size_t at, size_t end);
/* Report that the name [@at, @end) has a value. */
void lexer_found_name(struct lexer *l, const char *rule, size_t at, size_t end);
/* What names.h says about the name [@at, @end), or about that and the word before it, such as "API key". */
enum mask_name lexer_name(struct lexer *l, size_t at, size_t end);
/* Read the decoded @text, which was encoded at [@at, @end) of @l's text. */
void lexer_within(struct lexer *l, str text, size_t at, size_t end);
/* Read all of the text. */
void lexer_run(struct lexer *l);

/* ---- value.c ---- */

/* The kind of value at @i, behind a name and @op. */
enum value value_behind(const struct lexer *l, size_t i, enum op op);
/* The text of a value at @i, without quotes around it, up to LOOK_MOST bytes. */
str value_text(const struct lexer *l, size_t i);
/* The end of the reference to a variable at @i, if it has no default with a value; 0: there is none. */
size_t value_reference(const struct lexer *l, size_t i);
/* Whether the reference at @i has a default with a value: "${NAME:-x}". */
bool value_has_default(const struct lexer *l, size_t i);
/* Whether a name with a value begins at @i, behind quotes, so that the name before it has no value. */
bool value_is_next_name(const struct lexer *l, size_t i);

/* ---- key.c ---- */

/* Judge the word [@at, @end) as a name. */
void key_word(struct lexer *l, size_t at, size_t end);
/* Judge the content of a tag that ends at @i, whose attributes named a secret. */
void key_named_tag(struct lexer *l, size_t i);

/* ---- forms.c ---- */

/* Judge the word [@at, @end), with @dashes before it, where it may give a value without an operator. */
void forms_word(struct lexer *l, size_t at, size_t end, size_t dashes);
/* Judge the text as a table; called at its begin. */
void forms_table(struct lexer *l);
/* Judge the line that begins at @at. */
void forms_line(struct lexer *l, size_t at);

/* ---- encoded.c ---- */

/* Decode and read base64 that begins at @at. */
void encoded_base64(struct lexer *l, size_t at);
/* Read all text from @at on without escapes, once, because one is at @at: percent-encoding, \u0022, \n, &quot;. */
void encoded_escapes(struct lexer *l, size_t at);

#endif
