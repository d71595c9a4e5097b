/* References that "driftd compare" lets driftd-fetch download from git repositories and registries. */
#ifndef DAEMON_COMPARE_FETCHED_H
#define DAEMON_COMPARE_FETCHED_H

#include "base/err.h"

/* Whether @path is git+https://HOST/REPOSITORY[//PATH][?ref=REF] (or git+ssh, git+http, git+file), or
 * oci://HOST/NAME[:TAG][//PATH]. */
bool fetched_is_meant(const char *path);

/* Fetch the reference at @path once into the folder @into, which is empty. *base: the folder of the reference below
 * @into; *metadata: the name of its metadata.yaml, with which PATH ends; both for free(). REF is a branch, a tag or
 * a commit. Over SSH the user's own known_hosts and key are used. Fails: EINVAL for a wrong path; EIO with the
 * reason of driftd-fetch; ENOMEM. */
CHECKED int fetched_open(const char *path, const char *into, char **base, char **metadata, struct err *err);

#endif
