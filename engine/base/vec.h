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

/* Room for @count elements in a vector that has none yet, where about so many are to come. False without memory. */
#define vec_reserve(v, count) vec_reserve_((void **)&(v)->p, &(v)->cap, sizeof(*(v)->p), (count))

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
bool vec_reserve_(void **p, size_t *cap, size_t size, size_t count);

#endif
