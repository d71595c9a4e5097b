/* Parses commits and annotated tags as git stores them, to check their signatures. Whoever may push may write
 * anything into them, so that objects are refused that git itself would not write. */
#ifndef DAEMON_FETCH_GIT_OBJECT_H
#define DAEMON_FETCH_GIT_OBJECT_H

#include "base/buf.h"
#include "base/str.h"

#define GIT_OBJECT_MAX ((size_t)1 << 20)

enum git_object_kind { GIT_COMMIT, GIT_TAG };

enum git_signature_kind {
	GIT_UNSIGNED,
	GIT_SIGNED_SSH,
	GIT_SIGNED_PGP,
	GIT_SIGNED_OTHERWISE, /* something that is not a single SSH or PGP signature */
};

struct git_object {
	enum git_object_kind kind;
	str target, target_type; /* for a tag: the object that it names, and its type, such as "commit" */
	str name;                /* for a tag: its own name */
	int64_t time;            /* the time of its committer or tagger; -1: there is none, or it is no time */
	enum git_signature_kind signature_kind;
	struct buf payload, signature; /* the signed text, and its signature */
};

/* Parse @raw, into which the texts of *ret point; git_object_done is due in any case. @sha256: the object names of
 * the repository are SHA-256. Fails: EBADMSG, E2BIG, ENOMEM.   git: gitformat-signature(5), object formats */
CHECKED int git_object_read(enum git_object_kind kind, str raw, bool sha256, struct git_object *ret, struct err *err);
void git_object_done(struct git_object *o);

#endif
