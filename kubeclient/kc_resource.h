/* A kind as discovery knows it: what a collection's URL is made of. */
#ifndef KUBECLIENT_KC_RESOURCE_H
#define KUBECLIENT_KC_RESOURCE_H

#include <stdbool.h>

struct kc_resource {
	const char *group; /* "" for the core group */
	const char *version;
	const char *kind;
	const char *plural;
	bool namespaced;
	bool can_list, can_watch;
	unsigned rank;           /* rank of the version in its group: the server prefers the lowest */
	const char *short_names; /* separated by commas, such as "po" or "deploy,dep"; NULL: unknown */
};

#endif
