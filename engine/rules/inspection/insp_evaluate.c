/* Interpolates format strings, that is replaces their fields with values. */
#include "mask/mask.h"
#include "rules/inspection/insp_format.h"
#include "rules/inspection/insp_mask.h"
#include "rules/inspection/insp_python.h"
#include "rules/inspection/insp_value.h"

enum outcome { FOUND, MISSING, MALFORMED };

/* ---- names ---- */

int insp_see(struct insp_scope *s, struct insp_doc *d, val *ret, struct err *err)
{
	struct arena *arena = s->work->arena;
	int r = 0;

	if (s->masking && d->stale) {
		s->work->arena = s->kept;
		r = insp_masked(s->work, INSP_PLAIN, d->seen, &d->seen, err);
		s->work->arena = arena;
		d->stale = r < 0;
	}
	*ret = s->masked ? d->seen : d->real;
	return r;
}

/* Make the map from each kind to the list of the dependents of that kind, which keep their order. */
static int group_ports(struct insp_scope *s, val ports, struct err *err)
{
	struct arena *a = s->work->arena;
	val groups = val_map_sorted(NULL, 0);

	for (uint32_t i = 0; i < val_count(ports); i++) {
		val port = ports.items[i], kind = VAL_GET(port, "kind"), old = val_get(groups, val_str(kind)), list;
		int r = insp_spend(s->work, 1 + (uint64_t)val_count(old) + val_count(groups), err);
		const struct key *key = r == 0 ? key_make(NULL, a, val_str(kind)) : NULL;
		val *items = key ? arena_array(a, (size_t)val_count(old) + 1, sizeof(*items)) : NULL;

		if (r < 0)
			return r;
		if (!items)
			return arena_error(a, err);
		if (val_count(old))
			memcpy(items, old.items, old.n * sizeof(*items));
		items[val_count(old)] = port;
		list = (val){ .kind = VAL_LIST, .n = val_count(old) + 1, .items = items };
		groups = val_map_with(a, groups, key, list);
		if (!val_exists(groups))
			return arena_error(a, err);
	}
	s->groups = groups;
	s->groups_of = ports;
	return 0;
}

static int groups(struct insp_scope *s, val *ret, struct err *err)
{
	val ports;
	int r = insp_see(s, &s->ports, &ports, err);

	if (r == 0 && (!val_exists(s->groups) || s->groups_of.items != ports.items || s->groups_of.n != ports.n))
		r = group_ports(s, ports, err);
	if (r == 0)
		*ret = s->groups;
	return r;
}

/* Look up what a name stands for. *ret is VAL_ABSENT when the name does not exist here. */
static int look_up(struct insp_scope *s, enum insp_name name, val *ret, struct err *err)
{
	*ret = (val){ 0 };
	switch (name) {
	case INSP_NODE:
		return s->early ? 0 : insp_see(s, &s->node, ret, err);
	case INSP_PORTS:
		return s->early ? 0 : insp_see(s, &s->ports, ret, err);
	case INSP_PORT_GROUPS:
		return s->early ? 0 : groups(s, ret, err);
	case INSP_INVENTORY:
		return insp_see(s, &s->inventory, ret, err);
	case INSP_PLUGIN_DATA:
		return insp_see(s, &s->plugin_data, ret, err);
	case INSP_ITEM:
		*ret = s->item;
		break;
	case INSP_NAMES:
		break;
	}
	return 0;
}

/* ---- fields ---- */

/* Replace *v with the value one step below it. */
static enum outcome descend(const struct insp_accessor *at, val *v)
{
	val from = *v;

	if (at->malformed || from.kind < VAL_LIST || (from.kind == VAL_LIST && at->index < 0))
		return MALFORMED;
	if (from.kind == VAL_MAP)
		*v = val_get_key(from, at->key);
	else
		*v = at->index < (int64_t)from.n ? from.items[at->index] : (val){ 0 };
	return val_exists(*v) ? FOUND : MISSING;
}

/* The place that a step from @parent leads to. */
static struct mask_place place_below(const struct insp_scope *s, struct mask_place parent, val from,
				     const struct insp_accessor *at)
{
	const val none = { 0 };

	if (val_is_map(from))
		return mask_member(s->mask, parent, from, none, key_str(at->key));
	return mask_item(s->mask, parent, at->index > 0 ? from.items[at->index - 1] : none, none);
}

/* Mark what may not be shown of *v, which was read at @place. It may have been marked before. */
static int follow(struct insp_scope *s, struct mask_place place, val *v, struct err *err)
{
	int r = insp_spend(s->work, val_bytes(*v) / INSP_BYTES_A_STEP, err);

	if (r < 0)
		return r;
	if (!mask_mark(s->mask, place, s->work->arena, v))
		return arena_error(s->work->arena, err);
	s->secret |= mask_is_marked(*v);
	return 0;
}

static int resolve(struct insp_scope *s, const struct insp_field *f, enum outcome *outcome, val *ret, struct err *err)
{
	struct mask_place place = mask_root();
	int r = insp_spend(s->work, 1 + f->n_accessors, err);

	*outcome = MALFORMED;
	if (f->malformed || r < 0)
		return r;
	r = look_up(s, f->name, ret, err);
	*outcome = val_exists(*ret) ? FOUND : MISSING;
	for (size_t i = 0; r == 0 && *outcome == FOUND && i < f->n_accessors; i++) {
		val from = *ret;

		*outcome = descend(&f->accessors[i], ret);
		if (s->follows && *outcome == FOUND)
			place = place_below(s, place, from, &f->accessors[i]);
	}
	return r == 0 && s->follows && *outcome == FOUND ? follow(s, place, ret, err) : r;
}

static int add_string(struct insp_scope *s, const struct insp_string *string, struct buf *out, enum outcome *outcome,
		      struct err *err);

/* Convert a value as "!conversion" says. */
static int convert(struct insp_work *w, char conversion, val v, struct buf *out, enum outcome *outcome, struct err *err)
{
	if (conversion == 's')
		return py_text(w, v, out, err);
	if (conversion == 'r' || conversion == 'a')
		return py_repr(w, v, conversion == 'a', out, err);
	*outcome = MALFORMED;
	return 0;
}

static int add_formatted(struct insp_scope *s, val v, const struct insp_string *format, struct buf *out,
			 enum outcome *outcome, struct err *err)
{
	CLEANUP(buf_done) struct buf spec = BUF_INIT(out->max);
	int r = add_string(s, format, &spec, outcome, err);
	bool ok = true;

	if (r < 0 || *outcome != FOUND)
		return r;
	if (spec.n == 0)
		return py_text(s->work, v, out, err);
	r = insp_format(s->work, v, buf_str(&spec), out, &ok, err);
	if (!ok)
		*outcome = MALFORMED;
	return r;
}

static int add_field(struct insp_scope *s, const struct insp_field *f, struct buf *out, enum outcome *outcome,
		     struct err *err)
{
	val v;
	int r = resolve(s, f, outcome, &v, err);

	if (r < 0 || *outcome != FOUND)
		return r;
	if (f->conversion && f->format) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(out->max);

		r = convert(s->work, f->conversion, v, &text, outcome, err);
		if (r < 0 || *outcome != FOUND)
			return r;
		return add_formatted(s, val_string(buf_str(&text)), f->format, out, outcome, err);
	}
	if (f->conversion)
		return convert(s->work, f->conversion, v, out, outcome, err);
	return f->format ? add_formatted(s, v, f->format, out, outcome, err) : py_text(s->work, v, out, err);
}

/* ---- strings ---- */

static int add_string(struct insp_scope *s, const struct insp_string *string, struct buf *out, enum outcome *outcome,
		      struct err *err)
{
	int r = insp_spend(s->work, 1 + string->source.n / INSP_BYTES_A_STEP, err);

	*outcome = FOUND;
	for (size_t i = 0; r == 0 && *outcome == FOUND && i < string->n; i++) {
		if (string->parts[i].field)
			r = add_field(s, string->parts[i].field, out, outcome, err);
		else
			buf_add_str(out, string->parts[i].literal);
	}
	if (r == 0 && *outcome == FOUND && string->malformed)
		*outcome = MALFORMED;
	return r < 0 ? r : buf_error(out, "a text", err);
}

/* Make the text of a format string; if that fails, the text is its source. */
static int make_text(struct insp_scope *s, const struct insp_string *string, enum outcome *outcome, str *ret,
		     struct err *err)
{
	struct buf *out = &s->work->text;
	int r;

	buf_clear(out);
	r = add_string(s, string, out, outcome, err);
	if (r < 0)
		return r;
	*ret = *outcome == FOUND ? arena_str(s->work->arena, buf_str(out)) : string->source;
	return ret->p ? 0 : arena_error(s->work->arena, err);
}

static int evaluate_string(struct insp_scope *s, const struct insp_string *string, bool null_missing, val *ret,
			   struct err *err)
{
	enum outcome outcome = FOUND;
	str text = string->source;
	bool before = s->secret;
	int r;

	s->secret = false;
	if (insp_string_is_typed(string))
		r = resolve(s, string->parts[0].field, &outcome, ret, err);
	else
		r = make_text(s, string, &outcome, &text, err);
	if (r < 0)
		return r;
	if (outcome == MISSING && null_missing)
		*ret = val_null();
	else if (outcome != FOUND || !insp_string_is_typed(string))
		*ret = (val){ .kind = VAL_STRING, .secret = s->secret, .n = (uint32_t)text.n, .s = text.p };
	s->secret |= before;
	return 0;
}

/* ---- collections ---- */

static int evaluate_list(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret, struct err *err)
{
	val *items = arena_array(s->work->arena, v->n, sizeof(*items));
	int r = items ? insp_spend(s->work, v->n, err) : arena_error(s->work->arena, err);

	for (size_t i = 0; r == 0 && i < v->n; i++)
		r = insp_evaluate(s, &v->items[i], null_missing, &items[i], err);
	if (r == 0)
		*ret = (val){ .kind = VAL_LIST, .n = (uint32_t)v->n, .items = items };
	return r;
}

static int evaluate_member(struct insp_scope *s, const struct insp_member *m, bool null_missing, struct member *ret,
			   struct err *err)
{
	enum outcome outcome;
	str key;
	int r = make_text(s, &m->key, &outcome, &key, err);

	if (r < 0)
		return r;
	ret->key = key_make(NULL, s->work->arena, key);
	return ret->key ? insp_evaluate(s, &m->value, null_missing, &ret->value, err)
			: arena_error(s->work->arena, err);
}

static int evaluate_map(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret, struct err *err)
{
	struct member *members = arena_array(s->work->arena, v->n, sizeof(*members));
	int r = members ? insp_spend(s->work, v->n, err) : arena_error(s->work->arena, err);
	val map;

	for (size_t i = 0; r == 0 && i < v->n; i++)
		r = evaluate_member(s, &v->members[i], null_missing, &members[i], err);
	if (r < 0)
		return r;
	map = val_map(s->work->arena, members, v->n);
	if (!val_exists(map))
		return arena_error(s->work->arena, err);
	*ret = map;
	return 0;
}

int insp_evaluate(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret, struct err *err)
{
	if (val_exists(v->constant)) {
		*ret = v->constant;
		return 0;
	}
	if (v->string)
		return evaluate_string(s, v->string, null_missing, ret, err);
	return v->items ? evaluate_list(s, v, null_missing, ret, err) : evaluate_map(s, v, null_missing, ret, err);
}
