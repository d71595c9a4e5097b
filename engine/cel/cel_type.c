/* Types: the constants, making them, comparing, printing. */
#include "cel/cel_type.h"

#define NAMED(k, text)                                                                                                 \
	{                                                                                                              \
		.kind = (k), .name = { (text), sizeof(text) - 1 }, .size = 1                                           \
	}

const struct cel_type cel_type_error = NAMED(CT_ERROR, "!error!");
const struct cel_type cel_type_dyn = NAMED(CT_DYN, "dyn");
const struct cel_type cel_type_null = NAMED(CT_NULL, "null");
const struct cel_type cel_type_bool = NAMED(CT_BOOL, "bool");
const struct cel_type cel_type_int = NAMED(CT_INT, "int");
const struct cel_type cel_type_uint = NAMED(CT_UINT, "uint");
const struct cel_type cel_type_double = NAMED(CT_DOUBLE, "double");
const struct cel_type cel_type_string = NAMED(CT_STRING, "string");
const struct cel_type cel_type_bytes = NAMED(CT_BYTES, "bytes");
const struct cel_type cel_type_timestamp = NAMED(CT_TIMESTAMP, "timestamp");
const struct cel_type cel_type_duration = NAMED(CT_DURATION, "duration");
const struct cel_type cel_type_type = NAMED(CT_TYPE, "type");

const struct cel_type *cel_type_with(struct arena *a, const struct cel_type *t, const struct cel_type *const *params)
{
	struct cel_type *made = arena_alloc(a, sizeof(*made));
	uint32_t size = 1;

	if (!made)
		return NULL;
	*made = *t;
	for (unsigned i = 0; i < t->n; i++) {
		made->params[i] = params[i];
		size += params[i]->size;
	}
	made->size = size;
	return size > CEL_TYPE_SIZE_MAX ? &cel_type_dyn : made;
}

static const struct cel_type *make(struct arena *a, enum cel_type_kind kind, str name, const struct cel_type *p0,
				   const struct cel_type *p1)
{
	struct cel_type t = { .kind = (uint8_t)kind, .name = name, .n = (uint8_t)(p1 ? 2 : p0 ? 1 : 0) };

	return cel_type_with(a, &t, (const struct cel_type *[]){ p0, p1 });
}

const struct cel_type *cel_type_list(struct arena *a, const struct cel_type *item)
{
	return item ? make(a, CT_LIST, STR("list"), item, NULL) : NULL;
}

const struct cel_type *cel_type_map(struct arena *a, const struct cel_type *key, const struct cel_type *value)
{
	return key && value ? make(a, CT_MAP, STR("map"), key, value) : NULL;
}

const struct cel_type *cel_type_optional(struct arena *a, const struct cel_type *t)
{
	return t ? make(a, CT_OPAQUE, STR("optional_type"), t, NULL) : NULL;
}

const struct cel_type *cel_type_of(struct arena *a, const struct cel_type *t)
{
	return t ? make(a, CT_TYPE, STR("type"), t, NULL) : NULL;
}

const struct cel_type *cel_type_wrapper(struct arena *a, const struct cel_type *t)
{
	return t ? make(a, CT_WRAPPER, STR("wrapper"), t, NULL) : NULL;
}

const struct cel_type *cel_type_opaque(struct arena *a, str name, const struct cel_type *const *params, unsigned n)
{
	struct cel_type t = { .kind = CT_OPAQUE, .name = name, .n = (uint8_t)n };

	return n > ARRAY_LEN(t.params) ? NULL : cel_type_with(a, &t, params);
}

const struct cel_type *cel_type_param(struct arena *a, str name)
{
	return make(a, CT_PARAM, name, NULL, NULL);
}

bool cel_type_is_optional(const struct cel_type *t)
{
	return t->kind == CT_OPAQUE && str_eq(t->name, STR("optional_type"));
}

bool cel_type_equal(const struct cel_type *x, const struct cel_type *y)
{
	if (x == y)
		return true;
	if (x->kind != y->kind || x->n != y->n)
		return false;
	if (x->kind == CT_PARAM && (x->id != y->id))
		return false;
	if ((x->kind == CT_OPAQUE || x->kind == CT_OBJECT || x->kind == CT_PARAM) && !str_eq(x->name, y->name))
		return false;
	for (unsigned i = 0; i < x->n; i++) {
		if (!cel_type_equal(x->params[i], y->params[i]))
			return false;
	}
	return true;
}

void cel_type_format(const struct cel_type *t, struct buf *out)
{
	if (t->kind == CT_WRAPPER) {
		buf_add_cstr(out, "wrapper(");
		cel_type_format(t->params[0], out);
		buf_add_byte(out, ')');
		return;
	}
	buf_add_str(out, t->name);
	for (unsigned i = 0; i < t->n; i++) {
		buf_add_cstr(out, i ? ", " : "(");
		cel_type_format(t->params[i], out);
	}
	if (t->n)
		buf_add_byte(out, ')');
}

static const struct cel_type *scalar(char c)
{
	switch (c) {
	case 'b':
		return &cel_type_bool;
	case 'i':
		return &cel_type_int;
	case 'u':
		return &cel_type_uint;
	case 'd':
		return &cel_type_double;
	case 's':
		return &cel_type_string;
	case 'y':
		return &cel_type_bytes;
	case 't':
		return &cel_type_timestamp;
	case 'D':
		return &cel_type_duration;
	case 'n':
		return &cel_type_null;
	case '*':
		return &cel_type_dyn;
	default:
		return NULL;
	}
}

static const struct cel_type *opaque(struct arena *a, char c)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{ 'I', "net.IP" },
		{ 'C', "net.CIDR" },
		{ 'U', "kubernetes.URL" },
		{ 'Q', "kubernetes.Quantity" },
		{ 'V', "kubernetes.Semver" },
		{ 'F', "kubernetes.NamedFormat" },
		{ 'a', "kubernetes.authorization.Authorizer" },
		{ 'g', "kubernetes.authorization.GroupCheck" },
		{ 'r', "kubernetes.authorization.ResourceCheck" },
		{ 'p', "kubernetes.authorization.PathCheck" },
		{ 'c', "kubernetes.authorization.Decision" },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].letter == c)
			return make(a, CT_OPAQUE, str_from(names[i].name), NULL, NULL);
	}
	return NULL;
}

const struct cel_type *cel_type_read(struct arena *a, const char **at)
{
	char c = *(*at)++;
	const struct cel_type *t = scalar(c), *value;

	if (t)
		return t;
	switch (c) {
	case 'L':
		return cel_type_list(a, cel_type_read(a, at));
	case 'O':
		return cel_type_optional(a, cel_type_read(a, at));
	case 'T':
		return cel_type_of(a, cel_type_read(a, at));
	case 'M':
		t = cel_type_read(a, at);
		value = cel_type_read(a, at);
		return cel_type_map(a, t, value);
	case 'A':
	case 'B':
		return cel_type_param(a, (str){ *at - 1, 1 });
	default:
		return opaque(a, c);
	}
}
