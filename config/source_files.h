/* The files of a revision, all of them in memory: read from the store beneath its folder, and checked against the id,
 * which is the SHA-256 of what they are. What is loaded is therefore exactly what was fetched, no matter who can write
 * to the store. */
#ifndef CONFIG_SOURCE_FILES_H
#define CONFIG_SOURCE_FILES_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "config/source_store.h"
#include "reference/ref.h"

struct source_file {
	str path, text; /* the path below the folder, with slashes */
};

struct source_files {
	struct arena arena;
	VEC(struct source_file) list; /* in byte order of their paths */
};

/* The id of a revision: @about is the text of its revision.json, @files its @n files in byte order of their paths.
 * False without memory. */
CHECKED bool source_files_id(str about, const struct source_file *files, size_t n, char ret[SOURCE_ID_SIZE]);

/* Read the files of the revision @id below @store. Fails: ENOENT, it is not there; EBADMSG, it is not complete, or
 * does not match its id; EXDEV, EINVAL, a file is no regular file; E2BIG; ENOMEM. *ret is for source_files_done in
 * any case. */
CHECKED int source_files_read(const char *store, str id, struct source_files *ret, struct err *err);
void source_files_done(struct source_files *f);

const struct source_file *source_files_find(const struct source_files *f, str path); /* NULL: there is none */

/* For reference_load: reads the files below the folder @folder, "" or with a slash at its end. */
struct source_folder {
	const struct source_files *files;
	str folder;
	uint64_t content; /* hash of the files read so far (hash_seed) */
};
struct ref_source source_folder_source(struct source_folder *f);

#endif
