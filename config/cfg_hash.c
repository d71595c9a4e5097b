/* Hashes the settings of a cluster, to find out whether the next configuration changes it. */
#include "config/cfg.h"

#include "rules/event_set.h"
#include "rules/rule_file.h"

#include "base/hash.h"

static uint64_t add_text(uint64_t h, str s, uint64_t seed)
{
	return hash_mix(h, hash_str(s, seed));
}

static uint64_t add_texts(uint64_t h, const str *list, size_t n, uint64_t seed)
{
	h = hash_mix(h, n);
	for (size_t i = 0; i < n; i++)
		h = add_text(h, list[i], seed);
	return h;
}

static uint64_t add_reference(uint64_t h, const struct cfg_reference *r, uint64_t seed)
{
	h = add_text(h, r->name, seed);
	h = add_text(h, r->path, seed);
	h = add_text(h, r->manifests.path, seed);
	h = hash_mix(h, r->content);
	h = hash_mix(h, r->severity);
	h = hash_mix(h, r->n_components);
	h = hash_mix(h, (uint64_t)r->hold_ns);
	for (size_t i = 0; i < r->n_components; i++)
		h = hash_mix(add_text(h, r->components[i].component, seed), r->components[i].severity);
	h = hash_mix(h, r->n_event_sets);
	for (size_t i = 0; i < r->n_event_sets; i++)
		h = hash_mix(h, r->event_sets[i]->content);
	h = hash_mix(h, text_list_hash(r->exclude_namespaces, seed));
	h = hash_mix(h, text_list_hash(r->exclude_names, seed));
	return add_text(h, r->inspection_scope, seed);
}

/* Hash the settings of inspection. The file of built-in rules does not count: its rules take effect at the next
 * start. */
static uint64_t add_inspection(uint64_t h, const struct cfg_inspection *x, uint64_t seed)
{
	h = add_text(h, x->default_scope, seed);
	h = hash_mix(h, x->mask_secrets);
	h = add_text(h, x->supported_interfaces, seed);
	h = add_texts(h, x->call_prefixes, x->n_call_prefixes, seed);
	h = add_text(h, x->discovered_scope, seed);
	h = hash_mix(h, x->severity);
	return hash_mix(h, x->effects_per_minute);
}

static uint64_t add_watch(uint64_t h, const struct cfg_watch *w, uint64_t seed)
{
	h = add_text(h, w->api_version, seed);
	h = add_text(h, w->kind, seed);
	return add_texts(h, w->namespaces, w->n_namespaces, seed);
}

uint64_t cfg_cluster_hash(const struct cfg *cfg, const struct cfg_cluster *c, uint64_t seed)
{
	uint64_t h = add_text(seed, c->name, seed);

	h = add_text(h, c->kubeconfig, seed);
	h = add_text(h, c->context, seed);
	h = hash_mix(h, c->crd_rules_referenced);
	h = hash_mix(h, c->n_references);
	for (size_t i = 0; i < c->n_references; i++)
		h = add_reference(h, c->references[i], seed);
	h = add_texts(h, cfg->mask.sensitive, cfg->mask.n_sensitive, seed);
	h = add_texts(h, cfg->mask.shown, cfg->mask.n_shown, seed);
	h = hash_mix(h, cfg->n_rule_files);
	for (size_t i = 0; i < cfg->n_rule_files; i++)
		h = hash_mix(h, cfg->rule_files[i]->content);
	h = hash_mix(h, cfg->validation_severity);
	h = hash_mix(h, (uint64_t)cfg->evidence_ns);
	h = add_inspection(h, &cfg->inspection, seed);
	h = hash_mix(h, cfg->n_watch);
	for (size_t i = 0; i < cfg->n_watch; i++)
		h = add_watch(h, &cfg->watch[i], seed);
	return h;
}
