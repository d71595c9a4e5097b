/* What is known of the value at a place of a Kubernetes object, from its type alone: whether it is a list whose
 * elements have keys, one value, or a set; what a server fills in when it is missing; how it is compared.
 *
 * For built-in kinds a table says so (builtin_types.h), for custom resources their definition: x-kubernetes-list-type,
 * -list-map-keys and -map-type, default. If neither knows the place, lists have the keys that lists of that name have
 * in built-in types, or "name", from habit: list_keys.sure is false then.
 *
 * Users go down from the root. A struct topo is a view of the table and the schema, which is passed on by value. */
#ifndef TOPOLOGY_TOPOLOGY_H
#define TOPOLOGY_TOPOLOGY_H

#include "topology/topo_words.h"
#include "value/path.h"

struct builtin_field;

struct topo {
	const struct builtin_field *field;  /* the field of a built-in type; NULL: it is none */
	const struct builtin_field *holder; /* the built-in list, map or JSON that contains it; NULL: none does */
	val schema;                         /* the schema from a definition; VAL_ABSENT: none */
	uint16_t type;                      /* the built-in type of the value, or of its elements or members; 0: none */
	bool root;                          /* the value is an object with metadata */
	bool element;
	str name; /* the name of the member that it is, or that it is an element of */
};

/* The topology of a whole object. @schema is its openAPIV3Schema; VAL_ABSENT: unknown. If the table does not have
 * this version of a built-in kind, another one is used. All arguments are borrowed. */
struct topo topo_root(str api_version, str kind, val schema);
/* The topology of the member @key of a struct or a map. */
struct topo topo_member(const struct topo *t, str key);
/* The topology of an element of a list. */
struct topo topo_element(const struct topo *t);
/* The topology of the place @p below @t. */
struct topo topo_at(struct topo t, struct path p);

enum topo_shape topo_shape(const struct topo *t);
enum topo_value topo_value(const struct topo *t);
enum topo_list topo_list(const struct topo *t);
/* Whether it is a struct or a map with one owner, which is compared as a whole. */
bool topo_atomic(const struct topo *t);
/* Whether Go stores it as a pointer: then false, 0 and "" are not the same as nothing. Members of maps and fields of
 * custom resources count as pointers. */
bool topo_pointer(const struct topo *t);
/* Whether the table or a definition describes this place. */
bool topo_known(const struct topo *t);
/* Whether an API server drops members that are not described here. */
bool topo_closed(const struct topo *t);
/* Whether this is the pod template of a built-in kind, or a built-in object, also within another one. */
bool topo_is_pod_template(const struct topo *t);
bool topo_is_object(const struct topo *t);
/* What an API server fills in where there is nothing, in @a; VAL_ABSENT: nothing, or it is unknown, or there is no
 * memory. */
val topo_default(const struct topo *t, struct arena *a);
/* The name of the built-in field that it is, or of the built-in list or map that contains it; empty: there is none. */
str topo_field_name(const struct topo *t);

/* ---- keys of lists ---- */

/* A member that identifies the elements of a list. */
struct list_key {
	str name;
	str otherwise; /* the value of the key in an element without it; p NULL: such an element has no key */
};

#define LIST_KEYS_MAX 8

struct list_keys {
	struct list_key p[LIST_KEYS_MAX];
	size_t n;   /* 0: the list has no keys */
	bool sure;  /* the type defines the keys; else they are from habit */
	bool named; /* the only key is "name" */
};

/* Find the keys of the list @list. For keys from habit it looks at @elements, which are those of one side. */
void topo_list_keys(const struct topo *list, val elements, struct list_keys *ret);

#endif
