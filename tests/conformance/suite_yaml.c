/* text/yaml_parse and text/yaml_emit: the README of the text corpora tells the fields. */
#include "suites.h"

#include "value/json.h"
#include "value/yaml.h"

#include <stdio.h>

#define OUT_MAX (64u << 20)

/* Whether @got is one of the strings of @list. */
static bool is_one_of(val list, str got)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		if (str_eq(val_str(val_at(list, i)), got))
			return true;
	}
	return false;
}

/* Judge a result against member @name, or <name>_any_of, or an expected error (@error_name and its any_of). */
static void judge_result(val line, const char *name, const char *error_name, int r, str text, const struct err *err,
			 struct verdict *v)
{
	val want = line_text(line, name, v), any, want_error, any_error;
	char key[64];

	(void)snprintf(key, sizeof(key), "%s_any_of", name);
	any = val_get(line, str_from(key));
	(void)snprintf(key, sizeof(key), "%s_any_of", error_name);
	any_error = val_get(line, str_from(key));
	want_error = val_get(line, str_from(error_name));
	if (val_exists(want_error) || val_exists(any_error)) {
		str got = str_from(err->msg);
		str expected = val_exists(want_error) ? val_str(want_error) : val_str(val_at(any_error, 0));

		if (r == 0)
			verdict_failf(v, expected, "%.*s", STR_ARG(text));
		else
			verdict_error_text(v, is_one_of(any_error, got) ? got : expected, got);
	} else if (r < 0) {
		verdict_failf(v, val_exists(any) ? val_str(val_at(any, 0)) : val_str(want), "error: %s", err->msg);
	} else if (!is_one_of(any, text)) {
		verdict_text(v, val_exists(any) ? val_str(val_at(any, 0)) : val_str(want), text);
	}
}

static int to_json(str text, bool strict, struct buf *out, struct verdict *v, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct yaml_options o = { .limits = v->limits, .keys = v->keys, .strict = strict };
	int r = yaml_decode(text, &o, &doc, err);

	if (r == 0)
		r = json_encode(doc->root, JSON_GO, NULL, out, err);
	return r < 0 ? r : buf_error(out, "JSON", err);
}

/* yaml.Unmarshal into map[string]string; strings are left out. */
static void judge_string_map(val line, str text, struct verdict *v)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	struct yaml_options o = { .limits = v->limits, .yaml_numbers = true };
	val want = VAL_GET(line, "string_map"), want_error = VAL_GET(line, "string_map_error");
	struct err err = { 0 };
	int r = yaml_decode(text, &o, &doc, &err);

	if (val_exists(want_error)) {
		if (r == 0) {
			verdict_fail(v, val_str(want_error), STR("no error"));
			return;
		}
		(void)err_wrap(&err, "error converting YAML to JSON");
		verdict_error_text(v, val_str(want_error), str_from(err.msg));
		return;
	}
	if (r < 0) {
		verdict_failf(v, STR("a map"), "error: %s", err.msg);
		return;
	}
	for (uint32_t i = 0; i < val_count(want); i++) {
		const struct member *m = &want.members[i];
		val got = val_get_key(doc->root, m->key);

		buf_clear(&out);
		if (!yaml_scalar_text(got, &out))
			verdict_failf(v, val_str(m->value), "a %s", val_kind_name(got));
		else
			verdict_text(v, val_str(m->value), buf_str(&out));
		if (v->outcome == FAILED)
			return;
	}
}

void judge_yaml_parse(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	str text = val_str(line_text(line, "yaml", v));
	struct err err = { 0 };
	bool strict_differs = val_exists(VAL_GET(line, "strict_error")) || val_exists(VAL_GET(line, "strict_json"));
	int r;

	if (val_exists(VAL_GET(line, "string_map")) || val_exists(VAL_GET(line, "string_map_error"))) {
		judge_string_map(line, text, v);
		return;
	}
	r = to_json(text, false, &out, v, &err);
	judge_result(line, "json", "error", r, buf_str(&out), &err, v);
	if (v->outcome == FAILED)
		return;
	buf_clear(&out);
	r = to_json(text, true, &out, v, &err);
	judge_result(line, strict_differs ? "strict_json" : "json", strict_differs ? "strict_error" : "error", r,
		     buf_str(&out), &err, v);
}

/* @v with every integer as a double: how templates decode. */
static val all_double(val v, struct arena *a)
{
	val *items;
	struct member *members;

	if (v.kind == VAL_INT)
		return val_double((double)v.i);
	if (v.kind == VAL_LIST && v.n) {
		items = arena_array(a, v.n, sizeof(*items));
		for (uint32_t i = 0; items && i < v.n; i++)
			items[i] = all_double(v.items[i], a);
		return items ? val_list(a, items, v.n) : (val){ 0 };
	}
	if (v.kind == VAL_MAP && v.n) {
		members = arena_array(a, v.n, sizeof(*members));
		for (uint32_t i = 0; members && i < v.n; i++)
			members[i] = (struct member){ v.members[i].key, all_double(v.members[i].value, a) };
		return members ? val_map(a, members, v.n) : (val){ 0 };
	}
	return v;
}

static void judge_decode_error(val line, struct verdict *v)
{
	struct json_options o = { .limits = v->limits };
	struct err err = { 0 };
	val decoded;
	size_t used;

	if (json_decode_value(val_str(VAL_GET(line, "json_text")), &o, v->arena, &decoded, &used, &err) == 0)
		verdict_fail(v, val_str(VAL_GET(line, "decode_error")), STR("no error"));
	else
		verdict_error_text(v, val_str(VAL_GET(line, "decode_error")), str_from(err.msg));
}

void judge_yaml_emit(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	val json = VAL_GET(line, "json");
	bool doubles_differ =
		val_exists(VAL_GET(line, "yaml_all_float")) || val_exists(VAL_GET(line, "all_float_error"));
	struct err err = { 0 };
	int r;

	if (val_exists(VAL_GET(line, "decode_error"))) {
		judge_decode_error(line, v);
		return;
	}
	r = yaml_encode(json, &out, &err);
	judge_result(line, "yaml", "error", r, buf_str(&out), &err, v);
	if (v->outcome == FAILED)
		return;
	buf_clear(&out);
	r = yaml_encode(all_double(json, v->arena), &out, &err);
	judge_result(line, doubles_differ ? "yaml_all_float" : "yaml", doubles_differ ? "all_float_error" : "error", r,
		     buf_str(&out), &err, v);
}
