/* A list of texts in the order in which they were added. */
#ifndef BASE_STRING_LIST_H
#define BASE_STRING_LIST_H

#include "base/str.h"
#include "base/vec.h"

struct string_list {
	VEC(char *) v;
};

void string_list_done(struct string_list *l);
/* Add a copy of @s. False without memory. */
CHECKED bool string_list_add(struct string_list *l, str s);

#endif
