/* Merges lists of entries by name, and resolves paths relative to the file that contains them. */
#include "config/cfg_internal.h"

#include "base/file.h"
#include "base/nearest.h"
#include "config/paths.h"

#include <errno.h>

static bool entry_name(struct cfg_loader *l, const struct node *n, str *ret)
{
	const struct node *name = node_get(n, "name");

	if (!setting_expect(&l->settings, n, NODE_MAP, "an entry with a name"))
		return false;
	if (!name || name->kind != NODE_SCALAR || name->text.n == 0) {
		node_problem(n, l->settings.problems, "this entry has no name");
		return false;
	}
	*ret = name->text;
	return true;
}

/* The first entry with that name before the one at @i; NULL: there is none. */
static const struct node *repeated_in(const struct node *list, size_t i, str name)
{
	for (size_t j = 0; j < i; j++) {
		const struct node *other = node_get(list->items[j], "name");

		if (other && other->kind == NODE_SCALAR && str_eq(other->text, name))
			return list->items[j];
	}
	return NULL;
}

static void *entry_at(const struct cfg_entries *entries, size_t i)
{
	return (char *)entries->p + i * entries->size;
}

static str name_at(const struct cfg_entries *entries, size_t i)
{
	return *(const str *)entry_at(entries, i);
}

static void *find(const struct cfg_entries *entries, str name)
{
	for (size_t i = 0; i < *entries->n; i++) {
		if (str_eq(name_at(entries, i), name))
			return entry_at(entries, i);
	}
	return NULL;
}

void *cfg_entry_named(struct cfg_loader *l, const struct node *n, const struct cfg_entries *entries, const char *noun,
		      str whose)
{
	struct nearest meant = { 0 };
	void *known;

	if (!setting_expect(&l->settings, n, NODE_SCALAR, "a name"))
		return NULL;
	known = find(entries, n->text);
	for (size_t i = 0; !known && i < *entries->n; i++)
		nearest_offer(&meant, n->text, name_at(entries, i));
	if (!known)
		node_problem(n, l->settings.problems, "%s '%.*s' names %s '%.*s', which is not defined%s", noun,
			     STR_ARG(whose), entries->noun, STR_ARG(n->text), nearest_hint(&meant));
	return known;
}

static void *too_many(struct cfg_loader *l, const struct node *item, const struct cfg_entries *entries, str name)
{
	node_problem(item, l->settings.problems, "more than %d entries: %s '%.*s'", CFG_ENTRIES_MAX, entries->noun,
		     STR_ARG(name));
	return NULL;
}

void *cfg_entry_place(struct cfg_loader *l, const struct node *list, size_t i, const struct cfg_entries *entries)
{
	const struct node *item = list->items[i], *first;
	void *known;
	str name;

	if (!entry_name(l, item, &name))
		return NULL;
	if (i >= CFG_ENTRIES_MAX) /* whether it stands twice or not; nothing is compared with all of a long list */
		return too_many(l, item, entries, name);
	first = repeated_in(list, i, name);
	if (first)
		node_problem(item, l->settings.problems, "%s '%.*s' appears twice here; first at %zu:%zu",
			     entries->noun, STR_ARG(name), first->line, first->column);
	known = find(entries, name);
	if (known)
		return known;
	if (*entries->n == CFG_ENTRIES_MAX)
		return too_many(l, item, entries, name);
	return entry_at(entries, (*entries->n)++);
}

str cfg_resolve_path(struct cfg_loader *l, str path, const char *file)
{
	const char *slash = strrchr(file, '/');
	str r;

	if (path.n == 0 || path.p[0] == '/' || !slash)
		return path;
	r = arena_printf(&l->cfg->arena, "%.*s%.*s", (int)(slash - file + 1), file, STR_ARG(path));
	l->settings.no_memory |= !r.p;
	return r;
}

bool cfg_refuse_pattern(struct cfg_loader *l, const struct node *n, const char *noun, str name, str path)
{
	CLEANUP(freep) char *copy = str_dup(path);
	bool pattern;

	l->settings.no_memory |= !copy;
	pattern = copy && path_is_pattern(copy);
	if (pattern)
		node_problem(
			n, l->settings.problems,
			"'%s' is a pattern, and %s '%.*s' is one file; give each file an entry with a name of its own",
			copy, noun, STR_ARG(name));
	return pattern;
}

str cfg_where(struct cfg_loader *l, const struct node *n)
{
	str s = node_where(n, &l->cfg->arena);

	l->settings.no_memory |= !s.p;
	return s;
}

int cfg_read_named(str where, const char *path, const struct limits *limits, char **ret, size_t *len,
		   struct problems *problems, struct err *err)
{
	int r = file_read(path, limits->file_bytes, ret, len, err);

	if (r == 0 || r == -ENOMEM)
		return r;
	problems_add(problems, "%.*s: %s", STR_ARG(where), err->msg);
	return err_set(err, EINVAL, "'%s' cannot be read", path);
}
