/* What Helm 3 keeps of its releases in a cluster: a Secret or a ConfigMap for each revision.
 *
 * An object says in its name, its type and its labels whose revision it is and how that stands; the rest is one text,
 * packed, with the manifest, the chart and the values that somebody gave it. Values are secrets: of that text only what
 * stands in struct helm_release is built, and no message quotes it. */
#ifndef RELEASE_HELM_RELEASE_H
#define RELEASE_HELM_RELEASE_H

#include "base/limits.h"
#include "value/val.h"

#define HELM_UNPACKED_MAX ((size_t)32 << 20) /* bytes of a revision; etcd takes about 1.5 MB of it packed */

/* ORDER helm_status: as in the table of their names. */
enum helm_status {
	HELM_UNKNOWN, /* also what Helm does not know */
	HELM_DEPLOYED,
	HELM_UNINSTALLED,
	HELM_SUPERSEDED,
	HELM_FAILED,
	HELM_UNINSTALLING,
	HELM_PENDING_INSTALL,
	HELM_PENDING_UPGRADE,
	HELM_PENDING_ROLLBACK,
};

/* As Helm writes it: "deployed", "pending-upgrade". */
const char *helm_status_name(enum helm_status s);
/* An installation, an upgrade or a rollback that has begun and has not said how it ended. */
bool helm_status_is_pending(enum helm_status s);

/* What an object says of its revision without being unpacked; the texts point into the object. */
struct helm_revision {
	str namespace, release;
	uint32_t revision; /* from 1 */
	enum helm_status status;
	int64_t changed_sec; /* Unix time at which Helm wrote it last, as it says; 0: it does not */
};

/* Where Helm keeps them: HELM_DRIVER of its environment. */
enum helm_driver { HELM_SECRETS, HELM_CONFIG_MAPS, HELM_DRIVERS };

/* "secret" and "configmap", as Helm calls them; false: it is neither. */
bool helm_driver_parse(str name, enum helm_driver *ret);
/* The kind of their objects, of v1. */
str helm_driver_kind(enum helm_driver d);

/* How servers are asked for them: the label that all have, and the field that Secrets have besides. */
#define HELM_LABEL_SELECTOR "owner=helm"
#define HELM_SECRET_TYPE "helm.sh/release.v1"
#define HELM_FIELD_SELECTOR "type=" HELM_SECRET_TYPE

/* Whether @object has the type or the name of one: Helm has written it, or who wants to be taken for Helm. */
bool helm_claims_revision(val object);

/* False: @object is no revision of a release. Its kind is Secret or ConfigMap of v1, a Secret's type
 * helm.sh/release.v1; its labels say owner=helm, and the name and version that its own name consists of; and it has a
 * namespace. @ret is then untouched. */
bool helm_revision_of(val object, struct helm_revision *ret);

/* A revision, unpacked. All texts are in its arena. */
struct helm_release {
	struct arena arena;
	str namespace, name;
	uint32_t revision;
	enum helm_status status; /* what it says itself; Helm looks for revisions by what the label says */
	str chart, chart_version, app_version;
	str manifest;    /* YAML, of no, one or several documents */
	str deployed_at; /* as Helm wrote it */
};

/* Unpack the revision that @object, of which helm_revision_of is true, holds. Its text has limits->object_bytes at
 * most, and unpacked HELM_UNPACKED_MAX, which is seen before more than that is made; limits->depth and document_nodes
 * are for it as for any document. @keys may be NULL. Namespace, name and revision inside
 * must be those that the object says outside. What Helm leaves out is empty. Fails: EBADMSG: it is no release, or not
 * the one that its object claims; E2BIG; ENOMEM. No message quotes what is inside. */
CHECKED int helm_release_open(val object, const struct limits *limits, struct key_table *keys, struct helm_release *ret,
			      struct err *err);
/* Copes with one that is all zero. */
void helm_release_done(struct helm_release *r);

#endif
