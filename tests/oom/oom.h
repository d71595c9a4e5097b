/* Failing allocations on purpose: the nth of a public entry, n growing until the entry succeeds.
 *
 * The linker sends malloc, calloc, realloc and reallocarray of everything that is linked statically through oom.c
 * (--wrap). What libraries of the system allocate does not fail, except in jansson, which is told to use the same
 * functions. */
#ifndef OOM_H
#define OOM_H

#include "base/err.h"

/* What a case returns when a failed call has touched its output, or a successful one has not: never equal to
 * an errno. */
#define OOM_WRONG 100000

struct oom_case {
	const char *name;
	/* Prepare, oom_arm(), call the entry, oom_disarm(), check the outputs, clean up. Returns what the entry
	 * returned, or OOM_WRONG. */
	int (*run)(struct err *err);
	bool absorbs; /* the entry may do without: success is allowed although an allocation failed */
};

/* From now on the allocation fails whose turn it is. */
void oom_arm(void);
void oom_disarm(void);

/* The main of a test program: runs the case called argv[1] (all without it). */
int oom_main(int argc, char **argv, const struct oom_case *cases, size_t n);

#endif
