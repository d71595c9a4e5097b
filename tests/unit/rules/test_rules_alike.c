/* Random CEL rules, of a definition and of a file, over pairs of random objects that differ here and there. Where the
 * rules read the same of both, both pass, after as many evaluations. */
#include "rules/rules_reads.h"

#include "go/zoneinfo.h"
#include "support/json_values.h"

#include <errno.h>

#define SETS 800
#define PAIRS 30 /* of each set of rules */
#define RULES_MAX 3
#define TEXT_MAX 65536

static uint64_t seed;

static size_t roll(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % n;
}

#define ONE_OF(list) ((list)[roll(ARRAY_LEN(list))])

/* ---- objects: their spec has these names, of values that the schema expects, or of others ---- */

static const char *const names[] = { "a", "b", "m", "list", "any", "either", "namespace" };

static val random_scalar(struct arena *a)
{
	static const char *const scalars[] = { "null", "true",  "0",     "1",     "1.0", "2",  "-0.0", "0.0",
					       "\"\"", "\"1\"", "\"a\"", "\"b\"", "[]",  "{}", "1e-85" };

	return value_of_json(ONE_OF(scalars), a);
}

static val with(struct arena *a, val map, const char *name, val v)
{
	return val_map_with(a, map, key_make(NULL, a, str_from(name)), v);
}

static val random_map(struct arena *a, int depth)
{
	val map = val_map_sorted(NULL, 0), items[3];

	for (size_t n = roll(4); n > 0; n--) {
		const char *name = ONE_OF(names);
		bool list = strcmp(name, "list") == 0;

		for (size_t i = 0; list && i < ARRAY_LEN(items); i++)
			items[i] = depth > 0 && roll(4) ? random_map(a, depth - 1) : random_scalar(a);
		if (list)
			map = with(a, map, name, val_list(a, items, roll(4)));
		else
			map = with(a, map, name,
				   depth > 0 && roll(3) == 0 ? random_map(a, depth - 1) : random_scalar(a));
	}
	return map;
}

static val random_object(struct arena *a)
{
	static const char *const metadata[] = { "{\"name\": \"a\"}", "{\"name\": \"b\", \"uid\": \"u\"}",
						"{\"name\": \"a\", \"labels\": {\"a\": \"x\"}}",
						"{\"name\": \"a\", \"labels\": {\"a\": \"y\"}}" };
	val map = value_of_json("{\"apiVersion\": \"e.x/v1\", \"kind\": \"Widget\"}", a);

	map = with(a, map, "metadata", value_of_json(ONE_OF(metadata), a));
	return with(a, map, "spec", random_map(a, 2));
}

/* @v, but something below it. */
static val changed(struct arena *a, val v, int depth)
{
	const struct member *m;
	val items[4];

	if (v.kind < VAL_LIST || v.n == 0 || (depth > 0 && roll(6) == 0))
		return roll(2) ? random_scalar(a) : random_map(a, 1);
	if (val_is_list(v)) {
		memcpy(items, v.items, v.n * sizeof(*items));
		items[roll(v.n)] = changed(a, v.items[roll(v.n)], depth + 1);
		return val_list(a, items, v.n);
	}
	m = &v.members[depth ? roll(v.n) : 2 + roll(2)];
	if (depth > 1 && roll(6) == 0)
		return val_map_without(a, v, key_str(m->key));
	if (depth > 0 && roll(6) == 0)
		return with(a, v, ONE_OF(names), random_scalar(a));
	return val_map_with(a, v, m->key, changed(a, m->value, depth + 1));
}

/* ---- rules ---- */

/* %P: a part of self; %C: a constant */
static const char *const expressions[] = {
	"!has(%P) || %P != %C",
	"!has(%P) || %P == %C || %P == %C",
	"has(%P) || has(%P)",
	"!(has(%P) && has(%P)) || %P == %P",
	"!has(%P) || type(%P) != int || dyn(%P) < 2",
	"self.?spec.?b.orValue(%C) != %C",
	"self.?b.hasValue() || self.?a.?b.orValue(1) == 1",
	"self.?list.orValue([]).all(i, i != %C)",
	"!has(self.spec.list) || self.spec.list.all(i, !has(i.a) || i.a != %C)",
	"!has(self.list) || !self.list.exists(i, has(i.b) && i.b == %C)",
	"!has(self.list) || size(self.list) == 0 || self.list[0] != %C",
	"!has(self.list) || self.list.filter(i, has(i.m)).size() < 2",
	"!has(self.spec) || size(self.spec) < 3",
	"!('m' in self) || size(self.m) < 2",
	"!has(self.spec) || !('a' in self.spec) || self.spec['a'] != %C",
	"!has(self.m) || self.m.all(k, k != 'b')",
	"!has(self.m) || self.m.all(k, self.m[k] == 1)",
	"!has(%P) || string(%P) != '-0'",
	"!has(self.metadata) || self.metadata.name != 'b'",
	"!has(self.__namespace__) || self.__namespace__ != %C",
	"self != %C",
	"1 + 1 == 2",
	"dyn(self) == dyn(self)",
	"!has(self.any) || self.any != %C",
	"!has(self.either) || (type(self.either) == int ? self.either < 2 : self.either != 'a')",
};

static void add_expression(struct buf *b)
{
	static const char *const parts[] = { "self.a",     "self.b",        "self.spec.a", "self.spec.b",
					     "self.m.a",   "self.spec.m.b", "self.m",      "self.spec",
					     "self.any.a", "self.spec.any", "self.either", "self.list" };
	static const char *const constants[] = { "1", "'a'", "true", "0", "1.0", "'1'", "[]", "{}", "null", "dyn(2)" };
	const char *p = ONE_OF(expressions), *part = ONE_OF(parts);

	for (; *p; p++) {
		if (*p != '%') {
			buf_add_byte(b, *p);
			continue;
		}
		if (*++p == 'C')
			buf_add_cstr(b, ONE_OF(constants));
		else
			buf_add_cstr(b, roll(5) ? part : ONE_OF(parts));
	}
}

static void add_rules(struct buf *b, size_t n)
{
	buf_add_byte(b, '[');
	while (n-- > 0) {
		buf_add_cstr(b, "{\"rule\": \"");
		add_expression(b);
		buf_add_cstr(b, n ? "\"}, " : "\"}");
	}
	buf_add_byte(b, ']');
}

static void add_validations(struct buf *b)
{
	if (roll(3))
		return;
	buf_add_cstr(b, ", \"x-kubernetes-validations\": ");
	add_rules(b, 1);
}

/* A schema, in which "%" stands for rules or none. */
static void add_definition(struct buf *b)
{
	static const char schema[] =
		"{\"type\": \"object\"%, \"properties\": {\"spec\": {\"type\": \"object\"%, \"properties\": {"
		"\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": \"number\", \"nullable\": true}, "
		"\"namespace\": {\"type\": \"string\"}, \"m\": {\"type\": \"object\"%, \"additionalProperties\": "
		"{\"type\": \"integer\"%}}, \"any\": {\"x-kubernetes-preserve-unknown-fields\": true}, "
		"\"either\": {\"x-kubernetes-int-or-string\": true%}, \"list\": {\"type\": \"array\"%, \"items\": "
		"{\"type\": \"object\"%, \"properties\": {\"a\": {\"type\": \"integer\"}, \"b\": {\"type\": "
		"\"string\"}, "
		"\"m\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"integer\"}}}}}}}}}";

	buf_add_cstr(b,
		     "{\"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"widgets.e.x\"}, \"spec\": {"
		     "\"group\": \"e.x\", \"names\": {\"kind\": \"Widget\"}, \"versions\": [{\"name\": \"v1\", "
		     "\"served\": true, \"schema\": {\"openAPIV3Schema\": ");
	for (const char *p = schema; *p; p++) {
		if (*p == '%')
			add_validations(b);
		else
			buf_add_byte(b, *p);
	}
	buf_add_cstr(b, "}}]}}");
}

static void add_file(struct buf *b)
{
	static const char *const places[] = { "", "", "at: .spec\n", "at: .spec.list[*]\n", "at: .spec.m\n" };

	for (size_t n = roll(3); n > 0; n--) {
		buf_add_cstr(b, "---\napiVersion: e.x/v1\nkind: Widget\n");
		buf_add_cstr(b, roll(3) ? "" : "labelSelector: a=x\n");
		buf_add_cstr(b, ONE_OF(places));
		buf_add_cstr(b, "rules: ");
		add_rules(b, 1 + roll(RULES_MAX));
		buf_add_byte(b, '\n');
	}
}

static const struct limits limits = LIMITS_DEFAULT;

static size_t n_alike, n_pass;

static int failed(void *ctx, const struct cel_failure *f, struct err *err)
{
	(void)ctx, (void)f;
	return err_set(err, ECANCELED, "it does not pass");
}

static bool passes(const struct kind_rules *k, val object, struct arena *a, uint64_t *evaluated)
{
	struct rules_run run = {
		.object = object, .arena = a, .limits = &limits, .zones = &go_zoneinfo, .failed = failed
	};
	struct err err;
	bool ret = true;

	for (size_t i = 0; ret && i < k->sets.n; i++)
		ret = compiled_rules_run(&k->sets.p[i], &run, &err) == 0;
	*evaluated = run.evaluated;
	return ret;
}

static void check_pair(const struct kind_rules *k, const struct object_ways *ways, str definition, str file)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	val x = random_object(&a), y = x;
	uint64_t first, second;
	struct err err;

	for (size_t n = 1 + roll(2); n > 0; n--)
		y = changed(&a, y, 0);
	if (object_ways_hash(ways, x) != object_ways_hash(ways, y))
		return;
	n_alike++;
	if (!passes(k, x, &a, &first))
		return;
	n_pass++;
	if (passes(k, y, &a, &second) && first == second)
		return;
	assert_int_equal(json_encode(x, JSON_TYPED, NULL, &text, &err), 0);
	buf_add_byte(&text, '\n');
	assert_int_equal(json_encode(y, JSON_TYPED, NULL, &text, &err), 0);
	fail_msg("%.*s\n%.*s\n%.*s", STR_ARG(definition), STR_ARG(file), STR_ARG(buf_str(&text)));
}

static size_t check_set(struct key_table *keys)
{
	CLEANUP(buf_done) struct buf definition = BUF_INIT(TEXT_MAX), text = BUF_INIT(TEXT_MAX);
	CLEANUP(doc_unrefp) struct doc *crd = NULL;
	struct rule_sources from = { .limits = &limits, .keys = keys };
	struct problems problems = { 0 };
	struct rule_file *file = NULL;
	struct object_ways ways;
	struct kind_rules k;
	struct err err;
	size_t known;

	add_definition(&definition);
	add_file(&text);
	if (roll(4)) {
		crd = document_of_json(buf_str(&definition));
		from.crd = crd;
		from.definition = crd->root;
	}
	if (text.n && rule_file_parse(buf_str(&text), "f", &limits, keys, &file, &problems, &err) < 0)
		fail_msg("%.*s: %s", STR_ARG(buf_str(&text)), problems_text(&problems));
	problems_done(&problems);
	from.files = &file;
	from.n_files = file != NULL;
	assert_int_equal(kind_rules_init(&k, STR("e.x/v1"), STR("Widget"), &from, &err), 0);
	rules_reads_init(&ways, &k, keys);
	known = ways.known && k.sets.n > 0;
	for (size_t pair = 0; known && pair < PAIRS; pair++)
		check_pair(&k, &ways, buf_str(&definition), buf_str(&text));
	object_ways_done(&ways);
	kind_rules_done(&k);
	rule_file_free(file);
	return known;
}

static void test_what_looks_alike_passes_alike(void **state)
{
	struct key_table *keys = key_table_new();
	size_t n_known = 0;

	(void)state;
	for (uint64_t i = 0; i < SETS; i++) {
		seed = i;
		n_known += check_set(keys);
	}
	key_table_free(keys);
	print_message("%zu sets, %zu pairs alike, of which %zu pass\n", n_known, n_alike, n_pass);
	assert_true(n_pass > SETS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_looks_alike_passes_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
