/* Label selectors in the two forms of Kubernetes (apimachinery, pkg/labels and LabelSelector of meta/v1). */
#ifndef VALUE_LABEL_SELECTOR_H
#define VALUE_LABEL_SELECTOR_H

#include "value/node.h"
#include "value/val.h"

/* ORDER label_op: those that take values come first. */
enum label_op { LABEL_IN, LABEL_NOT_IN, LABEL_EXISTS, LABEL_ABSENT, LABEL_OPS };

struct label_requirement {
	str key;
	enum label_op op;
	const str *values;
	size_t n_values;
};

/* All requirements must hold; without any, every object matches. A selector lives in the arena that it was read
 * into. */
struct label_selector {
	const struct label_requirement *requirements;
	size_t n;
};

/* Read "a=b,c!=d,e in (f,g),h notin (i),j,!k", or a map with matchLabels and matchExpressions. Mistakes go to
 * @problems. False without memory. */
CHECKED bool label_selector_read(const struct node *n, struct arena *a, struct label_selector *ret,
				 struct problems *problems);

/* Read the text form, such as "a=b,c!=d", when it is not in a file. Fails: EINVAL, ENOMEM. */
CHECKED int label_selector_parse(str text, struct arena *a, struct label_selector *ret, struct err *err);

/* The hash of the whole selector, in the order of its terms. */
uint64_t label_selector_hash(const struct label_selector *s, uint64_t seed);

bool label_selector_matches(const struct label_selector *s, val labels);

#endif
