/* Grows the array of a vector. */
#include "base/vec.h"

bool vec_grow_(void **p, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *q;

	q = reallocarray(*p, more, size);
	if (!q)
		return false;
	*p = q;
	*cap = more;
	return true;
}

bool vec_reserve_(void **p, size_t *cap, size_t size, size_t count)
{
	void *q;

	if (*p || !count)
		return true;
	q = reallocarray(NULL, count, size);
	if (!q)
		return false;
	*p = q;
	*cap = count;
	return true;
}
