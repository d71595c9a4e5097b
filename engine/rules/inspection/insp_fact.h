/* The facts of the inventory that rules read: what each comes from, and from which phase on it is seen. Each fact
 * that daemon/watch/inspect/inspection_facts.c gives has a row here. Without one it would count as one that may change
 * at any time. */
#ifndef RULES_INSPECTION_FACT_H
#define RULES_INSPECTION_FACT_H

#include "base/str.h"
#include "rules/inspection/insp_phase.h"

enum insp_fact_of {
	INSP_OF_KIND,     /* all objects of a kind share the fact */
	INSP_OF_IDENTITY, /* constant as long as the object lives and its template is the same */
	INSP_OF_VERDICT,  /* what the comparison found */
	INSP_OF_OBJECT,   /* the object itself */
	INSP_OF_FORMER,   /* the former state of the object */
	INSP_OF_EVENT,    /* what happened to the object */
};

struct insp_fact {
	const char *name;
	enum insp_fact_of of;
	enum insp_phase from; /* earlier phases do not see the fact, even if the caller has it */
};

/* All facts, the last of which has the name NULL. */
extern const struct insp_fact insp_facts[];

/* NULL: no fact has this name. */
const struct insp_fact *insp_fact_find(str name);

#endif
