/* Unpacking tar archives (ustar, pax, GNU; plain, gzip, zstd, xz) into a tree, by libarchive. */
#ifndef DAEMON_FETCH_ARCHIVE_H
#define DAEMON_FETCH_ARCHIVE_H

#include "daemon/fetch/tree.h"

/* Add to @t the files of @archive that are below the folder @below ("": all), by their paths from there. "./" before a
 * path is dropped; what stands later in the archive takes the place of what stood at its path. Links of both kinds,
 * devices and pipes are left out, and counted where they are below @below; a hard link has no text of its own, and what
 * it is a link to may be outside. A path with ".." or a leading "/" is refused wherever it is, and so is what tree_add
 * refuses below @below. @layer: it is a layer of an image, whose whiteouts (.wh.NAME, .wh..wh..opq) remove what lower
 * layers brought. What unpacks to more than the limits of a tree is refused before it fills memory, whatever the
 * archive says of sizes; what is passed over is bounded too (4 GiB, 500000 entries). One that ends where an entry may
 * begin is whole, as for all who read tar; a name with a NUL ends there, as names of C do. Fails: EBADMSG, EINVAL,
 * E2BIG, ENOMEM. */
CHECKED int archive_unpack(str archive, str below, bool layer, struct tree *t, struct err *err);

/* Whether @path, as archives write it, is one below @folder; then *ret is the path from there. */
bool archive_path_below(str path, str folder, str *ret);

#endif
