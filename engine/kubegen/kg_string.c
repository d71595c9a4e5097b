/* Runs the macros that make text. */
#include "go/base64.h"
#include "kubegen/kg_internal.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>

/* Make @out a text of the evaluation. */
static int take_text(struct kg_eval *e, const struct buf *out, const struct kg_place *at, val *ret)
{
	str text;
	int r;

	if (out->error == -ENOMEM)
		return kg_nomem(e);
	r = kg_spend(e, at, 0, out->error ? SIZE_MAX : out->n);
	if (r < 0)
		return r;
	text = arena_str(&e->arena, buf_str(out));
	if (!text.p)
		return kg_nomem(e);
	*ret = val_string(text);
	return 0;
}

int kg_json(struct kg_eval *e, val v, struct buf *out, const struct kg_place *at)
{
	struct err why;
	int r = json_encode(v, JSON_GO, NULL, out, &why);

	if (r == 0 || out->error)
		return 0;
	return r == -ENOMEM ? kg_nomem(e) : kg_error(e, at, "%s", why.msg);
}

static int yaml(struct kg_eval *e, val v, struct buf *out, const struct kg_place *at)
{
	struct err why;
	int r = yaml_encode(v, out, &why);

	if (r == 0 || out->error)
		return 0;
	return r == -ENOMEM ? kg_nomem(e) : kg_error(e, at, "%s", why.msg);
}

static int join(struct kg_eval *e, const struct kg_macro *m, val list, struct buf *out, const struct kg_place *at)
{
	int r = kg_expect(e, list, KG_ARRAY, m->key, at);

	for (uint32_t i = 0; r == 0 && i < list.n; i++) {
		val v = list.items[i];
		enum kg_type type = kg_type_of(v);

		if (type == KG_STRING)
			buf_add_str(out, val_str(v));
		else if (type == KG_NUMBER || type == KG_BOOLEAN)
			r = kg_json(e, v, out, at);
		else
			r = kg_error(e, at, "cannot join a value of type %s", kg_type_name(type));
	}
	return r;
}

int kg_base64(struct kg_eval *e, str bytes, const struct kg_place *at, val *ret)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(e->limits->file_bytes);

	go_base64_encode(&out, bytes);
	return take_text(e, &out, at, ret);
}

static int as_base64(struct kg_eval *e, val v, const struct kg_place *at, val *ret)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(e->limits->file_bytes);
	int r;

	if (val_is_string(v))
		return kg_base64(e, val_str(v), at, ret);
	r = kg_json(e, v, &json, at);
	if (r == 0)
		r = buf_error(&json, "JSON", e->err);
	return r < 0 ? r : kg_base64(e, buf_str(&json), at, ret);
}

int kg_string_run(struct kg_eval *e, const struct kg_macro *m, val arg, const struct kg_place *at, val *ret)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(e->limits->file_bytes);
	int r;

	if (m->kind == KG_AS_BASE64)
		return as_base64(e, arg, at, ret);
	if (m->kind == KG_JOIN)
		r = join(e, m, arg, &out, at);
	else
		r = m->kind == KG_AS_JSON ? kg_json(e, arg, &out, at) : yaml(e, arg, &out, at);
	return r < 0 ? r : take_text(e, &out, at, ret);
}
