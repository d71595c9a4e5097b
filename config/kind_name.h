/* Kinds as users write them: "Deployment.apps", "ConfigMap", or with the version "Deployment.v1.apps". */
#ifndef CONFIG_KIND_NAME_H
#define CONFIG_KIND_NAME_H

#include "manifest/manifest_reference.h"
#include "value/settings.h"

/* A list of them in a file of settings. */
struct kind_names {
	struct text_list texts;
	const struct node *at; /* while it is loaded */
};

/* To a struct kind_names. */
setting_fn kind_names_set;

/* What they mean, in the arena of @s, *n of them. Without a version it is that in which @set, which may be NULL, has
 * the kind, else one in which Kubernetes has it. Of one whose version nobody knows that is told, and it is left out.
 * NULL without memory. */
struct manifest_kind *kind_names_read(const struct kind_names *k, const struct manifest_set *set, struct settings *s,
				      size_t *n);

#endif
