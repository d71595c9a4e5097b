/* The control endpoint, and loading, which the command line does too. */
#ifndef APISIM_CONTROL_H
#define APISIM_CONTROL_H

#include "sim.h"
#include "status.h"

#include "base/str.h"

/* Upsert all objects in @text: one object or List, an array, or objects one after the other (any white space between).
 * @manager NULL: managedFields are left as they come. *loaded counts objects, also when it is refused midway. */
CHECKED int load_text(struct sim *sim, str text, const char *manager, size_t *loaded, struct refusal *refusal);

#endif
