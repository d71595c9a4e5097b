/* A rule set: CEL rules for the objects of one or more kinds, as an entry of a rule file gives them. */
#ifndef RULES_RULE_SET_H
#define RULES_RULE_SET_H

#include "cel/cel_at.h"
#include "cel/cel_rules.h"
#include "value/label_selector.h"

/* A set lives in its rule file. */
struct rule_set {
	str where;                              /* "file:line:column" */
	str api_version, kind, namespace, name; /* patterns; empty: any */
	struct label_selector labels;
	struct cel_at at;
	int64_t hold_ns;         /* a failure that ends sooner is not reported */
	val list;                /* the rules as written */
	struct cel_rules *rules; /* compiled without a schema, in the order of @list */
	const int *severities;   /* the severity of each rule, an enum severity; 0: none is given */
};

/* Whether the set is for some kind of this apiVersion, and whether for this kind. */
bool rule_set_for_version(const struct rule_set *s, str api_version);
bool rule_set_for_kind(const struct rule_set *s, str api_version, str kind);
/* Whether a kind is watched because of the set: as rule_set_for_kind, but Events and Leases, which change all the
 * time and configure nothing, only count if the set writes out their kind. */
bool rule_set_means_kind(const struct rule_set *s, str api_version, str kind);
/* Whether the set, which is for the kind of @object, is also for this object. */
bool rule_set_for_object(const struct rule_set *s, val object);
/* Whether the set is for objects of certain names or namespaces only. */
bool rule_set_is_selective(const struct rule_set *s);
/* Parse the duration that a failure must last to be reported ("for"): from 0s to 24h, such as 30s. *ret is in
 * nanoseconds. */
bool rule_hold_parse(str text, int64_t *ret);
/* Whether the set names exactly one kind. */
bool rule_set_names_kind(const struct rule_set *s);
/* Extend the place of @f by the fieldPath of its rule, which no schema has checked, as far as f->value shows what it
 * means; its text stays as written. The place lives in @a. False without memory. */
CHECKED bool rule_failure_place(struct cel_failure *f, struct arena *a);

#endif
