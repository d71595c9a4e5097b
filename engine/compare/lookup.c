/* Decides which objects a look-up asks for. */
#include "compare/lookup.h"

bool lookup_includes(str wanted, str have)
{
	return wanted.n == 0 || str_eq(wanted, STR("*")) || str_eq(wanted, have);
}

bool lookup_matches(const struct tmpl_lookup *request, const struct identity *id)
{
	return lookup_includes(request->namespace, id->namespace) && lookup_includes(request->name, id->name);
}
