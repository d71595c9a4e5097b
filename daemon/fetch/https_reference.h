/* A metadata.yaml over HTTPS: which templates it has is known by loading it as a reference. */
#ifndef DAEMON_FETCH_HTTPS_REFERENCE_H
#define DAEMON_FETCH_HTTPS_REFERENCE_H

#include "daemon/fetch/https_request.h"

/* Add the file @name, which is at @folder (a URL with the slash behind it), to @t, and beside it what it names. Its
 * mistakes, and files that it names and that are not there, are no failure: whoever loads it from @t finds them again.
 * All else that keeps one of its files from arriving is: what is fetched is whole. Fails as https_get and tree_add. */
CHECKED int https_reference(struct https_requests *q, str folder, str name, struct tree *t, struct err *err);

#endif
