/* The lazily parsed tree that JSON patches are applied to. */
#include "text/json_patch_internal.h"

#include "base/assert.h"
#include "value/json.h"

#include <errno.h>

struct node *node_raw(struct patcher *p, str raw)
{
	struct node *n = arena_zalloc(&p->arena, sizeof(*n));

	if (n)
		n->raw = json_raw_trim(raw);
	return n;
}

size_t node_find(const struct node *n, str key, bool *found)
{
	size_t lo = 0, hi = n->n;

	*found = false;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int r = str_cmp(n->members[mid].key, key);

		if (r == 0) {
			*found = true;
			return mid;
		}
		if (r < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool reserve(struct patcher *p, struct node *n)
{
	size_t cap = n->cap ? 2 * n->cap : 8;
	struct node_member *members;

	if (n->n < n->cap)
		return true;
	members = arena_array(&p->arena, cap, sizeof(*members));
	if (!members)
		return false;
	if (n->n)
		memcpy(members, n->members, n->n * sizeof(*members));
	n->members = members;
	n->cap = cap;
	return true;
}

bool node_insert(struct patcher *p, struct node *n, size_t at, str key, struct node *value)
{
	ASSERT(at <= n->n);
	if (!reserve(p, n))
		return false;
	memmove(n->members + at + 1, n->members + at, (n->n - at) * sizeof(*n->members));
	n->members[at] = (struct node_member){ key, value };
	n->n++;
	return true;
}

void node_remove(struct node *n, size_t at)
{
	ASSERT(at < n->n);
	n->n--;
	memmove(n->members + at, n->members + at + 1, (n->n - at) * sizeof(*n->members));
}

bool node_set(struct patcher *p, struct node *n, str key, struct node *value)
{
	bool found;
	size_t at = node_find(n, key, &found);

	if (!found)
		return node_insert(p, n, at, key, value);
	n->members[at].value = value;
	return true;
}

int node_open(struct patcher *p, struct node *n, enum node_kind kind)
{
	enum json_raw_kind raw = json_raw_kind(n->raw);
	str key = { NULL, 0 }, value;
	size_t at = 0;

	if (n->kind == kind)
		return 0;
	if (n->kind != NODE_RAW || n->is_null)
		return -EBADMSG;
	if (raw != JSON_RAW_NULL && raw != (kind == NODE_OBJECT ? JSON_RAW_OBJECT : JSON_RAW_ARRAY))
		return -EBADMSG;
	n->is_null = raw == JSON_RAW_NULL;
	while (raw != JSON_RAW_NULL && json_raw_next(n->raw, &at, &key, &value)) {
		bool null = json_raw_kind(value) == JSON_RAW_NULL;
		struct node *child = null ? NULL : node_raw(p, value);
		bool ok = null || child;

		if (kind == NODE_OBJECT) {
			key = json_raw_unquote(key, &p->arena);
			ok = ok && key.p && node_set(p, n, key, child);
		} else {
			ok = ok && node_insert(p, n, n->n, key, child);
		}
		if (!ok)
			return err_nomem(p->err);
	}
	n->kind = kind;
	return 0;
}

/* Append a node. The recursion is as deep as the text, whose depth was checked. */
void node_write(const struct node *n, struct buf *out)
{
	if (!n || n->is_null) {
		buf_add_cstr(out, "null");
		return;
	}
	if (n->kind == NODE_RAW) {
		json_raw_compact(n->raw, true, out);
		return;
	}
	buf_add_byte(out, n->kind == NODE_OBJECT ? '{' : '[');
	for (size_t i = 0; i < n->n; i++) {
		if (i > 0)
			buf_add_byte(out, ',');
		if (n->kind == NODE_OBJECT) {
			json_encode_string(n->members[i].key, JSON_GO, out);
			buf_add_byte(out, ':');
		}
		node_write(n->members[i].value, out);
	}
	buf_add_byte(out, n->kind == NODE_OBJECT ? '}' : ']');
}

int patcher_text(struct patcher *p, str s)
{
	if (s.n > p->lim->object_bytes)
		return err_set(p->err, E2BIG, "JSON patch: a text is longer than %zu bytes", p->lim->object_bytes);
	return json_raw_check(s, p->lim->depth, p->err);
}
