/* Commits and annotated tags as git stores them, taken apart for their signatures. Whoever may push may write anything
 * into them: what is not as git itself would write it is refused. */
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
	GIT_SIGNED_OTHERWISE, /* something that is no single signature of these */
};

struct git_object {
	enum git_object_kind kind;
	str target, target_type; /* of a tag: what it names, "commit" */
	str name;                /* of a tag: its own */
	int64_t time;            /* of its committer or tagger; -1: there is none, or it is no time */
	enum git_signature_kind signature_kind;
	struct buf payload, signature; /* what is signed, and by what */
};

/* Take @raw apart, which the texts of *ret point into; git_object_done in any case. @sha256: the repository has such
 * names. Fails: EBADMSG, E2BIG, ENOMEM.   git: gitformat-signature(5), object formats */
CHECKED int git_object_read(enum git_object_kind kind, str raw, bool sha256, struct git_object *ret, struct err *err);
void git_object_done(struct git_object *o);

#endif
