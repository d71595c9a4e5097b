/* Ten rules as CRDs have them, over an object of about 5 KB: evaluations per second on one core, and memory taken per
 * evaluation. */
#include "cel/cel.h"
#include "value/json.h"

#include <stdio.h>
#include <time.h>

#define SECONDS_EACH 0.5

static const char schema_text[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"replicas\":{\"type\":\"integer\"},\"minReplicas\":{\"type\":\"integer\"},\"maxReplicas\":{\"type\":"
	"\"integer\"},"
	"\"name\":{\"type\":\"string\"},\"mode\":{\"type\":\"string\"},\"schedule\":{\"type\":\"string\"},"
	"\"cpu\":{\"type\":\"string\"},\"limit\":{\"type\":\"string\"},\"window\":{\"type\":\"string\",\"format\":"
	"\"duration\"},"
	"\"labels\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}},"
	"\"ports\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
	"\"port\":{\"type\":\"integer\"},\"protocol\":{\"type\":\"string\"},\"note\":{\"type\":\"string\"}}}}}}";

static const char *const rules[] = {
	"self.replicas <= self.maxReplicas",
	"self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas",
	"has(self.schedule) || has(self.name)",
	"self.mode in ['Active', 'Passive', 'Standby']",
	"self.ports.all(p, p.port > 0 && p.port < 65536)",
	"self.ports.exists(p, p.name == 'port-39')",
	"self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
	"'app' in self.labels && self.labels['app'].startsWith('de')",
	"self == oldSelf || self.window >= oldSelf.window",
	"quantity(self.cpu).isLessThan(quantity(self.limit))",
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int object_text(struct buf *b)
{
	buf_add_cstr(
		b, "{\"replicas\":3,\"minReplicas\":1,\"maxReplicas\":5,\"name\":\"demo-service\",\"mode\":\"Standby\","
		   "\"cpu\":\"250m\",\"limit\":\"2\",\"window\":\"1h30m\",\"labels\":{\"app\":\"demo\",\"tier\":"
		   "\"web\"},\"ports\":[");
	for (int i = 0; i < 40; i++)
		buf_printf(b, "%s{\"name\":\"port-%d\",\"port\":%d,\"protocol\":\"TCP\",\"note\":\"%s\"}", i ? "," : "",
			   i, 8000 + i, "served by the front of the application for its users");
	buf_add_cstr(b, "]}");
	return b->error;
}

/* Blocks that the arena asked for; each is one malloc. */
static unsigned long grown;
static const void *block;

static void note_growth(const struct arena *a)
{
	grown += a->blocks != block;
	block = a->blocks;
}

static int bench(const char *rule, const struct cel_schema *schema, val object, const struct limits *lim)
{
	struct cel_variable vars[2] = { { STR("self"), schema->type }, { STR("oldSelf"), schema->type } };
	struct cel_env env = { .dialect = CEL_KUBERNETES, .variables = vars, .n_variables = 2 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	struct arena arena;
	struct cel_run run = { .arena = &arena, .limits = lim };
	struct err err;
	unsigned long count = 0;
	size_t bytes = 0;
	double start, taken;
	cv values[2], result = { 0 };

	if (cel_compile(str_from(rule), &env, lim, &p, NULL, &err) < 0) {
		fprintf(stderr, "%s: %s\n", rule, err.msg);
		return 1;
	}
	arena_init(&arena, 65536, lim->arena_bytes);
	values[0] = values[1] = cel_value(&arena, object, schema);
	(void)arena_alloc(&arena, 8);
	arena_reset(&arena);
	block = arena.blocks;
	grown = 0;
	start = now();
	do {
		for (int i = 0; i < 1000; i++) {
			const char *at = arena.at;

			if (cel_evaluate(p, values, &run, &result, &err) < 0)
				return 1;
			bytes = (size_t)(arena.at - at);
			note_growth(&arena);
			if (bytes)
				arena_reset(&arena);
		}
		count += 1000;
		taken = now() - start;
	} while (taken < SECONDS_EACH);
	printf("%10.0f /s  %6.3f mallocs  %5zu arena bytes  cost %4llu  %s  %s\n", (double)count / taken,
	       (double)grown / (double)count, bytes, (unsigned long long)run.cost,
	       cv_is_true(result) ? "true " : "false", rule);
	arena_done(&arena);
	return 0;
}

int main(void)
{
	struct limits lim = LIMITS_DEFAULT;
	struct key_table *keys = key_table_new();
	struct json_options o = { .limits = &lim, .keys = keys };
	CLEANUP(doc_unrefp) struct doc *schema_doc = NULL, *object = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	const struct cel_schema *schema;
	struct arena arena;
	struct err err;
	int status = 1;

	arena_init(&arena, 0, 0);
	if (object_text(&text) == 0 && json_decode(str_from(schema_text), &o, &schema_doc, &err) == 0 &&
	    json_decode(buf_str(&text), &o, &object, &err) == 0 &&
	    cel_schema_build(schema_doc->root, false, &lim, &arena, &schema, &err) == 0) {
		printf("object of %zu bytes\n", text.n);
		status = 0;
		for (size_t i = 0; i < ARRAY_LEN(rules); i++)
			status |= bench(rules[i], schema, object->root, &lim);
	} else {
		fprintf(stderr, "%s\n", err.msg);
	}
	arena_done(&arena);
	doc_unref(TAKE(schema_doc));
	doc_unref(TAKE(object));
	key_table_free(keys);
	return status;
}
