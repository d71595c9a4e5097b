/* The CEL rules that are for one kind: those of its CustomResourceDefinition, and those of rule files, compiled with
 * the kind's schema where there is one. The daemon and "driftd validate" judge objects by the same. */
#ifndef RULES_KIND_RULES_H
#define RULES_KIND_RULES_H

#include "rules/rule_file.h"

enum rule_source { RULES_OF_CRD, RULES_OF_FILE, RULE_SOURCES };
/* "crd", "file" */
const char *rule_source_name(enum rule_source s);
/* What is not "crd" is a file. */
enum rule_source rule_source_parse(str name);

/* One compiled set of rules that is for the kind. */
struct compiled_rules {
	enum rule_source source;
	const struct rule_file *file; /* of RULES_OF_FILE, as is @set */
	const struct rule_set *set;
	struct cel_rules *rules;
	bool owned; /* else they are those of @set */
};

struct kind_rules {
	str api_version, kind; /* borrowed */
	struct doc *crd;       /* keeps the schema alive; NULL: no definition is known */
	val schema;            /* openAPIV3Schema; VAL_ABSENT: none */
	struct err refused;    /* why the definition's own rules are left out; code 0: they are not */
	struct arena arena;    /* schemas made for the files' sets */
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

/* Compile all that is for the kind. The texts and files are borrowed, of the definition a reference is taken. A rule
 * that does not compile fails nothing: see its error; nor does a definition whose schema is past the limits: see
 * refused. Fails: ENOMEM, and then there is nothing to release. */
CHECKED int kind_rules_init(struct kind_rules *k, str api_version, str kind, const struct rule_sources *from,
			    struct err *err);
void kind_rules_done(struct kind_rules *k);

/* What rules say of an object at most. */
enum rules_fit {
	RULES_NONE,     /* nothing: none is for it */
	RULES_NEED_OLD, /* nothing: those that are for it compare with the object before, which is not known */
	RULES_FIT,
};
/* By kind, name, namespace and labels, whether the place of a rule is there or not. Refused rules do not count. */
enum rules_fit kind_rules_fit(const struct kind_rules *k, val object, bool has_old);

/* The severity that the rule's author gave, of enum severity; 0: none. @rule may be NULL. */
int compiled_rules_severity(const struct compiled_rules *c, const struct cel_rule *rule);

/* One object checked against one set. */
struct rules_run {
	val object;
	val old;             /* VAL_ABSENT: none is known */
	bool ratchet;        /* failures of values that have not changed are warnings */
	struct arena *arena; /* the failures live here, */
	bool transient;      /* and only until failed() returns: it is reset */
	const struct limits *limits;
	const struct go_zones *zones;
	/* Called for each failure; what it returns ends the run if it is negative. */
	int (*failed)(void *ctx, const struct cel_failure *f, struct err *err);
	void *ctx;
	uint64_t evaluated; /* out: expressions; added up over runs */
};

/* Hold @run->object against the rules of @c, if the set is for it, within the budget of one object (validation.md).
 * Fails: ENOMEM; what failed() returns. */
CHECKED int compiled_rules_run(const struct compiled_rules *c, struct rules_run *run, struct err *err);

#endif
