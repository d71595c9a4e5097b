/* Kinds as users of kubectl name them, short names too, as the clusters' discovery has them. */
#ifndef DAEMON_VIEW_KIND_WORDS_H
#define DAEMON_VIEW_KIND_WORDS_H

#include "daemon/serve/metrics.h"
#include "daemon/view/finding_filter.h"

/* Whether @word is a short name of @r. */
bool kind_word_is_short(str word, const struct kc_resource *r);
/* Whether @word means @r as kubectl reads it: by its kind, its resource with or without the group, or a short name. */
bool kind_word_means_resource(str word, const struct kc_resource *r);

/* Append @words (commas between them) for kind_words_mean, each short name replaced by the resources that the cluster
 * called @cluster, or with {NULL, 0} any, has under it. */
void kind_words_resolve(const struct metrics_view *view, str cluster, str words, struct buf *out);
/* @f with its kinds resolved in @kinds, where they are from then on. */
struct finding_filter kind_words_filter(const struct metrics_view *view, const struct finding_filter *f,
					struct buf *kinds);

#endif
