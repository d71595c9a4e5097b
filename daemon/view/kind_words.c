/* Looks words up among the kinds that servers offer. */
#include "daemon/view/kind_words.h"

#include "daemon/findings/finding.h"

bool kind_word_is_short(str word, const struct kc_resource *r)
{
	str rest = str_from(r->short_names ? r->short_names : ""), name;

	while (rest.n && str_next_part(&rest, ',', &name)) {
		if (str_eq_nocase(word, name))
			return true;
	}
	return false;
}

static void add_resource(const struct kc_resource *r, struct buf *out)
{
	buf_printf(out, "%s%s%s", r->plural, *r->group ? "." : "", r->group);
}

bool kind_word_means_resource(str word, const struct kc_resource *r)
{
	CLEANUP(buf_done) struct buf resource = BUF_INIT(1024);

	add_resource(r, &resource);
	return kind_word_means(word, str_from(r->kind), buf_str(&resource)) || kind_word_is_short(word, r);
}

/* Add a kind unless it is there. A kind is offered in several versions, and by several clusters: equal names mean
 * the same kind. */
static void add_once(const struct kc_resource *r, struct buf *out)
{
	CLEANUP(buf_done) struct buf resource = BUF_INIT(1024);

	add_resource(r, &resource);
	if (out->n && kind_words_mean(buf_str(out), str_from(r->kind), buf_str(&resource)))
		return;
	buf_printf(out, "%s%.*s", out->n ? "," : "", STR_ARG(buf_str(&resource)));
}

static void resolve_word(const struct metrics_view *view, str cluster, str word, struct buf *out)
{
	size_t before = out->n;

	for (size_t i = 0; i < view->n_clusters; i++) {
		const struct kc_resource *r;
		size_t at = 0;

		if (cluster.p && !str_eq(cluster_name(view->clusters[i]), cluster))
			continue;
		while ((r = cluster_offers(view->clusters[i], &at))) {
			if (kind_word_is_short(word, r))
				add_once(r, out);
		}
	}
	if (out->n == before)
		buf_printf(out, "%s%.*s", out->n ? "," : "", STR_ARG(word));
}

void kind_words_resolve(const struct metrics_view *view, str cluster, str words, struct buf *out)
{
	str rest = words, word;

	while (str_next_part(&rest, ',', &word))
		resolve_word(view, cluster, word, out);
}

struct finding_filter kind_words_filter(const struct metrics_view *view, const struct finding_filter *f,
					struct buf *kinds)
{
	struct finding_filter resolved = *f;

	if (f->kind.p) {
		kind_words_resolve(view, f->cluster, f->kind, kinds);
		resolved.kind = buf_str(kinds);
	}
	return resolved;
}
