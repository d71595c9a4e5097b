/* A growable array of any type:  VEC(int) v = { 0 };  if (!vec_push(&v, 3)) return -ENOMEM;  v.p[i], v.n;  vec_done(&v); */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/defs.h"

#define VEC(T)             \
	struct {           \
		T *p;      \
		size_t n;  \
		size_t cap; \
	}

/* True, or false without memory; the vector is then unchanged. */
#define vec_push(v, ...)                                                                          \
	(vec_reserve_((void **)&(v)->p, (v)->n, &(v)->cap, sizeof(*(v)->p)) &&                    \
	 ((v)->p[(v)->n++] = (__VA_ARGS__), true))

#define vec_done(v)                 \
	do {                        \
		free((v)->p);       \
		(v)->p = NULL;      \
		(v)->n = (v)->cap = 0; \
	} while (0)

/* Room for one element behind the @n there are. */
bool vec_reserve_(void **p, size_t n, size_t *cap, size_t size);

#endif
