/* What validator.c and validator_rules.c share. */
#ifndef DAEMON_WATCH_VALIDATOR_INTERNAL_H
#define DAEMON_WATCH_VALIDATOR_INTERNAL_H

#include "rules/rule_file.h"
#include "daemon/watch/validator.h"

/* A set of compiled rules that is for a kind. */
struct compiled {
	enum rule_source source;
	const struct rule_set *set; /* of SOURCE_FILE */
	struct cel_rules *rules;
	bool owned; /* else they are those of @set */
};

/* A rule that cannot be evaluated, by the key of its error finding. */
struct rule_error {
	enum rule_source source;
	char *rule, *place;
	size_t objects; /* for which it costs too much; 0: it does not compile */
};

struct kind_rules {
	struct kind *kind;
	struct doc *crd;    /* that the first set is compiled from; NULL: none known */
	struct arena arena; /* schemas made for the files' sets; reset with them */
	VEC(struct compiled) sets;
	VEC(struct rule_error) invalid; /* do not compile */
	VEC(struct rule_error) costly;
};

/* Something of an object that is open: a failed rule, or one that costs too much. */
struct open {
	bool costly;
	enum rule_source source;
	char *rule, *path;
};

struct validated {
	VEC(struct open) list;
};

struct validator {
	struct validator_options o;
	VEC(struct kind_rules *) kinds;
	struct strmap restored; /* "apiVersion/kind/namespace/name" -> struct validated: of an earlier life, not seen
				   again yet */
	bool crds_known;
	struct arena arena; /* of one validation */
	struct cel_zone_dir zone_dir;
	struct cel_zones zones;
	uint64_t evaluations;
};

/* The finding's subject for the kind, a rule and a place. */
struct finding_subject rule_subject(const struct validator *v, const struct kind_rules *k, enum rule_source source,
				    str rule, str place);

/* Compile everything that is for the kind, with the schema and the rules of @crd (VAL_ABSENT: none), and report what
 * does not compile. On failure the rules that were there stay in force. Fails: ENOMEM. */
CHECKED int kind_rules_compile(struct validator *v, struct kind_rules *k, struct doc *crd, struct err *err);
void kind_rules_free(struct kind_rules *k);

/* One object more, or less, for which the rule costs too much. */
void rule_costs_too_much(struct validator *v, struct kind_rules *k, const struct open *x, str why);
void rule_costs_less(struct validator *v, struct kind_rules *k, const struct open *x);

#endif
