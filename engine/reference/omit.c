/* Reads lists of fields to omit, and resolves which list includes which. */
#include "base/nearest.h"
#include "base/vec.h"
#include "reference/ref_internal.h"
#include "text/path_to_list.h"
#include "value/kube_names.h"

#include <errno.h>

#define OMIT_STEPS_MAX 1000000 /* entries visited while includes are resolved: nested includes multiply */
#define OMIT_NESTING_MAX 100   /* lists that include one another in a row */

static const char *const built_in_paths[] = {
	"metadata.resourceVersion",
	"metadata.uid",
	"metadata.creationTimestamp",
	"metadata.generation",
	"metadata.managedFields",
	"metadata.selfLink",
	"metadata.generateName",
	"metadata.finalizers",
	("\"" KUBE_LAST_APPLIED "\""),
	("metadata.annotations.\"" KUBE_LAST_APPLIED "\""),
	"status",
};

struct resolver {
	struct ref_loader *l;
	val items;
	VEC(struct omit_path) paths;
	const str *stack[OMIT_NESTING_MAX];
	size_t depth;
	uint32_t steps;
};

/* ---- the lists of a reference ---- */

static int put_built_in(struct ref_loader *l, val *items)
{
	struct arena *a = &l->ref->arena;
	val paths[ARRAY_LEN(built_in_paths)];
	const struct key *key;
	val list;

	for (size_t i = 0; i < ARRAY_LEN(built_in_paths); i++) {
		struct member m = { key_make(NULL, a, STR("pathToKey")), val_string(str_from(built_in_paths[i])) };

		if (!m.key)
			return err_nomem(l->err);
		paths[i] = val_map(a, &m, 1);
		if (!val_exists(paths[i]))
			return err_nomem(l->err);
	}
	key = key_make(NULL, a, STR(REF_BUILT_IN));
	list = val_list(a, paths, ARRAY_LEN(paths));
	if (!key || !val_exists(list))
		return err_nomem(l->err);
	*items = val_map_with(a, *items, key, list);
	return val_exists(*items) ? 0 : err_nomem(l->err);
}

/* Set the schema's defaults in the metadata itself, because the hash covers it. */
static int complete(struct ref_loader *l, val *items)
{
	struct arena *a = &l->ref->arena;
	val omit = VAL_GET(l->meta, "fieldsToOmit");
	val name = VAL_GET(omit, "defaultOmitRef");
	const struct key *omit_key = key_make(NULL, a, STR("fieldsToOmit"));
	const struct key *items_key = key_make(NULL, a, STR("items"));
	const struct key *default_key = key_make(NULL, a, STR("defaultOmitRef"));
	int r;

	*items = VAL_GET(omit, "items");
	if (val_exists(VAL_GET(*items, REF_BUILT_IN)) && l->o->warning)
		l->o->warning(l->o->ctx, "fieldsToOmit.Map contains the key \"" REF_BUILT_IN
					 "\", this will be overwritten with default values");
	r = put_built_in(l, items);
	if (r < 0)
		return r;
	l->omit_default = val_str(name).n ? val_str(name) : STR(REF_BUILT_IN);
	if (!omit_key || !items_key || !default_key)
		return err_nomem(l->err);
	omit = val_map_with(a, omit, items_key, *items);
	if (val_exists(omit))
		omit = val_map_with(a, omit, default_key, val_string(l->omit_default));
	if (val_exists(omit))
		omit = val_map_with(a, l->meta, omit_key, omit);
	if (!val_exists(omit))
		return err_nomem(l->err);
	l->meta = omit;
	return 0;
}

/* Add a pathToKey to the paths. If it is wrong, that is a problem of the list that contains it. */
static int add_path(struct resolver *r, val entry)
{
	struct omit_path p = { .prefix = VAL_GET(entry, "isPrefix").b };
	str *keys = NULL;
	struct err e;
	int rc = path_to_list(val_str(VAL_GET(entry, "pathToKey")), &r->l->ref->arena, &keys, &p.n, &e);

	if (rc == -ENOMEM)
		return err_nomem(r->l->err);
	if (rc < 0) {
		if (r->depth == 1)
			ref_mistake(r->l, val_str(VAL_GET(entry, "pathToKey")), "%s", e.msg);
		return 0;
	}
	p.keys = keys;
	return vec_push(&r->paths, p) ? 0 : err_nomem(r->l->err);
}

static bool on_stack(const struct resolver *r, str name)
{
	for (size_t i = 0; i < r->depth; i++) {
		if (str_eq(*r->stack[i], name))
			return true;
	}
	return false;
}

static int report_circle(struct resolver *r, str name)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	for (size_t i = 0; i < r->depth; i++) {
		buf_add_str(&text, *r->stack[i]);
		buf_add_cstr(&text, " -> ");
	}
	buf_add_str(&text, name);
	if (text.error == -ENOMEM)
		return err_nomem(r->l->err);
	ref_mistake(r->l, name, "circular import found %.*s", STR_ARG(buf_str(&text)));
	return 0;
}

/* Warn of a name that no list has, for which nothing is omitted. It is no mistake, because references with such
 * names were in use for months, and everything else can be compared. */
static void warn_of_name(struct ref_loader *l, val items, str name, const char *what)
{
	struct nearest nearest = { 0 };

	for (uint32_t i = 0; i < items.n; i++)
		nearest_offer(&nearest, name, key_str(items.members[i].key));
	ref_warning(l, name, "%s \"%.*s\", which is not found in items: nothing is omitted for it%s", what,
		    STR_ARG(name), nearest_hint(&nearest));
}

static int warn_of_include(struct resolver *r, str name)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(64 << 10);

	buf_printf(&what, "fieldsToOmit list \"%.*s\" includes", STR_ARG(*r->stack[0]));
	if (what.error)
		return buf_error(&what, "the name of a list", r->l->err);
	warn_of_name(r->l, r->items, name, what.p);
	return 0;
}

static int resolve_list(struct resolver *r, str name);

static int resolve_include(struct resolver *r, str name)
{
	if (on_stack(r, name))
		return report_circle(r, name);
	if (val_exists(val_get(r->items, name)))
		return resolve_list(r, name);
	return r->depth == 1 ? warn_of_include(r, name) : 0;
}

static int resolve_entry(struct resolver *r, val entry, bool v2)
{
	str include = val_str(VAL_GET(entry, "include"));
	bool has_path = val_str(VAL_GET(entry, "pathToKey")).n > 0;
	int rc;

	if (++r->steps == OMIT_STEPS_MAX)
		ref_mistake(r->l, *r->stack[0], "fieldsToOmit: more than %d entries when includes are resolved",
			    OMIT_STEPS_MAX);
	if (r->steps >= OMIT_STEPS_MAX)
		return 0;
	if (v2 && !has_path && !include.n) {
		if (r->depth == 1)
			ref_mistake(r->l, *r->stack[0], "must have either include or pathToKey");
		return 0;
	}
	if (!v2 || has_path) {
		rc = add_path(r, entry);
		if (rc < 0)
			return rc;
	}
	return include.n ? resolve_include(r, include) : 0;
}

/* Add the entries of the list @name, and of the lists that it includes, to the paths. */
static int resolve_list(struct resolver *r, str name)
{
	val list = val_get(r->items, name);
	int rc = 0;

	if (r->depth == OMIT_NESTING_MAX) {
		ref_mistake(r->l, name, "fieldsToOmit: more than %d lists include one another", OMIT_NESTING_MAX);
		r->steps = OMIT_STEPS_MAX;
		return 0;
	}
	r->stack[r->depth++] = &name;
	for (uint32_t i = 0; i < val_count(list) && rc == 0; i++)
		rc = resolve_entry(r, val_at(list, i), r->l->ref->version == 2);
	r->stack[--r->depth] = NULL;
	return rc;
}

static int resolve_all(struct ref_loader *l, val items)
{
	struct resolver r = { .l = l, .items = items };
	struct ref_omit_entry *lists = arena_array(&l->ref->arena, items.n, sizeof(*lists));
	int rc = lists ? 0 : err_nomem(l->err);

	for (uint32_t i = 0; i < items.n && rc == 0; i++) {
		struct omit_path *copy;

		r.paths.n = 0;
		rc = resolve_list(&r, key_str(items.members[i].key));
		copy = arena_array(&l->ref->arena, r.paths.n, sizeof(*copy));
		if (rc == 0 && !copy)
			rc = err_nomem(l->err);
		if (rc < 0)
			break;
		if (r.paths.n)
			memcpy(copy, r.paths.p, r.paths.n * sizeof(*copy));
		lists[i] = (struct ref_omit_entry){ key_str(items.members[i].key), { copy, r.paths.n, NULL } };
	}
	vec_done(&r.paths);
	if (rc < 0)
		return rc;
	l->omit = lists;
	l->n_omit = items.n;
	return 0;
}

static const struct ref_omit_entry *find_list(const struct ref_loader *l, str name)
{
	for (size_t i = 0; i < l->n_omit; i++) {
		if (str_eq(l->omit[i].name, name))
			return &l->omit[i];
	}
	return NULL;
}

int ref_resolve_omit(struct ref_loader *l)
{
	val items;
	int r = complete(l, &items);

	if (r == 0)
		r = resolve_all(l, items);
	if (r < 0)
		return r;
	if (find_list(l, l->omit_default))
		return 0;
	if (l->ref->version == 2)
		warn_of_name(l, items, l->omit_default, "fieldsToOmit's defaultOmitRef is");
	else
		ref_mistake(l, l->omit_default, "fieldsToOmit's defaultOmitRef \"%.*s\" not found in items",
			    STR_ARG(l->omit_default));
	return 0;
}

int ref_omit_for(struct ref_loader *l, val refs, struct omit_list *ret)
{
	const struct ref_omit_entry *list;
	struct omit_path *paths;
	size_t n = 0;

	if (val_count(refs) == 0) {
		list = find_list(l, l->omit_default);
		return list ? omit_list_make(list->list.paths, list->list.n, &l->ref->arena, ret, l->err)
			    : omit_list_make(NULL, 0, &l->ref->arena, ret, l->err);
	}
	for (uint32_t i = 0; i < refs.n; i++) {
		list = find_list(l, val_str(refs.items[i]));
		n += list ? list->list.n : 0;
	}
	paths = arena_array(&l->ref->arena, n, sizeof(*paths));
	if (!paths)
		return err_nomem(l->err);
	n = 0;
	for (uint32_t i = 0; i < refs.n; i++) {
		list = find_list(l, val_str(refs.items[i]));
		if (!list)
			ref_mistake(l, val_str(refs.items[i]),
				    "fieldsToOmitRefs entry \"%.*s\" not found it fieldsToOmit Items",
				    STR_ARG(val_str(refs.items[i])));
		else if (list->list.n)
			memcpy(paths + n, list->list.paths, list->list.n * sizeof(*paths));
		n += list ? list->list.n : 0;
	}
	return omit_list_make(paths, n, &l->ref->arena, ret, l->err);
}
