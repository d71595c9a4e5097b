/* Manifests as a reference for one run: those of files ("driftd compare --manifests"), those of Helm's releases
 * ("--helm"), or what was last applied to each object ("--last-applied"). */
#ifndef DAEMON_COMPARE_MANIFESTS_H
#define DAEMON_COMPARE_MANIFESTS_H

#include "daemon/compare/input.h"
#include "daemon/compare/inspection.h"
#include "daemon/compare/report.h"
#include "daemon/compare/rules.h"
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"

/* Manifests from one place: from files, or from one release. */
struct compare_group {
	struct manifest_set set;
	str name;      /* the name under which its problems are reported */
	str namespace; /* the namespace of manifests that name none */
	bool left_out; /* the group has mistakes, and is not compared */
};

struct compare_manifests {
	const struct limits *limits;
	struct key_table *keys;
	VEC(struct compare_group *) groups;
	const char *part; /* the name of the part that they are in the report */
	bool apart;       /* groups are independent: one with mistakes is left out, which is a problem of the input */
	bool applied;     /* there are no manifests: each object says itself what was applied to it */
	str only;         /* with @applied: the namespace of the objects to compare; empty: any */
	enum manifest_additions additions;
	bool unmasked;                         /* show all values except the data of Secrets */
	const struct event_review *review;     /* NULL: no rules */
	struct compare_inspection *inspection; /* NULL: nothing is inspected */
};

/* Begin without manifests. Fails: EINVAL for options that make no sense. compare_manifests_done is due in any case. */
CHECKED int compare_manifests_init(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
				   const char *part, struct compare_manifests *ret, struct err *err);
void compare_manifests_done(struct compare_manifests *m);

/* Add an empty group; NULL without memory. Both texts outlive it. */
struct compare_group *compare_manifests_add(struct compare_manifests *m, str name, str namespace);

/* Read the manifests of the files that the options name. *mistakes: the mistakes in them, a line each, for the
 * caller to free; NULL: there are none. Fails: EINVAL for mistakes; ENOENT when there are no manifests; ENOMEM; what
 * reading files fails with. */
CHECKED int compare_manifests_load(const struct compare_options *o, struct compare_manifests *m, char **mistakes,
				   struct err *err);

/* Find the object of each manifest, once the objects of @in are complete, and check what needs definitions. Fails
 * and sets *mistakes as compare_manifests_load does. */
CHECKED int compare_manifests_finish(struct compare_manifests *m, struct compare_input *in, char **mistakes,
				     struct err *err);

/* Compare each manifest with its object and append the report to @out, as compare_report does. Where an object is in
 * two groups the first one counts, and the others are warned about. Fails also with ENOENT when no object says what
 * was applied to it. */
CHECKED int compare_manifests_report(const struct compare_manifests *m, const struct compare_input *in,
				     const struct compare_report_options *o, struct buf *out, struct buf *errors,
				     struct err *err);

#endif
