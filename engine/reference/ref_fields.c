/* Loads the fields of a template that are compared by a function of their own. */
#include "base/nearest.h"
#include "base/number.h"
#include "go/quote.h"
#include "reference/go_decode.h"
#include "reference/ref_internal.h"
#include "text/path_to_list.h"

#include <errno.h>

#define TEXT_MAX (64u << 10)

/* A field as it is configured. Fields are sorted by path, and the last one with a path counts. */
struct field {
	str path;
	str function;
	val options; /* a list of the names of options */
};

static int collect(struct ref_loader *l, val list, struct field **ret, size_t *ret_n)
{
	struct field *fields = arena_array(&l->ref->arena, val_count(list), sizeof(*fields));
	size_t n = 0;

	if (!fields)
		return err_nomem(l->err);
	for (uint32_t i = 0; i < val_count(list); i++) {
		str path = val_str(VAL_GET(val_at(list, i), "pathToKey"));
		size_t at = n;

		while (at > 0 && str_cmp(fields[at - 1].path, path) >= 0)
			at--;
		if (at == n || !str_eq(fields[at].path, path)) {
			memmove(fields + at + 1, fields + at, (n - at) * sizeof(*fields));
			n++;
		}
		fields[at] = (struct field){ path, val_str(VAL_GET(val_at(list, i), "inlineDiffFunc")),
					     VAL_GET(val_at(list, i), "inlineDiffOptions") };
	}
	*ret = fields;
	*ret_n = n;
	return 0;
}

/* ---- the value in the template ---- */

static void keys_text(const str *keys, size_t n, struct buf *out)
{
	buf_add_byte(out, '.');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_byte(out, '.');
		buf_add_str(out, keys[i]);
	}
}

static bool is_digits(str s)
{
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');

	for (size_t i = sign; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return s.n > sign;
}

/* Go one step down. False: @why says what is in the way. *ret absent: there is nothing. */
static bool step(val v, const str *keys, size_t at, val *ret, struct buf *why)
{
	int64_t index;

	*ret = (val){ 0 };
	if (val_is_null(v))
		return true;
	if (val_is_map(v)) {
		*ret = val_get(v, keys[at]);
		return true;
	}
	keys_text(keys, at + 1, why);
	if (!val_is_list(v)) {
		buf_add_cstr(why, " accessor error: ");
		go_print(v, true, why);
		buf_printf(why, " is of the type %s, expected map[string]any or []any", go_type_name(v, true));
		return false;
	}
	if (!int64_parse(keys[at], &index) || index < 0) {
		buf_printf(why,
			   " accessor error: found slice but index %.*s could not be converted into an int: "
			   "strconv.Atoi: parsing ",
			   STR_ARG(keys[at]));
		go_quote(why, keys[at]);
		buf_add_cstr(why, is_digits(keys[at]) ? ": value out of range" : ": invalid syntax");
		return false;
	}
	buf_clear(why);
	*ret = index < v.n ? val_at(v, (uint32_t)index) : (val){ 0 };
	return true;
}

/* Find the text at @keys; *ret absent: there is nothing. False: @why says why there can be none. */
static bool find_text(val v, const str *keys, size_t n, val *ret, struct buf *why)
{
	for (size_t i = 0; i < n; i++) {
		val next;

		if (!step(v, keys, i, &next, why))
			return false;
		v = next;
		if (!val_exists(v))
			break;
	}
	*ret = v;
	if (!val_exists(v) || val_is_string(v))
		return true;
	keys_text(keys, n, why);
	buf_add_cstr(why, " accessor error: ");
	go_print(v, true, why);
	buf_printf(why, " is of the type %s, expected string", go_type_name(v, true));
	return false;
}

/* ---- options ---- */

static void bad_option(struct ref_loader *l, const struct field *f, uint32_t i, bool repeated)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(TEXT_MAX);
	str name = val_str(val_at(f->options, i));
	struct nearest nearest = { 0 };

	go_quote(&quoted, name);
	for (size_t k = 0; inline_option_name(k).p && !repeated; k++)
		nearest_offer(&nearest, name, inline_option_name(k));
	ref_mistake(
		l, name,
		"reference contains template with config per field with inlineDiffOptions that are not valid. path: "
		"%.*s. error: inlineDiffOptions[%u] %s option %.*s%s",
		STR_ARG(f->path), i, repeated ? "duplicates" : "has unknown", STR_ARG(buf_str(&quoted)),
		nearest_hint(&nearest));
}

/* Read the options of a field, and report the first mistake in them. */
static unsigned read_options(struct ref_loader *l, const struct field *f)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < val_count(f->options); i++) {
		unsigned bit = inline_option_find(val_str(val_at(f->options, i)));

		if (!bit || (found & bit)) {
			bad_option(l, f, i, bit != 0);
			return found;
		}
		found |= bit;
	}
	return found;
}

/* ---- checking ---- */

/* Report a mistake in the value of the field when the template is rendered without an object. It is no mistake when
 * the value is missing, because it may depend on the object. */
static int check_value(struct ref_loader *l, const struct field *f, const struct inline_field *field, const str *keys,
		       size_t n, val rendered)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(TEXT_MAX);
	CLEANUP(buf_done) struct buf value = BUF_INIT(l->o->limits->template_output_bytes);
	val v;
	int r;

	if (!find_text(rendered, keys, n, &v, &why)) {
		if (why.error == -ENOMEM)
			return err_nomem(l->err);
		ref_mistake(l, f->path, "%.*s", STR_ARG(buf_str(&why)));
		return 0;
	}
	if (!val_exists(v))
		return 0;
	inline_leave_out(val_str(v), field->options, &value);
	r = buf_error(&value, "a value", l->err);
	if (r == 0)
		r = inline_validate(field->func, buf_str(&value), l->o->limits, &why, l->err);
	if (r == 0 && why.error == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0 || (!why.n && !why.error))
		return r;
	ref_mistake(l, f->path,
		    "reference contains template with config per field with InlineDiffFunc that fails validation. "
		    "InlineDiffFunc: "
		    "%.*s. error: %.*s",
		    STR_ARG(f->function), STR_ARG(buf_str(&why)));
	return 0;
}

static int check(struct ref_loader *l, const struct field *f, val rendered, struct inline_field *field)
{
	str *keys = NULL;
	size_t n = 0;
	struct err e;
	int r = path_to_list(f->path, &l->ref->arena, &keys, &n, &e);

	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0) {
		ref_mistake(l, f->path,
			    "reference contains template with config per field with pathToKey that is not in "
			    "supoorted format. "
			    "path: %.*s. error: %s",
			    STR_ARG(f->path), e.msg);
		return 0;
	}
	field->options = read_options(l, f);
	if (!inline_func_from_name(f->function, &field->func)) {
		ref_mistake(
			l, f->function,
			"reference contains template with config per field with InlineDiffFunc that does not exist. "
			"InlineDiffFunc: %.*s",
			STR_ARG(f->function));
		return 0;
	}
	return check_value(l, f, field, keys, n, rendered);
}

int ref_load_fields(struct ref_loader *l, struct ref_template *t, val per_field, val rendered)
{
	struct inline_field *list;
	struct field *fields = NULL;
	size_t n = 0;
	int r = collect(l, per_field, &fields, &n);

	if (r < 0)
		return r;
	list = arena_array(&l->ref->arena, n, sizeof(*list));
	if (!list)
		return err_nomem(l->err);
	for (size_t i = 0; i < n && r == 0; i++) {
		list[i] = (struct inline_field){ .path = fields[i].path };
		r = check(l, &fields[i], rendered, &list[i]);
	}
	t->text->per_field = list;
	t->text->n_per_field = n;
	return r;
}
