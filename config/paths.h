/* Expands a path that a user wrote to the files that it means: the file itself, what is in a folder, or what matches a
 * pattern. */
#ifndef CONFIG_PATHS_H
#define CONFIG_PATHS_H

#include "base/err.h"
#include "base/str.h"

/* Takes one path; a negative result ends the search and is its result. */
typedef int path_taker(void *ctx, const char *path, struct err *err);

/* Call @file for each file that "kubectl -f @root" reads: @root itself, or the *.yaml, *.yml and *.json of a folder,
 * sorted; with -R also those of the folders in it, links to folders but not their content. Pipes and devices in a
 * folder are skipped. A folder in it that may not be read is handed over like a file, so that the reader complains.
 * Fails: ENOENT and others with kubectl's words, E2BIG, ENOMEM, as @file. */
CHECKED int paths_walk(const char *root, bool recursive, path_taker *file, void *ctx, struct err *err);

/* Call @path for @name if there is such a file or folder, otherwise for everything that matches the pattern @name
 * (reference/glob.h). Fails: EINVAL for no pattern, ENOENT when nothing matches, ENOMEM, as @path. */
CHECKED int paths_expand(const char *name, path_taker *path, void *ctx, struct err *err);

/* Call @file for each file of rules that @name means: a file, the *.yaml, *.yml and *.json of a folder, or the files
 * that match a pattern. A name that begins with a dot counts only if it is written out, and only files count. A name
 * without special characters need not exist. Fails: ENOENT when there is none, naming what there is instead; as the
 * two above. */
CHECKED int paths_of_rules(const char *name, path_taker *file, void *ctx, struct err *err);

/* Whether @name is a pattern: it has special characters, and no file or folder has that name. */
bool path_is_pattern(const char *name);
/* Whether a file of that name counts in a folder: *.yaml, *.yml and *.json. */
bool path_is_document(const char *name);
/* The part of @path after its last slash, or all of it. */
const char *path_last(const char *path);

#endif
