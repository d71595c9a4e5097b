/* Manifests of registries: indexes, images and artifacts, in the words of OCI and of Docker (schema 2). */
#ifndef DAEMON_FETCH_OCI_MANIFEST_H
#define DAEMON_FETCH_OCI_MANIFEST_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#define OCI_MANIFEST_MAX ((size_t)4 << 20) /* bytes of a manifest, the same limit as in registries and other tools */
#define OCI_LAYERS_MAX 256
#define OCI_BYTES_MAX ((uint64_t)1 << 30) /* bytes of all blobs of an image as they are stored */

enum oci_kind {
	OCI_OTHER, /* not used: a signature, an attestation */
	OCI_LAYER, /* a tar as a layer of an image */
	OCI_TAR,   /* another tar, such as Flux pushes */
	OCI_FILE,  /* a file with a name of its own, such as ORAS pushes */
};

struct oci_blob {
	str digest; /* valid by digest_is_good */
	uint64_t size;
	enum oci_kind kind;
	str title;     /* for OCI_FILE: its path; foreign text */
	str signature; /* for a payload of cosign: the signature in base64; foreign text */
};

struct oci_manifest {
	str chosen; /* for an index: the digest of the image to fetch; empty: this is the manifest of an image */
	const struct oci_blob *blobs; /* the layers in order, the lowest first, and the configuration behind them */
	size_t n_layers;              /* without the configuration */
	uint64_t bytes;               /* the size of all blobs */
	uint64_t largest;
	str version; /* the version in its annotations; foreign text, may be empty */
};

/* Read a manifest. Texts live in @a. From an index the image for linux and this machine's architecture is chosen, or
 * otherwise its only image. Fails: EBADMSG, it is no manifest; EINVAL, it is not supported; ENOENT, an index without
 * such an image; E2BIG; ENOMEM. */
CHECKED int oci_manifest_read(str text, struct arena *a, struct oci_manifest *ret, struct err *err);

#endif
