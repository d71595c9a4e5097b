/* Converts nodes to values: expands aliases, applies merge keys, makes keys text. */
#include "value/yaml_decode.h"
#include "base/number.h"
#include "base/utf8.h"
#include "go/base64.h"
#include "go/strconv.h"
#include "value/json.h"
#include "value/yaml.h"
#include "value/yaml_parse.h"

#include <errno.h>
#include <math.h>

#define ERRORS_MAX 4096 /* the most bytes of a strict decoder's list of mistakes */
#define NO_NODE UINT32_MAX

struct decoder {
	const struct yaml_options *o;
	struct yaml_node *nodes;
	struct arena *arena;
	VEC(val) items;             /* the items of the lists that are being built, innermost last */
	VEC(struct member) members; /* the members of the maps that are being built */
	struct buf mistakes;        /* strict: the repeated keys */
	struct buf scratch;
	uint32_t bad_key, bad_value, bad_map; /* an entry whose key has no text, and its map; NO_NODE: none */
	bool not_finite;                      /* an infinity or NaN was seen */
	uint32_t depth;
	uint64_t steps, alias_steps;
	uint32_t alias_depth;
	size_t values;
	struct err *err;
};

/* A map that is being built. */
struct target {
	uint32_t node;             /* the node of the mapping; entries of others may be merged into it */
	struct yaml_key_set *seen; /* strict: the keys of the map; else NULL */
};

static int decode(struct decoder *d, uint32_t index, val *ret);

/* ---- limits on aliases ---- */

/* go-yaml's guard against texts that multiply by aliases: the share of steps spent inside them, allowed to be high in
 * small documents only. */
static bool too_many_aliases(const struct decoder *d)
{
	const double low = 400000, high = 4000000;
	double steps = (double)d->steps, allowed;

	if (d->alias_steps <= 100 || d->steps <= 1000)
		return false;
	allowed = steps <= low ? 0.99 : steps >= high ? 0.10 : 0.99 - 0.89 * ((steps - low) / (high - low));
	return (double)d->alias_steps / steps > allowed;
}

static int count_alias_step(struct decoder *d)
{
	d->alias_steps++;
	return too_many_aliases(d) ? err_set(d->err, EBADMSG, "yaml: document contains excessive aliasing") : 0;
}

static int too_many_values(struct decoder *d)
{
	return err_set(d->err, E2BIG, "yaml: more than %zu values", d->o->limits->document_nodes);
}

static inline int count_step(struct decoder *d)
{
	d->steps++;
	if (d->alias_depth > 0 && count_alias_step(d) < 0)
		return -d->err->code;
	return ++d->values > d->o->limits->document_nodes ? too_many_values(d) : 0;
}

static int enter(struct decoder *d)
{
	if (d->depth >= d->o->limits->depth)
		return err_set(d->err, E2BIG, "yaml: nested deeper than %u", d->o->limits->depth);
	d->depth++;
	return 0;
}

/* Run @fn on the node that the alias at @index stands for. */
static int expand(struct decoder *d, uint32_t index, int (*fn)(struct decoder *d, uint32_t index, void *arg), void *arg)
{
	struct yaml_node *n = &d->nodes[index];
	int r;

	if (n->active)
		return err_set(d->err, EBADMSG, "yaml: anchor '%.*s' value contains itself", STR_ARG(n->text));
	r = enter(d);
	if (r < 0)
		return r;
	n->active = true;
	d->alias_depth++;
	r = fn(d, n->target, arg);
	d->alias_depth--;
	n->active = false;
	d->depth--;
	return r;
}

/* ---- scalars ---- */

/* Replace each byte that is no UTF-8 by U+FFFD, as the original does in JSON text, with which it goes on. */
static bool make_valid(struct arena *a, str *s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);

	if (utf8_valid(*s))
		return true;
	for (size_t i = 0, n; i < s->n; i += n) {
		uint32_t c = utf8_decode(str_sub(*s, i, s->n), &n);

		buf_add_utf8(&text, c);
	}
	*s = text.error ? (str){ 0 } : arena_str(a, buf_str(&text));
	return s->p != NULL;
}

static int decode_binary(struct decoder *d, val *v)
{
	str bytes;
	int r = go_base64_decode(&go_base64_std, val_str(*v), d->arena, &bytes, NULL);

	if (r == -ENOMEM)
		return err_nomem(d->err);
	if (r < 0)
		return err_set(d->err, EBADMSG, "yaml: !!binary value contains invalid base64 data");
	if (d->o->valid_text && !make_valid(d->arena, &bytes))
		return err_nomem(d->err);
	*v = val_string(bytes);
	return 0;
}

int yaml_scalar_value(const struct yaml_node *n, val *ret, struct err *err)
{
	*ret = val_string(n->text);
	if (n->tag == YAML_TAG_NONE && !n->implicit)
		return 0;
	return yaml_resolve((enum yaml_tag)n->tag, n->text, ret, err);
}

static int decode_scalar(struct decoder *d, uint32_t index, val *ret)
{
	const struct yaml_node *n = &d->nodes[index];
	int r;

	if (n->tag == YAML_TAG_NONE && (!n->implicit || yaml_is_surely_text(n->text))) {
		*ret = val_string(n->text);
		return 0;
	}
	r = yaml_scalar_value(n, ret, d->err);
	if (r == 0 && n->tag == YAML_TAG_BINARY)
		r = decode_binary(d, ret);
	return r;
}

/* Convert a number as JSON text does: an integral double is written without a point. */
static void convert_number(struct decoder *d, val *v)
{
	int64_t i;

	if (v->kind == VAL_DOUBLE && !isfinite(v->d))
		d->not_finite = true;
	if (d->o->numbers_as_double && v->kind == VAL_INT) {
		*v = val_double((double)v->i);
	} else if ((d->o->numbers_as_double || d->o->uints_as_double) && v->kind == VAL_UINT) {
		*v = val_double((double)v->u);
	} else if (!d->o->numbers_as_double && !d->o->yaml_numbers && v->kind == VAL_DOUBLE && fabs(v->d) < 0x1p63 &&
		   v->d == trunc(v->d) && !(v->d == 0 && signbit(v->d))) {
		if (fabs(v->d) < 0x1p53) {
			*v = val_int((int64_t)v->d);
			return;
		}
		buf_clear(&d->scratch);
		json_encode_double(v->d, &d->scratch);
		if (int64_parse(buf_str(&d->scratch), &i))
			*v = val_int(i);
	}
}

static inline void number_through_json(struct decoder *d, val *v)
{
	if (val_is_number(*v))
		convert_number(d, v);
}

/* ---- keys ---- */

/* Append sigs.k8s.io/yaml's text of a key that is a boolean or a number. */
static void add_key_text(val key, struct buf *out)
{
	if (key.kind == VAL_DOUBLE && !isfinite((float)key.d))
		buf_add_cstr(out, isnan(key.d) ? ".nan" : key.d > 0 ? ".inf" : "-.inf");
	else
		(void)!yaml_scalar_text(key, out);
}

static bool has_text(val key)
{
	return key.kind == VAL_STRING || key.kind == VAL_BOOL || key.kind == VAL_INT || key.kind == VAL_DOUBLE;
}

/* Remember an entry that cannot become JSON. The message names the outermost one; of equal keys in one map the last. */
static void note_bad_key(struct decoder *d, uint32_t key_node, uint32_t value_node, const struct target *t)
{
	if (d->bad_key != NO_NODE && d->bad_map != t->node)
		return;
	d->bad_map = t->node;
	d->bad_key = key_node;
	d->bad_value = value_node;
}

static int make_key(struct decoder *d, val key, const struct key **ret)
{
	str text = val_str(key);

	if (!val_is_string(key)) {
		buf_clear(&d->scratch);
		add_key_text(key, &d->scratch);
		if (d->scratch.error)
			return arena_error(d->arena, d->err);
		text = buf_str(&d->scratch);
	}
	*ret = key_make(d->o->keys, d->arena, text);
	return *ret ? 0 : arena_error(d->arena, d->err);
}

/* Strict: note a key that the map has already. Keys of different types never repeat each other. */
static int check_repeated(struct decoder *d, struct yaml_key_set *seen, val key, uint32_t value_node, bool *repeated)
{
	int r = yaml_key_set_add(seen, key, repeated);

	if (r < 0)
		return arena_error(d->arena, d->err);
	if (!*repeated || d->mistakes.error)
		return 0;
	buf_printf(&d->mistakes, "\n  line %u: key ", d->nodes[value_node].line + 1);
	yaml_go_value(key, &d->mistakes);
	buf_add_cstr(&d->mistakes, " already set in map");
	return 0;
}

/* ---- maps ---- */

static bool is_merge(const struct yaml_node *n)
{
	return n->kind == YAML_NODE_SCALAR && (n->implicit || n->tag == YAML_TAG_MERGE) && str_eq(n->text, STR("<<"));
}

static int decode_entry(struct decoder *d, uint32_t key_node, uint32_t value_node, const struct target *t)
{
	bool repeated = false;
	struct member m;
	val key;
	int r = decode(d, key_node, &key);

	if (r < 0)
		return r;
	if (val_is_map(key) || val_is_list(key)) {
		buf_clear(&d->scratch);
		yaml_go_node(d->nodes, key_node, &d->scratch);
		return err_set(d->err, EBADMSG, "yaml: invalid map key: %.*s", STR_ARG(buf_str(&d->scratch)));
	}
	if (!has_text(key))
		note_bad_key(d, key_node, value_node, t);
	r = decode(d, value_node, &m.value);
	if (r == 0)
		number_through_json(d, &m.value);
	if (r == 0 && t->seen)
		r = check_repeated(d, t->seen, key, value_node, &repeated);
	if (r < 0 || repeated || !has_text(key))
		return r;
	r = make_key(d, key, &m.key);
	if (r < 0)
		return r;
	return vec_push(&d->members, m) ? 0 : arena_error(d->arena, d->err);
}

static int merge(struct decoder *d, uint32_t index, struct target *t);

/* Put the entries of the mapping at @index behind the members that are there. */
static int decode_entries(struct decoder *d, uint32_t index, void *arg)
{
	struct target *t = arg;
	uint32_t end = d->nodes[index].next, at = index + 1;
	int r = count_step(d);

	if (r == 0)
		r = enter(d);
	if (r < 0)
		return r;
	while (r == 0 && at < end) {
		uint32_t value = d->nodes[at].next;

		r = is_merge(&d->nodes[at]) ? merge(d, value, t) : decode_entry(d, at, value, t);
		at = d->nodes[value].next;
	}
	d->depth--;
	return r;
}

static int merge_one(struct decoder *d, uint32_t index, struct target *t)
{
	const struct yaml_node *n = &d->nodes[index];
	int r;

	if (n->kind == YAML_NODE_MAPPING)
		return decode_entries(d, index, t);
	if (n->kind != YAML_NODE_ALIAS || d->nodes[n->target].kind != YAML_NODE_MAPPING)
		return err_set(d->err, EBADMSG, "yaml: map merge requires map or sequence of maps as the value");
	r = count_step(d);
	return r < 0 ? r : expand(d, index, decode_entries, t);
}

/* Merge a map, or a sequence of maps from its end: the first of them wins. */
static int merge(struct decoder *d, uint32_t index, struct target *t)
{
	const struct yaml_node *n = &d->nodes[index];
	VEC(uint32_t) parts = { 0 };
	int r = 0;

	if (n->kind != YAML_NODE_SEQUENCE)
		return merge_one(d, index, t);
	for (uint32_t at = index + 1; at < n->next; at = d->nodes[at].next) {
		if (!vec_push(&parts, at)) {
			r = arena_error(d->arena, d->err);
			break;
		}
	}
	while (r == 0 && parts.n > 0)
		r = merge_one(d, parts.p[--parts.n], t);
	vec_done(&parts);
	return r;
}

static int decode_map(struct decoder *d, uint32_t index, val *ret)
{
	size_t base = d->members.n;
	struct yaml_key_set seen = { 0 };
	struct target t = { .node = index, .seen = d->o->strict ? &seen : NULL };
	int r = decode_entries(d, index, &t);

	if (t.seen)
		yaml_key_set_done(&seen);
	if (r < 0)
		return r;
	*ret = val_map(d->arena, d->members.p ? d->members.p + base : NULL, d->members.n - base);
	d->members.n = base;
	return val_exists(*ret) ? 0 : arena_error(d->arena, d->err);
}

/* ---- lists and nodes ---- */

static int decode_list(struct decoder *d, uint32_t index, val *ret)
{
	size_t base = d->items.n;
	int r = count_step(d);

	if (r == 0)
		r = enter(d);
	if (r < 0)
		return r;
	for (uint32_t at = index + 1; r == 0 && at < d->nodes[index].next; at = d->nodes[at].next) {
		val v;

		r = decode(d, at, &v);
		if (r == 0)
			number_through_json(d, &v);
		if (r == 0 && !vec_push(&d->items, v))
			r = arena_error(d->arena, d->err);
	}
	d->depth--;
	if (r < 0)
		return r;
	*ret = val_list(d->arena, d->items.p ? d->items.p + base : NULL, d->items.n - base);
	d->items.n = base;
	return val_exists(*ret) ? 0 : arena_error(d->arena, d->err);
}

static int decode_target(struct decoder *d, uint32_t index, void *arg)
{
	return decode(d, index, arg);
}

static int decode(struct decoder *d, uint32_t index, val *ret)
{
	int r;

	switch (d->nodes[index].kind) {
	case YAML_NODE_MAPPING:
		return decode_map(d, index, ret);
	case YAML_NODE_SEQUENCE:
		return decode_list(d, index, ret);
	case YAML_NODE_ALIAS:
		r = count_step(d);
		return r < 0 ? r : expand(d, index, decode_target, ret);
	default:
		break;
	}
	r = count_step(d);
	if (r == 0)
		r = decode_scalar(d, index, ret);
	return r;
}

/* ---- documents ---- */

/* Find a number that JSON does not have. sigs.k8s.io/yaml goes through JSON, so it fails on the first one in the
 * order of the output. */
static int check_finite(val v, struct err *err)
{
	int r = 0;

	if (v.kind == VAL_DOUBLE && !isfinite(v.d))
		return err_set(err, EBADMSG, "json: unsupported value: %s",
			       isnan(v.d) ? "NaN"
			       : v.d > 0  ? "+Inf"
					  : "-Inf");
	for (uint32_t i = 0; r == 0 && i < val_count(v); i++)
		r = check_finite(v.kind == VAL_MAP ? v.members[i].value : v.items[i], err);
	return r;
}

static int bad_key_error(struct decoder *d)
{
	val key = val_null();
	const uint32_t node = d->nodes[d->bad_key].kind == YAML_NODE_ALIAS ? d->nodes[d->bad_key].target : d->bad_key;

	if (yaml_scalar_value(&d->nodes[node], &key, d->err) < 0)
		return -d->err->code;
	buf_clear(&d->scratch);
	yaml_go_node(d->nodes, d->bad_value, &d->scratch);
	if (val_is_null(key))
		return err_set(d->err, EBADMSG, "unsupported map key of type: %%!s(<nil>), key: <nil>, value: %.*s",
			       STR_ARG(buf_str(&d->scratch)));
	return err_set(d->err, EBADMSG, "unsupported map key of type: uint64, key: 0x%llx, value: %.*s",
		       (unsigned long long)key.u, STR_ARG(buf_str(&d->scratch)));
}

/* Find the mistakes that the original finds only after the whole document was decoded, in its order. */
static int check_result(struct decoder *d, val root)
{
	if (d->mistakes.n)
		return err_set(d->err, EBADMSG, "yaml: unmarshal errors:%.*s", STR_ARG(buf_str(&d->mistakes)));
	if (d->bad_key != NO_NODE)
		return bad_key_error(d);
	return d->not_finite && !d->o->yaml_numbers ? check_finite(root, d->err) : 0;
}

static int decode_nodes(struct yaml_tree *tree, const struct yaml_options *o, struct doc *doc, struct err *err)
{
	struct decoder d = {
		.o = o,
		.nodes = tree->nodes.p,
		.arena = &doc->arena,
		.mistakes = BUF_INIT(ERRORS_MAX),
		.scratch = BUF_INIT(ERRORS_MAX),
		.bad_key = NO_NODE,
		.steps = 1, /* the document itself */
		.err = err,
	};
	val root = val_null();
	int r = 0;

	if (!vec_reserve(&d.members, tree->nodes.n / 4 + 1))
		r = err_nomem(err);
	if (r == 0 && tree->nodes.n)
		r = decode(&d, 0, &root);
	if (r == 0)
		number_through_json(&d, &root);
	if (r == 0)
		r = check_result(&d, root);
	vec_done(&d.items);
	vec_done(&d.members);
	buf_done(&d.mistakes);
	buf_done(&d.scratch);
	if (r == 0)
		doc->root = root;
	return r;
}

int yaml_decode_leaf(const struct yaml_node *n, const struct yaml_options *o, struct arena *a, val *ret,
		     struct err *err)
{
	struct yaml_node node = *n;
	struct decoder d = { .o = o, .nodes = &node, .arena = a, .scratch = BUF_INIT(ERRORS_MAX), .err = err };
	int r = decode_scalar(&d, 0, ret);

	if (r == 0)
		number_through_json(&d, ret);
	buf_done(&d.scratch);
	return r == 0 && d.not_finite ? check_finite(*ret, err) : r;
}

/* The size to which a scanner's scratch buffer may grow: no scalar is longer than the text, but a \\L of two bytes
 * becomes three. */
#define SCRATCH_MAX(text_max) ((text_max)*2 + 64)

int yaml_decode_tree(str text, const struct yaml_options *o, struct doc *doc, struct yaml_tree *tree, struct err *err)
{
	CLEANUP(buf_done) struct buf scratch = BUF_INIT(SCRATCH_MAX(o->limits->file_bytes));
	int r;

	if (text.n > o->limits->file_bytes || text.n > UINT32_MAX / 4)
		return err_set(err, E2BIG, "yaml: longer than %zu bytes", o->limits->file_bytes);
	r = yaml_parse(text, o->limits, &doc->arena, &scratch, tree, err);
	return r < 0 ? r : decode_nodes(tree, o, doc, err);
}

int yaml_decode(str text, const struct yaml_options *o, struct doc **ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = doc_new(text.n * 3 + 256, o->limits->arena_bytes);
	struct yaml_tree tree = { 0 };
	int r;

	if (!doc)
		return err_nomem(err);
	r = yaml_decode_tree(text, o, doc, &tree, err);
	if (r == 0 && o->rest)
		*o->rest = tree.rest;
	yaml_tree_done(&tree);
	if (r < 0)
		return r;
	*ret = TAKE(doc);
	return 0;
}

bool yaml_scalar_text(val v, struct buf *out)
{
	if (val_is_string(v))
		buf_add_str(out, val_str(v));
	else if (v.kind == VAL_BOOL)
		buf_add_cstr(out, v.b ? "true" : "false");
	else if (v.kind == VAL_INT)
		buf_printf(out, "%lld", (long long)v.i);
	else if (v.kind == VAL_UINT)
		buf_printf(out, "%llu", (unsigned long long)v.u);
	else if (v.kind == VAL_DOUBLE)
		go_format_float32(out, v.d);
	return v.kind != VAL_ABSENT && v.kind != VAL_LIST && v.kind != VAL_MAP;
}
