/* References that "driftd compare" has driftd-fetch bring: from repositories of git and from registries. */
#ifndef DAEMON_COMPARE_FETCHED_H
#define DAEMON_COMPARE_FETCHED_H

#include "base/err.h"

/* Whether @path is git+https://HOST/REPOSITORY[//PATH][?ref=REF] (or git+ssh, git+http, git+file), or
 * oci://HOST/NAME[:TAG][//PATH]. */
bool fetched_is_meant(const char *path);

/* Fetch it once into the folder @into, which is empty: the folder of the reference below it in *base, the name of its
 * metadata.yaml, which PATH ends with, in *metadata, both for free(). REF is a branch, a tag or a commit. Over SSH the
 * user's own known_hosts and key count. Fails: EINVAL, the path; EIO, with the reason of driftd-fetch; ENOMEM. */
CHECKED int fetched_open(const char *path, const char *into, char **base, char **metadata, struct err *err);

#endif
