/* Reads maps of settings, and the values that all files have. */
#include "value/settings.h"

#include "base/hash.h"
#include "base/nearest.h"
#include "base/severity.h"

/* ---- maps ---- */

static const struct setting *find(const struct setting *table, size_t n, str key)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(key, str_from(table[i].key)))
			return &table[i];
	}
	return NULL;
}

static void report_unknown(struct settings *s, const struct node *key, const struct setting *table, size_t n)
{
	struct nearest meant = { 0 };

	for (size_t i = 0; i < n && !problems_full(s->problems); i++)
		nearest_offer(&meant, key->text, str_from(table[i].key));
	node_problem(key, s->problems, "unknown key '%.*s'%s", STR_ARG(key->text), nearest_hint(&meant));
}

void settings_read(struct settings *s, const struct node *map, const struct setting *table, size_t n, void *target)
{
	if (!setting_expect(s, map, NODE_MAP, "a map of settings"))
		return;
	for (size_t i = 0; i < map->n; i++) {
		const struct setting *x = find(table, n, map->keys[i]->text);

		if (!x)
			report_unknown(s, map->keys[i], table, n);
		else if (!node_is_null(map->values[i]))
			x->set(s, (char *)target + x->offset, map->values[i]);
	}
}

void settings_print(struct buf *out, const char *title, const struct setting *table, size_t n)
{
	buf_printf(out, "%s\n", title);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "  %-20s %s", table[i].key, table[i].help);
		if (table[i].default_text)
			buf_printf(out, " (default: %s)", table[i].default_text);
		buf_add_byte(out, '\n');
	}
}

/* ---- values ---- */

bool setting_expect(struct settings *s, const struct node *n, enum node_kind kind, const char *what)
{
	if (n->kind == kind)
		return true;
	node_problem(n, s->problems, "expected %s", what);
	return false;
}

void setting_text(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "a text"))
		*(str *)target = n->text;
}

void setting_truth(struct settings *s, void *target, const struct node *n)
{
	bool is_true = n->kind == NODE_SCALAR && str_eq(n->text, STR("true"));

	if (!is_true && !(n->kind == NODE_SCALAR && str_eq(n->text, STR("false"))))
		node_problem(n, s->problems, "expected true or false");
	else
		*(bool *)target = is_true;
}

void setting_severity(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "a severity") && !severity_parse(n->text, target))
		node_problem(n, s->problems, "'%.*s' is not a severity: critical, error, warning, notice or info",
			     STR_ARG(n->text));
}

void setting_text_list(struct settings *s, void *target, const struct node *n)
{
	*(struct text_list *)target = setting_texts(s, n);
}

struct text_list setting_texts(struct settings *s, const struct node *n)
{
	str *texts = arena_array(s->arena, node_count(n), sizeof(*texts));
	size_t kept = 0;

	s->no_memory |= !texts;
	for (size_t i = 0; texts && i < node_count(n); i++) {
		if (setting_expect(s, node_item(n, i), NODE_SCALAR, "a text"))
			texts[kept++] = node_item(n, i)->text;
	}
	return (struct text_list){ texts, kept };
}

uint64_t text_list_hash(struct text_list l, uint64_t seed)
{
	uint64_t h = l.n;

	for (size_t i = 0; i < l.n; i++)
		h = hash_mix(h, hash_str(l.p[i], seed));
	return h;
}
