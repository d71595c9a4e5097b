/* Manifests of registries: indexes, images and artifacts, in the words of OCI and of Docker (schema 2). */
#ifndef DAEMON_FETCH_OCI_MANIFEST_H
#define DAEMON_FETCH_OCI_MANIFEST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define OCI_MANIFEST_MAX ((size_t)4 << 20) /* bytes, as registries and other tools have it */
#define OCI_LAYERS_MAX 256
#define OCI_BYTES_MAX ((uint64_t)1 << 30) /* of all blobs of an image, packed as they are */

enum oci_kind {
	OCI_OTHER, /* nothing for us: a signature, an attestation */
	OCI_LAYER, /* a tar of an image */
	OCI_TAR,   /* another tar: Flux's */
	OCI_FILE,  /* a file with a name of its own, as ORAS pushes them */
};

struct oci_blob {
	str digest; /* digest_is_good */
	uint64_t size;
	enum oci_kind kind;
	str title;     /* of OCI_FILE: its path; foreign text */
	str signature; /* where it is a payload of cosign: the signature in base64; foreign text */
};

struct oci_manifest {
	str chosen; /* an index: the digest of the image to take; empty: it is the manifest of an image */
	const struct oci_blob *blobs; /* its layers in their order, the lowest first, and last its configuration */
	size_t n_layers;              /* without that */
	uint64_t bytes;               /* of all blobs */
	uint64_t largest;
	str version; /* what its annotations call it; foreign text, may be empty */
};

/* Texts live in @a. Of an index the image for linux and this machine's architecture is chosen, else the only one that
 * it has. Fails: EBADMSG, it is no manifest; EINVAL, it will not do; ENOENT, an index without such an image; E2BIG;
 * ENOMEM. */
CHECKED int oci_manifest_read(str text, struct arena *a, struct oci_manifest *ret, struct err *err);

#endif
