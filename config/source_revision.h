/* What is known of a revision besides its files: revision.json in its folder. driftd-fetch writes it, the daemon and
 * the commands read it. What people at the source wrote is foreign text. */
#ifndef CONFIG_SOURCE_REVISION_H
#define CONFIG_SOURCE_REVISION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "config/source.h"

#define SOURCE_LOG_MAX 50
#define SOURCE_TEXT_MAX 200 /* bytes of an author or a subject; the rest is cut off */
#define SOURCE_REVISION_MAX ((size_t)256 << 10)

/* A commit, if the source has commits. */
struct source_commit {
	str id;       /* hex digits */
	str author;   /* such as "Ada Lovelace"; written by somebody else, but valid UTF-8 */
	str subject;  /* the subject of the commit */
	int64_t time; /* Unix time, as the commit says */
};

struct source_revision {
	str revision; /* git: the commit; oci and https: "sha256:…" */
	/* who signed it, by the name in the file of keys; empty: nothing was verified */
	str signer;
	str title;                       /* a tag or branch, such as "v1.2"; may be empty */
	const struct source_commit *log; /* the newest first, the revision itself too */
	size_t n_log;                    /* at most SOURCE_LOG_MAX */
	/* The revision that was fetched before is not an ancestor of this one: a branch was force-pushed, or a tag
	 * was moved. */
	bool rewritten;
	size_t n_files, n_bytes;
	size_t n_left_out; /* links, submodules and devices, which are no regular files */
};

/* Append it as JSON. */
CHECKED int source_revision_write(const struct source_revision *r, struct buf *out, struct err *err);
/* Read what source_revision_write wrote. Texts live in @a; control characters become spaces. Fails: EBADMSG, EINVAL,
 * E2BIG, ENOMEM. */
CHECKED int source_revision_read(str text, struct arena *a, struct source_revision *ret, struct err *err);
/* Reads that of the revision @id below @store. Fails: ENOENT; as source_revision_read and source_store_read. */
CHECKED int source_revision_load(const char *store, str id, struct arena *a, struct source_revision *ret,
				 struct err *err);

/* Whether @s may deliver the revision @r. A revision that was fetched or exported before a signature was required
 * may not, once it is. */
bool source_accepts(const struct source *s, const struct source_revision *r);

#endif
