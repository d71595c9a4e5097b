/* Files of event rules, as administrators write them:
 *
 *   list_order: false       # optional: whether the order of lists without a key counts; it does unless said otherwise
 *   rules:
 *     - type: allow           # allow, warn, error or ignore
 *       change: modify        # optional: any (as when left out), create, delete, modify
 *       path: spec.replicas   # event_path.h
 *       message: scaled by the autoscaler
 *       action: none          # optional: a word of the reader's
 *       severity: notice      # optional: instead of that of the type
 *       equal: quantity       # optional: quantity, duration, number, set: what it finds the same is no change;
 *                             # a rule may have it instead of a type
 *       for: 30s              # optional: how long it must last to be reported
 *       kinds: [Deployment]   # optional, as are namespaces, names, labels, templates, manager: what the rule is for
 *       manager: horizontal-pod-autoscaler
 *
 * Selectors but "labels" (label_selector.h) are patterns (base/pattern.h), one or a list of which one must match. A
 * file is one document.
 *
 * What a rule is for only filters: it weighs nothing where several rules match. */
#ifndef RULES_EVENT_SET_H
#define RULES_EVENT_SET_H

#include "base/problems.h"
#include "base/severity.h"
#include "rules/event_rules.h"
#include "value/identity.h"
#include "value/label_selector.h"

/* ORDER event_equal */
enum event_equal { EVENT_EQUAL_NONE, EVENT_EQUAL_QUANTITY, EVENT_EQUAL_DURATION, EVENT_EQUAL_NUMBER, EVENT_EQUAL_SET };

struct event_patterns {
	const str *p;
	size_t n; /* 0: any text */
};

/* Selects the objects that a rule is for, and the writers of the changed field: all parts must match. */
struct event_selector {
	struct event_patterns kinds;      /* "Deployment" of any group, "Deployment.apps", "ConfigMap." */
	struct event_patterns namespaces; /* "" for an object without a namespace */
	struct event_patterns names;
	struct event_patterns templates; /* paths of the reference's templates */
	struct event_patterns managers;  /* the managers who wrote the field */
	struct label_selector labels;
};

struct event_set_rule {
	struct event_rule rule;
	bool typed; /* false: the rule only has "equal" */
	enum event_equal equal;
	int severity;    /* enum severity; 0: that of the type */
	int64_t hold_ns; /* -1: as the reference says */
	struct event_selector selector;
	str where; /* "file:line:column" */
};

/* One file of event rules. */
struct event_set {
	const char *path; /* the path as it was given; for messages */
	struct arena arena;
	uint64_t content;                   /* hash of its text (hash_seed) */
	bool lists_unordered;               /* "list_order: false" */
	const struct event_set_rule *rules; /* the rules in the order of the file */
	size_t n;
};

#define EVENT_SET_RULES_MAX 10000

/* Read the rules in @text. @path is for messages and must outlive the result. Mistakes go to @problems with their
 * places. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int event_set_parse(str text, const char *path, const struct limits *limits, struct event_set **ret,
			    struct problems *problems, struct err *err);
/* Read a file as event_set_parse reads a text. A file that cannot be read is a mistake. */
CHECKED int event_set_load(const char *path, const struct limits *limits, struct event_set **ret,
			   struct problems *problems, struct err *err);
/* Append what a file may hold, for the manual. */
void event_set_print_settings(struct buf *out);
/* NULL is allowed. */
void event_set_free(struct event_set *s);
DEFINE_CLEANUP(struct event_set *, event_set_free)

/* Whether @s selects the object @id, which has @labels (VAL_ABSENT: none) and belongs to @template, no matter who
 * wrote the field. */
bool event_selector_matches(const struct event_selector *s, const struct identity *id, str template, val labels);
/* Whether @s selects a field that @manager wrote; "": nobody is known to have written it. */
bool event_selector_matches_manager(const struct event_selector *s, str manager);

#endif
