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

/* Allocate room for @count elements, about as many as are expected, in a vector that has none yet. False without
 * memory. */
#define vec_reserve(v, count) vec_reserve_((void **)&(v)->p, &(v)->cap, sizeof(*(v)->p), (count))

/* True, or false without memory; the vector is then unchanged. */
#define vec_push(v, ...)                                                                                               \
	(((v)->n < (v)->cap || vec_grow_((void **)&(v)->p, &(v)->cap, sizeof(*(v)->p))) &&                             \
	 ((v)->p[(v)->n++] = (__VA_ARGS__), true))

/* Remove the elements that are equal to @x; the others keep their order. */
#define vec_remove(v, x)                                                                                               \
	do {                                                                                                           \
		size_t kept_ = 0;                                                                                      \
		for (size_t i_ = 0; i_ < (v)->n; i_++) {                                                               \
			if ((v)->p[i_] != (x))                                                                         \
				(v)->p[kept_++] = (v)->p[i_];                                                          \
		}                                                                                                      \
		(v)->n = kept_;                                                                                        \
	} while (0)

#define vec_done(v)                                                                                                    \
	do {                                                                                                           \
		free((v)->p);                                                                                          \
		(v)->p = NULL;                                                                                         \
		(v)->n = (v)->cap = 0;                                                                                 \
	} while (0)

bool vec_grow_(void **p, size_t *cap, size_t size);
bool vec_reserve_(void **p, size_t *cap, size_t size, size_t count);

#endif
