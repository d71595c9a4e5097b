/* Expressions from anywhere: parse, check, plan and evaluate in every environment, within limits. The first line is the
 * expression, the rest a JSON document for self and oldSelf. */
#include "cel/cel.h"
#include "value/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
	"{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"d\":{\"type\":\"number\"},\"s\":{\"type\":"
	"\"string\"},"
	"\"t\":{\"type\":\"string\",\"format\":\"date-time\"},\"b\":{\"type\":\"string\",\"format\":\"byte\"},"
	"\"x\":{\"x-kubernetes-int-or-string\":true},\"u\":{\"x-kubernetes-preserve-unknown-fields\":true},"
	"\"l\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"set\",\"items\":{\"type\":\"integer\"}},"
	"\"o\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"k\"],"
	"\"items\":{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"},\"v\":{\"type\":\"integer\"}}}},"
	"\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}}";

static void evaluate(str expr, enum cel_dialect dialect, bool unchecked, const struct cel_schema *schema, val self,
		     const struct limits *lim)
{
	struct cel_variable vars[2] = { { STR("self"), schema ? schema->type : &cel_type_dyn },
					{ STR("oldSelf"), schema ? schema->type : &cel_type_dyn } };
	struct cel_env env = { .dialect = dialect, .unchecked = unchecked, .variables = vars, .n_variables = 2 };
	CLEANUP(cel_program_freep) struct cel_program *p = NULL;
	CLEANUP(buf_done) struct buf issues = BUF_INIT(1u << 16), text = BUF_INIT(1u << 16);
	struct arena arena;
	struct cel_run run = { .arena = &arena, .limits = lim, .cost_limit = 20000 };
	struct err err;
	cv values[2], result;

	if (cel_compile(expr, &env, lim, &p, &issues, &err) < 0)
		return;
	arena_init(&arena, 0, 1u << 22);
	values[0] = values[1] = cel_value(&arena, self, schema);
	if (cel_evaluate(p, values, &run, &result, &err) == 0)
		cel_print(result, &arena, &text);
	arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct limits lim = LIMITS_DEFAULT;
	struct json_options o = { .limits = &lim };
	CLEANUP(doc_unrefp) struct doc *schema_doc = NULL, *doc = NULL;
	str text = { (const char *)data, size }, expr = text;
	const struct cel_schema *schema = NULL;
	ptrdiff_t line = str_find_byte(text, '\n');
	struct arena arena;
	struct err err;
	val self = val_null();

	lim.arena_bytes = 1u << 24;
	lim.regex_match_limit = 10000;
	if (line >= 0) {
		expr = str_sub(text, 0, (size_t)line);
		if (json_decode(str_sub(text, (size_t)line + 1, text.n), &o, &doc, &err) == 0)
			self = doc->root;
	}
	arena_init(&arena, 0, 0);
	if (json_decode(str_from(schema_text), &o, &schema_doc, &err) == 0 &&
	    cel_schema_build(schema_doc->root, true, &lim, &arena, &schema, &err) == 0)
		evaluate(expr, CEL_KUBERNETES, false, schema, self, &lim);
	evaluate(expr, CEL_KUBERNETES, false, NULL, self, &lim);
	evaluate(expr, CEL_STANDARD, false, NULL, self, &lim);
	evaluate(expr, CEL_STANDARD, true, NULL, self, &lim);
	arena_done(&arena);
	return 0;
}
