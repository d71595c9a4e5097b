/* Where a reference is published, and how what comes from there is verified: "source" in an entry of "references".
 * The daemon asks for it, driftd-fetch fetches it (daemon/fetch). */
#ifndef CONFIG_SOURCE_H
#define CONFIG_SOURCE_H

#include "base/assert.h"
#include "base/buf.h"
#include "base/str.h"

#define SOURCE_INTERVAL_MIN_NS (10 * INT64_C(1000000000))
#define SOURCE_INTERVAL_NS (300 * INT64_C(1000000000))
#define SOURCE_TIMEOUT_NS (120 * INT64_C(1000000000))

enum source_kind { SOURCE_NONE, SOURCE_GIT, SOURCE_OCI, SOURCE_HTTPS, SOURCE_KINDS };

/* The name of the kind: "git", "oci", "https"; "" for SOURCE_NONE. */
const char *source_kind_name(enum source_kind k);
bool source_kind_parse(str s, enum source_kind *ret); /* false: it is none */

/* What is needed of a source that is no folder (a single file over HTTPS). */
enum source_wants {
	SOURCE_WANTS_FILES,    /* the file itself: manifests, a bundle of kubegen */
	SOURCE_WANTS_TEMPLATES /* a metadata.yaml and the templates that it names */
};

/* A source. Texts may be empty. Names of files are absolute, or relative to the working directory; only driftd-fetch
 * reads these files. */
struct source {
	str name; /* the name of the reference: source_name_is_good */
	enum source_kind kind;
	enum source_wants wants;
	str url;    /* git: https://, http://, ssh://, USER@HOST:PATH or file://; oci: HOST[:PORT]/NAME; https: a URL */
	str branch; /* git: at most one of branch, tag and commit; none: the branch that HEAD names */
	str tag;    /* git and oci */
	str commit; /* git: all 40 or 64 digits */
	str digest; /* oci: sha256:… */
	str path;   /* path of the folder in it that is taken, without ".." and without slashes at its ends */
	int64_t interval_ns; /* time between two fetches; 0: it is never fetched */
	int64_t timeout_ns;
	/* git over HTTPS and https: a file with USER:PASSWORD, or a token, on one line; git over SSH: a private key;
	 * oci: an auth.json as podman and skopeo read it. */
	str credentials;
	str known_hosts; /* git over SSH: the trusted host keys, which are required */
	str ca_file;     /* PEM; else the system's */
	str proxy;       /* http://HOST:PORT; else none */
	bool insecure;   /* the source may be fetched over plain HTTP, without credentials */
	/* What must have signed it, each a file; none: nothing is verified beyond the transport. */
	str allowed_signers; /* git: of ssh-keygen(1), for commits, or for an annotated tag */
	str keyring;         /* git: of gpgv(1), the same */
	str cosign_key;      /* oci: a public key in PEM, of cosign's signatures by tag */
	str policy;          /* oci: containers-policy.json(5) of skopeo */
	str minisign_key; /* https, a tar: a public key of minisign or signify; the signature is at URL.minisig, URL.sig
			   */
	str sha256;       /* https, a tar or a single file: 64 hex digits, no file */
};

/* Whether a signature or a known hash is required. */
bool source_is_verified(const struct source *s);

/* Whether the name consists of letters, digits, '-', '_' and '.', does not begin with the last three, and has at
 * most 63 characters. */
bool source_name_is_good(str name);

/* Hashes of a source: 64 hex digits and a NUL, the same in every process of a host. False without memory. */
#define SOURCE_HASH_SIZE 65
/* A hash that differs when something else is followed: another place, branch, tag, commit, digest or folder. */
CHECKED bool source_place(const struct source *s, char ret[SOURCE_HASH_SIZE]);
/* A hash that differs also when another signature is required. Credentials, authorities and proxies do not count. */
CHECKED bool source_hash(const struct source *s, char ret[SOURCE_HASH_SIZE]);

/* The texts of a source, for code that writes, reads and hashes all of them. */
struct source_text {
	const char *key; /* the key that a request has for this text */
	size_t offset;   /* in struct source */
	enum { SOURCE_TEXT_PLACE, SOURCE_TEXT_TRUST, SOURCE_TEXT_WAY } says;
};

#define SOURCE_TEXTS 17
extern const struct source_text source_texts[SOURCE_TEXTS];

static inline const str *source_text_of(const struct source *s, size_t i)
{
	ASSERT(i < SOURCE_TEXTS);
	return (const str *)((const char *)s + source_texts[i].offset);
}

#endif
