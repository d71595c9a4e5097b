/* Applies JSON patches to stored rules. */
#include "rules/inspection/insp_patch.h"

#include "base/utf8.h"
#include "rules/inspection/insp_path.h"

enum patch_op { PATCH_ADD, PATCH_REPLACE, PATCH_REMOVE };

struct patch {
	enum patch_op op;
	str text; /* the path as text */
	struct insp_path path;
	val value;
};

struct patcher {
	const struct limits *limits;
	struct arena *arena;
	uint64_t steps;
	struct err *err;
};

/* ---- reading ---- */

static int wrong(struct patcher *p, const char *text)
{
	return err_set(p->err, EINVAL, "%s", text);
}

static bool read_op(str s, enum patch_op *ret)
{
	static const char *const names[] = { "add", "replace", "remove" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(s, str_from(names[i]))) {
			*ret = (enum patch_op)i;
			return true;
		}
	}
	return false;
}

static int check_field(struct patcher *p, str name)
{
	static const char *const fixed[] = { "uuid", "built_in", "created_at", "updated_at" };
	static const char *const fields[] = { "description", "priority",   "scope",  "sensitive",
					      "phase",       "conditions", "actions" };

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++) {
		if (str_eq(name, str_from(fixed[i])))
			return err_set(p->err, EINVAL, "'%s' cannot be changed", fixed[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (str_eq(name, str_from(fields[i])))
			return 0;
	}
	return err_set(p->err, EINVAL, "unknown field '%.*s'", STR_ARG(utf8_cut(name, 256)));
}

static int read_patch(struct patcher *p, val v, struct patch *ret)
{
	val path = VAL_GET(v, "path");
	int r;

	if (!val_is_map(v))
		return wrong(p, "a patch must be a list of maps with op and path");
	if (!read_op(val_str(VAL_GET(v, "op")), &ret->op))
		return wrong(p, "patch op must be add, replace or remove");
	if (!val_exists(path))
		return wrong(p, "patch path is required");
	if (!val_is_string(path))
		return wrong(p, "patch path must be a string");
	ret->text = val_str(path);
	if (ret->text.n == 0 || ret->text.p[0] != '/')
		return wrong(p, "patch path must start with /");
	ret->value = VAL_GET(v, "value");
	if (!val_exists(ret->value) && ret->op != PATCH_REMOVE)
		return wrong(p, "patch value is required");
	r = insp_pointer_read(ret->text, p->arena, &ret->path, p->err);
	return r < 0 ? r : check_field(p, ret->path.segments[0]);
}

/* ---- applying ---- */

static int missing(struct patcher *p, const struct patch *patch)
{
	return err_set(p->err, EINVAL, "patch path %.*s does not exist", STR_ARG(utf8_cut(patch->text, 256)));
}

static int out_of_memory(struct patcher *p)
{
	return arena_error(p->arena, p->err);
}

static int spend(struct patcher *p, uint64_t n)
{
	if (p->steps < n)
		return err_set(p->err, E2BIG, "the patch takes too many steps");
	p->steps -= n;
	return 0;
}

static val default_of(str field)
{
	if (str_eq(field, STR("priority")))
		return val_int(0);
	if (str_eq(field, STR("sensitive")))
		return val_bool(false);
	if (str_eq(field, STR("phase")))
		return val_string(STR("main"));
	if (str_eq(field, STR("conditions")))
		return (val){ .kind = VAL_LIST };
	return str_eq(field, STR("actions")) ? (val){ 0 } : val_null();
}

static int apply_at(struct patcher *p, const struct patch *patch, size_t depth, val v, val *ret);

/* What takes the place of @old; VAL_ABSENT: nothing. */
static int replacement(struct patcher *p, const struct patch *patch, size_t depth, val old, val *ret)
{
	if (depth + 1 < patch->path.n)
		return val_exists(old) ? apply_at(p, patch, depth + 1, old, ret) : missing(p, patch);
	if (!val_exists(old) && patch->op != PATCH_ADD)
		return missing(p, patch);
	*ret = patch->op != PATCH_REMOVE ? patch->value : depth == 0 ? default_of(patch->path.segments[0]) : (val){ 0 };
	return 0;
}

static int apply_to_map(struct patcher *p, const struct patch *patch, size_t depth, val map, val *ret)
{
	str name = patch->path.segments[depth];
	const struct key *key;
	val v = { 0 };
	int r = replacement(p, patch, depth, val_get(map, name), &v);

	if (r == 0)
		r = spend(p, 1 + (uint64_t)map.n);
	if (r < 0)
		return r;
	if (!val_exists(v)) {
		v = val_map_without(p->arena, map, name);
	} else {
		key = key_make(NULL, p->arena, name);
		v = key ? val_map_with(p->arena, map, key, v) : (val){ 0 };
	}
	*ret = v;
	return val_exists(v) ? 0 : out_of_memory(p);
}

static int apply_to_list(struct patcher *p, const struct patch *patch, size_t depth, val list, val *ret)
{
	str segment = patch->path.segments[depth];
	bool inserts = depth + 1 == patch->path.n && patch->op == PATCH_ADD;
	uint32_t at = list.n;
	val *items = arena_array(p->arena, (size_t)list.n + 1, sizeof(*items)), v = { 0 };
	int r = spend(p, 1 + (uint64_t)list.n);

	if (!items)
		return out_of_memory(p);
	if (r < 0)
		return r;
	if (!(inserts && str_eq(segment, STR("-"))) && (!insp_index(segment, &at) || at >= list.n + inserts))
		return missing(p, patch);
	r = inserts ? 0 : replacement(p, patch, depth, list.items[at], &v);
	if (r < 0)
		return r;
	if (inserts)
		v = patch->value;
	if (at)
		memcpy(items, list.items, at * sizeof(*items));
	if (val_exists(v))
		items[at] = v;
	if (list.n > at + !inserts)
		memcpy(items + at + val_exists(v), list.items + at + !inserts,
		       (list.n - at - !inserts) * sizeof(*items));
	*ret = (val){ .kind = VAL_LIST, .n = list.n + inserts - !val_exists(v), .items = items };
	return 0;
}

static int apply_at(struct patcher *p, const struct patch *patch, size_t depth, val v, val *ret)
{
	if (depth >= p->limits->depth)
		return missing(p, patch);
	if (v.kind == VAL_MAP)
		return apply_to_map(p, patch, depth, v, ret);
	return v.kind == VAL_LIST ? apply_to_list(p, patch, depth, v, ret) : missing(p, patch);
}

/* Whether @v is deeper than @left levels: a value may be put into a value, so that depths add up. */
static bool too_deep(val v, uint32_t left)
{
	if (left == 0)
		return true;
	for (uint32_t i = 0; i < val_count(v); i++) {
		if (too_deep(v.kind == VAL_LIST ? v.items[i] : v.members[i].value, left - 1))
			return true;
	}
	return false;
}

int insp_patch(val rule, val patch, const struct limits *limits, struct arena *a, val *ret, struct err *err)
{
	struct patcher p = { limits, a, limits->evaluation_steps, err };
	struct patch one;
	int r = 0;

	if (!val_is_list(patch))
		return wrong(&p, "a patch must be a list");
	for (uint32_t i = 0; r == 0 && i < patch.n; i++) {
		r = read_patch(&p, patch.items[i], &one);
		if (r == 0)
			r = apply_at(&p, &one, 0, rule, &rule);
		if (r == 0 && too_deep(one.value, limits->depth - (uint32_t)one.path.n))
			r = err_set(err, E2BIG, "nested deeper than %u", limits->depth);
	}
	if (r == 0)
		*ret = rule;
	return r;
}
