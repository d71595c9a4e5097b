/* Declares the parameters and internals of manifests. */
#include "kubegen/kg_declare.h"

#include "kubegen/kg_internal.h"
#include "kubegen/kg_shape.h"
#include "value/json.h"

#include <errno.h>

static const struct kg_field parameter_fields[] = {
	{ "name", KG_TEXT, true },
	{ "type", KG_TEXT, true },
	{ "required", KG_FLAG, true },
	{ "default", KG_ANY, true },
};
static const struct kg_shape parameter_shape = { parameter_fields, ARRAY_LEN(parameter_fields), NULL };

static const struct kg_field internal_fields[] = {
	{ "name", KG_TEXT, true },
	{ "type", KG_TEXT, true },
	{ "value", KG_ANY, true },
};
static const struct kg_shape internal_shape = { internal_fields, ARRAY_LEN(internal_fields), NULL };

/* Read the name and the type of a declaration. */
static bool read_head(struct kg_make *m, val from, const struct kg_shape *shape, str *name, enum kg_type *type)
{
	str type_name;

	if (!kg_check(m, from, shape))
		return false;
	*name = val_str(kg_get(from, "name"));
	type_name = kg_get_required(m, from, "type");
	if (!kg_type_parse(type_name, type))
		kg_wrong(m, from, "type", "unknown type '%.*s'", STR_ARG(type_name));
	return m->r == 0;
}

static const struct kg_place *place_of_field(struct kg_make *m, val from, const char *field)
{
	struct arena *a = &m->e->arena;
	const struct kg_place *at = kg_place_member(a, kg_place_of(from), key_make(m->e->keys, a, str_from(field)));

	if (!at)
		kg_make_nomem(m);
	return at;
}

/* ---- parameters ---- */

/* Read the value of a parameter that is given as text. */
static int read_text(struct kg_eval *e, const struct kg_given *g, enum kg_type type, val *ret)
{
	struct json_options o = { .limits = e->limits, .keys = e->keys };
	str text = val_str(g->value);
	struct err why;
	size_t used;
	int r;

	if (type == KG_STRING) {
		*ret = g->value;
		return 0;
	}
	r = json_decode_value(text, &o, &e->arena, ret, &used, &why);
	if (r == -ENOMEM)
		return kg_nomem(e);
	if (r == 0 && str_trim(str_sub(text, used, text.n)).n)
		r = err_set(&why, EBADMSG, "there is more than one value");
	return r < 0 ? kg_error(e, g->at, "expected %s, got String: the text is no JSON: %s", kg_type_name(type),
				why.msg)
		     : 0;
}

static int assign(struct kg_declarations *d, const struct kg_given *g, enum kg_type type)
{
	val v = g->value;
	int r = g->text ? read_text(d->e, g, type, &v) : 0;

	d->n_used++;
	return r < 0 ? r : kg_assign(d->e, g->name, v, g->at);
}

/* Check that the parameter either has a default or is required. */
static bool check_default(struct kg_make *m, val from, str name)
{
	val value = kg_get(from, "default"), flag = kg_get(from, "required");
	bool required = val_exists(flag) && flag.b;

	if (required && val_exists(value))
		kg_wrong(m, from, "default", "ambiguous: parameter '%.*s' is required and has a default",
			 STR_ARG(name));
	if (!required && !val_exists(value))
		kg_wrong(m, from, NULL, "parameter '%.*s' must either be required or provide a default value",
			 STR_ARG(name));
	return m->r == 0;
}

static int declare_parameter(struct kg_declarations *d, val from)
{
	struct kg_make m = { .e = d->e };
	const struct kg_place *at = place_of_field(&m, from, "default");
	const struct kg_given *given;
	enum kg_type type;
	str name;
	int r;

	if (m.r < 0 || !read_head(&m, from, &parameter_shape, &name, &type))
		return m.r;
	r = kg_declare(d->e, name, type, kg_get(from, "default"), at);
	if (r < 0 || !check_default(&m, from, name))
		return r < 0 ? r : m.r;
	given = strmap_get(&d->given, name);
	if (given)
		return assign(d, given, type);
	if (val_exists(kg_get(from, "default")))
		return 0;
	return kg_error(d->e, kg_place_of(from), "module '%.*s' must set parameter '%.*s' (of type %s)",
			STR_ARG(d->instance->name), STR_ARG(name), kg_type_name(type));
}

/* ---- internals ---- */

static int declare_internal(struct kg_declarations *d, val from)
{
	struct kg_make m = { .e = d->e };
	const struct kg_place *at = place_of_field(&m, from, "value");
	enum kg_type type;
	str name;

	if (m.r < 0 || !read_head(&m, from, &internal_shape, &name, &type))
		return m.r;
	if (!val_exists(kg_get(from, "value")))
		return kg_error(d->e, kg_place_of(from), "internal '%.*s' must have a value", STR_ARG(name));
	return kg_declare(d->e, name, type, kg_get(from, "value"), at);
}

/* ---- the lists of a manifest ---- */

static int declare_list(struct kg_declarations *d, val root, const char *field, const struct kg_place *at,
			int (*declare)(struct kg_declarations *d, val from))
{
	val list = kg_get(root, field), copy;
	const struct kg_place *place;
	int r;

	if (!val_exists(list))
		return 0;
	place = kg_place_member(&d->e->arena, at, key_make(d->e->keys, &d->e->arena, str_from(field)));
	if (!place)
		return kg_nomem(d->e);
	r = kg_expect(d->e, list, KG_ARRAY, field, place);
	if (r == 0)
		r = kg_copy(d->e, list, place, &copy);
	for (uint32_t i = 0; r == 0 && i < copy.n; i++) {
		const struct kg_place *item = kg_place_item(&d->e->arena, place, i);

		r = item ? kg_expect(d->e, copy.items[i], KG_OBJECT, field, item) : kg_nomem(d->e);
		if (r == 0)
			r = declare(d, copy.items[i]);
	}
	return r;
}

int kg_declare_manifest(struct kg_declarations *d, val root, const struct kg_place *at)
{
	int r = declare_list(d, root, "Parameters", at, declare_parameter);

	return r < 0 ? r : declare_list(d, root, "Internals", at, declare_internal);
}

/* ---- all of a module ---- */

int kg_declarations_init(struct kg_declarations *d, struct kg_eval *e, const struct kg_instance *instance)
{
	*d = (struct kg_declarations){ .e = e, .instance = instance };
	for (size_t i = 0; i < instance->n_given; i++) {
		const struct kg_given *g = &instance->given[i];

		if (strmap_has(&d->given, g->name))
			return kg_error(e, g->at, "ambiguous: parameter '%.*s' is given twice", STR_ARG(g->name));
		if (!strmap_put(&d->given, g->name, (void *)(uintptr_t)g, NULL))
			return kg_nomem(e);
	}
	return 0;
}

void kg_declarations_done(struct kg_declarations *d)
{
	strmap_done(&d->given);
}

int kg_declare_check(const struct kg_declarations *d)
{
	const struct kg_instance *instance = d->instance;

	if (d->n_used == instance->n_given)
		return 0;
	for (size_t i = 0; i < instance->n_given; i++) {
		const struct kg_given *g = &instance->given[i];

		if (!strmap_has(&d->e->attributes, g->name))
			return kg_error(d->e, g->at, "module '%.*s' has no parameter '%.*s'", STR_ARG(instance->name),
					STR_ARG(g->name));
	}
	return kg_error(d->e, instance->given[0].at, "internals of module '%.*s' cannot be set",
			STR_ARG(instance->name));
}
