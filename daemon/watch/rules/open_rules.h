/* The open findings that validation rules have about one object: the rules that it violates, and those that cost too
 * much over it. */
#ifndef DAEMON_WATCH_OPEN_RULES_H
#define DAEMON_WATCH_OPEN_RULES_H

#include "base/vec.h"
#include "rules/acceptance.h"
#include "rules/kind_rules.h"

/* the texts in place of a rule: for all rules of an object, and for all violations that are only counted */
#define OPEN_RULE_ALL "(all rules of the object)"
#define OPEN_RULE_MORE "(more rules than are reported)"

struct open_rule {
	uint64_t hash;
	bool costly;  /* the rule costs too much; false: it failed */
	bool counted; /* in the list of an earlier verdict: the rule still fails, but is only counted now */
	enum rule_source source;
	char *rule, *path;                   /* the rule's text, and the field that it is about */
	char acceptance[ACCEPTANCE_ID_SIZE]; /* the id of the acceptance of this violation; "": it is not accepted */
};

struct open_rules {
	VEC(struct open_rule) list;
	size_t more;        /* violations beyond FINDINGS_PER_OBJECT_MAX, which are only counted */
	bool more_reported; /* a finding says that more rules fail than are reported */
	/* the id of the acceptance of that finding; "": it is not accepted */
	char more_acceptance[ACCEPTANCE_ID_SIZE];
	uint32_t *slots; /* hash table of the list: position plus one; 0: free */
	size_t n_slots;  /* 0 or a power of two */
};

/* @x may be NULL. */
void open_rules_free(struct open_rules *x);
/* Add a rule; the texts are copied. @acceptance: an id, or "". False without memory. */
CHECKED bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path,
			    const char *acceptance);
/* Change the path of rule number @i to @path. False without memory: the path stays. */
CHECKED bool open_rules_move(struct open_rules *x, size_t i, str path);
/* Find a rule in constant time. The result is valid until a rule is added. NULL: the rule is not open. @in may be
 * NULL. */
struct open_rule *open_rules_find(const struct open_rules *in, bool costly, enum rule_source source, str rule,
				  str path);

#endif
