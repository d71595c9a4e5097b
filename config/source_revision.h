/* What is known of a revision besides its files: revision.json in its folder. driftd-fetch writes it, the daemon and
 * the commands read it. What people at the source wrote is foreign text. */
#ifndef CONFIG_SOURCE_REVISION_H
#define CONFIG_SOURCE_REVISION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "config/source.h"

#define SOURCE_LOG_MAX 50
#define SOURCE_TEXT_MAX 200 /* bytes of an author or a subject: more is cut */
#define SOURCE_REVISION_MAX ((size_t)256 << 10)

/* A commit, where the source has commits. */
struct source_commit {
	str id;       /* hex digits */
	str author;   /* "Ada Lovelace"; as somebody wrote it, valid UTF-8 */
	str subject;  /* the same */
	int64_t time; /* Unix time, as the commit says */
};

struct source_revision {
	str revision;                    /* git: the commit; oci and https: "sha256:…" */
	str signer;                      /* who signed it, as the file of keys calls it; empty: nothing was verified */
	str title;                       /* a tag or branch, such as "v1.2"; may be empty */
	const struct source_commit *log; /* the newest first, the revision itself too */
	size_t n_log;                    /* at most SOURCE_LOG_MAX */
	/* The revision that was fetched before is not among what led to this one: a branch was pushed with force, a tag
	 * moved. */
	bool rewritten;
	size_t n_files, n_bytes;
	size_t n_left_out; /* links, submodules, devices: what is no regular file */
};

/* Append it as JSON. */
CHECKED int source_revision_write(const struct source_revision *r, struct buf *out, struct err *err);
/* Read what source_revision_write wrote: texts live in @a; control characters are spaces. Fails: EBADMSG, EINVAL,
 * E2BIG, ENOMEM. */
CHECKED int source_revision_read(str text, struct arena *a, struct source_revision *ret, struct err *err);
/* Reads that of the revision @id below @store. Fails: ENOENT; as source_revision_read and source_store_read. */
CHECKED int source_revision_load(const char *store, str id, struct arena *a, struct source_revision *ret,
				 struct err *err);

/* Whether a revision that @r is known of may come from @s: one that was fetched, or exported, before anything had to be
 * verified may not, when it has to be now. */
bool source_accepts(const struct source *s, const struct source_revision *r);

#endif
