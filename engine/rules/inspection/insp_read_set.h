/* What of an object the rules in force can see. One of which that is the same passes them again, if it passed them. */
#ifndef RULES_INSPECTION_READ_SET_H
#define RULES_INSPECTION_READ_SET_H

#include "rules/inspection/insp_run.h"
#include "value/object_ways.h"

/* Whether a run of its actions shows in nothing but the failure that it ends in, and in plugin data: they neither log
 * nor call anybody, and edit neither the object nor dependents. */
bool insp_rule_is_quiet(const struct insp_rule *rule);

/* Add to @ways what the rules of @set see of an object in a run that does not fail, and in which no actions are run but
 * those of quiet rules: such a run goes the same way over an object that is the same there, has the same identity and
 * comes to the same verdict. ways->known is false from now on where their text does not show that (they read the object
 * as a whole, its dependents, what it was before, or what happened to it), or without memory. */
void insp_set_reads(const struct insp_set *set, struct object_ways *ways);

#endif
