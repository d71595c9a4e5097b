/* The functions that convert values to YAML and JSON, and back. */
#include "template/fn/fn.h"
#include "template/fn/json.h"
#include "template/fn/toml.h"

#include "base/utf8.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>

/* ---- out ---- */

/* Convert a value for the encoders; -EINVAL with the reason in @err. */
static int as_val(struct tmpl_call *c, tval v, val *ret, struct err *err)
{
	const char *why;
	int r;

	if (tval_to_val(c->mem, v, ret, &why))
		return 0;
	if (why)
		return err_set(err, EINVAL, "json: %s", why);
	r = tmpl_nomem(c);
	*err = *c->err;
	return r;
}

static int encode(struct tmpl_call *c, tval v, enum json_style style, const char *indent, struct buf *out,
		  struct err *err)
{
	val plain;
	int r = as_val(c, v, &plain, err);

	return r < 0 ? r : json_encode(plain, style, indent, out, err);
}

/* Ignore a value that cannot be encoded, as toJson and toYaml do: the text is then empty. Exceeded limits and lack
 * of memory are not ignored. */
static int swallow(struct tmpl_call *c, int r, const struct err *err, struct buf *out)
{
	if (r == -ENOMEM || r == -E2BIG) {
		*c->err = *err;
		return r;
	}
	if (r < 0)
		buf_truncate(out, 0);
	return 0;
}

static int fn_to_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct err err;
	int r = swallow(c, encode(c, args[0], JSON_GO, NULL, &out, &err), &err, &out);

	(void)n;
	return r < 0 ? r : tmpl_ret_buf(c, &out, ret);
}

/* Whether all text is UTF-8. Go's YAML is made from JSON, where other bytes become U+FFFD; only texts made by the
 * template can have any. */
static bool is_utf8(val v)
{
	bool ok = !val_is_string(v) || utf8_valid(val_str(v));

	for (uint32_t i = 0; ok && val_is_list(v) && i < v.n; i++)
		ok = is_utf8(v.items[i]);
	for (uint32_t i = 0; ok && val_is_map(v) && i < v.n; i++)
		ok = utf8_valid(key_str(v.members[i].key)) && is_utf8(v.members[i].value);
	return ok;
}

static int through_json(struct tmpl_call *c, val *v, struct err *err)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	struct json_options o = { .limits = c->limits };
	size_t used;
	int r = json_encode(*v, JSON_GO, NULL, &text, err);

	return r < 0 ? r : json_decode_value(buf_str(&text), &o, &c->mem->arena, v, &used, err);
}

static int fn_to_yaml(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct err err;
	val plain;
	int r = as_val(c, args[0], &plain, &err);

	(void)n;
	if (r == 0 && !is_utf8(plain))
		r = through_json(c, &plain, &err);
	if (r == 0)
		r = yaml_encode(plain, &out, &err);
	r = swallow(c, r, &err, &out);
	if (r < 0)
		return r;
	if (out.n > 0 && out.p[out.n - 1] == '\n')
		buf_truncate(&out, out.n - 1);
	return tmpl_ret_buf(c, &out, ret);
}

/* The form of another JSON function: how it writes, and what happens when it fails. */
struct json_form {
	const char *indent;
	bool raw;  /* <, > and & are not escaped */
	bool must; /* a failure is an error */
};

/* Undo the escapes that only HTML needs. */
static void unescape_html(struct buf *text)
{
	size_t n = 0, i = 0;

	while (i < text->n) {
		str rest = { text->p + i, text->n - i };
		char ch = str_has_prefix(rest, STR("\\u003c"))   ? '<'
			  : str_has_prefix(rest, STR("\\u003e")) ? '>'
			  : str_has_prefix(rest, STR("\\u0026")) ? '&'
								 : '\0';

		if (ch) {
			text->p[n++] = ch;
			i += 6;
		} else {
			if (rest.p[0] == '\\' && rest.n > 1)
				text->p[n++] = text->p[i++];
			text->p[n++] = text->p[i++];
		}
	}
	buf_truncate(text, n);
}

static int to_json(struct tmpl_call *c, tval v, struct json_form form, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	struct err err;
	int r = encode(c, v, JSON_GO, form.indent, &out, &err);

	if (r == -EINVAL && form.must)
		return tmpl_fail(c, "%s", err.msg);
	r = swallow(c, r, &err, &out);
	if (r < 0)
		return r;
	if (form.raw)
		unescape_html(&out);
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_must_to_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_json(c, args[0], (struct json_form){ .must = true }, ret);
}

static int fn_to_pretty_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_json(c, args[0], (struct json_form){ .indent = "  " }, ret);
}

static int fn_must_to_pretty_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_json(c, args[0], (struct json_form){ .indent = "  ", .must = true }, ret);
}

static int fn_to_raw_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return to_json(c, args[0], (struct json_form){ .raw = true, .must = true }, ret);
}

/* ---- in: a failure is a value, {"Error": text} or [text] ---- */

static int error_value(struct tmpl_call *c, const struct ttype *type, const char *before, const char *text, tval *ret)
{
	str message = arena_printf(&c->mem->arena, "%s%s", before, text);
	tval *items;

	if (!message.p)
		return tmpl_nomem(c);
	if (type == &tt_map) {
		tval map = tmap_new(c->mem, &tt_map);

		if (!map.type || tmap_set(c->mem, map, STR("Error"), tval_string(message)) < 0)
			return tmpl_nomem(c);
		*ret = map;
		return 0;
	}
	items = tmpl_items(c, 1);
	if (!items)
		return tmpl_nomem(c);
	items[0] = tval_boxed(tval_string(message));
	*ret = tval_slice(&tt_list, items, 1);
	return 0;
}

static const char *json_name(val v)
{
	return val_is_map(v)      ? "object"
	       : val_is_list(v)   ? "array"
	       : val_is_string(v) ? "string"
	       : val_is_number(v) ? "number"
				  : "bool";
}

/* The value that json.Unmarshal makes of @v for a variable of @type. @v is in the arena. */
static int decoded(struct tmpl_call *c, const struct ttype *type, val v, const char *before, tval *ret)
{
	val *slot;
	char text[128];

	if (val_is_null(v)) {
		*ret = tval_nil_of(type);
		return 0;
	}
	if (type == &tt_map ? !val_is_map(v) : !val_is_list(v)) {
		(void)snprintf(text, sizeof(text), "json: cannot unmarshal %s into Go value of type %s", json_name(v),
			       type->name);
		return error_value(c, type, before, text, ret);
	}
	slot = arena_alloc(&c->mem->arena, sizeof(*slot));
	if (!slot)
		return tmpl_nomem(c);
	*slot = v;
	*ret = tval_of(slot, false);
	return 0;
}

static int from_yaml(struct tmpl_call *c, str text, const struct ttype *type, tval *ret)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct yaml_options o = { .limits = c->limits, .numbers_as_double = true };
	struct err err;
	val copy;
	int r = tmpl_spend(c, text.n);

	if (r < 0)
		return r;
	r = yaml_decode(text, &o, &doc, &err);
	if (r == -EBADMSG || r == -EINVAL)
		return error_value(c, type, "error converting YAML to JSON: ", err.msg, ret);
	if (r < 0) {
		*c->err = err;
		return r;
	}
	if (val_is_null(doc->root)) {
		*ret = type == &tt_map ? tmap_new(c->mem, type) : tval_slice(type, NULL, 0);
		return ret->type ? 0 : tmpl_nomem(c);
	}
	copy = val_copy(&c->mem->arena, NULL, doc->root);
	if (!val_exists(copy))
		return tmpl_nomem(c);
	return decoded(c, type, copy, "error unmarshaling JSON: while decoding JSON: ", ret);
}

static int fn_from_yaml(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return from_yaml(c, args[0].s, &tt_map, ret);
}

static int fn_from_yaml_array(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return from_yaml(c, args[0].s, &tt_list, ret);
}

static int from_json(struct tmpl_call *c, str text, const struct ttype *type, tval *ret)
{
	str error;
	val v;
	int r = fn_json_decode(c, text, &v, &error);

	if (r < 0)
		return r;
	if (error.p && (!val_exists(v) || (type == &tt_list && val_is_list(v))))
		return error_value(c, type, "", error.p, ret);
	/* At the top, the type of a number is checked before its range. */
	if (error.p && val_is_null(v))
		v = val_double(0);
	r = decoded(c, type, v, "", ret);
	/* After a number out of range the map is returned without it, beside the error. */
	if (r == 0 && error.p && type == &tt_map && val_is_map(v) &&
	    tmap_set(c->mem, *ret, STR("Error"), tval_string(error)) < 0)
		r = tmpl_nomem(c);
	return r;
}

static int fn_must_from_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	val *slot = arena_alloc(&c->mem->arena, sizeof(*slot));
	str error;
	int r = slot ? fn_json_decode(c, args[0].s, slot, &error) : tmpl_nomem(c);

	(void)n;
	if (r < 0)
		return r;
	if (error.p)
		return tmpl_fail_str(c, error);
	*ret = tval_of(slot, false);
	return 0;
}

static int fn_from_json(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return from_json(c, args[0].s, &tt_map, ret);
}

static int fn_from_json_array(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return from_json(c, args[0].s, &tt_list, ret);
}

static const struct tmpl_fn rows[] = {
	{ "fromJson",
	  fn_from_json,
	  { &tt_string },
	  false,
	  &tt_map,
	  "a map from JSON; with the key Error on bad input" },
	{ "fromJsonArray",
	  fn_from_json_array,
	  { &tt_string },
	  false,
	  &tt_list,
	  "a list from JSON; of the error text on bad input" },
	{ "fromYaml",
	  fn_from_yaml,
	  { &tt_string },
	  false,
	  &tt_map,
	  "a map from YAML; with the key Error on bad input" },
	{ "fromYamlArray",
	  fn_from_yaml_array,
	  { &tt_string },
	  false,
	  &tt_list,
	  "a list from YAML; of the error text on bad input" },
	{ "mustFromJson", fn_must_from_json, { &tt_string }, false, &tt_any, "any value from JSON" },
	{ "mustToJson", fn_must_to_json, { &tt_any }, false, &tt_string, "the value as JSON" },
	{ "mustToPrettyJson", fn_must_to_pretty_json, { &tt_any }, false, &tt_string, "the value as JSON in lines" },
	{ "mustToRawJson", fn_to_raw_json, { &tt_any }, false, &tt_string, "as toRawJson" },
	{ "toJson", fn_to_json, { &tt_any }, false, &tt_string, "the value as JSON; empty when it has none" },
	{ "toPrettyJson",
	  fn_to_pretty_json,
	  { &tt_any },
	  false,
	  &tt_string,
	  "the value as JSON in lines; empty when it has none" },
	{ "toRawJson",
	  fn_to_raw_json,
	  { &tt_any },
	  false,
	  &tt_string,
	  "the value as JSON, with <, > and & as they are" },
	{ "toToml", run_to_toml, { &tt_any }, false, &tt_string, "the value as TOML, or the text of the error" },
	{ "toYaml",
	  fn_to_yaml,
	  { &tt_any },
	  false,
	  &tt_string,
	  "the value as YAML without the last newline; empty when it has none" },
};
TMPL_FN_FAMILY(fn_data, rows);
