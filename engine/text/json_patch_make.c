/* Makes JSON patches for changes that a merge patch cannot express: null is a value in a document, and a removal in
 * a merge patch. */
#include "text/json_patch.h"

#include "base/assert.h"

#define OP_MEMBERS 3

/* ---- what a merge patch can say ---- */

/* Whether @v has a null that a merge patch would remove: it removes nulls from the maps that it adds, in lists too,
 * but not those that are items of lists. */
static bool adds_null(val v)
{
	for (uint32_t i = 0; val_is_map(v) && i < v.n; i++) {
		if (val_is_null(v.members[i].value) || adds_null(v.members[i].value))
			return true;
	}
	for (uint32_t i = 0; val_is_list(v) && i < v.n; i++) {
		if (adds_null(v.items[i]))
			return true;
	}
	return false;
}

static bool is_expressed(val from, val to)
{
	if (val_exists(from) && val_equal(from, to))
		return true;
	return val_is_map(from) && val_is_map(to) ? json_merge_expresses(from, to) : !val_is_null(to) && !adds_null(to);
}

bool json_merge_expresses(val from, val to)
{
	for (uint32_t i = 0; i < to.n; i++) {
		if (!is_expressed(val_get_key(from, to.members[i].key), to.members[i].value))
			return false;
	}
	return true;
}

/* ---- operations ---- */

/* "/KEY" as a JSON pointer. .p is NULL without memory. */
static str pointer(struct arena *a, str key)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(2 * key.n + 2);

	buf_add_byte(&text, '/');
	for (size_t i = 0; i < key.n; i++) {
		if (key.p[i] == '~' || key.p[i] == '/')
			buf_add_cstr(&text, key.p[i] == '~' ? "~0" : "~1");
		else
			buf_add_byte(&text, key.p[i]);
	}
	return text.error ? (str){ 0 } : arena_str(a, buf_str(&text));
}

/* Make an operation; @value is absent for a removal. VAL_ABSENT without memory. */
static val operation(struct arena *a, str key, val value)
{
	struct member m[OP_MEMBERS];
	str path = pointer(a, key);
	size_t n = 0;

	m[n++] = (struct member){ key_make(NULL, a, STR("op")),
				  val_string(val_exists(value) ? STR("add") : STR("remove")) };
	m[n++] = (struct member){ key_make(NULL, a, STR("path")), val_string(path) };
	if (val_exists(value))
		m[n++] = (struct member){ key_make(NULL, a, STR("value")), value };
	ASSERT(n <= OP_MEMBERS);
	for (size_t i = 0; i < n; i++) {
		if (!m[i].key)
			return (val){ 0 };
	}
	return path.p ? val_map(a, m, n) : (val){ 0 };
}

static bool push(struct arena *a, val *ops, uint32_t *n, str key, val value)
{
	ops[*n] = operation(a, key, value);
	return val_exists(ops[(*n)++]);
}

val json_patch_members(struct arena *a, val from, val to)
{
	val *ops = arena_array(a, (size_t)from.n + to.n, sizeof(*ops));
	bool ok = ops != NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; ok && i < from.n; i++) {
		if (!val_exists(val_get_key(to, from.members[i].key)))
			ok = push(a, ops, &n, key_str(from.members[i].key), (val){ 0 });
	}
	for (uint32_t i = 0; ok && i < to.n; i++) {
		val before = val_get_key(from, to.members[i].key);

		if (!val_exists(before) || !val_equal(before, to.members[i].value))
			ok = push(a, ops, &n, key_str(to.members[i].key), to.members[i].value);
	}
	return ok ? (val){ .kind = VAL_LIST, .n = n, .items = ops } : (val){ 0 };
}
