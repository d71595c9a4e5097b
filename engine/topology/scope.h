/* Knows the built-in kinds that are not in namespaces. */
#ifndef TOPOLOGY_SCOPE_H
#define TOPOLOGY_SCOPE_H

#include "base/str.h"

/* Whether objects of this kind, which is no custom resource, belong to the whole cluster. An unknown kind counts as
 * namespaced. */
bool scope_is_cluster(str api_version, str kind);

#endif
