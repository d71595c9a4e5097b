/* Decides what null, zero, {} and [] in a manifest want, and what a server fills in where a manifest wants nothing. */
#include "manifest/manifest_internal.h"

/* Whether the server or a controller chooses the value of a field that a manifest leaves empty. Only fields count: a
 * key of a map may have any name. */
static bool is_allocated(const struct walk *w, const struct place *p)
{
	static const char *const names[] = { "caBundle",   "clusterIP",      "clusterIPs", "healthCheckNodePort",
					     "ipFamilies", "ipFamilyPolicy", "nodePort",   "volumeName" };

	for (size_t i = 0; w->built_in && !p->type.element && !p->type.holder && i < ARRAY_LEN(names); i++) {
		if (str_eq(p->type.name, str_from(names[i])))
			return true;
	}
	return false;
}

bool manifest_is_empty(val v)
{
	switch (v.kind) {
	case VAL_BOOL:
		return !v.b;
	case VAL_INT:
		return v.i == 0;
	case VAL_DOUBLE:
		return v.d == 0;
	case VAL_UINT: /* such an integer is above INT64_MAX */
		return false;
	default: /* absent values and null have n == 0 */
		return v.n == 0;
	}
}

/* Whether Go stores a field as a value instead of a pointer. A field that no schema describes counts as a value in a
 * built-in kind, because most of their fields are. */
bool manifest_is_value(const struct walk *w, const struct place *p)
{
	return topo_known(&p->type) ? !topo_pointer(&p->type) : w->built_in;
}

static bool any_asks(const struct walk *w, const struct place *p, val map)
{
	bool asks = false;

	for (uint32_t i = 0; i < map.n && !asks && p->depth < w->env->limits->depth; i++) {
		struct place member = member_of(p, key_str(map.members[i].key));

		asks = manifest_asks(w, &member, map.members[i].value);
	}
	return asks;
}

bool manifest_asks(const struct walk *w, const struct place *p, val m)
{
	bool value = manifest_is_value(w, p);

	if (val_is_null(m) || (manifest_is_empty(m) && is_allocated(w, p)))
		return false;
	if (!val_is_map(m))
		return !value || !manifest_is_empty(m);
	/* An empty map is only written on purpose. */
	if (m.n == 0)
		return !value || !topo_known(&p->type);
	return !value || any_asks(w, p, m);
}

/* ---- defaults ---- */

static bool members_are_default(struct walk *w, const struct place *p, val otherwise, val l)
{
	for (uint32_t i = 0; i < l.n; i++) {
		str key = key_str(l.members[i].key);
		struct place member = member_of(p, key);
		val d = val_get(otherwise, key);

		if (!manifest_spend(w, &member, l.members[i].value))
			return false;
		if (!(val_exists(d) && manifest_same(w, &member, d, l.members[i].value)) &&
		    !manifest_is_default(w, &member, l.members[i].value))
			return false;
	}
	return true;
}

bool manifest_is_default(struct walk *w, const struct place *p, val l)
{
	bool value = manifest_is_value(w, p);
	val otherwise;

	if (!val_exists(l) || val_is_null(l) || (value && manifest_is_empty(l)))
		return true;
	otherwise = topo_default(&p->type, w->arena);
	if (val_exists(otherwise) && manifest_same(w, p, otherwise, l))
		return true;
	if (!val_is_map(l) || topo_shape(&p->type) == TOPO_MAP || !topo_known(&p->type))
		return false;
	return (value || val_is_map(otherwise)) && members_are_default(w, p, otherwise, l);
}

/* ---- what is written, and empty ---- */

/* Compare an empty list of the manifest with a list whose elements have owners of their own. */
static val empty_against_elements(struct walk *w, val m, val l)
{
	if (w->env->additions == MANIFEST_IGNORE)
		return l;
	return manifest_differs(w, m, l, WHY_ADDED, m);
}

/* Whether @l is what a server reads where a built-in list or map has null: the zero of its values, with defaults. */
static bool is_read_as_null(struct walk *w, const struct place *p, val l)
{
	enum topo_value value = topo_value(&p->type);
	val nothing = { 0 };

	if (!p->type.holder || value == TOPO_ANY)
		return false;
	if (value == TOPO_QUANTITY)
		return manifest_same(w, p, val_string(STR("0")), l);
	return manifest_is_empty(l) ||
	       (val_is_map(l) && topo_shape(&p->type) == TOPO_STRUCT && members_are_default(w, p, nothing, l));
}

static val walk_null(struct walk *w, const struct place *p, val m, val l)
{
	enum topo_list list = topo_list(&p->type);
	enum topo_shape shape = topo_shape(&p->type);
	bool keyed = !p->whole && (list == TOPO_KEYED || list == TOPO_SET);
	bool granular = (shape == TOPO_STRUCT || shape == TOPO_MAP) && !manifest_is_whole(w, p, m, l);

	if (keyed && val_count(l) && list == TOPO_KEYED && p->template)
		return empty_against_elements(w, m, l);
	if (keyed || granular || manifest_is_default(w, p, l) || is_read_as_null(w, p, l) ||
	    manifest_is_computed(w, p, false, l))
		return l;
	return manifest_differs(w, (val){ 0 }, l, WHY_NULL, (val){ 0 });
}

static val walk_empty_list(struct walk *w, const struct place *p, val m, val l)
{
	enum topo_list list = topo_list(&p->type);

	if (!val_is_list(l))
		return manifest_differs(w, m, l, WHY_VALUE, m);
	if (!l.n)
		return l;
	if (!p->whole && (list == TOPO_KEYED || list == TOPO_SET))
		return empty_against_elements(w, m, l);
	if (manifest_is_computed(w, p, false, l) || (manifest_is_value(w, p) && manifest_is_default(w, p, l)))
		return l;
	return manifest_differs(w, m, l, WHY_LENGTH, m);
}

static val walk_empty_map(struct walk *w, const struct place *p, val m, val l)
{
	if (!val_is_map(l))
		return manifest_differs(w, m, l, WHY_VALUE, m);
	return manifest_is_whole(w, p, m, l) ? manifest_walk_whole(w, p, m, l) : l;
}

val manifest_walk_empty(struct walk *w, const struct place *p, val m, val l)
{
	if (is_allocated(w, p))
		return l;
	if (val_is_null(m))
		return walk_null(w, p, m, l);
	if (!val_exists(l) || val_is_null(l))
		return manifest_asks(w, p, m) ? manifest_differs(w, m, (val){ 0 }, WHY_MISSING, m) : l;
	if (val_is_list(m))
		return walk_empty_list(w, p, m, l);
	if (val_is_map(m))
		return walk_empty_map(w, p, m, l);
	if (manifest_same(w, p, m, l))
		return l;
	if (manifest_is_value(w, p) && (manifest_is_default(w, p, l) || manifest_is_computed(w, p, false, l)))
		return l;
	return manifest_differs(w, m, l, WHY_VALUE, m);
}
