/* Warns of entries without an effect, because nothing has the names in them. They are accepted, but are hardly
 * intended. */
#include "config/cfg_internal.h"

#include "base/nearest.h"
#include "base/pattern.h"
#include "rules/event_set.h"

#include <stdio.h>
#include <time.h>

#define NAMES_MAX 1024 /* bytes */

static str before_dot(str s)
{
	ptrdiff_t dot = str_find_byte(s, '.');

	return dot < 0 ? s : str_sub(s, 0, (size_t)dot);
}

/* ---- accepted deviations ---- */

/* Whether @a names the kind of @id, or what its resource may be called: no server is asked here. */
static bool names_kind(const struct acceptance *a, const struct identity *id)
{
	static const char *const endings[] = { "", "s", "es", "ies" };
	struct acceptance only = { .kind = a->kind };
	bool ends_in_y = id->kind.n && id->kind.p[id->kind.n - 1] == 'y';
	str group = group_version_of(id->api_version).group;

	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		bool cut = i + 1 == ARRAY_LEN(endings);
		struct accepted_object o = { .kind = id->kind };
		char resource[NAMES_MAX];

		if (cut && !ends_in_y)
			continue;
		(void)snprintf(resource, sizeof(resource), "%.*s%s%s%.*s",
			       STR_ARG(str_sub(id->kind, 0, id->kind.n - cut)), endings[i], group.n ? "." : "",
			       STR_ARG(group));
		for (char *p = resource; *p; p++)
			*p |= *p >= 'A' && *p <= 'Z' ? 0x20 : 0;
		o.resource = str_from(resource);
		if (acceptance_for_object(&only, &o))
			return true;
	}
	return false;
}

/* Check the kind of an accepted deviation: only deviations from a template can be accepted. */
static void check_kind(struct cfg_loader *l, const struct cfg_accepted_entry *x)
{
	const struct acceptance *a = &x->is.says;
	struct nearest nearest = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < l->cfg->n_references; i++) {
		const struct reference *r = l->cfg->references[i].reference;

		if (!r || !pattern_allows(a->reference, l->cfg->references[i].name))
			continue;
		for (size_t k = 0; k < r->n_templates; k++, n++) {
			const struct identity *id = &r->templates[k]->identity;

			if (names_kind(a, id))
				return;
			nearest_offer(&nearest, before_dot(a->kind), id->kind);
		}
	}
	if (n)
		cfg_warn(l, "%.*s: accepted: no template is for objects of kind '%.*s'%s", STR_ARG(cfg_where(l, x->at)),
			 STR_ARG(a->kind), nearest_hint(&nearest));
}

static void check_until(struct cfg_loader *l, const struct cfg_accepted_entry *x)
{
	if (x->is.until_usec / 1000000 < time(NULL))
		cfg_warn(l, "%.*s: accepted: 'until: %.*s' is over: this accepts nothing any more",
			 STR_ARG(cfg_where(l, x->at)), STR_ARG(x->is.says.until));
}

/* ---- event rules ---- */

struct idle {
	struct cfg_loader *l;
	const struct event_set *set;
	const struct event_set_rule *rule;
};

static bool uses(const struct cfg_reference *r, const struct event_set *set)
{
	for (size_t i = 0; i < r->n_event_sets; i++) {
		if (r->event_sets[i] == set)
			return true;
	}
	return false;
}

/* Whether @s selects a template of a reference with the set; if not, *nearest gets the most similar name among them. */
static bool selects(const struct idle *x, const struct event_selector *s, bool kinds, struct nearest *nearest)
{
	str word = kinds ? before_dot(s->kinds.p[0]) : s->templates.p[0];
	size_t n = 0;

	for (size_t i = 0; i < x->l->cfg->n_references; i++) {
		const struct cfg_reference *r = &x->l->cfg->references[i];

		for (size_t k = 0; r->reference && uses(r, x->set) && k < r->reference->n_templates; k++, n++) {
			const struct ref_template *t = r->reference->templates[k];

			if (r->reference->changes && !kinds)
				return true; /* the names of releases are not known here */
			if (event_selector_matches(s, &t->identity, t->path, (val){ 0 }))
				return true;
			nearest_offer(nearest, word, kinds ? t->identity.kind : t->path);
		}
	}
	return n == 0; /* no reference names the set, or those that do could not be read */
}

static void check_patterns(const struct idle *x, const struct event_patterns *patterns, bool kinds)
{
	for (size_t i = 0; i < patterns->n; i++) {
		struct event_patterns one = { &patterns->p[i], 1 };
		struct event_selector s = { 0 };
		struct nearest nearest = { 0 };

		*(kinds ? &s.kinds : &s.templates) = one;
		if (selects(x, &s, kinds, &nearest))
			continue;
		cfg_warn(x->l,
			 kinds ? "%.*s: event rule: no template is for objects of kind '%.*s'%s"
			       : "%.*s: event rule: no template is called '%.*s'%s",
			 STR_ARG(x->rule->where), STR_ARG(patterns->p[i]), nearest_hint(&nearest));
	}
}

static void check_set(struct cfg_loader *l, const struct event_set *set)
{
	for (size_t i = 0; i < set->n; i++) {
		struct idle x = { l, set, &set->rules[i] };

		check_patterns(&x, &set->rules[i].selector.kinds, true);
		check_patterns(&x, &set->rules[i].selector.templates, false);
	}
}

void cfg_warn_of_idle(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->accepted.n; i++) {
		if (l->accepted.p[i].is.says.kind.n)
			check_kind(l, &l->accepted.p[i]);
		check_until(l, &l->accepted.p[i]);
	}
	for (size_t i = 0; i < l->cfg->n_event_rules; i++) {
		if (l->event_rules[i].set)
			check_set(l, l->event_rules[i].set);
	}
}
