/* Opens a file that must lie below a folder. openat2(2) could do that, but it fails with ENOSYS in a service that
 * may not set the set-user-ID bit (RestrictSUIDSGID=). */
#ifndef BASE_BENEATH_H
#define BASE_BENEATH_H

#include "base/defs.h"

/* Open @path, relative to the folder @dir_fd, for reading, close-on-exec, without waiting for a writer of a pipe.
 * Links are followed as long as neither they nor ".." lead out of the folder, whatever is renamed meanwhile. Returns
 * the descriptor or a negated errno: EXDEV for a path that leads out, ELOOP, ENAMETOOLONG for paths of more than
 * 4095 bytes or folders deeper than 64, and those of open(2). */
CHECKED int open_beneath(int dir_fd, const char *path);

#endif
