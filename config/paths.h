/* Expands a path that a user wrote to the files that it means: the file itself, what is in a folder, or what matches a
 * pattern. */
#ifndef CONFIG_PATHS_H
#define CONFIG_PATHS_H

#include "base/err.h"
#include "base/str.h"

/* Takes one path; a negative result ends the search and is its result. */
typedef int path_taker(void *ctx, const char *path, struct err *err);

/* Call @file for each file that "kubectl -f @root" reads: @root itself, or of a folder its *.yaml, *.yml and *.json,
 * sorted; with -R those of the folders in it too, links to folders but not what is in them. Pipes and devices in a
 * folder are passed over; a folder in it that may not be read is handed over like a file, for the reader to
 * complain.
 * Fails: ENOENT and others with kubectl's words, E2BIG, ENOMEM, what @file fails with. */
CHECKED int paths_walk(const char *root, bool recursive, path_taker *file, void *ctx, struct err *err);

/* Call @path for @name if there is such a file or folder, else for all that the pattern @name (reference/glob.h)
 * matches. Fails: EINVAL for no pattern, ENOENT when nothing matches, ENOMEM, what @path fails with. */
CHECKED int paths_expand(const char *name, path_taker *path, void *ctx, struct err *err);

/* Call @file for each file of rules that @name stands for: a file, a folder's *.yaml, *.yml and *.json, or what
 * matches a pattern; what begins with a dot counts only where that is written, and what is no file
 * does not. A name without special characters need
 * not exist. Fails: ENOENT when there is none, with what is there instead; as the two above. */
CHECKED int paths_of_rules(const char *name, path_taker *file, void *ctx, struct err *err);

/* Whether @name is a pattern: no file or folder is called so, and it has special characters. */
bool path_is_pattern(const char *name);
/* Whether a file called so counts in a folder: *.yaml, *.yml and *.json. */
bool path_is_document(const char *name);
/* What is behind the last slash of @path, or all of it. */
const char *path_last(const char *path);

#endif
