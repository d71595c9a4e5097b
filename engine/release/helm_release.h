/* Reads what Helm 3 stores about its releases in a cluster: a Secret or a ConfigMap for each revision.
 *
 * The name, the type and the labels of such an object say whose revision it is and what its status is. Everything
 * else is one packed text with the manifest, the chart and the user's values. Values are secrets: only the members
 * of struct helm_release are decoded from that text, and no message quotes it. */
#ifndef RELEASE_HELM_RELEASE_H
#define RELEASE_HELM_RELEASE_H

#include "base/limits.h"
#include "value/val.h"

#define HELM_UNPACKED_MAX ((size_t)32 << 20) /* bytes of an unpacked revision; etcd takes about 1.5 MB of it packed */

/* ORDER helm_status: as in the table of their names. */
enum helm_status {
	HELM_UNKNOWN, /* also for a status that Helm does not know */
	HELM_DEPLOYED,
	HELM_UNINSTALLED,
	HELM_SUPERSEDED,
	HELM_FAILED,
	HELM_UNINSTALLING,
	HELM_PENDING_INSTALL,
	HELM_PENDING_UPGRADE,
	HELM_PENDING_ROLLBACK,
};

/* The name of a status as Helm writes it: "deployed", "pending-upgrade". */
const char *helm_status_name(enum helm_status s);
/* Whether an installation, an upgrade or a rollback has begun and has not reported its end. */
bool helm_status_is_pending(enum helm_status s);

/* What an object says about its revision without being unpacked. The texts point into the object. */
struct helm_revision {
	str namespace, release;
	uint32_t revision; /* from 1 */
	enum helm_status status;
	int64_t changed_sec; /* Unix time of Helm's last write, by its label; 0: there is none */
};

/* The kinds of objects in which Helm stores revisions: HELM_DRIVER in its environment. */
enum helm_driver { HELM_SECRETS, HELM_CONFIG_MAPS, HELM_DRIVERS };

/* Parse "secret" or "configmap", as Helm names its drivers. False: it is neither. */
bool helm_driver_parse(str name, enum helm_driver *ret);
/* The kind, in v1, of the objects of a driver. */
str helm_driver_kind(enum helm_driver d);

/* Selectors for these objects in requests: the label that all have, and the field that Secrets have besides. */
#define HELM_LABEL_SELECTOR "owner=helm"
#define HELM_SECRET_TYPE "helm.sh/release.v1"
#define HELM_FIELD_SELECTOR "type=" HELM_SECRET_TYPE

/* Whether @object has the type or the name of a revision: it was written by Helm, or by somebody who imitates Helm. */
bool helm_claims_revision(val object);

/* Read the revision that @object says it contains. False, with @ret untouched: @object is no revision of a release.
 * A revision is a Secret or ConfigMap of v1 in a namespace; the type of a Secret is helm.sh/release.v1; its labels
 * say owner=helm, and the name and version that its own name consists of. */
bool helm_revision_of(val object, struct helm_revision *ret);

/* An unpacked revision. All texts are in its arena. */
struct helm_release {
	struct arena arena;
	str namespace, name;
	uint32_t revision;
	enum helm_status status; /* what the text itself says; Helm looks for revisions by the status in the label */
	str chart, chart_version, app_version;
	str manifest;    /* YAML of any number of documents */
	str deployed_at; /* the time as Helm wrote it */
};

/* Unpack the revision in @object, for which helm_revision_of must be true. Its text may have limits->object_bytes,
 * and unpacked HELM_UNPACKED_MAX, which is checked before more than that is made; limits->depth and document_nodes
 * apply as for any document. @keys may be NULL. The namespace, name and revision inside must be those that the
 * object says outside. What Helm omits is empty. Fails: EBADMSG: it is no release, or not the one that its object
 * claims; E2BIG; ENOMEM. No message quotes what is inside. */
CHECKED int helm_release_open(val object, const struct limits *limits, struct key_table *keys, struct helm_release *ret,
			      struct err *err);
/* Release the memory of @r, which may be zeroed. */
void helm_release_done(struct helm_release *r);

#endif
