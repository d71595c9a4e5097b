/* The CEL rules for one kind: those of its CustomResourceDefinition, and those of rule files, compiled with the
 * kind's schema if there is one. The daemon and "driftd validate" check objects with the same rules. */
#ifndef RULES_KIND_RULES_H
#define RULES_KIND_RULES_H

#include "rules/rule_file.h"

enum rule_source { RULES_OF_CRD, RULES_OF_FILE, RULE_SOURCES };
/* The name of a source: "crd" or "file". */
const char *rule_source_name(enum rule_source s);
/* The source with this name; any name other than "crd" is a file. */
enum rule_source rule_source_parse(str name);

/* One compiled set of rules that is for the kind. */
struct compiled_rules {
	enum rule_source source;
	const struct rule_file *file; /* for RULES_OF_FILE, as is @set */
	const struct rule_set *set;
	struct cel_rules *rules;
	bool owned; /* @rules belong to this struct; else they are those of @set */
};

struct kind_rules {
	str api_version, kind; /* borrowed */
	struct doc *crd;       /* keeps the schema alive; NULL: the kind has no known definition */
	val schema;            /* openAPIV3Schema; VAL_ABSENT: none */
	struct err refused;    /* why the definition's own rules are left out; code 0: they are not left out */
	struct arena arena;    /* for the schemas that are made for the sets of files */
	VEC(struct compiled_rules) sets;
};

/* What rules are compiled from. */
struct rule_sources {
	struct doc *crd; /* holds @definition; may be NULL */
	val definition;  /* the CustomResourceDefinition; VAL_ABSENT: none */
	struct rule_file *const *files;
	size_t n_files;
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
};

/* Compile all rules for the kind. The texts and files are borrowed; @k takes a reference to the definition. A rule
 * that does not compile is no failure: see its error. Neither is a definition whose schema exceeds the limits: see
 * refused. Fails: ENOMEM, and then there is nothing to release. */
CHECKED int kind_rules_init(struct kind_rules *k, str api_version, str kind, const struct rule_sources *from,
			    struct err *err);
void kind_rules_done(struct kind_rules *k);

/* The rules that may apply to an object. */
enum rules_fit {
	RULES_NONE,     /* no rule is for the object */
	RULES_NEED_OLD, /* all rules for the object compare with its former state, which is not known */
	RULES_FIT,
};
/* Whether rules are for @object, by kind, name, namespace and labels, no matter whether it has the field that a rule
 * is about. Refused rules do not count. */
enum rules_fit kind_rules_fit(const struct kind_rules *k, val object, bool has_old);

/* The severity that the rule's author gave, of enum severity; 0: none. @rule may be NULL. */
int compiled_rules_severity(const struct compiled_rules *c, const struct cel_rule *rule);

/* The check of one object with one set of rules. */
struct rules_run {
	val object;
	val old;             /* the object before; VAL_ABSENT: it is not known */
	bool ratchet;        /* failures of values that have not changed are warnings */
	struct arena *arena; /* holds the failures, */
	bool transient;      /* but only until failed() returns: then it is reset */
	const struct limits *limits;
	const struct go_zones *zones;
	/* Called for each failure; a negative result ends the run. */
	int (*failed)(void *ctx, const struct cel_failure *f, struct err *err);
	void *ctx;
	uint64_t evaluated; /* out: how many expressions were evaluated, added up over runs */
};

/* Check @run->object with the rules of @c, if the set is for it, within the budget of one object (validation.md).
 * Fails: ENOMEM; what failed() returns. */
CHECKED int compiled_rules_run(const struct compiled_rules *c, struct rules_run *run, struct err *err);

#endif
