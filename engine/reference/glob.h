/* Shell patterns as in Go's path.Match and path/filepath.Glob: "*" and "?" do not match "/", "[a-z]" and "[^a-z]"
 * are classes, "\" escapes the next character. */
#ifndef REFERENCE_GLOB_H
#define REFERENCE_GLOB_H

#include "base/buf.h"
#include "base/str.h"

/* Whether @pattern contains a special character. */
bool glob_has_meta(str pattern);

/* Whether @pattern is well-formed, and whether it matches all of @name. */
bool glob_valid(str pattern);
bool glob_match(str pattern, str name);

/* The file system of glob_expand. Both callbacks only report failures of the machine: a directory that cannot be
 * read is empty. */
struct glob_source {
	/* Call @entry for each name in @dir ("." for the root), in any order. */
	int (*list)(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		    struct err *err);
	void *ctx;
};

/* Call @match for each path that matches @pattern (which has special characters), sorted within each directory.
 * Fails: EBADMSG for a pattern that glob_valid refuses, what the callbacks return, ENOMEM. */
CHECKED int glob_expand(str pattern, const struct glob_source *source,
			int (*match)(void *ctx, str path, struct err *err), void *ctx, struct err *err);

#endif
