#include "base/vec.h"

bool vec_reserve_(void **p, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *q;

	if (n < *cap)
		return true;
	q = reallocarray(*p, more, size);
	if (!q)
		return false;
	*p = q;
	*cap = more;
	return true;
}
