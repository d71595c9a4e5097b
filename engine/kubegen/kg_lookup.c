/* Looks up attributes by references: reference = name { "." key | "[" index "]" | "[" JSON-string "]" } */
#include "kubegen/kg_internal.h"
#include "value/json.h"

#include <ctype.h>
#include <errno.h>

struct kg_attribute {
	str name;
	enum kg_type type;
	val raw; /* the value as declared, with its macros; VAL_ABSENT: there is none */
	const struct kg_place *at;
	enum { NEW, BUSY, DONE } state;
	val value;               /* valid when DONE */
	struct kg_attribute *by; /* BUSY: the attribute whose evaluation needs this one */
};

/* ---- declarations ---- */

static size_t name_length(str s)
{
	size_t n = 0;

	while (n < s.n && (isalpha((unsigned char)s.p[n]) || s.p[n] == '_' ||
			   (n > 0 && (isdigit((unsigned char)s.p[n]) || s.p[n] == '-'))))
		n++;
	return n;
}

/* Whether @v has macros, so that its type may not be known before it is evaluated. */
static bool holds_macros(val v)
{
	for (uint32_t i = 0; v.kind == VAL_MAP && i < v.n; i++) {
		if (kg_is_macro(key_str(v.members[i].key)))
			return true;
	}
	return false;
}

static int check_type(struct kg_eval *e, const struct kg_attribute *a, val v)
{
	if (kg_type_of(v) == a->type)
		return 0;
	return kg_error(e, a->at, "'%.*s': expected %s, got %s", STR_ARG(a->name), kg_type_name(a->type),
			kg_type_name(kg_type_of(v)));
}

static int set_value(struct kg_eval *e, struct kg_attribute *a, val value, const struct kg_place *at)
{
	a->raw = value;
	a->at = at;
	return val_exists(value) && !holds_macros(value) ? check_type(e, a, value) : 0;
}

int kg_declare(struct kg_eval *e, str name, enum kg_type type, val value, const struct kg_place *at)
{
	struct kg_attribute *a;

	if (name.n == 0 || name_length(name) != name.n)
		return kg_error(e, at, "invalid name '%.*s'", STR_ARG(name));
	if (strmap_has(&e->attributes, name))
		return kg_error(e, at, "'%.*s' is declared twice", STR_ARG(name));
	a = arena_zalloc(&e->arena, sizeof(*a));
	if (!a || !strmap_put(&e->attributes, name, a, NULL))
		return kg_nomem(e);
	a->name = name;
	a->type = type;
	return set_value(e, a, value, at);
}

int kg_assign(struct kg_eval *e, str name, val value, const struct kg_place *at)
{
	return set_value(e, strmap_get(&e->attributes, name), value, at);
}

/* ---- values ---- */

static int cycle(struct kg_eval *e, const struct kg_attribute *a, const struct kg_place *at)
{
	str way = a->name;

	for (const struct kg_attribute *x = e->looking; way.p; x = x->by) {
		way = arena_printf(&e->arena, "%.*s -> %.*s", STR_ARG(x->name), STR_ARG(way));
		if (x == a)
			break;
	}
	return way.p ? kg_error(e, at, "lookup cycle: %.*s", STR_ARG(way)) : kg_nomem(e);
}

static int evaluate(struct kg_eval *e, struct kg_attribute *a)
{
	val v;
	int r;

	a->state = BUSY;
	a->by = e->looking;
	e->looking = a;
	r = kg_evaluate(e, a->raw, a->at, &v);
	e->looking = a->by;
	if (r == 0 && val_exists(v))
		r = check_type(e, a, v);
	if (r < 0)
		return r;
	a->value = v;
	a->state = DONE;
	return 0;
}

static int attribute_value(struct kg_eval *e, str name, const struct kg_place *at, val *ret)
{
	struct kg_attribute *a = strmap_get(&e->attributes, name);
	int r = 0;

	if (a && a->state == BUSY)
		return cycle(e, a, at);
	if (a && a->state == NEW && val_exists(a->raw))
		r = evaluate(e, a);
	if (r < 0)
		return r;
	if (!a || !val_exists(a->value))
		return kg_error(e, at, "undefined parameter '%.*s'", STR_ARG(name));
	*ret = a->value;
	return 0;
}

/* ---- paths ---- */

struct step {
	bool is_index;
	uint64_t index;
	str key;
};

/* Read the JSON string at the start of *rest, which moves behind it. */
static int quoted_key(struct kg_eval *e, str *rest, str *ret)
{
	struct json_options o = { .limits = e->limits };
	struct err why;
	size_t used;
	val v;
	int r = json_decode_value(*rest, &o, &e->arena, &v, &used, &why);

	if (r == -ENOMEM)
		return kg_nomem(e);
	if (r < 0)
		return -EBADMSG;
	*rest = str_sub(*rest, used, rest->n);
	*ret = val_str(v);
	return 0;
}

/* Read digits without a leading zero; a number that is too large for any list stays out of range. */
static bool read_index(str *rest, uint64_t *ret)
{
	size_t n = 0;
	uint64_t index = 0;

	while (n < rest->n && isdigit((unsigned char)rest->p[n])) {
		if (index <= UINT32_MAX)
			index = index * 10 + (uint64_t)(rest->p[n] - '0');
		n++;
	}
	if (n == 0 || (n > 1 && rest->p[0] == '0'))
		return false;
	*rest = str_sub(*rest, n, rest->n);
	*ret = index;
	return true;
}

static int read_bracket(struct kg_eval *e, str *rest, struct step *ret)
{
	int r = 0;

	*rest = str_sub(*rest, 1, rest->n);
	ret->is_index = rest->n == 0 || rest->p[0] != '"';
	if (!ret->is_index)
		r = quoted_key(e, rest, &ret->key);
	else if (!read_index(rest, &ret->index))
		r = -EBADMSG;
	if (r == 0 && (rest->n == 0 || rest->p[0] != ']'))
		r = -EBADMSG;
	*rest = str_sub(*rest, 1, rest->n);
	return r;
}

/* Read the next step of a path that is not empty. Fails: EBADMSG without a message; ENOMEM. */
static int next_step(struct kg_eval *e, str *rest, struct step *ret)
{
	size_t n = 1;

	*ret = (struct step){ 0 };
	if (rest->p[0] == '[')
		return read_bracket(e, rest, ret);
	while (n < rest->n && !strchr(".[]", rest->p[n]))
		n++;
	if (rest->p[0] != '.' || n == 1)
		return -EBADMSG;
	ret->key = str_sub(*rest, 1, n);
	*rest = str_sub(*rest, n, rest->n);
	return 0;
}

/* Check the syntax of a whole path: a mistake is one, whatever the beginning leads to. */
static int check_path(struct kg_eval *e, str ref, size_t name, const struct kg_place *at)
{
	str rest = str_sub(ref, name, ref.n);
	struct step s;
	int r = name ? 0 : -EBADMSG;

	while (r == 0 && rest.n)
		r = next_step(e, &rest, &s);
	return r == -EBADMSG ? kg_error(e, at, "invalid path '%.*s'", STR_ARG(ref)) : r;
}

int kg_lookup(struct kg_eval *e, str ref, const struct kg_place *at, val *ret)
{
	size_t name = name_length(ref);
	str rest = str_sub(ref, name, ref.n);
	struct step s;
	val v = { 0 };
	int r = check_path(e, ref, name, at);

	if (r == 0)
		r = attribute_value(e, str_sub(ref, 0, name), at, &v);
	while (r == 0 && rest.n) {
		r = next_step(e, &rest, &s);
		if (r == 0)
			v = !s.is_index              ? val_get(v, s.key)
			    : s.index < val_count(v) ? val_at(v, (uint32_t)s.index)
						     : (val){ 0 };
	}
	if (r < 0)
		return r;
	if (!val_exists(v) || val_is_null(v))
		return kg_error(e, at, "undefined path '%.*s'", STR_ARG(ref));
	*ret = v;
	return 0;
}
