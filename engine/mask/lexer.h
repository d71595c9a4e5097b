/* The lexer of texts: a text as words, names with values, and what else may be a secret. For siblings only: what they
 * may ask is in shapes.h.
 *
 * A text is read once, from its begin. Whatever stands at a place may look ahead, over blanks and quotes to what gives
 * a value, or LOOK_MOST bytes of it; it never goes on from there. So steps grow with the length of the text. */
#ifndef MASK_LEXER_H
#define MASK_LEXER_H

#include "mask/chars.h"
#include "mask/found.h"
#include "mask/names.h"

#define LOOK_MOST 512 /* bytes of a value, or of a line, that are looked at */

/* What gives a name a value. */
enum op {
	OP_NONE,
	OP_COLON,  /* name: x, "name":"x" */
	OP_TIGHT,  /* name:x, which is also an address or an image */
	OP_ASSIGN, /* name=x, name := x, name => x */
	OP_EQUALS, /* name == x */
	OP_TAG,    /* <name>x */
	OP_CALL,   /* name("x"), ("name", "x"), {name, "x"} */
	OP_OPTION, /* --name x, "--name","x" */
	OP_BLANK,  /* name x, where that is the way to say it */
};

enum value {
	VALUE_NONE,  /* nothing, or a reference to what stands elsewhere */
	VALUE_COUNT, /* a number */
	VALUE_MAP,   /* it has names of its own */
	VALUE_TEXT,  /* a value, or what may be one */
};

/* What was listed by INSERT INTO t (…). */
enum columns { COLUMNS_NONE, COLUMNS_LISTED, COLUMNS_HIDE };

/* What the members of a map say together: {name: DB_PASSWORD, value: x}, in either order. */
struct pair {
	bool named;    /* the name is that of a secret */
	bool valued;   /* a value came before its name */
	size_t column; /* lines that begin before it end the map */
	size_t depth;  /* of braces, below which the map ends */
};

struct lexer {
	const struct mask_fields *fields;
	str text;
	unsigned encoded;              /* how often it was encoded in another */
	unsigned n_assignments;        /* judged names */
	size_t looks;                  /* at places where something may begin: a step each, not spent yet */
	size_t line;                   /* where the line begins */
	size_t words;                  /* of the line up to here, by the blanks between them */
	size_t before;                 /* words of the line before */
	str first, last;               /* the first word of the line, and the one before this */
	size_t run;                    /* up to here no base64 begins */
	size_t depth;                  /* braces */
	const struct command *command; /* the last one of the line */
	bool piped;                    /* an echo came before it */
	size_t login;                  /* which word of the line is "login" or "machine"; 0: none */
	enum columns columns;
	bool is_secret, has_data; /* kind: Secret; data: */
	bool named_tag;           /* <entry key="password" */
	bool unescaped;           /* escapes were read already */
	struct pair pair;
	struct mask_found found; /* the worst so far */
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

/* Say that [@at, @end) is or names a secret, for the reason @rule, which lasts. */
void lexer_found(struct lexer *l, enum mask_shape shape, const char *rule, size_t at, size_t end);
/* Say that the name [@at, @end) has a value. */
void lexer_found_name(struct lexer *l, const char *rule, size_t at, size_t end);
/* What the names of names.h say of [@at, @end), or of that with the word before it: "API key". */
enum mask_name lexer_name(struct lexer *l, size_t at, size_t end);
/* Read the decoded @text, which was encoded at [@at, @end) of @l's. */
void lexer_within(struct lexer *l, str text, size_t at, size_t end);
/* Read all of the text. */
void lexer_run(struct lexer *l);

/* ---- value.c ---- */

/* What stands at @i, behind a name and @op. */
enum value value_behind(const struct lexer *l, size_t i, enum op op);
/* The text of a value at @i, without quotes around it, up to LOOK_MOST. */
str value_text(const struct lexer *l, size_t i);
/* The end of the reference to a variable at @i that has no value of its own as a default; 0: there is none. */
size_t value_reference(const struct lexer *l, size_t i);
/* Whether that at @i gives a default: "${NAME:-x}". */
bool value_has_default(const struct lexer *l, size_t i);
/* Whether a name with a value begins at @i, behind quotes: what is before it has none. */
bool value_is_next_name(const struct lexer *l, size_t i);

/* ---- key.c ---- */

/* The word [@at, @end) as a name. */
void key_word(struct lexer *l, size_t at, size_t end);
/* The content of a tag that ends at @i, whose attributes named a secret. */
void key_named_tag(struct lexer *l, size_t i);

/* ---- forms.c ---- */

/* The word [@at, @end) with @dashes before it where that says something without an operator. */
void forms_word(struct lexer *l, size_t at, size_t end, size_t dashes);
/* The text begins. */
void forms_table(struct lexer *l);
/* A line begins. */
void forms_line(struct lexer *l, size_t at);

/* ---- encoded.c ---- */

/* Base64 that begins at @at. */
void encoded_base64(struct lexer *l, size_t at);
/* An escape at @at: percent-encoding, \u0022, \n, &quot;. All that follows is read without them, once. */
void encoded_escapes(struct lexer *l, size_t at);

#endif
