/* Reads the entry of a reference that consists of the last-applied configurations in the cluster. */
#include "config/cfg_internal.h"

#include "base/hash.h"
#include "manifest/manifest_applied.h"

/* ---- entries ---- */

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	struct cfg_applied *a = target;

	if (!label_selector_read(n, s->arena, &a->choice.labels, s->problems))
		s->no_memory = true;
}

static const struct setting applied_settings[] = {
	{ "kinds", kind_names_set, offsetof(struct cfg_applied, kinds), NULL,
	  "which kinds of objects are compared, as KIND.GROUP or KIND.VERSION.GROUP; required" },
	{ "namespaces", setting_text_list, offsetof(struct cfg_applied, namespaces), "all of them",
	  "patterns: in which namespaces" },
	{ "labels", set_labels, 0, "all of them", "a label selector: which objects" },
};

void cfg_set_applied(struct settings *s, void *target, const struct node *n)
{
	struct cfg_applied *a = target;

	if (!setting_expect(s, n, NODE_MAP, "a map with kinds"))
		return;
	settings_read(s, n, applied_settings, ARRAY_LEN(applied_settings), a);
	if (!node_get(n, "kinds") || (a->kinds.at && node_count(a->kinds.at) == 0))
		node_problem(n, s->problems, "last_applied without kinds: it is for no object");
	a->choice.namespaces = a->namespaces.p;
	a->choice.n_namespaces = a->namespaces.n;
}

void cfg_print_applied_settings(struct buf *out)
{
	settings_print(out, "last_applied, in an entry of references:", applied_settings, ARRAY_LEN(applied_settings));
}

/* ---- the reference ---- */

/* Hash the whole entry, since there are no files. */
static uint64_t settings_hash(const struct cfg_reference *r)
{
	const struct cfg_applied *a = &r->applied;
	uint64_t seed = hash_seed(), h = hash_mix(hash_str(STR("last applied"), seed), r->additions);

	h = hash_mix(h, text_list_hash(a->kinds.texts, seed));
	h = hash_mix(h, text_list_hash(a->namespaces, seed));
	return hash_mix(h, label_selector_hash(&a->choice.labels, seed));
}

int cfg_make_applied(struct cfg_loader *l, struct cfg_reference *r, struct err *err)
{
	const struct cfg_applied *a = &r->applied;
	struct applied_reference_options o = {
		.limits = l->limits, .name = r->name, .choice = &a->choice, .additions = r->additions
	};

	o.kinds = kind_names_read(&a->kinds, NULL, &l->settings, &o.n_kinds);
	if (!o.kinds)
		return err_nomem(err);
	r->content = settings_hash(r);
	return o.n_kinds ? applied_reference_make(&o, &r->reference, err) : 0;
}
