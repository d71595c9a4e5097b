/* The identity of an object, and the keys made of it, by which all tables of objects find them. */
#ifndef VALUE_IDENTITY_H
#define VALUE_IDENTITY_H

#include "base/buf.h"
#include "base/index.h"
#include "base/strmap.h"
#include "value/val.h"

/* The most bytes that the key of an object has: names and groups have at most 253 bytes. */
#define IDENTITY_BYTES_MAX 4095

/* A field that is not known, or that a cluster-scoped object does not have, is empty. */
struct identity {
	str api_version, kind, namespace, name;
};

/* The two parts of an apiVersion, such as "apps" and "v1", which point into it. The core group is empty. */
struct group_version {
	str group, version;
};
struct group_version group_version_of(str api_version);

/* The identity of a Kubernetes object. Its texts point into the object. */
struct identity identity_of(val object);
bool identity_eq(const struct identity *a, const struct identity *b);

/* Append "apps/v1_Deployment_namespace_name", without the namespace when there is none. This is the key over all
 * kinds, and the name of the object in messages and files (kube-compare's form). Names of Kubernetes contain no "_". */
void identity_text(const struct identity *id, struct buf *out);
/* The value of @id in @m, whose keys are such texts. NULL also for an identity longer than any real one
 * (IDENTITY_BYTES_MAX). Needs no memory. */
void *identity_get(const struct strmap *m, const struct identity *id);
/* Remove the value of @id from @m and return it. */
void *identity_remove(struct strmap *m, const struct identity *id);

/* Append the key of a kind: apiVersion and kind with a zero byte between. */
void identity_kind_key(str api_version, str kind, struct buf *out);
/* The value of a kind in @m, whose keys are made by identity_kind_key; NULL as for identity_get. Needs no memory. */
void *identity_kind_get(const struct strmap *m, str api_version, str kind);

/* Append the key within a kind: "namespace/name", or "/name" without a namespace. */
void identity_local_key(str namespace, str name, struct buf *out);
/* The thing of this name in @x, whose keys are made by identity_local_key; NULL as for identity_get. Needs no
 * memory. */
void *identity_local_get(const struct index *x, str namespace, str name);
/* Splits a key of identity_local_key into its parts. */
void identity_local_split(str key, str *namespace, str *name);

#endif
