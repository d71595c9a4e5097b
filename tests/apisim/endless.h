/* Pages of a list that never ends: objects that nobody made. */
#ifndef APISIM_ENDLESS_H
#define APISIM_ENDLESS_H

#include "list.h"

struct request;

/* @limit more of them (0: as many as clients ask for), with names that were not there before; *ret gets them. */
CHECKED int endless_page(const struct request *req, size_t limit, rev_list *ret); /* -ENOMEM */

#endif
