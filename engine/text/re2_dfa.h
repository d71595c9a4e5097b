/* A deterministic automaton over the program of the breadth-first machine, built as texts need it.
 *
 * It says whether a text matches, not where. A state is a set of instructions, a transition is made when a text first
 * takes it; what is made stays. It has the machine's answers: code points are decoded alike, an invalid byte is U+FFFD.
 *
 * Memory: at most RE2_DFA_BYTES for states and alphabet together. What would need more is not answered here.
 * Threads: any number may match at once. Transitions are published when they are complete and never change; one thread
 * at a time makes new ones, and nobody waits for it: who meets it gets -EAGAIN. */
#ifndef TEXT_RE2_DFA_H
#define TEXT_RE2_DFA_H

#include "text/re2_internal.h"

#include <stdatomic.h>

#define RE2_DFA_BYTES (64u << 10)
#define RE2_DFA_CLASSES_MAX 255
#define RE2_DFA_INST_MAX 2048 /* a state may hold all of them */

struct re2_dfa_state;

typedef _Atomic(const struct re2_dfa_state *) re2_dfa_edge;

struct re2_dfa_state {
	struct re2_dfa_state *older; /* in the list of all */
	uint32_t hash;
	uint8_t before; /* what stands before it, as far as the program asks */
	bool asserts;   /* holds an assertion that the next code point decides */
	uint32_t n;     /* ascending instructions: those that read, and assertions */
	const uint32_t *inst;
	re2_dfa_edge next[]; /* per class, and for the end of the text; NULL: not made yet */
};

struct re2_dfa {
	const struct re2_prog *p;
	struct arena arena;
	uint8_t ascii[128];       /* classes of code points below 128 */
	uint32_t n_classes;       /* and the number that stands for the end of the text */
	uint32_t *representative; /* a code point of each class */
	uint32_t *starts;         /* of runs of code points of one class, ascending */
	uint8_t *start_class;
	uint32_t n_starts;
	const struct re2_dfa_state *start;
	/* ---- of the thread that builds ---- */
	atomic_flag building;
	bool full; /* there is no room for another state */
	struct re2_dfa_state *states;
	uint32_t asks;               /* the kinds of assertion that the program holds, a bit per enum re2_op */
	uint32_t *seen, *now, *next; /* per instruction: the round in which it was met; is in a set */
	uint32_t round;
	uint32_t *stack;
};

/* Make the automaton of @p, which must outlive it. 0; -E2BIG: not for this program; -ENOMEM. */
CHECKED int re2_dfa_new(const struct re2_prog *p, struct re2_dfa **ret);
void re2_dfa_free(struct re2_dfa *d);

/* Does @text match anywhere? 1 or 0; -EAGAIN: not answered, for want of room, of @steps (one per byte, and one per
 * instruction for each new transition) or because another thread builds; -ENOMEM. */
CHECKED int re2_dfa_matches(struct re2_dfa *d, str text, uint64_t steps);

/* ---- re2_dfa_class.c ---- */

/* Fill the alphabet. 0, -E2BIG, -ENOMEM. */
CHECKED int re2_dfa_classes(struct re2_dfa *d);
/* The class of any code point. */
uint8_t re2_dfa_class(const struct re2_dfa *d, uint32_t c);

#endif
