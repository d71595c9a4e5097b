/* The state of the parser, which its parts share, and what each part adds to the tree. All functions but the inline
 * ones return 0, or negative with the error set. */
#ifndef TEXT_RE2_PARSE_INTERNAL_H
#define TEXT_RE2_PARSE_INTERNAL_H

#include "text/re2_internal.h"

enum { RE2_FLAG_FOLD = 1, RE2_FLAG_MULTI_LINE = 2, RE2_FLAG_DOT_NL = 4, RE2_FLAG_UNGREEDY = 8 };

struct re2_frame {
	unsigned flags;    /* the flags to restore at the end of the group */
	uint32_t cap;      /* number of the group; 0: it does not capture */
	size_t first_item; /* where its current branch begins in @items */
	size_t first_alt;  /* where its finished branches begin in @alts */
};

struct re2_parser {
	struct re2 *re;
	str rest; /* the part of the pattern that is not read yet */
	unsigned flags;
	VEC(struct re2_frame) frames;
	VEC(struct re2_node *) items; /* nodes of the branches that are being read */
	VEC(struct re2_node *) alts;  /* finished branches of open groups */
	VEC(str) names;
	struct buf *message;
	struct err *err;
};

/* The text from the beginning of @from to that of @to, which are both tails of the pattern. */
static inline str re2p_between(str from, str to)
{
	return (str){ from.p, from.n - to.n };
}

static inline str re2p_tail(str s, size_t n)
{
	return str_sub(s, n, s.n);
}

static inline bool re2p_is_alnum(uint32_t c)
{
	return c - '0' < 10 || (c | 0x20) - 'a' < 26;
}

/* ---- re2_parse.c ---- */

int re2p_error(struct re2_parser *p, const char *what, str where);
int re2p_nomem(struct re2_parser *p);
/* The next code point of *s, which moves behind it. */
int re2p_next_rune(struct re2_parser *p, str *s, uint32_t *c);
int re2p_check_utf8(struct re2_parser *p, str s);

/* ---- re2_parse_tree.c ---- */

struct re2_node *re2p_node(struct re2_parser *p, enum re2_op op); /* NULL: no memory */
/* Derive height, size and the flags of @n from its subs, and check the limits. */
int re2p_node_finish(struct re2_parser *p, struct re2_node *n);

/* Add a node to the branch that is being read. */
int re2p_push_op(struct re2_parser *p, enum re2_op op);
int re2p_push_literal(struct re2_parser *p, uint32_t c);
int re2p_push_class(struct re2_parser *p, struct re2_class *c); /* cleans @c, which still belongs to the caller */

int re2p_open_group(struct re2_parser *p, bool captures, str name);
int re2p_close_group(struct re2_parser *p);
int re2p_next_branch(struct re2_parser *p);
/* End the innermost group: its branches become one node. */
int re2p_end_alternation(struct re2_parser *p, struct re2_node **ret);

/* ---- re2_parse_repeat.c ---- */

/* Read *, + or ? at p->rest. @last_repeat: where the repetition right before it began; empty without one. */
int re2p_repeat(struct re2_parser *p, str last_repeat);
/* Read a brace at p->rest. *repeated: it was a repetition, and not just a brace. */
int re2p_braces(struct re2_parser *p, str last_repeat, bool *repeated);

/* ---- re2_parse_class.c ---- */

/* Read a bracketed class at p->rest. */
int re2p_class(struct re2_parser *p);
/* Read a backslash at p->rest that begins a class or one character. */
int re2p_escape(struct re2_parser *p);

#endif
