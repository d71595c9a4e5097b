/* A rule set: CEL rules for the objects of one or more kinds, as an entry of a rule file gives them. */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "cel/cel_at.h"
#include "cel/cel_rules.h"
#include "value/label_selector.h"

/* Lives in its rule file. */
struct rule_set {
	str where;                              /* "file:line:column" */
	str api_version, kind, namespace, name; /* patterns; empty: any */
	struct label_selector labels;
	struct cel_at at;
	int64_t hold_ns;         /* a failure that ends sooner is not reported */
	val list;                /* the rules as written */
	struct cel_rules *rules; /* compiled without a schema, in the order of @list */
	const int *severities;   /* by rule, of enum severity; 0: none given */
};

/* Whether the set is for some kind of this apiVersion, and for this kind. */
bool rule_set_for_version(const struct rule_set *s, str api_version);
bool rule_set_for_kind(const struct rule_set *s, str api_version, str kind);
/* As rule_set_for_kind, for a kind that is watched because of the set: Events and Leases change all the time and
 * configure nothing, and are meant only where their kind is written out. */
bool rule_set_means_kind(const struct rule_set *s, str api_version, str kind);
/* Whether it is for this object of a kind that it is for. */
bool rule_set_for_object(const struct rule_set *s, val object);
/* Parses a duration that a failure must last to be reported ("for"): from 0s to 24h, such as 30s; in nanoseconds. */
bool rule_hold_parse(str text, int64_t *ret);
/* Whether the set names exactly one kind. */
bool rule_set_names_kind(const struct rule_set *s);
/* Add to the place of @f the fieldPath of a rule that has no schema to check it with, as far as f->value says what that
 * means; its text is taken as it stands. In @a. False without memory. */
CHECKED bool rule_failure_place(struct cel_failure *f, struct arena *a);

#endif
