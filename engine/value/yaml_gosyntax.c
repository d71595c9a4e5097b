/* Prints values in Go's syntax, for messages, and compares keys as Go's maps do. */
#include "base/vec.h"
#include "go/quote.h"
#include "go/strconv.h"
#include "value/yaml_decode.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

/* ---- key sets ---- */

int yaml_key_set_add(struct yaml_key_set *set, val key, bool *present)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(SIZE_MAX / 2);
	void *old = NULL;
	double d;

	*present = false;
	if (key.kind == VAL_DOUBLE && isnan(key.d))
		return 0;
	buf_add_byte(&name, (char)key.kind);
	if (key.kind == VAL_STRING) {
		buf_add_str(&name, val_str(key));
	} else if (key.kind == VAL_DOUBLE) {
		d = key.d == 0 ? 0 : key.d;
		buf_add(&name, &d, sizeof(d));
	} else if (key.kind == VAL_BOOL) {
		buf_add_byte(&name, key.b);
	} else if (key.kind != VAL_NULL) {
		buf_add(&name, &key.i, sizeof(key.i));
	}
	if (name.error || !strmap_put(&set->map, buf_str(&name), set, &old))
		return -ENOMEM;
	*present = old != NULL;
	return 0;
}

void yaml_key_set_done(struct yaml_key_set *set)
{
	strmap_done(&set->map);
}

/* ---- values ---- */

void yaml_go_value(val v, struct buf *out)
{
	switch (v.kind) {
	case VAL_BOOL:
		buf_add_cstr(out, v.b ? "true" : "false");
		break;
	case VAL_INT:
		buf_printf(out, "%" PRId64, v.i);
		break;
	case VAL_UINT:
		buf_printf(out, "0x%" PRIx64, v.u);
		break;
	case VAL_DOUBLE:
		go_format_float(out, v.d, 'g', -1);
		break;
	case VAL_STRING:
		go_quote(out, val_str(v));
		break;
	default:
		buf_add_cstr(out, "<nil>");
	}
}

struct go_entry {
	val key;
	uint32_t value; /* the index of a node */
};

struct go_map {
	VEC(struct go_entry) entries;
};

static uint32_t behind_alias(const struct yaml_node *nodes, uint32_t index)
{
	return nodes[index].kind == YAML_NODE_ALIAS ? nodes[index].target : index;
}

static val scalar_of(const struct yaml_node *n)
{
	struct err ignored;
	val v;

	return yaml_scalar_value(n, &v, &ignored) < 0 ? val_string(n->text) : v;
}

static void put_entry(struct go_map *m, struct go_entry e)
{
	for (size_t i = 0; i < m->entries.n; i++) {
		if (val_equal(m->entries.p[i].key, e.key)) {
			m->entries.p[i].value = e.value;
			return;
		}
	}
	(void)!vec_push(&m->entries, e);
}

#define ENTRIES_MOST 200 /* the most entries of a map in a message, which is cut soon anyway */

static void gather(const struct yaml_node *nodes, uint32_t index, struct go_map *m, unsigned depth)
{
	index = behind_alias(nodes, index);
	if (nodes[index].kind != YAML_NODE_MAPPING || depth > 20)
		return;
	for (uint32_t at = index + 1; at < nodes[index].next && m->entries.n < ENTRIES_MOST;) {
		uint32_t key = behind_alias(nodes, at), value = nodes[at].next;

		if (nodes[at].kind == YAML_NODE_SCALAR && nodes[at].implicit && str_eq(nodes[at].text, STR("<<")))
			gather(nodes, value, m, depth + 1);
		else
			put_entry(m, (struct go_entry){ scalar_of(&nodes[key]), value });
		at = nodes[value].next;
	}
}

/* Compare entries in the order in which fmt prints maps: nil first, then type by type. */
static int compare_entries(const void *a, const void *b)
{
	return val_compare(((const struct go_entry *)a)->key, ((const struct go_entry *)b)->key);
}

static void print_node(const struct yaml_node *nodes, uint32_t index, struct buf *out, unsigned depth);

static void print_map(const struct yaml_node *nodes, uint32_t index, struct buf *out, unsigned depth)
{
	struct go_map m = { 0 };

	gather(nodes, index, &m, 0);
	if (m.entries.n)
		qsort(m.entries.p, m.entries.n, sizeof(*m.entries.p), compare_entries);
	buf_add_cstr(out, "map[interface {}]interface {}{");
	for (size_t i = 0; i < m.entries.n && !out->error; i++) {
		if (i > 0)
			buf_add_cstr(out, ", ");
		if (val_is_null(m.entries.p[i].key))
			buf_add_cstr(out, "interface {}(nil)");
		else
			yaml_go_value(m.entries.p[i].key, out);
		buf_add_byte(out, ':');
		print_node(nodes, m.entries.p[i].value, out, depth + 1);
	}
	buf_add_byte(out, '}');
	vec_done(&m.entries);
}

static void print_list(const struct yaml_node *nodes, uint32_t index, struct buf *out, unsigned depth)
{
	buf_add_cstr(out, "[]interface {}{");
	for (uint32_t at = index + 1; at < nodes[index].next && !out->error; at = nodes[at].next) {
		if (at > index + 1)
			buf_add_cstr(out, ", ");
		print_node(nodes, at, out, depth + 1);
	}
	buf_add_byte(out, '}');
}

static void print_node(const struct yaml_node *nodes, uint32_t index, struct buf *out, unsigned depth)
{
	val v;

	index = behind_alias(nodes, index);
	if (out->error || depth > 200)
		return;
	if (nodes[index].kind == YAML_NODE_MAPPING) {
		print_map(nodes, index, out, depth);
		return;
	}
	if (nodes[index].kind == YAML_NODE_SEQUENCE) {
		print_list(nodes, index, out, depth);
		return;
	}
	v = scalar_of(&nodes[index]);
	if (val_is_null(v) && depth > 0)
		buf_add_cstr(out, "interface {}(nil)");
	else
		yaml_go_value(v, out);
}

void yaml_go_node(const struct yaml_node *nodes, uint32_t index, struct buf *out)
{
	print_node(nodes, index, out, 0);
}
