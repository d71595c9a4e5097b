/* Label selectors, in both forms that Kubernetes has. */
#ifndef RULES_RULE_LABELS_H
#define RULES_RULE_LABELS_H

#include "value/node.h"
#include "rules/rule_file.h"

/* Read "a=b,c!=d,e in (f,g),h notin (i),j,!k", or a map with matchLabels and matchExpressions, into @s. Mistakes go to
 * @problems. False without memory. */
CHECKED bool rule_labels_read(const struct node *n, struct arena *a, struct rule_set *s, struct problems *problems);

bool rule_labels_match(const struct rule_set *s, val labels);

#endif
