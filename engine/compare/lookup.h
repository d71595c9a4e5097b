/* lookupCR and lookupCRs: decides which objects a request asks for. */
#ifndef COMPARE_LOOKUP_H
#define COMPARE_LOOKUP_H

#include "template/tmpl.h"
#include "value/identity.h"

/* Whether @wanted, a namespace or a name in a request, includes @have: empty or "*" includes everything. */
bool lookup_includes(str wanted, str have);
/* Whether the request asks for the object @id, which is of the requested kind. */
bool lookup_matches(const struct tmpl_lookup *request, const struct identity *id);

#endif
