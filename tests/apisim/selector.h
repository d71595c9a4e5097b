/* labelSelector and fieldSelector. */
#ifndef APISIM_SELECTOR_H
#define APISIM_SELECTOR_H

#include "status.h"
#include "store.h"

enum selector_op { SEL_EXISTS, SEL_ABSENT, SEL_IN, SEL_NOT_IN, SEL_GREATER, SEL_LESS };

struct requirement {
	enum selector_op op;
	bool field; /* key names a field, not a label */
	str key;    /* into selector.text */
	VEC(str) values;
};

struct selector {
	char *text[2];
	VEC(struct requirement) all;
};

/* Either text may be NULL or empty. A refusal leaves *ret empty. */
CHECKED int selector_parse(const char *labels, const char *fields, struct selector *ret, struct refusal *refusal);
void selector_done(struct selector *s);
bool selector_matches(const struct selector *s, const struct rev *rev);

#endif
