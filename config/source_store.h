/* The folder in which driftd-fetch keeps what it fetched: its layout, and reading it.
 *
 *   STORE/                           owned by driftd-fetch; its group may read
 *     revisions/ID/revision.json     which revision it is, who made it: source_revision.h
 *     revisions/ID/files/...         regular files and folders only
 *     sources/NAME/current           a link to ../../revisions/ID: what was fetched last of the reference NAME
 *     sources/NAME/status.json       how fetching went: source_status.h
 *     sources/NAME/cache/            what makes the next fetch short; driftd-fetch's own
 *     tmp/                           what is not whole yet
 *
 * ID is the SHA-256 of all that is in the folder, as 64 hex digits (daemon/fetch/store.h), and what is in it never
 * changes. A revision is whole when it is under its name. */
#ifndef CONFIG_SOURCE_STORE_H
#define CONFIG_SOURCE_STORE_H

#include "base/buf.h"
#include "base/str.h"

#define SOURCE_ID_SIZE 65

/* Limits of a revision, when it is fetched and when it is read. */
#define SOURCE_FILES_MAX 20000
#define SOURCE_FILE_MAX ((size_t)8 << 20)
#define SOURCE_BYTES_MAX ((size_t)64 << 20)
#define SOURCE_DEPTH_MAX 32

/* 64 hex digits in lower case. */
bool source_id_is_good(str id);

/* Append the path. @name is good. */
void source_store_revision(const char *store, str id, struct buf *out); /* STORE/revisions/ID */
void source_store_current(const char *store, str name, struct buf *out);
void source_store_status(const char *store, str name, struct buf *out);
/* Append the text of the link "current" that leads to @id. */
void source_store_link(str id, struct buf *out);

/* The revision to which "current" of the reference @name leads. Fails: ENOENT, nothing was fetched yet; EBADMSG, it
 * is no such link; the codes of readlink(2). */
CHECKED int source_store_find(const char *store, str name, char ret[SOURCE_ID_SIZE], struct err *err);

/* Open the files of a revision: a descriptor of its folder, for reading beneath it. Fails: ENOENT, it is not there
 * (any more); the codes of open(2). */
CHECKED int source_store_open(const char *store, str id, struct err *err);

/* Read the file at @path, which one of the functions above made, beneath @store. Links may lead nowhere else, and
 * pipes and devices are refused (file_read_beneath). */
CHECKED int source_store_read(const char *store, const struct buf *path, size_t max, char **ret, size_t *len,
			      struct err *err);

#endif
