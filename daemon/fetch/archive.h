/* Unpacks tar archives (ustar, pax, GNU; plain, gzip, zstd, xz) into a tree, with libarchive. */
#ifndef DAEMON_FETCH_ARCHIVE_H
#define DAEMON_FETCH_ARCHIVE_H

#include "daemon/fetch/tree.h"

/* Add to @t the files of @archive that are below the folder @below ("": all), by their paths from there. "./" before
 * a path is dropped; a later entry of the archive replaces an earlier one of the same path. Symbolic and hard links,
 * devices and pipes are left out, and counted if they are below @below; a hard link has no text of its own, and its
 * target may be outside. A path with ".." or a leading "/" is refused anywhere, and so is what tree_add refuses
 * below @below. @layer: it is a layer of an image, whose whiteouts (.wh.NAME, .wh..wh..opq) remove what lower layers
 * brought. An archive that unpacks to more than the limits of a tree is refused before it fills memory, whatever
 * sizes it declares; skipped entries are limited too (4 GiB, 500000 entries). An archive that ends where an entry
 * may begin is complete, as for all tar readers; a name ends at a NUL, as in C. Fails: EBADMSG, EINVAL, E2BIG,
 * ENOMEM. */
CHECKED int archive_unpack(str archive, str below, bool layer, struct tree *t, struct err *err);

/* Whether @path, which may begin with "./" as in archives, is below @folder. If so, *ret is the path relative to
 * @folder. */
bool archive_path_below(str path, str folder, str *ret);

#endif
