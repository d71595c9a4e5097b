/* The declarations that the parts of the RE2 dialect share: the syntax tree, and the result of each stage. */
#ifndef TEXT_RE2_INTERNAL_H
#define TEXT_RE2_INTERNAL_H

#include "text/re2.h"

#include "base/unicode.h"
#include "base/unicode_tables.h"
#include "base/vec.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define RE2_MAX_HEIGHT 1000              /* the most levels of the tree: Go's maxHeight */
#define RE2_MAX_REPEAT 1000              /* the most repetitions of one count, and of nested ones multiplied */
#define RE2_MAX_SIZE ((128u << 20) / 40) /* the most instructions: Go's maxSize */
#define RE2_STEPS_PER_MATCH_LIMIT 128

struct re2_range {
	uint32_t lo;
	uint32_t hi;
};

/* A set of code points; after cleaning: ascending ranges that neither overlap nor touch. */
struct re2_set {
	const struct re2_range *ranges;
	uint32_t n;
};

/* ORDER re2_op */
enum re2_op {
	RE2_EMPTY,
	RE2_LITERAL, /* runes */
	RE2_CLASS,   /* set */
	RE2_ANY,
	RE2_ANY_NOT_NL,
	RE2_BEGIN_LINE,
	RE2_END_LINE,
	RE2_BEGIN_TEXT,
	RE2_END_TEXT,
	RE2_WORD,
	RE2_NOT_WORD,
	RE2_CAPTURE,
	RE2_REPEAT, /* min to max (-1: no end) times; lazy */
	RE2_CONCAT,
	RE2_ALTERNATE,
};

struct re2_node {
	uint8_t op;
	bool lazy;
	bool fold;     /* a literal ignores case */
	bool counted;  /* a repetition written {n,m}, which counts against RE2_MAX_REPEAT */
	bool nullable; /* the node can match the empty string */
	bool loops;    /* the node contains an unbounded repetition of something nullable */
	uint16_t height;
	int32_t min, max;
	uint32_t cap;
	uint32_t n;    /* number of subs or runes */
	uint64_t size; /* number of instructions, as Go estimates it */
	union {
		struct re2_node **sub;
		const uint32_t *runes;
		struct re2_set set;
	};
};

struct re2_prog;
struct re2_dfa;

struct re2 {
	struct arena arena;
	str pattern;
	const struct re2_node *root;
	uint32_t groups;
	str *names; /* the names of groups; that of group 1 is at [0] */
	uint32_t match_limit;
	pcre2_code *code; /* NULL: our own machine searches */
	pcre2_match_context *match_context;
	_Atomic(struct re2_prog *) prog; /* made when first needed */
	_Atomic(struct re2_dfa *) dfa;   /* made when it pays */
	_Atomic uint8_t asked;           /* calls of re2_matches before it pays */
};

/* ---- re2_class.c: building sets ---- */

struct re2_class {
	VEC(struct re2_range) v;
	size_t cleaned; /* number of entries after the last cleaning */
};

/* false without memory, as for all functions below */
bool re2_class_add(struct re2_class *c, uint32_t lo, uint32_t hi);
/* adds also what folds like the members of the range */
bool re2_class_add_folded(struct re2_class *c, uint32_t lo, uint32_t hi);
bool re2_class_add_class(struct re2_class *c, const struct re2_class *other);
bool re2_class_fold(struct re2_class *c); /* closes the set under case folding */
void re2_class_clean(struct re2_class *c);
bool re2_class_negate(struct re2_class *c); /* cleans the set first */
/* Add a category or script by Go's name, or "Any": 1; 0 when there is none of that name; -1 without memory. */
int re2_class_add_unicode(struct re2_class *c, str name);
/* Add the class [:name:], given without its brackets, or a Perl class by its letter in lower case ("d", "s", "w").
 * Results as those of re2_class_add_unicode. */
int re2_class_add_named(struct re2_class *c, str name);
bool re2_set_has(struct re2_set s, uint32_t c);

/* ---- re2_parse.c, re2_parse_tree.c, re2_parse_repeat.c, re2_parse_class.c ---- */

/* Parse the pattern: fill root, groups and names. */
int re2_parse(struct re2 *re, struct buf *message, struct err *err);

/* ---- re2_pcre.c ---- */

/* Fill code and match_context, or leave them NULL when PCRE2 cannot match this pattern exactly. Fails: ENOMEM. */
int re2_pcre_compile(struct re2 *re, struct err *err);

/* ---- re2_prog.c, re2_vm.c: the breadth-first machine ---- */

enum re2_inst_op {
	INST_FAIL,
	INST_NOP,
	INST_ALT,     /* @out first, then @arg */
	INST_CAPTURE, /* arg: slot */
	INST_ASSERT,  /* arg: enum re2_op */
	INST_RUNE,    /* arg: the rune */
	INST_SET,     /* arg: index of a set */
	INST_ANY,
	INST_ANY_NOT_NL,
	INST_MATCH,
};

struct re2_inst {
	uint32_t op;
	uint32_t out;
	uint32_t arg;
};

_Static_assert(sizeof(struct re2_inst) == 12, "an expression has up to RE2_MAX_SIZE of them");

struct re2_prog {
	VEC(struct re2_inst) inst;
	VEC(struct re2_set) sets; /* the ranges belong to the re2, or to @arena */
	struct arena arena;
	uint32_t start;
	bool anchored; /* the program can match at offset 0 only */
};

int re2_prog_new(const struct re2 *re, struct re2_prog **ret, struct err *err);
void re2_prog_free(struct re2_prog *p);

/* As re2_search_from, by the machine; uses up s->steps. */
int re2_vm_search(const struct re2_prog *p, struct re2_search *s, size_t from, struct err *err);

/* Whether the instruction @i takes the character @c, if it takes characters at all. */
static inline bool re2_accepts(const struct re2_prog *p, const struct re2_inst *i, uint32_t c)
{
	switch ((enum re2_inst_op)i->op) {
	case INST_RUNE:
		return i->arg == c;
	case INST_SET:
		return re2_set_has(p->sets.p[i->arg], c);
	case INST_ANY:
		return true;
	case INST_ANY_NOT_NL:
		return c != '\n';
	default:
		return false;
	}
}

#endif
