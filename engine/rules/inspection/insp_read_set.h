/* What the rules in force can see of an object. If that stays the same, an object that has passed the rules passes
 * them again. */
#ifndef RULES_INSPECTION_READ_SET_H
#define RULES_INSPECTION_READ_SET_H

#include "rules/inspection/insp_run.h"
#include "value/object_ways.h"

/* Whether a run of the rule's actions has no effect but plugin data and the failure that it ends in: the actions
 * neither log nor call anybody, and edit neither the object nor dependents. */
bool insp_rule_is_quiet(const struct insp_rule *rule);

/* Add to @ways what the rules of @set see of an object in a run that does not fail and runs only actions of quiet
 * rules. Such a run goes the same way over any object that is the same there and has the same identity and verdict.
 * ways->known becomes false if the text of the rules does not show what they see (they read the object as a whole,
 * its dependents, its former state, or what happened to it), or without memory. *alike: a run even goes the same way
 * over other objects of the kind that are the same there, with any verdict, for no rule has a scope of its own or reads
 * what differs among them. */
void insp_set_reads(const struct insp_set *set, struct object_ways *ways, bool *alike);

#endif
