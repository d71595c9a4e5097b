/* The built-in kinds that live outside of namespaces. */
#ifndef TOPOLOGY_SCOPE_H
#define TOPOLOGY_SCOPE_H

#include "base/str.h"

/* Whether objects of this kind, which is no custom resource, are the whole cluster's. A kind that nobody knows is
 * taken for a namespaced one. */
bool scope_is_cluster(str api_version, str kind);

#endif
