/* Rule files of the administrator: CEL validation rules for any kind, built-in kinds included.
 *
 *   apiVersion: v1            # "*" stands for any text, also inside a name
 *   kind: ConfigMap           # "*" too
 *   namespace: shop           # optional, as are name and labelSelector
 *   labelSelector: app=web,tier in (front,back)   # or matchLabels and matchExpressions
 *   at: .data.*               # optional: where "self" is (cel/cel_at.h)
 *   rules:
 *     - rule: self.size() < 100
 *       message: too long
 *       severity: error       # besides the fields of a ValidationRule
 *
 * A file holds any number of YAML documents, each an entry or a list of entries. */
#ifndef RULES_RULE_FILE_H
#define RULES_RULE_FILE_H

#include "base/key.h"
#include "base/problems.h"
#include "base/vec.h"
#include "cel/cel_at.h"
#include "cel/cel_rules.h"
#include "value/doc.h"

enum rule_label_op { LABEL_IN, LABEL_NOT_IN, LABEL_EXISTS, LABEL_ABSENT };

/* One requirement of a label selector. */
struct rule_label {
	str key;
	enum rule_label_op op;
	const str *values;
	size_t n_values;
};

/* One entry of a file. */
struct rule_set {
	str where;                              /* "file:line:column" */
	str api_version, kind, namespace, name; /* patterns; empty: any */
	const struct rule_label *labels;        /* all must hold */
	size_t n_labels;
	struct cel_at at;
	val list;                /* the rules as written */
	struct cel_rules *rules; /* compiled without a schema, in the order of @list */
	const int *severities;   /* by rule; 0: none given */
};

struct rule_file {
	struct arena arena;
	uint64_t content; /* hash of its text (hash_seed) */
	VEC(struct doc *) docs;
	VEC(struct rule_set) sets;
};

/* Parse and compile @text; @path is for messages and must outlive the result. Mistakes go to @problems with their
 * places, a rule that does not compile is one. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int rule_file_parse(str text, const char *path, const struct limits *limits, struct key_table *keys,
			    struct rule_file **ret, struct problems *problems, struct err *err);
/* The same from a file. A file that cannot be read is a mistake. */
CHECKED int rule_file_load(const char *path, const struct limits *limits, struct key_table *keys,
			   struct rule_file **ret, struct problems *problems, struct err *err);
void rule_file_free(struct rule_file *f);
DEFINE_CLEANUP(struct rule_file *, rule_file_free)

/* Whether the entry is for a kind at all, and whether for this object of it. */
bool rule_set_for_kind(const struct rule_set *s, str api_version, str kind);
bool rule_set_for_object(const struct rule_set *s, val object);
/* Where @f is, with the fieldPath of a rule that has no schema to check it with: it is taken as it stands. In @a or
 * borrowed; empty: the object itself. {NULL, 0} without memory. */
str rule_failure_path(const struct cel_failure *f, struct arena *a);
/* Whether the entry names exactly one kind. */
bool rule_set_names_kind(const struct rule_set *s);

#endif
