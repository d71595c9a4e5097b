/* Judging objects: tests/data/compare/verdicts.yaml; the same from JSON and from YAML; the same on several threads. */
#include "compare/compare.h"
#include "reference/go_decode.h"
#include "support/memory_source.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <pthread.h>

#include <cmocka.h>

struct fixture {
	struct doc *doc;
	struct reference *ref;
	struct matcher *matcher;
	struct limits limits;
};

static struct fixture f;
static int failures;

static int setup(void **state)
{
	struct problems problems = { 0 };
	struct err err;
	val files;

	(void)state;
	f.limits = LIMITS_DEFAULT;
	f.doc = data_document(TEST_DATA "/compare/verdicts.yaml");
	if (!f.doc || val_count(VAL_GET(f.doc->root, "objects")) == 0)
		return -1;
	files = VAL_GET(f.doc->root, "reference");
	if (memory_reference(&files, &f.ref, &problems, &err) < 0) {
		char *text = problems_text(&problems);

		fprintf(stderr, "%s\n", text);
		free(text);
		return -1;
	}
	problems_done(&problems);
	return matcher_new(f.ref, &f.matcher, &err);
}

static int teardown(void **state)
{
	(void)state;
	matcher_free(f.matcher);
	reference_unref(f.ref);
	doc_unref(f.doc);
	return 0;
}

static int look_up(void *ctx, const struct tmpl_lookup *q, const val **ret, size_t *n, struct err *err)
{
	val list = VAL_GET(f.doc->root, "lookups");

	(void)ctx;
	(void)err;
	*n = 0;
	for (uint32_t i = 0; i < val_count(list); i++) {
		struct identity id = identity_of(list.items[i]);

		if (!str_eq(id.kind, q->kind) || !str_eq(id.name, q->name))
			continue;
		/* cppcheck-suppress autoVariables ; the items are the document's */
		*ret = &list.items[i];
		*n = 1;
	}
	return 0;
}

/* ---- texts ---- */

static void add_value(struct buf *b, val v, bool hidden)
{
	struct err err;

	if (!val_exists(v))
		buf_add_byte(b, '-');
	else if (hidden)
		buf_add_byte(b, '*');
	else if (json_encode(v, JSON_GO, NULL, b, &err) < 0)
		buf_add_cstr(b, err.msg);
}

static void describe(const struct verdict *v, struct buf *b)
{
	str template = v->template ? v->template->path : STR("");

	buf_printf(b, "%s %.*s\n", verdict_state_name(v->state), STR_ARG(template));
	for (size_t i = 0; i < v->changes.n; i++) {
		const struct change *c = &v->changes.p[i];

		buf_printf(b, "  %s %.*s ", change_kind_name(c->kind), STR_ARG(c->path_text));
		add_value(b, c->expected, c->sensitive);
		buf_add_byte(b, ' ');
		add_value(b, c->actual, c->sensitive);
		buf_add_byte(b, '\n');
	}
	for (size_t i = 0; i < v->n_lookups; i++)
		buf_printf(b, "  lookup %.*s %.*s \"%.*s\" \"%.*s\"\n", STR_ARG(v->lookups[i].api_version),
			   STR_ARG(v->lookups[i].kind), STR_ARG(v->lookups[i].namespace), STR_ARG(v->lookups[i].name));
}

static void describe_expected(val c, struct buf *b)
{
	val list = VAL_GET(c, "changes");

	buf_printf(b, "%.*s %.*s\n", STR_ARG(val_str(VAL_GET(c, "state"))), STR_ARG(val_str(VAL_GET(c, "template"))));
	for (uint32_t i = 0; i < val_count(list); i++)
		buf_printf(b, "  %.*s\n", STR_ARG(val_str(val_at(list, i))));
	list = VAL_GET(c, "lookups");
	for (uint32_t i = 0; i < val_count(list); i++)
		buf_printf(b, "  lookup %.*s\n", STR_ARG(val_str(val_at(list, i))));
}

static void judge(val object, val schema, struct verdict *v)
{
	static const str pins[] = { { "pin", 3 }, { "number", 6 } };
	static const struct mask_fields mask = { .sensitive = pins, .n_sensitive = ARRAY_LEN(pins) };
	struct compare_env env = { .limits = &f.limits, .lookup = look_up, .mask = &mask, .schema = schema };
	struct err err;

	assert_int_equal(compare_object(f.matcher, object, &env, v, &err), 0);
}

static void check(val c)
{
	struct buf expected = BUF_INIT(1 << 20), actual = BUF_INIT(1 << 20), diff = BUF_INIT(1 << 20);
	str hidden = val_str(VAL_GET(c, "hidden")), error = val_str(VAL_GET(c, "error"));
	struct verdict v;
	struct err err;

	judge(VAL_GET(c, "object"), VAL_GET(c, "schema"), &v);
	describe(&v, &actual);
	describe_expected(c, &expected);
	if (!str_eq(buf_str(&expected), buf_str(&actual)) || (error.n && !str_eq(error, v.error))) {
		fprintf(stderr, "%.*s: expected\n%sgot\n%s%.*s\n", STR_ARG(val_str(VAL_GET(c, "name"))), expected.p,
			actual.p, STR_ARG(v.error));
		failures++;
	}
	if (verdict_diff(&v, NULL, NULL, &f.limits, &diff, &err) < 0 || (v.state == VERDICT_DRIFTED) != (diff.n > 0))
		failures++;
	if (hidden.n && (str_find(v.error, hidden) >= 0 || str_find(buf_str(&diff), hidden) >= 0)) {
		fprintf(stderr, "%.*s: shows what it must not: %.*s\n%.*s\n", STR_ARG(val_str(VAL_GET(c, "name"))),
			STR_ARG(v.error), STR_ARG(buf_str(&diff)));
		failures++;
	}
	verdict_done(&v);
	buf_done(&expected);
	buf_done(&actual);
	buf_done(&diff);
}

static void test_cases(void **state)
{
	val list = VAL_GET(f.doc->root, "objects");

	(void)state;
	for (uint32_t i = 0; i < val_count(list); i++)
		check(val_at(list, i));
	assert_int_equal(failures, 0);
}

/* ---- two ways in ---- */

static void describe_text(str text, bool json, struct buf *out)
{
	struct json_options j = { .limits = &f.limits };
	struct yaml_options y = { .limits = &f.limits, .uints_as_double = true };
	struct doc *doc = NULL;
	struct verdict v;
	struct err err;

	assert_int_equal(json ? json_decode(text, &j, &doc, &err) : yaml_decode(text, &y, &doc, &err), 0);
	judge(doc->root, (val){ 0 }, &v);
	describe(&v, out);
	verdict_done(&v);
	doc_unref(doc);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* @v with one member or item somewhere changed or gone. */
static val mutate(struct arena *a, val v, uint32_t *seed)
{
	uint32_t n = val_count(v), i = n ? next_random(seed) % n : 0;

	if (n && val_is_map(v)) {
		if (next_random(seed) % 8 == 0)
			return val_map_without(a, v, key_str(v.members[i].key));
		return val_map_with(a, v, v.members[i].key, mutate(a, v.members[i].value, seed));
	}
	if (n && val_is_list(v)) {
		val *items = arena_array(a, n, sizeof(*items));

		memcpy(items, v.items, n * sizeof(*items));
		items[i] = mutate(a, items[i], seed);
		return (val){ .kind = VAL_LIST, .n = n - (next_random(seed) % 4 == 0), .items = items };
	}
	switch (next_random(seed) % 6) {
	case 0:
		return val_int((int64_t)next_random(seed) - 5000000);
	case 1:
		return val_string(STR("yes"));
	case 2:
		return val_double(0.25 * (double)(next_random(seed) % 100) + 0.125);
	case 3:
		return val_null();
	case 4:
		return val_string(STR("1e3"));
	default:
		return val_string(STR("x: y # \xC3\xA9\n  z"));
	}
}

/* The daemon reads objects as JSON, the command as YAML: both judge alike. */
static void test_json_and_yaml(void **state)
{
	val list = VAL_GET(f.doc->root, "objects");
	uint32_t seed = 1;

	(void)state;
	assert_true(val_count(list) > 0);
	for (uint32_t round = 0; val_count(list) && round < 2000; round++) {
		struct buf json = BUF_INIT(1 << 20), yaml = BUF_INIT(1 << 20), x = BUF_INIT(1 << 20),
			   y = BUF_INIT(1 << 20);
		val object = VAL_GET(val_at(list, round % val_count(list)), "object");
		struct arena a;
		struct err err;

		arena_init(&a, 0, 0);
		for (uint32_t i = next_random(&seed) % 3; i > 0; i--)
			object = mutate(&a, object, &seed);
		assert_int_equal(json_encode(object, JSON_GO, NULL, &json, &err), 0);
		assert_int_equal(yaml_encode(object, &yaml, &err), 0);
		describe_text(buf_str(&json), true, &x);
		describe_text(buf_str(&yaml), false, &y);
		if (!str_eq(buf_str(&x), buf_str(&y)))
			fail_msg("%s\nas JSON: %s\nas YAML: %s", json.p, x.p, y.p);
		arena_done(&a);
		buf_done(&json);
		buf_done(&yaml);
		buf_done(&x);
		buf_done(&y);
	}
}

/* ---- threads ---- */

static void *judge_all(void *arg)
{
	struct buf *out = arg;
	val list = VAL_GET(f.doc->root, "objects");

	for (uint32_t i = 0; i < val_count(list); i++) {
		struct compare_env env = { .limits = &f.limits, .lookup = look_up };
		struct verdict v;
		struct err err;

		if (compare_object(f.matcher, VAL_GET(val_at(list, i), "object"), &env, &v, &err) < 0)
			return NULL;
		describe(&v, out);
		verdict_done(&v);
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct buf out[4];
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		out[i] = BUF_INIT(1 << 20);
		assert_int_equal(pthread_create(&threads[i], NULL, judge_all, &out[i]), 0);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < 4; i++) {
		assert_true(out[i].n > 0 && str_eq(buf_str(&out[0]), buf_str(&out[i])));
		if (i)
			buf_done(&out[i]);
	}
	buf_done(&out[0]);
}

/* The ceiling of memory is a limit like the others: an error of the object, not a lack of memory. */
static void test_memory_limit(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	val list = VAL_GET(f.doc->root, "objects");
	struct limits small = f.limits;
	size_t errors = 0;

	(void)state;
	for (small.arena_bytes = 64; small.arena_bytes < 65536; small.arena_bytes += 64) {
		for (uint32_t i = 0; i < val_count(list); i++) {
			struct compare_env env = { .limits = &small, .lookup = look_up };
			struct verdict v;
			struct err err;

			val object = VAL_GET(list.items[i], "object");
			assert_int_equal(compare_object(f.matcher, object, &env, &v, &err), 0);
			errors += v.state == VERDICT_ERROR && str_find(v.error, STR("bytes of memory")) >= 0;
			verdict_done(&v);
		}
	}
	assert_true(errors > 0);
}

/* So is that of the steps. With any budget the verdict is the same each time; what has enough of them says how many it
 * took, and comes to its verdict with so many and not with one less. */
static void test_step_limit(void **state)
{
	val list = VAL_GET(f.doc->root, "objects");
	size_t errors = 0;

	(void)state;
	for (uint32_t i = 0; i < val_count(list); i++) {
		val object = VAL_GET(list.items[i], "object");
		struct limits few = f.limits;
		struct compare_env env = { .limits = &few, .lookup = look_up };
		struct verdict v;
		struct err err;
		enum verdict_state before;

		assert_int_equal(compare_object(f.matcher, object, &env, &v, &err), 0);
		before = v.state;
		few.evaluation_steps = v.steps + 1;
		verdict_done(&v);
		if (few.evaluation_steps == 1) /* no template is for it */
			continue;
		assert_int_equal(compare_object(f.matcher, object, &env, &v, &err), 0);
		assert_int_equal(v.state, before);
		verdict_done(&v);
		few.evaluation_steps /= 4;
		assert_int_equal(compare_object(f.matcher, object, &env, &v, &err), 0);
		assert_int_equal(v.state, VERDICT_ERROR);
		assert_non_null(v.template);
		errors += str_find(v.error, STR("steps")) >= 0;
		verdict_done(&v);
	}
	assert_true(errors > 0);
}

/* What is too long to be searched as text is still weighed. */
static void test_choice_limits(void **state)
{
	val list = VAL_GET(f.doc->root, "objects");
	struct limits few = f.limits;

	(void)state;
	few.choice_bytes = 0;
	for (uint32_t i = 0; i < val_count(list); i++) {
		val c = list.items[i], template = VAL_GET(c, "template");
		struct compare_env env = { .limits = &few, .lookup = look_up, .schema = VAL_GET(c, "schema") };
		struct verdict v;
		struct err err;

		assert_int_equal(compare_object(f.matcher, VAL_GET(c, "object"), &env, &v, &err), 0);
		if (v.state == VERDICT_DRIFTED && val_is_string(template))
			assert_true(str_eq(v.template->path, val_str(template)));
		verdict_done(&v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),      cmocka_unit_test(test_json_and_yaml),
		cmocka_unit_test(test_threads),    cmocka_unit_test(test_memory_limit),
		cmocka_unit_test(test_step_limit), cmocka_unit_test(test_choice_limits),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
