/* Kinds as users write them: "Deployment.apps", "ConfigMap", or with the version "Deployment.v1.apps". */
#ifndef CONFIG_KIND_NAME_H
#define CONFIG_KIND_NAME_H

#include "manifest/manifest_reference.h"
#include "value/settings.h"

/* A list of kinds in a file of settings. */
struct kind_names {
	struct text_list texts;
	const struct node *at; /* while it is loaded */
};

/* Reads a list of kinds into a struct kind_names. */
setting_fn kind_names_set;

/* The kinds that the texts of @k mean, *n of them, in the arena of @s. A text without a version means the version in
 * which @set, which may be NULL, has the kind, otherwise one in which Kubernetes has it. A kind whose version is
 * unknown is reported and left out. NULL without memory. */
struct manifest_kind *kind_names_read(const struct kind_names *k, const struct manifest_set *set, struct settings *s,
				      size_t *n);

#endif
