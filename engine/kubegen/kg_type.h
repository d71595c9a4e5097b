/* The types of kubegen's values: five, and null. */
#ifndef KUBEGEN_KG_TYPE_H
#define KUBEGEN_KG_TYPE_H

#include "value/val.h"

enum kg_type { KG_STRING, KG_NUMBER, KG_BOOLEAN, KG_ARRAY, KG_OBJECT, KG_NULL };

/* The type of a value that exists. */
enum kg_type kg_type_of(val v);
/* The name of a type in messages: "String", …, "Null". */
const char *kg_type_name(enum kg_type t);
/* The type that a declaration names, in upper or lower case; Null cannot be declared. */
bool kg_type_parse(str name, enum kg_type *ret);

#endif
