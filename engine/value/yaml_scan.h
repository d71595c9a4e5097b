/* The YAML scanner: turns checked bytes into a queue of tokens.
 *
 * It follows the rules of YAML 1.1 as libyaml's family of scanners understands them, because users see which texts
 * these accept, refuse and misread. A key without "?" is recognised only at its ":", so the scanner reads ahead and
 * puts KEY (and BLOCK_MAPPING_START) into the queue before tokens that are already there. */
#ifndef VALUE_YAML_SCAN_H
#define VALUE_YAML_SCAN_H

#include "base/buf.h"
#include "base/vec.h"
#include "value/yaml_input.h"

enum yaml_token_type {
	YAML_TOKEN_STREAM_END,
	YAML_TOKEN_VERSION,       /* text.n: 100 x major + minor */
	YAML_TOKEN_TAG_DIRECTIVE, /* text: handle, suffix: prefix */
	YAML_TOKEN_DOCUMENT_START,
	YAML_TOKEN_DOCUMENT_END,
	YAML_TOKEN_BLOCK_SEQUENCE_START,
	YAML_TOKEN_BLOCK_MAPPING_START,
	YAML_TOKEN_BLOCK_END,
	YAML_TOKEN_FLOW_SEQUENCE_START,
	YAML_TOKEN_FLOW_SEQUENCE_END,
	YAML_TOKEN_FLOW_MAPPING_START,
	YAML_TOKEN_FLOW_MAPPING_END,
	YAML_TOKEN_BLOCK_ENTRY,
	YAML_TOKEN_FLOW_ENTRY,
	YAML_TOKEN_KEY,
	YAML_TOKEN_VALUE,
	YAML_TOKEN_ALIAS,  /* text: name */
	YAML_TOKEN_ANCHOR, /* text: name */
	YAML_TOKEN_TAG,    /* text: handle, suffix */
	YAML_TOKEN_SCALAR, /* text, plain */
};

struct yaml_token {
	uint8_t type;
	bool plain;    /* a scalar without quotes and not in block style */
	uint32_t line; /* the line of its first character, from 0 */
	str text;      /* points into the input or the arena */
	str suffix;
};

/* A place that may turn out to be a key, one for each level of flow nesting. */
struct yaml_simple_key {
	bool possible;
	/* in block context, at the column of the surrounding collection, where nothing but a key is allowed */
	bool required;
	bool listed; /* the key's token is in the queue: the parser waits for the decision */
	uint32_t line;
	size_t token; /* number of the token that would be the key */
	size_t index; /* the number of characters before it */
	size_t column;
};

enum yaml_problem_kind { YAML_PROBLEM_READER, YAML_PROBLEM_SCANNER, YAML_PROBLEM_PARSER };

struct yaml_scanner {
	struct yaml_input in;
	const char *at;
	const char *end;
	const char *line_start;
	uint32_t line;

	/* Characters are counted only in texts that are not ASCII, and only once. The counts are of the bytes before
	 * @counted_to that continue a character: all of them, and those before the start of this line. */
	const char *counted_to;
	size_t continued, continued_before_line;

	VEC(struct yaml_token) tokens;
	size_t head;  /* index of the next token in @tokens */
	size_t taken; /* tokens given to the parser */
	bool ready;   /* the head token is decided */

	ptrdiff_t indent; /* column of the innermost block collection, -1: none */
	VEC(ptrdiff_t) indents;
	VEC(struct yaml_simple_key) keys; /* one for the block context, one more for each flow level */
	size_t flow_level;
	bool key_allowed;

	struct arena *arena;
	struct buf *scratch; /* scalars that need unescaping or folding are built here */
	struct err *err;
};

/* @scratch and @arena are borrowed; tokens point into the arena. */
CHECKED int yaml_scanner_init(struct yaml_scanner *s, str raw, struct arena *a, struct buf *scratch, struct err *err);
void yaml_scanner_done(struct yaml_scanner *s);
void yaml_scanner_rewind(struct yaml_scanner *s); /* to the start of the text */

int yaml_scanner_fill(struct yaml_scanner *s);

/* The next token, or NULL with the error set. Valid until the next call of either function. */
static inline const struct yaml_token *yaml_peek(struct yaml_scanner *s)
{
	if (!s->ready && yaml_scanner_fill(s) < 0)
		return NULL;
	return &s->tokens.p[s->head];
}

static inline void yaml_skip(struct yaml_scanner *s)
{
	s->ready = false;
	s->taken++;
	s->head++;
}

/* Set the error in go-yaml's words. The error of a reader has no line; a parser's line is counted from 0, a
 * scanner's from 1; line 0 is not named. Returns -EBADMSG. */
CHECKED int yaml_problem(struct err *err, enum yaml_problem_kind kind, uint32_t line, const char *problem);

/* ---- for the files of the scanner and the parser only ---- */

enum {
	YAML_C_BLANK = 1, /* space, tab */
	YAML_C_BREAK = 2, /* CR, LF, or the first byte of NEL, LS, PS */
	YAML_C_END = 4,   /* the zero byte */
	YAML_C_WORD = 8,  /* letter, digit, "_", "-" */
	YAML_C_URI = 16,
	YAML_C_FLOW = 32, /* ends a plain scalar inside [] or {} */
	YAML_C_COLON = 64,
	YAML_C_INDICATOR = 128, /* never starts a plain scalar */
};
extern const uint8_t yaml_class[256];

static inline uint8_t yaml_class_at(const char *p)
{
	return yaml_class[(unsigned char)*p];
}

static inline bool yaml_is_blank(const char *p)
{
	return *p == ' ' || *p == '\t';
}

/* The number of bytes of the line break at @p: "\r\n" is one break; 0 when there is none. */
static inline size_t yaml_break_width(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	if (u[0] == '\n')
		return 1;
	if (u[0] == '\r')
		return u[1] == '\n' ? 2 : 1;
	if (u[0] == 0xC2 && u[1] == 0x85)
		return 2;
	if (u[0] == 0xE2 && u[1] == 0x80 && (u[2] == 0xA8 || u[2] == 0xA9))
		return 3;
	return 0;
}

static inline bool yaml_is_break(const char *p)
{
	return (yaml_class_at(p) & YAML_C_BREAK) && yaml_break_width(p);
}

/* Whether @p is at a blank, a line break or the end. */
static inline bool yaml_is_blankz(const char *p)
{
	uint8_t c = yaml_class_at(p);

	return (c & (YAML_C_BLANK | YAML_C_END)) || ((c & YAML_C_BREAK) && yaml_break_width(p));
}

static inline bool yaml_is_breakz(const char *p)
{
	return *p == '\0' || yaml_is_break(p);
}

/* Whether @p is at "---" or "..." alone at the start of a line; the caller has checked the column. */
static inline bool yaml_is_document_mark(const char *p)
{
	return ((p[0] == '-' && p[1] == '-' && p[2] == '-') || (p[0] == '.' && p[1] == '.' && p[2] == '.')) &&
	       yaml_is_blankz(p + 3);
}

/* Fails when the text is broken within the next @n characters. */
int yaml_reader_problem(struct yaml_scanner *s);
CHECKED static inline int yaml_need(struct yaml_scanner *s, ptrdiff_t n)
{
	return s->in.problem && s->end - s->at < n ? yaml_reader_problem(s) : 0;
}

void yaml_count_line(struct yaml_scanner *s);
/* Note that a line begins at s->at. */
static inline void yaml_start_line(struct yaml_scanner *s)
{
	s->line++;
	s->line_start = s->at;
	if (!s->in.ascii)
		yaml_count_line(s);
}

/* Step over the line break at s->at. */
static inline void yaml_next_line(struct yaml_scanner *s, size_t width)
{
	s->at += width;
	yaml_start_line(s);
}

size_t yaml_column_slow(struct yaml_scanner *s);
/* The number of characters between the start of the line and s->at. */
static inline size_t yaml_column(struct yaml_scanner *s)
{
	if (s->in.ascii)
		return (size_t)(s->at - s->line_start);
	return yaml_column_slow(s);
}

int yaml_scan_error(struct yaml_scanner *s, const char *problem);

#define YAML_KEY_LONGEST 1024 /* the most characters between the start of a key and its ":" */

/* Step over blanks, comments and line breaks. A tab may not stand where it could be taken for indentation. */
void yaml_scan_space(struct yaml_scanner *s);

CHECKED int yaml_scan_plain(struct yaml_scanner *s, struct yaml_token *t);
CHECKED int yaml_scan_quoted(struct yaml_scanner *s, bool single, struct yaml_token *t);
CHECKED int yaml_scan_block(struct yaml_scanner *s, bool literal, struct yaml_token *t);
CHECKED int yaml_scan_directive(struct yaml_scanner *s, struct yaml_token *t);
CHECKED int yaml_scan_anchor(struct yaml_scanner *s, struct yaml_token *t);
CHECKED int yaml_scan_tag(struct yaml_scanner *s, struct yaml_token *t);

#endif
