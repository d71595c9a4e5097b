/* kubegen/lang and kubegen/module-errors. */
#include "suite_kubegen.h"

#include "kubegen/kg_module.h"
#include "support/memory_folder.h"
#include "value/json.h"

#define OUT_MAX (16u << 20)

/* The files of a case as texts: some are {"base64": …}. */
static val case_files(val line, struct arena *a)
{
	val files = VAL_GET(line, "files");
	struct member *members = arena_array(a, val_count(files), sizeof(*members));

	for (uint32_t i = 0; i < val_count(files); i++) {
		str bytes;

		members[i] = files.members[i];
		if (base64_decode(val_str(VAL_GET(members[i].value, "base64")), a, &bytes) &&
		    val_is_map(members[i].value))
			members[i].value = val_string(bytes);
	}
	return val_map_sorted(members, val_count(files));
}

static bool contains_nocase(str s, str what)
{
	for (size_t i = 0; i + what.n <= s.n; i++) {
		if (str_eq_nocase(str_sub(s, i, i + what.n), what))
			return true;
	}
	return false;
}

static void expect_error(val line, const char *got, struct verdict *v)
{
	str want = val_str(VAL_GET(line, "error"));

	if (!want.n || !contains_nocase(str_from(got), want))
		verdict_fail(v, want.n ? want : STR("no error"), str_from(got));
}

/* ---- lang ---- */

static int declare_all(struct kg_eval *e, val params, const struct kg_place *at)
{
	for (uint32_t i = 0; i < val_count(params); i++) {
		val p = params.members[i].value;
		str type_name = val_str(VAL_GET(p, "type"));
		const struct kg_place *place = kg_place_member(&e->arena, at, params.members[i].key);
		enum kg_type type;
		int r;

		if (!kg_type_parse(type_name, &type))
			return err_set(e->err, EINVAL, "unknown type '%.*s'", STR_ARG(type_name));
		r = kg_declare(e, key_str(params.members[i].key), type, VAL_GET(p, "value"), place);
		if (r < 0)
			return r;
	}
	return 0;
}

static int evaluate(struct kg_eval *e, val line, val *ret)
{
	val whole = VAL_GET(line, "document");
	const struct kg_place *at = kg_place_root(&e->arena, STR("doc"), STR(""));
	int r = declare_all(e, VAL_GET(line, "params"), kg_place_root(&e->arena, STR("params"), STR("")));

	if (r < 0)
		return r;
	return (whole.kind == VAL_BOOL && whole.b ? kg_evaluate_document : kg_evaluate)(e, VAL_GET(line, "doc"), at,
											ret);
}

static void expect_value(val line, val got, struct verdict *v)
{
	CLEANUP(buf_done) struct buf want = BUF_INIT(OUT_MAX), text = BUF_INIT(OUT_MAX);
	val omitted = VAL_GET(line, "omitted");
	bool gone = omitted.kind == VAL_BOOL && omitted.b;
	struct err err;

	if (gone || !val_exists(got)) {
		if (gone == val_exists(got))
			verdict_fail(v, gone ? STR("omitted") : STR("a value"), gone ? STR("a value") : STR("omitted"));
		return;
	}
	if (json_encode(VAL_GET(line, "out"), JSON_GO, NULL, &want, &err) < 0 ||
	    json_encode(got, JSON_GO, NULL, &text, &err) < 0)
		verdict_fail(v, STR("JSON"), str_from(err.msg));
	else
		verdict_text(v, buf_str(&want), buf_str(&text));
}

void judge_kubegen_lang(val line, struct verdict *v)
{
	struct limits limits = LIMITS_DEFAULT;
	val files = case_files(line, v->arena);
	struct kg_folder folder = memory_folder(&files);
	struct kg_eval e;
	struct err err;
	val got;

	kg_eval_init(&e, &folder, STR("module"), &limits, v->keys, &err);
	if (evaluate(&e, line, &got) < 0)
		expect_error(line, err.msg, v);
	else if (val_exists(VAL_GET(line, "error")))
		verdict_fail(v, val_str(VAL_GET(line, "error")), STR("no error"));
	else
		expect_value(line, got, v);
	kg_eval_done(&e);
}

/* ---- module-errors ---- */

void judge_kubegen_module_errors(val line, struct verdict *v)
{
	struct limits limits = LIMITS_DEFAULT;
	val files = case_files(line, v->arena);
	struct kg_folder folder = memory_folder(&files);
	val parameters = VAL_GET(line, "parameters");
	struct kg_given *given = arena_array(v->arena, val_count(parameters), sizeof(*given));
	struct kg_instance instance = { .name = STR("case"),
					.source_dir = STR("module"),
					.path = STR("module"),
					.given = given,
					.n_given = val_count(parameters) };
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	struct err err;

	for (uint32_t i = 0; i < val_count(parameters); i++)
		given[i] = (struct kg_given){ .name = key_str(parameters.members[i].key),
					      .value = parameters.members[i].value,
					      .at = kg_place_root(v->arena, STR("parameters"), STR("")) };
	if (kg_module_generate(&instance, &folder, &limits, v->keys, &m, &err) == 0)
		verdict_fail(v, val_str(VAL_GET(line, "error")), STR("no error"));
	else
		expect_error(line, err.msg, v);
}
