/* A reference made of manifests, and judging by a reference whatever it is made of.
 *
 *   manifest_set --manifest_reference_make--> struct reference, in which each manifest stands for a template
 *
 * Its one part has the reference's name. A component is a file, by its path below the folder; of a single file, a kind.
 * Every object is required, but for those that are optional. Behaviour: spec/manifests.md, sections 1 and 3.
 *
 * No I/O, no clock, no globals. */
#ifndef MANIFEST_MANIFEST_REFERENCE_H
#define MANIFEST_MANIFEST_REFERENCE_H

#include "compare/compare.h"
#include "manifest/manifest_compare.h"
#include "manifest/manifest_set.h"

/* A kind as users write it: "Deployment.apps", "ConfigMap", or with its version "Deployment.v1.apps". */
struct manifest_kind {
	str api_version, kind;
};

struct manifest_reference_options {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	str name;               /* of the reference; copied */
	str folder;             /* what the files' names begin with, with the slash; empty: it is one file */
	str component; /* all are in one called so; empty: in one for each file, or each kind of a single file */
	str path;      /* what the listings call themselves; empty: by their files */
	bool (*takes)(void *ctx, const struct identity *id); /* the others are left out; NULL: there are none */
	void *ctx;
	enum manifest_additions additions;
	const struct ref_choice *orphans;         /* copied; NULL: nobody looks for orphans */
	const struct manifest_kind *orphan_kinds; /* copied; none: the kinds of the manifests */
	size_t n_orphan_kinds;
};

/* Makes a reference of a finished set without mistakes; nothing of the set is kept. Fails: E2BIG, it needs more memory
 * than the limit; EIO; ENOMEM. */
CHECKED int manifest_reference_make(const struct manifest_set *set, const struct crd_table *definitions,
				    const struct manifest_reference_options *o, struct reference **ret,
				    struct err *err);

/* Judge @object by the reference of @m: compare_object, or manifest_judge by the manifest that is for it. Of
 * compare_env templates' own means (look-ups, overrides, correlation by hand, the clock) are not used for manifests. As
 * compare_object. */
CHECKED int reach_verdict(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			  struct err *err);

#endif
