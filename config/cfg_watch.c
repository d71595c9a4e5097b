/* Reads the kinds to watch besides those of references and rules. An entry is identified by its apiVersion and kind. */
#include "config/cfg_internal.h"

#include <ctype.h>

#define LABEL_MAX 63 /* bytes of a namespace (RFC 1123) */

/* Whether @s consists of letters and digits, with bytes of @more between them. */
static bool is_word(str s, const char *more)
{
	for (size_t i = 0; i < s.n; i++) {
		bool inside = i > 0 && i + 1 < s.n && s.p[i] != '\0' && strchr(more, s.p[i]);

		if (!inside && !isalnum((unsigned char)s.p[i]))
			return false;
	}
	return s.n > 0;
}

/* Whether @s is like "v1" or "apps/v1". */
static bool is_api_version(str s)
{
	ptrdiff_t slash = str_find_byte(s, '/');

	return (slash < 0 || is_word(str_sub(s, 0, (size_t)slash), "-.")) &&
	       is_word(str_sub(s, (size_t)(slash + 1), s.n), "");
}

static void set_api_version(struct settings *s, void *target, const struct node *n)
{
	setting_text(s, target, n);
	if (n->kind == NODE_SCALAR && !is_api_version(n->text))
		node_problem(n, s->problems, "'%.*s' is not an apiVersion, such as v1 or apps/v1", STR_ARG(n->text));
}

static void set_kind(struct settings *s, void *target, const struct node *n)
{
	setting_text(s, target, n);
	if (n->kind == NODE_SCALAR && !is_word(n->text, "-"))
		node_problem(n, s->problems, "'%.*s' is not a kind, such as ConfigMap", STR_ARG(n->text));
}

static bool is_namespace(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (isupper((unsigned char)s.p[i]))
			return false;
	}
	return is_word(s, "-") && s.n <= LABEL_MAX;
}

/* Set the namespaces. An empty list is a mistake, since its meaning is unclear: no list means all. */
static void set_namespaces(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = setting_texts(s, n);
	struct cfg_watch *w = target;

	if (node_count(n) == 0)
		node_problem(n, s->problems, "no namespace; all are watched where the key is left out");
	for (size_t i = 0; i < node_count(n); i++) {
		const struct node *item = node_item(n, i);

		if (item->kind == NODE_SCALAR && !is_namespace(item->text))
			node_problem(item, s->problems, "'%.*s' is not a name of a namespace", STR_ARG(item->text));
	}
	w->namespaces = list.p;
	w->n_namespaces = list.n;
}

static const struct setting watch_settings[] = {
	{ "apiVersion", set_api_version, offsetof(struct cfg_watch, api_version), NULL,
	  "such as v1 or apps/v1; required" },
	{ "kind", set_kind, offsetof(struct cfg_watch, kind), NULL, "such as ConfigMap; required" },
	{ "namespaces", set_namespaces, 0, "all of them", "the namespaces in which it is watched" },
};

static bool same_kind(const struct cfg_watch *a, const struct cfg_watch *b)
{
	return str_eq(a->api_version, b->api_version) && str_eq(a->kind, b->kind);
}

static void too_many(struct cfg_loader *l, const struct node *n)
{
	node_problem(n, l->settings.problems, "more than %d kinds to watch", CFG_ENTRIES_MAX);
}

/* Keep the entry in the place of an earlier file's entry for the kind. */
static void keep(struct cfg_loader *l, const struct node *n, const struct cfg_watch *w)
{
	size_t i = 0;

	while (i < l->cfg->n_watch && !same_kind(&l->watch[i], w))
		i++;
	if (i == CFG_ENTRIES_MAX) {
		too_many(l, n);
		return;
	}
	if (i == l->cfg->n_watch)
		l->cfg->n_watch++;
	l->watch[i] = *w;
}

static bool same_text(const struct node *a, const struct node *b, const char *key)
{
	const struct node *x = node_get(a, key), *y = node_get(b, key);

	return x && y && x->kind == NODE_SCALAR && y->kind == NODE_SCALAR && str_eq(x->text, y->text);
}

/* The first entry for the same kind before the one at @i; NULL: there is none. */
static const struct node *repeated_in(const struct node *list, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (same_text(list->items[k], list->items[i], "apiVersion") &&
		    same_text(list->items[k], list->items[i], "kind"))
			return list->items[k];
	}
	return NULL;
}

static void read_entry(struct cfg_loader *l, const struct node *list, size_t i)
{
	const struct node *n = list->items[i], *first = repeated_in(list, i);
	struct cfg_watch w = { .where = cfg_where(l, n) };
	size_t before = cfg_mistakes(l);

	settings_read(&l->settings, n, watch_settings, ARRAY_LEN(watch_settings), &w);
	if (cfg_mistakes(l) > before)
		return;
	if (w.api_version.n == 0 || w.kind.n == 0)
		node_problem(n, l->settings.problems, "this entry has no %s", w.kind.n ? "apiVersion" : "kind");
	else if (first)
		node_problem(n, l->settings.problems, "%.*s of %.*s appears twice here; first at %zu:%zu",
			     STR_ARG(w.kind), STR_ARG(w.api_version), first->line, first->column);
	else
		keep(l, n, &w);
}

void cfg_set_watch(struct settings *s, void *target, const struct node *n)
{
	(void)target;
	if (!setting_expect(s, n, NODE_LIST, "a list of kinds, each with apiVersion and kind"))
		return;
	/* Each entry is compared with those before it, but not beyond the maximum. */
	for (size_t i = 0; i < n->n && i < CFG_ENTRIES_MAX; i++)
		read_entry(s->ctx, n, i);
	for (size_t i = CFG_ENTRIES_MAX; i < n->n; i++)
		too_many(s->ctx, n->items[i]);
}

void cfg_print_watch_settings(struct buf *out)
{
	settings_print(out, "an entry of watch:", watch_settings, ARRAY_LEN(watch_settings));
}
