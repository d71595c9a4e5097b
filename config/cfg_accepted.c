/* Reads accepted deviations; those of all files count. */
#include "config/cfg_internal.h"

#include "base/pattern.h"

#include <errno.h>

#define ACCEPTED_MAX 10000

/* Set a text. An empty text is also a value. */
static void set_text(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "a text"))
		*(str *)target = n->text.n ? n->text : STR("");
}

static void set_path(struct settings *s, void *target, const struct node *n)
{
	set_text(s, target, n);
	if (n->kind == NODE_SCALAR && !acceptance_path_valid(n->text))
		node_problem(n, s->problems, "'%.*s' is not a path of a field, such as spec.replicas",
			     STR_ARG(n->text));
}

static void set_until(struct settings *s, void *target, const struct node *n)
{
	int64_t usec;

	set_text(s, target, n);
	if (n->kind == NODE_SCALAR && !acceptance_until(n->text, &usec))
		node_problem(n, s->problems, "'%.*s' is neither a day, such as 2027-01-31, nor a time of RFC 3339",
			     STR_ARG(n->text));
}

static void accepted_settings(struct setting table[ACCEPTANCE_TEXTS])
{
	for (size_t i = 0; i < ACCEPTANCE_TEXTS; i++) {
		const struct acceptance_text *t = &acceptance_texts[i];
		setting_fn *set = set_text;

		if (t->offset == offsetof(struct acceptance, path))
			set = set_path;
		else if (t->offset == offsetof(struct acceptance, until))
			set = set_until;
		table[i] = (struct setting){ t->name, set, t->offset, NULL, t->help };
	}
}

static bool keep_one(struct cfg_loader *l, const struct accepted_change *x, const struct node *n)
{
	str id = arena_str(&l->cfg->arena, str_from(x->id));

	return id.p && strmap_put(&l->accepted_ids, id, l, NULL) &&
	       vec_push(&l->accepted, (struct cfg_accepted_entry){ *x, n });
}

static void add(struct cfg_loader *l, const struct node *n, const struct accepted_change *x)
{
	if (strmap_has(&l->accepted_ids, str_from(x->id)))
		node_problem(n, l->settings.problems, "the same is accepted twice");
	else
		l->settings.no_memory |= !keep_one(l, x, n);
}

/* Add the acceptance. One whose texts are wrong is reported and left out. */
static void add_accepted(struct cfg_loader *l, const struct node *n, const struct acceptance *a)
{
	struct accepted_change x;
	struct err err;
	int r = acceptance_compile(a, &l->cfg->arena, &x, &err);

	if (r == -ENOMEM)
		l->settings.no_memory = true;
	else if (r < 0)
		node_problem(n, l->settings.problems, "%s", err.msg);
	else
		add(l, n, &x);
}

bool cfg_accepted_ahead(const struct node *n, struct arena *a, struct accepted_change *ret)
{
	struct setting table[ACCEPTANCE_TEXTS];
	struct acceptance says = { 0 };
	struct problems problems = { 0 };
	struct settings s = { .arena = a, .problems = &problems };
	struct err err;
	bool good;

	accepted_settings(table);
	settings_read(&s, n, table, ARRAY_LEN(table), &says);
	good = !problems_any(&problems) && !s.no_memory && acceptance_compile(&says, a, ret, &err) == 0;
	problems_done(&problems);
	return good;
}

void cfg_set_accepted(struct settings *s, void *target, const struct node *n)
{
	struct setting table[ACCEPTANCE_TEXTS];
	struct cfg_loader *l = s->ctx;

	(void)target;
	accepted_settings(table);
	if (!setting_expect(s, n, NODE_LIST, "a list of accepted deviations"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		const struct accepted_change *ready = cfg_parsed_accepted(l->cfg->parsed, n, i);
		size_t before = cfg_mistakes(l);
		struct acceptance a = { 0 };

		if (l->accepted.n == ACCEPTED_MAX) {
			node_problem(n->items[i], s->problems, "more than %d accepted deviations", ACCEPTED_MAX);
			return;
		}
		if (ready) {
			add(l, n->items[i], ready);
			continue;
		}
		settings_read(s, n->items[i], table, ARRAY_LEN(table), &a);
		if (cfg_mistakes(l) == before)
			add_accepted(l, n->items[i], &a);
	}
}

static bool fits_cluster(const struct cfg *cfg, str pattern)
{
	for (size_t i = 0; i < cfg->n_clusters; i++) {
		if (pattern_allows(pattern, cfg->clusters[i].name))
			return true;
	}
	return cfg->n_clusters == 0;
}

static bool fits_reference(const struct cfg *cfg, str pattern)
{
	for (size_t i = 0; i < cfg->n_references; i++) {
		if (pattern_allows(pattern, cfg->references[i].name))
			return true;
	}
	return cfg->n_references == 0;
}

static void check(struct cfg_loader *l, const struct cfg_accepted_entry *x)
{
	const struct acceptance *a = &x->is.says;

	if (!fits_cluster(l->cfg, a->cluster))
		node_problem(x->at, l->settings.problems, "no cluster is called '%.*s'", STR_ARG(a->cluster));
	if (!fits_reference(l->cfg, a->reference))
		node_problem(x->at, l->settings.problems, "no reference is called '%.*s'", STR_ARG(a->reference));
}

void cfg_keep_accepted(struct cfg_loader *l)
{
	struct accepted_change *all = arena_array(&l->cfg->arena, l->accepted.n, sizeof(*all));

	l->settings.no_memory |= !all;
	for (size_t i = 0; all && i < l->accepted.n; i++) {
		all[i] = l->accepted.p[i].is;
		check(l, &l->accepted.p[i]);
	}
	l->cfg->accepted = all;
	l->cfg->n_accepted = all ? l->accepted.n : 0;
}

void cfg_print_accepted_settings(struct buf *out)
{
	struct setting table[ACCEPTANCE_TEXTS];

	accepted_settings(table);
	settings_print(out, "an entry of accepted:", table, ARRAY_LEN(table));
}
