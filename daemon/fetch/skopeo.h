/* Running skopeo(1) for a registry: nothing of this host's settings counts for it but what the source names.
 * What may be fetched without TLS (source.insecure) skopeo also takes over TLS that proves nothing, which is as good.
 */
#ifndef DAEMON_FETCH_SKOPEO_H
#define DAEMON_FETCH_SKOPEO_H

#include "base/arena.h"
#include "daemon/fetch/engines.h"

struct skopeo {
	const struct fetch_job *job;
	struct arena *arena; /* the caller's, for texts */
	const char *environment[8];
	const char *policy;      /* NULL: none */
	const char *credentials; /* the same */
};

/* Prepare job->scratch for it. Texts live in @a. Fails: EINVAL, the source; EPERM, a file that it names; the codes of
 * mkdir(2) and write(2); ENOMEM. */
CHECKED int skopeo_begin(struct skopeo *s, const struct fetch_job *job, struct arena *a, struct err *err);

/* Append the manifest that @image ("HOST/NAME:TAG" or "HOST/NAME@DIGEST") names, as the registry has it. Fails: ENOENT,
 * there is none; EACCES, we may not have it; EIO and others, the registry or skopeo will not. */
CHECKED int skopeo_manifest(struct skopeo *s, str image, struct buf *out, struct err *err);

/* Copy @image, by its digest, with all its blobs into the new folder @folder of job->scratch, no file of which has more
 * than @largest bytes. @verified: the policy of the source must let it pass. Fails: EKEYREJECTED, it does not; E2BIG;
 * as skopeo_manifest. */
CHECKED int skopeo_copy(struct skopeo *s, str image, const char *folder, uint64_t largest, bool verified,
			struct err *err);

#endif
