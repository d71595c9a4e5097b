/* Finds and names the types of values. */
#include "kubegen/kg_type.h"

#include "base/assert.h"

static const char *const names[] = {
	[KG_STRING] = "String", [KG_NUMBER] = "Number", [KG_BOOLEAN] = "Boolean",
	[KG_ARRAY] = "Array",   [KG_OBJECT] = "Object", [KG_NULL] = "Null",
};

enum kg_type kg_type_of(val v)
{
	switch ((enum val_kind)v.kind) {
	case VAL_STRING:
		return KG_STRING;
	case VAL_INT:
	case VAL_UINT:
	case VAL_DOUBLE:
		return KG_NUMBER;
	case VAL_BOOL:
		return KG_BOOLEAN;
	case VAL_LIST:
		return KG_ARRAY;
	case VAL_MAP:
		return KG_OBJECT;
	case VAL_NULL:
	case VAL_ABSENT:
		break;
	}
	return KG_NULL;
}

const char *kg_type_name(enum kg_type t)
{
	_Static_assert(ARRAY_LEN(names) == KG_NULL + 1, "ORDER enum kg_type");
	ASSERT(t < ARRAY_LEN(names));
	return names[t];
}

bool kg_type_parse(str name, enum kg_type *ret)
{
	for (size_t i = 0; i < KG_NULL; i++) {
		if (str_eq_nocase(name, str_from(names[i]))) {
			*ret = (enum kg_type)i;
			return true;
		}
	}
	return false;
}
