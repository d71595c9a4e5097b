/* Decodes documents by tables of fields, with the messages of encoding/json. */
#include "reference/go_decode.h"

#include "base/err.h"
#include "go/quote.h"
#include "go/strconv.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

#define GO_PATH_MAX 32 /* fields from the root: schemas are not recursive */

const struct go_type go_string = { .kind = GO_STRING, .name = "string" };
const struct go_type go_bool = { .kind = GO_BOOL, .name = "bool" };
const struct go_type go_int = { .kind = GO_INT, .name = "int64" };
const struct go_type go_any = { .kind = GO_ANY, .name = "interface {}" };
const struct go_type go_string_slice = { .kind = GO_SLICE, .name = "[]string", .elem = &go_string };
const struct go_type go_string_map = { .kind = GO_MAP, .name = "map[string]string", .elem = &go_string };
const struct go_type go_object = { .kind = GO_MAP, .name = "map[string]interface {}", .elem = &go_any };

struct decoder {
	const struct go_decode_options *o;
	struct arena *arena;
	struct buf *message;         /* the first mistake; empty: none so far */
	const char *at[GO_PATH_MAX]; /* names of the fields from the root */
	size_t depth;
	str key;               /* the key of the document that is being decoded */
	const char *in_struct; /* label of the innermost struct, NULL at the root */
	const char *opaque_struct;
	bool no_memory;
};

static bool decode(struct decoder *d, val in, const struct go_type *t, bool as_text, val *ret);

const char *go_json_kind(val v)
{
	switch (v.kind) {
	case VAL_NULL:
		return "null";
	case VAL_BOOL:
		return "bool";
	case VAL_STRING:
		return "string";
	case VAL_LIST:
		return "array";
	case VAL_MAP:
		return "object";
	default:
		return "number";
	}
}

const char *go_type_name(val v, bool floats)
{
	switch (v.kind) {
	case VAL_BOOL:
		return "bool";
	case VAL_INT:
		return floats ? "float64" : "int64";
	case VAL_UINT:
	case VAL_DOUBLE:
		return "float64";
	case VAL_STRING:
		return "string";
	case VAL_LIST:
		return "[]interface {}";
	case VAL_MAP:
		return "map[string]interface {}";
	default:
		return "<nil>";
	}
}

/* ---- texts of scalars ---- */

void go_print(val v, bool floats, struct buf *out)
{
	switch (v.kind) {
	case VAL_BOOL:
		buf_add_cstr(out, v.b ? "true" : "false");
		break;
	case VAL_INT:
		if (floats)
			go_format_float(out, (double)v.i, 'g', -1);
		else
			buf_printf(out, "%lld", (long long)v.i);
		break;
	case VAL_UINT:
		go_format_float(out, (double)v.u, 'g', -1);
		break;
	case VAL_DOUBLE:
		go_format_float(out, v.d, 'g', -1);
		break;
	case VAL_STRING:
		buf_add_str(out, val_str(v));
		break;
	case VAL_LIST:
		buf_add_byte(out, '[');
		for (uint32_t i = 0; i < v.n; i++) {
			if (i)
				buf_add_byte(out, ' ');
			go_print(v.items[i], floats, out); /* the recursion is as deep as the document */
		}
		buf_add_byte(out, ']');
		break;
	case VAL_MAP:
		buf_add_cstr(out, "map[");
		for (uint32_t i = 0; i < v.n; i++) {
			if (i)
				buf_add_byte(out, ' ');
			buf_add_str(out, key_str(v.members[i].key));
			buf_add_byte(out, ':');
			go_print(v.members[i].value, floats, out);
		}
		buf_add_byte(out, ']');
		break;
	default:
		buf_add_cstr(out, "<nil>");
	}
}

/* ---- decoding ---- */

static bool fail_nomem(struct decoder *d)
{
	d->no_memory = true;
	return false;
}

static void note_place(struct decoder *d, str key)
{
	if (d->o->mistake)
		*d->o->mistake = key;
}

/* Report a value of the wrong type. Only the first mistake is kept, and decoding goes on, as encoding/json does. */
static void wrong_type(struct decoder *d, val in, const struct go_type *t)
{
	const char *in_struct = d->opaque_struct ? d->opaque_struct : d->in_struct;

	if (d->message->n)
		return;
	note_place(d, d->key);
	buf_printf(d->message, "json: cannot unmarshal %s into Go ", go_json_kind(in));
	if (!in_struct) {
		buf_printf(d->message, "value of type %s", t->name);
		return;
	}
	buf_printf(d->message, "struct field %s", in_struct);
	for (size_t i = 0; i < d->depth; i++)
		buf_printf(d->message, ".%s", d->at[i]);
	buf_printf(d->message, " of type %s", t->name);
}

static const struct go_field *find_field(const struct decoder *d, const struct go_type *t, str name)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		if (str_eq(name, str_from(t->fields[i].name)))
			return &t->fields[i];
	}
	for (size_t i = 0; i < t->n_fields && !d->o->case_sensitive; i++) {
		if (str_eq_nocase(name, str_from(t->fields[i].name)))
			return &t->fields[i];
	}
	return NULL;
}

static bool decode_field(struct decoder *d, const struct go_type *t, const struct go_field *f, val in, bool as_text,
			 val *ret)
{
	const char *outer = d->in_struct;
	size_t depth = d->depth;
	bool ok;

	if (depth + 2 > GO_PATH_MAX)
		return fail_nomem(d);
	if (f->embedded)
		d->at[d->depth++] = f->embedded;
	d->at[d->depth++] = f->name;
	d->in_struct = t->label;
	/* sigs.k8s.io/yaml looks for the target of a promoted field in the embedded struct, where it finds no
	 * string. */
	ok = decode(d, in, f->type, as_text && !f->promoted, ret);
	d->depth = depth;
	d->in_struct = outer;
	return ok;
}

static bool decode_struct(struct decoder *d, val in, const struct go_type *t, bool as_text, val *ret)
{
	struct member *members = arena_array(d->arena, in.n, sizeof(*members));
	bool strict = d->o->strict && !d->opaque_struct;
	size_t n = 0;

	if (!members)
		return fail_nomem(d);
	for (uint32_t i = 0; i < in.n; i++) {
		str name = key_str(in.members[i].key);
		const struct go_field *f = find_field(d, t, name);
		val v = { 0 };

		if (!f) {
			if (!strict && d->o->unknown)
				d->o->unknown(d->o->ctx, name, t);
			if (strict && !d->message->n) {
				note_place(d, name);
				buf_add_cstr(d->message, "json: unknown field ");
				go_quote(d->message, name);
			}
			continue;
		}
		d->key = name;
		if (!decode_field(d, t, f, in.members[i].value, as_text, &v))
			return false;
		if (!val_exists(v))
			continue;
		members[n].key = key_make(NULL, d->arena, str_from(f->name));
		if (!members[n].key)
			return fail_nomem(d);
		members[n++].value = v;
	}
	*ret = val_map(d->arena, members, n);
	return val_exists(*ret) || fail_nomem(d);
}

static bool decode_slice(struct decoder *d, val in, const struct go_type *t, bool as_text, val *ret)
{
	val *items = arena_array(d->arena, in.n, sizeof(*items));

	if (!items)
		return fail_nomem(d);
	for (uint32_t i = 0; i < in.n; i++) {
		items[i] = val_null();
		if (!decode(d, in.items[i], t->elem, as_text, &items[i]))
			return false;
	}
	*ret = (val){ .kind = VAL_LIST, .n = in.n, .items = items };
	return true;
}

static bool decode_map(struct decoder *d, val in, const struct go_type *t, bool as_text, val *ret)
{
	struct member *members = arena_array(d->arena, in.n, sizeof(*members));

	if (!members)
		return fail_nomem(d);
	for (uint32_t i = 0; i < in.n; i++) {
		members[i] = (struct member){ in.members[i].key, val_null() };
		d->key = key_str(in.members[i].key);
		if (!decode(d, in.members[i].value, t->elem, as_text, &members[i].value))
			return false;
	}
	*ret = val_map_sorted(members, in.n);
	return true;
}

/* Decode an opaque value. A mistake inside it ends the whole decoding, and is named after the struct that contains
 * the value. */
static bool decode_opaque(struct decoder *d, val in, const struct go_type *t, val *ret)
{
	const char *outer = d->opaque_struct;
	struct buf kept = *d->message;
	bool ok;

	d->opaque_struct = d->in_struct;
	*d->message = BUF_INIT(kept.max);
	ok = decode(d, in, t->elem, false, ret);
	d->opaque_struct = outer;
	if (d->message->error == -ENOMEM)
		ok = fail_nomem(d);
	if (!ok || !d->message->n) {
		buf_done(d->message);
		*d->message = kept;
		return ok;
	}
	buf_done(&kept);
	return false;
}

/* Make the text that a scalar of YAML becomes where a string is wanted. */
static bool decode_text(struct decoder *d, val in, val *ret)
{
	struct buf text = BUF_INIT(64);
	str s;

	if (in.kind == VAL_DOUBLE)
		go_format_float32(&text, in.d);
	else if (in.kind == VAL_UINT)
		buf_printf(&text, "%llu", (unsigned long long)in.u);
	else
		go_print(in, false, &text);
	s = text.error ? (str){ NULL, 0 } : arena_str(d->arena, buf_str(&text));
	buf_done(&text);
	if (!s.p)
		return fail_nomem(d);
	*ret = val_string(s);
	return true;
}

static bool kind_fits(const struct go_type *t, val in)
{
	switch (t->kind) {
	case GO_STRING:
		return val_is_string(in);
	case GO_BOOL:
		return in.kind == VAL_BOOL;
	case GO_INT:
		return in.kind == VAL_INT;
	case GO_SLICE:
		return val_is_list(in);
	case GO_STRUCT:
	case GO_MAP:
		return val_is_map(in);
	default:
		return true;
	}
}

/* Decode a value. False: decoding ends, for one of the reasons in @d. *ret stays unchanged for null, and for values
 * of the wrong type. */
static bool decode(struct decoder *d, val in, const struct go_type *t, bool as_text, val *ret)
{
	if (t->kind == GO_OPAQUE)
		return decode_opaque(d, in, t, ret);
	if (val_is_null(in))
		return true;
	if (t->kind == GO_STRING && as_text && (val_is_number(in) || in.kind == VAL_BOOL))
		return decode_text(d, in, ret);
	if (!kind_fits(t, in)) {
		wrong_type(d, in, t);
		return true;
	}
	switch (t->kind) {
	case GO_STRUCT:
		return decode_struct(d, in, t, as_text, ret);
	case GO_SLICE:
		return decode_slice(d, in, t, as_text, ret);
	case GO_MAP:
		return decode_map(d, in, t, as_text, ret);
	default:
		*ret = in;
		return true;
	}
}

int go_decode(val in, const struct go_type *type, const struct go_decode_options *o, struct arena *a, val *ret,
	      struct buf *message, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);
	struct decoder d = { .o = o, .arena = a, .message = &text };
	val v = { 0 };
	bool ok = decode(&d, in, type, o->from_yaml, &v);

	if (d.no_memory || text.error == -ENOMEM)
		return err_nomem(err);
	if (!ok || text.n) {
		if (message)
			buf_add_str(message, buf_str(&text));
		if (message && message->error == -ENOMEM)
			return err_nomem(err);
		return err_set(err, EINVAL, "%.*s", STR_ARG(buf_str(&text)));
	}
	*ret = val_exists(v) ? v : val_null();
	return 0;
}

/* ---- encoding ---- */

static bool is_empty(val v)
{
	switch (v.kind) {
	case VAL_ABSENT:
	case VAL_NULL:
		return true;
	case VAL_BOOL:
		return !v.b;
	case VAL_INT:
		return v.i == 0;
	case VAL_STRING:
	case VAL_LIST:
	case VAL_MAP:
		return v.n == 0;
	default:
		return false;
	}
}

static bool any_promoted(val v, const struct go_type *t)
{
	for (size_t i = 0; i < t->n_fields; i++) {
		if (t->fields[i].promoted && val_exists(val_get(v, str_from(t->fields[i].name))))
			return true;
	}
	return false;
}

static val encode_struct(val v, const struct go_type *t, struct arena *a)
{
	struct member *members = arena_array(a, t->n_fields, sizeof(*members));
	bool promoted = any_promoted(v, t);
	size_t n = 0;

	if (!members)
		return (val){ 0 };
	for (size_t i = 0; i < t->n_fields; i++) {
		const struct go_field *f = &t->fields[i];
		val value = val_get(v, str_from(f->name));
		bool is_struct = (f->type->kind == GO_STRUCT || f->type->kind == GO_OPAQUE) && !f->pointer;

		if ((f->promoted && !promoted) || (f->omitempty && !is_struct && is_empty(value)))
			continue;
		members[n].key = key_make(NULL, a, str_from(f->name));
		members[n].value = f->pointer && !val_exists(value) ? val_null() : go_encode(value, f->type, a);
		if (!members[n].key || !val_exists(members[n].value))
			return (val){ 0 };
		n++;
	}
	return val_map(a, members, n);
}

static val encode_slice(val v, const struct go_type *t, struct arena *a)
{
	val *items = arena_array(a, v.n, sizeof(*items));

	if (!items)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		items[i] = val_is_null(v.items[i]) ? v.items[i] : go_encode(v.items[i], t->elem, a);
		if (!val_exists(items[i]))
			return (val){ 0 };
	}
	return (val){ .kind = VAL_LIST, .n = v.n, .items = items };
}

static val encode_map(val v, const struct go_type *t, struct arena *a)
{
	struct member *members = arena_array(a, v.n, sizeof(*members));

	if (!members)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		val value = v.members[i].value;

		members[i] =
			(struct member){ v.members[i].key, val_is_null(value) ? value : go_encode(value, t->elem, a) };
		if (!val_exists(members[i].value))
			return (val){ 0 };
	}
	return val_map_sorted(members, v.n);
}

val go_encode(val v, const struct go_type *t, struct arena *a)
{
	bool set = val_exists(v) && !val_is_null(v);

	switch (t->kind) {
	case GO_STRING:
		return set ? v : val_string(STR(""));
	case GO_BOOL:
		return set ? v : val_bool(false);
	case GO_INT:
		return set ? v : val_int(0);
	case GO_STRUCT:
		return encode_struct(v, t, a);
	case GO_SLICE:
		return set ? encode_slice(v, t, a) : val_null();
	case GO_MAP:
		return set ? encode_map(v, t, a) : val_null();
	case GO_OPAQUE: /* the fields of the structure are not exported */
		return val_map_sorted(NULL, 0);
	default:
		return set ? v : val_null();
	}
}
