/* Applies JSON patches (RFC 6902). Error texts and their wrapping are those of the library. */
#include "text/json_patch_internal.h"

#include "base/ascii.h"
#include "base/number.h"

#include <errno.h>

#define MISSING "missing value"
#define BAD_INDEX "invalid index referenced"
#define NIL_POINTER "runtime error: invalid memory address or nil pointer dereference"

static int type_error(struct patcher *p, str raw, const char *type)
{
	return err_set(p->err, EBADMSG, "json: cannot unmarshal %s into Go value of type %s",
		       json_raw_kind_name(json_raw_kind(raw)), type);
}

/* The raw text of the last member of that name; false when there is none. */
static bool operation_member(struct patcher *p, str op, str name, str *ret)
{
	size_t at = 0;
	str key, value;
	bool found = false;

	while (op.n > 0 && json_raw_next(op, &at, &key, &value)) {
		if (!str_eq(json_raw_unquote(key, &p->arena), name))
			continue;
		*ret = value;
		found = true;
	}
	return found;
}

static int operation_text(struct patcher *p, str op, str name, const char *missing, str *ret)
{
	str raw;

	if (!operation_member(p, op, name, &raw) || json_raw_kind(raw) == JSON_RAW_NULL)
		return err_set(p->err, EBADMSG, "%s: " MISSING, missing);
	if (json_raw_kind(raw) != JSON_RAW_STRING)
		return type_error(p, raw, "string");
	*ret = json_raw_unquote(raw, &p->arena);
	return ret->p ? 0 : err_nomem(p->err);
}

static int operation_path(struct patcher *p, str op, str *ret)
{
	return operation_text(p, op, STR("path"), "operation missing path field", ret);
}

static int operation_from(struct patcher *p, str op, str *ret)
{
	return operation_text(p, op, STR("from"), "operation, missing from field", ret);
}

/* Get the value of an operation: *ret is NULL when there is none, and a node without text for null. */
static int operation_value(struct patcher *p, str op, struct node **ret)
{
	str raw;

	*ret = NULL;
	if (!operation_member(p, op, STR("value"), &raw))
		return 0;
	*ret = node_raw(p, raw);
	if (!*ret)
		return err_nomem(p->err);
	(*ret)->is_null = json_raw_kind(raw) == JSON_RAW_NULL;
	return 0;
}

/* Decode a key, in which ~1 is a slash, ~0 a tilde. */
static str decode_key(struct patcher *p, str part)
{
	char *out = arena_alloc(&p->arena, part.n);
	size_t n = 0;

	for (size_t i = 0; out && i < part.n; i++) {
		bool escape = part.p[i] == '~' && i + 1 < part.n && (part.p[i + 1] == '0' || part.p[i + 1] == '1');

		out[n++] = (char)(!escape ? part.p[i] : part.p[++i] == '1' ? '/' : '~');
	}
	return (str){ out, n };
}

/* ---- access ---- */

static int index_error(struct patcher *p, int64_t index)
{
	return err_set(p->err, EBADMSG, "Unable to access invalid index: %lld: " BAD_INDEX, (long long)index);
}

static int parse_index(struct patcher *p, str key, int64_t *ret)
{
	size_t digits = key.n > 0 && (key.p[0] == '-' || key.p[0] == '+'), first = digits;

	if (int64_parse(key, ret))
		return 0;
	while (digits < key.n && ascii_is_digit(key.p[digits]))
		digits++;
	return err_set(p->err, EBADMSG, "strconv.Atoi: parsing \"%.*s\": %s", STR_ARG(key),
		       digits == key.n && digits > first ? "value out of range" : "invalid syntax");
}

/* The index of @key in an array of @n items; counted from the end when it is negative. */
static int place(struct patcher *p, str key, size_t n, size_t *ret)
{
	int64_t index;
	int r = parse_index(p, key, &index);

	if (r < 0)
		return r;
	if (index >= (int64_t)n || index < -(int64_t)n)
		return index_error(p, index);
	*ret = (size_t)(index < 0 ? index + (int64_t)n : index);
	return 0;
}

static int get(struct patcher *p, const struct node *con, str key, struct node **ret)
{
	bool found;
	size_t at;
	int r;

	*ret = NULL;
	if (con->kind == NODE_OBJECT) {
		at = node_find(con, key, &found);
		if (found)
			*ret = con->members[at].value;
		return 0;
	}
	r = place(p, key, con->n, &at);
	if (r == 0)
		*ret = con->members[at].value;
	return r;
}

static int set(struct patcher *p, struct node *con, str key, struct node *value)
{
	size_t at;
	int r;

	if (con->kind == NODE_OBJECT) {
		if (con->is_null)
			return err_set(p->err, EINVAL, "assignment to entry in nil map");
		return node_set(p, con, key, value) ? 0 : err_nomem(p->err);
	}
	r = place(p, key, con->n, &at);
	if (r == 0)
		con->members[at].value = value;
	return r;
}

static int add(struct patcher *p, struct node *con, str key, struct node *value)
{
	size_t at = con->n;
	int64_t index;
	int r = 0;

	if (con->kind == NODE_OBJECT)
		return set(p, con, key, value);
	if (!str_eq(key, STR("-"))) {
		r = parse_index(p, key, &index);
		if (r < 0)
			return err_wrap(p->err, "value was not a proper array index: '%.*s'", STR_ARG(key));
		r = place(p, key, con->n + 1, &at);
	}
	if (r < 0)
		return r;
	return node_insert(p, con, at, (str){ NULL, 0 }, value) ? 0 : err_nomem(p->err);
}

static int remove_key(struct patcher *p, struct node *con, str key)
{
	bool found;
	size_t at;
	int r;

	if (con->kind == NODE_OBJECT) {
		at = node_find(con, key, &found);
		if (!found)
			return err_set(p->err, EBADMSG, "Unable to remove nonexistent key: %.*s: " MISSING,
				       STR_ARG(key));
	} else {
		r = place(p, key, con->n, &at);
		if (r < 0)
			return r;
	}
	node_remove(con, at);
	return 0;
}

/* Find the container to which @path leads, and the key in it. *ret is NULL when there is no such container. -ENOMEM. */
static int find_container(struct patcher *p, struct node *root, str path, struct node **ret, str *key)
{
	struct node *at = root;
	str rest = path, part, next;

	*ret = NULL;
	if (!str_next_part(&rest, '/', &part) || !rest.p)
		return 0;
	(void)str_next_part(&rest, '/', &part);
	while (str_next_part(&rest, '/', &next)) {
		struct node *child;
		struct err ignored = *p->err;
		int r;

		part = decode_key(p, part);
		if (!part.p)
			return err_nomem(p->err);
		r = get(p, at, part, &child);
		*p->err = ignored;
		if (r < 0 || !child || child->is_null)
			return 0;
		r = node_open(p, child, json_raw_kind(child->raw) == JSON_RAW_ARRAY ? NODE_ARRAY : NODE_OBJECT);
		if (r < 0)
			return r == -EBADMSG ? 0 : r;
		at = child;
		part = next;
	}
	*key = decode_key(p, part);
	*ret = at;
	return key->p ? 0 : err_nomem(p->err);
}

/* ---- operations ---- */

static int do_add(struct patcher *p, struct node *root, str op)
{
	struct node *con = NULL, *value = NULL;
	str path, key;
	int r = operation_path(p, op, &path);

	if (r < 0)
		return err_set(p->err, EBADMSG, "add operation failed to decode path: " MISSING);
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG, "add operation does not apply: doc is missing path: \"%.*s\": " MISSING,
			       STR_ARG(path));
	if (r == 0)
		r = operation_value(p, op, &value);
	if (r < 0)
		return r;
	r = add(p, con, key, value);
	return r < 0 ? err_wrap(p->err, "error in add for path: '%.*s'", STR_ARG(path)) : 0;
}

static int do_remove(struct patcher *p, struct node *root, str op)
{
	struct node *con;
	str path, key;
	int r = operation_path(p, op, &path);

	if (r < 0)
		return err_set(p->err, EBADMSG, "remove operation failed to decode path: " MISSING);
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG,
			       "remove operation does not apply: doc is missing path: \"%.*s\": " MISSING,
			       STR_ARG(path));
	if (r < 0)
		return r;
	r = remove_key(p, con, key);
	return r < 0 ? err_wrap(p->err, "error in remove for path: '%.*s'", STR_ARG(path)) : 0;
}

static int replace_root(struct patcher *p, struct node **root, str op)
{
	struct node *value;
	int r = operation_value(p, op, &value);

	if (r < 0)
		return r;
	if (!value)
		return err_set(p->err, EINVAL, NIL_POINTER);
	r = node_open(p, value, NODE_OBJECT);
	if (r == -EBADMSG)
		r = node_open(p, value, NODE_ARRAY);
	if (r == -EBADMSG)
		return err_set(p->err, EBADMSG, "replace operation value must be object or array: %%!w(<nil>)");
	if (r == 0)
		*root = value;
	return r;
}

static int do_replace(struct patcher *p, struct node **root, str op)
{
	struct node *con = NULL, *value = NULL;
	str path, key;
	int r = operation_path(p, op, &path);

	if (r < 0)
		return err_wrap(p->err, "replace operation failed to decode path");
	if (path.n == 0)
		return replace_root(p, root, op);
	r = find_container(p, *root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG, "replace operation does not apply: doc is missing path: %.*s: " MISSING,
			       STR_ARG(path));
	if (r == 0 && get(p, con, key, &value) < 0)
		return err_set(p->err, EBADMSG, "replace operation does not apply: doc is missing key: %.*s: " MISSING,
			       STR_ARG(path));
	if (r == 0)
		r = operation_value(p, op, &value);
	if (r < 0)
		return r;
	r = set(p, con, key, value);
	return r < 0 ? err_wrap(p->err, "error in remove for path: '%.*s'", STR_ARG(path)) : 0;
}

static int do_move(struct patcher *p, struct node *root, str op)
{
	struct node *con = NULL, *value = NULL;
	str path, key;
	int r = operation_from(p, op, &path);

	if (r < 0)
		return err_wrap(p->err, "move operation failed to decode from");
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG,
			       "move operation does not apply: doc is missing from path: %.*s: " MISSING,
			       STR_ARG(path));
	if (r < 0)
		return r;
	if (get(p, con, key, &value) < 0 || remove_key(p, con, key) < 0)
		return err_wrap(p->err, "error in move for path: '%.*s'", STR_ARG(key));
	r = operation_path(p, op, &path);
	if (r < 0)
		return err_wrap(p->err, "move operation failed to decode path");
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG,
			       "move operation does not apply: doc is missing destination path: %.*s: " MISSING,
			       STR_ARG(path));
	if (r < 0)
		return r;
	r = add(p, con, key, value);
	return r < 0 ? err_wrap(p->err, "error in move for path: '%.*s'", STR_ARG(path)) : 0;
}

/* Copy a node by its text. */
static int copy_node(struct patcher *p, const struct node *n, struct node **ret)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(p->lim->object_bytes);
	str raw;

	*ret = NULL;
	if (!n)
		return 0;
	node_write(n, &text);
	if (text.error)
		return buf_error(&text, "copied value", p->err);
	raw = arena_str(&p->arena, buf_str(&text));
	if (raw.p)
		*ret = node_raw(p, raw);
	return *ret ? 0 : err_nomem(p->err);
}

static int do_copy(struct patcher *p, struct node *root, str op)
{
	struct node *con = NULL, *value = NULL;
	str from, path, key;
	int r = operation_from(p, op, &from);

	if (r < 0)
		return err_wrap(p->err, "copy operation failed to decode from");
	r = find_container(p, root, from, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG,
			       "copy operation does not apply: doc is missing from path: %.*s: " MISSING,
			       STR_ARG(from));
	if (r < 0)
		return r;
	if (get(p, con, key, &value) < 0)
		return err_wrap(p->err, "error in copy for from: '%.*s'", STR_ARG(from));
	if (operation_path(p, op, &path) < 0)
		return err_set(p->err, EBADMSG, "copy operation failed to decode path: " MISSING);
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG,
			       "copy operation does not apply: doc is missing destination path: %.*s: " MISSING,
			       STR_ARG(path));
	if (r == 0)
		r = copy_node(p, value, &value);
	if (r < 0)
		return r;
	r = add(p, con, key, value);
	return r < 0 ? err_wrap(p->err, "error while adding value during copy") : 0;
}

/* ---- test ---- */

/* Whether two nodes are equal: 1 or 0; negative: an error, also where the library dies of a null in an array. */
static int equal(struct patcher *p, struct node *a, struct node *b);

static int equal_objects(struct patcher *p, const struct node *a, const struct node *b)
{
	int r = a->n == b->n;

	for (size_t i = 0; i < a->n && r == 1; i++) {
		const struct node_member *x = &a->members[i], *y = &b->members[i];

		if (!str_eq(x->key, y->key) || !x->value != !y->value)
			return 0;
		if (x->value)
			r = equal(p, x->value, y->value);
	}
	return r;
}

static int equal_text(struct patcher *p, const struct node *a, const struct node *b)
{
	CLEANUP(buf_done) struct buf x = BUF_INIT(p->lim->object_bytes);
	CLEANUP(buf_done) struct buf y = BUF_INIT(p->lim->object_bytes);

	if (b->kind != NODE_RAW)
		return 0;
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	json_raw_compact(a->raw, false, &x);
	json_raw_compact(b->raw, false, &y);
	if (x.error || y.error)
		return buf_error(x.error ? &x : &y, "tested value", p->err);
	return str_eq(buf_str(&x), buf_str(&y));
}

static int equal(struct patcher *p, struct node *a, struct node *b)
{
	int r = 1;

	if (!a || !b)
		return err_set(p->err, EINVAL, NIL_POINTER);
	if (a->kind == NODE_RAW && node_open(p, a, NODE_OBJECT) < 0 && node_open(p, a, NODE_ARRAY) < 0)
		return equal_text(p, a, b);
	if (node_open(p, b, a->kind) < 0)
		return 0;
	if (a->kind == NODE_OBJECT)
		return equal_objects(p, a, b);
	if (a->n != b->n)
		return 0;
	for (size_t i = 0; i < a->n && r == 1; i++)
		r = equal(p, a->members[i].value, b->members[i].value);
	return r;
}

static int test_result(struct patcher *p, int r, str path)
{
	if (r < 0)
		return r;
	return r ? 0 : err_set(p->err, EBADMSG, "testing value %.*s failed: test failed", STR_ARG(path));
}

static int do_test(struct patcher *p, struct node *root, str op)
{
	struct node *con, *have, *want;
	str path, key;
	int r = operation_path(p, op, &path);

	if (r < 0)
		return err_wrap(p->err, "test operation failed to decode path");
	r = operation_value(p, op, &want);
	if (r < 0)
		return r;
	if (path.n == 0)
		return test_result(p, equal(p, root, want), path);
	r = find_container(p, root, path, &con, &key);
	if (r == 0 && !con)
		return err_set(p->err, EBADMSG, "test operation does not apply: is missing path: %.*s: " MISSING,
			       STR_ARG(path));
	if (r < 0)
		return r;
	if (get(p, con, key, &have) < 0)
		return err_wrap(p->err, "error in test for path: '%.*s'", STR_ARG(path));
	if (!have)
		return test_result(p, !want || want->is_null, path);
	return test_result(p, want ? equal(p, have, want) : 0, path);
}

/* ---- the whole ---- */

static int apply_one(struct patcher *p, struct node **root, str op)
{
	str raw, kind = STR("unknown");

	if (operation_member(p, op, STR("op"), &raw) && json_raw_kind(raw) == JSON_RAW_STRING)
		kind = json_raw_unquote(raw, &p->arena);
	if (str_eq(kind, STR("add")))
		return do_add(p, *root, op);
	if (str_eq(kind, STR("remove")))
		return do_remove(p, *root, op);
	if (str_eq(kind, STR("replace")))
		return do_replace(p, root, op);
	if (str_eq(kind, STR("move")))
		return do_move(p, *root, op);
	if (str_eq(kind, STR("test")))
		return do_test(p, *root, op);
	if (str_eq(kind, STR("copy")))
		return do_copy(p, *root, op);
	return err_set(p->err, EBADMSG, "Unexpected kind: %.*s", STR_ARG(kind));
}

static int check_patch(struct patcher *p, str patch)
{
	str trimmed = json_raw_trim(patch), key, op;
	size_t at = 0;
	int r = patcher_text(p, patch);

	if (r < 0 || json_raw_kind(trimmed) == JSON_RAW_NULL)
		return r;
	if (json_raw_kind(trimmed) != JSON_RAW_ARRAY)
		return type_error(p, trimmed, "jsonpatch.Patch");
	while (json_raw_next(trimmed, &at, &key, &op)) {
		if (json_raw_kind(op) != JSON_RAW_OBJECT && json_raw_kind(op) != JSON_RAW_NULL)
			return type_error(p, op, "jsonpatch.Operation");
	}
	return 0;
}

static int apply(struct patcher *p, str patch, str doc, struct buf *out)
{
	enum node_kind kind = doc.n > 0 && doc.p[0] == '[' ? NODE_ARRAY : NODE_OBJECT;
	struct node *root = node_raw(p, doc);
	str key, op;
	size_t at = 0;
	int r = patcher_text(p, doc);

	if (r < 0)
		return r;
	if (!root)
		return err_nomem(p->err);
	r = node_open(p, root, kind);
	if (r == -EBADMSG)
		return type_error(p, root->raw, kind == NODE_ARRAY ? "jsonpatch.partialArray" : "jsonpatch.partialDoc");
	patch = json_raw_trim(patch);
	while (r == 0 && json_raw_kind(patch) == JSON_RAW_ARRAY && json_raw_next(patch, &at, &key, &op))
		r = apply_one(p, &root, json_raw_kind(op) == JSON_RAW_NULL ? STR("") : op);
	if (r < 0)
		return r;
	node_write(root, out);
	return buf_error(out, "patched JSON", p->err);
}

int json_patch_check(str patch, const struct limits *lim, struct err *err)
{
	struct patcher p = { .lim = lim, .err = err };

	return check_patch(&p, patch);
}

int json_patch_apply(str patch, str doc, const struct limits *lim, struct buf *out, struct err *err)
{
	struct patcher p = { .lim = lim, .err = err };
	int r;

	if (doc.n == 0)
		return check_patch(&p, patch);
	arena_init(&p.arena, 0, lim->arena_bytes);
	r = check_patch(&p, patch);
	if (r == 0)
		r = apply(&p, patch, doc, out);
	arena_done(&p.arena);
	return r;
}
