/* The files of a revision while they are gathered: regular files, in memory, by path. Every engine fills such a tree,
 * which enforces limits whatever the source sends.
 *
 * A path has at most TREE_DEPTH_MAX parts with slashes between them, none of them empty, "." or "..", none with a
 * control character, a backslash or more than 255 bytes; it is valid UTF-8. No path is a folder of another one. */
#ifndef DAEMON_FETCH_TREE_H
#define DAEMON_FETCH_TREE_H

#include "base/buf.h"
#include "base/str.h"
#include "config/source_store.h"

#define TREE_FILES_MAX SOURCE_FILES_MAX
#define TREE_FILE_MAX SOURCE_FILE_MAX
#define TREE_BYTES_MAX SOURCE_BYTES_MAX
#define TREE_DEPTH_MAX SOURCE_DEPTH_MAX
#define TREE_PATH_MAX 1024

struct tree;

struct tree_file {
	str path, text;
};

CHECKED int tree_new(struct tree **ret, struct err *err);
void tree_free(struct tree *t);
DEFINE_CLEANUP(struct tree *, tree_free)

/* Add a file, or replace the one of the same path. Both texts are copied. Fails: EINVAL for the path; E2BIG for a
 * limit; ENOMEM. */
CHECKED int tree_add(struct tree *t, str path, str text, struct err *err);
/* Remove the file or the folder @path, with all below it ("": everything), if it exists. */
void tree_remove(struct tree *t, str path);
/* Count something that was skipped because it is no regular file. */
void tree_leave_out(struct tree *t);
size_t tree_left_out(const struct tree *t);

/* All files in byte order of their paths, until the next change. NULL without memory, also when there are none. */
const struct tree_file *tree_files(struct tree *t, size_t *n);
size_t tree_bytes(const struct tree *t);

#endif
