/* The types in the metadata of an object that "driftd compare" reads. */
#ifndef DAEMON_COMPARE_METADATA_H
#define DAEMON_COMPARE_METADATA_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* 1: the metadata of @object are what Kubernetes' ObjectMeta can hold; 0: they are not, and what the original says of
 * them is appended to @why. Fails: ENOMEM. */
CHECKED int compare_metadata_check(val object, const struct limits *limits, struct buf *why, struct err *err);

#endif
