/* Drawn references and objects: the short ways to a verdict lead where the long one does; what is the same to the
 * footprints and the view of a verdict gets that verdict again, and what is picked of a text for them is the same to
 * them as all of it. */
#include "compare/compare.h"
#include "reference/ref_plain.h"
#include "support/memory_source.h"
#include "value/object_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define REFERENCES 1500
#define OBJECTS 12

static unsigned seed;
static struct limits limits;
static const struct object_type type = { { "v1", 2 }, { "ConfigMap", 9 } };

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void add_action(struct buf *b)
{
	static const char *const forms[] = {
		"\"{{ .data.%c }}\"", "{{ .data.%c }}",   "\"p-{{ .data.%c }}{{ .metadata.name }}\"",
		"'{{ .data.%c }}:'",  "{{ .data.%c.d }}", "\"{{ .metadata.labels.l }}{{/* %c */}}\""
	};

	if (draw(8))
		buf_printf(b, forms[draw(ARRAY_LEN(forms))], 'a' + draw(4));
	else
		buf_printf(b, "\"{{ .data.%c | toJson | quote | trunc 3 }}\"", 'a' + draw(4));
}

/* @template: texts may be actions. */
static void add_value(struct buf *b, unsigned depth, bool template);

static void add_map(struct buf *b, unsigned depth, bool template)
{
	const char *comma = "";

	buf_add_cstr(b, "{");
	for (char key = 'a'; key <= 'd'; key++) {
		if (draw(2))
			continue;
		buf_printf(b, "%s\"%c\":", comma, key);
		add_value(b, depth, template);
		comma = ",";
	}
	buf_add_cstr(b, "}");
}

static void add_value(struct buf *b, unsigned depth, bool template)
{
	static const char *const texts[] = { "\"y\"",     "\"y\"",         "\"y\"", "\"\\u0079\"",
					     "\"\\\"}\"", "\"\xC3\xA9]\"", "1.5e1", "[]" };

	switch (draw(depth ? 8 : 4)) {
	case 0:
		buf_printf(b, "%u", draw(3));
		break;
	case 1:
		buf_add_cstr(b, draw(3) ? "\"x\"" : "null");
		break;
	case 2:
		if (template)
			add_action(b);
		else
			buf_add_cstr(b, texts[draw(ARRAY_LEN(texts))]);
		break;
	case 3:
		buf_printf(b, "[{\"name\":\"x\",\"v\":%u}]", draw(2));
		break;
	default:
		add_map(b, depth - 1, template);
	}
}

static void add_text(struct buf *json, const char *path, str text)
{
	buf_printf(json, "%s\"%s\":", json->n > 1 ? "," : "", path);
	json_encode_string(text, JSON_PLAIN, json);
}

static void add_metadata(struct buf *json, unsigned n_templates)
{
	struct buf text = BUF_INIT(4096);

	buf_add_cstr(&text, "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    anyOf:\n");
	for (unsigned i = 0; i < n_templates; i++)
		buf_printf(&text, "    - {path: t%u.yaml, config: {ignore-unspecified-fields: %s}}\n", i,
			   draw(4) ? "true" : "false");
	buf_printf(&text, "fieldsToOmit:\n  defaultOmitRef: all\n  items:\n    all:\n    - pathToKey: data.%c.%c\n",
		   'a' + draw(4), 'a' + draw(4));
	if (draw(2))
		buf_printf(&text, "    - {pathToKey: data.%c, isPrefix: true}\n", 'a' + draw(4));
	if (draw(2))
		buf_add_cstr(&text, "    - pathToKey: metadata.labels.l\n");
	add_text(json, "metadata.yaml", buf_str(&text));
	buf_done(&text);
}

static void add_templates(struct buf *json, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct buf text = BUF_INIT(65536);
		char path[32];

		if (!draw(3))
			buf_printf(&text, "{{ if .data.%c }}{{ doNotMatch \"no\" }}{{ end }}", 'a' + draw(4));
		buf_add_cstr(&text, "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\","
				    "\"namespace\":\"n\"},"
				    "\"data\":");
		add_map(&text, 2, true);
		buf_add_cstr(&text, "}");
		(void)snprintf(path, sizeof(path), "t%u.yaml", i);
		add_text(json, path, buf_str(&text));
		buf_done(&text);
	}
}

static struct doc *parse(const struct buf *text)
{
	struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	if (json_decode(buf_str(text), &o, &d, &err) < 0)
		fail_msg("%s: %s", text->p, err.msg);
	return d;
}

/* The members of data, by name; empty: it has none of that name. From one object to the next a few change. */
static struct buf parts[4];

static void draw_part(unsigned i)
{
	buf_clear(&parts[i]);
	if (!draw(3))
		return;
	buf_printf(&parts[i], "\"%c\":", 'a' + i);
	add_value(&parts[i], 1, false);
}

/* Of equal keys the last counts. */
static void add_parts(struct buf *text)
{
	const char *comma = "";

	for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
		if (!parts[i].n)
			continue;
		buf_add_cstr(text, comma);
		if (!draw(8)) {
			buf_printf(text, "\"%s%02x\":", draw(2) ? "\\u00" : "e", 'a' + i);
			add_value(text, 1, false);
			buf_add_cstr(text, ",");
		}
		buf_add_str(text, buf_str(&parts[i]));
		comma = ",";
	}
}

static void add_object_metadata(struct buf *text)
{
	static const char *const managed[] = {
		"", "", ",\"managedFields\":[{\"manager\":\"m\",\"x\":{\"k:{\\\"a\\\"}\":{}}}]"
	};
	static const char *const owners[] = {
		"", "", ",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"x\"}]"
	};

	buf_printf(text, "\"metadata\":{\"name\":\"x\"%s,\"namespace\":\"n\"%s,\"labels\":{\"l\":\"%u\"}}",
		   managed[draw(ARRAY_LEN(managed))], owners[draw(ARRAY_LEN(owners))], draw(2));
}

/* Its text in @text. */
static struct doc *draw_object(struct buf *text)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;
	str managed;

	for (unsigned i = 0; i < ARRAY_LEN(parts); i++) {
		parts[i].max = 65536;
		if (!draw(3))
			draw_part(i);
	}
	buf_clear(text);
	buf_add_cstr(text, draw(4) ? "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\"," : "{");
	if (draw(8) == 0)
		buf_add_cstr(text, "\"metadata\":{\"name\":\"y\",\"labels\":{}},\"data\":{\"b\":1},");
	add_object_metadata(text);
	buf_add_cstr(text, ",\"data\":{");
	add_parts(text);
	buf_add_cstr(text, "}}");
	if (object_decode(buf_str(text), &limits, NULL, &type, &d, &managed, &err) < 0)
		fail_msg("%s: %s", text->p, err.msg);
	return TAKE(d);
}

static void describe(const struct verdict *v, struct buf *b)
{
	struct err err;

	buf_printf(b, "%s %.*s", verdict_state_name(v->state), v->template ? (int)v->template->path.n : 0,
		   v->template ? v->template->path.p : "");
	for (size_t i = 0; i < v->changes.n; i++) {
		const struct change *c = &v->changes.p[i];

		buf_printf(b, "; %s ", c->path_text.p);
		if (val_exists(c->expected))
			assert_int_equal(json_encode(c->expected, JSON_TYPED, NULL, b, &err), 0);
		buf_add_cstr(b, " -> ");
		if (val_exists(c->actual))
			assert_int_equal(json_encode(c->actual, JSON_TYPED, NULL, b, &err), 0);
	}
}

static bool same_to(const struct verdict *v, const struct ref_template *const *candidates, val a, val b)
{
	CLEANUP(arena_done) struct arena arena = ARENA_INIT(0);

	for (size_t i = 0; i < v->n_read_parts; i++) {
		const struct ref_template *t = candidates[i];

		if (!tmpl_footprint_same(&t->text->footprint, a, b) ||
		    read_set_hash(&v->read_set[i], omit_fields(a, t->text->omit, &arena)) !=
			    read_set_hash(&v->read_set[i], omit_fields(b, t->text->omit, &arena)))
			return false;
	}
	return true;
}

/* ---- what is picked ---- */

static size_t n_picked, n_smaller, n_judged;

static void count_named(void *ctx, const struct ref_template *t)
{
	*(size_t *)ctx += 1 + t->index;
}

static bool same_view(const struct read_part *a, const struct read_part *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a[i].scope != b[i].scope || !val_equal(a[i].names, b[i].names))
			return false;
	}
	return true;
}

/* The verdict on what is picked, when it has the view that it was picked for, is the one on all of it. */
static void check_judged(const struct matcher *m, val picked, const struct read_part *read_set, size_t n,
			 const struct verdict *whole, str text)
{
	struct compare_env env = { .limits = &limits, .read_set = true };
	CLEANUP(buf_done) struct buf on_whole = BUF_INIT(1 << 20);
	CLEANUP(buf_done) struct buf on_picked = BUF_INIT(1 << 20);
	struct verdict v;
	struct err err;

	assert_int_equal(compare_object(m, picked, &env, &v, &err), 0);
	if (v.read_set && same_view(v.read_set, read_set, n)) {
		describe(whole, &on_whole);
		describe(&v, &on_picked);
		if (!str_eq(buf_str(&on_whole), buf_str(&on_picked)))
			fail_msg("seed %u: of %.*s: %.*s, in part: %.*s", seed, STR_ARG(text),
				 STR_ARG(buf_str(&on_whole)), STR_ARG(buf_str(&on_picked)));
		n_judged++;
	}
	verdict_done(&v);
}

/* @w: the verdict on @object. */
static void check_picked(const struct matcher *m, const struct ref_template *const *candidates, size_t n,
			 const struct read_part *read_set, val object, const struct verdict *w, str text)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct json_pick pick = { .kind = PICK_MEMBERS };
	uint64_t whole = 1, picked = 1;
	size_t named = 0, named_picked = 0;
	struct identity id, id_picked;
	struct err err;
	str managed;
	val v;

	assert_true(matcher_references_pick(NULL, &a, &pick) &&
		    read_set_pick(candidates, n, read_set, NULL, &a, &pick));
	if (pick.kind == PICK_WHOLE)
		return;
	assert_int_equal(object_decode_part(text, &limits, NULL, &type, &pick, NULL, &a, &v, &managed, &err), 0);
	assert_true(read_set_hash_seen(candidates, n, read_set, object, &a, &whole));
	assert_true(read_set_hash_seen(candidates, n, read_set, v, &a, &picked));
	matcher_references(m, object, count_named, &named);
	matcher_references(m, v, count_named, &named_picked);
	id = identity_of(object);
	id_picked = identity_of(v);
	if (whole != picked || named != named_picked || !identity_eq(&id, &id_picked) ||
	    !val_equal(VAL_GET(object, "kind"), VAL_GET(v, "kind")))
		fail_msg("seed %u: what is picked of %.*s is not the same", seed, STR_ARG(text));
	if (read_set)
		check_judged(m, v, read_set, n, w, text);
	n_picked++;
	n_smaller += val_nodes(v) < val_nodes(object);
}

/* ---- short ways ---- */

static size_t n_plain, n_short;

/* What is said of an object on the way on which all of it is rendered and merged; what is asked for and what is there
 * besides. */
static void describe_long(const struct matcher *m, const struct ref_template *const *candidates, size_t n, val object,
			  struct buf *b)
{
	struct compare_env env = { .limits = &limits, .explain = true };
	struct ref_plain *plain[8];
	struct verdict v;
	struct err err;

	assert_true(n <= ARRAY_LEN(plain));
	for (size_t i = 0; i < n; i++) {
		plain[i] = candidates[i]->text->plain;
		candidates[i]->text->plain = NULL;
	}
	assert_int_equal(compare_object(m, object, &env, &v, &err), 0);
	describe(&v, b);
	buf_printf(b, " %.*s %d", STR_ARG(v.error), val_same(v.expected, v.actual));
	for (size_t i = 0; i < n; i++)
		candidates[i]->text->plain = plain[i];
	verdict_done(&v);
}

static void check_short(const struct matcher *m, const struct ref_template *const *candidates, size_t n, val object,
			const struct verdict *v, str text)
{
	CLEANUP(buf_done) struct buf on_short = BUF_INIT(1 << 20);
	CLEANUP(buf_done) struct buf on_long = BUF_INIT(1 << 20);

	describe_long(m, candidates, n, object, &on_long);
	describe(v, &on_short);
	buf_printf(&on_short, " %.*s %d", STR_ARG(v->error), val_same(v->expected, v->actual));
	if (!str_eq(buf_str(&on_short), buf_str(&on_long)))
		fail_msg("seed %u: of %.*s: %.*s, the long way: %.*s", seed, STR_ARG(text), STR_ARG(buf_str(&on_short)),
			 STR_ARG(buf_str(&on_long)));
	n_short++;
	for (size_t i = 0; i < n; i++)
		n_plain += v->rendered && candidates[i]->text->plain &&
			   v->rendered == ref_plain_doc(candidates[i]->text->plain);
}

static size_t n_same, n_other;

static void compare(const struct matcher *m, val a, val b, str text, bool *differ)
{
	struct compare_env env = { .limits = &limits, .read_set = true };
	CLEANUP(buf_done) struct buf before = BUF_INIT(1 << 20);
	CLEANUP(buf_done) struct buf after = BUF_INIT(1 << 20);
	const struct identity id = identity_of(a);
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(m, &id, &candidates);
	struct verdict v, w;
	struct err err;

	assert_int_equal(compare_object(m, a, &env, &v, &err), 0);
	assert_int_equal(compare_object(m, b, &env, &w, &err), 0);
	if (n) {
		check_short(m, candidates, n, b, &w, text);
		check_picked(m, candidates, n, v.read_set, b, &w, text);
		check_picked(m, candidates, n, NULL, b, &w, text);
	}
	if (v.read_set && same_to(&v, candidates, a, b)) {
		assert_int_equal(v.n_read_parts, n);
		describe(&v, &before);
		describe(&w, &after);
		if (!str_eq(buf_str(&before), buf_str(&after))) {
			fprintf(stderr, "seed %u: %.*s, then %.*s\n", seed, STR_ARG(buf_str(&before)),
				STR_ARG(buf_str(&after)));
			*differ = true;
		}
		n_same += !val_equal(a, b);
	} else {
		n_other++;
	}
	verdict_done(&v);
	verdict_done(&w);
}

static void walk(struct matcher *m, bool *differ)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(65536);
	struct doc *before = draw_object(&text);

	for (unsigned i = 0; i < OBJECTS; i++) {
		struct doc *after = draw_object(&text);

		compare(m, before->root, after->root, buf_str(&text), differ);
		doc_unref(before);
		before = after;
	}
	doc_unref(before);
}

static void test_drawn(void **state)
{
	bool differ = false;

	(void)state;
	limits = LIMITS_DEFAULT;
	seed = 1;
	for (unsigned i = 0; i < REFERENCES && !differ; i++) {
		CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);
		CLEANUP(doc_unrefp) struct doc *files = NULL;
		struct problems problems = { 0 };
		struct reference *ref = NULL;
		struct matcher *m = NULL;
		unsigned n = 1 + draw(2);
		struct err err;

		buf_add_cstr(&json, "{");
		add_metadata(&json, n);
		add_templates(&json, n);
		buf_add_cstr(&json, "}");
		files = parse(&json);
		if (memory_reference(&files->root, &ref, &problems, &err) < 0) {
			problems_done(&problems); /* one that fits no object */
			continue;
		}
		problems_done(&problems);
		assert_int_equal(matcher_new(ref, &m, &err), 0);
		walk(m, &differ);
		matcher_free(m);
		reference_unref(ref);
	}
	assert_false(differ);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		buf_done(&parts[i]);
	/* It is no proof that never says so. */
	printf("%zu pairs of different objects are the same to a verdict, %zu are not\n", n_same, n_other);
	assert_true(n_same > 1000);
	printf("%zu texts were picked from, of %zu a part; %zu parts were judged as the whole\n", n_picked, n_smaller,
	       n_judged);
	printf("%zu verdicts were reached both ways, %zu of them by a plain template\n", n_short, n_plain);
	assert_true(n_plain > 1000);
	assert_true(n_judged > 0);
	assert_true(n_smaller > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_drawn) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
