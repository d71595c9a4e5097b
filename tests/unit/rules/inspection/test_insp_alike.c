/* Random rules over pairs of random objects that differ here and there. Where the rules read the same of both, they
 * find the same in both, at the same cost: so that an object may pass because another one has passed. */
#include "rules/inspection/insp_read_set.h"

#include "support/json_values.h"

#define SETS 1000
#define PAIRS 40 /* of each set of rules */
#define RULES_MAX 3
#define TEXT_MAX 65536

static uint64_t seed;

static size_t roll(size_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(seed >> 33) % n;
}

#define ONE_OF(list) ((list)[roll(ARRAY_LEN(list))])

/* ---- objects ---- */

static const char *a_name(void)
{
	static const char *const names[] = { "a", "b", "x", "list", "data", "password", "k.d" };

	return names[roll(roll(2) ? 3 : ARRAY_LEN(names))];
}

static val random_scalar(struct arena *a)
{
	static const char *const scalars[] = { "null", "true", "0",          "1",      "1.0",       "0.0",
					       "-0.0", "2",    "\"\"",       "\"1\"",  "\"a\"",     "\"yes\"",
					       "[]",   "{}",   "\"{node}\"", "\"v1\"", "\"Secret\"" };
	char long_text[512];

	if (roll(8))
		return value_of_json(ONE_OF(scalars), a);
	memset(long_text, 'a', sizeof(long_text));
	return val_string(arena_str(a, (str){ long_text, roll(sizeof(long_text)) }));
}

static val random_map(struct arena *a, int depth);

static val random_value(struct arena *a, int depth)
{
	val items[3];
	size_t n = roll(ARRAY_LEN(items) + 1);

	switch (depth > 0 ? roll(6) : 0) {
	case 0:
	case 1:
		return random_scalar(a);
	case 2:
	case 3:
		for (size_t i = 0; i < n; i++)
			items[i] = roll(4) ? random_map(a, depth - 1) : random_value(a, depth - 1);
		return val_list(a, items, n);
	default:
		return random_map(a, depth - 1);
	}
}

/* One that may be a Secret, some of which is hidden. */
static val random_inner_object(struct arena *a)
{
	val map = value_of_json(roll(2) ? "{\"apiVersion\": \"v1\", \"kind\": \"Secret\"}"
					: "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}",
				a);

	map = val_map_with(a, map, key_make(NULL, a, STR("data")), value_of_json("{\"a\": 1, \"b\": \"a\"}", a));
	return roll(3) ? map : val_map_with(a, map, key_make(NULL, a, STR("data")), random_map(a, 0));
}

static val random_map(struct arena *a, int depth)
{
	val map = val_map_sorted(NULL, 0);

	for (size_t n = roll(4); n > 0; n--) {
		val v = depth > 0 && roll(6) == 0 ? random_inner_object(a) : random_value(a, depth);

		map = val_map_with(a, map, key_make(NULL, a, str_from(a_name())), v);
	}
	return map;
}

static val random_object(struct arena *a, const char *kind)
{
	static const char *const roots[] = { "spec", "spec", "data", "metadata" };
	val map = value_of_json("{\"apiVersion\": \"v1\"}", a), items[3], spec;

	map = val_map_with(a, map, key_make(NULL, a, STR("kind")), val_string(str_from(kind)));
	for (size_t i = 0; i < 2; i++)
		map = val_map_with(a, map, key_make(NULL, a, str_from(ONE_OF(roots))), random_map(a, 3));
	if (roll(2))
		return map;
	for (size_t i = 0; i < ARRAY_LEN(items); i++)
		items[i] = random_map(a, 2);
	spec = val_map_with(a, VAL_GET(map, "spec"), key_make(NULL, a, STR("list")), val_list(a, items, 1 + roll(3)));
	return val_map_with(a, map, key_make(NULL, a, STR("spec")), spec);
}

static val changed(struct arena *a, val v, int depth);

static val changed_list(struct arena *a, val v, int depth)
{
	val items[8];
	size_t n = 0, at = roll(v.n + 1);

	for (uint32_t i = 0; i < v.n && i < 4; i++) {
		if (i == at && roll(4) == 0)
			continue;
		items[n++] = i == at ? changed(a, v.items[i], depth) : v.items[i];
	}
	if (at == v.n)
		items[n++] = random_value(a, 1);
	return val_list(a, items, n);
}

/* @v, but something below it. The root keeps its type. */
static val changed(struct arena *a, val v, int depth)
{
	const struct member *m;

	if (v.kind < VAL_LIST || v.n == 0 || (depth > 0 && roll(8) == 0))
		return random_value(a, 2);
	if (depth > 1 && roll(8) == 0)
		return val_is_map(v) ? v.members[0].value : v.items[0];
	if (val_is_list(v))
		return changed_list(a, v, depth + 1);
	if (depth > 0 && val_exists(VAL_GET(v, "kind")) && roll(2))
		return val_map_with(a, v, key_make(NULL, a, STR("kind")),
				    val_string(roll(2) ? STR("Pod") : STR("Secret")));
	m = &v.members[roll(v.n)];
	if (depth == 0 && !val_is_map(m->value))
		return v;
	if (depth > 0 && roll(6) == 0)
		return val_map_without(a, v, key_str(m->key));
	if (roll(6) == 0)
		return val_map_with(a, v, key_make(NULL, a, str_from(depth ? a_name() : "more")), random_value(a, 2));
	return val_map_with(a, v, m->key, changed(a, m->value, depth + 1));
}

/* ---- rules ---- */

static void add_accessors(struct buf *b, size_t most)
{
	for (size_t n = roll(most + 1); n > 0; n--) {
		const char *name = a_name();

		switch (roll(12)) {
		case 0:
			buf_printf(b, "[%zu]", roll(2));
			break;
		case 1:
			buf_add_cstr(b, roll(4) ? "[0]" : "..");
			break;
		case 2:
		case 3:
			buf_printf(b, "[%s]", name);
			break;
		case 4:
		case 5:
		case 6:
			buf_printf(b, ".%s.data.%s", name, roll(3) ? "a" : "b");
			break;
		default:
			buf_printf(b, ".%s", name);
		}
	}
}

static void add_name(struct buf *b, bool looped)
{
	static const char *const others[] = {
		"plugin_data",   "inventory.kind", "inventory[raw].spec", "inventory.cluster",  "inventory.name",
		"plugin_data.p", "nobody",         "inventory.raw.data",  "inventory.template", "inventory.event",
		"item"
	};
	static const char *const objects[] = { "node.spec", "object.spec", "node.spec", "node.data", "node.metadata" };

	if (roll(8) == 0) {
		buf_add_cstr(b, "node.spec.list");
		return;
	}
	buf_add_cstr(b, looped && roll(3) ? "item" : roll(5) ? ONE_OF(objects) : ONE_OF(others));
	add_accessors(b, looped ? 2 : 3);
}

static void add_field(struct buf *b, bool looped)
{
	static const char *const ends[] = { "!r", "!s", ":s", ":>3", "!r:<9", ":", "!q" };

	buf_add_byte(b, '{');
	add_name(b, looped);
	if (roll(4) == 0)
		buf_add_cstr(b, ONE_OF(ends));
	if (roll(16) == 0) {
		buf_add_cstr(b, ":{");
		add_name(b, looped);
		buf_add_byte(b, '}');
	}
	buf_add_byte(b, '}');
}

/* A text, or a collection of texts. */
static void add_value(struct buf *b, bool looped)
{
	size_t form = roll(12);

	buf_add_cstr(b, form == 0 ? "[\"" : form == 1 ? "{\"k\": \"" : form == 2 ? "\"a " : "\"");
	add_field(b, looped);
	if (form == 3)
		add_field(b, looped);
	buf_add_cstr(b, form == 0 ? "\"]" : form == 1 ? "\"}" : "\"");
}

/* Begins an operation, up to its arguments. Returns whether it is looped. */
static bool add_head(struct buf *b, const char *op, bool condition)
{
	static const char *const multiple[] = { "any", "all", "first", "last" };
	size_t form = roll(8);

	buf_printf(b, "{\"op\": \"%s%s\", ", condition && roll(3) == 0 ? "!" : "", op);
	if (condition)
		buf_printf(b, "\"multiple\": \"%s\", ", ONE_OF(multiple));
	if (form < 4) {
		buf_add_cstr(b, form ? "\"loop\": \"{" : "\"loop\": [\"{");
		if (roll(2))
			buf_add_cstr(b, "node.spec.list");
		else
			add_name(b, false);
		buf_add_cstr(b, form ? "}\", " : "}\", {\"a\": 1}, [\"{node.spec.list}\"]], ");
	}
	buf_add_cstr(b, "\"args\": ");
	return form < 4;
}

static void add_condition(struct buf *b)
{
	static const char *const ones[] = { "is-true", "is-false", "is-none", "is-empty", "is-empty" };
	static const char *const twos[] = { "eq", "eq", "lt", "gt", "contains", "matches", "in-net" };
	static const char *const constants[] = { "1",        "\"a\"", "\"1\"", "true",
						 "\"-0.0\"", "null",  "[]",    "\"10.0.0.0/8\"" };
	bool one = roll(2), looped;

	looped = add_head(b, one ? ONE_OF(ones) : ONE_OF(twos), true);
	buf_add_byte(b, '[');
	add_value(b, looped);
	if (!one) {
		buf_add_cstr(b, ", ");
		if (roll(3))
			buf_add_cstr(b, ONE_OF(constants));
		else
			add_value(b, looped);
	}
	buf_add_cstr(b, "]}");
}

static void add_action(struct buf *b)
{
	static const char *const ops[] = { "set-plugin-data",    "set-plugin-data",
					   "extend-plugin-data", "fail",
					   "unset-plugin-data",  "log" };
	const char *op = ONE_OF(ops);
	bool looped = add_head(b, op, false);

	buf_add_cstr(b, "[");
	if (strstr(op, "plugin"))
		buf_add_cstr(b, roll(3) ? "\"p\"" : "\"q\"");
	if (strstr(op, "set-plugin") == op || strstr(op, "extend"))
		buf_add_cstr(b, ", ");
	if (strcmp(op, "unset-plugin-data") != 0)
		add_value(b, looped);
	buf_add_cstr(b, "]}");
}

static void add_rule(struct buf *b)
{
	static const char *const phases[] = { "early", "preprocess", "main" };

	buf_printf(b, "{\"phase\": \"%s\", \"sensitive\": %s, \"conditions\": [", ONE_OF(phases),
		   roll(4) ? "false" : "true");
	for (size_t n = roll(3); n > 0; n--) {
		add_condition(b);
		buf_add_cstr(b, n > 1 ? ", " : "");
	}
	buf_add_cstr(b, "], \"actions\": [");
	for (size_t n = 1 + roll(2); n > 0; n--) {
		add_action(b);
		buf_add_cstr(b, n > 1 ? ", " : "");
	}
	buf_add_cstr(b, "]}");
}

struct rules {
	struct buf text;
	struct insp_rule *rules[RULES_MAX];
	size_t n;
	struct insp_set set;
	struct object_ways ways;
	bool alike;
};

static void ignore(void *ctx, const char *field, int64_t index, const char *key, const char *text)
{
	(void)ctx, (void)field, (void)index, (void)key, (void)text;
}

static void make_rules(struct rules *r)
{
	static const struct insp_report report = { ignore, NULL };
	static const struct limits limits = LIMITS_DEFAULT;
	size_t mistakes;
	struct err err;

	*r = (struct rules){ .text = BUF_INIT(TEXT_MAX) };
	for (size_t n = 1 + roll(RULES_MAX); r->n < n;) {
		size_t from = r->text.n;
		CLEANUP(doc_unrefp) struct doc *d = NULL;

		add_rule(&r->text);
		d = document_of_json(str_sub(buf_str(&r->text), from, r->text.n));
		assert_int_equal(insp_rule_new(d->root, true, &limits, &report, &mistakes, &r->rules[r->n++], &err), 0);
		buf_add_byte(&r->text, '\n');
	}
	assert_int_equal(insp_set_init(&r->set, NULL, 0, (const struct insp_rule *const *)r->rules, r->n, &err), 0);
	object_ways_init(&r->ways, NULL);
	insp_set_reads(&r->set, &r->ways, &r->alike);
}

static void rules_done(struct rules *r)
{
	object_ways_done(&r->ways);
	insp_set_done(&r->set);
	for (size_t i = 0; i < r->n; i++)
		insp_rule_free(r->rules[i]);
	buf_done(&r->text);
}

/* ---- runs ---- */

struct result {
	bool passes;
	uint64_t steps; /* how many were taken */
	val plugin_data;
};

static void note_ran(void *ctx, const struct insp_rule *rule)
{
	*(bool *)ctx |= !insp_rule_is_quiet(rule);
}

/* What differs between objects, or between their verdicts, differs here. */
static val inventory_of(struct arena *a, val object)
{
	val map =
		value_of_json("{\"cluster\": \"c\", \"api_version\": \"v1\", \"kind\": \"K\", \"previous\": null}", a);
	static const char *const texts[] = { "event", "namespace", "name", "uid", "reference", "template" };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		map = val_map_with(a, map, key_make(NULL, a, str_from(texts[i])), random_scalar(a));
	return val_map_with(a, map, key_make(NULL, a, STR("raw")), object);
}

static struct result run(const struct rules *r, val object, enum insp_masking mask, struct arena *a)
{
	static const struct limits limits = LIMITS_DEFAULT;
	const struct insp_config config = { .mask_secrets = mask };
	bool acted = false;
	const struct insp_effects effects = { .ran = note_ran, .ctx = &acted };
	const struct insp_object of = { .node = object,
					.ports = { .kind = VAL_LIST },
					.inventory = inventory_of(a, object) };
	struct insp_run x;
	struct result ret;
	struct err err;

	assert_int_equal(insp_run_init(&x, &of, &config, &effects, &limits, a, &err), 0);
	for (size_t phase = 0; phase < INSP_PHASES; phase++)
		assert_int_equal(insp_run_phase(&x, &r->set, (enum insp_phase)phase, &err), 0);
	ret = (struct result){ x.state == INSP_DONE && !acted, limits.evaluation_steps - x.work.steps,
			       x.scope.plugin_data.real };
	insp_run_done(&x);
	return ret;
}

/* The mask looks at all of the object: as the node, and in each phase as a part of the inventory. */
static uint64_t most_steps(const struct result *first, enum insp_masking mask, val second)
{
	return first->steps + (mask == INSP_MASK_NEVER ? 0 : (1 + INSP_PHASES) * val_nodes(second));
}

static size_t n_alike, n_pass;

static void check_pair(const struct rules *r, struct arena *a)
{
	enum insp_masking mask = (enum insp_masking)roll(3);
	val x = random_object(a, roll(3) ? "Pod" : "Secret"), y = x;
	struct result first, second;
	struct err err;

	for (size_t n = 1 + roll(3); n > 0; n--)
		y = changed(a, y, 0);
	if (object_ways_hash(&r->ways, x) != object_ways_hash(&r->ways, y))
		return;
	n_alike++;
	first = run(r, x, mask, a);
	if (!first.passes)
		return;
	n_pass++;
	second = run(r, y, mask, a);
	if (second.passes && val_equal(first.plugin_data, second.plugin_data) &&
	    second.steps <= most_steps(&first, mask, y))
		return;
	print_error("%.*s", STR_ARG(buf_str(&r->text)));
	for (int i = 0; i < 2; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 20);

		assert_int_equal(json_encode(i ? y : x, JSON_TYPED, NULL, &text, &err), 0);
		print_error("%.*s\n", STR_ARG(buf_str(&text)));
	}
	fail_msg("the second does not pass as the first does (%d; %d steps and %d; mask %d)", second.passes,
		 (int)first.steps, (int)second.steps, mask);
}

static void test_what_looks_alike_passes_alike(void **state)
{
	size_t n_known = 0;

	(void)state;
	for (uint64_t i = 0; i < SETS; i++) {
		struct rules r;

		seed = i;
		make_rules(&r);
		n_known += r.alike;
		for (size_t pair = 0; r.alike && pair < PAIRS; pair++) {
			CLEANUP(arena_done) struct arena a = ARENA_INIT(0);

			check_pair(&r, &a);
		}
		rules_done(&r);
	}
	print_message("%zu sets, %zu pairs alike, of which %zu pass\n", n_known, n_alike, n_pass);
	assert_true(n_pass > SETS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_looks_alike_passes_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
