/* Kinds as users write them: "Deployment.apps", "ConfigMap", or with the version "Deployment.v1.apps". */
#ifndef CONFIG_KIND_NAME_H
#define CONFIG_KIND_NAME_H

#include "manifest/manifest_reference.h"

/* Without a version it is that in which @set has the kind, else one in which Kubernetes has it. @set may be NULL. The
 * texts live in @a, in @set or in @text. False: nobody knows the version, or there is no memory (@a says so). */
bool kind_name_read(str text, const struct manifest_set *set, struct arena *a, struct manifest_kind *ret);

/* What to tell of one that cannot be read. */
#define KIND_NAME_UNKNOWN                                                                                              \
	"the version of '%.*s' is not known: write it as KIND.VERSION.GROUP, such as Deployment.v1.apps"

#endif
