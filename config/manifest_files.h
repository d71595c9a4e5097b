/* Manifests on disk: finds the files of a folder that count, and reads them. */
#ifndef CONFIG_MANIFEST_FILES_H
#define CONFIG_MANIFEST_FILES_H

#include "base/string_list.h"
#include "config/source_files.h"
#include "manifest/manifest_set.h"
#include "value/settings.h"

struct manifest_files {
	const char *path;                  /* a file, or a folder */
	struct text_list include, exclude; /* patterns of paths below the folder; without an include: all */
};

struct manifest_files_read {
	str folder;       /* the common beginning of the files' names, with the slash; empty: one file was read */
	uint64_t content; /* hash of names and texts (hash_seed) */
};

/* Read all files into @to: of a folder its *.yaml, *.yml and *.json at any depth, in byte order of their paths,
 * except those that begin with a dot. *ret lives as long as @to. Fails: ENOENT, there is none, and others with the
 * path; E2BIG; ENOMEM. */
CHECKED int manifest_files_read(const struct manifest_files *f, struct manifest_set *to,
				struct manifest_files_read *ret, struct err *err);

/* As manifest_files_read, from @n files in memory, in byte order of their paths. f->path is one of them, or a folder of
 * some; "" is the folder of all. */
CHECKED int manifest_files_take(const struct manifest_files *f, const struct source_file *from, size_t n,
				struct manifest_set *to, struct manifest_files_read *ret, struct err *err);

/* The folders in which a change may change the result: @path and all folders below it, each with a slash at its end;
 * or the file. Folders that cannot be read are left out. Fails: ENOMEM. */
CHECKED int manifest_files_folders(const char *path, struct string_list *ret, struct err *err);

/* A fingerprint of the state of the files, made without reading them: of their names, sizes, times and places on
 * disk. */
uint64_t manifest_files_state(const struct manifest_files *f);

#endif
