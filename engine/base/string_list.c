/* Adds to lists of texts and frees them. */
#include "base/string_list.h"

#include <stdlib.h>

void string_list_done(struct string_list *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.p[i]);
	vec_done(&l->v);
}

bool string_list_add(struct string_list *l, str s)
{
	char *copy = str_dup(s);

	if (copy && vec_push(&l->v, copy))
		return true;
	free(copy);
	return false;
}
