/* Reads the entries of sets of event rules, and the references that they are for. */
#include "config/cfg_internal.h"

#include "rules/event_set.h"

#include <errno.h>

static const struct setting event_rules_settings[] = {
	{ "name", setting_text, offsetof(struct cfg_event_rules, name), NULL, "how references call it; required" },
	{ "path", setting_text, offsetof(struct cfg_event_rules, path), NULL,
	  "the file with the rules, relative to this file; required" },
};

static struct cfg_entries entries_of(struct cfg_loader *l)
{
	return (struct cfg_entries){ "event rule set", l->event_rules, sizeof(*l->event_rules),
				     &l->cfg->n_event_rules };
}

void cfg_set_event_rules(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;
	struct cfg_entries entries = entries_of(l);

	(void)target;
	if (!setting_expect(s, n, NODE_LIST, "a list of sets, each with name and path"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		struct cfg_event_rules *x = cfg_entry_place(l, n, i, &entries);

		if (!x)
			continue;
		*x = (struct cfg_event_rules){ .where = cfg_where(l, n->items[i]) };
		settings_read(s, n->items[i], event_rules_settings, ARRAY_LEN(event_rules_settings), x);
		if (x->path.n == 0)
			node_problem(n->items[i], s->problems, "event rule set '%.*s' has no path", STR_ARG(x->name));
		x->path = cfg_resolve_path(l, x->path, n->file);
		if (cfg_refuse_pattern(l, node_get(n->items[i], "path"), "event rule set", x->name, x->path))
			x->path = STR("");
	}
}

void cfg_print_event_rules_settings(struct buf *out)
{
	settings_print(out, "an entry of event_rules:", event_rules_settings, ARRAY_LEN(event_rules_settings));
}

void cfg_load_event_rules(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->cfg->n_event_rules; i++) {
		struct cfg_event_rules *x = &l->event_rules[i];
		/* The path with a NUL at the end. It lives as long as the set. */
		str path = arena_str(&l->cfg->arena, x->path);
		CLEANUP(freep) char *text = NULL;
		struct err err;
		size_t n;
		int r;

		if (x->path.n == 0)
			continue;
		r = path.p ? cfg_read_named(x->where, path.p, l->limits, &text, &n, l->settings.problems, &err)
			   : -ENOMEM;
		if (r == 0)
			r = event_set_parse((str){ text, n }, path.p, l->limits, &x->set, l->settings.problems, &err);
		l->settings.no_memory |= r == -ENOMEM;
	}
}

/* ---- what references name ---- */

static bool is_among(const struct event_set *set, const struct event_set *const *sets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sets[i] == set)
			return true;
	}
	return false;
}

static void resolve(struct cfg_loader *l, struct cfg_reference *r, const struct node *names)
{
	const struct event_set **sets = arena_array(&l->cfg->arena, node_count(names), sizeof(*sets));
	struct cfg_entries entries = entries_of(l);

	l->settings.no_memory |= !sets;
	for (size_t i = 0; sets && i < node_count(names); i++) {
		const struct node *name = node_item(names, i);
		const struct cfg_event_rules *x = cfg_entry_named(l, name, &entries, "reference", r->name);

		if (!x)
			continue;
		if (x->set && is_among(x->set, sets, r->n_event_sets))
			node_problem(name, l->settings.problems, "reference '%.*s' names event rule set '%.*s' twice",
				     STR_ARG(r->name), STR_ARG(name->text));
		else if (x->set) /* otherwise the file has mistakes */
			sets[r->n_event_sets++] = x->set;
	}
	r->event_sets = sets;
}

void cfg_resolve_event_rules(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->cfg->n_references; i++) {
		if (l->reference_entries[i].event_rules)
			resolve(l, &l->references[i], l->reference_entries[i].event_rules);
	}
}
