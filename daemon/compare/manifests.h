/* Manifests as a reference, once: those of files ("driftd compare --manifests"), those of Helm's releases ("--helm"),
 * or what was applied to each object last ("--last-applied"). */
#ifndef DAEMON_COMPARE_MANIFESTS_H
#define DAEMON_COMPARE_MANIFESTS_H

#include "daemon/compare/input.h"
#include "daemon/compare/report.h"
#include "daemon/compare/rules.h"
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"

/* Manifests that stand in one place: in files, or in one release. */
struct compare_group {
	struct manifest_set set;
	str name;      /* the name under which its problems are reported */
	str namespace; /* of those that have none */
	bool left_out; /* it has mistakes, and is not compared */
};

struct compare_manifests {
	const struct limits *limits;
	struct key_table *keys;
	VEC(struct compare_group *) groups;
	const char *part; /* of the reference that they are */
	bool apart;       /* the mistakes of a group are nobody else's: it is left out, as a problem of the input */
	bool applied;     /* there are none: each object has its own */
	str only;         /* and the namespace of those that are looked at; empty: any */
	enum manifest_additions additions;
	bool unmasked;                     /* all is shown but data of Secrets */
	const struct event_review *review; /* NULL: no rules */
};

/* Begin without any. Fails: EINVAL for options that mean nothing. compare_manifests_done is due in any case. */
CHECKED int compare_manifests_init(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
				   const char *part, struct compare_manifests *ret, struct err *err);
void compare_manifests_done(struct compare_manifests *m);

/* An empty group of its own; NULL without memory. Both texts outlive it. */
struct compare_group *compare_manifests_add(struct compare_manifests *m, str name, str namespace);

/* Read the manifests of the files that the options name. *mistakes: theirs, a line each, for the caller to free; NULL:
 * there are none. Fails: EINVAL for mistakes; ENOENT, there are none; ENOMEM; what reading files fails with. */
CHECKED int compare_manifests_load(const struct compare_options *o, struct compare_manifests *m, char **mistakes,
				   struct err *err);

/* Once the objects of @in are there: which object each manifest is, and what no definition was needed for before.
 * Fails and *mistakes as above. */
CHECKED int compare_manifests_finish(struct compare_manifests *m, struct compare_input *in, char **mistakes,
				     struct err *err);

/* Hold each manifest against its object and append the report to @out, as compare_report does. Where an object is in
 * two groups the first counts, and the others are warned about. Fails, too: ENOENT, no object says what was applied to
 * it. */
CHECKED int compare_manifests_report(const struct compare_manifests *m, const struct compare_input *in,
				     const struct compare_report_options *o, struct buf *out, struct buf *errors,
				     struct err *err);

#endif
