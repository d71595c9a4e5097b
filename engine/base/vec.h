/* A growable array of any type:  VEC(int) v = { 0 };  if (!vec_push(&v, 3)) return -ENOMEM;  v.p[i],
 * v.n; vec_done(&v); */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/defs.h"

#define VEC(T)                                                                                                         \
	struct {                                                                                                       \
		T *p;                                                                                                  \
		size_t n;                                                                                              \
		size_t cap;                                                                                            \
	}

/* True, or false without memory; the vector is then unchanged. */
#define vec_push(v, ...)                                                                                               \
	(((v)->n < (v)->cap || vec_grow_((void **)&(v)->p, &(v)->cap, sizeof(*(v)->p))) &&                             \
	 ((v)->p[(v)->n++] = (__VA_ARGS__), true))

#define vec_done(v)                                                                                                    \
	do {                                                                                                           \
		free((v)->p);                                                                                          \
		(v)->p = NULL;                                                                                         \
		(v)->n = (v)->cap = 0;                                                                                 \
	} while (0)

bool vec_grow_(void **p, size_t *cap, size_t size);

#endif
