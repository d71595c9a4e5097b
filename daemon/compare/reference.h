/* Where "driftd compare" takes a reference from: a folder, a web server, or a container image. */
#ifndef DAEMON_COMPARE_REFERENCE_H
#define DAEMON_COMPARE_REFERENCE_H

#include "config/cfg_generated.h"
#include "kubeclient/kc_perform.h"

struct compare_source {
	char *base;      /* folder, or URL without the file's name */
	char *metadata;  /* name of the file */
	char *temporary; /* folder to remove at the end, or NULL */
	bool url;
	struct kc_perform *net;         /* NULL: no URL was read yet */
	struct cfg_generated generated; /* from a bundle: there are no files but these */
};

/* Prepare @path ("dir/metadata.yaml", "https://…/metadata.yaml", "container://IMAGE:TAG:/path/metadata.yaml", what
 * fetched.h has, or a bundle of kubegen). A container image is unpacked with podman or docker here, a bundle is
 * generated. Fails: ENOENT "Reference config file doesn't exist"; EINVAL; ENOMEM. */
CHECKED int compare_source_open(const char *path, const struct limits *limits, struct compare_source *ret,
				struct err *err);
void compare_source_close(struct compare_source *s);
struct ref_source compare_source_files(struct compare_source *s);

bool is_url(const char *path);

/* The text at @url, at most @max bytes, for free(): five attempts, again after network failures and server errors.
 * *@kept: its connections, to be reused; NULL at first, and the caller's to free. Fails: ENOENT and others with the
 * reason; ENOMEM. */
CHECKED int url_read(struct kc_perform **kept, const char *url, size_t max, char **ret, size_t *len, struct err *err);

#endif
