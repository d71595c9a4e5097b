/* A deterministic automaton over the program of the breadth-first machine, built when texts need it.
 *
 * It finds whether a text matches, not where. A state is a set of instructions; a transition is made when a text first
 * takes it, and is kept. It gives the machine's answers: code points are decoded alike, an invalid byte is U+FFFD.
 *
 * Memory: at most RE2_DFA_BYTES for states and alphabet together; a text for which that is too little gets no answer
 * here. Threads: any number may match at once. Transitions are published when they are complete and never change;
 * one thread at a time makes new ones. Another thread that needs a new one does not wait, but gets -EAGAIN. */
#ifndef TEXT_RE2_DFA_H
#define TEXT_RE2_DFA_H

#include "text/re2_internal.h"

#include <stdatomic.h>

#define RE2_DFA_BYTES (64u << 10)
#define RE2_DFA_CLASSES_MAX 255
#define RE2_DFA_INST_MAX 2048 /* the most instructions of a program, all of which a state may hold */

struct re2_dfa_state;

typedef _Atomic(const struct re2_dfa_state *) re2_dfa_edge;

struct re2_dfa_state {
	struct re2_dfa_state *older; /* the next state in the list of all */
	uint32_t hash;
	uint8_t before; /* what precedes the state, as far as the program asks */
	bool asserts;   /* the state holds an assertion that the next code point decides */
	uint32_t n;     /* number of instructions, which are ascending: those that read, and assertions */
	const uint32_t *inst;
	re2_dfa_edge next[]; /* one per class, and one for the end of the text; NULL: not made yet */
};

struct re2_dfa {
	const struct re2_prog *p;
	struct arena arena;
	uint8_t ascii[128];       /* the classes of code points below 128 */
	uint32_t n_classes;       /* number of classes, which also stands for the end of the text */
	uint32_t *representative; /* a code point of each class */
	uint32_t *starts;         /* where runs of code points of one class begin, ascending */
	uint8_t *start_class;
	uint32_t n_starts;
	const struct re2_dfa_state *start;
	/* ---- of the thread that builds ---- */
	atomic_flag building;
	bool full; /* there is no room for another state */
	struct re2_dfa_state *states;
	uint32_t asks;               /* the kinds of assertion that the program has, a bit per enum re2_op */
	uint32_t *seen, *now, *next; /* per instruction: the round in which it was met; is in a set */
	uint32_t round;
	uint32_t *stack;
};

/* Make the automaton of @p, which must outlive it. 0; -E2BIG: the program is too large; -ENOMEM. */
CHECKED int re2_dfa_new(const struct re2_prog *p, struct re2_dfa **ret);
void re2_dfa_free(struct re2_dfa *d);

/* Whether @text matches anywhere: 1 or 0. -EAGAIN: no answer, for lack of room or of @steps (one per byte, and one
 * per instruction for each new transition), or because another thread builds; -ENOMEM. */
CHECKED int re2_dfa_matches(struct re2_dfa *d, str text, uint64_t steps);

/* ---- re2_dfa_class.c ---- */

/* Compute the classes of code points. 0, -E2BIG, -ENOMEM. */
CHECKED int re2_dfa_classes(struct re2_dfa *d);
/* The class of any code point. */
uint8_t re2_dfa_class(const struct re2_dfa *d, uint32_t c);

#endif
