/* Reads the arguments of conditions and actions. */
#include "rules/inspection/insp_value.h"

static int read_text(str s, struct arena *a, struct insp_value *ret, struct err *err)
{
	struct insp_string *string;
	int r;

	*ret = (struct insp_value){ .constant = val_string(s) };
	if (str_find_byte(s, '{') < 0 && str_find_byte(s, '}') < 0)
		return 0;
	string = arena_alloc(a, sizeof(*string));
	if (!string)
		return arena_error(a, err);
	r = insp_string_read(s, a, string, err);
	if (r == 0)
		*ret = (struct insp_value){ .string = string };
	return r;
}

static int read_list(val v, struct arena *a, struct insp_value *ret, struct err *err)
{
	struct insp_value *items = arena_array(a, v.n, sizeof(*items));
	bool constant = true;

	if (!items)
		return arena_error(a, err);
	for (uint32_t i = 0; i < v.n; i++) {
		int r = insp_value_read(v.items[i], a, &items[i], err);

		if (r < 0)
			return r;
		constant = constant && val_exists(items[i].constant);
	}
	*ret = (struct insp_value){ .items = items, .n = v.n };
	if (constant)
		ret->constant = v;
	return 0;
}

static int read_map(val v, struct arena *a, struct insp_value *ret, struct err *err)
{
	struct insp_member *members = arena_array(a, v.n, sizeof(*members));
	bool constant = true;

	if (!members)
		return arena_error(a, err);
	for (uint32_t i = 0; i < v.n; i++) {
		str key = key_str(v.members[i].key);
		int r = insp_string_read(key, a, &members[i].key, err);

		if (r == 0)
			r = insp_value_read(v.members[i].value, a, &members[i].value, err);
		if (r < 0)
			return r;
		constant = constant && val_exists(members[i].value.constant) && str_find_byte(key, '{') < 0 &&
			   str_find_byte(key, '}') < 0;
	}
	*ret = (struct insp_value){ .members = members, .n = v.n };
	if (constant)
		ret->constant = v;
	return 0;
}

int insp_value_read(val v, struct arena *a, struct insp_value *ret, struct err *err)
{
	switch (v.kind) {
	case VAL_STRING:
		return read_text(val_str(v), a, ret, err);
	case VAL_LIST:
		return read_list(v, a, ret, err);
	case VAL_MAP:
		return read_map(v, a, ret, err);
	default:
		*ret = (struct insp_value){ .constant = v };
		return 0;
	}
}
