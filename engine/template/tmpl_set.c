/* Sets of templates: several sources in one name space. */
#include "template/tmpl.h"

#include "template/tmpl_parse.h"
#include "text/re2.h"

#include <errno.h>

/* Templates of a later source replace those of an earlier one, unless they are empty. */
static int merge_trees(struct tmpl *set, const struct source_parse *s, struct err *err)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&s->trees, &at))) {
		struct ttree *tree = e->value;

		if (strmap_has(&set->trees, tree->name) && tnode_is_empty(tree->root))
			continue;
		if (!strmap_put(&set->trees, tree->name, tree, NULL))
			return err_nomem(err);
		/* A define with the main template's name in another source makes another template of that name. */
		if (str_eq(tree->name, set->name) && str_eq(s->name, set->name))
			set->main = tree;
	}
	return 0;
}

static int parse_source(struct tmpl *set, const struct tmpl_source *source, const struct tmpl_functions *functions,
			const struct limits *limits, struct buf *error_text, struct err *err)
{
	struct source_parse s = {
		.set = set, .functions = functions, .limits = limits, .error_text = error_text, .err = err
	};
	int r = 0;

	if (source->text.n > limits->file_bytes)
		return err_set(err, E2BIG, "template '%.*s' is larger than %zu bytes", STR_ARG(source->name),
			       limits->file_bytes);
	s.name = arena_str(&set->arena, source->name);
	s.text = arena_str(&set->arena, source->text);
	if (!s.name.p || !s.text.p)
		return err_nomem(err);
	tmpl_lex_init(&s.lex, s.text);
	tmpl_parse_source(&s);
	r = s.failed ? s.failed : merge_trees(set, &s, err);
	strmap_done(&s.trees);
	return r;
}

int tmpl_parse(const struct tmpl_source *sources, size_t n, const struct tmpl_functions *functions,
	       const struct limits *limits, struct tmpl **ret, struct buf *error_text, struct err *err)
{
	CLEANUP(tmpl_freep) struct tmpl *set = calloc(1, sizeof(*set));
	int r;

	if (!set)
		return err_nomem(err);
	arena_init(&set->arena, 0, 0);
	set->regex_match_limit = limits->regex_match_limit;
	if (n == 0)
		return err_set(err, EINVAL, "no template");
	set->name = arena_str(&set->arena, sources[0].name);
	if (!set->name.p)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		r = parse_source(set, &sources[i], functions, limits, error_text, err);
		if (r < 0)
			return r;
	}
	*ret = TAKE(set);
	return 0;
}

void tmpl_free(struct tmpl *t)
{
	const struct strmap_entry *e;
	size_t at = 0;

	if (!t)
		return;
	while ((e = strmap_each(&t->patterns, &at)))
		re2_free(e->value);
	strmap_done(&t->patterns);
	strmap_done(&t->trees);
	arena_done(&t->arena);
	free(t);
}

str tmpl_name(const struct tmpl *t)
{
	return t->name;
}

void tmpl_print_tree(const struct tmpl *t, struct buf *out)
{
	tnode_print(t->main->root, out);
}

bool tmpl_print_named(const struct tmpl *t, str name, struct buf *out)
{
	const struct ttree *tree = strmap_get(&t->trees, name);

	if (tree)
		tnode_print(tree->root, out);
	return tree != NULL;
}

bool tmpl_name_at(const struct tmpl *t, size_t i, str *name)
{
	const struct strmap_entry *e, *best = NULL;
	str last = { NULL, 0 };

	/* The name is selected by its rank: sets are small, and this is for display. */
	for (size_t rank = 0; rank <= i; rank++) {
		size_t at = 0;

		best = NULL;
		while ((e = strmap_each(&t->trees, &at))) {
			str key = { e->key, e->n };

			if (last.p && str_cmp(key, last) <= 0)
				continue;
			if (!best || str_cmp(key, (str){ best->key, best->n }) < 0)
				best = e;
		}
		if (!best)
			return false;
		last = (str){ best->key, best->n };
	}
	*name = last;
	return true;
}
