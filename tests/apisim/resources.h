/* The resources that are served: the built-in table, and what CustomResourceDefinitions add. */
#ifndef APISIM_RESOURCES_H
#define APISIM_RESOURCES_H

#include "store.h"

#include "base/vec.h"

#include <jansson.h>

struct sim;

typedef VEC(char *) string_list;

struct resource {
	unsigned refs; /* the set holds one, every watch one */
	char *group;   /* "" for the core group */
	char *plural, *singular, *kind, *list_kind;
	char *api_version;    /* "apps/v1": of the stored text */
	string_list versions; /* served, the preferred one first */
	string_list short_names;
	string_list status_versions; /* those with a status subresource */
	bool namespaced;
	bool generation; /* metadata.generation counts changes of spec */
	bool custom;
	bool gone; /* its definition was deleted */
	struct table table;
};

struct resource_set {
	VEC(struct resource *) rows;
};

int resources_init(struct resource_set *set, size_t window); /* the built-in ones; -ENOMEM */
void resources_done(struct resource_set *set);
struct resource *resource_ref(struct resource *res);
void resource_unref(struct resource *res);

/* @version NULL: any. NULL when there is none. */
struct resource *resource_find(const struct resource_set *set, const char *group, const char *version,
			       const char *plural);
/* The resource of an object's apiVersion and kind. */
struct resource *resource_of_kind(const struct resource_set *set, const char *api_version, const char *kind);
/* "pods", "deployments.apps"; also "deployments" when only one group has it. */
struct resource *resource_of_label(const struct resource_set *set, const char *label);

bool resource_serves(const struct resource *res, const char *version);
bool resource_has_status(const struct resource *res, const char *version);

/* "version" or "group/version" into @to. */
void group_version(const char *group, const char *version, char *to, size_t n);

/* A definition was written: its resource appears or changes. Returns the row, NULL without memory or without a usable
 * spec. */
struct resource *resources_define(struct sim *sim, json_t *crd);
/* Fills what the server defaults in spec.names, and gives the status that an established definition has. */
void crd_default_names(json_t *crd);
/* NULL, or the field of a definition that cannot be served. */
const char *crd_bad_field(json_t *crd);
json_t *crd_status(json_t *crd);
/* Takes the row out of the set; watches on it still hold it and see ->gone. */
void resources_undefine(struct sim *sim, struct resource *res);

#endif
