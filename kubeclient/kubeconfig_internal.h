/* What the loader and the parser of kubeconfig files share. */
#ifndef KUBECLIENT_KUBECONFIG_INTERNAL_H
#define KUBECLIENT_KUBECONFIG_INTERNAL_H

#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "kubeclient/kubeconfig.h"

/* Strings and decoded data of one kubeconfig; aliases cannot multiply beyond it. */
#define KUBECONFIG_ARENA_MAX ((size_t)64 << 20)

struct kube_context {
	const char *name;
	const char *where;
	const char *cluster;
	const char *user;
	const char *namespace;
};

/* An entry of one of the maps, with the number of the file that gave it. */
struct kube_named {
	unsigned file;
	union {
		struct kube_cluster cluster;
		struct kube_user user;
		struct kube_context context;
	};
};

struct kubeconfig {
	unsigned refs;
	unsigned n_files; /* read so far */
	struct arena arena;
	struct strmap clusters, users, contexts; /* name -> struct kube_named in the arena */
	VEC(const char *) context_names;         /* in order of appearance */
	const char *current;
};

struct kubeconfig *kubeconfig_new(void);

/* Add the entries of one file's text that no earlier file gave. */
CHECKED int kubeconfig_add_text(struct kubeconfig *k, str text, const char *path, struct err *err);

#endif
