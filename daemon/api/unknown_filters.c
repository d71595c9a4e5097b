/* Searches for the words of a filter in the configuration and in the clusters. */
#include "daemon/api/api_internal.h"

#include "base/nearest.h"
#include "base/strmap.h"

#define KNOWN_SHOWN_MAX 8
#define RESOLVED_MAX ((size_t)64 << 10)

/* The search for one word among the known ones. */
struct search {
	const char *what;
	str given;
	bool found;
	struct nearest nearest;
	struct strmap known; /* the words that were offered so far */
};

static void offer(struct search *s, str word)
{
	s->found |= str_eq(s->given, word);
	if (s->found || !word.n || strmap_get(&s->known, word))
		return;
	nearest_offer(&s->nearest, s->given, word);
	(void)!strmap_put(&s->known, word, s, NULL); /* without memory the word is not shown */
}

static void say(struct search *s, struct buf *out)
{
	const struct strmap_entry *e;
	size_t at = 0, n = 0;

	if (!s->found) {
		buf_printf(out, "no %s '%.*s' is known%s", s->what, STR_ARG(s->given), nearest_hint(&s->nearest));
		while (n < KNOWN_SHOWN_MAX && (e = strmap_each(&s->known, &at)))
			buf_printf(out, "%s%.*s", n++ ? ", " : "; there is ", (int)e->n, e->key);
		if (n == 0)
			buf_add_cstr(out, "; there is none");
		else if (s->known.n > n)
			buf_printf(out, " and %zu more", s->known.n - n);
		buf_add_byte(out, '\n');
	}
	strmap_done(&s->known);
}

static void find_cluster(const struct metrics_view *view, str given, struct unknown_words *ret)
{
	struct search s = { .what = "cluster", .given = given };

	for (size_t i = 0; i < view->cfg->n_clusters; i++)
		offer(&s, view->cfg->clusters[i].name);
	ret->mistaken |= !s.found;
	say(&s, &ret->text);
}

static void find_reference(const struct metrics_view *view, str given, struct unknown_words *ret)
{
	struct search s = { .what = "reference", .given = given };

	for (size_t i = 0; i < view->cfg->n_references; i++)
		offer(&s, view->cfg->references[i].name);
	ret->mistaken |= !s.found;
	say(&s, &ret->text);
}

static void offer_components(struct search *s, const struct reference *r)
{
	for (size_t i = 0; i < r->n_parts; i++) {
		for (size_t k = 0; k < r->parts[i].n_components; k++)
			offer(s, r->parts[i].components[k].name);
	}
}

/* Search for the component of the filter in the references in force in the clusters of the filter. */
static void find_component(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret)
{
	struct search s = { .what = "component", .given = f->component };

	for (size_t i = 0; i < view->n_clusters; i++) {
		size_t n;
		const struct reference_judge *judges = cluster_judges(view->clusters[i], &n);

		if (f->cluster.p && !str_eq(cluster_name(view->clusters[i]), f->cluster))
			continue;
		for (size_t k = 0; k < n; k++)
			offer_components(&s, judges[k].in_force);
	}
	say(&s, &ret->text);
}

/* Call @look for each kind of the clusters of the filter. */
static void each_kind(const struct metrics_view *view, const struct finding_filter *f, struct search *s,
		      void (*look)(const struct kind *k, struct search *s))
{
	for (size_t i = 0; i < view->n_clusters; i++) {
		struct cluster_kind *const *kinds;
		size_t n;

		if (f->cluster.p && !str_eq(cluster_name(view->clusters[i]), f->cluster))
			continue;
		kinds = cluster_kinds(view->clusters[i], &n);
		for (size_t k = 0; k < n && !s->found; k++) {
			if (kinds[k]->n_watches)
				look(kinds[k]->kind, s);
		}
	}
}

static void look_at_kind(const struct kind *k, struct search *s)
{
	s->found |= kind_word_means(s->given, k->name, k->resource);
	offer(s, k->name);
	nearest_offer(&s->nearest, s->given, k->resource);
}

/* Whether a server offers such a kind, which is not watched here. *any: whether any server's kinds are known. */
static bool is_offered(const struct metrics_view *view, const struct finding_filter *f, struct search *s, bool *any)
{
	const struct kc_resource *r;

	for (size_t i = 0; i < view->n_clusters; i++) {
		if (f->cluster.p && !str_eq(cluster_name(view->clusters[i]), f->cluster))
			continue;
		for (size_t at = 0; (r = cluster_offers(view->clusters[i], &at));) {
			*any = true;
			if (kind_word_means_resource(s->given, r))
				return true;
			nearest_offer(&s->nearest, s->given, str_from(r->plural));
		}
	}
	return false;
}

static void find_kind(const struct metrics_view *view, const struct finding_filter *f, str word,
		      struct unknown_words *ret)
{
	CLEANUP(buf_done) struct buf resolved = BUF_INIT(RESOLVED_MAX);
	struct search s = { .what = "watched kind", .given = word };
	bool any = false;
	str rest;

	kind_words_resolve(view, f->cluster, word, &resolved);
	rest = buf_str(&resolved);
	while (!s.found && str_next_part(&rest, ',', &s.given))
		each_kind(view, f, &s, look_at_kind);
	s.given = word;
	if (!s.found && is_offered(view, f, &s, &any)) {
		buf_printf(&ret->text, "no reference and no rule is about '%.*s': it is not watched\n", STR_ARG(word));
		s.found = true;
	}
	ret->mistaken |= !s.found && any;
	say(&s, &ret->text);
}

static void look_at_namespaces(const struct kind *k, struct search *s)
{
	const struct object *o;
	size_t at = 0;

	while (!s->found && (o = index_each(&k->objects, &at))) {
		struct identity id = object_identity(o);

		offer(s, str_eq(id.kind, STR("Namespace")) ? id.name : id.namespace);
	}
}

void unknown_words_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret)
{
	str rest = f->kind, word;

	if (f->cluster.p)
		find_cluster(view, f->cluster, ret);
	if (f->reference.p)
		find_reference(view, f->reference, ret);
	if (ret->mistaken) /* no cluster of that name has any kind */
		return;
	while (f->kind.p && str_next_part(&rest, ',', &word))
		find_kind(view, f, word, ret);
}

void unknown_places_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret)
{
	struct search namespace = { .what = "namespace with watched objects", .given = f->namespace };

	if (f->component.p)
		find_component(view, f, ret);
	if (f->namespace.p) {
		each_kind(view, f, &namespace, look_at_namespaces);
		say(&namespace, &ret->text);
	}
}
