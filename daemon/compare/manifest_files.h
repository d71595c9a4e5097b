/* Where "driftd compare --manifests" takes manifests from. */
#ifndef DAEMON_COMPARE_MANIFEST_FILES_H
#define DAEMON_COMPARE_MANIFEST_FILES_H

#include "base/string_list.h"
#include "manifest/manifest_set.h"

struct manifest_files {
	const char *path;                  /* a file, a folder, or "-" for standard input */
	const struct string_list *include; /* patterns of paths below the folder; none: all of them */
	const struct string_list *exclude;
};

/* Read all of them into @to: a folder's *.yaml, *.yml and *.json at any depth, in byte order of their paths, but for
 * what begins with a dot. Fails: ENOENT, there is none, and others with the path; E2BIG; ENOMEM. */
CHECKED int manifest_files_read(const struct manifest_files *f, struct manifest_set *to, struct err *err);

#endif
