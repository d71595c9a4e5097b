/* Checks the types in the metadata of an object that "driftd compare" reads. */
#ifndef DAEMON_COMPARE_METADATA_H
#define DAEMON_COMPARE_METADATA_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* Check the metadata of @object. 1: Kubernetes' ObjectMeta can hold them; 0: it cannot, and the words of kubectl
 * cluster-compare for that are appended to @why. Fails: ENOMEM. */
CHECKED int compare_metadata_check(val object, const struct limits *limits, struct buf *why, struct err *err);

#endif
