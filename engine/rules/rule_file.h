/* Rule files of the administrator: CEL validation rules for any kind, built-in kinds included.
 *
 *   apiVersion: v1            # "*" stands for any text, also inside a name
 *   kind: ConfigMap           # "*" too
 *   namespace: shop           # optional, as are name and labelSelector
 *   labelSelector: app=web,tier in (front,back)   # or matchLabels and matchExpressions
 *   at: .data.*               # optional: where "self" is (cel/cel_at.h)
 *   for: 30s                  # optional: how long a failure must last to be reported
 *   rules:
 *     - rule: self.size() < 100
 *       message: too long
 *       severity: error       # besides the fields of a ValidationRule
 *
 * A file holds any number of YAML documents, each an entry or a list of entries. */
#ifndef RULES_RULE_FILE_H
#define RULES_RULE_FILE_H

#include "base/key.h"
#include "base/vec.h"
#include "rules/rule_set.h"
#include "value/doc.h"

struct rule_file {
	const char *path; /* the path as it was given; for messages */
	struct arena arena;
	uint64_t content; /* hash of its text (hash_seed) */
	VEC(struct doc *) docs;
	VEC(struct rule_set) sets;
};

/* Read and compile @text. @path is for messages and must outlive the result. Mistakes go to @problems with their
 * places; a rule that does not compile is a mistake. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int rule_file_parse(str text, const char *path, const struct limits *limits, struct key_table *keys,
			    struct rule_file **ret, struct problems *problems, struct err *err);
/* Append what a file may hold, for the manual. */
void rule_file_print_settings(struct buf *out);
void rule_file_free(struct rule_file *f);
DEFINE_CLEANUP(struct rule_file *, rule_file_free)

#endif
