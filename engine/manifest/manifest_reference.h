/* Makes references of manifests, and judges objects by a reference, whatever it is made of.
 *
 *   manifest_set --manifest_reference_make--> struct reference, in which each manifest stands for a template
 *
 * Such a reference has one part with its own name. Each file is a component, named by its path below the folder; if
 * there is only one file, each kind is one. Every object is required unless it is optional. Behaviour:
 * spec/manifests.md, sections 1 and 3.
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
	str name;               /* for the reference; copied */
	/* the folder that all file names begin with, with its slash; empty: there is only one file */
	str folder;
	str component; /* the only component; empty: one for each file, or for each kind in a single file */
	str path;      /* the path of all listings; empty: each has the path of its file */
	bool (*takes)(void *ctx, const struct identity *id); /* whether an object is included; NULL: all are */
	void *ctx;
	enum manifest_additions additions;
	const struct ref_choice *orphans;         /* copied; NULL: there is no search for orphans */
	const struct manifest_kind *orphan_kinds; /* copied; none: the kinds of the manifests */
	size_t n_orphan_kinds;
};

/* Make a reference of a finished set without mistakes, and keep nothing of the set. Fails: E2BIG, the reference
 * exceeds the memory limit; EIO; ENOMEM. */
CHECKED int manifest_reference_make(const struct manifest_set *set, const struct crd_table *definitions,
				    const struct manifest_reference_options *o, struct reference **ret,
				    struct err *err);

/* A function that judges @object by the reference of @m, and fails as compare_object. */
typedef int verdict_reach(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			  struct err *err);
/* The function for objects of @r: compare_object, or one that judges each object by its manifest. That one does not use
 * what compare_env has for templates (look-ups, overrides, correlation by hand, the clock). */
verdict_reach *verdict_reach_of(const struct reference *r);

#endif
