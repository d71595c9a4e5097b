/* Compiler attributes and the few macros that every file may use. */
#ifndef BASE_DEFS_H
#define BASE_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define CHECKED __attribute__((warn_unused_result))
#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define UNUSED __attribute__((unused))

/* CLEANUP(fn) runs fn(&variable) when the variable leaves scope; TAKE moves a pointer out of it first. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define TAKE(p)                                                                                                        \
	({                                                                                                             \
		__typeof__(p) take_ = (p);                                                                             \
		(p) = NULL;                                                                                            \
		take_;                                                                                                 \
	})

/* Define fnp(T **) for use with CLEANUP, from a fn(T *) that accepts NULL. */
#define DEFINE_CLEANUP(type, fn)                                                                                       \
	static inline UNUSED void fn##p(type *p)                                                                       \
	{                                                                                                              \
		if (*p)                                                                                                \
			fn(*p);                                                                                        \
	}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static inline UNUSED void freep(void *p)
{
	free(*(void **)p);
}

#endif
