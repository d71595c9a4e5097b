/* Applies and makes merge patches (RFC 7396) as evanphx/json-patch does. */
#include "text/json_patch_internal.h"

#include "base/vec.h"
#include "value/json.h"

#include <errno.h>

/* ---- applying ---- */

/* Remove the nulls from an object, and from objects inside it; arrays keep theirs. */
static int prune(struct patcher *p, struct node *n)
{
	int r = node_open(p, n, NODE_OBJECT);
	size_t keep = 0;

	if (r == -EBADMSG)
		r = node_open(p, n, NODE_ARRAY);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	for (size_t i = 0; i < n->n; i++) {
		struct node_member m = n->members[i];

		r = m.value ? prune(p, m.value) : 0;
		if (r < 0)
			return r;
		if (m.value || n->kind == NODE_ARRAY)
			n->members[keep++] = m;
	}
	n->n = keep;
	return 0;
}

static int merge_objects(struct patcher *p, struct node *doc, struct node *patch);

/* Merge @patch over @cur; the result takes the place of @cur. */
static int merge(struct patcher *p, struct node *cur, struct node *patch, struct node **ret)
{
	int r = node_open(p, cur, NODE_OBJECT);

	*ret = patch;
	if (r == -EBADMSG)
		return prune(p, patch);
	if (r == 0)
		r = node_open(p, patch, NODE_OBJECT);
	if (r < 0)
		return r == -EBADMSG ? 0 : r;
	*ret = cur;
	return merge_objects(p, cur, patch);
}

static int merge_objects(struct patcher *p, struct node *doc, struct node *patch)
{
	int r = 0;

	for (size_t i = 0; i < patch->n && r == 0; i++) {
		struct node_member m = patch->members[i];
		bool found;
		size_t at = node_find(doc, m.key, &found);

		if (!m.value) {
			if (found)
				node_remove(doc, at);
		} else if (!found || !doc->members[at].value) {
			r = prune(p, m.value);
			if (r == 0 && !node_set(p, doc, m.key, m.value))
				r = arena_error(&p->arena, p->err);
		} else {
			r = merge(p, doc->members[at].value, m.value, &doc->members[at].value);
		}
	}
	return r;
}

static int bad_patch(struct patcher *p)
{
	return err_set(p->err, EBADMSG, "Invalid JSON Patch");
}

static int bad_document(struct patcher *p)
{
	return err_set(p->err, EBADMSG, "Invalid JSON Document");
}

static int merge_texts(struct patcher *p, str doc_text, str patch_text, struct node **ret)
{
	struct node *doc = node_raw(p, doc_text), *patch = node_raw(p, patch_text);
	int r, r_doc, r_patch;

	r = patcher_text(p, doc_text);
	if (r < 0)
		return r == -EBADMSG ? bad_document(p) : r;
	r = patcher_text(p, patch_text);
	if (r < 0)
		return r == -EBADMSG ? bad_patch(p) : r;
	if (!doc || !patch)
		return arena_error(&p->arena, p->err);
	r_doc = node_open(p, doc, NODE_OBJECT);
	if (r_doc == 0 && doc->is_null)
		return bad_document(p);
	r_patch = node_open(p, patch, NODE_OBJECT);
	if (r_patch == 0 && patch->is_null)
		return bad_patch(p);
	*ret = patch;
	if (r_doc == 0 && r_patch == 0) {
		*ret = doc;
		return merge_objects(p, doc, patch);
	}
	if (r_doc == -ENOMEM || r_patch == -ENOMEM)
		return -ENOMEM;
	if (r_patch < 0 && json_raw_kind(patch->raw) != JSON_RAW_ARRAY)
		return bad_patch(p);
	return prune(p, patch);
}

int json_merge_patch(str doc, str patch, const struct limits *lim, struct buf *out, struct err *err)
{
	struct patcher p = { .lim = lim, .err = err };
	struct node *merged = NULL;
	int r;

	arena_init(&p.arena, 0, lim->arena_bytes);
	r = merge_texts(&p, doc, patch, &merged);
	if (r == 0) {
		node_write(merged, out);
		r = buf_error(out, "merged JSON", err);
	}
	arena_done(&p.arena);
	return r;
}

/* ---- creating ---- */

val json_merge_diff(struct arena *a, val from, val to)
{
	uint32_t i = 0, k = 0, n_from = val_is_map(from) ? from.n : 0, n_to = val_is_map(to) ? to.n : 0, n = 0;
	struct member *out = arena_array(a, (size_t)n_from + n_to, sizeof(*out));

	if (!out)
		return (val){ 0 };
	while (i < n_from || k < n_to) {
		const struct member *x = i < n_from ? &from.members[i] : NULL, *y = k < n_to ? &to.members[k] : NULL;
		int order = !x ? 1 : !y ? -1 : key_cmp(x->key, y->key);
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an order of 0 or more has a y */
		val part = order < 0 ? val_null() : y->value;

		i += order <= 0;
		k += order >= 0;
		if (order == 0 && val_is_map(x->value) && val_is_map(y->value)) {
			part = json_merge_diff(a, x->value, y->value);
			if (!val_exists(part))
				return part;
			if (part.n == 0)
				continue;
		} else if (order == 0 && val_equal(x->value, y->value)) {
			continue;
		}
		out[n++] = (struct member){ order < 0 ? x->key : y->key, part };
	}
	return val_map_sorted(out, n);
}

/* Convert all numbers to doubles, as Go decodes them, in a fresh tree that the caller owns. False without memory. */
static bool numbers_to_double(struct arena *a, val *v)
{
	if (v->kind == VAL_INT) {
		*v = val_double((double)v->i);
	} else if (v->kind == VAL_UINT) {
		*v = val_double((double)v->u);
	} else if (val_is_list(*v)) {
		val *items = arena_array(a, v->n, sizeof(*items));

		for (uint32_t i = 0; items && i < v->n; i++) {
			items[i] = v->items[i];
			if (!numbers_to_double(a, &items[i]))
				return false;
		}
		v->items = items;
		return items != NULL;
	} else if (val_is_map(*v)) {
		struct member *members = arena_array(a, v->n, sizeof(*members));

		for (uint32_t i = 0; members && i < v->n; i++) {
			members[i] = v->members[i];
			if (!numbers_to_double(a, &members[i].value))
				return false;
		}
		v->members = members;
		return members != NULL;
	}
	return true;
}

static int decode_object(struct patcher *p, str s, val *ret)
{
	struct json_options o = { .limits = p->lim };
	size_t used;
	int r = json_decode_value(s, &o, &p->arena, ret, &used, p->err);

	if (r == -EBADMSG || (r == 0 && json_raw_trim(str_sub(s, used, s.n)).n > 0))
		return bad_document(p);
	if (r < 0)
		return r;
	if (!val_is_map(*ret) && !val_is_null(*ret))
		return bad_document(p);
	return numbers_to_double(&p->arena, ret) ? 0 : arena_error(&p->arena, p->err);
}

static int create_object(struct patcher *p, str from, str to, struct buf *out)
{
	val a, b, diff;
	int r = decode_object(p, from, &a);

	if (r == 0)
		r = decode_object(p, to, &b);
	if (r < 0)
		return r;
	diff = json_merge_diff(&p->arena, a, b);
	if (!val_exists(diff))
		return arena_error(&p->arena, p->err);
	return json_encode(diff, JSON_GO, NULL, out, p->err);
}

static int create_array(struct patcher *p, str from, str to, struct buf *out)
{
	size_t at = 0, at_to = 0;
	str key, a, b;
	bool more, more_to;
	int r = patcher_text(p, from);

	if (r == 0)
		r = patcher_text(p, to);
	if (r < 0)
		return r == -EBADMSG ? bad_document(p) : r;
	for (;;) {
		more = json_raw_next(from, &at, &key, &a);
		more_to = json_raw_next(to, &at_to, &key, &b);
		if (!more || !more_to)
			break;
	}
	if (more != more_to)
		return bad_document(p);
	buf_add_byte(out, '[');
	at = at_to = 0;
	for (bool first = true; r == 0 && json_raw_next(from, &at, &key, &a); first = false) {
		(void)json_raw_next(to, &at_to, &key, &b);
		if (!first)
			buf_add_byte(out, ',');
		r = create_object(p, a, b, out);
	}
	buf_add_byte(out, ']');
	return r;
}

int json_create_merge_patch(str from, str to, const struct limits *lim, struct buf *out, struct err *err)
{
	struct patcher p = { .lim = lim, .err = err };
	str a = str_trim(from), b = str_trim(to);
	bool array_a = str_has_prefix(a, STR("[")) && str_has_suffix(a, STR("]"));
	bool array_b = str_has_prefix(b, STR("[")) && str_has_suffix(b, STR("]"));
	size_t before = out->n;
	int r;

	if (array_a != array_b)
		return err_set(err, EBADMSG, "Mismatched JSON Documents");
	if (a.n > lim->object_bytes || b.n > lim->object_bytes)
		return err_set(err, E2BIG, "JSON patch: a text is longer than %zu bytes", lim->object_bytes);
	arena_init(&p.arena, 0, lim->arena_bytes);
	r = array_a ? create_array(&p, a, b, out) : create_object(&p, a, b, out);
	if (r == 0)
		r = buf_error(out, "merge patch", err);
	if (r < 0)
		buf_truncate(out, before);
	arena_done(&p.arena);
	return r;
}
