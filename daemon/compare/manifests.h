/* "driftd compare --manifests": manifests as a reference. */
#ifndef DAEMON_COMPARE_MANIFESTS_H
#define DAEMON_COMPARE_MANIFESTS_H

#include "daemon/compare/input.h"
#include "daemon/compare/report.h"
#include "daemon/compare/rules.h"
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"

struct compare_manifests {
	const struct limits *limits;
	struct manifest_set set;
	enum manifest_additions additions;
	str namespace;                     /* of those that have none */
	bool unmasked;                     /* all is shown but data of Secrets */
	const struct event_review *review; /* NULL: no rules */
};

/* Read the manifests that the options name. *mistakes: theirs, a line each, for the caller to free; NULL: there are
 * none. Fails: EINVAL for mistakes and for options that mean nothing; ENOENT, there are none; ENOMEM; what reading
 * files fails with. compare_manifests_done is due in any case. */
CHECKED int compare_manifests_load(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
				   struct compare_manifests *ret, char **mistakes, struct err *err);
void compare_manifests_done(struct compare_manifests *m);

/* Once the objects of @in are there: which object each manifest is, and what no definition was needed for before.
 * Fails and *mistakes as above. */
CHECKED int compare_manifests_settle(struct compare_manifests *m, struct compare_input *in, char **mistakes,
				     struct err *err);

/* Hold each manifest against its object and append the report to @out, as compare_report does. */
CHECKED int compare_manifests_report(const struct compare_manifests *m, const struct compare_input *in,
				     const struct compare_report_options *o, struct buf *out, struct buf *errors,
				     struct err *err);

#endif
