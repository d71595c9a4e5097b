/* A configuration that is about nothing is not one of which all is well. */
#include "config/cfg.h"

const char *cfg_nothing(const struct cfg *c)
{
	if (c->n_clusters == 0)
		return "no cluster is configured: nothing is watched";
	if (c->n_references == 0 && c->n_rule_files == 0 && c->n_watch == 0 && !c->inspection.discovered_scope.p)
		return "no reference, no rules and no kinds to watch are configured: nothing is watched";
	return NULL;
}
