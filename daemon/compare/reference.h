/* Opens the reference of "driftd compare": a folder, a web server, or a container image. */
#ifndef DAEMON_COMPARE_REFERENCE_H
#define DAEMON_COMPARE_REFERENCE_H

#include "config/cfg_generated.h"
#include "kubeclient/kc_perform.h"

struct compare_source {
	char *base;      /* folder, or URL without the file's name */
	char *metadata;  /* name of the file */
	char *temporary; /* folder to remove at the end, or NULL */
	bool url;
	struct kc_perform *net;         /* NULL: no URL has been read yet */
	struct cfg_generated generated; /* files from a bundle: there are no others */
};

/* Prepare @path: "dir/metadata.yaml", "https://…/metadata.yaml", "container://IMAGE:TAG:/path/metadata.yaml", a path
 * for fetched.h, or a bundle of kubegen. This unpacks a container image with podman or docker, and generates a
 * bundle. Fails: ENOENT "Reference config file doesn't exist"; EINVAL; ENOMEM. */
CHECKED int compare_source_open(const char *path, const struct limits *limits, struct compare_source *ret,
				struct err *err);
void compare_source_close(struct compare_source *s);
struct ref_source compare_source_files(struct compare_source *s);

bool is_url(const char *path);

/* Read the text at @url, at most @max bytes, for free(). Makes up to five attempts, after network failures and
 * server errors. *kept: the connections, to be reused; NULL at first, and for the caller to free. Fails: ENOENT and
 * others with the reason; ENOMEM. */
CHECKED int url_read(struct kc_perform **kept, const char *url, size_t max, char **ret, size_t *len, struct err *err);

#endif
