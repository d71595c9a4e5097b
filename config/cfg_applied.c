/* What was applied last as a reference: what an entry says of it. */
#include "config/cfg_internal.h"

#include "base/hash.h"
#include "config/kind_name.h"
#include "manifest/manifest_applied.h"

/* ---- entries ---- */

static void set_kinds(struct settings *s, void *target, const struct node *n)
{
	struct cfg_applied *a = target;

	a->kinds = setting_texts(s, n);
	a->kinds_at = n;
}

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	struct cfg_applied *a = target;

	if (!label_selector_read(n, s->arena, &a->choice.labels, s->problems))
		s->no_memory = true;
}

static const struct setting applied_settings[] = {
	{ "kinds", set_kinds, 0, NULL,
	  "which kinds of objects are looked at, as KIND.GROUP or KIND.VERSION.GROUP; required" },
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
	if (!node_get(n, "kinds") || (a->kinds_at && node_count(a->kinds_at) == 0))
		node_problem(n, s->problems, "last_applied without kinds: it is for no object");
	a->choice.namespaces = a->namespaces.p;
	a->choice.n_namespaces = a->namespaces.n;
}

void cfg_print_applied_settings(struct buf *out)
{
	settings_print(out, "last_applied, in an entry of references:", applied_settings, ARRAY_LEN(applied_settings));
}

/* ---- the reference ---- */

/* All of what the entry says: there are no files. */
static uint64_t settings_hash(const struct cfg_reference *r)
{
	const struct cfg_applied *a = &r->applied;
	uint64_t seed = hash_seed(), h = hash_mix(hash_str(STR("last applied"), seed), r->additions);

	for (size_t i = 0; i < a->kinds.n; i++)
		h = hash_mix(h, hash_str(a->kinds.p[i], seed));
	h = hash_mix(h, a->namespaces.n);
	for (size_t i = 0; i < a->namespaces.n; i++)
		h = hash_mix(h, hash_str(a->namespaces.p[i], seed));
	return hash_mix(h, label_selector_hash(&a->choice.labels, seed));
}

int cfg_make_applied(struct cfg_loader *l, struct cfg_reference *r, struct err *err)
{
	const struct cfg_applied *a = &r->applied;
	struct manifest_kind *kinds = arena_array(&l->cfg->arena, a->kinds.n, sizeof(*kinds));
	struct applied_reference_options o = {
		.limits = l->limits, .name = r->name, .kinds = kinds, .choice = &a->choice, .additions = r->additions
	};

	if (!kinds)
		return arena_error(&l->cfg->arena, err);
	for (size_t i = 0; i < a->kinds.n; i++) {
		if (kind_name_read(a->kinds.p[i], NULL, &l->cfg->arena, &kinds[o.n_kinds]))
			o.n_kinds++;
		else
			node_problem(node_item(a->kinds_at, i), l->settings.problems, KIND_NAME_UNKNOWN,
				     STR_ARG(a->kinds.p[i]));
	}
	r->content = settings_hash(r);
	return o.n_kinds ? applied_reference_make(&o, &r->reference, err) : 0;
}
