/* What tells the elements of a list apart. */
#ifndef APISIM_LIST_KEY_H
#define APISIM_LIST_KEY_H

#include <jansson.h>
#include <stdbool.h>

#define LIST_KEY_PARTS 2

struct list_key {
	const char *parts[LIST_KEY_PARTS]; /* field names, sorted; NULL: unused */
};

/* The key of the list in field @field, when every element of @a and of @b (either may be NULL) has it. */
bool list_key_of(const char *field, json_t *a, json_t *b, struct list_key *ret);
bool list_key_same(const struct list_key *key, json_t *a, json_t *b);
/* The element of @list with the same key as @element, or NULL; *at gets its place. */
json_t *list_key_find(const struct list_key *key, json_t *list, json_t *element, size_t *at);
/* {"name":"x"} as text: for managedFields. free() it. */
char *list_key_text(const struct list_key *key, json_t *element);

#endif
