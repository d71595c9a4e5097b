/* Changing objects: what the API verbs and the control endpoint share. */
#ifndef APISIM_WRITE_H
#define APISIM_WRITE_H

#include "sim.h"
#include "status.h"

struct write {
	struct sim *sim;
	struct resource *res;
	const char *version;         /* of the API the writer speaks */
	const char *ns, *name, *sub; /* from the path; NULL: not given */
	const char *manager;         /* NULL: managedFields are left as they are */
	bool dry_run;
};

/* Each takes a new reference of the object it leaves behind in *ret (may be NULL). @obj is borrowed and may
 * be changed. */
CHECKED int write_create(const struct write *w, json_t *obj, struct rev **ret, struct refusal *refusal);
CHECKED int write_update(const struct write *w, json_t *obj, struct rev **ret, struct refusal *refusal);
CHECKED int write_delete(const struct write *w, struct rev *rev, struct rev **ret, struct refusal *refusal);
/* Create or replace as it is, status included: for loading. A missing namespace is created. */
CHECKED int write_upsert(struct sim *sim, json_t *obj, const char *manager, struct refusal *refusal);

#endif
