/* Renders plain templates by looking fields up. */
#include "reference/ref_plain.h"

#include "reference/ref_internal.h"
#include "value/yaml_shape.h"

#include <errno.h>
#include <inttypes.h>

#define TEXT_MAX ((size_t)16 << 10)
#define FIELDS_MAX 64
#define STEPS_A_FIELD 4                   /* to find the action, its pipeline, its command and the field */
#define BYTES_MAX ((size_t)64 * TEXT_MAX) /* the memory that decoding the longest text could take */

struct ref_plain {
	struct yaml_shape *shape;
	struct arena arena;
	const struct tmpl_path *fields; /* one for each slot */
	size_t n;
	val names;
	uint64_t names_hash;
	size_t text;         /* bytes of the text, with marks in its slots */
	size_t nodes, bytes; /* the size of the value with marks in its slots */
	uint32_t depth;
};

/* ---- making one ---- */

static bool same_spans(const struct spans *a, const struct spans *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++) {
		if (a->at[i].from != b->at[i].from || a->at[i].to != b->at[i].to)
			return false;
	}
	return a->n == b->n;
}

/* Whether each field is printed where a scalar may stand, and the text is one document. A "<" could be part of a
 * "<no value>", which ref_render removes. */
static bool is_usual(const struct tmpl_plain *p)
{
	str text = buf_str(&p->text);
	struct spans kept = p->printed;

	yaml_slots_keep(text, &kept);
	return p->printed.n <= FIELDS_MAX && same_spans(&kept, &p->printed) && str_find_byte(text, '<') < 0 &&
	       ref_second_document(text) == 0;
}

/* The depth of a value. The recursion is as deep as the text, which its decoder has limited. */
static uint32_t depth_of(val v)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < val_count(v); i++) {
		uint32_t depth = depth_of(val_is_map(v) ? v.members[i].value : v.items[i]);

		most = depth > most ? depth : most;
	}
	return most + 1;
}

static int make(struct ref_plain *p, const struct tmpl_plain *of, const struct limits *limits, bool *made,
		struct err *err)
{
	const struct yaml_options o = { .limits = limits, .valid_text = true, .uints_as_double = true };
	struct tmpl_path *fields = arena_array(&p->arena, of->printed.n, sizeof(*fields));
	int r = yaml_shape_new(buf_str(&of->text), &of->printed, &o, &p->shape, err);
	val root;

	if (r < 0 || !fields)
		return r < 0 ? r : err_nomem(err);
	root = p->shape ? yaml_shape_doc(p->shape)->root : (val){ 0 };
	if (!val_is_map(root))
		return 0;
	if (of->printed.n)
		memcpy(fields, of->fields, of->printed.n * sizeof(*fields));
	p->fields = fields;
	p->n = of->printed.n;
	p->text = of->text.n;
	p->names = ref_names(root, NULL, &p->arena);
	p->names_hash = val_hash(p->names);
	p->depth = depth_of(root);
	val_measure(root, &p->nodes, &p->bytes);
	*made = true;
	return val_exists(p->names) ? 0 : err_nomem(err);
}

int ref_plain_new(const struct tmpl *t, const struct limits *limits, struct ref_plain **ret, struct err *err)
{
	struct tmpl_plain *of = calloc(1, sizeof(*of));
	struct ref_plain *p = calloc(1, sizeof(*p));
	bool made = false;
	int r = 0;

	*ret = NULL;
	if (!of || !p) {
		free(of);
		free(p);
		return err_nomem(err);
	}
	of->text = BUF_INIT(TEXT_MAX);
	if (tmpl_plain(t, of) && is_usual(of))
		r = make(p, of, limits, &made, err);
	else if (of->text.error == -ENOMEM)
		r = err_nomem(err);
	buf_done(&of->text);
	free(of);
	if (r == 0 && made)
		*ret = TAKE(p);
	ref_plain_free(p);
	return r;
}

void ref_plain_free(struct ref_plain *p)
{
	if (!p)
		return;
	yaml_shape_free(p->shape);
	arena_done(&p->arena);
	free(p);
}

size_t ref_plain_bytes(const struct ref_plain *p)
{
	return sizeof(*p) + p->arena.used + yaml_shape_bytes(p->shape);
}

/* ---- rendering ---- */

/* Print a field. False: the template would fail, print nothing, or print the field differently. */
static bool print_field(const struct tmpl_path *field, val dot, struct arena *a, str *ret)
{
	val v = dot;

	for (size_t i = 0; i < field->n; i++)
		v = val_get(v, field->keys[i]);
	if (v.kind == VAL_INT && v.i >= 0)
		*ret = arena_printf(a, "%" PRId64, v.i);
	else
		*ret = val_str(v);
	return yaml_slot_may_be(*ret);
}

/* Whether all limits are far away, because the result is short and flat. */
static bool are_far(const struct ref_plain *p, size_t text, const struct limits *limits)
{
	return text <= limits->template_output_bytes && text <= limits->file_bytes &&
	       p->nodes <= limits->document_nodes / 4 && p->depth <= limits->depth / 4 &&
	       BYTES_MAX <= limits->arena_bytes && limits->template_depth > 0 &&
	       p->n * STEPS_A_FIELD + TEXT_MAX <= limits->template_steps;
}

bool ref_plain_render(const struct ref_plain *p, val dot, const struct limits *limits, struct arena *a,
		      struct ref_plain_value *ret)
{
	const struct yaml_options o = { .limits = limits, .valid_text = true, .uints_as_double = true };
	str slots[FIELDS_MAX];
	size_t text = p->text;

	for (size_t i = 0; i < p->n; i++) {
		if (!print_field(&p->fields[i], dot, a, &slots[i]))
			return false;
		text += slots[i].n;
	}
	if (!are_far(p, text, limits) || !yaml_shape_fill(p->shape, slots, p->n, &o, a, &ret->root))
		return false;
	ret->nodes = p->nodes;
	ret->bytes = p->bytes + text - p->text;
	ret->steps = text * REF_STEPS_A_BYTE + p->n * STEPS_A_FIELD;
	return true;
}

struct doc *ref_plain_doc(const struct ref_plain *p)
{
	return yaml_shape_doc(p->shape);
}

val ref_plain_names(const struct ref_plain *p)
{
	return p->names;
}

uint64_t ref_plain_names_hash(const struct ref_plain *p)
{
	return p->names_hash;
}
