/* The open findings that validation rules have about one object: the rules that it violates, and those that cost too
 * much over it. */
#ifndef DAEMON_WATCH_OPEN_RULES_H
#define DAEMON_WATCH_OPEN_RULES_H

#include "base/vec.h"
#include "rules/acceptance.h"
#include "rules/kind_rules.h"

struct open_rule {
	uint64_t hash;
	bool costly;  /* else failed */
	bool counted; /* from an earlier verdict; the rule still fails, but is now only counted */
	enum rule_source source;
	char *rule, *path;                   /* the rule's text, and the field that it is about */
	char acceptance[ACCEPTANCE_ID_SIZE]; /* the id of what accepts that it fails; "": nothing does */
};

struct open_rules {
	VEC(struct open_rule) list;
	size_t more;        /* violations beyond FINDINGS_PER_OBJECT_MAX, which are only counted */
	bool more_reported; /* a finding says that there are more rules */
	char more_acceptance[ACCEPTANCE_ID_SIZE]; /* the acceptance of that, as above */
	uint32_t *slots;                          /* hash table of the list: position plus one; 0: free */
	size_t n_slots;                           /* 0 or a power of two */
};

/* @x may be NULL. */
void open_rules_free(struct open_rules *x);
/* False without memory; the texts are copied. @acceptance: an id, or "". */
CHECKED bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path,
			    const char *acceptance);
/* Give the @i-th the path @path. False without memory: its path stays. */
CHECKED bool open_rules_move(struct open_rules *x, size_t i, str path);
/* Find a rule in constant time; valid until one is added. NULL: it is not open. @in may be NULL. */
struct open_rule *open_rules_find(const struct open_rules *in, bool costly, enum rule_source source, str rule,
				  str path);

#endif
