/* Documents, JSON, YAML, paths, keys and maps without memory. */
#include "oom.h"

#include "base/buf.h"
#include "base/index.h"
#include "base/problems.h"
#include "base/strmap.h"
#include "value/json.h"
#include "value/path.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>

static struct limits limits;
static char object[64 << 10]; /* JSON: long lists, wide and deep maps, keys out of order, escapes */
static const char object_yaml[] = "a: &x {k: [1, 2.5, ~], \"q\\u00e9\": 'it''s'}\nb:\n- *x\n- <<: *x\n  z: |\n    "
				  "text\n    more\n- !!binary aGVsbG8=\n"
				  "c: >-\n  folded\n  text\nd: {0x10: yes, 1e3: 12345678901234567890}\n";

static struct json_options options(void)
{
	return (struct json_options){ .limits = &limits };
}

static void make_object(void)
{
	struct buf out = BUF_INIT(sizeof(object) - 1);

	buf_add_cstr(&out, "{\"metadata\":{\"name\":\"a\\u00e9\",\"managedFields\":[{\"f\":{}}]},\"items\":[");
	for (int i = 0; i < 200; i++)
		buf_printf(&out, "%s{\"z%d\":[%d.5,\"\\n\"],\"a\":null}", i ? "," : "", i, i);
	buf_add_cstr(&out, "],\"wide\":{");
	for (int i = 0; i < 600; i++)
		buf_printf(&out, "%s\"k%d\":true", i ? "," : "", i * 7919 % 1000);
	buf_add_cstr(&out, "},\"number\":"
			   "1.00000000000000000000000000000000000000000000000000000000000000000000000000001}");
	memcpy(object, out.p, out.n + 1);
	buf_done(&out);
}

/* ---- JSON ---- */

static int json_decode_with(const struct json_options *o, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	int r;

	oom_arm();
	r = json_decode(str_from(object), o, &doc, err);
	oom_disarm();
	return (r == 0) == (doc != NULL) ? r : OOM_WRONG;
}

static int run_json_decode(struct err *err)
{
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	struct json_options o = options();

	o.keys = keys;
	return json_decode_with(&o, err);
}

static int run_json_decode_skip(struct err *err)
{
	static const char *const path[] = { "metadata", "managedFields", NULL };
	str raw;
	struct json_skip skip = { .path = path, .raw = &raw };
	struct json_options o = options();

	o.skips = &skip;
	o.n_skips = 1;
	return json_decode_with(&o, err);
}

static int run_json_decode_value(struct err *err)
{
	CLEANUP(arena_done) struct arena a;
	struct json_options o = options();
	val v = { 0 };
	size_t used = 0;
	int r;

	arena_init(&a, 64, 0);
	oom_arm();
	r = json_decode_value(str_from(object), &o, &a, &v, &used, err);
	oom_disarm();
	return (r == 0) == (val_exists(v) && used > 0) ? r : OOM_WRONG;
}

/* As the daemon does: each item becomes a document. */
static int walk_list(struct arena *a, size_t *n, val *rest, struct err *err)
{
	struct json_options o = options();
	struct json_list *l = json_list_new(str_from(object), &o, a);
	int r = l ? 1 : err_nomem(err);
	str item;

	while (r > 0 && (r = json_list_next(l, &item, rest, err)) > 0) {
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		int decoded = json_decode(item, &o, &doc, err);

		r = decoded < 0 ? decoded : r;
		++*n;
	}
	json_list_free(l);
	return r;
}

static int run_json_list(struct err *err)
{
	CLEANUP(arena_done) struct arena a;
	val rest = { 0 };
	size_t n = 0;
	int r;

	arena_init(&a, 0, 0);
	oom_arm();
	r = walk_list(&a, &n, &rest, err);
	oom_disarm();
	return (r == 0) == val_exists(rest) && (r < 0 || n == 200) ? r : OOM_WRONG;
}

/* The document of @object, made before anything fails. */
static struct doc *object_doc(void)
{
	struct json_options o = options();
	struct doc *doc = NULL;
	struct err err;

	return json_decode(str_from(object), &o, &doc, &err) == 0 ? doc : NULL;
}

static int run_json_encode(struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = object_doc();
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	int r;

	oom_arm();
	r = json_encode(doc->root, JSON_GO, "  ", &out, err);
	oom_disarm();
	return r;
}

/* ---- YAML ---- */

static int run_yaml_decode(struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct yaml_options o = { .limits = &limits };
	int r;

	oom_arm();
	r = yaml_decode(STR(object_yaml), &o, &doc, err);
	oom_disarm();
	return (r == 0) == (doc != NULL) ? r : OOM_WRONG;
}

static int run_yaml_encode(struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = object_doc();
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	int r;

	oom_arm();
	r = yaml_encode(doc->root, &out, err);
	oom_disarm();
	return r;
}

/* ---- paths: no error object, so failures are reported by hand ---- */

static int run_path_parse(struct err *err)
{
	CLEANUP(arena_done) struct arena a;
	struct path p = { 0 };
	bool ok;

	arena_init(&a, 8, 0);
	oom_arm();
	ok = path_parse(STR("spec.containers[name=\"w\\n\"][\"a.b\"][3].x"), &a, &p);
	oom_disarm();
	if (ok != (p.n == 6))
		return OOM_WRONG;
	return ok ? 0 : err_nomem(err);
}

static int run_path_text(struct err *err)
{
	static const struct path_segment segments[] = { { .kind = PATH_KEY, .text = { "a.b", 3 } },
							{ .kind = PATH_INDEX, .index = 7 } };
	CLEANUP(arena_done) struct arena a;
	str s;

	arena_init(&a, 0, 0);
	oom_arm();
	s = path_text((struct path){ segments, 2 }, &a);
	oom_disarm();
	if (!s.p)
		return err_nomem(err);
	return str_eq(s, STR("[\"a.b\"][7]")) ? 0 : OOM_WRONG;
}

/* ---- values and tables ---- */

static int run_doc_share(struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *a = NULL, *b = doc_new(0, 0);
	int r;

	oom_arm();
	a = doc_new(0, 0);
	r = a ? doc_share(a, b, err) : err_nomem(err);
	oom_disarm();
	return r;
}

static int run_val_map(struct err *err)
{
	CLEANUP(arena_done) struct arena keys, a;
	struct member members[40];
	char name[16];
	val v;

	arena_init(&keys, 0, 0);
	arena_init(&a, 8, 0);
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		(void)snprintf(name, sizeof(name), "k%zu", i * 17 % 37);
		members[i] = (struct member){ key_make(NULL, &keys, str_from(name)), val_int((int64_t)i) };
	}
	oom_arm();
	v = val_map(&a, members, ARRAY_LEN(members));
	if (val_exists(v))
		v = val_map_without(&a, v, STR("k5"));
	if (val_exists(v))
		v = val_map_with(&a, v, members[0].key, val_list(&a, NULL, 0));
	oom_disarm();
	if (!val_exists(v))
		return err_nomem(err);
	return v.n == 36 ? 0 : OOM_WRONG;
}

static int run_val_copy(struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = object_doc();
	CLEANUP(arena_done) struct arena a;
	val v;

	arena_init(&a, 0, 0);
	oom_arm();
	v = val_copy(&a, NULL, doc->root);
	oom_disarm();
	if (!val_exists(v))
		return err_nomem(err);
	return val_equal(v, doc->root) ? 0 : OOM_WRONG;
}

static int run_key_table(struct err *err)
{
	CLEANUP(key_table_freep) struct key_table *t = NULL;
	CLEANUP(arena_done) struct arena a;
	bool ok;

	arena_init(&a, 0, 0);
	oom_arm();
	t = key_table_new();
	ok = t != NULL;
	for (int i = 0; ok && i < 1200; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "k%d", i);
		ok = key_make(t, &a, str_from(name)) != NULL;
	}
	oom_disarm();
	return ok ? 0 : err_nomem(err);
}

static int run_strmap(struct err *err)
{
	struct strmap m = { 0 };
	size_t n = 0;
	bool ok = true;

	oom_arm();
	for (int i = 0; ok && i < 100; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "k%d", i);
		ok = strmap_put(&m, str_from(name), &n, NULL);
		n += ok;
	}
	oom_disarm();
	ok = m.n == n;
	strmap_done(&m);
	if (!ok)
		return OOM_WRONG;
	return n == 100 ? 0 : err_nomem(err);
}

static str key_of(const void *thing)
{
	return str_from(thing);
}

static int run_index(struct err *err)
{
	struct index x = INDEX_OF(key_of);
	char names[100][16];
	size_t n = 0;
	bool ok = true;

	oom_arm();
	for (int i = 0; ok && i < 100; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "k%d", i);
		ok = index_put(&x, names[i], NULL);
		n += ok;
	}
	oom_disarm();
	ok = x.n == n;
	for (size_t i = 0; i < n; i++)
		ok = ok && index_get(&x, str_from(names[i])) == names[i];
	index_done(&x);
	if (!ok)
		return OOM_WRONG;
	return n == 100 ? 0 : err_nomem(err);
}

static int run_problems_text(struct err *err)
{
	struct problems p = { 0 };
	char *text;

	for (int i = 0; i < 50; i++)
		problems_add(&p, "a mistake with the number %d", i);
	oom_arm();
	text = problems_text(&p);
	oom_disarm();
	problems_done(&p);
	if (!text)
		return err_nomem(err);
	free(text);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "json_decode", run_json_decode, false },
		{ "json_decode_skip", run_json_decode_skip, false },
		{ "json_decode_value", run_json_decode_value, false },
		{ "json_list", run_json_list, false },
		{ "json_encode", run_json_encode, false },
		{ "yaml_decode", run_yaml_decode, false },
		{ "yaml_encode", run_yaml_encode, true }, /* text that cannot be examined is quoted */
		{ "path_parse", run_path_parse, false },
		{ "path_text", run_path_text, false },
		{ "doc_share", run_doc_share, false },
		{ "val_map", run_val_map, false },
		{ "val_copy", run_val_copy, false },
		{ "key_table", run_key_table, false },
		{ "strmap", run_strmap, false },
		{ "index", run_index, false },
		{ "problems_text", run_problems_text, false },
	};

	limits = LIMITS_DEFAULT;
	make_object();
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
