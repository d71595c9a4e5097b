/* What is known of the value at a place of a Kubernetes object, from its type alone: whether it is a list whose
 * elements have keys, one value, or a set; what stands where nothing stands; how it is compared.
 *
 * Of built-in kinds a table says so (builtin_types.h); of custom resources their definition: x-kubernetes-list-type,
 * -list-map-keys and -map-type, default. Where neither knows the place, lists go by what lists of that name have in
 * built-in types, or by "name", as habit has it: list_keys.sure says which.
 *
 * One goes down from the root: a struct topo is a view, passed on by value, of the table and the schema. */
#ifndef TOPOLOGY_TOPOLOGY_H
#define TOPOLOGY_TOPOLOGY_H

#include "topology/topo_words.h"
#include "value/path.h"

struct builtin_field;

struct topo {
	const struct builtin_field *field;  /* of a built-in type; NULL: it is none */
	const struct builtin_field *holder; /* the built-in list, map or JSON that it is in; NULL: it is in none */
	val schema;                         /* what a definition says; VAL_ABSENT: nothing */
	uint16_t type; /* built-in, of what it is, or of the elements or values that it has; 0: none */
	bool root;     /* an object with metadata */
	bool element;
	str name; /* of the member that it is, or that it is an element of */
};

/* The topology of a whole object. @schema: its openAPIV3Schema; VAL_ABSENT: none is known. For a built-in kind another
 * version serves where the table does not have this one. All are borrowed. */
struct topo topo_root(str api_version, str kind, val schema);
/* The member @key of a struct or a map. */
struct topo topo_member(const struct topo *t, str key);
/* An element of a list. */
struct topo topo_element(const struct topo *t);
/* What is at @p below @t. */
struct topo topo_at(struct topo t, struct path p);

enum topo_shape topo_shape(const struct topo *t);
enum topo_value topo_value(const struct topo *t);
enum topo_list topo_list(const struct topo *t);
/* A struct or a map with one owner, which is compared as a whole. */
bool topo_atomic(const struct topo *t);
/* Whether Go holds it as a pointer: then false, 0 and "" are not the same as nothing. Members of maps and fields of
 * custom resources are, too. */
bool topo_pointer(const struct topo *t);
/* Whether the table or a definition says anything of what is here. */
bool topo_known(const struct topo *t);
/* Whether a member that is not described here is one that an API server does not keep. */
bool topo_closed(const struct topo *t);
/* Whether this is the pod template of a built-in kind, or a built-in object, also within another one. */
bool topo_is_pod_template(const struct topo *t);
bool topo_is_object(const struct topo *t);
/* What an API server fills in where there is nothing, in @a; VAL_ABSENT: nothing, nobody knows, or there is no
 * memory. */
val topo_default(const struct topo *t, struct arena *a);
/* The name of the built-in field that it is, or of the built-in list or map that it is in; empty: it is none. */
str topo_field_name(const struct topo *t);

/* ---- keys of lists ---- */

/* A member that identifies the elements of a list. */
struct list_key {
	str name;
	str otherwise; /* its text where an element lacks it; p NULL: it then has no key */
};

#define LIST_KEYS_MAX 8

struct list_keys {
	struct list_key p[LIST_KEYS_MAX];
	size_t n;   /* 0: it has none */
	bool sure;  /* the type says so; else it is habit */
	bool named; /* the one key is "name" */
};

/* The keys of the list @list. Habit asks @elements, those of one side. */
void topo_list_keys(const struct topo *list, val elements, struct list_keys *ret);

#endif
