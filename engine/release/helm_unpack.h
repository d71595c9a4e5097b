/* Unpacks the text of a Helm release from the object that contains it. */
#ifndef RELEASE_HELM_UNPACK_H
#define RELEASE_HELM_UNPACK_H

#include "base/buf.h"
#include "base/limits.h"
#include "value/val.h"

/* Append to @out the text in data.release of @object: base64 of JSON, gzipped or not, and in a Secret base64 of
 * that. Its limit is out->max - 1 bytes. Fails: EBADMSG, E2BIG, ENOMEM. */
CHECKED int helm_unpack(val object, const struct limits *limits, struct buf *out, struct err *err);

#endif
