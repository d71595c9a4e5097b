/* Fetches a metadata.yaml over HTTPS with its templates, which are found by loading it as a reference. */
#ifndef DAEMON_FETCH_HTTPS_REFERENCE_H
#define DAEMON_FETCH_HTTPS_REFERENCE_H

#include "daemon/fetch/https_request.h"

/* Add to @t the file @name in the folder @folder (a URL with the slash behind it), and the files that it names.
 * Mistakes of the reference, and files that it names but that do not exist, are no failure: whoever loads it from @t
 * finds them again. Everything else that prevents one of its files from arriving is a failure, so that a fetched
 * reference is complete. Fails as https_get and tree_add. */
CHECKED int https_reference(struct https_requests *q, str folder, str name, struct tree *t, struct err *err);

#endif
