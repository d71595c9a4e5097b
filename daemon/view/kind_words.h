/* Kinds as users of kubectl name them, including the short names that clusters' discovery knows. */
#ifndef DAEMON_VIEW_KIND_WORDS_H
#define DAEMON_VIEW_KIND_WORDS_H

#include "daemon/serve/metrics.h"
#include "daemon/view/finding_filter.h"

/* Whether @word is a short name of @r. */
bool kind_word_is_short(str word, const struct kc_resource *r);
/* Whether @word means @r as kubectl reads it: its kind, its resource with or without the group, or a short name. */
bool kind_word_means_resource(str word, const struct kc_resource *r);

/* Append @words, which are separated by commas, for kind_words_mean: each short name is replaced by the resources
 * that it stands for in the cluster @cluster, or, with {NULL, 0}, in any cluster. */
void kind_words_resolve(const struct metrics_view *view, str cluster, str words, struct buf *out);
/* The filter @f with its kinds resolved. The result borrows from @kinds. */
struct finding_filter kind_words_filter(const struct metrics_view *view, const struct finding_filter *f,
					struct buf *kinds);

#endif
