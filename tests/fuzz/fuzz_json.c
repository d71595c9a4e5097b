/* Any text: the decoder accepts, refuses and means what jansson does, in each of its forms; what it accepts is encoded
 * and comes back as the same value. */
#include "support/pick_check.h"
#include "value/json.h"

#include <errno.h>
#include <jansson.h>

#define FLAGS (JSON_DECODE_ANY | JSON_ALLOW_NUL)
#define DEPTH 2048 /* jansson's JSON_PARSER_MAX_DEPTH, which counts the innermost scalar too */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct limits limits;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- against jansson ---- */

static bool same_number(const json_t *j, val v)
{
	if (v.kind == VAL_INT && json_is_integer(j))
		return json_integer_value(j) == v.i;
	/* Where one integer is too large for int64 jansson reads them all as doubles. */
	return val_is_number(v) && json_is_real(j) && json_real_value(j) == (v.kind == VAL_INT ? (double)v.i : v.d);
}

static bool same_object(const json_t *j, val v);

static bool same(const json_t *j, val v)
{
	switch (json_typeof(j)) {
	case JSON_OBJECT:
		return val_is_map(v) && json_object_size(j) == v.n && same_object(j, v);
	case JSON_ARRAY:
		if (!val_is_list(v) || json_array_size(j) != v.n)
			return false;
		for (uint32_t i = 0; i < v.n; i++) {
			if (!same(json_array_get(j, i), v.items[i]))
				return false;
		}
		return true;
	case JSON_STRING:
		return val_is_string(v) && str_eq(val_str(v), (str){ json_string_value(j), json_string_length(j) });
	case JSON_INTEGER:
	case JSON_REAL:
		return same_number(j, v);
	case JSON_NULL:
		return val_is_null(v);
	default:
		return v.kind == VAL_BOOL && v.b == json_is_true(j);
	}
}

/* Keys have no NUL: json_decode refuses them, as jansson does. */
static bool same_object(const json_t *j, val v)
{
	for (uint32_t i = 0; i < v.n; i++) {
		const json_t *member = json_object_get(j, v.members[i].key->p);

		if (!member || !same(member, v.members[i].value))
			return false;
		if (i > 0 && str_cmp(key_str(v.members[i - 1].key), key_str(v.members[i].key)) >= 0)
			return false;
	}
	return true;
}

/* The document when both accept @text, NULL when both refuse it. */
static struct doc *decode_and_compare(str text, const struct json_options *o)
{
	struct doc *doc = NULL;
	struct err err = { 0 };
	json_error_t why = { 0 };
	int r = json_decode(text, o, &doc, &err);
	json_t *all_real = json_loadb(text.p, text.n, FLAGS | JSON_DECODE_INT_AS_REAL, &why);
	json_t *j = json_loadb(text.p, text.n, FLAGS, NULL);

	check(r == 0 || (r == -err.code && !doc && err.msg[0]));
	check(r == 0 || r == -EBADMSG || r == -E2BIG);
	/* jansson loses a zero byte that stands right behind a number or a word ("[1\0]" is [1]): no JSON, and refused
	 * here. */
	if (memchr(text.p, '\0', text.n))
		check(r < 0 || all_real);
	else if (all_real || json_error_code(&why) != json_error_stack_overflow)
		check((r == 0) == (all_real != NULL));
	if (r == 0 && all_real)
		check(same(j ? j : all_real, doc->root));
	json_decref(j);
	json_decref(all_real);
	return doc;
}

/* ---- the other forms of decoding ---- */

struct items {
	val expected;
	const struct json_options *o;
	size_t n;
	bool readable, all_same;
};

static void on_item(struct items *x, str text)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err ignored;

	x->readable &= json_decode(text, x->o, &doc, &ignored) == 0;
	x->all_same &= doc && val_equal(doc->root, val_at(x->expected, (uint32_t)x->n));
	x->n++;
}

static void check_list(str text, const struct json_options *o, const struct doc *doc)
{
	CLEANUP(arena_done) struct arena a;
	val items = doc ? VAL_GET(doc->root, "items") : (val){ 0 }, rest = { 0 };
	struct items x = { .expected = items, .o = o, .readable = true, .all_same = true };
	struct json_list *l;
	struct err err = { 0 };
	str item;
	int r;

	arena_init(&a, 0, 0);
	l = json_list_new(text, o, &a);
	check(l != NULL);
	while ((r = json_list_next(l, &item, &rest, &err)) > 0)
		on_item(&x, item);
	json_list_free(l);
	check((r == 0 && x.readable) == (doc && val_is_map(doc->root)));
	check(r == 0 ? val_is_map(rest) : r == -err.code && !val_exists(rest));
	if (r < 0 || !x.readable || !val_is_list(items))
		return;
	check(x.n >= items.n); /* more when "items" is there several times; only the last of them counts elsewhere */
	check(x.n > items.n || x.all_same);
	check(val_equal(val_map_without(&a, rest, STR("items")), val_map_without(&a, doc->root, STR("items"))));
}

static val without_managed_fields(struct arena *a, val root)
{
	val metadata = VAL_GET(root, "metadata");

	if (!val_is_map(metadata))
		return root;
	return val_map_with(a, root, key_make(NULL, a, STR("metadata")),
			    val_map_without(a, metadata, STR("managedFields")));
}

static void check_skip(str text, const struct json_options *o, const struct doc *doc)
{
	static const char *const path[] = { "metadata", "managedFields", NULL };
	str raw = { NULL, 0 };
	struct json_skip skip = { .path = path, .raw = &raw };
	struct json_options with = { .limits = o->limits, .skips = &skip, .n_skips = 1 };
	CLEANUP(doc_unrefp) struct doc *kept = NULL, *skipped = NULL;
	struct err err = { 0 };
	int r = json_decode(text, &with, &kept, &err);

	check((r == 0) == (doc != NULL));
	if (r < 0)
		return;
	check(val_equal(kept->root, without_managed_fields(&kept->arena, doc->root)));
	check(raw.p || !val_exists(val_dig(doc->root, "metadata", "managedFields", NULL)));
	if (raw.p)
		check(json_decode(raw, o, &skipped, &err) == 0);
}

/* What is accepted whole is accepted picked, and is what is picked of the whole; too deep is too deep. */
static void check_pick(str text, const struct json_options *o, const struct doc *doc, const char *of)
{
	CLEANUP(arena_done) struct arena a;
	struct json_options with = { .limits = o->limits, .keys = o->keys };
	struct json_pick pick;
	struct err err = { 0 };
	val v;
	int r;

	arena_init(&a, 0, 0);
	check(json_decode_value(str_from(of), o, &a, &v, NULL, &err) == 0 && pick_make(v, &a, &pick));
	with.pick = &pick;
	r = json_decode_value(text, &with, &a, &v, NULL, &err);
	check(!doc || (r == 0 && pick_holds(&pick, doc->root, v)));
	if (!doc && r == 0)
		check(json_decode_value(text, o, &a, &v, NULL, &err) != -E2BIG);
}

static void check_value(str text, const struct json_options *o, const struct doc *doc)
{
	CLEANUP(arena_done) struct arena a;
	struct err err = { 0 };
	size_t used = 0;
	val v = { 0 };

	arena_init(&a, 0, 0);
	if (json_decode_value(text, o, &a, &v, &used, &err) < 0) {
		check(!doc && !val_exists(v) && used == 0);
		return;
	}
	check(used > 0 && used <= text.n && val_exists(v));
	if (doc)
		check(val_equal(v, doc->root) && str_trim(str_sub(text, used, text.n)).n == 0);
}

/* ---- there and back ---- */

static double as_double(val v)
{
	return v.kind == VAL_INT ? (double)v.i : v.d;
}

/* Equal but for the kind of numbers: the double 1.0 is written as 1. */
static bool same_meaning(val a, val b)
{
	if (val_is_number(a) && val_is_number(b))
		return as_double(a) == as_double(b);
	if (a.kind != b.kind || val_count(a) != val_count(b))
		return false;
	if (val_is_scalar(a))
		return val_equal(a, b);
	for (uint32_t i = 0; i < a.n; i++) {
		if (val_is_list(a) ? !same_meaning(a.items[i], b.items[i])
				   : !key_eq(a.members[i].key, b.members[i].key) ||
					     !same_meaning(a.members[i].value, b.members[i].value))
			return false;
	}
	return true;
}

static void check_encoding(val v, enum json_style style, const char *indent, const struct json_options *o)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT((size_t)64 << 20);
	CLEANUP(doc_unrefp) struct doc *again = NULL;
	struct err err = { 0 };

	check(json_encode(v, style, indent, &text, &err) == 0);
	again = decode_and_compare(buf_str(&text), o);
	check(again && same_meaning(v, again->root));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct key_table *keys;
	str text = { data ? (const char *)data : "", size };
	struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;

	limits = LIMITS_DEFAULT;
	limits.object_bytes = (size_t)256 << 20;
	limits.depth = DEPTH;
	if (!keys)
		keys = key_table_new();
	o.keys = keys;
	doc = decode_and_compare(text, &o);
	check_list(text, &o, doc);
	check_skip(text, &o, doc);
	check_value(text, &o, doc);
	check_pick(text, &o, doc, "{\"metadata\":{\"name\":1,\"labels\":{\"+\":1}},\"a\":{\"b\":{}}}");
	check_pick(text, &o, doc, "{\"*\":1,\"metadata\":{\"*\":1,\"labels\":null},\"a\":null,\"b\":{\"a\":1}}");
	if (doc) {
		check_encoding(doc->root, JSON_PLAIN, NULL, &o);
		check_encoding(doc->root, JSON_GO, size < 512 ? "  " : NULL, &o);
	}
	return 0;
}
