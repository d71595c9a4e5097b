/* What "driftd compare" knows of a live cluster's kinds: each was listed, is not served, or could not be seen.
 *
 * Of what could not be seen nothing follows: no template is missing because of it, no component is satisfied or not,
 * and who looks it up cannot be judged. */
#ifndef DAEMON_COMPARE_KNOWN_H
#define DAEMON_COMPARE_KNOWN_H

#include "base/arena.h"
#include "base/strmap.h"
#include "reference/ref.h"

struct compare_known {
	struct arena arena;
	/* identity_kind_key -> the reason why the kind is unknown, a text; "": the kind is known */
	struct strmap kinds;
	struct strmap names; /* kind, whatever its version -> why some version of it is unknown */
};

void compare_known_init(struct compare_known *k);
void compare_known_done(struct compare_known *k);

/* Note that the objects of the kind which are needed were all read. A kind that is unknown already stays so. Fails:
 * ENOMEM. */
CHECKED int compare_known_add(struct compare_known *k, str api_version, str kind, struct err *err);
/* Note that not all objects of the kind are known, because of @why. The first reason stays. Fails: ENOMEM. */
CHECKED int compare_known_mark_unknown(struct compare_known *k, str api_version, str kind, const char *why,
				       struct err *err);

bool compare_known_has(const struct compare_known *k, str api_version, str kind);
/* Why objects of the kind, or for the template, may exist that were not read; NULL: none do. A kind that was never
 * listed is unknown too. */
const char *compare_known_why(const struct compare_known *k, str api_version, str kind);
const char *compare_known_template(const struct compare_known *k, const struct ref_template *t);

#endif
