/* Nodes have forms for what rules are mostly made of (cel_form.c), folds have quick rounds. Whatever is evaluated so
 * must have the value, the error and the cost that it has without:
 *   - generated rules are evaluated both ways: with places wanted, no form is used;
 *   - tests/data/cel/forms.txt holds rules with what an evaluator without any form made of them: on each line the hash
 *     of all results (evaluations), then cost and value of the first, then the rule. To write one from the rules of the
 *     generator: unit.cel.cel_form --write N. */
#include "cel/cel.h"

#include "base/file.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char schema_text[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"n\":{\"type\":\"integer\"},\"m\":{\"type\":\"integer\",\"nullable\":true},\"d\":{\"type\":\"number\"},"
	"\"s\":{\"type\":\"string\"},\"t\":{\"type\":\"string\"},\"b\":{\"type\":\"boolean\"},"
	"\"a-b\":{\"type\":\"integer\"},\"w\":{\"type\":\"string\",\"format\":\"duration\"},"
	"\"x\":{\"x-kubernetes-int-or-string\":true},"
	"\"o\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"s\":{\"type\":\"string\"},"
	"\"o\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"s\":{\"type\":\"string\"}}}}},"
	"\"labels\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
	"\"counts\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\",\"nullable\":true}},"
	"\"nums\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"
	"\"tags\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"string\"}},"
	"\"ports\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
	"\"port\":{\"type\":\"integer\"},\"on\":{\"type\":\"boolean\"}}}}}}";

static const char *const object_texts[] = {
	"{\"n\":3,\"m\":5,\"d\":1.5,\"s\":\"text\",\"t\":\"a longer text \xC3\xA9\xE2\x82\xAC\",\"b\":true,\"a-b\":7,"
	"\"w\":\"1h\",\"x\":\"10%\",\"o\":{\"n\":1,\"s\":\"in\",\"o\":{\"n\":2,\"s\":\"deep\"}},"
	"\"labels\":{\"app\":\"demo\",\"tier\":\"web\"},\"counts\":{\"app\":1,\"tier\":2},\"nums\":[1,2,3,-4],"
	"\"tags\":[\"x\",\"y\",\"text\"],\"ports\":[{\"name\":\"http\",\"port\":80,\"on\":true},"
	"{\"name\":\"https\",\"port\":443,\"on\":false},{\"name\":\"admin\",\"port\":70000}]}",
	"{\"n\":0,\"s\":\"\",\"labels\":{},\"nums\":[],\"tags\":[],\"ports\":[]}",
	"{}",
	"{\"n\":null,\"m\":null,\"s\":null,\"b\":null,\"o\":null,\"labels\":{\"app\":null},\"counts\":{\"app\":null},"
	"\"nums\":[null],\"ports\":[{\"port\":null,\"name\":\"p\"},null]}",
	"{\"n\":\"3\",\"m\":\"x\",\"s\":3,\"t\":[],\"b\":1,\"w\":\"soon\",\"x\":1,\"o\":{\"n\":1.5,\"o\":[1]},"
	"\"labels\":{\"app\":1},\"counts\":{\"app\":\"1\"},\"nums\":[1,\"2\",3],\"tags\":\"no\","
	"\"ports\":[{\"port\":\"80\",\"name\":5},{\"port\":443,\"name\":\"https\"},7]}",
	"{\"m\":-9223372036854775808,\"n\":9223372036854775807,\"s\":\"\xF0\x9F\x98\x80\",\"t\":\"text\",\"b\":false,"
	"\"o\":{\"o\":{}},\"counts\":{\"zz\":9},\"nums\":[5],\"ports\":[{\"port\":-1,\"name\":\"a name of many "
	"bytes\"}]}",
};

static const uint64_t cost_limits[] = { 0, 3, 9, 20 }; /* 0: the usual one */

static const struct limits lim = LIMITS_DEFAULT;

/* ---- rules ---- */

struct generator {
	uint64_t state;
	struct buf *out;
	bool in_ports; /* p is an item of ports */
	bool in_nums;  /* x is an item of nums */
};

static uint32_t pick(struct generator *g, uint32_t n)
{
	g->state = g->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->state >> 33) % n;
}

static void add_one(struct generator *g, const char *const *texts, uint32_t n)
{
	buf_add_cstr(g->out, texts[pick(g, n)]);
}
#define ADD_ONE(g, texts) add_one((g), (texts), ARRAY_LEN(texts))

static void add_bool(struct generator *g, int depth);

static void add_int(struct generator *g, int depth)
{
	static const char *const paths[] = {
		"self.n",       "self.m",          "self.o.n",        "self.o.o.n",
		"self.n",       "self.a__dash__b", "self.counts.app", "self.counts['app']",
		"self.nums[0]", "oldSelf.n",       "size(self.s)",    "self.ports.size()"
	};
	static const char *const numbers[] = { "0", "1", "3", "65535", "-4" };

	switch (pick(g, depth > 0 ? 6 : 3)) {
	case 0:
		ADD_ONE(g, numbers);
		break;
	case 3:
		buf_add_cstr(g->out, "(");
		add_int(g, depth - 1);
		buf_add_cstr(g->out, pick(g, 2) ? " + " : " / ");
		add_int(g, depth - 1);
		buf_add_cstr(g->out, ")");
		break;
	case 4:
		buf_add_cstr(g->out, "(");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, " ? ");
		add_int(g, 0);
		buf_add_cstr(g->out, " : ");
		add_int(g, depth - 1);
		buf_add_cstr(g->out, ")");
		break;
	default:
		if (g->in_ports && pick(g, 2))
			buf_add_cstr(g->out, "p.port");
		else if (g->in_nums && pick(g, 2))
			buf_add_cstr(g->out, "x");
		else
			ADD_ONE(g, paths);
	}
}

static void add_string(struct generator *g, int depth)
{
	static const char *const texts[] = {
		"self.s",           "self.t",       "self.o.s", "self.o.o.s", "self.labels['app']",
		"self.labels.tier", "self.tags[1]", "'text'",   "''",         "'a longer text of more bytes'",
		"'http'",           "oldSelf.s"
	};

	if (g->in_ports && pick(g, 2)) {
		buf_add_cstr(g->out, "p.name");
	} else if (depth > 0 && pick(g, 6) == 0) {
		add_string(g, depth - 1);
		buf_add_cstr(g->out, " + ");
		add_string(g, 0);
	} else {
		ADD_ONE(g, texts);
	}
}

static void add_macro(struct generator *g, int depth)
{
	static const char *const macros[] = { "all", "exists", "exists_one", "all", "exists" };
	struct generator outer = *g;
	bool ports = pick(g, 2);

	buf_printf(g->out, "%s.", ports ? "self.ports" : "self.nums");
	if (pick(g, 5) == 0) {
		buf_printf(g->out, "filter(%s, ", ports ? "p" : "x");
		g->in_ports |= ports;
		g->in_nums |= !ports;
		add_bool(g, 0);
		buf_add_cstr(g->out, ").");
	}
	ADD_ONE(g, macros);
	g->in_ports = outer.in_ports || ports;
	g->in_nums = outer.in_nums || !ports;
	buf_printf(g->out, "(%s, ", ports ? "p" : "x");
	add_bool(g, depth - 1);
	buf_add_cstr(g->out, ")");
	g->in_ports = outer.in_ports;
	g->in_nums = outer.in_nums;
}

static void add_simple(struct generator *g)
{
	static const char *const order[] = { " < ", " <= ", " > ", " >= ", " == ", " != " };
	static const char *const simple[] = { "has(self.s)",
					      "has(self.o.n)",
					      "has(self.o.o)",
					      "has(self.o.o.s)",
					      "has(self.labels.app)",
					      "has(self.m)",
					      "self.b",
					      "'app' in self.labels",
					      "'zz' in self.counts",
					      "self.s in ['text', 'other', '']",
					      "self.n in [1, 2, 3]",
					      "self.n in self.nums",
					      "self.s in self.tags",
					      "self.labels['app'].startsWith('de')",
					      "self.s.matches('^[a-z]+$')",
					      "self.w > duration('30m')",
					      "self.x == '10%'",
					      "self.ports == oldSelf.ports",
					      "self.o == oldSelf.o",
					      "self.d > 1.0",
					      "true",
					      "false",
					      "self.nums.map(x, x + 1) == [2, 3, 4, -3]" };

	switch (pick(g, 4)) {
	case 0:
		ADD_ONE(g, simple);
		break;
	case 1:
		add_string(g, 1);
		ADD_ONE(g, order);
		add_string(g, 0);
		break;
	default:
		add_int(g, 1);
		ADD_ONE(g, order);
		add_int(g, 0);
	}
}

static void add_bool(struct generator *g, int depth)
{
	switch (depth > 0 ? pick(g, 8) : 0) {
	case 1:
	case 2:
		buf_add_cstr(g->out, "(");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, pick(g, 2) ? " && " : " || ");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, ")");
		break;
	case 3:
		buf_add_cstr(g->out, "!");
		buf_add_cstr(g->out, "(");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, ")");
		break;
	case 4:
	case 5:
		add_macro(g, depth);
		break;
	case 6:
		buf_add_cstr(g->out, "(");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, " ? ");
		add_bool(g, depth - 1);
		buf_add_cstr(g->out, " : ");
		add_bool(g, 0);
		buf_add_cstr(g->out, ")");
		break;
	default:
		add_simple(g);
	}
}

static void add_rule(uint64_t seed, struct buf *out)
{
	struct generator g = { .state = seed * 0x9E3779B97F4A7C15u + 1, .out = out };

	(void)pick(&g, 1);
	add_bool(&g, 3);
}

/* ---- evaluations ---- */

struct world {
	const struct cel_schema *schema;
	struct doc *schema_doc;
	struct doc *objects[ARRAY_LEN(object_texts)];
	struct key_table *keys;
	struct arena arena;
};

static struct world world;

static int setup(void **state)
{
	struct json_options o = { .limits = &lim };
	struct err err;

	(void)state;
	world.keys = key_table_new();
	arena_init(&world.arena, 0, 0);
	assert_non_null(world.keys);
	o.keys = world.keys;
	assert_int_equal(json_decode(str_from(schema_text), &o, &world.schema_doc, &err), 0);
	assert_int_equal(cel_schema_build(world.schema_doc->root, false, &lim, &world.arena, &world.schema, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(object_texts); i++) {
		if (i % 2)
			o.keys = NULL; /* keys of another table are equal, but not the same */
		assert_int_equal(json_decode(str_from(object_texts[i]), &o, &world.objects[i], &err), 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(object_texts); i++)
		doc_unref(world.objects[i]);
	doc_unref(world.schema_doc);
	arena_done(&world.arena);
	key_table_free(world.keys);
	return 0;
}

static int compile(str rule, bool typed, struct cel_program **ret, struct err *err)
{
	const struct cel_type *type = typed ? world.schema->type : &cel_type_dyn;
	struct cel_variable vars[2] = { { STR("self"), type }, { STR("oldSelf"), type } };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = vars, .n_variables = 2 };

	return cel_compile(rule, &env, &lim, ret, NULL, err);
}

/* Cost and value, or error, of @p over object @i. */
static void evaluate(const struct cel_program *p, bool typed, size_t i, uint64_t cost_limit, bool places,
		     struct buf *out)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 22);
	struct cel_run run = { .arena = &a, .limits = &lim, .cost_limit = cost_limit, .places = places };
	const struct cel_schema *schema = typed ? world.schema : NULL;
	struct err err;
	cv values[2], v;

	values[0] = cel_value(&a, world.objects[i]->root, schema);
	values[1] = cel_value(&a, world.objects[i / 2]->root, schema);
	assert_int_equal(cel_evaluate(p, values, &run, &v, &err), 0);
	buf_printf(out, "%llu ", (unsigned long long)run.cost);
	if (cv_is_error(v))
		buf_printf(out, "error: %.*s", STR_ARG(v.err->text));
	else
		cel_print(v, &a, out);
}

static void same_both_ways(str rule, const struct cel_program *p, bool typed)
{
	for (size_t i = 0; i < ARRAY_LEN(object_texts); i++) {
		for (size_t k = 0; k < ARRAY_LEN(cost_limits); k++) {
			CLEANUP(buf_done) struct buf x = BUF_INIT(1u << 16), y = BUF_INIT(1u << 16);

			evaluate(p, typed, i, cost_limits[k], false, &x);
			evaluate(p, typed, i, cost_limits[k], true, &y);
			if (!str_eq(buf_str(&x), buf_str(&y)))
				fail_msg("%.*s: object %zu, limit %llu: %.*s, without forms %.*s", STR_ARG(rule), i,
					 (unsigned long long)cost_limits[k], STR_ARG(buf_str(&x)),
					 STR_ARG(buf_str(&y)));
		}
	}
}

static void test_generated(void **state)
{
	size_t compiled = 0;

	(void)state;
	for (uint64_t seed = 1000; seed < 4000; seed++) {
		CLEANUP(buf_done) struct buf rule = BUF_INIT(1u << 16);

		add_rule(seed, &rule);
		for (int typed = 0; typed < 2; typed++) {
			CLEANUP(cel_program_freep) struct cel_program *p = NULL;
			struct err err;

			if (compile(buf_str(&rule), typed, &p, &err) < 0)
				continue;
			same_both_ways(buf_str(&rule), p, typed);
			compiled++;
		}
	}
	assert_true(compiled > 4000);
}

/* ---- what the evaluator without forms made of them ---- */

static uint64_t fnv(uint64_t h, str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
	return h;
}

/* The line that the file has for @rule. */
static void describe(str rule, struct buf *line)
{
	uint64_t hash = 0xcbf29ce484222325u;
	CLEANUP(buf_done) struct buf first = BUF_INIT(1u << 16);

	for (int typed = 1; typed >= 0; typed--) {
		CLEANUP(cel_program_freep) struct cel_program *p = NULL;
		struct err err;

		if (compile(rule, typed, &p, &err) < 0) {
			hash = fnv(hash, str_from(err.msg));
			continue;
		}
		for (size_t i = 0; i < ARRAY_LEN(object_texts) * ARRAY_LEN(cost_limits); i++) {
			CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 16);

			evaluate(p, typed, i / ARRAY_LEN(cost_limits), cost_limits[i % ARRAY_LEN(cost_limits)], false,
				 &b);
			hash = fnv(hash, buf_str(&b));
			if (typed && i == 0)
				buf_add_str(&first, buf_str(&b));
		}
	}
	buf_printf(line, "%016llx\t%.*s\t%.*s", (unsigned long long)hash, STR_ARG(buf_str(&first)), STR_ARG(rule));
}

static void test_recorded(void **state)
{
	CLEANUP(freep) char *text = NULL;
	size_t len, n = 0;
	struct err err;
	str rest, line;

	(void)state;
	assert_int_equal(file_read(TEST_DATA "/cel/forms.txt", 1u << 20, &text, &len, &err), 0);
	rest = (str){ text, len };
	while (str_next_part(&rest, '\n', &line)) {
		CLEANUP(buf_done) struct buf now = BUF_INIT(1u << 16);
		str columns = line, rule = { NULL, 0 };

		if (line.n == 0)
			continue;
		while (str_next_part(&columns, '\t', &rule))
			;
		describe(rule, &now);
		if (!str_eq(buf_str(&now), line))
			fail_msg("line %zu:\n%.*s\n%.*s", n + 1, STR_ARG(line), STR_ARG(buf_str(&now)));
		n++;
	}
	assert_true(n > 300);
}

static int write_rules(uint64_t n)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 24);

	setup(NULL);
	for (uint64_t seed = 0; seed < n; seed++) {
		CLEANUP(buf_done) struct buf rule = BUF_INIT(1u << 16);

		add_rule(seed, &rule);
		describe(buf_str(&rule), &out);
		buf_add_byte(&out, '\n');
	}
	(void)fwrite(out.p, 1, out.n, stdout);
	return teardown(NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_recorded),
	};

	if (argc == 3 && strcmp(argv[1], "--write") == 0)
		return write_rules(strtoull(argv[2], NULL, 10));
	return cmocka_run_group_tests(tests, setup, teardown);
}
