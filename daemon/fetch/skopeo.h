/* Runs skopeo(1) for a registry. No setting of this host has an influence, except what the source names. Where no
 * TLS is required (source.insecure), skopeo also accepts unverified TLS, which is no worse. */
#ifndef DAEMON_FETCH_SKOPEO_H
#define DAEMON_FETCH_SKOPEO_H

#include "base/arena.h"
#include "daemon/fetch/engines.h"

struct skopeo {
	const struct fetch_job *job;
	struct arena *arena; /* memory for texts; the caller's */
	const char *environment[8];
	const char *policy;      /* NULL: none */
	const char *credentials; /* NULL: none */
};

/* Prepare job->scratch for skopeo. Texts live in @a. Fails: EINVAL, a mistake in the source; EPERM, in a file that
 * it names; the codes of mkdir(2) and write(2); ENOMEM. */
CHECKED int skopeo_begin(struct skopeo *s, const struct fetch_job *job, struct arena *a, struct err *err);

/* Append the manifest that @image ("HOST/NAME:TAG" or "HOST/NAME@DIGEST") names, as the registry sends it. Fails:
 * ENOENT, there is none; EACCES, access is denied; EIO and others, the registry or skopeo fails. */
CHECKED int skopeo_manifest(struct skopeo *s, str image, struct buf *out, struct err *err);

/* Copy @image, by its digest, with all its blobs into the new folder @folder of job->scratch. @largest: limit for
 * each file. @verified: the policy of the source must accept it. Fails: EKEYREJECTED, it does not; E2BIG; as
 * skopeo_manifest. */
CHECKED int skopeo_copy(struct skopeo *s, str image, const char *folder, uint64_t largest, bool verified,
			struct err *err);

#endif
