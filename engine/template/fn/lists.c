/* Sprig's functions for lists. The must… variant of a function fails with the same text. */
#include "template/fn/cast.h"
#include "template/fn/fn.h"

static int nil_panic(struct tmpl_call *c)
{
	return tmpl_fail(c, "runtime error: invalid memory address or nil pointer dereference");
}

/* Fails unless @v is a slice; the message has its kind between @before and @after. */
static int need_list(struct tmpl_call *c, tval v, const char *before, const char *after)
{
	if (!v.type)
		return nil_panic(c);
	if (v.type->kind == TK_SLICE)
		return 0;
	return tmpl_fail(c, "%s%s%s", before, tkind_name(v.type->kind), after);
}

static int need_list_for(struct tmpl_call *c, tval v, const char *function)
{
	if (!v.type)
		return nil_panic(c);
	if (v.type->kind == TK_SLICE)
		return 0;
	return tmpl_fail(c, "Cannot find %s on type %s", function, tkind_name(v.type->kind));
}

static int ret_list(tval *items, size_t n, tval *ret)
{
	*ret = tval_slice(&tt_list, items, n);
	return 0;
}

/* Make *ret a list of @n items, of which those from @before on are @len items of @list from item @from, boxed. */
static int copy_items(struct tmpl_call *c, tval list, size_t from, size_t len, size_t before, size_t n, tval **ret)
{
	int r = tmpl_spend(c, n);

	if (r < 0)
		return r;
	*ret = tmpl_items(c, n);
	if (!*ret)
		return tmpl_nomem(c);
	for (size_t i = 0; i < len; i++)
		(*ret)[before + i] = tval_boxed(tval_at(list, from + i));
	return 0;
}

static int fn_list(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval *items = tmpl_items(c, n);

	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n; i++)
		items[i] = tval_boxed(args[i]);
	return ret_list(items, n, ret);
}

static int fn_append(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t len = tval_len(c->mem, args[0]);
	int r = need_list(c, args[0], "Cannot push on type ", "");
	tval *items = NULL;

	(void)n;
	if (r == 0)
		r = copy_items(c, args[0], 0, len, 0, len + 1, &items);
	if (r < 0)
		return r;
	items[len] = tval_boxed(args[1]);
	return ret_list(items, len + 1, ret);
}

static int fn_prepend(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t len = tval_len(c->mem, args[0]);
	int r = need_list(c, args[0], "Cannot prepend on type ", "");
	tval *items = NULL;

	(void)n;
	if (r == 0)
		r = copy_items(c, args[0], 0, len, 1, len + 1, &items);
	if (r < 0)
		return r;
	items[0] = tval_boxed(args[1]);
	return ret_list(items, len + 1, ret);
}

static int fn_concat(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t total = 0, at = 0;
	tval *items = NULL;
	int r;

	for (size_t i = 0; i < n; i++) {
		r = need_list(c, args[i], "Cannot concat type ", " as list");
		if (r < 0)
			return r;
		total += tval_len(c->mem, args[i]);
	}
	if (total == 0) {
		*ret = tval_nil_of(&tt_list);
		return 0;
	}
	r = copy_items(c, args[0], 0, 0, 0, total, &items);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < tval_len(c->mem, args[i]); k++)
			items[at++] = tval_boxed(tval_at(args[i], k));
	}
	return ret_list(items, total, ret);
}

static int item_or_nil(struct tmpl_call *c, tval list, bool last, const char *function, tval *ret)
{
	size_t len = tval_len(c->mem, list);
	int r = need_list_for(c, list, function);

	if (r == 0)
		*ret = len > 0 ? tval_at(list, last ? len - 1 : 0) : tval_nil();
	return r;
}

static int fn_first(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return item_or_nil(c, args[0], false, "first", ret);
}

static int fn_last(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return item_or_nil(c, args[0], true, "last", ret);
}

/* All items but one, from item @from; nil when there is none. */
static int all_but_one(struct tmpl_call *c, tval list, size_t from, const char *function, tval *ret)
{
	size_t len = tval_len(c->mem, list);
	int r = need_list_for(c, list, function);
	tval *items = NULL;

	if (r < 0)
		return r;
	if (len == 0) {
		*ret = tval_nil_of(&tt_list);
		return 0;
	}
	r = copy_items(c, list, from, len - 1, 0, len - 1, &items);
	return r < 0 ? r : ret_list(items, len - 1, ret);
}

static int fn_rest(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return all_but_one(c, args[0], 1, "rest", ret);
}

static int fn_initial(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return all_but_one(c, args[0], 0, "initial", ret);
}

static int fn_reverse(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t len = tval_len(c->mem, args[0]);
	int r = need_list_for(c, args[0], "reverse");
	tval *items = NULL;

	(void)n;
	if (r == 0)
		r = copy_items(c, args[0], 0, 0, 0, len, &items);
	if (r < 0)
		return r;
	for (size_t i = 0; i < len; i++)
		items[i] = tval_boxed(tval_at(args[0], len - 1 - i));
	return ret_list(items, len, ret);
}

static bool is_among(struct tmpl_call *c, tval v, const tval *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (tval_deep_equal(c->mem, v, list[i]))
			return true;
	}
	return false;
}

/* The items for which @keep returns true; it also sees those kept so far. */
static int filter(struct tmpl_call *c, tval list,
		  bool (*keep)(struct tmpl_call *c, tval v, const tval *other, size_t n), const tval *other,
		  size_t n_other, tval *ret)
{
	size_t len = tval_len(c->mem, list), kept = 0;
	tval *items = tmpl_items(c, len);

	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < len; i++) {
		tval v = tval_boxed(tval_at(list, i));
		int r = tmpl_spend(c, 1 + (other ? n_other : kept));

		if (r < 0)
			return r;
		if (keep(c, v, other ? other : items, other ? n_other : kept))
			items[kept++] = v;
	}
	return ret_list(items, kept, ret);
}

static bool keep_unequal(struct tmpl_call *c, tval v, const tval *other, size_t n)
{
	return !is_among(c, v, other, n);
}

static bool keep_non_empty(struct tmpl_call *c, tval v, const tval *other, size_t n)
{
	(void)other;
	(void)n;
	return tval_truth(c->mem, v);
}

static int fn_uniq(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int r = need_list_for(c, args[0], "uniq");

	(void)n;
	return r < 0 ? r : filter(c, args[0], keep_unequal, NULL, 0, ret);
}

static int fn_compact(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int r = need_list(c, args[0], "Cannot compact on type ", "");

	(void)n;
	return r < 0 ? r : filter(c, args[0], keep_non_empty, NULL, 0, ret);
}

static int fn_without(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int r = need_list_for(c, args[0], "without");

	return r < 0 ? r : filter(c, args[0], keep_unequal, args + 1, n - 1, ret);
}

static int fn_has(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool found = false;
	int r = args[1].type ? need_list_for(c, args[1], "has") : 0;
	size_t len = r < 0 || !args[1].type ? 0 : tval_len(c->mem, args[1]);

	(void)n;
	if (r == 0)
		r = tmpl_spend(c, len);
	if (r < 0)
		return r;
	for (size_t i = 0; i < len && !found; i++)
		found = tval_deep_equal(c->mem, args[0], tval_at(args[1], i));
	*ret = tval_bool(found);
	return 0;
}

/* The capacity of Go's slice. Its decoders append item by item, so that a decoded list has room behind it, to which
 * a slice expression can reach. */
static size_t capacity(tval list, size_t len)
{
	size_t cap = 1;

	if (!list.view || len > 512)
		return len;
	while (cap < len)
		cap *= 2;
	return cap;
}

static int fn_slice(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t len = tval_len(c->mem, args[0]);
	int64_t from = n > 1 ? cast_int64(args[1]) : 0, to = n > 2 ? cast_int64(args[2]) : (int64_t)len;
	int r = need_list(c, args[0], "list should be type of slice or array but ", "");
	size_t total;
	tval *items;

	if (r < 0)
		return r;
	if (len == 0) {
		*ret = tval_nil();
		return 0;
	}
	if (from < 0 || to < from || (uint64_t)to > capacity(args[0], len))
		return tmpl_fail(c, "reflect.Value.Slice: slice index out of bounds");
	total = (size_t)(to - from);
	items = tmpl_items(c, total);
	if (!items)
		return tmpl_nomem(c);
	for (size_t i = 0; i < total; i++)
		items[i] = (size_t)from + i < len ? tval_at(args[0], (size_t)from + i) : tval_boxed(tval_nil());
	*ret = tval_slice(args[0].type, items, total);
	return 0;
}

/* Split a list into chunks. Go computes their number in floating point; a size below 1 makes it a length that no
 * slice can have. */
static int fn_chunk(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	size_t len = tval_len(c->mem, args[1]), count, size;
	int r = need_list(c, args[1], "Cannot chunk type ", "");
	tval *chunks;

	(void)n;
	if (r < 0)
		return r;
	if (args[0].i < 1)
		return tmpl_fail(c, "runtime error: makeslice: len out of range");
	size = (uint64_t)args[0].i > len ? len : (size_t)args[0].i;
	count = size ? (len + size - 1) / size : 0;
	chunks = tmpl_items(c, count);
	if (!chunks)
		return tmpl_nomem(c);
	for (size_t i = 0; i < count; i++) {
		size_t from = i * size, part = len - from < size ? len - from : size;
		tval *items = NULL;

		r = copy_items(c, args[1], from, part, 0, part, &items);
		if (r < 0)
			return r;
		chunks[i] = tval_slice(&tt_list, items, part);
	}
	*ret = tval_slice(&tt_lists, chunks, count);
	return 0;
}

#define ANY_LIST { &tt_any }, false, &tt_list
#define ANY_ANY { &tt_any }, false, &tt_any
#define TWO_LIST { &tt_any, &tt_any }, false, &tt_list

#define CHUNK { &tt_int, &tt_any }, false, &tt_lists
#define SLICE { &tt_any, &tt_any }, true, &tt_any

static const struct tmpl_fn rows[] = {
	{ "append", fn_append, TWO_LIST, "the list with an item more at the end" },
	{ "chunk", fn_chunk, CHUNK, "the list in lists of a size" },
	{ "compact", fn_compact, ANY_LIST, "the list without its empty items" },
	{ "concat", fn_concat, { &tt_any }, true, &tt_any, "the items of all lists in one" },
	{ "first", fn_first, ANY_ANY, "the first item, nil when there is none" },
	{ "has", fn_has, { &tt_any, &tt_any }, false, &tt_bool, "whether the value is an item of the list" },
	{ "initial", fn_initial, ANY_LIST, "all items but the last" },
	{ "last", fn_last, ANY_ANY, "the last item, nil when there is none" },
	{ "list", fn_list, { &tt_any }, true, &tt_list, "a list of the arguments" },
	{ "mustAppend", fn_append, TWO_LIST, "as append" },
	{ "mustChunk", fn_chunk, CHUNK, "as chunk" },
	{ "mustCompact", fn_compact, ANY_LIST, "as compact" },
	{ "mustFirst", fn_first, ANY_ANY, "as first" },
	{ "mustHas", fn_has, { &tt_any, &tt_any }, false, &tt_bool, "as has" },
	{ "mustInitial", fn_initial, ANY_LIST, "as initial" },
	{ "mustLast", fn_last, ANY_ANY, "as last" },
	{ "mustPrepend", fn_prepend, TWO_LIST, "as prepend" },
	{ "mustPush", fn_append, TWO_LIST, "as append" },
	{ "mustRest", fn_rest, ANY_LIST, "as rest" },
	{ "mustReverse", fn_reverse, ANY_LIST, "as reverse" },
	{ "mustSlice", fn_slice, SLICE, "as slice" },
	{ "mustUniq", fn_uniq, ANY_LIST, "as uniq" },
	{ "mustWithout", fn_without, { &tt_any, &tt_any }, true, &tt_list, "as without" },
	{ "prepend", fn_prepend, TWO_LIST, "the list with an item more at the beginning" },
	{ "push", fn_append, TWO_LIST, "as append" },
	{ "rest", fn_rest, ANY_LIST, "all items but the first" },
	{ "reverse", fn_reverse, ANY_LIST, "the items from last to first" },
	{ "slice", fn_slice, SLICE, "the items from a start to before an end" },
	{ "tuple", fn_list, { &tt_any }, true, &tt_list, "as list" },
	{ "uniq", fn_uniq, ANY_LIST, "the list without repeated items" },
	{ "without",
	  fn_without,
	  { &tt_any, &tt_any },
	  true,
	  &tt_list,
	  "the list without the items that equal an argument" },
};
TMPL_FN_FAMILY(fn_lists, rows);
