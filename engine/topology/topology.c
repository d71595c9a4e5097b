/* Steps through the table of built-in types, or through a schema. */
#include "topology/topology.h"

#include "base/assert.h"
#include "topology/builtin_types.h"
#include "value/identity.h"
#include "value/json.h"

#define DEFAULT_BYTES_MAX 4096

/* ---- built-in types ---- */

/* The type of a kind in this version or, if the table does not have it, in the last one. */
static uint16_t type_of_kind(str api_version, str kind)
{
	struct group_version of = group_version_of(api_version);
	uint16_t found = 0;

	for (size_t i = 0; i < n_builtin_kinds; i++) {
		const struct builtin_kind *k = &builtin_kinds[i];

		if (!str_eq(kind, str_from(k->kind)) || !str_eq(of.group, str_from(k->group)))
			continue;
		found = k->type;
		if (str_eq(of.version, str_from(k->version)))
			break;
	}
	return found;
}

static const struct builtin_field *find_field(uint16_t type, str name)
{
	size_t lo = builtin_ends[type - 1], hi = builtin_ends[type];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int order = str_cmp(name, str_from(builtin_fields[mid].name));

		if (order == 0)
			return &builtin_fields[mid];
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* ---- steps ---- */

struct topo topo_root(str api_version, str kind, val schema)
{
	struct topo t = { .schema = schema, .root = true };

	if (!val_exists(schema))
		t.type = type_of_kind(api_version, kind);
	return t;
}

/* The field of a built-in type that may contain any JSON, and that is @t, or contains it; NULL: there is none. */
static const struct builtin_field *any_json(const struct topo *t)
{
	const struct builtin_field *f = t->field ? t->field : t->holder;

	return f && !t->type && topo_shape(t) == TOPO_SCALAR && f->value == TOPO_ANY ? f : NULL;
}

struct topo topo_member(const struct topo *t, str key)
{
	struct topo m = { .name = key };
	bool object = t->root || val_is_true(VAL_GET(t->schema, "x-kubernetes-embedded-resource"));

	if (t->field && topo_shape(t) == TOPO_MAP) {
		m.holder = t->field;
		m.type = t->type;
		return m;
	}
	if (t->type && topo_shape(t) == TOPO_STRUCT) {
		m.field = find_field(t->type, key);
		m.type = m.field ? m.field->type : 0;
		return m;
	}
	if (object && str_eq(key, STR("metadata"))) {
		m.type = builtin_object_meta;
		return m;
	}
	m.holder = any_json(t);
	m.schema = val_get(VAL_GET(t->schema, "properties"), key);
	if (!val_exists(m.schema))
		m.schema = VAL_GET(t->schema, "additionalProperties");
	return m;
}

struct topo topo_element(const struct topo *t)
{
	bool list = topo_shape(t) == TOPO_LIST;

	return (struct topo){
		.holder = list ? t->field : any_json(t),
		.schema = VAL_GET(t->schema, "items"),
		.type = list ? t->type : 0,
		.element = true,
		.name = t->name,
	};
}

str topo_field_name(const struct topo *t)
{
	const struct builtin_field *f = t->field ? t->field : t->holder;

	return f ? str_from(f->name) : (str){ 0 };
}

struct topo topo_at(struct topo t, struct path p)
{
	for (size_t i = 0; i < p.n; i++)
		t = p.segments[i].kind == PATH_KEY ? topo_member(&t, p.segments[i].text) : topo_element(&t);
	return t;
}

/* ---- what is known ---- */

enum topo_shape topo_shape(const struct topo *t)
{
	str type = val_str(VAL_GET(t->schema, "type"));

	if (t->field)
		return (enum topo_shape)t->field->shape;
	if (t->type)
		return TOPO_STRUCT;
	if (t->holder)
		return TOPO_SCALAR;
	if (str_eq(type, STR("array")))
		return TOPO_LIST;
	if (str_eq(type, STR("object")))
		return val_is_map(VAL_GET(t->schema, "additionalProperties")) ? TOPO_MAP : TOPO_STRUCT;
	return type.n || val_is_true(VAL_GET(t->schema, "x-kubernetes-int-or-string")) ? TOPO_SCALAR : TOPO_UNKNOWN;
}

static enum topo_value value_of_schema(val schema)
{
	static const struct {
		const char *type, *format;
		enum topo_value value;
	} values[] = {
		{ "string", "byte", TOPO_BYTES }, { "string", "date-time", TOPO_TIME },
		{ "string", NULL, TOPO_STRING },  { "integer", NULL, TOPO_NUMBER },
		{ "number", NULL, TOPO_NUMBER },  { "boolean", NULL, TOPO_BOOLEAN },
		{ "object", NULL, TOPO_STRUCTS }, { "array", NULL, TOPO_LISTS },
	};
	str type = val_str(VAL_GET(schema, "type")), format = val_str(VAL_GET(schema, "format"));

	/* A quantity is an int-or-string with a pattern that contains the suffixes of quantities. */
	if (val_is_true(VAL_GET(schema, "x-kubernetes-int-or-string")))
		return str_find(val_str(VAL_GET(schema, "pattern")), STR("KMGTPE")) >= 0 ? TOPO_QUANTITY
											 : TOPO_INT_OR_STRING;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		if (str_eq(type, str_from(values[i].type)) &&
		    (!values[i].format || str_eq(format, str_from(values[i].format))))
			return values[i].value;
	}
	return TOPO_ANY;
}

enum topo_value topo_value(const struct topo *t)
{
	enum topo_shape shape = topo_shape(t);

	if (t->field || t->holder)
		return (enum topo_value)(t->field ? t->field : t->holder)->value;
	if (shape == TOPO_LIST)
		return value_of_schema(VAL_GET(t->schema, "items"));
	return value_of_schema(shape == TOPO_MAP ? VAL_GET(t->schema, "additionalProperties") : t->schema);
}

enum topo_list topo_list(const struct topo *t)
{
	str type = val_str(VAL_GET(t->schema, "x-kubernetes-list-type"));

	if (t->field)
		return (enum topo_list)t->field->list;
	if (topo_shape(t) != TOPO_LIST)
		return TOPO_UNTYPED;
	return str_eq(type, STR("map"))      ? TOPO_KEYED
	       : str_eq(type, STR("set"))    ? TOPO_SET
	       : str_eq(type, STR("atomic")) ? TOPO_ATOMIC
					     : TOPO_UNTYPED;
}

bool topo_atomic(const struct topo *t)
{
	if (t->element && t->holder)
		return t->holder->whole_elements;
	return t->field ? t->field->atomic
			: str_eq(val_str(VAL_GET(t->schema, "x-kubernetes-map-type")), STR("atomic"));
}

bool topo_pointer(const struct topo *t)
{
	return !t->field || t->field->pointer;
}

bool topo_known(const struct topo *t)
{
	return t->field || t->holder || t->type || val_exists(t->schema);
}

bool topo_closed(const struct topo *t)
{
	if (topo_shape(t) != TOPO_STRUCT)
		return false;
	return t->type || (val_is_map(VAL_GET(t->schema, "properties")) &&
			   !val_is_true(VAL_GET(t->schema, "x-kubernetes-preserve-unknown-fields")) &&
			   !val_is_true(VAL_GET(t->schema, "x-kubernetes-embedded-resource")));
}

bool topo_is_pod_template(const struct topo *t)
{
	return t->type == builtin_pod_template && topo_shape(t) == TOPO_STRUCT;
}

bool topo_is_object(const struct topo *t)
{
	bool found = false;

	for (size_t i = 0; t->type && !found && i < n_builtin_kinds; i++)
		found = builtin_kinds[i].type == t->type;
	return found && topo_shape(t) == TOPO_STRUCT;
}

val topo_default(const struct topo *t, struct arena *a)
{
	const struct limits limits = { .object_bytes = DEFAULT_BYTES_MAX, .depth = 8, .document_nodes = 32 };
	struct json_options o = { .limits = &limits };
	struct err err;
	size_t used;
	val v;

	if (!t->field)
		return VAL_GET(t->schema, "default");
	if (!t->field->otherwise || json_decode_value(str_from(t->field->otherwise), &o, a, &v, &used, &err) < 0)
		return (val){ 0 };
	return v;
}

/* ---- keys of lists ---- */

static void add_key(struct list_keys *ret, str name, str otherwise)
{
	ASSERT(ret->n < LIST_KEYS_MAX);
	ret->p[ret->n++] = (struct list_key){ name, otherwise };
}

/* The text between the quotes of a default. No default of a key contains escapes. */
static str plain_text(const char *json)
{
	str s = str_from(json);

	return s.n >= 2 && s.p[0] == '"' ? str_sub(s, 1, s.n - 1) : s;
}

/* Add the keys of a built-in list. @type is that of its elements; 0: unknown. */
static void add_builtin(struct list_keys *ret, const char *keys, uint16_t type)
{
	str rest = str_from(keys), name;

	while (ret->n < LIST_KEYS_MAX && str_next_part(&rest, ',', &name)) {
		const struct builtin_field *f = type ? find_field(type, name) : NULL;
		bool protocol = !type && str_eq(name, STR("protocol"));

		add_key(ret, name,
			f && f->otherwise ? plain_text(f->otherwise)
			: protocol        ? STR("TCP")
					  : (str){ NULL, 0 });
	}
}

/* The value that a key has in elements without it. */
static str default_of(val list, str key)
{
	val v = VAL_GET(val_get(val_dig(list, "items", "properties", NULL), key), "default");

	return val_is_string(v) ? val_str(v) : (str){ NULL, 0 };
}

static void add_defined(struct list_keys *ret, val schema)
{
	val keys = VAL_GET(schema, "x-kubernetes-list-map-keys");
	uint32_t n = val_is_list(keys) && keys.n <= LIST_KEYS_MAX ? keys.n : 0;

	for (uint32_t i = 0; i < n; i++)
		add_key(ret, val_str(keys.items[i]), default_of(schema, val_str(keys.items[i])));
}

/* Add the keys that lists of this name have elsewhere. They may have elements of several types: the type whose first
 * key an element has is taken. */
static void add_habit(const struct topo *list, val elements, struct list_keys *ret)
{
	val first = val_at(elements, 0);

	for (size_t i = 0; topo_list(list) == TOPO_UNTYPED && !list->element && i < n_builtin_lists; i++) {
		const struct builtin_list *b = &builtin_lists[i];
		str rest = str_from(b->keys), key;

		if (!str_eq(list->name, str_from(b->name)) || !str_next_part(&rest, ',', &key) ||
		    !val_exists(val_get(first, key)))
			continue;
		add_builtin(ret, b->keys, 0);
		return;
	}
	if (val_is_string(VAL_GET(first, "name")))
		add_key(ret, STR("name"), (str){ NULL, 0 });
}

void topo_list_keys(const struct topo *list, val elements, struct list_keys *ret)
{
	ret->n = 0;
	if (list->field && list->field->keys)
		add_builtin(ret, list->field->keys, list->field->type);
	else if (!list->field)
		add_defined(ret, list->schema);
	ret->sure = ret->n > 0;
	if (!ret->sure)
		add_habit(list, elements, ret);
	ret->named = ret->n == 1 && str_eq(ret->p[0].name, STR("name"));
}
