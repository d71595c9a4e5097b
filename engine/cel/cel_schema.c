/* Makes types of the language from the schemas of CRDs. */
#include "cel/cel_schema.h"

#include "base/ascii.h"

#include <errno.h>

#define REQUEST_BYTES (3 * 1024 * 1024)
#define BRACKETS 2          /* brackets, or quotes */
#define LONGEST_TIME 32     /* also that of a duration, with quotes */
#define DATE_BYTES 12       /* with quotes */
#define BYTES_OF_A_POINT 4  /* maxLength counts code points */
#define BESIDE_A_PROPERTY 4 /* quotes, colon and comma */
#define BESIDE_AN_ENTRY 6   /* quotes, colon and comma, and a key of two bytes */

struct builder {
	struct arena *arena;
	const struct limits *limits;
	struct err *err;
	uint32_t next_number;
};

static int build(struct builder *b, val v, bool resource, str type_name, uint32_t depth, struct cel_schema **ret);

/* ---- escaping ---- */

static const char *const escapes[][2] = {
	{ "__", "__underscores__" },
	{ ".", "__dot__" },
	{ "-", "__dash__" },
	{ "/", "__slash__" },
};

static bool is_keyword(str s)
{
	static const char *const words[] = { "true",     "false",   "null",      "in",       "as",  "break",  "const",
					     "continue", "else",    "for",       "function", "if",  "import", "let",
					     "loop",     "package", "namespace", "return",   "var", "void",   "while" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(s, str_from(words[i])))
			return true;
	}
	return false;
}

static bool is_name_byte(char c, bool first)
{
	return c == '_' || ascii_is_letter(c) || (!first && (ascii_is_digit(c))) || c == '.' || c == '-' || c == '/';
}

int cel_escape(str name, struct arena *a, str *ret)
{
	bool plain = true;
	char *out;
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		if (!is_name_byte(name.p[i], i == 0))
			return 0;
		if (strchr("._-/", name.p[i]))
			plain = false;
	}
	if (name.n == 0)
		return 0;
	if (is_keyword(name)) {
		*ret = arena_printf(a, "__%.*s__", STR_ARG(name));
		return ret->p ? 1 : -ENOMEM;
	}
	if (plain) {
		*ret = name;
		return 1;
	}
	out = arena_array(a, name.n + 1, sizeof("__underscores__"));
	if (!out)
		return -ENOMEM;
	while (name.n) {
		size_t i = 0;

		while (i < ARRAY_LEN(escapes) && !str_has_prefix(name, str_from(escapes[i][0])))
			i++;
		if (i == ARRAY_LEN(escapes)) {
			out[n++] = name.p[0];
			name = str_sub(name, 1, name.n);
			continue;
		}
		memcpy(out + n, escapes[i][1], strlen(escapes[i][1]));
		n += strlen(escapes[i][1]);
		name = str_sub(name, strlen(escapes[i][0]), name.n);
	}
	*ret = (str){ out, n };
	return 1;
}

int cel_unescape(str ident, struct arena *a, str *ret)
{
	char *out;
	size_t n = 0;

	if (str_find(ident, STR("__")) < 0) {
		*ret = ident;
		return 1;
	}
	if (ident.n > 4 && str_has_prefix(ident, STR("__")) && str_has_suffix(ident, STR("__")) &&
	    is_keyword(str_sub(ident, 2, ident.n - 2))) {
		*ret = str_sub(ident, 2, ident.n - 2);
		return 1;
	}
	out = arena_alloc(a, ident.n + 1);
	if (!out)
		return -ENOMEM;
	while (ident.n) {
		size_t i = 0;

		if (!str_has_prefix(ident, STR("__"))) {
			out[n++] = ident.p[0];
			ident = str_sub(ident, 1, ident.n);
			continue;
		}
		while (i < ARRAY_LEN(escapes) && !str_has_prefix(ident, str_from(escapes[i][1])))
			i++;
		if (i == ARRAY_LEN(escapes))
			return 0;
		memcpy(out + n, escapes[i][0], strlen(escapes[i][0]));
		n += strlen(escapes[i][0]);
		ident = str_sub(ident, strlen(escapes[i][1]), ident.n);
	}
	*ret = (str){ out, n };
	return 1;
}

/* ---- look-up ---- */

const struct cel_property *cel_schema_property(const struct cel_schema *s, const struct key *name)
{
	uint32_t lo = 0, hi = s->n_properties;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		int r;

		if (key_eq(s->properties[mid].name, name))
			return &s->properties[mid];
		r = str_cmp(key_str(s->properties[mid].name), key_str(name));
		if (r < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct cel_property *cel_schema_escaped(const struct cel_schema *s, str escaped)
{
	for (uint32_t i = 0; s && i < s->n_properties; i++) {
		if (s->properties[i].escaped.p && str_eq(s->properties[i].escaped, escaped))
			return &s->properties[i];
		/* A reserved word that the parser lets through needs no escape. */
		if (str_eq(key_str(s->properties[i].name), escaped) && is_keyword(escaped))
			return &s->properties[i];
	}
	return NULL;
}

/* ---- sizes ---- */

/* The value of a keyword that limits something; @otherwise when it is not given. */
static uint64_t limit_of(val v, uint64_t otherwise)
{
	if (v.kind == VAL_INT)
		return v.i < 0 ? 0 : (uint64_t)v.i;
	if (v.kind == VAL_DOUBLE && v.d >= 0 && v.d < 0x1p63)
		return (uint64_t)v.d;
	return otherwise;
}

static uint64_t longest_of(val list)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < val_count(list); i++) {
		str s = val_str(val_at(list, i));

		longest = s.n > longest ? s.n : longest;
	}
	return longest;
}

static void measure_text(struct cel_schema *s, val v)
{
	static const uint8_t shortest[] = { [CEL_PLAIN] = BRACKETS,
					    [CEL_DURATION] = 3,
					    [CEL_DATE] = DATE_BYTES,
					    [CEL_DATE_TIME] = 21,
					    [CEL_BYTE] = BRACKETS };
	val length = VAL_GET(v, "maxLength"), values = VAL_GET(v, "enum");
	uint64_t any = REQUEST_BYTES - BRACKETS;

	_Static_assert(ARRAY_LEN(shortest) == CEL_STRING_FORMATS, "ORDER cel_string_format");
	s->min_bytes = shortest[s->format];
	if (s->format == CEL_DURATION || s->format == CEL_DATE_TIME)
		s->max_size = LONGEST_TIME;
	else if (s->format == CEL_DATE)
		s->max_size = DATE_BYTES;
	else if (s->format == CEL_BYTE)
		s->max_size = limit_of(length, any);
	else if (val_exists(length))
		s->max_size = limit_of(length, any / BYTES_OF_A_POINT) * BYTES_OF_A_POINT;
	else
		s->max_size = val_count(values) ? longest_of(values) : any;
}

static bool is_listed(val list, str name)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		if (str_eq(val_str(val_at(list, i)), name))
			return true;
	}
	return false;
}

/* The shortest JSON of an object: braces, and the required properties. A default need not be sent. */
static uint64_t shortest_object(const struct cel_schema *s, val v)
{
	val required = VAL_GET(v, "required"), given = VAL_GET(v, "properties");
	uint64_t bytes = BRACKETS;

	for (uint32_t i = 0; i < s->n_properties; i++) {
		str name = key_str(s->properties[i].name);
		const struct cel_schema *sub = s->properties[i].schema;

		if (sub->type && is_listed(required, name) && !val_exists(VAL_GET(val_get(given, name), "default")))
			bytes += name.n + sub->min_bytes + BESIDE_A_PROPERTY;
	}
	return bytes;
}

static void measure_object(struct cel_schema *s, val v)
{
	val most = VAL_GET(v, "maxProperties");

	s->max_children = val_exists(VAL_GET(v, "additionalProperties")) ? limit_of(most, UINT64_MAX) : 1;
	s->min_bytes = BRACKETS;
	if (s->type && s->type->kind == CT_MAP)
		s->max_size = limit_of(most, (REQUEST_BYTES - BRACKETS) / (s->additional->min_bytes + BESIDE_AN_ENTRY));
	else
		s->min_bytes = shortest_object(s, v);
}

static void measure_list(struct cel_schema *s, val v)
{
	val most = VAL_GET(v, "maxItems");

	s->max_children = limit_of(most, UINT64_MAX);
	s->min_bytes = BRACKETS;
	if (s->items)
		s->max_size = limit_of(most, (REQUEST_BYTES - BRACKETS) / (s->items->min_bytes + 1));
}

/* How large the values of @s can be, as the server reckons it; @s was built of @v, and the sizes of those below it are
 * set. Kubernetes apiserver/pkg/cel/common/schemas.go, apiserver/pkg/cel/limits.go */
static void measure(struct cel_schema *s, val v)
{
	s->max_children = 1;
	if (s->int_or_string) {
		s->min_bytes = 1;
		s->max_size = limit_of(VAL_GET(v, "maxLength"), UINT64_MAX);
		s->max_size = s->max_size == UINT64_MAX ? REQUEST_BYTES - BRACKETS : s->max_size * BYTES_OF_A_POINT;
		return;
	}
	switch ((enum cel_schema_kind)s->kind) {
	case CEL_SCHEMA_STRING:
		measure_text(s, v);
		break;
	case CEL_SCHEMA_OBJECT:
		measure_object(s, v);
		break;
	case CEL_SCHEMA_ARRAY:
		measure_list(s, v);
		break;
	case CEL_SCHEMA_BOOLEAN:
		s->min_bytes = sizeof("true") - 1;
		break;
	default:
		s->min_bytes = 1;
	}
}

uint64_t cel_schema_most(const struct cel_schema *s)
{
	return REQUEST_BYTES / (s->min_bytes + 1);
}

/* ---- building ---- */

static uint8_t kind_of(str type)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} kinds[] = {
		{ "object", CEL_SCHEMA_OBJECT }, { "array", CEL_SCHEMA_ARRAY },     { "string", CEL_SCHEMA_STRING },
		{ "number", CEL_SCHEMA_NUMBER }, { "integer", CEL_SCHEMA_INTEGER }, { "boolean", CEL_SCHEMA_BOOLEAN },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (str_eq(type, str_from(kinds[i].name)))
			return kinds[i].kind;
	}
	return CEL_SCHEMA_UNKNOWN;
}

static uint8_t format_of(str format)
{
	static const char *const names[] = { "", "duration", "date", "date-time", "byte" };

	_Static_assert(ARRAY_LEN(names) == CEL_STRING_FORMATS, "ORDER cel_string_format");
	for (size_t i = 1; i < ARRAY_LEN(names); i++) {
		if (str_eq(format, str_from(names[i])))
			return (uint8_t)i;
	}
	return CEL_PLAIN;
}

static uint8_t list_type_of(str type)
{
	static const char *const names[] = { "", "atomic", "set", "map" };

	_Static_assert(ARRAY_LEN(names) == CEL_LIST_TYPES, "ORDER cel_list_type");
	for (size_t i = 1; i < ARRAY_LEN(names); i++) {
		if (str_eq(type, str_from(names[i])))
			return (uint8_t)i;
	}
	return CEL_LIST_DEFAULT;
}

static int build_keys(struct builder *b, val keys, struct cel_schema *s)
{
	s->keys = arena_array(b->arena, val_count(keys), sizeof(*s->keys));
	if (!s->keys)
		return err_nomem(b->err);
	for (uint32_t i = 0; i < val_count(keys); i++) {
		s->keys[i] = key_make(NULL, b->arena, val_str(val_at(keys, i)));
		if (!s->keys[i])
			return err_nomem(b->err);
	}
	s->n_keys = val_count(keys);
	return 0;
}

static str sub_name(struct builder *b, str name, str field)
{
	return arena_printf(b->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(field));
}

/* Add a property that exists whatever the schema says: a string, or metadata with its two names. */
/* @given: the properties of the definition, which may describe it. */
static int implied_property(struct builder *b, struct cel_schema *s, val given, const char *name, str type_name,
			    bool metadata)
{
	struct cel_property *bigger, *p;
	const struct key *key = key_make(NULL, b->arena, str_from(name));
	struct cel_schema *of = arena_zalloc(b->arena, sizeof(*of));
	uint32_t at = 0;
	val given_below;
	int r;

	bigger = arena_array(b->arena, (size_t)s->n_properties + 1, sizeof(*bigger));
	if (!key || !of || !bigger)
		return err_nomem(b->err);
	of->kind = metadata ? CEL_SCHEMA_OBJECT : CEL_SCHEMA_STRING;
	of->type_name = metadata ? STR("object") : STR("string");
	of->type = &cel_type_string;
	of->number = b->next_number++;
	measure(of, (val){ 0 });
	if (metadata) {
		str sub = sub_name(b, type_name, key_str(key));
		struct cel_type *t = arena_zalloc(b->arena, sizeof(*t));

		of->properties = arena_array(b->arena, 0, sizeof(*p));
		if (!sub.p || !t || !of->properties)
			return err_nomem(b->err);
		given_below = VAL_GET(VAL_GET(given, "metadata"), "properties");
		r = implied_property(b, of, given_below, "name", sub, false);
		if (r == 0)
			r = implied_property(b, of, given_below, "generateName", sub, false);
		if (r < 0)
			return r;
		*t = (struct cel_type){ .kind = CT_OBJECT, .size = 1, .name = sub, .schema = of };
		of->type = t;
	}
	while (at < s->n_properties && str_cmp(key_str(s->properties[at].name), key_str(key)) < 0)
		at++;
	if (at < s->n_properties && key_eq(s->properties[at].name, key))
		return 0;
	if (s->n_properties) {
		memcpy(bigger, s->properties, at * sizeof(*bigger));
		memcpy(bigger + at + 1, s->properties + at, (s->n_properties - at) * sizeof(*bigger));
	}
	p = &bigger[at];
	*p = (struct cel_property){
		.name = key, .escaped = key_str(key), .schema = of, .implied = !val_is_map(val_get(given, key_str(key)))
	};
	s->properties = bigger;
	s->n_properties++;
	return 0;
}

static const struct cel_schema *property(const struct cel_schema *s, const char *name)
{
	for (uint32_t i = 0; s && i < s->n_properties; i++) {
		if (str_eq(key_str(s->properties[i].name), str_from(name)))
			return s->properties[i].schema;
	}
	return NULL;
}

static bool is_string(const struct cel_schema *s)
{
	return s && s->kind == CEL_SCHEMA_STRING;
}

/* Drop the description of the metadata, unless the schema describes all that is implied. */
static void drop_metadata(struct cel_schema *s)
{
	const struct cel_schema *meta = property(s, "metadata");
	uint32_t n = 0;

	if (is_string(property(s, "kind")) && is_string(property(s, "apiVersion")) && meta &&
	    meta->kind == CEL_SCHEMA_OBJECT && is_string(property(meta, "name")) &&
	    is_string(property(meta, "generateName")))
		return;
	for (uint32_t i = 0; i < s->n_properties; i++) {
		if (!str_eq(key_str(s->properties[i].name), STR("metadata")))
			s->properties[n++] = s->properties[i];
	}
	s->n_properties = n;
}

static int build_properties(struct builder *b, val props, str type_name, uint32_t depth, struct cel_schema *s)
{
	s->properties = arena_array(b->arena, val_count(props), sizeof(*s->properties));
	if (!s->properties)
		return err_nomem(b->err);
	for (uint32_t i = 0; i < val_count(props); i++) {
		struct cel_property *p = &s->properties[i];
		struct cel_schema *sub = NULL;
		str name = key_str(props.members[i].key);
		int r = cel_escape(name, b->arena, &p->escaped);

		if (r < 0)
			return err_nomem(b->err);
		if (r == 0)
			p->escaped = (str){ NULL, 0 };
		p->name = props.members[i].key;
		p->implied = false;
		r = build(b, props.members[i].value, false, sub_name(b, type_name, r ? p->escaped : name), depth + 1,
			  &sub);
		if (r < 0 || !sub)
			return r;
		p->schema = sub;
		s->has_rules_below |= sub->has_rules_below;
		s->n_properties = i + 1;
	}
	return 0;
}

static const struct cel_type *object_type(struct builder *b, const struct cel_schema *s, str type_name)
{
	struct cel_type *t = arena_zalloc(b->arena, sizeof(*t));

	if (t)
		*t = (struct cel_type){ .kind = CT_OBJECT, .size = 1, .name = type_name, .schema = s };
	return t;
}

static int build_object(struct builder *b, val v, bool resource, str type_name, uint32_t depth, struct cel_schema *s)
{
	val props = VAL_GET(v, "properties"), additional = VAL_GET(v, "additionalProperties");
	bool implied = resource || s->embedded;
	int r;

	if (val_is_map(additional) && !implied) {
		struct cel_schema *sub = NULL;

		r = build(b, additional, false, sub_name(b, type_name, STR("@elem")), depth + 1, &sub);
		if (r < 0 || !sub)
			return r;
		s->additional = sub;
		s->has_rules_below |= sub->has_rules_below;
		if (!val_is_map(props)) {
			s->type = sub->type ? cel_type_map(b->arena, &cel_type_string, sub->type) : NULL;
			return 0;
		}
	}
	s->type = object_type(b, s, type_name);
	if (!s->type)
		return err_nomem(b->err);
	if (!val_is_map(props)) { /* in a definition that no server has checked, properties may be any value */
		if (!implied)
			return 0;
		props = (val){ 0 };
	}
	r = build_properties(b, props, type_name, depth, s);
	if (r < 0 || !implied)
		return r;
	drop_metadata(s);
	r = implied_property(b, s, props, "apiVersion", type_name, false);
	if (r == 0)
		r = implied_property(b, s, props, "kind", type_name, false);
	if (r == 0)
		r = implied_property(b, s, props, "metadata", type_name, true);
	return r;
}

static int build_array(struct builder *b, val v, str type_name, uint32_t depth, struct cel_schema *s)
{
	struct cel_schema *items = NULL;
	int r;

	if (!val_is_map(VAL_GET(v, "items")))
		return 0;
	r = build(b, VAL_GET(v, "items"), false, sub_name(b, type_name, STR("@idx")), depth + 1, &items);
	if (r < 0 || !items)
		return r;
	s->items = items;
	s->has_rules_below |= items->has_rules_below;
	if (items->type) {
		s->type = cel_type_list(b->arena, items->type);
		if (!s->type)
			return err_nomem(b->err);
	}
	return build_keys(b, VAL_GET(v, "x-kubernetes-list-map-keys"), s);
}

static const struct cel_type *scalar_type(const struct cel_schema *s)
{
	static const struct cel_type *const by_format[] = {
		[CEL_PLAIN] = &cel_type_string,   [CEL_DURATION] = &cel_type_duration,
		[CEL_DATE] = &cel_type_timestamp, [CEL_DATE_TIME] = &cel_type_timestamp,
		[CEL_BYTE] = &cel_type_bytes,
	};

	_Static_assert(ARRAY_LEN(by_format) == CEL_STRING_FORMATS, "ORDER cel_string_format");
	switch (s->kind) {
	case CEL_SCHEMA_STRING:
		return by_format[s->format];
	case CEL_SCHEMA_NUMBER:
		return &cel_type_double;
	case CEL_SCHEMA_INTEGER:
		return &cel_type_int;
	case CEL_SCHEMA_BOOLEAN:
		return &cel_type_bool;
	default:
		return NULL;
	}
}

static int build(struct builder *b, val v, bool resource, str type_name, uint32_t depth, struct cel_schema **ret)
{
	struct cel_schema *s = arena_zalloc(b->arena, sizeof(*s));
	int r = 0;

	if (!s || !type_name.p)
		return err_nomem(b->err);
	if (depth > b->limits->depth || depth > 500)
		return err_set(b->err, E2BIG, "schema is nested too deeply");
	s->number = b->next_number++;
	s->place = type_name;
	s->type_name = val_str(VAL_GET(v, "type"));
	s->kind = kind_of(s->type_name);
	s->format = format_of(val_str(VAL_GET(v, "format")));
	s->nullable = val_is_true(VAL_GET(v, "nullable"));
	s->int_or_string = val_is_true(VAL_GET(v, "x-kubernetes-int-or-string"));
	s->embedded = val_is_true(VAL_GET(v, "x-kubernetes-embedded-resource"));
	s->preserve = val_is_true(VAL_GET(v, "x-kubernetes-preserve-unknown-fields"));
	s->list_type = list_type_of(val_str(VAL_GET(v, "x-kubernetes-list-type")));
	s->rules = VAL_GET(v, "x-kubernetes-validations");
	s->has_rules_below = val_count(s->rules) > 0;
	if (s->int_or_string)
		s->type = &cel_type_dyn;
	else if (s->kind == CEL_SCHEMA_OBJECT)
		r = build_object(b, v, resource, type_name, depth, s);
	else if (s->kind == CEL_SCHEMA_ARRAY)
		r = build_array(b, v, type_name, depth, s);
	else
		s->type = scalar_type(s);
	if (r < 0)
		return r;
	measure(s, v);
	*ret = s;
	return 0;
}

int cel_schema_build(val v, bool resource, const struct limits *lim, struct arena *a, const struct cel_schema **ret,
		     struct err *err)
{
	struct builder b = { .arena = a, .limits = lim, .err = err };
	struct cel_schema *s;
	int r = build(&b, v, resource, STR("selfType"), 0, &s);

	if (r < 0)
		return r;
	s->count = b.next_number;
	*ret = s;
	return 0;
}
