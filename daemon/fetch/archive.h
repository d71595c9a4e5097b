/* Unpacking tar archives (ustar, pax, GNU; plain, gzip, zstd, xz) into a tree, by libarchive. */
#ifndef DAEMON_FETCH_ARCHIVE_H
#define DAEMON_FETCH_ARCHIVE_H

#include "daemon/fetch/tree.h"

/* Add to @t the files of @archive that are below the folder @below ("": all), by their paths from there. "./" before a
 * path is dropped; links, devices and pipes are left out; a path with ".." or a leading "/" is refused. @layer: it is a
 * layer of an image, whose whiteouts (.wh.NAME, .wh..wh..opq) remove what lower layers brought. What unpacks to more
 * than the limits of a tree is refused before it fills memory, whatever the archive says of sizes. Fails: EBADMSG,
 * EINVAL, E2BIG, ENOMEM. */
CHECKED int archive_unpack(str archive, str below, bool layer, struct tree *t, struct err *err);

#endif
