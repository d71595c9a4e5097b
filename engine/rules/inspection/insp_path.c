/* Reads paths, and edits what they lead to. */
#include "rules/inspection/insp_path.h"

#include "rules/inspection/insp_python.h"

/* ---- paths ---- */

static size_t count_parts(str s, char separator)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == separator;
	return n;
}

static int split(str s, char separator, struct arena *a, struct insp_path *ret, struct err *err)
{
	str *segments = arena_array(a, count_parts(s, separator), sizeof(*segments));
	str part;

	*ret = (struct insp_path){ .segments = segments };
	if (!segments)
		return arena_error(a, err);
	while (str_next_part(&s, separator, &part))
		segments[ret->n++] = part;
	return 0;
}

/* Replace "~1" with "/" and "~0" with "~". */
static int unescape(str s, struct arena *a, str *ret, struct err *err)
{
	char *p;
	size_t n = 0;

	*ret = s;
	if (str_find_byte(s, '~') < 0)
		return 0;
	p = arena_alloc(a, s.n);
	if (!p)
		return arena_error(a, err);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '~' && (i + 1 == s.n || (s.p[i + 1] != '0' && s.p[i + 1] != '1')))
			return err_set(err, EINVAL, "'~' must be followed by 0 or 1");
		p[n++] = s.p[i] != '~' ? s.p[i] : s.p[++i] == '0' ? '~' : '/';
	}
	*ret = (str){ p, n };
	return 0;
}

int insp_pointer_read(str pointer, struct arena *a, struct insp_path *ret, struct err *err)
{
	int r = split(str_sub(pointer, 1, pointer.n), '/', a, ret, err);

	for (size_t i = 0; r == 0 && i < ret->n; i++)
		r = unescape(ret->segments[i], a, (str *)&ret->segments[i], err);
	return r;
}

static int read_list(struct insp_work *w, val v, struct insp_path *ret, struct err *err)
{
	str *segments = arena_array(w->arena, v.n, sizeof(*segments));

	if (!segments)
		return arena_error(w->arena, err);
	for (uint32_t i = 0; i < v.n; i++) {
		if (!val_is_string(v.items[i]))
			return err_set(err, EINVAL, "a segment of the path is no string");
		segments[i] = val_str(v.items[i]);
	}
	*ret = (struct insp_path){ segments, v.n };
	return 0;
}

int insp_path_read(struct insp_work *w, val v, bool data, struct insp_path *ret, struct err *err)
{
	str s = val_str(v);
	int r = insp_spend(w, 1 + (val_is_list(v) ? v.n : s.n), err);

	if (r < 0)
		return r;
	if (data && val_is_list(v)) {
		r = read_list(w, v, ret, err);
	} else if (!val_is_string(v)) {
		return err_set(err, EINVAL, "the path is no string");
	} else if (s.n == 0 || str_eq(s, STR("/"))) {
		ret->n = 0;
	} else if (s.p[0] == '/') {
		r = insp_pointer_read(s, w->arena, ret, err);
	} else {
		r = split(s, !data && str_find_byte(s, '/') >= 0 ? '/' : '.', w->arena, ret, err);
	}
	if (r == 0 && ret->n == 0)
		return err_set(err, EINVAL, "the path is empty");
	if (r == 0 && ret->n > w->limits->depth)
		return err_set(err, EINVAL, "the path has more than %u segments", w->limits->depth);
	return r;
}

bool insp_index(str s, uint32_t *ret)
{
	uint64_t n = 0;

	if (s.n == 0 || s.n > 9 || (s.n > 1 && s.p[0] == '0'))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	}
	*ret = (uint32_t)n;
	return true;
}

/* ---- editing ---- */

struct editor {
	struct insp_work *w;
	const struct insp_edit *edit;
	struct err *err;
};

static int edit_at(struct editor *e, size_t depth, val v, val *ret);

static int no_memory(struct editor *e)
{
	return arena_error(e->w->arena, e->err);
}

/* Values grow when they are put into each other. So an edit takes steps for their size, and their depth stays within
 * the limit for documents. */
static int measure(struct editor *e, val v, size_t depth)
{
	int r = insp_spend(e->w, 1 + (v.kind == VAL_STRING ? v.n / INSP_BYTES_A_STEP : 0), e->err);

	if (r == 0 && depth > e->w->limits->depth)
		return err_set(e->err, E2BIG, "nested deeper than %u", e->w->limits->depth);
	for (uint32_t i = 0; r == 0 && i < val_count(v); i++)
		r = measure(e, v.kind == VAL_LIST ? v.items[i] : v.members[i].value, depth + 1);
	return r;
}

static int append(struct editor *e, val list, val item, val *ret)
{
	val *items = arena_array(e->w->arena, (size_t)val_count(list) + 1, sizeof(*items));

	if (!items)
		return no_memory(e);
	if (val_count(list))
		memcpy(items, list.items, list.n * sizeof(*items));
	items[val_count(list)] = item;
	*ret = (val){ .kind = VAL_LIST, .n = val_count(list) + 1, .items = items };
	return insp_spend(e->w, ret->n, e->err);
}

static int extend(struct editor *e, val v, val *ret)
{
	int r = 0;

	if (!val_exists(v) || (e->edit->falsy_too && !py_true(v) && !val_is_list(v)))
		v = (val){ .kind = VAL_LIST };
	if (!val_is_list(v))
		return err_set(e->err, EINVAL, "not a list");
	for (uint32_t i = 0; r == 0 && e->edit->unique && i < v.n; i++)
		r = py_equal(e->w, v.items[i], e->edit->value, e->err);
	if (r == 0)
		return append(e, v, e->edit->value, ret);
	if (r == 1)
		*ret = v;
	return r < 0 ? r : 0;
}

/* The value that replaces @v at the end of the path. VAL_ABSENT: nothing. */
static int edit_end(struct editor *e, size_t depth, val v, val *ret)
{
	int r;

	if (e->edit->kind == INSP_DELETE) {
		*ret = (val){ 0 };
		return 0;
	}
	r = measure(e, e->edit->value, depth + 1);
	if (r < 0)
		return r;
	if (e->edit->kind == INSP_EXTEND)
		return extend(e, v, ret);
	*ret = e->edit->value;
	return 0;
}

static int put_member(struct editor *e, val map, str name, val old, val v, val *ret)
{
	const struct key *key;
	val edited;
	int r = insp_spend(e->w, 1 + (uint64_t)map.n, e->err);

	if (r < 0)
		return r;
	if (!val_exists(v) && !val_exists(old)) {
		*ret = map;
		return 0;
	}
	if (!val_exists(v)) {
		edited = val_map_without(e->w->arena, map, name);
	} else {
		key = key_make(NULL, e->w->arena, name);
		edited = key ? val_map_with(e->w->arena, map, key, v) : (val){ 0 };
	}
	if (!val_exists(edited))
		return no_memory(e);
	*ret = edited;
	return 0;
}

static int edit_map(struct editor *e, size_t depth, val map, val *ret)
{
	str name = e->edit->path.segments[depth];
	bool more = depth + 1 < e->edit->path.n, removes = e->edit->kind == INSP_DELETE;
	val old = val_get(map, name), v = old;
	int r;

	if (!val_exists(old) && depth == e->edit->object && e->edit->known && (more || removes))
		return err_set(e->err, EINVAL, "no field '%.*s'", STR_ARG(name));
	if (!val_exists(old) && removes) {
		*ret = map;
		return 0;
	}
	if (more && (!val_exists(old) || (e->edit->null_too && val_is_null(old))))
		v = val_map_sorted(NULL, 0);
	r = more ? edit_at(e, depth + 1, v, &v) : edit_end(e, depth, v, &v);
	return r < 0 ? r : put_member(e, map, name, old, v, ret);
}

static int put_item(struct editor *e, val list, uint32_t at, val v, val *ret)
{
	val *items = arena_array(e->w->arena, list.n, sizeof(*items));
	int r = insp_spend(e->w, 1 + (uint64_t)list.n, e->err);

	if (r < 0)
		return r;
	if (!items)
		return no_memory(e);
	memcpy(items, list.items, list.n * sizeof(*items));
	if (val_exists(v)) {
		items[at] = v;
	} else {
		memmove(items + at, items + at + 1, (list.n - at - 1) * sizeof(*items));
		list.n--;
	}
	list.items = items;
	*ret = list;
	return 0;
}

static int edit_list(struct editor *e, size_t depth, val list, val *ret)
{
	str segment = e->edit->path.segments[depth];
	bool more = depth + 1 < e->edit->path.n;
	uint32_t at;
	val v;
	int r;

	if (!insp_index(segment, &at) || at >= list.n) {
		if (e->edit->kind == INSP_DELETE) {
			*ret = list;
			return 0;
		}
		if (more || e->edit->kind != INSP_SET || !str_eq(segment, STR("-")))
			return err_set(e->err, EINVAL, "no element '%.*s'", STR_ARG(segment));
		r = measure(e, e->edit->value, depth + 1);
		return r < 0 ? r : append(e, list, e->edit->value, ret);
	}
	r = more ? edit_at(e, depth + 1, list.items[at], &v) : edit_end(e, depth, list.items[at], &v);
	return r < 0 ? r : put_item(e, list, at, v, ret);
}

static int edit_at(struct editor *e, size_t depth, val v, val *ret)
{
	if (v.kind == VAL_MAP)
		return edit_map(e, depth, v, ret);
	if (v.kind == VAL_LIST)
		return edit_list(e, depth, v, ret);
	return err_set(e->err, EINVAL, "what '%.*s' should be in is neither a map nor a list",
		       STR_ARG(e->edit->path.segments[depth]));
}

int insp_edit(struct insp_work *w, val root, const struct insp_edit *edit, val *ret, struct err *err)
{
	struct editor e = { w, edit, err };

	return edit_at(&e, 0, root, ret);
}
