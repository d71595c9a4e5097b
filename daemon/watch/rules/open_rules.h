/* What the rules have open for one object: those that it fails, and those that cost too much over it. */
#ifndef DAEMON_WATCH_OPEN_RULES_H
#define DAEMON_WATCH_OPEN_RULES_H

#include "base/vec.h"
#include "rules/kind_rules.h"

struct open_rule {
	uint64_t hash;
	bool costly;  /* else failed */
	bool counted; /* of an earlier verdict: it fails again, and is only counted now */
	enum rule_source source;
	char *rule, *path; /* its text, the field */
};

struct open_rules {
	VEC(struct open_rule) list;
	size_t more;        /* failures beyond FINDINGS_PER_OBJECT_MAX: they are counted */
	bool more_reported; /* that there are some */
	uint32_t *slots;    /* of the list, by hash: place plus one; 0: free */
	size_t n_slots;     /* 0 or a power of two */
};

/* @x may be NULL. */
void open_rules_free(struct open_rules *x);
/* False without memory; the texts are copied. */
CHECKED bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path);
/* The @i-th has this path from now on. False without memory: it is as it was. */
CHECKED bool open_rules_move(struct open_rules *x, size_t i, str path);
/* The one, valid until one is added; NULL: there is none. @in may be NULL. In constant time. */
struct open_rule *open_rules_find(const struct open_rules *in, bool costly, enum rule_source source, str rule,
				  str path);

#endif
