/* What a list or the start of a watch sees: the objects of a resource at one version. */
#ifndef APISIM_LIST_H
#define APISIM_LIST_H

#include "resources.h"
#include "selector.h"

typedef VEC(struct rev *) rev_list; /* owned references */

struct list_query {
	const struct selector *selector;
	str ns;       /* empty: all */
	str after;    /* only keys behind this one; empty: from the start */
	uint64_t rv;  /* the version to show; at least the window's */
	size_t limit; /* 0: none */
};

void rev_list_done(rev_list *list);
/* *remaining (may be NULL): objects in scope behind the last one taken, not filtered. */
CHECKED int list_collect(const struct resource *res, const struct list_query *q, rev_list *ret, size_t *remaining);

/* A resourceVersion parameter; absent, "" and "0" give 0. */
CHECKED int parse_version(const char *text, uint64_t *ret, struct refusal *refusal);

#endif
