/* Who an object is. Everything that keeps objects finds them by one of the keys made here. */
#ifndef VALUE_IDENTITY_H
#define VALUE_IDENTITY_H

#include "base/buf.h"
#include "base/index.h"
#include "base/strmap.h"
#include "value/val.h"

/* No object of a cluster has a longer key: names and groups have at most 253 bytes. */
#define IDENTITY_BYTES_MAX 4095

/* A field that is not known, or that a cluster-scoped object does not have, is empty. */
struct identity {
	str api_version, kind, namespace, name;
};

/* The two parts of an apiVersion, which point into it: "apps" and "v1". The group of the core is empty. */
struct group_version {
	str group, version;
};
struct group_version group_version_of(str api_version);

/* The identity of a Kubernetes object; the texts point into it. */
struct identity identity_of(val object);
bool identity_eq(const struct identity *a, const struct identity *b);

/* "apps/v1_Deployment_namespace_name", without the namespace when there is none: the key over all kinds, and what
 * messages and files call the object (kube-compare's form). Names of Kubernetes hold no "_". */
void identity_text(const struct identity *id, struct buf *out);
/* What @m, whose keys are such texts, has for @id; NULL also for an identity longer than any real one
 * (IDENTITY_BYTES_MAX).
 * Needs no memory. */
void *identity_get(const struct strmap *m, const struct identity *id);
/* Take it out and return it. */
void *identity_remove(struct strmap *m, const struct identity *id);

/* The key of a kind: apiVersion and kind with a zero byte between. */
void identity_kind_key(str api_version, str kind, struct buf *out);
/* What @m, whose keys are such texts, has; NULL as above. Needs no memory. */
void *identity_kind_get(const struct strmap *m, str api_version, str kind);

/* "namespace/name", "/name" without a namespace: the key within a kind. */
void identity_local_key(str namespace, str name, struct buf *out);
/* What @x, whose things have such keys, has; NULL as above. Needs no memory. */
void *identity_local_get(const struct index *x, str namespace, str name);
/* Splits a key of identity_local_key into its parts. */
void identity_local_split(str key, str *namespace, str *name);

#endif
